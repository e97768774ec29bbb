/** The rows of a plan on their order: which attempts are theirs, which refunds they made, and the order as it will be after them. Pure. */

import { isObject, type JsonObject } from '../../api/json-values.ts';
import { statuses } from '../../api/spec.ts';
import { type AttemptRecord, type ExpectedRefund, isMadeRefund, madeRefunds } from '../../journal/journal.ts';

/** The rows of a plan. */
export interface OwnRows {
  /** The id of the plan. A refreshed plan keeps it. */
  readonly planId: string;
  /** The keys of its rows, or of all rows of one order. Each of them has a `ref` of its own, so all are meant. */
  readonly keys: ReadonlySet<string>;
}

/** Whether an attempt was sent for one of these rows, or for a part of one. */
export function isOfRows({ sent }: AttemptRecord, { keys, planId }: OwnRows): boolean {
  const { idempotencyKey = '', asked } = sent;
  const whole = asked?.part_of;
  return sent.plan === planId || keys.has(idempotencyKey) || (typeof whole === 'string' && keys.has(whole));
}

/** Those of these attempts that made a refund of the rows. */
export function madeByRows(attempts: readonly AttemptRecord[], rows: OwnRows): readonly AttemptRecord[] {
  return attempts.filter((record) => isMadeRefund(record) && isOfRows(record, rows));
}

/** The ids of the refunds that these attempts made. */
export function idsMadeBy(attempts: readonly AttemptRecord[]): readonly string[] {
  return attempts.flatMap(madeRefunds).flatMap(({ id }) => id ?? []);
}

/** The order with refunds of this plan added: its next row is planned against it. `isPlanned` tells them from refunds that were made. */
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
