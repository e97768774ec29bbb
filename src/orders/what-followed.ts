/** What followed a refund that failed, was refused or was recorded as not made, and what may still follow. Pure. */

import { type ChargeMoney, newestEqual, type RefundRecord } from '../api/charges.ts';
import { meaningOfRefund } from '../api/spec.ts';
import { type AttemptRecord, ownRefunds, statementOn } from '../journal/journal.ts';
import type { KnownOrder } from './known-order.ts';
import type { OrderCase } from './order-cases.ts';

/** What became of the money of a refund that failed. `refunds`: the ids of those that were sent in its place, made or pending. */
export interface AfterFailure {
  /** Nobody knows; none of it was sent again; a part of it was; all of it, and some is pending; or all of it went back. */
  readonly is: 'in doubt' | 'left' | 'left in part' | 'on its way' | 'went back since';
  readonly refunds: readonly string[];
}

type Followed = Pick<KnownOrder, 'reading' | 'doubt' | 'attempts'>;

/** The same for failed refunds of an order, given by their ids. */
export function afterFailure(
  known: Followed,
  { refunds: failed }: Pick<Extract<OrderCase, { readonly is: 'failed' }>, 'refunds'>,
): AfterFailure {
  if (known.doubt !== undefined || 'problem' in known.reading) return { is: 'in doubt', refunds: [] };
  const later = replacements(known);
  const since = failed.flatMap((id) => later.get(id) ?? []);
  const all = since.some(({ meaning }) => meaning === 'pending') ? 'on its way' : 'went back since';
  const some = since.length === 0 ? 'left' : 'left in part';
  return {
    is: since.length < failed.length || failed.length === 0 ? some : all,
    refunds: since.map(({ id }) => id),
  };
}

/**
 * The refunds that replace failed ones, by the ids of those: of the same amount, on the same charge, made or pending. Each replaces
 * one. A refund that was sent from here before the failure was seen replaces none, since it was meant in addition.
 */
export function replacements({
  reading,
  attempts,
}: Pick<Followed, 'reading' | 'attempts'>): ReadonlyMap<string, RefundRecord> {
  const found = new Map<string, RefundRecord>();
  for (const { refunds } of 'money' in reading ? reading.money.charges : [])
    for (const { id, amount, createdAt = 0 } of refunds.filter(({ meaning }) => meaning === 'failed')) {
      const seen = failureSeenAt(attempts, id) ?? Number.POSITIVE_INFINITY;
      const besides = attempts.filter(({ sent }) => sent.time < seen).flatMap(ownRefunds);
      const used = new Set([...besides, ...found.values()].map((one) => one.id));
      const free = refunds.filter(
        (one) => (one.meaning === 'made' || one.meaning === 'pending') && !used.has(one.id),
      );
      const equal = newestEqual(free, amount);
      if (equal !== undefined && (equal.createdAt ?? createdAt) >= createdAt) found.set(id, equal);
    }
  return found;
}

/**
 * When a refund was first seen as failed, Unix milliseconds: by a verdict, or by the look at the order right before something else was
 * sent. Undefined if the journal has not seen that.
 */
export function failureSeenAt(attempts: readonly AttemptRecord[], refundId: string): number | undefined {
  const isIt = ({ id, status }: { readonly id?: string | undefined; readonly status?: string | undefined }) =>
    id === refundId && meaningOfRefund(status) === 'failed';
  const times = attempts.flatMap(({ sent, verdicts }) => [
    ...(sent.proof.before.charges.some(({ refunds }) => refunds.some(isIt)) ? [sent.time] : []),
    ...verdicts.filter(({ refunds = [] }) => refunds.some(isIt)).map(({ time }) => time),
  ]);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The refunds of a charge that failed and whose money is left, since nothing was sent instead of them. */
export function failedAndLeft(
  known: Followed,
  { refunds }: Pick<ChargeMoney, 'refunds'>,
): readonly RefundRecord[] {
  if (known.doubt !== undefined) return [];
  const later = replacements(known);
  return refunds.filter(({ id, meaning }) => meaning === 'failed' && !later.has(id));
}

/** Whether the same money was sent again after this case: then what the order shows says more. */
export function isFollowed(known: Followed, one: OrderCase): boolean {
  if (one.is === 'recorded not made') return one.again !== undefined;
  if (one.is !== 'failed') return false;
  return ['on its way', 'went back since'].includes(afterFailure(known, one).is);
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
