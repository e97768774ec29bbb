/** scratch */
export function planLimitProblems(_settings: unknown, _of: unknown): readonly string[] {
  return [];
}
