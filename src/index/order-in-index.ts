/** Turns an order into its figures without its texts, for sums, and back. Pure. */

import { completeItems, filledText, isObject, type JsonObject, valueAt } from '../api/json-values.ts';
import { isTime, meaningOfRefund, meaningOfStatus, statuses } from '../api/spec.ts';

/** A whole number, exactly as the service sent it. */
type Whole = number | bigint;

/** What the index knows about an order besides its texts. A field is undefined if the order does not show it. */
export interface OrderInIndex {
  /** Unix seconds. */
  readonly createdAt: number | undefined;
  readonly amount: Whole | undefined;
  readonly refunded: Whole | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  /** A number for buyer, amount and currency: possible twins share it. */
  readonly purchase: number | undefined;
  readonly charges: readonly ChargeInIndex[] | undefined;
  /** The order shows only some of its charges or refunds. */
  readonly isPartial: boolean;
}

export interface ChargeInIndex {
  /** Only a charge with refunds has its id and last4 here. */
  readonly id: string | undefined;
  readonly last4: string | undefined;
  readonly amount: Whole | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  /** Unix seconds. */
  readonly paidAt: number | undefined;
  readonly method: string | undefined;
  readonly brand: string | undefined;
  readonly refunds: readonly RefundInIndex[];
}

export interface RefundInIndex {
  readonly id: string | undefined;
  /** As the service wrote it, with its sign. */
  readonly amount: Whole | undefined;
  /** Unix seconds. */
  readonly createdAt: number | undefined;
  readonly status: string | undefined;
}

/** The facts of an order from the service. `purchase`: buyer and amount as one text. */
export function orderInIndex(order: JsonObject, purchase: string | undefined): OrderInIndex {
  const charges = itemsIn(order.charges);
  const read = charges.items?.map((charge) => chargeInIndex(charge, order));
  return {
    createdAt: time(order.created_at),
    amount: figure(order.amount),
    refunded: figure(order.amount_refunded),
    currency: filledText(order.currency),
    status: filledText(order.payment_status),
    purchase: purchase === undefined ? undefined : numberOf(purchase),
    charges: read?.map(({ facts }) => facts),
    isPartial: charges.isPartial || read?.some(({ isPartial }) => isPartial) === true,
  };
}

function chargeInIndex(charge: JsonObject, order: JsonObject) {
  const refunds = itemsIn(charge.refunds);
  const list = refunds.items ?? [];
  const method = (name: string) => filledText(valueAt(charge, ['payment_method', name]));
  const currency = filledText(charge.currency);
  const facts: ChargeInIndex = {
    id: list.length > 0 ? filledText(charge.id) : undefined,
    last4: list.length > 0 ? method('last4') : undefined,
    amount: figure(charge.amount),
    currency: currency === order.currency ? undefined : currency,
    status: filledText(charge.status),
    paidAt: time(charge.paid_at),
    method: method('type'),
    brand: method('brand'),
    refunds: list.map((refund) => ({
      id: filledText(refund.id),
      amount: figure(refund.amount),
      createdAt: time(refund.created_at),
      status: filledText(refund.status),
    })),
  };
  // Without any list of refunds, some may be hidden, unless the order says that nothing went back.
  const isUnsaid = charge.refunds === undefined && order.amount_refunded !== 0;
  return { facts, isPartial: refunds.isPartial || isUnsaid };
}

/**
 * Whether sums from these facts may be too low: charges or refunds are missing, or have no time. A report must look at such an
 * order whatever its period.
 */
export function hidesMoney({ charges, refunded = 0, status, isPartial }: OrderInIndex): boolean {
  if (isPartial) return true;
  const withCharges: readonly unknown[] = Object.values(statuses);
  if (charges === undefined) return refunded > 0 || withCharges.includes(status);
  const refunds = charges.flatMap((charge) => charge.refunds);
  const undated = refunds.some(({ createdAt }) => createdAt === undefined) || charges.some(isUndated);
  return undated || (refunded > 0 && shownOf(refunds) < refunded);
}

/** Whether an order has failed or pending refunds, two of the same amount, or contradicting figures. */
export function hasOddRefunds({ charges = [], refunded = 0 }: OrderInIndex): boolean {
  const refunds = charges.flatMap((charge) => charge.refunds);
  if (refunds.length === 0 && refunded === 0) return false;
  return (
    refunds.some(({ status }) => meaningOfRefund(status) !== 'made') ||
    charges.some(({ currency }) => currency !== undefined) ||
    charges.some(({ refunds: own }) => new Set(own.map(({ amount }) => amount)).size < own.length) ||
    shownOf(refunds) !== BigInt(refunded)
  );
}

function isUndated({ status, paidAt }: ChargeInIndex): boolean {
  const meaning = meaningOfStatus(status);
  return paidAt === undefined && (meaning === 'in' || meaning === 'back');
}

function shownOf(refunds: readonly RefundInIndex[]): bigint {
  return refunds.reduce((sum, { amount = 0 }) => {
    const exact = BigInt(amount);
    return sum + (exact < 0n ? -exact : exact);
  }, 0n);
}

// A missing list is undefined: an unpaid order may have no charges, and a charge no refunds.
function itemsIn(list: unknown) {
  if (list === undefined || list === null) return { items: undefined, isPartial: false };
  const complete = completeItems(list, '');
  const data = valueAt(list, ['data']);
  const items = (Array.isArray(data) ? data : []).filter(isObject);
  return { items, isPartial: 'problem' in complete || items.length < complete.items.length };
}

/** An order in the service's form, with only the fields in these facts. */
export function orderOf(id: string, facts: OrderInIndex): JsonObject {
  const { charges, isPartial } = facts;
  return {
    id,
    object: 'order',
    ...given('created_at', facts.createdAt),
    ...given('amount', facts.amount),
    ...given('amount_refunded', facts.refunded),
    ...given('currency', facts.currency),
    ...given('payment_status', facts.status),
    ...(charges === undefined
      ? {}
      : {
          charges: {
            object: 'list',
            has_more: isPartial,
            total: charges.length,
            data: charges.map(chargeOf),
          },
        }),
  };
}

function chargeOf(facts: ChargeInIndex): JsonObject {
  const { refunds } = facts;
  const data = refunds.map((refund) => ({
    ...given('id', refund.id),
    object: 'refund',
    ...given('amount', refund.amount),
    ...given('created_at', refund.createdAt),
    ...given('status', refund.status),
  }));
  return {
    ...given('id', facts.id),
    object: 'charge',
    ...given('amount', facts.amount),
    ...given('currency', facts.currency),
    ...given('status', facts.status),
    ...given('paid_at', facts.paidAt),
    payment_method: {
      ...given('type', facts.method),
      ...given('brand', facts.brand),
      ...given('last4', facts.last4),
    },
    refunds: data.length === 0 ? null : { object: 'list', has_more: false, total: data.length, data },
  };
}

function given(name: string, value: unknown): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

/** A number for a text (53 bits): two texts almost never share one. */
export function numberOf(words: string): number {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let at = 0; at < words.length; at += 1) {
    const code = words.charCodeAt(at);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return 4294967296 * (2097151 & two) + (one >>> 0);
}

function figure(value: unknown): Whole | undefined {
  return typeof value === 'bigint' ? value : whole(value);
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function time(value: unknown): number | undefined {
  return isTime(value) ? value : undefined;
}
