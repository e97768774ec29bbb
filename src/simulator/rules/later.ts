/** What becomes of a refund some seconds after its reply, for training and tests: it is made, or it fails. */

import { statuses } from '../../api/spec.ts';
import {
  chargesOf,
  type LaterStatus,
  nestedList,
  refundedOf,
  type StoredCharge,
  type StoredOrder,
} from '../stored-records.ts';
import { withSums } from './refund-and-capture.ts';

// Assumed: all of this. The document shows no status of a refund, and no refund that fails. It shows that a paid order can be
// refunded, and that `amount_refunded` is what went back (service: order), so the money of a failed refund can be refunded again.

/** What a fault makes of a refund: it is made and fails later, or it is pending and made later. */
export const laterFaults = ['fails-later', 'pending'] as const;
export type LaterFault = (typeof laterFaults)[number];

/** So many seconds after its reply. */
const laterAfter = 3;

/** What is written down when a refund is taken up. */
export interface Later {
  /** Unix seconds. */
  readonly at: number;
  readonly refundId: string;
  readonly status: LaterStatus;
}

/** What becomes later of the refunds that are new on this order. `now` is in Unix seconds. */
export function laterOf(
  fault: LaterFault,
  before: StoredOrder,
  after: StoredOrder,
  now: number,
): readonly Later[] {
  const known = new Set(refundsOf(before));
  const status = fault === 'pending' ? 'succeeded' : 'failed';
  return refundsOf(after)
    .filter((id) => !known.has(id))
    .map((refundId) => ({ at: now + laterAfter, refundId, status }));
}

function refundsOf(order: StoredOrder): readonly string[] {
  return chargesOf(order).flatMap(({ refunds }) => (refunds?.data ?? []).map(({ id }) => id));
}

/** The order after that. A failed refund goes out of all sums, and its money can be refunded again. */
export function settleLater(order: StoredOrder, { refundId, status }: Later, now: number): StoredOrder {
  const charges = chargesOf(order).map((charge) => settleIn(charge, refundId, status));
  return withSums(order, charges, now);
}

function settleIn(charge: StoredCharge, refundId: string, status: LaterStatus): StoredCharge {
  const { refunds } = charge;
  if (refunds === null || refunds.data.every(({ id }) => id !== refundId)) return charge;
  const data = refunds.data.map((refund) => (refund.id === refundId ? { ...refund, status } : refund));
  const settled = { ...charge, refunds: nestedList(data) };
  if (status !== 'failed') return settled;
  const isPart = refundedOf(settled) > 0;
  return { ...settled, status: isPart ? statuses.partiallyRefunded : statuses.paid, is_refundable: true };
}
