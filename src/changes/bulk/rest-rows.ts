/** The rows of a plan that certainly moved no money, without those whose charge somebody else has refunded since. */

import { figuresIn } from '../../amounts.ts';
import type { Context } from '../../commands/command.ts';
import type { ExpectedRefund } from '../../journal/journal.ts';
import type { Plan } from '../../plans/plans.ts';
import { driftOf, foreignRefunds } from './drift.ts';
import { checkAccount } from './plan-checks.ts';
import { ordersOf, readOrders } from './read-orders.ts';
import { madeByPlan } from './row-intent.ts';
import { movedNothing, type RowReport } from './row-verdicts.ts';

/** The rows that are left. */
export interface RestRows {
  /** They moved no money, each with the reason why it was not sent, as far as that is known. */
  readonly rest: readonly RowReport[];
  /** Their charges have a refund that this plan did not make, with words about it: whoever planned them again would pay twice. */
  readonly paid: readonly { readonly line: number; readonly orderId: string; readonly why: string }[];
}

/**
 * Reads the orders of the rows again, since the journal of this machine knows nothing of the refunds of others. Throws CliError as
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
  const paid: RestRows['paid'][number][] = [];
  for (const [orderId, some] of Map.groupBy(rows, ({ row }) => row.orderId)) {
    const order = orders.take(orderId)?.order;
    const attempts = await ctx.journal.attemptsOf(service, orderId);
    const own = attempts.filter((record) => madeByPlan(record, plan, keys));
    for (const report of some) {
      const { before, expected, line, currency } = report.row;
      if (order === undefined || before === undefined) {
        rest.push(report);
        continue;
      }
      const made = paidElsewhere(expected, foreignRefunds(before, order, own));
      if (made === undefined) {
        const drift = driftOf(before, order, own, service.profile);
        const changed = drift && `the order changed since the plan was made: ${drift}`;
        rest.push({ ...report, why: report.why ?? changed });
        continue;
      }
      const sum = figuresIn(currency, service.profile.settings)(made.amount);
      const why = `charge ${made.chargeId} has a refund of ${sum} that this plan did not make: ${made.ids}`;
      paid.push({ line, orderId, why });
    }
  }
  const inOrder = rest.toSorted((one, other) => one.row.number - other.row.number);
  return { rest: inOrder, paid: paid.toSorted((one, other) => one.line - other.line) };
}

// What others refunded on a charge of the row, if that is as much as the row wants there, or more. A smaller refund may be about
// something else: the row stays, with the reason why it was not sent.
function paidElsewhere(
  expected: readonly ExpectedRefund[],
  foreign: ReturnType<typeof foreignRefunds>,
): { readonly chargeId: string; readonly amount: number; readonly ids: string } | undefined {
  for (const { chargeId, amount } of expected) {
    const made = foreign.filter((one) => one.chargeId === chargeId);
    const sum = made.reduce((all, one) => all - one.amount, 0);
    if (made.length > 0 && sum >= -amount)
      return { chargeId, amount: sum, ids: made.map(({ id }) => id).join(' ') };
  }
  return undefined;
}
