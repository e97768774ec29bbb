/** Warns about what a person should know before a refund is sent, although nothing refuses it. Pure. */

import { figuresIn } from '../../amounts.ts';
import { newestEqual, type OrderMoney, standingRefunds } from '../../api/charges.ts';
import { statuses } from '../../api/spec.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import { failedAndLeft, failureSeenAt } from '../../orders/orders.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { DecidedRefund } from './decide-refund.ts';
import { isKnown, type RefundOrigins } from './known-refunds.ts';

const youngMs = 15 * 60_000;

/** Warns about refunds of the last 15 minutes that this machine did not send: somebody else may be refunding the same order. */
export function youngWarnings(
  money: OrderMoney,
  { settings }: Profile,
  nowMs: number,
  origins: RefundOrigins,
): string[] {
  const figure = figuresIn(money.currency, settings);
  return money.charges.flatMap((charge) =>
    standingRefunds(charge).flatMap(({ id, amount, createdAt = 0 }) => {
      const ageMs = nowMs - createdAt * 1000;
      if (ageMs > youngMs || isKnown(origins, id)) return [];
      const ago = ageMs < 60_000 ? 'just now' : `${Math.floor(ageMs / 60_000)} min ago`;
      return [
        `${id} refunded ${figure(-amount)} of charge ${charge.number} ${ago}: somebody may be refunding this order now`,
      ];
    }),
  );
}

/** The attempts on an order, and how the times at which they saw a refund fail are shown. */
export interface FailuresSeen {
  readonly attempts: readonly AttemptRecord[];
  readonly shortTime: (ms: number) => string;
}

/** Says which failed refund this refund is sent instead of: `this sends again rf_1, which failed (seen 10:42)`. */
export function followsWarnings(
  { change: { expected }, money }: Pick<DecidedRefund, 'change' | 'money'>,
  { attempts, shortTime }: FailuresSeen = { attempts: [], shortTime: String },
): string[] {
  const known = { reading: { money }, doubt: money.doubt, attempts };
  return expected.flatMap(({ chargeId, amount }) => {
    const charge = money.charges.find(({ id }) => id === chargeId);
    const failed = charge && newestEqual(failedAndLeft(known, charge), amount);
    if (failed === undefined) return [];
    const seen = failureSeenAt(attempts, failed.id);
    return [
      `this sends again ${failed.id}, which failed${seen === undefined ? '' : ` (seen ${shortTime(seen)})`}`,
    ];
  });
}

// Assumed: the word for a payment that the buyer's bank took back; the document shows none.
const chargedBack = 'charged_back';

/** Warns when the order lacks a field that the refund depends on, or when its state is unusual. */
export function statusWarnings(money: OrderMoney): string[] {
  return statusDoubts(money).map(({ word, why }) =>
    word === chargedBack ? why : `${why}; the service decides whether it can be refunded`,
  );
}

/**
 * Why a person should look at the status of an order before a refund. `word`: what allows it in a plan (`--allow-status`); `absent`
 * stands for what the order does not show.
 */
export function statusDoubts(money: Pick<OrderMoney, 'status' | 'isRefundable' | 'charges'>): readonly {
  readonly word: string;
  readonly why: string;
}[] {
  const { status, isRefundable, charges } = money;
  const known: readonly string[] = [...Object.values(statuses), chargedBack];
  const back = charges.filter((charge) => charge.status === chargedBack);
  const who = status === chargedBack ? ['this order'] : back.map(({ number }) => `charge ${number}`);
  const backWhy = `${who.join(' and ')} was charged back: the bank has paid the buyer, and a refund pays a second time`;
  const absent = (why: string) => ({ word: 'absent', why });
  return [
    ...(who.length === 0 ? [] : [{ word: chargedBack, why: backWhy }]),
    ...(status === undefined ? [absent('the order shows no payment_status')] : []),
    ...(status === undefined || known.includes(status)
      ? []
      : [{ word: status, why: `paydesk does not know the payment_status ${status}` }]),
    ...(isRefundable === undefined ? [absent('the order does not show is_refundable')] : []),
  ];
}
