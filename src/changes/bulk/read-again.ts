/** Reads the orders of a plan's rows again whose outcome may still change, before anything is sent or said. */

import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import {
  type AttemptRecord,
  attemptName,
  isMadeByHand,
  isUnconfirmed,
  isWatched,
} from '../../journal/journal.ts';
import type { Plan } from '../../plans/plans.ts';
import { attemptsOfPlan } from './report-plan.ts';
import type { RowReport } from './row-verdicts.ts';

/** What this run has read again, before anything was sent. */
export interface Looked {
  /** The rows that could not be looked up, by their keys, and why. */
  readonly unread: ReadonlyMap<string, string>;
  /** The attempts as these reads show them, by their names: a dry run writes nothing into the journal. */
  readonly read: ReadonlyMap<string, AttemptRecord>;
}

/** Of a run that read nothing. */
export const nothingRead: Looked = { unread: new Map(), read: new Map() };

// How many orders of refunds that were made are read again in one run, and how many orders at a time.
const watchedMax = 100;
const atATime = 4;

/**
 * Reads the orders of the rows again whose outcome may still change: of all unconfirmed rows, and of up to 100 rows that were made
 * not long ago, since the service may make a refund twice, or that somebody recorded as made. A row whose order cannot be read stays
 * as it is.
 */
export async function readAgain(ctx: Context, plan: Plan): Promise<Looked> {
  const looked = { unread: new Map<string, string>(), read: new Map<string, AttemptRecord>() };
  const now = await ctx.journal.now();
  const open: AttemptRecord[] = [];
  const watched: AttemptRecord[] = [];
  for await (const { rows, attempts } of attemptsOfPlan(ctx, plan)) {
    const keys = new Set(rows.map(({ key }) => key));
    for (const record of attempts.filter(({ sent }) => keys.has(sent.idempotencyKey ?? ''))) {
      if (ctx.journal.mayStillLeave(record, now)) continue;
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
      else looked.read.set(attemptName(found), found);
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

// If the order cannot be read now, why.
async function lookAgain(ctx: Context, record: AttemptRecord): Promise<AttemptRecord | string> {
  try {
    const { record: after, evidence } = await ctx.journal.reconcile(record);
    return evidence?.shows === 'unreadable' ? evidence.problem : after;
  } catch (error) {
    if (!(error instanceof CliError) || ctx.signal.aborted) throw error;
    return error.message;
  }
}

/**
 * The same reports; an unconfirmed row that could not be looked up says so. What the journal says of it is older, and would read as
 * if this run had looked.
 */
export function withUnread(reports: readonly RowReport[], { unread }: Looked): readonly RowReport[] {
  if (unread.size === 0) return reports;
  return reports.map((report) => {
    const problem = report.verdict === 'unconfirmed' ? unread.get(report.row.key) : undefined;
    return problem === undefined
      ? report
      : { ...report, why: `could not be looked up: ${problem}`, isUnread: true };
  });
}
