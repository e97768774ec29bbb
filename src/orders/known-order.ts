/** Works out what is known about an order, from the order as it was read, what the journal holds about it, and the time. Pure. */

import {
  type ChargeMoney,
  hasNoCharges,
  leftToRefund,
  type MoneyReading,
  type OrderMoney,
  type RefundRecord,
  readMoney,
} from '../api/charges.ts';
import type { JsonObject } from '../api/json-values.ts';
import { paymentOf } from '../api/payment.ts';
import {
  type Mode,
  meaningOfRefund,
  meaningOfStatus,
  modeOfOrder,
  noModeWords,
  statuses,
} from '../api/spec.ts';
import {
  type AttemptRecord,
  appearedVerdict,
  hasFailed,
  isOpen,
  isPaidTwice,
  isSentAgain,
  isUnconfirmed,
  type Moment,
  neverArrived,
  ownRefunds,
  probableRefunds,
  refundsPaidTwice,
  statementOn,
} from '../journal/journal.ts';
import { casesOf, type OrderCase, stopsRefund, untilMayAppear } from './order-cases.ts';
import { isFollowed } from './what-followed.ts';

/** Every state of a refund, in code, JSON, screens and documents. */
export const refundStates = [
  'made',
  'pending',
  'failed',
  'unconfirmed',
  'recorded made',
  'recorded not made',
  'appeared',
  'made twice',
  'gone',
  'elsewhere',
] as const;
/**
 * - `made`: the service made it, and a reply or a read showed that
 * - `pending`: the service has taken it up
 * - `failed`: the service accepted it, and the money did not go back
 * - `unconfirmed`: nobody knows whether it was made
 * - `recorded made`, `recorded not made`: a person says so, and the order does not show it
 * - `appeared`: a person recorded that it was not made, and the order shows it
 * - `made twice`: the order shows it more than once
 * - `gone`: it was made, and the order does not show it any more
 * - `elsewhere`: the order shows it, and the journal does not know it
 */
export type RefundState = (typeof refundStates)[number];

/** What these states mean, in words that follow a refund and a colon. */
export const stateMeans = {
  pending: 'the service has taken it up, and the money has not gone back yet',
  failed: 'that money did not go back',
  gone: 'it was made, and the order does not show it any more',
} as const satisfies Partial<Record<RefundState, string>>;

/** What the journal can know about a change. An order shows no trace of a change that was `refused` or `not sent`. */
type RecordedState = Exclude<RefundState, 'elsewhere'> | 'refused' | 'not sent';

// What a person must know first comes first, as in `casesOf`.
const byUrgency: readonly RefundState[] = [
  'unconfirmed',
  'made twice',
  'appeared',
  'gone',
  'recorded made',
  'failed',
  'recorded not made',
  'pending',
  'elsewhere',
  'made',
];

/** The most urgent state of these refunds; undefined if there are none. */
export function mostUrgent(refunds: readonly Pick<KnownRefund, 'state'>[]): RefundState | undefined {
  return byUrgency.find((state) => refunds.some((one) => one.state === state));
}

/** A refund of an order. */
export interface KnownRefund {
  readonly state: RefundState;
  /** The record that the order shows; undefined if it shows none. */
  readonly record: RefundRecord | undefined;
  /** The charge; undefined if the order does not show the refund, and it was for several charges or its charge cannot be read. */
  readonly charge: ChargeMoney | undefined;
  /** Positive; undefined if that is not known. */
  readonly amount: number | undefined;
  /** The attempt that sent it, as far as the journal knows. */
  readonly attempt: AttemptRecord | undefined;
  /** The order does not show it, and it may still appear. */
  readonly mayAppear: boolean;
}

/** Whether a refund was sent, and nothing showed it until its waiting period was over: it paid nothing back. */
export function isNeverArrived({
  state,
  record,
  mayAppear,
}: Pick<KnownRefund, 'state' | 'record' | 'mayAppear'>): boolean {
  return state === 'unconfirmed' && record === undefined && !mayAppear;
}

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
  /** The most urgent thing in a word, shown in place of the service's status; undefined if there is nothing. */
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

function refundsOf(
  reading: MoneyReading,
  attempts: readonly AttemptRecord[],
  {
    probable,
    replaced,
    cases,
    now,
  }: Pick<KnownOrder, 'replaced' | 'cases'> & {
    readonly probable: ReadonlyMap<string, AttemptRecord>;
    readonly now: Moment;
  },
): readonly KnownRefund[] {
  const charges = 'money' in reading ? reading.money.charges : [];
  const own = new Map(
    attempts.flatMap((attempt) => ownRefunds(attempt).map(({ id }) => [id, attempt] as const)),
  );
  const twice = new Set(cases.flatMap((one) => (one.is === 'made twice' ? one.twice.refunds : [])));
  // The cases name only one attempt that was made twice. And one that somebody has dealt with was made twice all the same.
  for (const record of attempts.filter((one) => isPaidTwice(one) || isTwiceAndAcknowledged(one)))
    for (const id of refundsPaidTwice(record, attempts)) twice.add(id);
  const appeared = new Set(cases.flatMap((one) => (one.is === 'appeared' ? one.refund.refunds : [])));
  const stateOf = ({ id, meaning }: RefundRecord): RefundState => {
    if (meaning !== 'made') return meaning;
    if (twice.has(id)) return 'made twice';
    if (appeared.has(id)) return 'appeared';
    if (own.has(id)) return 'made';
    const sent = probable.get(id);
    if (sent === undefined) return 'elsewhere';
    // What a person recorded as made is made, once the order shows it.
    return isUnconfirmed(sent) ? 'unconfirmed' : 'made';
  };
  const shown = charges.flatMap((charge) =>
    charge.refunds.map(
      (record): KnownRefund => ({
        state: stateOf(record),
        record,
        charge,
        amount: Math.abs(record.amount),
        attempt: own.get(record.id) ?? probable.get(record.id),
        mayAppear: false,
      }),
    ),
  );
  // What never arrived and was sent again is left out: the attempt in its place says what became of it.
  const seen = new Set([...shown.map(({ attempt }) => attempt), ...replaced]);
  const unshown = attempts.flatMap((attempt): readonly KnownRefund[] => {
    const state = seen.has(attempt) ? undefined : unshownState(attempt, cases, now);
    if (state === undefined) return [];
    const { proof, amount } = attempt.sent;
    const [one, second] = proof.expected;
    const charge = second === undefined ? charges.find(({ id }) => id === one?.chargeId) : undefined;
    const mayAppear = state === 'recorded not made' || isOpen(attempt, now);
    return [{ state, record: undefined, charge, amount, attempt, mayAppear }];
  });
  return [...shown, ...unshown];
}

function replacedOf(
  attempts: readonly AttemptRecord[],
  probable: ReadonlyMap<string, AttemptRecord>,
  now: Moment,
): readonly AttemptRecord[] {
  const shown = new Set(probable.values());
  return attempts.filter(
    (one) => isUnconfirmed(one) && !isOpen(one, now) && isSentAgain(one, attempts) && !shown.has(one),
  );
}

// The state of a refund that the order does not show; undefined if there is nothing to say about it.
function unshownState(
  attempt: AttemptRecord,
  cases: readonly OrderCase[],
  now: Moment,
): RefundState | undefined {
  if (attempt.sent.proof.kind !== 'refund') return undefined;
  if (isUnconfirmed(attempt)) return 'unconfirmed';
  if (cases.some((one) => one.is === 'recorded made' && one.record === attempt)) return 'recorded made';
  if (cases.some((one) => one.is === 'gone' && one.record === attempt)) return 'gone';
  if (attempt.verdicts.at(-1)?.acknowledged === 'gone') return 'gone';
  const isSaidNot = statementOn(attempt)?.verdict === 'rejected';
  return isSaidNot && untilMayAppear(attempt, now.wall) !== undefined ? 'recorded not made' : undefined;
}

function isTwiceAndAcknowledged({ verdicts }: AttemptRecord): boolean {
  return verdicts.at(-1)?.acknowledged === 'duplicate';
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

/** Whether a refund in this state paid nothing back, as far as anybody knows. */
export function gaveNothing(state: string): boolean {
  return state === 'failed' || state === 'recorded not made';
}

/**
 * What the journal says about a change. If a reply or the order contradicts itself, nobody knows what was made, so the state is
 * `unconfirmed`.
 */
export function recordedState(record: AttemptRecord): RecordedState {
  const last = record.verdicts.at(-1);
  if (appearedVerdict(record) !== undefined) return 'appeared';
  if (last?.alarm === 'duplicate' || last?.acknowledged === 'duplicate') return 'made twice';
  if (last?.alarm === 'gone' || last?.acknowledged === 'gone') return 'gone';
  if (last?.alarm === 'failed' || hasFailed(record)) return 'failed';
  if (last?.alarm !== undefined || isUnconfirmed(record)) return 'unconfirmed';
  if (last?.verdict === 'applied' && last.by === 'person') return 'recorded made';
  if (last?.verdict === 'applied') {
    const own = ownRefunds(record).map(({ status }) => meaningOfRefund(status));
    return own.find((meaning) => meaning === 'pending' || meaning === 'unconfirmed') ?? 'made';
  }
  if (last?.verdict === 'not_sent') return 'not sent';
  return statementOn(record) === undefined ? 'refused' : 'recorded not made';
}
