/** What a person has to look at in an account: what the journal says, and what orders show that the journal does not know yet. */

import { warnOfUnrecorded } from '../changes/changes.ts';
import type { Context } from '../context/context.ts';
import { type AttemptRecord, needsPerson } from '../journal/journal.ts';
import { attemptOf, type KnownOrder, openStates, recordedState, stopsRefund } from '../orders/orders.ts';

interface OpenCase {
  readonly state: (typeof openStates)[number];
  /** Undefined for something else than an order, such as a payment link. */
  readonly orderId: string | undefined;
  readonly currency: string | undefined;
  /** Undefined if only the figures of the order are in doubt, which nothing sent from here explains. */
  readonly record: AttemptRecord | undefined;
  /** That doubt in words. */
  readonly doubt?: string | undefined;
}

export interface OpenCases {
  /** Adds what orders show. It warns of what the journal does not know yet, with the command that records it. */
  readonly see: (orders: readonly KnownOrder[]) => void;
  /** What these attempts say by themselves, and what was seen besides. `attempts`: those that are unconfirmed or have an alarm. */
  readonly all: (attempts: readonly AttemptRecord[]) => Promise<readonly OpenCase[]>;
}

export function collectOpenCases(ctx: Context): OpenCases {
  const seen: OpenCase[] = [];
  return {
    see(orders) {
      for (const known of orders) {
        seen.push(...casesOf(known));
        warnOfUnrecorded(ctx, known);
      }
    },
    async all(attempts) {
      const now = await ctx.journal.now();
      const own = attempts
        .filter((record) => needsPerson(record, now))
        .map((record): OpenCase => {
          const { currency, proof } = record.sent;
          const state = openStates.find((one) => one === recordedState(record)) ?? 'unconfirmed';
          return { state, orderId: proof.orderId, currency, record };
        });
      const isTold = ({ state, orderId }: OpenCase) =>
        own.some((one) => one.state === state && one.orderId === orderId);
      return [...own, ...seen.filter((one) => !isTold(one))];
    },
  };
}

function casesOf({ order, cases, first, doubt, attempts }: KnownOrder): readonly OpenCase[] {
  const shared = {
    orderId: String(order.id),
    currency: typeof order.currency === 'string' ? order.currency : undefined,
  };
  const found = cases.flatMap((one): readonly OpenCase[] => {
    const state = openStates.find((open) => open === one.is);
    return state === undefined ? [] : [{ ...shared, state, record: attemptOf(one, attempts) }];
  });
  if (first !== 'unconfirmed' || cases.some(({ is }) => stopsRefund(is))) return found;
  return [...found, { ...shared, state: first, record: undefined, doubt }];
}
