/** Writes the rows of a plan that certainly moved no money into a file for the next plan. */

import { figuresIn } from '../../amounts.ts';
import { newestEqual } from '../../api/charges.ts';
import type { JsonObject } from '../../api/json-values.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import type { AttemptRecord, ExpectedRefund } from '../../journal/journal.ts';
import { errorsCsv, inputColumns, type Plan, type PlanRow } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { driftOf, foreignRefunds } from '../money-changed.ts';
import { againWords } from './bulk-files.ts';
import { ordersOf } from './found-orders.ts';
import { madeByRows } from './own-rows.ts';
import { checkAccount } from './plan-checks.ts';
import { readOrders } from './read-orders.ts';
import { type Looked, reportPlan } from './report-plan.ts';
import { movedNothing, type RowReport } from './row-verdicts.ts';

/**
 * Writes the file `rest`, and returns what became of all rows. Nobody can send the plan meanwhile: a row that is paid a second later
 * must not be in the file. Throws CliError 'refused' while somebody applies the plan.
 */
export async function writeRest(
  ctx: Context,
  plan: Plan,
  { path, rest, force }: { readonly path: string; readonly rest: string; readonly force: boolean },
  looked: Looked,
): Promise<readonly RowReport[]> {
  const taken = await ctx.journal.claimPlan(plan);
  try {
    const reports = await reportPlan(ctx, plan, looked);
    await writeRows(ctx, plan, await restRows(ctx, plan, path, reports), rest, force);
    return reports;
  } finally {
    await taken.release();
  }
}

async function writeRows(
  ctx: Context,
  plan: Plan,
  { rest, paid }: RestRows,
  path: string,
  force: boolean,
): Promise<void> {
  const file = {
    delimiter: ctx.options.csv.delimiter,
    hasBom: false,
    lineEnd: '\n' as const,
    columns: [...inputColumns.filter((title) => title !== 'reference'), ...plan.columns],
    // Parts of one row have the same line, so the rows are counted anew.
    lines: rest.map(({ row }, index) => ({ line: index + 2, cells: cellsOf(row) })),
  };
  const problems = rest.map(({ why, row }, index) => ({
    line: index + 2,
    column: undefined,
    words: `line ${row.line} of ${plan.file}: ${why ?? 'not sent'}`,
    repeats: row.repeats,
  }));
  await ctx.plans.write(path, errorsCsv(file, problems), force);
  ctx.notes.note(`${counted(rest.length, 'row')} that moved no money: ${path}`);
  if (rest.some(({ row }) => row.repeats !== undefined)) ctx.notes.note(againWords);
  if (paid.length === 0) return;
  ctx.notes.warn(
    `somebody else refunded the charge of ${counted(paid.length, 'row')}: plan asks before it sends them`,
  );
  for (const { row, why } of paid) ctx.notes.warn(`line ${row.line}, ${row.orderId}: ${why}`);
}

// A part of an amount that was spread over charges names its charge.
function cellsOf(row: PlanRow): readonly string[] {
  const { orderId, charge, chargeId, partOf, amount, reason = '', ref, note = '', more } = row;
  const of = partOf === undefined ? charge : (chargeId ?? charge);
  return [orderId, of, String(amount), reason, ref, note, row.named.join(' '), ...more];
}

/** The rows that moved no money, each with the reason why it was not sent, as far as that is known. */
interface RestRows {
  readonly rest: readonly RowReport[];
  /** Those whose charges have a refund that this plan did not make: whoever sent them without looking might pay twice. */
  readonly paid: readonly RowReport[];
}

/**
 * Reads the orders of the rows again, since the journal of this machine knows nothing about refunds by others. Throws CliError as
 * reads do.
 */
export async function restRows(
  ctx: Context,
  plan: Plan,
  path: string,
  reports: readonly RowReport[],
): Promise<RestRows> {
  const rows = reports.filter(movedNothing);
  if (rows.length === 0) return { rest: [], paid: [] };
  await ctx.useProfileOf(plan);
  const service = await ctx.service({ purpose: 'read' });
  checkAccount(plan, service.profile, path);
  const orders = await readOrders(ctx, service, ordersOf(rows.map(({ row }) => row)));
  const keys = new Set(plan.rows.map(({ key }) => key));
  const rest: RowReport[] = [];
  const paid = new Set<RowReport>();
  for (const [orderId, some] of Map.groupBy(rows, ({ row }) => row.orderId)) {
    const order = orders.take(orderId)?.order;
    const attempts = await ctx.journal.attemptsOf(service, orderId);
    const own = madeByRows(attempts, { planId: plan.id, keys });
    for (const report of some) {
      const now = asReadNow(report, order, own, service.profile);
      rest.push(now.report);
      if (now.isPaid) paid.add(now.report);
    }
  }
  const inOrder = rest.toSorted((one, other) => one.row.number - other.row.number);
  return { rest: inOrder, paid: inOrder.filter((report) => paid.has(report)) };
}

function asReadNow(
  report: RowReport,
  order: JsonObject | undefined,
  own: readonly AttemptRecord[],
  profile: Profile,
): { readonly report: RowReport; readonly isPaid: boolean } {
  const { row } = report;
  const { before, expected, currency } = row;
  if (order === undefined || before === undefined) return { report, isPaid: false };
  const made = paidElsewhere(expected, foreignRefunds(before, order, own));
  if (made === undefined) {
    const drift = driftOf(before, order, own, profile);
    const changed = drift && `the order has changed since the plan was made: ${drift}`;
    return { report: { ...report, why: report.why ?? changed }, isPaid: false };
  }
  const sum = figuresIn(currency, profile.settings)(made.amount);
  const { length } = made.ids;
  const what = length === 1 ? `a refund of ${sum}` : `${counted(length, 'refund')}, together ${sum},`;
  const why = `charge ${made.chargeId} has ${what} that this plan did not make: ${made.ids.join(' ')}`;
  return { report: { ...report, why, row: { ...row, repeats: made.newest } }, isPaid: true };
}

// What others refunded on a charge of the row, if that is as much as the row wants there, or more. A smaller refund may be about
// something else: the row stays, with the reason why it was not sent.
function paidElsewhere(expected: readonly ExpectedRefund[], foreign: ReturnType<typeof foreignRefunds>) {
  for (const { chargeId, amount } of expected) {
    const made = foreign.filter((one) => one.chargeId === chargeId);
    const sum = made.reduce((all, one) => all - one.amount, 0);
    const newest = newestEqual(made, amount) ?? made.at(-1);
    if (newest !== undefined && sum >= -amount)
      return { chargeId, amount: sum, ids: made.map(({ id }) => id), newest: newest.id };
  }
  return undefined;
}
