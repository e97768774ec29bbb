/** What followed a refund that failed, was refused or was recorded as not made, and what may still follow. Pure. */

import { type ChargeMoney, newestEqual, type RefundRecord } from '../api/charges.ts';
import { meaningOfRefund } from '../api/spec.ts';
import { type AttemptRecord, ownRefunds, statementOn } from '../journal/journal.ts';
import type { KnownOrder } from './known-order.ts';
import type { OrderCase } from './order-cases.ts';

/**
 * What became of the money of a refund that failed: nobody knows; it went back since, all of it or a part, by these refunds; or
 * it is left, since none of it went back.
 */
export type AfterFailure =
  | { readonly is: 'in doubt' | 'left' }
  | { readonly is: 'went back since'; readonly refunds: readonly string[]; readonly isAll: boolean };

/**
 * The same for failed refunds of an order, given by their ids. One later refund replaces one failed refund. A refund that was
 * sent from here before the failure was seen replaces none, since it was meant in addition.
 */
export function afterFailure(
  { reading, doubt, attempts }: Pick<KnownOrder, 'reading' | 'doubt' | 'attempts'>,
  {
    refunds: failed,
    record,
  }: Pick<Extract<OrderCase, { readonly is: 'failed' }>, 'refunds'> & {
    readonly record?: AttemptRecord;
  },
): AfterFailure {
  if (doubt !== undefined || 'problem' in reading) return { is: 'in doubt' };
  const seen = record === undefined ? 0 : failedSince(record);
  const besides = attempts.filter(({ sent }) => sent.time < seen).flatMap(ownRefunds);
  const used = new Set(besides.map(({ id }) => id));
  const since = reading.money.charges.flatMap((charge) =>
    charge.refunds
      .filter(({ id }) => failed.includes(id))
      .map(({ amount, createdAt = 0 }) => {
        const others = charge.refunds.filter(({ id, meaning }) => meaning === 'made' && !used.has(id));
        const equal = newestEqual(others, amount);
        if (equal === undefined || (equal.createdAt ?? createdAt) < createdAt) return undefined;
        used.add(equal.id);
        return equal.id;
      }),
  );
  const refunds = since.flatMap((id) => id ?? []);
  if (refunds.length === 0) return { is: 'left' };
  return { is: 'went back since', refunds, isAll: !since.includes(undefined) };
}

// When it was first seen that a refund of an attempt failed, Unix milliseconds.
function failedSince({ verdicts }: AttemptRecord): number {
  const isFailed = ({ status }: { readonly status?: string | undefined }) =>
    meaningOfRefund(status) === 'failed';
  return verdicts.find(({ refunds = [] }) => refunds.some(isFailed))?.time ?? Number.POSITIVE_INFINITY;
}

/** The refunds of a charge that failed and whose money is left, since not as much went back for each of them. */
export function failedAndLeft(
  known: Parameters<typeof afterFailure>[0],
  { refunds }: Pick<ChargeMoney, 'refunds'>,
): readonly RefundRecord[] {
  const failed = refunds.filter(({ meaning }) => meaning === 'failed');
  return failed.filter(({ amount }) => {
    const alike = failed.filter((one) => one.amount === amount).map(({ id }) => id);
    const after = afterFailure(known, { refunds: alike });
    return after.is === 'left' || (after.is === 'went back since' && !after.isAll);
  });
}

/** Whether the same money was sent again after this case: then what the order shows says more. */
export function isFollowed(
  known: Pick<KnownOrder, 'reading' | 'doubt' | 'attempts'>,
  one: OrderCase,
): boolean {
  if (one.is === 'recorded not made') return one.again !== undefined;
  if (one.is !== 'failed') return false;
  const after = afterFailure(known, one);
  return after.is === 'went back since' && after.isAll;
}

/** Whether anything is left on the charges of a refund that the order does not show, so that it may still be made. */
export function hasRoom({ reading }: Pick<KnownOrder, 'reading'>, { sent }: AttemptRecord): boolean {
  if ('problem' in reading) return true;
  const asked = new Set(sent.proof.expected.map(({ chargeId }) => chargeId));
  return reading.money.charges.some(({ id, left }) => asked.has(id) && left > 0);
}

/** What became of a refund that nobody saw arrive, in words that follow it. */
export function lostWord({ verdicts }: AttemptRecord): 'was refused' | 'never arrived' {
  return verdicts.at(-1)?.verdict === 'rejected' ? 'was refused' : 'never arrived';
}

/** The attempt that was sent last, if the service refused it and nobody settled that: the buyer may have been told about it. */
export function lastRefused({
  attempts,
  neverArrived: lost,
  unfit,
}: Pick<KnownOrder, 'attempts' | 'neverArrived' | 'unfit'>) {
  const record = attempts.at(-1);
  const refusal = record?.verdicts.findLast(({ error }) => error !== undefined)?.error;
  if (record === undefined || refusal === undefined || unfit?.is === 'refunded') return undefined;
  const isRejected = record.verdicts.at(-1)?.verdict === 'rejected';
  if (!isRejected || statementOn(record) !== undefined || lost.includes(record)) return undefined;
  return { record, refusal };
}
