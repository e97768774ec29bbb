/** How an attempt stands: the verdict that counts, whether it is open, settled or due, and what it accounts for. Pure. */

import type { AttemptRecord, Moment, VerdictRow } from './rows.ts';
import { provable } from './sight.ts';

/** The verdict that counts; undefined while there is only SENT. */
export function verdictOf(record: AttemptRecord): VerdictRow | undefined {
  return record.verdicts.at(-1);
}

/**
 * When its time is over. It runs from the first verdict, not from SENT: a process that was stopped between the check
 * of `send_by` and the sending holds the lock until it has sent or died, and a verdict is only written under the lock.
 * A verdict of a moment when the clocks disagreed starts nothing: its time may lie in the past, or far ahead.
 */
export function horizonOf(record: AttemptRecord): number {
  const first = record.verdicts.find(({ skewed }) => skewed === undefined);
  return first === undefined ? Number.POSITIVE_INFINITY : first.time + record.sent.horizonMs;
}

/** What was sent may still take effect, as far as clocks can be believed. */
export function isYoung(record: AttemptRecord, now: Moment): boolean {
  return now.skewed || now.time < horizonOf(record);
}

/** An open attempt may still move money, or may have: it blocks every change of its order. */
export function isOpen(record: AttemptRecord, now: Moment): boolean {
  const last = verdictOf(record);
  if (last === undefined || last.verdict === 'unknown') return true;
  if (last.verdict === 'not_seen') return isYoung(record, now);
  return (
    last.verdict === 'rejected' &&
    last.confirmed === false &&
    provable(record.sent.proof.kind) &&
    isYoung(record, now)
  );
}

/** Until when an open attempt is open at the latest; undefined: until a read tells, or a person. */
export function blockedUntil(record: AttemptRecord): number | undefined {
  const verdict = verdictOf(record)?.verdict;
  const horizon = horizonOf(record);
  if (verdict === undefined || verdict === 'unknown' || !Number.isFinite(horizon)) return undefined;
  return horizon;
}

/** Its last verdict may still change. */
export function isUnsettled(record: AttemptRecord): boolean {
  const last = verdictOf(record);
  if (last === undefined) return true;
  return mayChange(last) && (last.verdict !== 'applied' || isWatched(record, last));
}

// A refund that a read showed may show once more, until a read after its time.
function isWatched(record: AttemptRecord, last: VerdictRow): boolean {
  return record.sent.proof.kind === 'refund' && last.time < horizonOf(record);
}

/** Whether a verdict may change, whatever its time. */
export function mayChange({ verdict, by, confirmed }: VerdictRow): boolean {
  if (verdict === 'rejected') return confirmed === false;
  return verdict === 'unknown' || verdict === 'not_seen' || (verdict === 'applied' && by === 'read');
}

/** Whether a read of this attempt may tell something new. */
export function isDue(record: AttemptRecord, now: Moment): boolean {
  if (!isUnsettled(record) || !provable(record.sent.proof.kind)) return false;
  const last = verdictOf(record);
  return last === undefined || last.verdict === 'unknown' || now.skewed || last.time < horizonOf(record);
}

/** Refund ids, and ids of created orders, that attempts other than this one account for. */
export function claimedBy(
  others: readonly AttemptRecord[],
  except: Pick<AttemptRecord, 'sent'>,
): ReadonlySet<string> {
  const rows = others.filter((record) => !isSameAttempt(record, except)).map(verdictOf);
  return new Set(
    rows
      .filter((row) => row?.verdict === 'applied')
      .flatMap((row) => [row?.created, ...(row?.refunds ?? []).map(({ id }) => id)])
      .filter((id) => id !== undefined),
  );
}

/** Whether they are one attempt of one intent. */
export function isSameAttempt(one: AttemptRecord, other: Pick<AttemptRecord, 'sent'>): boolean {
  return one.sent.intent === other.sent.intent && one.sent.attempt === other.sent.attempt;
}
