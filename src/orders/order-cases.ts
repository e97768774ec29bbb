/** Finds what a person must know about an order before changing anything else about it. Pure. */

import { type ChargeMoney, type MoneyReading, type RefundRecord, sumOfRefunds } from '../api/charges.ts';
import type { JsonObject } from '../api/json-values.ts';
import { meaningOfRefund } from '../api/spec.ts';
import {
  type AppearedRefund,
  type AttemptRecord,
  appearedRefunds,
  awaitsRead,
  failedRefunds,
  horizonOf,
  isFailedLate,
  isMadeRefund,
  isOpen,
  isPaidTwice,
  isUnconfirmed,
  type Moment,
  missingFrom,
  ownRefunds,
  type PaidTwice,
  paidTwiceOf,
  seenTwice,
  sentAgain,
  showsCapture,
  type UnconfirmedChange,
  unconfirmedChange,
  unshownRefunds,
} from '../journal/journal.ts';

/** One thing that a person must know; `is` has the words of the states of a refund (`refundStates`). */
export type OrderCase =
  /** `isShown`: the order shows something that may be this change, and nobody has confirmed that. */
  | { readonly is: 'unconfirmed'; readonly change: UnconfirmedChange; readonly isShown: boolean }
  /**
   * `isKnown`: the journal has it; otherwise only the order shows it. `late`: the one among the refunds that somebody recorded as
   * not made.
   */
  | {
      readonly is: 'made twice';
      readonly twice: PaidTwice;
      readonly isKnown: boolean;
      readonly late?: AppearedRefund | undefined;
    }
  | { readonly is: 'appeared'; readonly refund: AppearedRefund }
  | { readonly is: 'recorded made'; readonly record: AttemptRecord }
  /** It was made, and the order does not show it any more. `refunds`: the ids of the missing ones. */
  | { readonly is: 'gone'; readonly record: AttemptRecord; readonly refunds: readonly string[] }
  /** It failed after it was made. That stops no refund. `refunds`: the ids of the failed ones; `amount`: their sum, positive. */
  | {
      readonly is: 'failed';
      readonly record: AttemptRecord;
      readonly refunds: readonly string[];
      readonly amount: number;
    }
  /** It can still take effect before `until` (Unix milliseconds). `again`: the attempt that sent the same money since. */
  | {
      readonly is: 'recorded not made';
      readonly record: AttemptRecord;
      readonly until: number;
      readonly again: AttemptRecord | undefined;
    };

/**
 * The cases of an order as it was read, the most urgent first. `known`: what this machine sent for it, oldest first. `probable`:
 * attempts that probably made refunds of the order, by the ids of those refunds.
 */
export function casesOf(
  order: JsonObject,
  known: readonly AttemptRecord[],
  {
    reading,
    probable,
    now,
  }: {
    readonly reading: MoneyReading;
    readonly probable: ReadonlyMap<string, AttemptRecord>;
    readonly now: Moment;
  },
): readonly OrderCase[] {
  const shown = 'money' in reading ? reading.money.charges.flatMap(({ refunds }) => refunds) : undefined;
  const paid = known.find(isPaidTwice);
  const seen = seenTwice(known, order);
  const appeared = appearedRefunds(known, order);
  // The order shows these attempts, whatever status their refunds have.
  const found = new Set(probable.values());
  // A change that the order shows after its time, but that no read has proven yet, is unconfirmed too.
  const open = known.find((record) => isOpen(record, now) || (awaitsRead(record) && found.has(record)));
  const isShown =
    known.some((record) => found.has(record) && isUnconfirmed(record)) ||
    (open !== undefined && showsCapture(open, order));
  const unshown = unshownRefunds(known, order).filter((record) => !found.has(record));
  const late = known.flatMap((record): readonly OrderCase[] => {
    const until = untilMayAppear(record, now.wall);
    const isThere = appeared.some((refund) => refund.record === record);
    return until === undefined || isThere
      ? []
      : [{ is: 'recorded not made', record, until, again: sentAgain(record, known) }];
  });
  return [
    ...(open === undefined ? [] : [{ is: 'unconfirmed' as const, change: unconfirmedChange(open), isShown }]),
    ...twiceCases(paid && paidTwiceOf(paid, known), seen, appeared),
    ...(shown !== undefined ? goneCases(order, shown, known) : []),
    ...unshown.map((record): OrderCase => ({ is: 'recorded made', record })),
    ...(shown === undefined ? [] : failedCases(shown, known, probable)),
    ...late,
  ];
}

// A refund that was sent again and appeared late is there twice. Whichever of the two attempts shows that, it is one case.
function twiceCases(
  paid: PaidTwice | undefined,
  seen: readonly PaidTwice[],
  appeared: readonly AppearedRefund[],
): readonly OrderCase[] {
  const isTold = ({ refunds }: Pick<PaidTwice, 'refunds'>, by: PaidTwice | undefined) =>
    by !== undefined && refunds.length > 0 && refunds.every((id) => by.refunds.includes(id));
  const late = appeared.filter((refund) => !isTold(refund, paid));
  const told = appeared.find((refund) => isTold(refund, paid));
  const sent = paid && { ...paid, ...sendersIn(paid, told?.twice) };
  const is = 'made twice';
  return [
    ...(sent === undefined ? [] : [{ is, twice: sent, isKnown: true, late: told } as const]),
    ...seen.flatMap((twice, index) =>
      [paid, ...late.map((refund) => refund.twice), ...seen.slice(0, index)].some((by) => isTold(twice, by))
        ? []
        : [{ is, twice, isKnown: false } as const],
    ),
    ...late.map(
      (refund): OrderCase =>
        refund.twice === undefined
          ? { is: 'appeared', refund }
          : { is, twice: refund.twice, isKnown: false, late: refund },
    ),
  ];
}

// Who sent the refunds that were made twice, if the order shows it and the journal does not know it yet.
function sendersIn(
  { refunds }: PaidTwice,
  told: PaidTwice | undefined,
): Pick<PaidTwice, 'sentAs' | 'others'> {
  if (told === undefined) return {};
  const { sentAs, others = 0 } = told;
  return { sentAs, others: refunds.length - told.refunds.length + others };
}

// Records never go away by themselves: the order is an old copy, or something went wrong at the service. What somebody has
// acknowledged no longer stops anything, and refunds of the other mode were made on another order.
function goneCases(
  order: JsonObject,
  shown: readonly RefundRecord[],
  known: readonly AttemptRecord[],
): readonly OrderCase[] {
  return known.flatMap((record): readonly OrderCase[] => {
    const isOfOtherMode = order.livemode === !record.sent.proof.livemode;
    if (isOfOtherMode || record.verdicts.at(-1)?.acknowledged === 'gone') return [];
    const refunds = missingFrom(record, shown).flatMap(({ id }) => id ?? []);
    return refunds.length === 0 ? [] : [{ is: 'gone', record, refunds }];
  });
}

// A failure that somebody has acknowledged is no longer news.
function failedCases(
  shown: readonly RefundRecord[],
  known: readonly AttemptRecord[],
  probable: ReadonlyMap<string, AttemptRecord>,
): readonly OrderCase[] {
  const failed = shown.filter(({ meaning }) => meaning === 'failed');
  const statuses = new Map(shown.map(({ id, status }) => [id, status]));
  return known.flatMap((record): readonly OrderCase[] => {
    const last = record.verdicts.at(-1);
    if (last?.acknowledged === 'failed' || last?.verdict !== 'applied') return [];
    const own = new Set(failedRefunds(record, statuses).map(({ id }) => id));
    const mine = failed.filter(({ id }) => own.has(id) || probable.get(id) === record);
    if (mine.length === 0 && !isFailedLate(record)) return [];
    return [{ is: 'failed', record, refunds: mine.map(({ id }) => id), amount: sumOfRefunds(mine) }];
  });
}

/**
 * Until when a change that somebody recorded as not made may still take effect, in Unix milliseconds. Undefined if nobody
 * recorded that, or if that time is over.
 */
export function untilMayAppear(record: AttemptRecord, now: number): number | undefined {
  const last = record.verdicts.at(-1);
  const until = horizonOf(record);
  const isSaid = last?.by === 'person' && last.verdict !== 'applied';
  return isSaid && Number.isSafeInteger(until) && until > now ? until : undefined;
}

/**
 * Whether anything may be left on the charges of a refund, so that it may still be made: judged by what the journal knows to be
 * made on the order since.
 */
export function mayHaveRoom(record: AttemptRecord, known: readonly AttemptRecord[]): boolean {
  const since = known.findLast((one) => isMadeRefund(one) && one.sent.time > record.sent.time);
  const asked = new Set(record.sent.proof.expected.map(({ chargeId }) => chargeId));
  const charges = since?.sent.proof.before.charges.filter(({ id }) => asked.has(id)) ?? [];
  const made = since === undefined ? [] : ownRefunds(since);
  const backOf = ({ id, refunds }: (typeof charges)[number]) =>
    sumOfRefunds(
      [...refunds, ...made.filter(({ chargeId }) => chargeId === id)].filter(
        ({ status }) => meaningOfRefund(status) !== 'failed',
      ),
    );
  return (
    charges.length === 0 || charges.some((one) => (one.amount ?? Number.POSITIVE_INFINITY) > backOf(one))
  );
}

/**
 * How much of a charge can go back besides the refunds that were recorded as not made and may still go through (`late`), positive. 0
 * if one of those has the same amount: nobody could tell the two apart.
 */
export function leftBesides(
  { id, left }: Pick<ChargeMoney, 'id' | 'left'>,
  late: readonly AttemptRecord[],
): number {
  const own = late.flatMap(({ sent }) => sent.proof.expected.filter(({ chargeId }) => chargeId === id));
  const besides = own.reduce((rest, { amount }) => rest + amount, left);
  return own.some(({ amount }) => -amount === besides) ? 0 : Math.max(0, besides);
}

/** The attempt that a case is about, among those on the order; undefined if it is not among them. */
export function attemptOf(one: OrderCase, attempts: readonly AttemptRecord[]): AttemptRecord | undefined {
  switch (one.is) {
    case 'unconfirmed':
      return attempts.find(({ sent }) => sent.change === one.change.change);
    case 'made twice':
      return attempts.find(({ sent }) => sent.change === one.twice.change);
    case 'appeared':
      return one.refund.record;
    default:
      return one.record;
  }
}
