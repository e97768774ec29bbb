/**
 * Twins: two payments of the same buyer and amount within ten minutes. What of each went back, and whether the pair is settled. Pure.
 */

import { type Payment, paymentOf } from '../api/payment.ts';
import { isTime, type JsonObject, valueAt } from '../api/spec.ts';
import {
  type AttemptRecord,
  appearedVerdict,
  isMadeByHand,
  isOpen,
  isPaidTwice,
  type Moment,
  ownRefunds,
  type PaidTwice,
  paidTwiceOf,
  type UnconfirmedChange,
  unconfirmedChange,
} from '../journal/journal.ts';
import type { RefundState } from './known-order.ts';
import { type RefundFacts, refundFacts } from './refund-facts.ts';

/** Another order of the same buyer and amount, as far as it matters for a refund. */
export interface Twin extends Payment {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly status: string | undefined;
  readonly amount: number;
}

/** Two orders further apart are no twins. */
export const twinSeconds = 600;

/** The buyer and the amount of an order as one text: twins have the same. Undefined if the order does not show both. */
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
  };
}

/** The twins of an order among these orders, the nearest in time first. Those that nobody paid are among them. */
export function twinsAmong(order: JsonObject, others: readonly JsonObject[]): readonly Twin[] {
  const { id, created_at: createdAt } = order;
  const bought = purchaseOf(order);
  if (bought === undefined || !isTime(createdAt)) return [];
  const near = ({ createdAt: at }: Twin) => Math.abs(at - createdAt);
  const twins = others
    .filter((other) => other.id !== id && purchaseOf(other) === bought)
    .map(twinOf)
    .filter((twin) => twin !== undefined)
    .filter((twin) => near(twin) <= twinSeconds);
  const first = new Map(twins.toReversed().map((twin) => [twin.id, twin]));
  return [...first.values()].toSorted((one, other) => near(one) - near(other));
}

/** A twin, and what the journal of this machine knows about it. */
export interface KnownTwin extends Twin {
  /** The state of its refunds, the most uncertain first; undefined if nothing of it was refunded. */
  readonly state?: RefundState | undefined;
  /** Who sent its newest refund, and why; undefined if it was not sent from this machine. */
  readonly fact?: RefundFacts | undefined;
  /** A change of the twin that is not confirmed. */
  readonly unconfirmed?: UnconfirmedChange | undefined;
  /** A refund of the twin that was made twice, and that nobody has dealt with. */
  readonly paidTwice?: PaidTwice | undefined;
  /** A refund of it that somebody recorded as made, and that the order does not show. */
  readonly byHand?: AttemptRecord | undefined;
  /** This machine has sent a refund of the twin that was made, or may have been: then no refund of the twin may be called somebody else's. */
  readonly isSentHere?: boolean | undefined;
}

/** A twin with what this machine knows of it. `attempts`: those on its order. */
export function knownTwin(twin: Twin, attempts: readonly AttemptRecord[], now: Moment): KnownTwin {
  const open = attempts.find((record) => isOpen(record, now));
  const paid = attempts.find(isPaidTwice);
  const known = {
    ...twin,
    fact: refundFacts(attempts).get(twin.refund?.id ?? ''),
    unconfirmed: open && unconfirmedChange(open),
    paidTwice: paid && paidTwiceOf(paid, attempts),
    byHand: twin.refund === undefined ? attempts.find(isMadeByHand) : undefined,
    isSentHere: attempts.some(mayHaveRefunded),
  };
  return { ...known, state: stateOf(known, attempts) };
}

function stateOf(twin: KnownTwin, attempts: readonly AttemptRecord[]): RefundState | undefined {
  if (twin.unconfirmed?.kind === 'refund') return 'unconfirmed';
  if (twin.paidTwice !== undefined) return 'made twice';
  if (twin.byHand !== undefined) return 'recorded made';
  if (twin.refundsSay !== 'made') return twin.refundsSay;
  if (attempts.some((record) => appearedVerdict(record) !== undefined)) return 'appeared';
  const { refund } = twin;
  const isOurs = attempts.flatMap(ownRefunds).some(({ id }) => id === refund?.id);
  return refund === undefined || isOurs ? 'made' : 'elsewhere';
}

function mayHaveRefunded({ sent, verdicts }: AttemptRecord): boolean {
  const last = verdicts.at(-1);
  const failed = last?.verdict === 'not_sent' || (last?.verdict === 'rejected' && last.confirmed === true);
  return sent.proof.kind === 'refund' && (!failed || last?.by === 'person');
}

/** Whether all of a payment went back, so that its twin is the only one left: the pair is settled. */
export function isSettled({ isBack, state, byHand, amount }: KnownTwin): boolean {
  if (state === 'unconfirmed' || state === 'pending') return false;
  return isBack || (byHand?.sent.amount ?? 0) >= amount;
}

/** Whether any of a twin went back. */
export function isRefunded({ refunded, refundsSay }: Twin): boolean {
  return refundsSay === 'made' || (refunded ?? 0) > 0;
}

/** Whether a refund of both orders pays, or may pay, both back. */
export function isPaidBack(twin: KnownTwin): boolean {
  const { state = twin.refundsSay } = twin;
  return isRefunded(twin) || (state !== undefined && state !== 'failed');
}

/**
 * What `--again` must name so that a second order is refunded as well: the newest refund of the twin. If the order does not show
 * one, the attempt, or else the twin itself.
 */
export function nameForAgain({ id, refund, unconfirmed, byHand }: KnownTwin): string {
  return refund?.id ?? unconfirmed?.change ?? byHand?.sent.change ?? id;
}

/** Two payments that may be one purchase, the earlier one first. */
export interface TwinPair<T> {
  readonly first: T;
  readonly second: T;
  /** How many seconds lie between them. */
  readonly apart: number;
  /** All of one of them went back. */
  readonly isSettled: boolean;
}

/**
 * The pairs among these orders, the newest first: each payment and the next of its buyer and amount. A payment that went back is
 * in no pair but a settled one, so two others around it are a pair. An order that was read twice counts once.
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
      return [...neighbours(sorted).filter((pair) => pair.isSettled), ...neighbours(kept)];
    })
    .toSorted(
      (one, other) =>
        other.second.createdAt - one.second.createdAt || (one.second.id < other.second.id ? -1 : 1),
    );
}

function neighbours<T extends KnownTwin>(sorted: readonly T[]): readonly TwinPair<T>[] {
  return sorted.slice(1).flatMap((second, index): readonly TwinPair<T>[] => {
    const first = sorted[index];
    if (first === undefined) return [];
    const apart = second.createdAt - first.createdAt;
    return apart <= twinSeconds ? [{ first, second, apart, isSettled: [first, second].some(isSettled) }] : [];
  });
}
