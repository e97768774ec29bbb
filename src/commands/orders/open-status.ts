/**
 * The STATUS column of tables of orders. In place of the service's word it says `unconfirmed` where a change of the order is
 * unconfirmed, and `paid back twice` where a refund was, until somebody has dealt with it.
 */

import type { Service } from '../../api/api.ts';
import { type Column, orderColumns } from '../../api/resources.ts';
import { type OpenCases, openCasesOf, paidTwiceStatus } from '../../changes/changes.ts';
import type { Context } from '../command.ts';

/** The words in place of the status of an order; undefined if it has no open case. */
export function openStatus({ unconfirmed, paidTwice }: OpenCases, id: string): string | undefined {
  if (unconfirmed.has(id)) return 'unconfirmed';
  return paidTwice.has(id) ? paidTwiceStatus : undefined;
}

/**
 * The status column of a table, if the account has open cases; else no column. Other formats keep the service's word, because
 * scripts read them.
 */
export async function statusColumn(ctx: Context, service: Service): Promise<readonly Column[]> {
  if (ctx.out.format !== 'table') return [];
  const open = await openCasesOf(ctx, service);
  if (open.unconfirmed.size + open.paidTwice.size === 0) return [];
  return orderColumns
    .filter(({ name }) => name === 'payment_status')
    .map((column) => ({
      ...column,
      // These words must be read whole, so the buyer gives way to them on a narrow terminal.
      stays: true,
      value: (order, ...more) => openStatus(open, String(order.id)) ?? column.value(order, ...more),
    }));
}
