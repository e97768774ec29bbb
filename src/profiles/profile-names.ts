/** The names that profiles have: those that are built in, and what a name of a stored profile may be. */

import { CliError } from '../errors.ts';

/** The name of the profile for the simulator inside paydesk. */
export const demoName = 'demo';
/** The name of the profile that comes from variables of the environment. */
export const environmentName = 'environment';
const reserved: readonly string[] = [demoName, environmentName, 'simulator'];

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** What is wrong with a name for a stored profile, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (reserved.includes(name.toLowerCase()))
    return `${name} is built in: a profile of yours needs another name`;
  return namePattern.test(name)
    ? undefined
    : `profile name ${name}: use letters, digits, dot, dash and underscore, at most 63, a letter or digit first`;
}

/** Throws CliError 'refused' for a built-in name, 'usage' for a name that no profile can have. */
export function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem === undefined) return;
  const kind = reserved.includes(name.toLowerCase()) ? 'refused' : 'usage';
  throw new CliError(kind, problem, { certain: 'nothing was changed' });
}

/** The name under which the key of an index is kept. No profile can have it: it holds a space. */
export function indexKeyName(id: string): string {
  return `index ${id}`;
}
