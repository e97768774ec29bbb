/** Names of profiles: what they look like, and which are taken. */

import { CliError } from '../errors.ts';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** The built-in profile of the embedded simulator. */
export const demoName = 'demo';
/** The profile that the variables of the environment form. */
export const environmentName = 'environment';
const reserved: readonly string[] = [demoName, environmentName, 'simulator'];

/** What is wrong with a name for a stored profile, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (reserved.includes(name.toLowerCase()))
    return `${name} is built in: a profile of yours needs another name`;
  return namePattern.test(name)
    ? undefined
    : `profile name ${name}: use letters, digits, dot, dash and underscore, at most 63, a letter or digit first`;
}

/** Throws CliError 'refused' for a built-in name, 'usage' for one that cannot be. */
export function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem === undefined) return;
  const kind = reserved.includes(name.toLowerCase()) ? 'refused' : 'usage';
  throw new CliError(kind, problem, { certain: 'nothing was changed' });
}
