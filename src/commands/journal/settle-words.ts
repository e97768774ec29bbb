/**
 * The words of `journal settle` and `acknowledge`: the question of settle with what a statement means, whether a note says something,
 * and what is missing on the command line.
 */

import { kindWords, untilWords } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import {
  type AttemptRecord,
  type ChangeKind,
  changeOf,
  type Evidence,
  horizonOf,
  sentAgain,
  statementOn,
  whoSent,
} from '../../journal/journal.ts';
import { amountStyleOf } from './attempt-record.ts';
import { kindOf } from './attempt-words.ts';

/** What a person states, as it was typed. */
export interface Asked {
  readonly applied: boolean;
  readonly corrects: boolean;
  readonly note: string | undefined;
  readonly confirm: string | undefined;
}

interface Statement extends Asked {
  readonly record: AttemptRecord;
  readonly evidence: Evidence;
  readonly isStrict: boolean;
}

// Says what is going to be recorded and what follows from it, then asks for the id of the order, and then for the note.
export async function confirmStatement(ctx: Context, statement: Statement): Promise<string> {
  const { record, isStrict, note } = statement;
  const { change, proof } = record.sent;
  const id = proof.orderId ?? change;
  const isHidden = isStrict && proof.orderId !== undefined;
  const isMade = statement.corrects && statement.applied;
  const again = isMade ? sentAgain(record, await ctx.journal.onSameOrder(record)) : undefined;
  const lines = [
    sentLine(ctx, statement),
    ...beforeLines(ctx, statement),
    ...meaningLines(ctx, statement, again),
  ];
  ctx.notes.show([
    ...lines.map((line) => ({ line: isHidden ? line.replaceAll(id, 'the order') : line })),
    ...(isHidden ? [] : [{ line: `${proof.orderId === undefined ? 'change' : 'order id'}: ${id}` }]),
  ]);
  await confirmId(ctx, statement, { id, isHidden });
  if (note !== undefined) return note;
  const check = (text: string) => problemOf(text, isStrict);
  return await ctx.ask.text({ message: 'How do you know? In a few words:', flag: '--note TEXT', check });
}

async function confirmId(
  ctx: Context,
  { record, confirm }: Statement,
  { id, isHidden }: { readonly id: string; readonly isHidden: boolean },
): Promise<void> {
  const { proof } = record.sent;
  if (confirm !== undefined) return;
  const what = isHidden
    ? "the order id, from the service's own screen or the ticket,"
    : proof.orderId === undefined
      ? 'the change'
      : 'the order id';
  let message = `Type ${what} to record it, or press Enter to cancel:`;
  for (let tries = 1; tries <= 3; tries += 1) {
    const typed = await ctx.ask.text({ message, flag: '--confirm ORDER', optional: true });
    if (typed === id) return;
    if (typed === '') throw notWritten('nothing was typed');
    message = `${typed} is not the right id. Type it again, or press Enter to cancel:`;
  }
  throw notWritten('the id was wrong three times');
}

function notWritten(why: string): CliError {
  return new CliError('cancelled', why, { certain: 'nothing was recorded' });
}

function sentLine(ctx: Context, { record, evidence }: Statement): string {
  const { sent } = record;
  const minutes = Math.floor((ctx.clock.now() - sent.time) / 60_000);
  const shown =
    evidence.shows === 'unreadable'
      ? `still unconfirmed: ${evidence.problem}`
      : evidence.shows === 'partial'
        ? `the order shows only a part of it: ${evidence.refunds.map(({ id }) => id).join(' and ')}`
        : 'the order does not show it';
  return `${changeOf(record, amountStyleOf(ctx, record))}, sent ${minutes < 1 ? 'just now' : `${minutes} min ago`} by ${whoSent(sent)}; ${shown}`;
}

// What the statement corrects; no lines if it corrects nothing.
function beforeLines(ctx: Context, { record, corrects, applied }: Statement): readonly string[] {
  const said = statementOn(record);
  if (!corrects || said === undefined) return [];
  const note = said.note === undefined ? '' : `: ${said.note}`;
  return [
    `${said.operator ?? 'somebody'} recorded on ${ctx.days.full(said.time)} that it was ${madeWords(record, !applied)}${note}; that stays in the journal`,
  ];
}

function meaningLines(
  ctx: Context,
  { record, applied }: Statement,
  again: AttemptRecord | undefined,
): readonly string[] {
  const { change, wrong } = meaningOf(record);
  const appears = applied ? '' : `${appearWords(ctx, record)} `;
  if (again !== undefined) {
    const { change, time } = again.sent;
    const sent = `${changeOf(again, amountStyleOf(ctx, again))} was sent again at ${ctx.shortTime(time)} by ${whoSent(again.sent)}, as ${change}`;
    return [
      `You are recording that ${change} was ${madeWords(record, true)}. The same ${sent}.`,
      'If both were made, the buyer was paid twice: the alarm MADE TWICE will be raised, and the order is not refunded again until somebody acknowledges it.',
    ];
  }
  return [
    `You are recording that ${change} was ${applied ? madeWords(record, true) : `NOT ${madeWords(record, true)}`}. ${appears}If you are wrong, ${wrong[applied ? 1 : 0]}.`,
  ];
}

function appearWords(ctx: Context, record: AttemptRecord): string {
  const until = horizonOf(record);
  if (!Number.isSafeInteger(until)) return 'It may still go through later.';
  if (until <= ctx.clock.now()) return 'It can no longer appear by itself.';
  return `It may still go through until ${untilWords(ctx, until)}.`;
}

/** What is wrong with a note; undefined if nothing is. `isStrict`: it must say how the person knows. */
export function problemOf(note: string, isStrict: boolean): string | undefined {
  return isStrict ? noteProblem(note) : idProblem(note);
}

// What the sentences call a change, and what happens if "it was made" is wrong.
const meanings: Readonly<Record<ChangeKind, readonly [change: string, neverMade: string]>> = {
  refund: ['this refund', 'the buyer does not get the money'],
  capture: ['this capture', 'the money is never collected'],
  order: ['this order', 'the buyer gets no order'],
  checkout: ['this payment link', 'the buyer gets no link'],
  api: ['this request', 'it never takes effect'],
};

// `wrong`: what happens if "it was not made" is wrong, and if "it was made" is wrong.
function meaningOf(record: AttemptRecord) {
  const kind = kindOf(record);
  const [change, neverMade] = meanings[kind];
  return { change, wrong: [kindWords[kind].twice, neverMade] as const };
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
function idProblem(note: string, what = howYouKnow): string | undefined {
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
