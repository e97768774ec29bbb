/** Refunds that were paid back twice, as far as nobody has dealt with that yet: which attempts, and which refunds. Pure. */

import { ownRefunds, verdictOf } from './attempt-state.ts';
import { sentAgain } from './by-hand.ts';
import type { AttemptRecord } from './journal-rows.ts';
import { isSameMoney } from './judge-read.ts';

/** Whether a refund has the alarm `duplicate`, and nobody has acknowledged it. Then its order is not refunded. */
export function isPaidTwice(record: AttemptRecord): boolean {
  const last = verdictOf(record);
  return record.sent.proof.kind === 'refund' && last?.verdict === 'applied' && last.alarm === 'duplicate';
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
