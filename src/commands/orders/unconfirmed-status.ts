/** The STATUS column of tables of orders, which may say `unconfirmed` in place of the service's word. */

import type { Service } from '../../api/api.ts';
import { type Column, orderColumns } from '../../api/resources.ts';
import { unconfirmedOf } from '../../changes/changes.ts';
import type { Context } from '../command.ts';

/** The word in place of a status. */
export const unconfirmedStatus = 'unconfirmed';

/**
 * The status column of a table, if the account has unconfirmed changes; else no column. Other formats keep the service's
 * word, because scripts read them.
 */
export async function statusColumn(ctx: Context, service: Service): Promise<readonly Column[]> {
  if (ctx.out.format !== 'table') return [];
  const unconfirmed = await unconfirmedOf(ctx, service);
  if (unconfirmed.size === 0) return [];
  return orderColumns
    .filter(({ name }) => name === 'payment_status')
    .map((column) => ({
      ...column,
      value: (order, ...more) =>
        unconfirmed.has(String(order.id)) ? unconfirmedStatus : column.value(order, ...more),
    }));
}
