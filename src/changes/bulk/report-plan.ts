/** Asks the journal what became of the rows of a plan. */

import type { Context } from '../../commands/command.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import type { Plan, PlanRow } from '../../plans/plans.ts';
import { type NotSent, type RowReport, reportRows } from './row-verdicts.ts';

/** What became of every row of a plan. `notSent`: what this run knows of rows that it did not send. */
export async function reportPlan(ctx: Context, plan: Plan, notSent?: NotSent): Promise<readonly RowReport[]> {
  const reports: RowReport[] = [];
  for await (const { rows, attempts } of attemptsOfPlan(ctx, plan))
    reports.push(...reportRows({ ...plan, rows }, attempts, notSent));
  return reports;
}

// So many rows at once: all attempts of a long plan would need much memory.
const rowsAtOnce = 500;

/** The rows of a plan part by part, with every attempt at their orders. */
export async function* attemptsOfPlan(
  ctx: Context,
  plan: Plan,
): AsyncGenerator<{ readonly rows: readonly PlanRow[]; readonly attempts: readonly AttemptRecord[] }> {
  for (let from = 0; from < plan.rows.length; from += rowsAtOnce) {
    const rows = plan.rows.slice(from, from + rowsAtOnce);
    const orderIds = new Set(rows.map(({ orderId }) => orderId));
    yield { rows, attempts: await ctx.journal.attempts({ orderIds }) };
  }
}
