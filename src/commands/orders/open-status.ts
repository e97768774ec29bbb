/**
 * The STATUS column of tables of orders. In place of the service's word it says `unconfirmed` where a change of the order is
 * unconfirmed, `paid back twice` where a refund was, until somebody has dealt with it, and `recorded as made` where the order
 * does not show a refund that somebody recorded by hand.
 */

import type { Service } from '../../api/api.ts';
import { type Column, orderColumns } from '../../api/resources.ts';
import type { JsonObject } from '../../api/spec.ts';
import { type OpenCases, openCasesOf, paidTwiceStatus, unshownStatus } from '../../changes/changes.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import type { Context } from '../command.ts';

/** The words in place of the status of an order that cannot be changed now; undefined if nothing is open. */
export function openStatus(
  { unconfirmed, paidTwice }: Pick<OpenCases, 'unconfirmed' | 'paidTwice'>,
  id: string,
): string | undefined {
  if (unconfirmed.has(id)) return 'unconfirmed';
  return paidTwice.has(id) ? paidTwiceStatus : undefined;
}

/** The refund of an order that somebody recorded as made by hand and that the order does not show; the oldest. */
export function unshownRefund(
  { journal }: Pick<Context, 'journal'>,
  { madeByHand }: Pick<OpenCases, 'madeByHand'>,
  order: JsonObject,
): AttemptRecord | undefined {
  const known = madeByHand.get(String(order.id));
  return known && journal.unshownRefunds(known, order)[0];
}

/**
 * The status column of a table, if the account has open cases; else no column. Other formats keep the service's word, because
 * scripts read them.
 */
export async function statusColumn(ctx: Context, service: Service): Promise<readonly Column[]> {
  if (ctx.out.format !== 'table') return [];
  const open = await openCasesOf(ctx, service);
  if (open.unconfirmed.size + open.paidTwice.size + open.madeByHand.size === 0) return [];
  const own = (order: JsonObject): string | undefined =>
    openStatus(open, String(order.id)) ??
    (unshownRefund(ctx, open, order) === undefined ? undefined : unshownStatus);
  return orderColumns
    .filter(({ name }) => name === 'payment_status')
    .map((column) => ({
      ...column,
      // These words must be read whole, so the name of the buyer is cut before them.
      stays: true,
      value: (order, ...more) => own(order) ?? column.value(order, ...more),
      brief: { value: (order) => briefStatus(own(order)) ?? column.value(order, []) },
    }));
}

function briefStatus(status: string | undefined): string | undefined {
  if (status === paidTwiceStatus) return 'paid back 2x';
  return status === unshownStatus ? 'made by hand' : status;
}
