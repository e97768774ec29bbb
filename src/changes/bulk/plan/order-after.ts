/** Works out an order as it will be after rows of the same plan: the next row of that order is planned against it. Pure. */

import { isObject, type JsonObject } from '../../../api/json-values.ts';
import { statuses } from '../../../api/spec.ts';
import type { ExpectedRefund } from '../../../journal/journal.ts';

/** The order with refunds of this plan added. `isPlanned` tells them from refunds that were made. */
export function orderAfter(order: JsonObject, expected: readonly ExpectedRefund[]): JsonObject {
  const lists = order.charges;
  if (!isObject(lists) || !Array.isArray(lists.data)) return order;
  const data = lists.data.map((charge: unknown) => {
    const more = expected.filter(({ chargeId }) => isObject(charge) && charge.id === chargeId);
    return isObject(charge) && more.length > 0 ? chargeAfter(charge, more) : charge;
  });
  const sum = expected.reduce((total, { amount }) => total - amount, 0);
  const refunded = typeof order.amount_refunded === 'number' ? order.amount_refunded + sum : undefined;
  return {
    ...order,
    charges: { ...lists, data },
    payment_status: refunded === order.amount ? statuses.refunded : order.payment_status,
    ...(refunded === undefined ? {} : { amount_refunded: refunded }),
  };
}

/** Whether a refund is one that `orderAfter` added. No service has such an id. */
export function isPlanned(id: string): boolean {
  return id.startsWith(plannedPrefix);
}

const plannedPrefix = 'planned:';

function chargeAfter(charge: JsonObject, more: readonly ExpectedRefund[]): JsonObject {
  const known = isObject(charge.refunds) && Array.isArray(charge.refunds.data) ? charge.refunds.data : [];
  const added = more.map(({ amount }, index) => ({
    id: `${plannedPrefix}${known.length + index}`,
    object: 'refund',
    amount,
  }));
  const data = [...known, ...added];
  return { ...charge, refunds: { object: 'list', has_more: false, total: data.length, data } };
}
