/** What a capture does to an order (service: Endpoints 3, States and transitions), as a pure function. */

import { statuses } from '../../api/spec.ts';
import { feePerThousand } from '../assumptions.ts';
import type { Ruled } from '../failures.ts';
import { notAuthorized } from '../failures.ts';
import type { StoredCharge, StoredOrder } from '../records.ts';
import { chargesOf, nestedList } from '../records.ts';

/** The order with its authorized charges paid, or why there is none. `now` in Unix seconds. */
export function captureOrder(order: StoredOrder, now: number): Ruled<StoredOrder> {
  // Assumed: only a pre-authorized order can be captured.
  if (order.payment_status !== statuses.preAuthorized)
    return { failure: notAuthorized(order.payment_status) };
  return {
    value: {
      ...order,
      payment_status: statuses.paid,
      amount_refunded: 0,
      is_refundable: true,
      updated_at: now,
      charges: nestedList(chargesOf(order).map((charge) => captureCharge(charge, now))),
    },
  };
}

function captureCharge(charge: StoredCharge, now: number): StoredCharge {
  if (charge.status !== statuses.preAuthorized) return charge;
  return { ...charge, status: statuses.paid, is_refundable: true, paid_at: now, fee: feeOf(charge.amount) };
}

/** The fee of a paid charge. */
export function feeOf(amount: number): number {
  return Math.floor(amount / 1000) * feePerThousand;
}
