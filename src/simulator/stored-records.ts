/** The simulator's records, with the fields that its rules use. All other fields stay unchanged. */

import type { JsonObject } from '../api/json-values.ts';
import { isObject } from '../api/json-values.ts';
import { statuses } from '../api/spec.ts';

/** A list inside a record. It is always complete (service: List envelope). */
interface NestedList<T> {
  readonly object: 'list';
  readonly has_more: false;
  readonly total: number;
  readonly data: readonly T[];
}

/** A refund record. Its amount is negative (service: refund). */
interface StoredRefund {
  readonly id: string;
  readonly object: 'refund';
  readonly amount: number;
  readonly created_at: number;
  readonly auth_code: string;
  /** Only if the refund is or was pending, or failed (rules/refund-and-capture.ts). */
  readonly status?: LaterStatus | 'pending';
}

/** What happens to a refund after its reply. */
export type LaterStatus = 'succeeded' | 'failed';

/** `refunds` is null until something is refunded. */
export interface StoredCharge {
  readonly [key: string]: unknown;
  readonly id: string;
  readonly amount: number;
  readonly status: string;
  readonly is_refundable: boolean;
  readonly payment_method: JsonObject;
  readonly refunds: NestedList<StoredRefund> | null;
}

/** It has no `charges` and no `payment_status` until something is paid. */
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

export function nestedList<T>(data: readonly T[]): NestedList<T> {
  return { object: 'list', has_more: false, total: data.length, data };
}

/** The simulator wrote the record, so only `object` and `id` are checked. */
export function isStoredOrder(value: unknown): value is StoredOrder {
  return isObject(value) && value.object === 'order' && typeof value.id === 'string';
}

/** Empty until something is paid. */
export function chargesOf(order: StoredOrder): readonly StoredCharge[] {
  return order.charges?.data ?? [];
}

export function refundedOf(charge: StoredCharge): number {
  // Assumed: a pending refund counts, and a failed one does not.
  const refunds = (charge.refunds?.data ?? []).filter(({ status }) => status !== 'failed');
  return refunds.reduce((sum, refund) => sum - refund.amount, 0);
}

/** How much of a charge can still be refunded: 0 if it was declined or only authorized. */
export function leftOf(charge: StoredCharge): number {
  const paid = charge.status === statuses.paid || charge.status === statuses.partiallyRefunded;
  return paid ? charge.amount - refundedOf(charge) : 0;
}
