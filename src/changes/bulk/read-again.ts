/** Reads the orders of a plan's rows again whose outcome may still change, before anything is sent or said. */

import { moneyOf } from '../../api/charges.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import {
  type AttemptRecord,
  attemptName,
  isMadeByHand,
  isUnconfirmed,
  isWatched,
  mayStillLeave,
} from '../../journal/journal.ts';
import type { Plan } from '../../plans/plans.ts';
import { attemptsOfPlan, type Looked } from './report-plan.ts';

// How many orders of refunds that were made are read again in one run, and how many orders at a time.
const watchedMax = 100;
const atATime = 4;

/**
 * Reads the orders of the rows again whose outcome may still change: of all unconfirmed rows, and of up to 100 rows that were made
 * not long ago, since the service may make a refund twice, or that somebody recorded as made. A row whose order cannot be read stays
 * as it is.
 */
export async function readAgain(ctx: Context, plan: Plan): Promise<Looked> {
  const looked = {
    unread: new Map<string, string>(),
    doubted: new Map<string, string>(),
    read: new Map<string, AttemptRecord>(),
  };
  const now = await ctx.journal.now();
  const open: AttemptRecord[] = [];
  const watched: AttemptRecord[] = [];
  for await (const { rows, attempts } of attemptsOfPlan(ctx, plan)) {
    const keys = new Set(rows.map(({ key }) => key));
    for (const record of attempts.filter(({ sent }) => keys.has(sent.idempotencyKey ?? ''))) {
      if (mayStillLeave(record, now)) continue;
      if (isUnconfirmed(record)) open.push(record);
      else if (watched.length < watchedMax && (isWatched(record) || isMadeByHand(record)))
        watched.push(record);
    }
  }
  const records = [...open, ...watched];
  if (records.length === 0) return looked;
  let read = 0;
  const end = ctx.notes.progress(() => `reading refunds again: ${read} of ${records.length}`);
  const next = records.values();
  const readNext = async () => {
    for (const record of next) {
      ctx.signal.throwIfAborted();
      const found = await lookAgain(ctx, record);
      if (typeof found === 'string') looked.unread.set(record.sent.idempotencyKey ?? '', found);
      else {
        looked.read.set(attemptName(record), found.record);
        if (found.doubt !== undefined) looked.doubted.set(attemptName(record), found.doubt);
      }
      read += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: atATime }, readNext));
  } finally {
    end();
  }
  return looked;
}

interface Found {
  readonly record: AttemptRecord;
  /** Figures of its order that contradict each other, unless somebody has dealt with that. */
  readonly doubt: string | undefined;
}

// If the order cannot be read now, why.
async function lookAgain(ctx: Context, record: AttemptRecord): Promise<Found | string> {
  try {
    const { record: after, evidence, read } = await ctx.journal.reconcile(record);
    if (evidence?.shows === 'unreadable') return evidence.problem;
    const isDealtWith = after.verdicts.at(-1)?.acknowledged === 'disagreement';
    return { record: after, doubt: isDealtWith ? undefined : moneyOf(read?.value)?.doubt };
  } catch (error) {
    if (!(error instanceof CliError) || ctx.signal.aborted) throw error;
    return error.message;
  }
}
