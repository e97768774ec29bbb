/** What to say when a row could not be written. Pure. */

import { CliError } from '../errors.ts';

/** The refusal of a verdict because another desk recorded one first. So it is certain that this one is not in the journal. */
export class RecordedFirst extends CliError {}

/** What to do, in one line: `first`, what helps, and `then` before the command that is printed next. */
export function mendLine(first: string, then = 'then:'): string {
  return `${first}; free some space, ${then}`;
}

/** Why it could not be written. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
