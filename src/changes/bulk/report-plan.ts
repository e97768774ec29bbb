/** Asks the journal what became of the rows of a plan. */

import type { Context } from '../../commands/command.ts';
import { type AttemptRecord, attemptName } from '../../journal/journal.ts';
import type { Plan, PlanRow } from '../../plans/plans.ts';
import { rowsToSend } from './plan-checks.ts';
import type { Looked } from './read-again.ts';
import { isDone, isRefused, movedNothing, type NotSent, type RowReport, reportRows } from './row-verdicts.ts';
import { turn } from './turn.ts';

/**
 * What became of every row of a plan. `read`: attempts as this run has read them, which a dry run does not write down. `notSent`: what
 * this run knows of rows that it did not send.
 */
export async function reportPlan(
  ctx: Context,
  plan: Plan,
  {
    read = new Map<string, AttemptRecord>(),
    notSent,
  }: Partial<Pick<Looked, 'read'>> & { readonly notSent?: NotSent } = {},
): Promise<readonly RowReport[]> {
  const newest = (record: AttemptRecord) => {
    const seen = read.get(attemptName(record));
    return seen !== undefined && seen.verdicts.length > record.verdicts.length ? seen : record;
  };
  const reports: RowReport[] = [];
  for await (const { rows, attempts } of attemptsOfPlan(ctx, plan))
    reports.push(...reportRows({ ...plan, rows }, attempts.map(newest), notSent));
  return reports;
}

/**
 * The rows that `refunds apply` would send now. An unconfirmed row is looked up first, and it holds back the rows of its order
 * behind it. A row that the service refused stays refused in this plan, unless a person recorded that or the plan was made anew
 * since.
 */
export function sentNow(plan: Plan, reports: readonly RowReport[]): readonly PlanRow[] {
  const sendable = new Set(rowsToSend(plan.rows));
  const held = new Set<string>();
  return reports.flatMap((report) => {
    const { row, verdict, attempt } = report;
    if (!sendable.has(row) || isDone(report) || held.has(row.orderId)) return [];
    const isSent = isRefused(verdict)
      ? attempt?.isSentAnew === true
      : movedNothing(report) && verdict !== 'failed';
    if (!isSent) held.add(row.orderId);
    return isSent ? [row] : [];
  });
}

// So many rows at once: all attempts of a long plan would need much memory.
const rowsAtOnce = 100;

/** The rows of a plan part by part, with every attempt at their orders. */
export async function* attemptsOfPlan(
  ctx: Context,
  plan: Pick<Plan, 'rows'>,
): AsyncGenerator<{ readonly rows: readonly PlanRow[]; readonly attempts: readonly AttemptRecord[] }> {
  for (let from = 0; from < plan.rows.length; from += rowsAtOnce) {
    await turn();
    const rows = plan.rows.slice(from, from + rowsAtOnce);
    const orderIds = new Set(rows.map(({ orderId }) => orderId));
    yield { rows, attempts: await ctx.journal.attempts({ orderIds }) };
  }
}
