/** Variables of the environment: an empty one counts as unset. */

/** Variables of the environment, by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A variable's value, when it is set to something. */
export function variable(env: Env, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}
