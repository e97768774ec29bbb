/**
 * What a person still has to look at, from the journal and from the orders that were read: the open cases of `today` and of a
 * report.
 */

import { sumOfRefunds } from '../api/charges.ts';
import { dayMs } from '../api/spec.ts';
import { warnOfUnrecorded } from '../changes/changes.ts';
import type { Context } from '../context/context.ts';
import {
  type AttemptRecord,
  attemptName,
  failedRefunds,
  horizonOf,
  recordedState,
} from '../journal/journal.ts';
import {
  afterFailure,
  attemptOf,
  hasRoom,
  type KnownOrder,
  openStates,
  stopsRefund,
} from '../orders/orders.ts';

// The states that a person must know about, and those that somebody recorded and no read has confirmed.
export const toldStates = [...openStates, 'recorded made', 'recorded not made'] as const;
export type ToldState = (typeof toldStates)[number];

export interface OpenCase {
  readonly state: ToldState;
  /** How many refunds: several refunds of one change may have failed. */
  readonly count: number;
  readonly amount: number | undefined;
  /** Undefined for something other than an order, such as a payment link. */
  readonly orderId: string | undefined;
  readonly currency: string | undefined;
  /** Undefined if only the figures of the order are in doubt, which nothing sent from here explains. */
  readonly record: AttemptRecord | undefined;
  /** It failed, and the same amount went back later. */
  readonly isFollowed?: boolean;
  /** What is doubtful about the figures, in words. */
  readonly doubt?: string | undefined;
}

export type OpenCases = ReturnType<typeof collectOpenCases>;

export function collectOpenCases(ctx: Context) {
  const seen: OpenCase[] = [];
  const lost: AttemptRecord[] = [];
  const followed = new Set<string>();
  const dayAgo = ctx.clock.now() - dayMs;
  return {
    /** Adds what orders show. It warns about what the journal does not know yet, with the command that records it. */
    see: (orders: readonly KnownOrder[]): void => {
      for (const known of orders) {
        lost.push(...known.neverArrived.filter((record) => horizonOf(record) > dayAgo));
        seen.push(...casesOf(known));
        for (const one of known.cases)
          if (one.is === 'failed' && afterFailure(known, one).is === 'went back since')
            followed.add(attemptName(one.record));
        warnOfUnrecorded(ctx, known);
      }
    },
    /** What these attempts say, and what else was seen. `attempts`: those that a person must look at. */
    all(attempts: readonly AttemptRecord[]) {
      const own = attempts.map((record) => ({
        ...caseOf(
          openStates.find((one) => one === recordedState(record)),
          record,
        ),
        isFollowed: followed.has(attemptName(record)),
      }));
      const told = new Set(own.map(({ record }) => record && attemptName(record)));
      const isTold = ({ state, orderId, record }: OpenCase) =>
        (record !== undefined && told.has(attemptName(record))) ||
        own.some((one) => one.state === state && one.orderId === orderId);
      return [...own, ...seen.filter((one) => !isTold(one))];
    },
    /** Refunds that never arrived and whose waiting period ended within the last day, so that they are reported once. */
    lost: () => lost.map((record) => caseOf('unconfirmed', record)),
  };
}

/** A change as a case. `failed`: those of its refunds that failed, as the order shows them; without it, as the journal knows them. */
export function caseOf(
  state: ToldState = 'unconfirmed',
  record: AttemptRecord,
  failed: Pick<OpenCase, 'count' | 'amount'> = failedIn(record),
): OpenCase {
  const { amount, currency, proof } = record.sent;
  const whole = { count: 1, amount };
  const some = state === 'failed' && failed.count > 0 ? failed : whole;
  return { state, orderId: proof.orderId, currency, record, ...some };
}

function failedIn(record: AttemptRecord): Pick<OpenCase, 'count' | 'amount'> {
  const failed = failedRefunds(record);
  return { count: failed.length, amount: sumOfRefunds(failed) };
}

function casesOf(known: KnownOrder): readonly OpenCase[] {
  const { order, cases, first, doubt, attempts } = known;
  const doubted = { count: 1, amount: undefined };
  const shared = {
    orderId: String(order.id),
    currency: typeof order.currency === 'string' ? order.currency : undefined,
  };
  const found = cases.flatMap((one): readonly OpenCase[] => {
    const state = toldStates.find((told) => told === one.is);
    const record = attemptOf(one, attempts);
    // Nobody has to look at it any more if the order has no money left that could still go back.
    if (state === undefined || (one.is === 'recorded not made' && !hasRoom(known, one.record))) return [];
    if (record === undefined) return [{ ...shared, ...doubted, state, record }];
    const failed = one.is === 'failed' ? { count: one.refunds.length, amount: one.amount } : undefined;
    return [caseOf(state, record, failed)];
  });
  if (first !== 'unconfirmed' || cases.some(({ is }) => stopsRefund(is))) return found;
  return [...found, { ...shared, ...doubted, state: first, record: undefined, doubt }];
}
