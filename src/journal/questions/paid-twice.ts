/**
 * Finds refunds that were made twice and that nobody has dealt with yet, and those that a read is the first to show twice. Pure.
 */

import { isAcknowledged, isUnconfirmed, verdictOf } from '../attempt-state.ts';
import type { FoundRefund } from '../change.ts';
import { type Evidence, isExpected } from '../judge-read.ts';
import type { AttemptRecord, VerdictRow } from '../rows/journal-rows.ts';
import { judgeOrder } from '../verdict.ts';
import { allSentAgain } from './by-hand.ts';
import { isSameAttempt, ownRefunds } from './verdicts-say.ts';

/** Whether a refund has the alarm `duplicate`, and nobody has acknowledged it. Then no refund of its order is sent. */
export function isPaidTwice(record: AttemptRecord): boolean {
  const last = verdictOf(record);
  return record.sent.proof.kind === 'refund' && last?.verdict === 'applied' && last.alarm === 'duplicate';
}

/**
 * What a read of the order shows if it shows a refund twice and the journal does not know that yet. `last`: the last verdict,
 * which says that the refund was made. A duplicate that somebody has acknowledged is known.
 */
export function newDuplicate(
  record: AttemptRecord,
  last: VerdictRow,
  known: readonly AttemptRecord[],
  order: unknown,
): Extract<Evidence, { readonly shows: 'duplicate' }> | undefined {
  const evidence = judgeOrder(record, known, order);
  if (evidence.shows !== 'duplicate' || last.alarm === 'duplicate') return undefined;
  return isAcknowledged(last, 'duplicate', evidence.refunds) ? undefined : evidence;
}

/** Who sent refunds that are there more than once. */
interface Senders {
  /** The changes that sent them from here, each once. */
  readonly sentAs: readonly string[];
  /** How many of the refunds none of these changes made. */
  readonly others: number;
}

/** Who sent these refunds, as far as the journal knows it. `known`: the attempts on the order. */
export function sendersOf(refunds: readonly string[], known: readonly AttemptRecord[]): Senders {
  const senders = refunds.flatMap(
    (id) => known.find((record) => ownRefunds(record).some((one) => one.id === id))?.sent.change ?? [],
  );
  return { sentAs: [...new Set(senders)], others: refunds.length - senders.length };
}

type NamedRefund = FoundRefund & { readonly id: string };

/**
 * The refunds that are there more than once. They come from the last read that showed more than was asked for: a later one may show
 * fewer. `known`: the attempts on the order.
 */
export function foundTwice(record: AttemptRecord, known: readonly AttemptRecord[]): readonly NamedRefund[] {
  const { expected } = record.sent.proof;
  const seen = record.verdicts.findLast(
    ({ alarm, refunds }) => alarm === 'duplicate' && (refunds?.length ?? 0) > expected.length,
  );
  return withSentAgain(record, seen?.refunds ?? ownRefunds(record), known);
}

/** The refunds that an attempt made, each as often as it is there. What a read showed beside them is somebody else's. */
export function madeRefunds(record: AttemptRecord): readonly FoundRefund[] {
  const own = ownRefunds(record);
  const ids = new Set(own.map(({ id }) => id));
  const seen = record.verdicts.findLast(({ alarm }) => alarm === 'duplicate')?.refunds ?? [];
  return [...own, ...seen.filter(({ id }) => !ids.has(id))];
}

/**
 * The refunds that are named with an attempt: those that it made. While nobody knows what it made, whatever the last read showed,
 * since each of these may be its own.
 */
export function namedRefunds(record: AttemptRecord): readonly FoundRefund[] {
  return isUnconfirmed(record) ? (verdictOf(record)?.refunds ?? []) : madeRefunds(record);
}

/** The ids of the refunds that are there more than once. */
export function refundsPaidTwice(record: AttemptRecord, known: readonly AttemptRecord[]): readonly string[] {
  return foundTwice(record, known).map(({ id }) => id);
}

/**
 * The refunds that a read showed and that an attempt asked for, and the refunds that were made by attempts sent in its place.
 * Only those with an id, each once.
 */
export function withSentAgain(
  record: AttemptRecord,
  shown: readonly FoundRefund[],
  known: readonly AttemptRecord[],
): readonly NamedRefund[] {
  const named = new Map<string, NamedRefund>();
  for (const refund of [...shown, ...allSentAgain(record, known).flatMap(ownRefunds)]) {
    const { id } = refund;
    if (id !== undefined && isExpected(record.sent.proof, refund)) named.set(id, { ...refund, id });
  }
  return [...named.values()];
}

/** The other attempts on the order whose alarm says that a refund was made twice. Each is acknowledged by itself. */
export function otherAlarms(
  record: AttemptRecord,
  known: readonly AttemptRecord[],
): readonly AttemptRecord[] {
  return known.filter((other) => isPaidTwice(other) && !isSameAttempt(other, record));
}
