/** Works out what is known about an order, from the order as it was read, what the journal holds about it, and the time. Pure. */

import {
  type ChargeMoney,
  hasNoCharges,
  leftToRefund,
  type MoneyReading,
  type OrderMoney,
  readMoney,
} from '../api/charges.ts';
import type { JsonObject } from '../api/json-values.ts';
import { paymentOf } from '../api/payment.ts';
import { type Mode, meaningOfStatus, modeOfOrder, noModeWords, statuses } from '../api/spec.ts';
import { type AttemptRecord, type Moment, neverArrived, probableRefunds } from '../journal/journal.ts';
import { casesOf, type OrderCase } from './order-cases.ts';
import { type KnownRefund, refundsOf, replacedOf, stopsRefund } from './refund-states.ts';
import { isFollowed } from './what-followed.ts';

/** What is known about an order. */
export interface KnownOrder {
  readonly order: JsonObject;
  readonly reading: MoneyReading;
  /** Why its figures do not tell what went back; undefined if they do, or if they cannot be read. */
  readonly doubt: string | undefined;
  /** What this machine sent for this order. */
  readonly attempts: readonly AttemptRecord[];
  /** Those attempts that nobody saw arrive in their time. All that they stop is sending the same money again. */
  readonly neverArrived: readonly AttemptRecord[];
  /** Refunds that nobody saw arrive either, and that were sent again. The order does not show them. */
  readonly replaced: readonly AttemptRecord[];
  /** What a person must know first, the most urgent first. */
  readonly cases: readonly OrderCase[];
  /** The most urgent thing in a word, shown instead of the service's status; undefined if there is nothing. */
  readonly first: OrderCase['is'] | 'pending' | 'no mode' | 'ask your lead' | 'not refundable' | undefined;
  readonly refunds: readonly KnownRefund[];
  /** Why the order as the service shows it cannot be refunded; undefined if it can be. */
  readonly unfit: Unfit | undefined;
  /** Why it cannot be refunded, by what the journal knows too, in words that begin with the status of the order. */
  readonly whyNot: string | undefined;
}

/** Why an order as the service shows it cannot be refunded. */
export interface Unfit {
  readonly is:
    | 'authorized'
    | 'not paid'
    | 'unreadable'
    | 'in doubt'
    | 'refunded'
    | 'not allowed'
    | 'nothing left'
    | 'no mode'
    | 'other mode';
  readonly why: string;
  /** The same, beginning with the status of the order. */
  readonly words: string;
}

/** `attempts`: those on this order, oldest first. `mode`: the mode of the profile; without it, any mode will do. */
export function knownOrder(
  order: JsonObject,
  attempts: readonly AttemptRecord[],
  now: Moment,
  mode?: Mode,
): KnownOrder {
  const reading = readMoney(order);
  const probable = probableRefunds(attempts, order);
  const cases = casesOf(order, attempts, { reading, probable, now });
  const stop = cases.find(({ is }) => stopsRefund(is) || is === 'recorded made');
  const unfit = unfitOf(order, mode, reading);
  const whyNot = unfit?.words ?? (stop && `${statusOf(order)}, ${stop.is}`);
  const lost = neverArrived(attempts, order, now);
  const replaced = replacedOf(attempts, probable, now);
  const refunds = refundsOf(reading, attempts, { probable, replaced, cases, now });
  // If the figures contradict each other, nobody knows whether a refund failed, so that doubt comes before a failure. An alarm
  // says more than the figures, so it comes first.
  const doubt = 'money' in reading ? doubtOf(reading.money) : undefined;
  const first =
    cases.find(({ is }) => stopsRefund(is))?.is ??
    (doubt === undefined ? undefined : 'unconfirmed') ??
    cases.find((one) => !isFollowed({ reading, doubt, attempts }, one))?.is ??
    (modeOfOrder(order) === undefined ? 'no mode' : undefined) ??
    (refunds.some(({ state }) => state === 'pending') ? 'pending' : undefined) ??
    // The order was paid back twice, and somebody dealt with that: whoever refunds more of it must ask first.
    (whyNot === undefined && isPaidBackTwice({ refunds }) ? 'ask your lead' : undefined) ??
    // `paid` alone would look as if it could be refunded.
    (order.payment_status === statuses.paid && unfit?.is === 'not allowed' ? 'not refundable' : undefined);
  return {
    order,
    reading,
    doubt,
    attempts,
    neverArrived: lost,
    replaced,
    cases,
    first,
    refunds,
    unfit,
    whyNot,
  };
}

/** What a person recorded as made, and the order does not show. */
export function recordedMade({ cases }: Pick<KnownOrder, 'cases'>): readonly AttemptRecord[] {
  return cases.flatMap((one) => (one.is === 'recorded made' ? one.record : []));
}

/**
 * The charges of an order with what is left of each: a refund that a person recorded as made (`byHand`) counts as paid back, though
 * the order does not show it. `recorded`: the sum of those refunds; `counted`: how much of that sum was taken off what was left.
 */
export function chargesLeft(
  { charges }: Pick<OrderMoney, 'charges'>,
  byHand: readonly Pick<AttemptRecord, 'sent'>[],
) {
  const made = byHand.flatMap(({ sent }) => sent.proof.expected);
  const sumFor = (ids: readonly string[]) =>
    made.reduce((sum, { chargeId, amount }) => (ids.includes(chargeId) ? sum - amount : sum), 0);
  const counted = (charge: ChargeMoney) => Math.min(Math.max(0, charge.left), sumFor([charge.id]));
  return {
    charges: charges.map((charge) => ({ ...charge, left: charge.left - counted(charge) })),
    recorded: sumFor(charges.map(({ id }) => id)),
    counted: charges.reduce((sum, charge) => sum + counted(charge), 0),
  };
}

/**
 * How much of an order, or of this charge of it, can still be refunded, positive. Undefined while nobody knows: its money cannot
 * be read, its figures contradict each other, or a refund of it is unconfirmed.
 */
export function leftOf(
  known: Pick<KnownOrder, 'reading' | 'unfit' | 'cases'>,
  chargeId?: unknown,
): number | undefined {
  const { reading, unfit, cases } = known;
  if (unfit?.is === 'unreadable' || unfit?.is === 'in doubt' || cases.some(({ is }) => is === 'unconfirmed'))
    return undefined;
  const isOpen = unfit === undefined || unfit.is === 'no mode' || unfit.is === 'other mode';
  if (!isOpen || 'problem' in reading) return 0;
  const { charges } = chargesLeft(reading.money, recordedMade(known));
  return leftToRefund({ charges: charges.filter(({ id }) => chargeId === undefined || id === chargeId) });
}

/** Whether the order shows a refund more than once, whatever somebody did about it. */
export function isPaidBackTwice({ refunds }: Pick<KnownOrder, 'refunds'>): boolean {
  return refunds.some(({ state }) => state === 'made twice');
}

// Why the order itself does not tell how much went back; undefined if its figures and statuses do.
function doubtOf({ doubt, charges }: OrderMoney): string | undefined {
  if (doubt !== undefined) return `its figures contradict each other: ${doubt}`;
  const unknown = charges.flatMap(({ refunds }) => refunds).find(({ meaning }) => meaning === 'unconfirmed');
  return (
    unknown && `refund ${unknown.id} has the status ${unknown.status ?? ''}, which paydesk does not know`
  );
}

function statusOf({ payment_status: status }: JsonObject): string {
  return typeof status === 'string' && status !== '' ? status : 'no status shown';
}

/**
 * Why an order as the service shows it cannot be refunded; undefined if it can be. `mode`: the mode of the profile; without it,
 * any mode will do.
 */
export function unfitOf(order: JsonObject, mode?: Mode, reading = readMoney(order)): Unfit | undefined {
  const shown = statusOf(order);
  // `declined, no money was taken`, and `paid, but no money was taken`
  const link = meaningOfStatus(order.payment_status) === 'none' ? ', ' : ', but ';
  const but = (is: Unfit['is'], why: string): Unfit => ({ is, why, words: `${shown}${link}${why}` });
  if (order.payment_status === statuses.preAuthorized)
    return { is: 'authorized', why: 'only authorized, no money taken', words: `${shown}, no money taken` };
  if (hasNoCharges(order)) {
    const words = 'not paid yet, so nothing to refund';
    return { is: 'not paid', why: words, words };
  }
  if ('problem' in reading) return but('unreadable', reading.problem);
  const doubt = doubtOf(reading.money);
  if (doubt !== undefined) return but('in doubt', doubt);
  if (order.payment_status === statuses.refunded)
    return { is: 'refunded', why: 'refunded already', words: shown };
  if (!paymentOf(order).isPaid) return but('nothing left', 'no money was taken');
  // If `is_refundable` is missing, that does not mean false.
  if (order.is_refundable === false)
    return but('not allowed', 'the service does not allow it (is_refundable false)');
  if (!reading.money.charges.some(({ counts }) => counts))
    return but('nothing left', 'no paid charge has money left');
  if (leftToRefund(reading.money) === 0)
    return but('not allowed', 'the service allows it for none of its charges (is_refundable false)');
  const own = modeOfOrder(order);
  if (own === undefined) return but('no mode', noModeWords(order));
  return mode === undefined || own === mode
    ? undefined
    : but('other mode', `it is of the other mode (${own})`);
}
