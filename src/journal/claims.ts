/** Tells which refunds of an order may be an attempt's own, and which are somebody else's. Pure. */

import { isOver, verdictOf } from './attempt-state.ts';
import { momentOfRow } from './journal-time.ts';
import { type Claims, isExpected } from './judge-read.ts';
import { claimedBy, hasFailed, idsOfFailedLater, isSameAttempt } from './questions/verdicts-say.ts';
import type { AttemptRecord } from './rows/journal-rows.ts';

/**
 * Tells which refunds of an order are not this attempt's: those that other attempts made, and those that did not exist
 * yet when a later attempt was about to be sent. By then, the horizon of this one had ended. What shows beside a refund that was
 * made and failed later is somebody else's too.
 */
export function claimsOfOthers(known: readonly AttemptRecord[], record: AttemptRecord): Claims {
  const claimed = claimedBy(known, record);
  // The refunds that a person saw when recording that this attempt was not made.
  const foreign = new Set(
    record.verdicts.flatMap(({ by, verdict, refunds = [] }) =>
      by === 'person' && verdict === 'rejected' ? refunds.map(({ id }) => id) : [],
    ),
  );
  const later = known
    .filter((other) => !isSameAttempt(other, record) && isAfterTimeOf(record, other))
    .map(
      ({ sent }) => new Set(sent.proof.before.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id))),
    );
  const own = idsOfFailedLater(record);
  return {
    has: (id) =>
      claimed.has(id) || foreign.has(id) || own?.has(id) === false || later.some((shown) => !shown.has(id)),
  };
}

/**
 * Another attempt at the same money that counts as not made, and has no refund record yet. A failed record may be that attempt's,
 * so it proves nothing about this one. Undefined if it is known what became of this one.
 */
export function refusedLike(
  record: AttemptRecord,
  known: readonly AttemptRecord[],
): AttemptRecord | undefined {
  const last = verdictOf(record)?.verdict;
  if (last === 'applied' || last === 'rejected') return undefined;
  return known.find(
    (other) =>
      verdictOf(other)?.verdict === 'rejected' &&
      !hasFailed(other) &&
      !isAfterTimeOf(other, record) &&
      other.sent.proof.expected.some((one) => isExpected(record.sent.proof, one)),
  );
}

// Whether the other attempt was sent on the same order after the horizon of the record, as far as the clocks of both tell. With a
// horizon of 0, `isOver` alone would also be true for an attempt that was sent earlier.
function isAfterTimeOf(record: AttemptRecord, { sent }: AttemptRecord): boolean {
  if (sent.proof.kind !== 'refund' || sent.proof.orderId !== record.sent.proof.orderId) return false;
  return sent.time > record.sent.time && isOver(record, momentOfRow(sent));
}
