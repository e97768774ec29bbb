/** Names that may be given once. Pure. */

/** The first name that stands twice; undefined where each stands once. */
export function firstRepeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
