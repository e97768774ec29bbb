/** Decides the state of each refund of an order, whether the order shows it or only the journal knows it. Pure. */

import type { ChargeMoney, MoneyReading, RefundRecord } from '../api/charges.ts';
import {
  type AttemptRecord,
  isOpen,
  isSentAgain,
  isUnconfirmed,
  type Moment,
  ownRefunds,
  recordedState,
  refundsPaidTwice,
  statementOn,
} from '../journal/journal.ts';
import type { Span } from '../terminal/terminal.ts';
import type { KnownOrder } from './known-order.ts';
import { type OrderCase, untilMayAppear } from './order-cases.ts';

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

/** The states that somebody has to know about: nobody knows the outcome, or money is where nobody wanted it. */
export const openStates = ['unconfirmed', 'made twice', 'appeared', 'failed', 'gone'] as const;

/** Whether it is one of `openStates`. */
export function isOpenState(state: string): boolean {
  return openStates.some((one) => one === state);
}

/**
 * Whether a case in this state stops every refund of the order until somebody has dealt with it, whatever `--again` names. A
 * failed refund stops none.
 */
export function stopsRefund(state: string): boolean {
  return state !== 'failed' && isOpenState(state);
}

/**
 * The style of a state on every screen, and of the other words for what must be known first about an order. Undefined for what
 * needs no attention.
 */
export function styleOfState(state: RefundState | KnownOrder['first']) {
  if (state === undefined || state === 'made' || state === 'elsewhere') return undefined;
  return state === 'pending' || state === 'not refundable' ? 'warn' : 'bad';
}

/** A text about a state, in the style of the state. */
export function stateSpan(state: Parameters<typeof styleOfState>[0], text: string): Span {
  const style = styleOfState(state);
  return style === undefined ? text : { text, style };
}

/** A state as one word, for scripts: `made_twice`. */
export type StateWord<State extends string> = State extends `${infer First} ${infer Rest}`
  ? `${First}_${StateWord<Rest>}`
  : State;
export function stateWord<const State extends string>(state: State): StateWord<State>;
export function stateWord(state: string): string {
  return state.replaceAll(' ', '_');
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
  /** The order does not show it, and it may still go through. */
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

/**
 * The refunds of an order with their states: those that it shows, and those that only the journal knows. `probable`: attempts that
 * probably made refunds of the order, by the ids of those refunds. `replaced`: what `replacedOf` finds.
 */
export function refundsOf(
  reading: MoneyReading,
  attempts: readonly AttemptRecord[],
  {
    probable,
    replaced,
    cases,
    now,
  }: {
    readonly replaced: readonly AttemptRecord[];
    readonly cases: readonly OrderCase[];
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
  for (const record of attempts.filter((one) => recordedState(one) === 'made twice'))
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

/** Refunds that nobody saw arrive, and that were sent again. */
export function replacedOf(
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
  if (recordedState(attempt) === 'gone' || cases.some((one) => one.is === 'gone' && one.record === attempt))
    return 'gone';
  const isSaidNot = statementOn(attempt)?.verdict === 'rejected';
  return isSaidNot && untilMayAppear(attempt, now.wall) !== undefined ? 'recorded not made' : undefined;
}

/** Whether a refund in this state paid nothing back, as far as anybody knows. */
export function gaveNothing(state: string): boolean {
  return state === 'failed' || state === 'recorded not made';
}
