/**
 * The words of `journal settle` and `acknowledge`: what a statement means for each kind of change, whether a note says something,
 * and what is missing on the command line. Pure.
 */

import { kindWords } from '../../changes/changes.ts';
import { CliError } from '../../errors.ts';
import type { AttemptRecord, ChangeKind } from '../../journal/journal.ts';

/** What a statement about a change means. */
interface Meaning {
  /** What the sentences call the change: `this refund`. */
  readonly change: string;
  /** What happens if "it was not made" is wrong, and if "it was made" is wrong. */
  readonly wrong: readonly [not: string, made: string];
}

const meanings: Readonly<Record<ChangeKind, readonly [change: string, neverMade: string]>> = {
  refund: ['this refund', 'the buyer does not get the money'],
  capture: ['this capture', 'the money is never collected'],
  order: ['this order', 'the buyer gets no order'],
  checkout: ['this payment link', 'the buyer gets no link'],
  api: ['this request', 'it never takes effect'],
};

export function meaningOf(record: AttemptRecord): Meaning {
  const kind = kindOf(record);
  const [change, neverMade] = meanings[kind];
  return { change, wrong: [kindWords[kind].twice, neverMade] };
}

/** The kind of what was sent; also for a change whose record is lost, if the witness knows it. */
export function kindOf({ sent: { lost, proof } }: AttemptRecord): ChangeKind {
  return lost === undefined || lost === 'unknown' ? proof.kind : lost;
}

/** `made`, `not created`, … */
export function madeWords(record: AttemptRecord, applied: boolean): string {
  return `${applied ? '' : 'not '}${kindWords[kindOf(record)].was}`;
}

const shortest = 10;
const tooShort = 'too short';
const howYouKnow = 'how you know';

/**
 * What is wrong with a note that must let somebody else understand the decision; undefined when nothing is. `what`: what it
 * should say.
 */
export function noteProblem(note: string, what = howYouKnow): string | undefined {
  const onlyId = idProblem(note, what);
  if (onlyId !== undefined) return onlyId;
  const words = note.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.join('');
  if (letters.length < shortest) return `${tooShort}: ${shortest} letters or more, saying ${what}`;
  const same = new Set(words).size === 1 && words.length > 1;
  return same || /^(.+?)\1+$/su.test(letters) ? `the same again and again: say ${what}` : undefined;
}

// Ids of orders, charges, refunds and changes, as the service and the journal write them.
const idPattern = /^(?:[a-z]{1,4}_[A-Za-z0-9_]+|[0-9a-f]{24})$/;

/** What is wrong with a note that is nothing but ids: somebody typed the answer to another question. */
export function idProblem(note: string, what = howYouKnow): string | undefined {
  const words = note.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length === 0 || !words.every((word) => idPattern.test(word))) return undefined;
  return `${words.length === 1 ? 'this is only an id' : 'these are only ids'}: say ${what}`;
}

/** The error for a `--note` with this problem. */
export function wrongNote(note: string, problem: string): CliError {
  return unrecordable(problem.startsWith(tooShort) ? `--note is ${problem}` : `--note ${note}: ${problem}`);
}

/** Exit 2: something is missing or wrong on the command line, and the journal is as it was. */
export function unrecordable(message: string, now: readonly string[] = []): CliError {
  return new CliError('usage', message, { certain: 'nothing was recorded', now });
}
