/** What a key is, and what may be shown of it. */

import { createHash } from 'node:crypto';
import { keyPattern, shortestKey } from '../api/spec.ts';
import { CliError } from '../errors.ts';

/** How much of a file or of standard input a key may be, bytes. */
export const keyLimit = 4096;

/** Whether it is too short to be a key. */
function isTooShort(key: string): boolean {
  return key.length < shortestKey;
}

/** What is wrong with a key, or undefined. The words never repeat any of it. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'the key is empty';
  if (isTooShort(key)) return `that is no key: it is shorter than ${shortestKey} characters`;
  if (key.length > keyLimit) return `the key is longer than ${keyLimit} characters`;
  return keyPattern.test(key)
    ? undefined
    : 'the key may hold printable ASCII only, without spaces and line breaks';
}

/** The key out of a text, without the line break at its end. Throws CliError 'usage' that does not repeat it. */
export function readKey(text: string, where: string): string {
  const key = text.replace(/\r?\n$/, '');
  const problem = keyProblem(key);
  if (problem === undefined) return key;
  throw new CliError('usage', `${problem} (${where})`, { certain: 'nothing was sent and nothing was kept' });
}

/** The first 16 hex digits of its SHA-256: tells keys apart, gives none away. */
export function fingerprint(key: string): string {
  return sha256(key).slice(0, 16);
}

/** The SHA-256 of a text, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Its last four characters; undefined for a key so short that they would be much of it. */
export function lastFour(key: string): string | undefined {
  return key.length < 12 ? undefined : key.slice(-4);
}
