/** Looks up the unconfirmed rows of a plan before anything is sent: what became of them decides what is left to do. */

import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import type { AttemptRecord } from '../../journal/journal.ts';

import type { Plan } from '../../plans/plans.ts';
import { attemptsOfPlan } from './report-plan.ts';
import type { RowReport } from './row-verdicts.ts';

/** The rows that could not be looked up, by their keys, and why. */
export type Unread = ReadonlyMap<string, string>;

/** Reads the orders of the unconfirmed rows again. A row whose order cannot be read stays as it is. */
export async function readUnconfirmed(ctx: Context, plan: Plan): Promise<Unread> {
  const unread = new Map<string, string>();
  if (ctx.options.dryRun) return unread;
  const now = await ctx.journal.now();
  const open: AttemptRecord[] = [];
  for await (const { rows, attempts } of attemptsOfPlan(ctx, plan)) {
    const keys = new Set(rows.map(({ key }) => key));
    const ofRows = attempts.filter(({ sent }) => keys.has(sent.given ?? ''));
    const isUnclear = (record: AttemptRecord) =>
      (ctx.journal.isOpen(record, now) || isUnchecked(record)) && !ctx.journal.mayStillLeave(record, now);
    open.push(...ofRows.filter(isUnclear));
  }
  if (open.length === 0) return unread;
  let read = 0;
  const end = ctx.notes.progress(() => `reading unconfirmed refunds again: ${read} of ${open.length}`);
  try {
    for (const record of open) {
      ctx.signal.throwIfAborted();
      const problem = await lookAgain(ctx, record);
      if (problem !== undefined) unread.set(record.sent.given ?? '', problem);
      read += 1;
    }
  } finally {
    end();
  }
  return unread;
}

// Its time is over, so it blocks nothing any more. But no read has shown yet what became of it.
function isUnchecked({ verdicts }: AttemptRecord): boolean {
  const last = verdicts.at(-1);
  return last?.verdict === 'not_seen' || (last?.verdict === 'rejected' && last.confirmed === false);
}

// Returns why the order cannot be read now, if so.
async function lookAgain(ctx: Context, record: AttemptRecord): Promise<string | undefined> {
  try {
    const { evidence } = await ctx.journal.reconcile(record);
    return evidence?.shows === 'unreadable' ? evidence.problem : undefined;
  } catch (error) {
    if (!(error instanceof CliError) || ctx.signal.aborted) throw error;
    return error.message;
  }
}

/**
 * The same reports; an unconfirmed row that could not be looked up says so. What the journal says of it is older, and would read as
 * if this run had looked.
 */
export function withUnread(reports: readonly RowReport[], unread: Unread): readonly RowReport[] {
  if (unread.size === 0) return reports;
  return reports.map((report) => {
    const problem = report.verdict === 'unconfirmed' ? unread.get(report.row.key) : undefined;
    return problem === undefined
      ? report
      : { ...report, why: `could not be looked up: ${problem}`, isUnread: true };
  });
}
