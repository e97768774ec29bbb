/** The column `left` of orders and of their rows: how much of the order can still be refunded. */

import { isObject, type JsonObject } from '../../api/json-values.ts';
import type { Column } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { type KnownOrder, leftOf } from '../../orders/orders.ts';

/** Whether somebody named the column. Otherwise nobody asks the journal about orders without refunds. */
export function isLeftNamed({ options: { columns, usualColumns } }: Pick<Context, 'options'>): boolean {
  return (columns ?? usualColumns)?.some((name) => /^(?:order\.)?left$/i.test(name.trim())) === true;
}

/** `name`: `order.left` in a row that has its order. No sum has it, since an order may have several rows. */
export function leftColumn(
  name: 'left' | 'order.left',
  knownOf: (orderId: unknown) => KnownOrder | undefined,
): Column {
  const leftIn = ({ order, id }: JsonObject): unknown => {
    const known = knownOf(isObject(order) ? order.id : id);
    return known && leftOf(known);
  };
  return { name, title: 'LEFT', kind: 'figure', derived: true, value: leftIn };
}
