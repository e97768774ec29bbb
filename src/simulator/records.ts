/**
 * The types of the records that the simulator keeps: only the fields that its rules use; other fields are
 * kept as they are.
 */

import type { JsonObject } from '../api/spec.ts';
import { isObject, statuses } from '../api/spec.ts';

/** A nested list, always complete (service: List envelope). */
export interface NestedList<T> {
  readonly object: 'list';
  readonly has_more: false;
  readonly total: number;
  readonly data: readonly T[];
}

/** A refund record; its amount is negative (service: refund). */
export interface StoredRefund {
  readonly id: string;
  readonly object: 'refund';
  readonly amount: number;
  readonly created_at: number;
  readonly auth_code: string;
}

/** A charge; `refunds` is null while nothing was refunded. */
export interface StoredCharge {
  readonly [key: string]: unknown;
  readonly id: string;
  readonly amount: number;
  readonly status: string;
  readonly is_refundable: boolean;
  readonly payment_method: JsonObject;
  readonly refunds: NestedList<StoredRefund> | null;
}

/** An order; without `charges` and `payment_status` while nothing was paid. */
export interface StoredOrder {
  readonly [key: string]: unknown;
  readonly id: string;
  readonly object: 'order';
  readonly amount: number;
  readonly amount_refunded: number;
  readonly is_refundable: boolean;
  readonly payment_status?: string;
  readonly split_payment?: boolean;
  readonly created_at: number;
  readonly updated_at: number;
  readonly charges?: NestedList<StoredCharge>;
}

/** A complete list of these. */
export function nestedList<T>(data: readonly T[]): NestedList<T> {
  return { object: 'list', has_more: false, total: data.length, data };
}

/** Whether what the store holds is an order; it wrote it, so the kind is enough. */
export function isStoredOrder(value: unknown): value is StoredOrder {
  return isObject(value) && value.object === 'order' && typeof value.id === 'string';
}

/** The charges of an order; none while nothing was paid. */
export function chargesOf(order: StoredOrder): readonly StoredCharge[] {
  return order.charges?.data ?? [];
}

/** The sum refunded of a charge so far, positive. */
export function refundedOf(charge: StoredCharge): number {
  return (charge.refunds?.data ?? []).reduce((sum, refund) => sum - refund.amount, 0);
}

/** What a refund can still take out of a charge: nothing of one that was declined or only authorized. */
export function leftOf(charge: StoredCharge): number {
  const paid = charge.status === statuses.paid || charge.status === statuses.partiallyRefunded;
  return paid ? charge.amount - refundedOf(charge) : 0;
}
