/**
 * What a possible twin is: another order of the same buyer and amount within ten minutes; and what of it was refunded, in
 * words. Pure.
 */

import { type AmountStyle, amountWords, figureWords } from '../amounts.ts';
import { newestOf, type RefundRecord, readMoney } from '../api/charges.ts';
import { type JsonObject, statuses, valueAt } from '../api/spec.ts';
import {
  type AttemptRecord,
  isOpen,
  isPaidTwice,
  type Moment,
  type PaidTwice,
  paidTwiceOf,
  type UnconfirmedChange,
  unconfirmedChange,
} from '../journal/journal.ts';
import type { Profile } from '../profiles/profiles.ts';
import { type RefundFacts, refundFacts } from './refund-facts.ts';

/** Another order of the same buyer and amount, as far as it matters for a refund. */
export interface Twin {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly status: string | undefined;
  readonly amount: number;
  /** How much of it went back; undefined when the order does not show that. */
  readonly refunded: number | undefined;
  /** The newest of its refunds; undefined when it shows none. `createdAt` in Unix seconds. */
  readonly refund: Pick<RefundRecord, 'id' | 'createdAt'> | undefined;
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
  if (typeof id !== 'string' || typeof createdAt !== 'number' || typeof amount !== 'number') return undefined;
  const refunds = refundsIn(order);
  return {
    id,
    createdAt,
    amount,
    status: typeof status === 'string' ? status : undefined,
    refunded: refundedOf(
      order,
      refunds.map((one) => -one.amount),
    ),
    refund: newestOf(refunds),
  };
}

// Most orders of a long walk have no refund, so their charges are not read.
function refundsIn(order: JsonObject): readonly RefundRecord[] {
  const reading = order.amount_refunded === 0 ? undefined : readMoney(order);
  return reading !== undefined && 'money' in reading
    ? reading.money.charges.flatMap((charge) => charge.refunds)
    : [];
}

// How much of an order was refunded: the highest of what its own figure, its refund records and its status say.
function refundedOf({ amount, amount_refunded: said, payment_status: status }: JsonObject, sums: number[]) {
  const figures = [
    ...(typeof said === 'number' ? [said] : []),
    ...(sums.length === 0 ? [] : [sums.reduce((sum, one) => sum + one, 0)]),
    ...(status === statuses.refunded && typeof amount === 'number' ? [amount] : []),
  ];
  return figures.length === 0 ? undefined : Math.max(...figures);
}

/** Whether any of a twin went back. */
export function isRefunded({ refunded, refund }: Twin): boolean {
  return refund !== undefined || (refunded ?? 0) > 0;
}

/** The twins of an order among these orders, the nearest in time first. */
export function twinsAmong(order: JsonObject, others: readonly JsonObject[]): readonly Twin[] {
  const { id, created_at: createdAt } = order;
  const bought = purchaseOf(order);
  if (bought === undefined || typeof createdAt !== 'number') return [];
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
  /** Who sent its newest refund, and why; undefined if it was not sent from this machine. */
  readonly fact?: RefundFacts | undefined;
  /** A change of the twin that is not confirmed. */
  readonly unconfirmed?: UnconfirmedChange | undefined;
  /** A refund of the twin that was made twice, and that nobody has dealt with. */
  readonly paidTwice?: PaidTwice | undefined;
  /** This machine has sent a refund of the twin that was made, or may have been: then no refund of the twin may be called somebody else's. */
  readonly isSentHere?: boolean | undefined;
}

/** A twin with what this machine knows of it. `attempts`: those on its order. */
export function knownTwin(twin: Twin, attempts: readonly AttemptRecord[], now: Moment): KnownTwin {
  const open = attempts.find((record) => isOpen(record, now));
  const paid = attempts.find(isPaidTwice);
  return {
    ...twin,
    fact: refundFacts(attempts).get(twin.refund?.id ?? ''),
    unconfirmed: open && unconfirmedChange(open),
    paidTwice: paid && paidTwiceOf(paid, attempts),
    isSentHere: attempts.some(mayHaveRefunded),
  };
}

function mayHaveRefunded({ sent, verdicts }: AttemptRecord): boolean {
  const last = verdicts.at(-1);
  const failed = last?.verdict === 'not_sent' || (last?.verdict === 'rejected' && last.confirmed === true);
  return sent.proof.kind === 'refund' && (!failed || last?.by === 'person');
}

/** Whether a refund of both orders pays, or may pay, both back. */
export function isPaidBack(twin: KnownTwin): boolean {
  return isRefunded(twin) || twin.unconfirmed?.kind === 'refund';
}

/**
 * What `--again` must name so that a second order is refunded as a duplicate: the newest refund of the twin. If the order
 * does not show one, the unconfirmed attempt, or else the twin itself.
 */
export function nameForAgain({ id, refund, unconfirmed }: KnownTwin): string {
  return refund?.id ?? unconfirmed?.intent ?? id;
}

/** What the words about a twin need besides the twin. */
export interface TwinWords {
  /** When the order itself was created, Unix seconds. */
  readonly createdAt: unknown;
  readonly currency: string | undefined;
  readonly amounts: AmountStyle;
  /** Unix milliseconds. */
  readonly now: number;
  readonly shortTime: (ms: number) => string;
}

/** What the words about the twins of an order need. */
export function twinWords(
  { clock, shortTime }: { readonly clock: { now(): number }; readonly shortTime: (ms: number) => string },
  { settings }: Pick<Profile, 'settings'>,
  { created_at: createdAt, currency }: JsonObject,
): TwinWords {
  return {
    createdAt,
    currency: typeof currency === 'string' ? currency : undefined,
    amounts: settings,
    now: clock.now(),
    shortTime,
  };
}

/**
 * A twin in one line: `ord_…, same buyer and amount, 4 min earlier, was refunded 2 min ago as REASON, by
 * op7: the buyer gets both payments back`.
 */
export function twinLine(twin: KnownTwin, words: TwinWords): string {
  return `${twin.id}, same buyer and amount, ${apartWords(twin, words)}, ${stateWords(twin, words)}`;
}

function apartWords({ createdAt }: Twin, { createdAt: own }: TwinWords): string {
  const seconds = createdAt - Number(own);
  if (seconds === 0) return 'in the same second';
  const long = Math.abs(seconds);
  return `${long < 60 ? `${long} s` : `${Math.floor(long / 60)} min`} ${seconds < 0 ? 'earlier' : 'later'}`;
}

function stateWords(twin: KnownTwin, words: TwinWords): string {
  const { unconfirmed, status } = twin;
  if (isRefunded(twin))
    return `${refundWords(twin, words)}: if you refund both, the buyer gets both payments back`;
  if (unconfirmed?.kind === 'refund') {
    const sum =
      unconfirmed.amount === undefined
        ? ''
        : ` of ${amountWords(unconfirmed.amount, unconfirmed.currency, words.amounts)}`;
    const sent = `sent at ${words.shortTime(unconfirmed.sentAt)} by ${unconfirmed.operator}`;
    return `has an unconfirmed refund${sum}, ${sent}: if you refund both, the buyer may get both payments back`;
  }
  if (status === statuses.preAuthorized) return 'is only authorized, no money taken';
  return 'was not refunded: make sure which of the two orders the buyer means';
}

function refundWords(twin: KnownTwin, { now, currency, amounts }: TwinWords): string {
  const { refund, refunded, amount, fact, isSentHere, paidTwice } = twin;
  const isPart = refunded !== undefined && refunded > 0 && refunded < amount;
  const part = isPart
    ? ` in part (${figureWords(refunded, currency, amounts)} of ${figureWords(amount, currency, amounts)})`
    : '';
  const when = refund?.createdAt === undefined ? '' : ` ${agoWords(now - refund.createdAt * 1000)}`;
  const reason = fact?.reason === undefined ? '' : ` as ${fact.reason}`;
  const operator = fact?.operator ?? paidTwice?.operator;
  const stranger = refund === undefined || isSentHere === true ? '' : ', not from this machine';
  return `was refunded${paidTwice === undefined ? '' : ' TWICE'}${part}${when}${reason}${operator === undefined ? stranger : `, by ${operator}`}`;
}

function agoWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}
