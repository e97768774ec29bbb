/** The built-in profile names, and the rules for others. */

import { CliError } from '../errors.ts';

export const demoName = 'demo';
export const environmentName = 'environment';
const reserved: readonly string[] = [demoName, environmentName, 'simulator'];

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export function nameProblem(name: string): string | undefined {
  if (reserved.includes(name.toLowerCase()))
    return `${name} is built in: a profile of yours needs another name`;
  return namePattern.test(name)
    ? undefined
    : `profile name ${name}: use letters, digits, dot, dash and underscore, at most 63, a letter or digit first`;
}

/** Throws CliError 'refused' for a built-in name, 'usage' for an impossible one. */
export function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem === undefined) return;
  const kind = reserved.includes(name.toLowerCase()) ? 'refused' : 'usage';
  throw new CliError(kind, problem, { certain: 'nothing was changed' });
}

/** The name of an index key. No profile can have it: it holds a space. */
export function indexKeyName(id: string): string {
  return `index ${id}`;
}
