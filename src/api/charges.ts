/** The money of an order, from its charges and refunds, or why it is unknown. */

import {
  type CompleteItems,
  completeItems,
  filledText,
  isObject,
  type JsonObject,
  textIn,
  valueAt,
} from './json-values.ts';
import { meaningOfRefund, meaningOfStatus, type RefundMeaning, statuses } from './spec.ts';

/** A refund record of a charge (service: refund). */
export interface RefundRecord {
  readonly id: string;
  /** Negative, as the service writes it. */
  readonly amount: number;
  readonly createdAt: number | undefined;
  readonly authCode: string | undefined;
  /** The document shows no status of a refund. Some services send one, such as `pending`. */
  readonly status: string | undefined;
  readonly meaning: RefundMeaning;
}

/** One charge with its refunds (service: charge). */
export interface ChargeMoney {
  readonly id: string;
  /** The charge's number in the order, from 1: `--charge 2` is the second. */
  readonly number: number;
  readonly status: string | undefined;
  readonly isRefundable: boolean | undefined;
  readonly amount: number;
  readonly refunds: readonly RefundRecord[];
  /** The sum of its made refunds, positive. */
  readonly refunded: number;
  /** The same with refunds that may still be made: all but the failed ones. */
  readonly taken: number;
  /** What can be refunded. A failed refund counts as left only if the order's `amount_refunded` agrees. */
  readonly left: number;
  /** Whether a refund can take money from it: it is paid, partly refunded or without a status, and something is left. */
  readonly counts: boolean;
  readonly value: JsonObject;
}

/** An order's money, exactly as the service shows it (service: order). */
export interface OrderMoney {
  readonly id: string;
  readonly livemode: boolean | undefined;
  readonly amount: number;
  readonly currency: string | undefined;
  readonly amountRefunded: number | undefined;
  readonly isRefundable: boolean | undefined;
  readonly status: string | undefined;
  readonly updatedAt: number | undefined;
  /** Unix seconds. */
  readonly createdAt: number | undefined;
  readonly charges: readonly ChargeMoney[];
  /** Two contradicting figures of the order, in words; undefined if there are none. */
  readonly doubt: string | undefined;
}

/** An order's money, or why a change to it could not be proved. */
export type MoneyReading = { readonly money: OrderMoney } | { readonly problem: string };

class Unprovable extends Error {}

function integer(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value === 'bigint')
    throw new Unprovable(`${what} is ${value}, and paydesk counts up to ${Number.MAX_SAFE_INTEGER}`);
  throw new Unprovable(`${what} is ${value === undefined ? 'not shown' : 'not a whole number'}`);
}

function allOf(list: CompleteItems): readonly unknown[] {
  if ('items' in list) return list.items;
  throw new Unprovable(list.problem);
}

/**
 * All refunds of a charge, or the problem if some are not shown. There are none if `refunds` is null, or if it is missing and
 * nothing of the order was refunded (service: charge, order).
 */
export function refundsOf({ amount_refunded: refunded }: JsonObject, charge: JsonObject): CompleteItems {
  const { refunds, id } = charge;
  if (refunds === null || (refunds === undefined && refunded === 0)) return { items: [] };
  return completeItems(refunds, `the refunds of ${typeof id === 'string' ? `charge ${id}` : 'a charge'}`);
}

function readRefund(value: unknown, chargeId: string): RefundRecord {
  const id = filledText(valueAt(value, ['id']));
  if (id === undefined) throw new Unprovable(`a refund of charge ${chargeId} has no id`);
  const createdAt = valueAt(value, ['created_at']);
  const status = textIn(valueAt(value, ['status']));
  return {
    id,
    amount: integer(valueAt(value, ['amount']), `the amount of refund ${id}`),
    createdAt: typeof createdAt === 'number' ? createdAt : undefined,
    authCode: textIn(valueAt(value, ['auth_code'])),
    status,
    meaning: meaningOfRefund(status),
  };
}

function readRefunds(order: JsonObject, charge: JsonObject, chargeId: string): RefundRecord[] {
  const records = allOf(refundsOf(order, charge)).map((item) => readRefund(item, chargeId));
  if (new Set(records.map(({ id }) => id)).size !== records.length) {
    throw new Unprovable(`the refunds of charge ${chargeId} repeat an id`);
  }
  return records;
}

const countingStatuses: readonly (string | undefined)[] = [
  statuses.paid,
  statuses.partiallyRefunded,
  undefined,
];

function readCharge(order: JsonObject, value: unknown, index: number): ChargeMoney {
  const id = filledText(valueAt(value, ['id']));
  if (!isObject(value) || id === undefined) throw new Unprovable(`charge ${index + 1} has no id`);
  const amount = integer(value.amount, `the amount of charge ${id}`);
  const refunds = readRefunds(order, value, id);
  const sums = refundSums(refunds);
  const status = textIn(value.status);
  return {
    id,
    number: index + 1,
    status,
    isRefundable: typeof value.is_refundable === 'boolean' ? value.is_refundable : undefined,
    amount,
    refunds,
    ...sums,
    ...leftOf(status, amount - sums.taken),
    value,
  };
}

function leftOf(status: string | undefined, left: number): Pick<ChargeMoney, 'left' | 'counts'> {
  return { left, counts: countingStatuses.includes(status) && left > 0 };
}

/** The sum of refunds, positive. */
export function sumOfRefunds(refunds: readonly Pick<RefundRecord, 'amount'>[]): number {
  return refunds.reduce((sum, { amount }) => sum + Math.abs(amount), 0);
}

/** The sum of refunds that were made (`refunded`), and with those that may still be made (`taken`). Both positive. */
export function refundSums(
  refunds: readonly Pick<RefundRecord, 'amount' | 'meaning'>[],
): Pick<ChargeMoney, 'refunded' | 'taken'> {
  const sum = (counts: (meaning: RefundMeaning) => boolean) =>
    sumOfRefunds(refunds.filter(({ meaning }) => counts(meaning)));
  return { refunded: sum((meaning) => meaning === 'made'), taken: sum((meaning) => meaning !== 'failed') };
}

/** Whether `said` is what went back by refunds with these sums. The document does not say whether a pending one counts. */
export function isRefundSum(said: number, { refunded, taken }: ReturnType<typeof refundSums>): boolean {
  return said === refunded || said === taken;
}

function readAll(value: unknown): OrderMoney {
  const id = valueAt(value, ['id']);
  if (!isObject(value) || typeof id !== 'string') throw new Unprovable('this record is not an order');
  const amountRefunded = value.amount_refunded;
  const charges = allOf(completeItems(value.charges, 'the charges')).map((item, index) =>
    readCharge(value, item, index),
  );
  if (new Set(charges.map((charge) => charge.id)).size !== charges.length)
    throw new Unprovable('two charges have the same id');
  const doubt = doubtOf(value, charges);
  return {
    id,
    livemode: typeof value.livemode === 'boolean' ? value.livemode : undefined,
    amount: integer(value.amount, 'the amount'),
    currency: textIn(value.currency),
    amountRefunded:
      amountRefunded === undefined || amountRefunded === null
        ? undefined
        : integer(amountRefunded, 'amount_refunded'),
    isRefundable: typeof value.is_refundable === 'boolean' ? value.is_refundable : undefined,
    status: textIn(value.payment_status),
    updatedAt: typeof value.updated_at === 'number' ? value.updated_at : undefined,
    createdAt: typeof value.created_at === 'number' ? value.created_at : undefined,
    // While the figures contradict each other, a failed refund may still have been made.
    charges:
      doubt === undefined
        ? charges
        : charges.map((charge) => ({
            ...charge,
            ...leftOf(charge.status, charge.amount - sumOfRefunds(charge.refunds)),
          })),
    doubt,
  };
}

function isSameCurrency(one: string, other: unknown): boolean {
  return typeof other !== 'string' || one.toUpperCase() === other.toUpperCase();
}

// amount_refunded is the sum of the refunds (service: order).
function doubtOf(
  { amount_refunded: said, payment_status: status, currency }: JsonObject,
  charges: readonly ChargeMoney[],
) {
  for (const { number, value } of charges)
    if (typeof value.currency === 'string' && !isSameCurrency(value.currency, currency))
      return `charge ${number} is in ${value.currency}, and the order in ${String(currency)}`;
  const sums = refundSums(charges.flatMap(({ refunds }) => refunds));
  if (typeof said === 'number' && !isRefundSum(said, sums))
    return `amount_refunded is ${said}, and its refunds add up to ${sums.refunded}`;
  if (status === statuses.refunded && sums.taken === 0) return `it is ${status}, and shows no refund`;
  return undefined;
}

/** Reads an order's money strictly enough to prove a change to it later (service: order, charge, refund). */
export function readMoney(value: unknown): MoneyReading {
  try {
    return { money: readAll(value) };
  } catch (error) {
    if (error instanceof Unprovable) return { problem: error.message };
    throw error;
  }
}

/** Like `readMoney`; undefined if the money is unknown. */
export function moneyOf(value: unknown): OrderMoney | undefined {
  const reading = readMoney(value);
  return 'money' in reading ? reading.money : undefined;
}

/** Whether nobody has tried to pay an order yet, so it has no charges. In a paid order, missing charges are hidden. */
export function hasNoCharges(order: JsonObject): boolean {
  const { charges, payment_status: status, amount_refunded: refunded } = order;
  return charges === undefined && status === undefined && (refunded ?? 0) === 0;
}

/** Like `readMoney`, for a refund: if refunds are hidden, one of them could be mistaken for the new one, and that is a problem too. */
export function readForRefund(value: unknown): MoneyReading {
  const reading = readMoney(value);
  if ('problem' in reading) return reading;
  const { amountRefunded = 0, charges } = reading.money;
  if (amountRefunded === 0 || charges.some(({ refunds }) => refunds.length > 0)) return reading;
  return { problem: `amount_refunded is ${amountRefunded}, but no charge shows a refund` };
}

/** The newest refund of this amount (positive) that did not fail; undefined if there is none. `--again` must name it. */
export function equalRefund(charge: Pick<ChargeMoney, 'refunds'>, amount: number): RefundRecord | undefined {
  return newestEqual(standingRefunds(charge), -amount);
}

/** The newest of these refunds with this amount (negative, service: refund). */
export function newestEqual<T extends { readonly amount: number; readonly createdAt?: number | undefined }>(
  refunds: readonly T[],
  amount: number,
): T | undefined {
  return newestOf(refunds.filter((record) => record.amount === amount));
}

/** The newest refund; of two with the same time, the later in the list. Undefined if there is none. */
export function newestOf<T extends { readonly createdAt?: number | undefined }>(
  refunds: readonly T[],
): T | undefined {
  return refunds.toSorted((one, other) => (one.createdAt ?? 0) - (other.createdAt ?? 0)).at(-1);
}

/** `*4242`, or the type of a payment that is not a card, as the service sends it. */
export function cardOrType(charge: JsonObject): unknown {
  const last4 = filledText(valueAt(charge, ['payment_method', 'last4']));
  return last4 === undefined ? valueAt(charge, ['payment_method', 'type']) : `*${last4}`;
}

/** The same in words: never blank. */
export function paidBy(charge: JsonObject): string {
  return filledText(cardOrType(charge)) ?? 'not shown';
}

/** `visa *4242`, or without the brand if the service does not show it. */
export function brandAndCard(charge: JsonObject): string {
  const brand = filledText(valueAt(charge, ['payment_method', 'brand']));
  return `${brand === undefined ? '' : `${brand} `}${paidBy(charge)}`;
}

/** The charges that can be refunded: something is left of them, and the service does not say that it refunds none of it. */
export function refundableCharges({ charges }: Pick<OrderMoney, 'charges'>): readonly ChargeMoney[] {
  return charges.filter(({ counts, isRefundable }) => counts && isRefundable !== false);
}

/**
 * The paid charges of which the service refunds nothing, whatever is left of them. For them it also refuses to refund the whole
 * order (service: States and transitions, rule 1).
 */
export function lockedCharges({ charges }: Pick<OrderMoney, 'charges'>): readonly ChargeMoney[] {
  return charges.filter(({ counts, isRefundable }) => counts && isRefundable === false);
}

/** How much of all charges can still be refunded, positive. */
export function leftToRefund(money: Pick<OrderMoney, 'charges'>): number {
  return refundableCharges(money).reduce((sum, { left }) => sum + left, 0);
}

/**
 * What is left of an order that was refunded in part, and that a refund of the whole order therefore cannot send: positive, over
 * several charges. Undefined if it is on one charge, if a charge refuses refunds, or if one part would repeat an equal refund.
 */
export function restOverCharges(money: Pick<OrderMoney, 'charges'>): number | undefined {
  const rest = refundableCharges(money);
  const isPartlyBack = money.charges.some((charge) => standingRefunds(charge).length > 0);
  const isOpen =
    lockedCharges(money).length === 0 &&
    rest.every((charge) => equalRefund(charge, charge.left) === undefined);
  return isPartlyBack && rest.length > 1 && isOpen ? leftToRefund(money) : undefined;
}

/**
 * Whether refunding the whole order may also pay back a charge that does not count: it awaits payment, which may come between the
 * last read and the sending; the bank took it back; or its status is unknown. A declined, expired or canceled charge is over:
 * another payment is another charge, and the journal reports a refund on a charge that the order did not show.
 */
export function mayGoBackToo({ status }: { readonly status?: string | undefined }): boolean {
  const isOver = status === statuses.refunded || meaningOfStatus(status) === 'none';
  return !countingStatuses.includes(status) && !isOver;
}

/** How much of all charges was or may still be refunded, positive: all but what failed. */
export function takenSum(money: OrderMoney): number {
  return money.charges.reduce((sum, charge) => sum + charge.taken, 0);
}

/** The refunds of a charge that did not fail. */
export function standingRefunds({ refunds }: Pick<ChargeMoney, 'refunds'>): readonly RefundRecord[] {
  return refunds.filter(({ meaning }) => meaning !== 'failed');
}

/** How much of all charges was refunded, positive. Only made refunds count. */
export function refundedSum(money: OrderMoney): number {
  return money.charges.reduce((sum, charge) => sum + charge.refunded, 0);
}
