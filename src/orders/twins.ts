/**
 * Finds twins, two payments by the same buyer of the same amount within ten minutes, what went back of each, and whether the pair
 * is settled. Pure.
 */

import { sumOfRefunds } from '../api/charges.ts';
import { isObject, type JsonObject, valueAt } from '../api/json-values.ts';
import { type Payment, paymentOf } from '../api/payment.ts';
import { isTime } from '../api/spec.ts';
import { counted } from '../counted.ts';
import type { AttemptRecord, PaidTwice, UnconfirmedChange } from '../journal/journal.ts';
import type { KnownOrder } from './known-order.ts';
import { type RecordedRefund, recordedRefunds } from './recorded-refunds.ts';
import { gaveNothing, type KnownRefund, mostUrgent, type RefundState } from './refund-states.ts';

/** Another order by the same buyer, of the same amount, with what matters for a refund. */
export interface Twin extends Payment {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly status: string | undefined;
  readonly amount: number;
  /** The fields of the order that are about its money. */
  readonly order: JsonObject;
}

/** Two orders that are further apart are not twins. */
export const twinSeconds = 600;
/** The same in words. */
export const twinSpan = counted(twinSeconds / 60, 'minute');

/** The buyer and the amount of an order as one text, which twins have in common. Undefined if the order does not show both. */
export function purchaseOf(order: JsonObject): string | undefined {
  const { amount, currency } = order;
  const customerId = valueAt(order, ['customer_info', 'customer_id']);
  const email = valueAt(order, ['customer_info', 'email']);
  // The e-mail comes first: one of the two may have been bought without an account.
  const buyer = [email, customerId].find((value) => typeof value === 'string' && value !== '');
  if (typeof buyer !== 'string' || typeof amount !== 'number') return undefined;
  const sameInAnyCase = buyer.normalize('NFKC').trim().toLowerCase();
  return JSON.stringify([sameInAnyCase, amount, typeof currency === 'string' ? currency.toUpperCase() : '']);
}

/** An order as the twin of another one. Undefined if it does not show its id, its time or its amount. */
export function twinOf(order: JsonObject): Twin | undefined {
  const { id, created_at: createdAt, amount, payment_status: status } = order;
  if (typeof id !== 'string' || !isTime(createdAt) || typeof amount !== 'number') return undefined;
  return {
    ...paymentOf(order),
    id,
    createdAt,
    amount,
    status: typeof status === 'string' ? status : undefined,
    order: moneyFields(order),
  };
}

const fieldsOfOrder = [
  'id',
  'object',
  'livemode',
  'created_at',
  'updated_at',
  'amount',
  'amount_refunded',
  'currency',
  'payment_status',
  'is_refundable',
];
const fieldsOfCharge = [
  'id',
  'livemode',
  'amount',
  'amount_refunded',
  'currency',
  'status',
  'is_refundable',
  'paid_at',
  'refunds',
];

/** The fields of an order that are about its money: enough to know what became of it. Many orders are kept in this short form. */
export function moneyFields(order: JsonObject): JsonObject {
  const { charges } = order;
  const own = picked(order, fieldsOfOrder);
  const data: unknown = valueAt(charges, ['data']);
  if (!isObject(charges) || !Array.isArray(data)) return charges === undefined ? own : { ...own, charges };
  const few = data.map((charge: unknown) => (isObject(charge) ? picked(charge, fieldsOfCharge) : charge));
  return { ...own, charges: { ...charges, data: few } };
}

function picked(from: JsonObject, names: readonly string[]): JsonObject {
  const few: Record<string, unknown> = {};
  for (const name of names) if (name in from) few[name] = from[name];
  return few;
}

/** Whether two orders by the same buyer, of the same amount, were made so close together that they may be one purchase. */
export function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= twinSeconds;
}

/** The twins of an order among these orders, the nearest in time first, including those that nobody paid. */
export function twinsAmong(order: JsonObject, others: readonly JsonObject[]): readonly Twin[] {
  const { id, created_at: createdAt } = order;
  const bought = purchaseOf(order);
  if (bought === undefined || !isTime(createdAt)) return [];
  const apart = ({ createdAt: at }: Twin) => Math.abs(at - createdAt);
  const twins = others
    .filter((other) => other.id !== id && purchaseOf(other) === bought)
    .map(twinOf)
    .filter((twin) => twin !== undefined)
    .filter((twin) => isNear(twin.createdAt, createdAt));
  const first = new Map(twins.toReversed().map((twin) => [twin.id, twin]));
  return [...first.values()].toSorted((one, other) => apart(one) - apart(other));
}

/** A twin, and what the journal of this machine knows about it. */
export interface KnownTwin extends Twin {
  /** The state of its refunds, the most uncertain first; undefined if nothing of it was refunded. */
  readonly state?: RefundState | undefined;
  /** The states of all its refunds: one does not hide another that may still pay. */
  readonly states?: readonly RefundState[] | undefined;
  /** The amount that it shows as gone back, without refunds that nobody has confirmed. */
  readonly surely?: number | undefined;
  /** Who sent its newest refund, and why; undefined if it was not sent from this machine. */
  readonly fact?: RecordedRefund | undefined;
  /** A change of the twin that is not confirmed. */
  readonly unconfirmed?: UnconfirmedChange | undefined;
  /** A refund of the twin that was made twice, and that nobody has dealt with. */
  readonly paidTwice?: PaidTwice | undefined;
  /** Its refunds that somebody recorded as made, and that the order does not show. They count in addition to what it shows. */
  readonly byHand?: readonly AttemptRecord[] | undefined;
  /** This machine has sent a refund of the twin that was made, or may have been: then no refund of the twin may be called somebody else's. */
  readonly isSentHere?: boolean | undefined;
}

/** A twin with what is known about its order. */
export function knownTwin(twin: Twin, known: KnownOrder): KnownTwin {
  const { cases, attempts, refunds, doubt } = known;
  const open = cases.find((one) => one.is === 'unconfirmed');
  const paid = cases.find((one) => one.is === 'made twice');
  const unsure = refunds.filter(({ state, record }) => state === 'unconfirmed' && record?.meaning === 'made');
  return {
    ...twin,
    state: stateOf(twin, known),
    states: refunds.filter(mayMatter).map(({ state }) => state),
    surely:
      doubt === undefined
        ? (twin.refunded ?? 0) - sumOfRefunds(unsure.flatMap(({ record }) => record ?? []))
        : 0,
    fact: recordedRefunds(attempts).get(twin.refund?.id ?? ''),
    unconfirmed: open?.change,
    paidTwice: paid?.twice,
    byHand: cases.flatMap((one) => (one.is === 'recorded made' ? one.record : [])),
    isSentHere: attempts.some(mayHaveRefunded),
  };
}

function stateOf(twin: Twin, { refunds, doubt }: KnownOrder): RefundState | undefined {
  if (doubt !== undefined) return 'unconfirmed';
  const own = refunds.filter(mayMatter);
  // A refund that gave nothing back matters only if there is no other refund.
  const back = own.filter(({ state }) => !gaveNothing(state));
  return mostUrgent(back) ?? mostUrgent(own) ?? (isRefunded(twin) ? 'elsewhere' : undefined);
}

// A refund that was never seen and whose time is over no longer matters.
function mayMatter({ state, record, mayAppear }: KnownRefund): boolean {
  return state !== 'unconfirmed' || record !== undefined || mayAppear;
}

function mayHaveRefunded({ sent, verdicts }: AttemptRecord): boolean {
  const last = verdicts.at(-1);
  const failed = last?.verdict === 'not_sent' || (last?.verdict === 'rejected' && last.confirmed === true);
  return sent.proof.kind === 'refund' && (!failed || last?.by === 'person');
}

/** Whether all of a payment went back, so that its twin is the only one left: the pair is settled. */
export function isSettled(twin: KnownTwin): boolean {
  const { isBack, state, byHand = [], amount } = twin;
  if (isBack && state !== 'unconfirmed' && state !== 'pending') return true;
  const recorded = byHand.reduce((sum, { sent }) => sum + (sent.amount ?? 0), 0);
  return recorded > 0 && surelyBack(twin) + recorded >= amount;
}

/** The amount that a twin shows as gone back, without refunds that nobody has confirmed. */
export function surelyBack({ surely, refunded }: KnownTwin): number {
  return surely ?? refunded ?? 0;
}

/** Whether the newest refund of a twin is among those that went back. */
export function isNewestBack(twin: KnownTwin): boolean {
  const { state, states = [], refunded } = twin;
  return !states.includes('pending') && (state !== 'unconfirmed' || surelyBack(twin) === refunded);
}

/** Whether a refund of a payment may still prove to have been made. */
export function mayGoBack({ isPaid, state, states = [] }: KnownTwin): boolean {
  const isOpen = (one: RefundState) =>
    one === 'unconfirmed' || one === 'pending' || one === 'recorded not made';
  return isPaid && (state === 'unconfirmed' || states.some(isOpen));
}

/** Whether any money of a twin went back. */
function isRefunded({ refunded }: Twin): boolean {
  return (refunded ?? 0) > 0;
}

/** `refunded`, or `refunded in part` while some of it has not gone back; undefined if none of it went back. */
export function backWord(twin: KnownTwin): 'refunded' | 'refunded in part' | undefined {
  const { amount, isBack, refunded } = twin;
  const back = surelyBack(twin);
  if (back <= 0) return undefined;
  return back < amount && !(isBack && back === refunded) ? 'refunded in part' : 'refunded';
}

/** Whether the twin went back or may have, so that a refund of the other order pays, or may pay, both back. */
export function isPaidBack(twin: KnownTwin): boolean {
  const { state } = twin;
  return isRefunded(twin) || (state !== undefined && state !== 'failed');
}

/**
 * What `--again` must name so that a second order is refunded as well: the newest refund of the twin. If the twin shows none: the
 * change that may have made one, or else the twin itself.
 */
export function nameForAgain({ id, refund, unconfirmed, byHand }: KnownTwin): string {
  return refund?.id ?? unconfirmed?.change ?? byHand?.[0]?.sent.change ?? id;
}

/** Two payments that may be one purchase, the earlier one first. */
export interface TwinPair<T> {
  readonly first: T;
  readonly second: T;
  /** How many seconds are between them. */
  readonly apart: number;
  /** All of one of them went back, and no refund of the other may still prove to have been made. */
  readonly isSettled: boolean;
}

/**
 * The pairs among these orders, the newest first: each payment and the next one by the same buyer, of the same amount. A payment
 * that went back is only in settled pairs, so the two payments around it are a pair too. An order that was read twice counts
 * once.
 */
export function twinPairs<T extends KnownTwin & { readonly purchase: string }>(
  orders: readonly T[],
): readonly TwinPair<T>[] {
  const once = new Map(orders.filter(({ isPaid }) => isPaid).map((order) => [order.id, order]));
  const alike = Map.groupBy(once.values(), ({ purchase }) => purchase);
  return [...alike.values()]
    .flatMap((group) => {
      const sorted = group.toSorted(
        (one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
      );
      const kept = sorted.filter((order) => !isSettled(order));
      const ended = neighbours(sorted).filter(({ first, second }) => [first, second].some(isSettled));
      return [...ended, ...neighbours(kept)];
    })
    .toSorted(
      (one, other) =>
        other.second.createdAt - one.second.createdAt || (one.second.id < other.second.id ? -1 : 1),
    );
}

/**
 * Whether at least one of the two went back. While a refund of the other may still prove to have been made, the pair is not
 * settled: the buyer may have both back.
 */
export function isSettledPair(both: readonly KnownTwin[]): boolean {
  return both.some(isSettled) && !both.some((twin) => !isSettled(twin) && mayGoBack(twin));
}

function neighbours<T extends KnownTwin>(sorted: readonly T[]): readonly TwinPair<T>[] {
  return sorted.slice(1).flatMap((second, index): readonly TwinPair<T>[] => {
    const first = sorted[index];
    if (first === undefined) return [];
    const apart = second.createdAt - first.createdAt;
    return isNear(second.createdAt, first.createdAt)
      ? [{ first, second, apart, isSettled: isSettledPair([first, second]) }]
      : [];
  });
}
