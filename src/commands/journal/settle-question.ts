/**
 * Asks the question of `journal settle`: shows what is going to be recorded and what follows from it, and asks for the id and the
 * note.
 */

import { untilWords } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import {
  type AttemptRecord,
  changeOf,
  type Evidence,
  horizonOf,
  sentAgain,
  sentBy,
  statementOn,
} from '../../journal/journal.ts';
import { amountStyleOf } from './attempt-record.ts';
import { idProblem, madeWords, meaningOf, noteProblem } from './settle-words.ts';

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
  return `${changeOf(record, amountStyleOf(ctx, record))}, sent ${minutes < 1 ? 'just now' : `${minutes} min ago`} by ${sentBy(sent)}; ${shown}`;
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
    const sent = `${changeOf(again, amountStyleOf(ctx, again))} was sent again at ${ctx.shortTime(time)} by ${sentBy(again.sent)}, as ${change}`;
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
  if (!Number.isSafeInteger(until)) return 'It may still appear later.';
  if (until <= ctx.clock.now()) return 'It can no longer appear by itself.';
  return `It may still appear until ${untilWords(ctx, until)}.`;
}

/** What is wrong with a note; undefined if nothing is. `isStrict`: it must say how the person knows. */
export function problemOf(note: string, isStrict: boolean): string | undefined {
  return isStrict ? noteProblem(note) : idProblem(note);
}
