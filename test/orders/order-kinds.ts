/** Kinds of order, by what the service says of them. */

import type { Charge, Order } from '../harness/desk.ts';

const chargesOf = (order: Order): readonly Charge[] => order.charges?.data ?? [];
const untouched = (order: Order): boolean => chargesOf(order).every(({ refunds }) => refunds === null);
const statusesOf = (order: Order): string =>
  chargesOf(order)
    .map(({ status }) => status)
    .join(' ');

/** Paid by one charge, nothing refunded. */
export const paidOnce = (order: Order): boolean =>
  statusesOf(order) === 'paid' && order.is_refundable === true && untouched(order);
/** Paid by two charges that can both be refunded, nothing refunded. */
export const paidTwice = (order: Order): boolean =>
  statusesOf(order) === 'paid paid' &&
  untouched(order) &&
  chargesOf(order).every((charge) => charge.is_refundable === true);
/** Paid by two charges, one of which the service does not refund. */
export const partlyLocked = (order: Order): boolean =>
  statusesOf(order) === 'paid paid' && chargesOf(order).some((charge) => charge.is_refundable === false);
/** A declined charge beside a paid one. */
export const declinedBeside = (order: Order): boolean => statusesOf(order) === 'declined paid';
export const preAuthorized = (order: Order): boolean => statusesOf(order) === 'pre_authorized';
/** A part of its first charge went back already. */
export const refundedInPart = (order: Order): boolean =>
  order.payment_status === 'partially_refunded' &&
  chargesOf(order).length === 2 &&
  chargesOf(order)[0]?.status === 'partially_refunded';

/** The charge at a place, from 0. */
export function chargeAt(order: Order, index: number): Charge {
  const charge = order.charges?.data[index];
  if (charge === undefined) throw new Error(`${order.id} has no charge ${index}`);
  return charge;
}

/** The amounts of the refunds of each charge, charge by charge. */
export function refundsOf(order: Order): readonly (readonly number[])[] {
  return chargesOf(order).map(({ refunds }) => (refunds?.data ?? []).map(({ amount }) => amount));
}
