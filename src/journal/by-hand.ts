/**
 * What a person records by hand: that a change was made or not, that such a record was wrong, or that an alarm was dealt
 * with. Pure.
 */

import { claimsOf, isOpen, isSameAttempt, verdictOf } from './attempt-state.ts';
import type { Refusal } from './guards.ts';
import type { AttemptRecord, Moment, VerdictRow } from './journal-rows.ts';
import { atLeastSince, earliestOf } from './journal-time.ts';
import { type Evidence, judgeRead } from './judge-read.ts';
import { isEqual } from './same-request.ts';
import { type Ruling, rulingOf } from './verdict.ts';

/** Says whether a change was made. */
export interface Statement {
  readonly applied: boolean;
  readonly operator: string;
  readonly note: string;
  /** The last statement was wrong, and this one says the contrary. Both stay in the journal. */
  readonly corrects?: true | undefined;
}

/** Says that an alarm was dealt with. */
export interface Acknowledgement {
  readonly operator: string;
  readonly note: string;
}

// For this long the request may wait in a queue, and the service's own screen may not show the change yet.
const afterSendByMs = 120_000;

/** Refuses "it was not made" while nobody can know that; undefined when it is late enough. */
export function tooEarly(attempt: AttemptRecord, now: Moment): Refusal | undefined {
  const { sent } = attempt;
  const left = sent.sendBy - sent.time + afterSendByMs - atLeastSince(sent, now);
  return left > 0 ? { why: 'too_early', attempt, until: now.wall + left } : undefined;
}

/** Whether the last verdict is a person's, and says the contrary of this statement. */
export function canCorrect(record: AttemptRecord, { applied }: Pick<Statement, 'applied'>): boolean {
  const last = verdictOf(record);
  return last?.by === 'person' && (last.verdict === 'applied') !== applied;
}

/**
 * The verdict whose alarm a person may acknowledge. Undefined if there is no alarm, and if the change is unconfirmed: then it
 * is settled instead.
 */
export function alarmedVerdict(record: AttemptRecord, now: Moment): VerdictRow | undefined {
  const last = verdictOf(record);
  return last?.alarm === undefined || isOpen(record, now) ? undefined : last;
}

/** Whether a person recorded that this refund was made, and nothing else says so. */
export function isMadeByHand(record: AttemptRecord): boolean {
  const last = verdictOf(record);
  return record.sent.proof.kind === 'refund' && last?.verdict === 'applied' && last.by === 'person';
}

/**
 * The refunds that a person recorded as made and that a read of their order does not show. That money counts as paid back.
 * `known`: the attempts on that order.
 */
export function unshownRefunds(known: readonly AttemptRecord[], order: unknown): readonly AttemptRecord[] {
  return known.filter((record) => {
    const { sent } = record;
    if (!isMadeByHand(record)) return false;
    const { shows } = judgeRead(sent.proof, order, claimsOf(known, record), earliestOf(sent));
    return shows !== 'expected' && shows !== 'duplicate';
  });
}

/**
 * The same money, sent after this attempt and not known to have failed. If this one was made after all, the money may have
 * moved twice.
 */
export function sentAgain(record: AttemptRecord, known: readonly AttemptRecord[]): AttemptRecord | undefined {
  const { sent } = record;
  const { kind, expected } = sent.proof;
  return known.find((other) => {
    const verdict = verdictOf(other)?.verdict;
    const failed = verdict === 'not_sent' || verdict === 'rejected';
    const isLater = !isSameAttempt(other, record) && other.sent.time >= sent.time;
    return isLater && !failed && isEqual({ ...sent, kind, expected }, other);
  });
}

/** The verdict of a statement. `again`: what `sentAgain` found. */
export function statedRuling(
  { applied, operator, note, corrects }: Statement,
  again: AttemptRecord | undefined,
): Ruling {
  const stated: Ruling = {
    verdict: applied ? 'applied' : 'rejected',
    by: 'person',
    why: `recorded by ${operator}`,
    confirmed: true,
    corrects,
    operator,
    note,
  };
  return corrects === true ? withRepeat(stated, again) : stated;
}

/** The verdict of a read that shows the change, although somebody had recorded that it was not made. */
export function correctedByRead(
  evidence: Exclude<Evidence, { shows: 'unreadable' }>,
  again: AttemptRecord | undefined,
): Ruling {
  return withRepeat(rulingOf(evidence), again);
}

// It was made, and so was what was sent again: the buyer was paid twice.
function withRepeat(words: Ruling, again: AttemptRecord | undefined): Ruling {
  if (words.verdict !== 'applied' || again === undefined) return words;
  const { intent } = again.sent;
  return { ...words, alarm: 'duplicate', why: `${words.why}; made twice: also as ${intent}` };
}

/** The same verdict as before, without its alarm. A duplicate covers the refunds that the read shows. */
export function acknowledgedRuling(
  { verdict, by, confirmed, refunds, created, link, error, alarm }: VerdictRow,
  evidence: Evidence,
  { operator, note }: Acknowledgement,
): Ruling {
  const kept = { verdict, by, confirmed, created, link, error, operator, note } as const;
  const why = `acknowledged by ${operator}`;
  if (evidence.shows !== 'duplicate') return { ...kept, why, refunds, acknowledged: alarm };
  return { ...kept, why, refunds: evidence.refunds, acknowledged: 'duplicate' };
}
