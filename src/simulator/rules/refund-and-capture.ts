/**
 * What a refund or capture does to an order, at once or some seconds after the reply (service: Endpoints 1 and 3, States and
 * transitions). Pure.
 */

import type { RefundRequest } from '../../api/request-bodies.ts';
import { statuses } from '../../api/spec.ts';
import {
  amountAboveRest,
  chargeIdRequired,
  chargeNotRefundable,
  type Failure,
  notAuthorized,
  notFound,
  notReturnable,
  type Ruled,
} from '../failures.ts';
import type { Ids } from '../random.ts';
import {
  chargesOf,
  type LaterStatus,
  leftOf,
  nestedList,
  refundedOf,
  type StoredCharge,
  type StoredOrder,
} from '../stored-records.ts';

export interface RuleInputs {
  /** Unix seconds. */
  readonly now: number;
  readonly ids: Ids;
  /** The refund is only accepted, and made later. */
  readonly isPending?: boolean | undefined;
}

interface Share {
  readonly charge: StoredCharge;
  readonly amount: number;
}

/** The order after a refund, or the error. Never refunds more than was paid. */
export function refundOrder(
  order: StoredOrder,
  request: RefundRequest,
  inputs: RuleInputs,
): Ruled<StoredOrder> {
  const shares = sharesOf(order, request);
  return 'failure' in shares ? shares : { value: applyShares(order, shares.value, inputs) };
}

function sharesOf(
  order: StoredOrder,
  { charge_id: chargeId, amount }: RefundRequest,
): Ruled<readonly Share[]> {
  if (chargeId !== undefined) return shareOfCharge(order, chargeId, amount);
  return amount === undefined ? sharesOfAll(order) : sharesOfAmount(order, amount);
}

function shareOfCharge(order: StoredOrder, id: string, amount: number | undefined): Ruled<readonly Share[]> {
  const charge = chargesOf(order).find((candidate) => candidate.id === id);
  if (charge === undefined) return refuse(notFound('charge', id, 'charge_id'));
  const left = leftOf(charge);
  if (left === 0 || !charge.is_refundable) return refuse(chargeNotRefundable(id));
  // Assumed: without `amount`, the rest of the charge is refunded.
  const taken = amount ?? left;
  return taken > left ? refuse(amountAboveRest(left)) : { value: [{ charge, amount: taken }] };
}

// Assumed: a full refund skips charges that were declined or have nothing left.
function sharesOfAll(order: StoredOrder): Ruled<readonly Share[]> {
  const open = chargesOf(order).filter((charge) => leftOf(charge) > 0);
  if (open.length === 0 || open.some((charge) => !charge.is_refundable)) return refuse(notReturnable());
  return { value: open.map((charge) => ({ charge, amount: leftOf(charge) })) };
}

function sharesOfAmount(order: StoredOrder, amount: number): Ruled<readonly Share[]> {
  const open = chargesOf(order).filter((charge) => leftOf(charge) > 0);
  const split = order.split_payment === true || open.length > 1;
  if (split && amount < order.amount) return refuse(chargeIdRequired(order));
  const [only, ...others] = open;
  if (only === undefined) return refuse(notReturnable());
  // Assumed: if only one charge has anything left, `amount` without `charge_id` refunds that amount of it.
  if (others.length === 0) return shareOfCharge(order, only.id, amount);
  // Assumed: on a split order, `amount` without `charge_id` is a full refund if it is exactly what is left.
  const left = open.reduce((sum, charge) => sum + leftOf(charge), 0);
  return amount === left ? sharesOfAll(order) : refuse(amountAboveRest(left));
}

function refuse(failure: Failure): { readonly failure: Failure } {
  return { failure };
}

function applyShares(order: StoredOrder, shares: readonly Share[], inputs: RuleInputs): StoredOrder {
  const charges = chargesOf(order).map((charge) => {
    const share = shares.find((candidate) => candidate.charge.id === charge.id);
    return share === undefined ? charge : refundCharge(charge, share.amount, inputs);
  });
  return withSums(order, charges, inputs.now);
}

/** The order with these charges, and the resulting sums and statuses. `now`: Unix seconds. */
function withSums(order: StoredOrder, charges: readonly StoredCharge[], now: number): StoredOrder {
  const left = charges.reduce((sum, charge) => sum + leftOf(charge), 0);
  const refunded = charges.reduce((sum, charge) => sum + refundedOf(charge), 0);
  const partly = refunded === 0 ? statuses.paid : statuses.partiallyRefunded;
  return {
    ...order,
    // Assumed: a partial refund does not change `amount`. `amount_refunded` is the sum of all refunds, and the rest can still be
    // refunded.
    payment_status: left === 0 ? statuses.refunded : partly,
    amount_refunded: refunded,
    is_refundable: charges.some((charge) => charge.is_refundable && leftOf(charge) > 0),
    updated_at: now,
    charges: nestedList(charges),
  };
}

function refundCharge(
  charge: StoredCharge,
  amount: number,
  { now, ids, isPending }: RuleInputs,
): StoredCharge {
  const authCode = charge.payment_method.auth_code;
  const record = {
    id: ids.plain(),
    object: 'refund',
    // A refund record's amount is negative (service: refund).
    amount: -amount,
    created_at: now,
    auth_code: typeof authCode === 'string' ? authCode : '',
    ...(isPending === true && { status: 'pending' as const }),
  } as const;
  const whole = amount === leftOf(charge);
  return {
    ...charge,
    status: whole ? statuses.refunded : statuses.partiallyRefunded,
    is_refundable: !whole,
    refunds: nestedList([...(charge.refunds?.data ?? []), record]),
  };
}

/** The order with its authorized charges paid, or the error. `now`: Unix seconds. */
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

export function feeOf(amount: number): number {
  // Assumed: 29 for every full 1000 of the amount.
  return Math.floor(amount / 1000) * 29;
}

// Assumed: all of this. The document shows no status of a refund, and no failed one. It shows that a paid order can be refunded,
// and that `amount_refunded` is what went back (service: order), so a failed refund's money can be refunded again.

/** What a fault does to a refund: it is made and fails later, or it is pending and made later. */
export const laterFaults = ['fails-later', 'pending'] as const;
export type LaterFault = (typeof laterFaults)[number];

/** Seconds after the reply. */
const laterAfter = 3;

/** What is stored when a refund is accepted. */
export interface Later {
  /** Unix seconds. */
  readonly at: number;
  readonly refundId: string;
  readonly status: LaterStatus;
}

/** What will happen to the new refunds on this order. `now`: Unix seconds. */
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

/**
 * The order after the later outcome of one of its refunds. A failed refund no longer counts in any sum, and its money can be
 * refunded again.
 */
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
