/**
 * Refunds that were paid back twice, as far as nobody has dealt with that yet: which attempts, and which refunds; and what a read
 * is the first to show twice. Pure.
 */

import { claimsOf, isAcknowledged, ownRefunds, verdictOf } from './attempt-state.ts';
import { sentAgain } from './by-hand.ts';
import type { AttemptRecord, VerdictRow } from './journal-rows.ts';
import { earliestOf } from './journal-time.ts';
import { type Evidence, isSameMoney, judgeRead } from './judge-read.ts';

/** Whether a refund has the alarm `duplicate`, and nobody has acknowledged it. Then its order is not refunded. */
export function isPaidTwice(record: AttemptRecord): boolean {
  const last = verdictOf(record);
  return record.sent.proof.kind === 'refund' && last?.verdict === 'applied' && last.alarm === 'duplicate';
}

/**
 * What a read of the order shows if it shows a refund twice and the journal does not know that yet. `last`: the last verdict,
 * which says that the refund was made. What somebody has acknowledged is known.
 */
export function newDuplicate(
  record: AttemptRecord,
  last: VerdictRow,
  known: readonly AttemptRecord[],
  order: unknown,
): Extract<Evidence, { readonly shows: 'duplicate' }> | undefined {
  const { sent } = record;
  const evidence = judgeRead(sent.proof, order, claimsOf(known, record), earliestOf(sent));
  if (evidence.shows !== 'duplicate' || last.alarm === 'duplicate') return undefined;
  return isAcknowledged(last, 'duplicate', evidence.refunds) ? undefined : evidence;
}

/** The intents that sent these refunds, if each of them was sent from here, as a change of its own; else none. */
export function sendersOf(refunds: readonly string[], known: readonly AttemptRecord[]): readonly string[] {
  const senders = refunds.map((id) =>
    known.find((record) => ownRefunds(record).some((one) => one.id === id)),
  );
  const intents = new Set(senders.map((record) => record?.sent.intent));
  const all = [...intents].filter((intent) => intent !== undefined);
  return all.length === refunds.length ? all : [];
}

/**
 * The ids of the refunds that are there more than once. They come from the last read that showed all of them: a later one
 * may show fewer. If a person corrected a record, the second refund is that of the attempt that was sent again. `known`: the
 * attempts on the order.
 */
export function refundsPaidTwice(record: AttemptRecord, known: readonly AttemptRecord[]): readonly string[] {
  const { expected } = record.sent.proof;
  const seen = record.verdicts.findLast(
    ({ alarm, refunds }) => alarm === 'duplicate' && (refunds?.length ?? 0) > expected.length,
  );
  const attempts = [record, sentAgain(record, known)].filter((one) => one !== undefined);
  const found = seen?.refunds ?? attempts.flatMap(ownRefunds);
  const same = found.filter((refund) => expected.some((one) => isSameMoney(one, refund)));
  return [...new Set(same.map(({ id }) => id).filter((id) => id !== undefined))];
}
