/**
 * The STATUS column of tables of orders. In place of the service's word it says what a person must know first: `unconfirmed`,
 * `made twice`, and so on.
 */

import type { Service, WireRecord } from '../../api/api.ts';
import { type Column, orderColumns } from '../../api/resources.ts';
import { warnOfUnrecorded } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { recordShown, shownOrders, unconfirmedOf } from '../../orders/orders.ts';

/** The column, and what finds out about the orders that it is going to show. */
interface StatusColumn {
  readonly columns: readonly Column[];
  /** Asks the journal about the orders of a page, before the page is shown. */
  readonly lookUp: (records: readonly WireRecord[]) => Promise<void>;
}

/** Formats other than a table keep the service's word, because scripts read them: then there is no such column. */
export async function statusColumn(ctx: Context, service: Service): Promise<StatusColumn> {
  const valuesOf = (records: readonly WireRecord[]) => records.map(({ value }) => value);
  if (ctx.out.format !== 'table')
    return { columns: [], lookUp: (records) => recordShown(ctx, service, valuesOf(records)) };
  const isKnown = (await unconfirmedOf(ctx, service).catch(() => [])).length > 0;
  let words = new Map<unknown, string>();
  return {
    columns: orderColumns
      .filter(({ name }) => name === 'payment_status')
      .map((column) => ({
        ...column,
        // Every page keeps room for the usual word, so that all pages have the same columns.
        ...(isKnown ? { least: 'unconfirmed'.length } : {}),
        warns: ({ id }) => words.has(id),
        value: (order, ...more) => words.get(order.id) ?? column.value(order, ...more),
      })),
    async lookUp(records) {
      words = new Map();
      for (const known of await shownOrders(ctx, service, valuesOf(records))) {
        if (known.first !== undefined) words.set(known.order.id, known.first);
        warnOfUnrecorded(ctx, known);
      }
    },
  };
}
