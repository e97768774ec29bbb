/** How arguments and options are written in help and in the man page: `<id>`, `(one of a, b; default a)`. */

import type { Argument, Flag } from '../commands/command.ts';

/** `<id>` where it is required, `[id]` where it is not. */
export function argumentTerm({ name, required, variadic }: Argument): string {
  const term = `${name}${variadic === true ? '...' : ''}`;
  return required ? `<${term}>` : `[${term}]`;
}

/** A summary with what else is to be known: allowed values, default, environment variable. */
export function withFacts(
  summary: string,
  { choices, allowed, defaultText, env, repeatable }: Partial<Flag>,
): string {
  const facts = [
    choices === undefined ? undefined : `one of ${choices.join(', ')}`,
    allowed,
    repeatable === true ? 'may be repeated' : undefined,
    defaultText === undefined ? undefined : `default ${defaultText}`,
    env,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? summary : `${summary} (${facts.join('; ')})`;
}
