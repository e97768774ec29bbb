/** How an attempt stands: the verdict that counts, whether it is open and until when, and what it accounts for. Pure. */

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

function isYoung(record: AttemptRecord, now: Moment): boolean {
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
