/**
 * Decides about what a person records by hand: that a change was made or not, that such a record was wrong, or that an alarm was
 * dealt with. Pure.
 */

import { isFailed } from '../agreement.ts';
import {
  awaitsRead,
  isMadeByHand,
  isOpen,
  isSentAgain,
  mayAppear,
  mayBeMade,
  verdictOf,
} from '../attempt-state.ts';
import type { Refusal } from '../guards.ts';
import { atLeastSince } from '../journal-time.ts';
import { type Evidence, isExpected } from '../judge-read.ts';
import type { AttemptRecord, Moment, VerdictRow } from '../rows/journal-rows.ts';
import { isEqual } from '../same-request.ts';
import { failedWhy, judgeOrder, type Ruling, rulingOf } from '../verdict.ts';
import { hasFailed, isSameAttempt, notMadeBy, ownRefunds, statementOn } from './verdicts-say.ts';

/** What a person says about a change: whether it was made. */
export interface Statement {
  readonly applied: boolean;
  readonly operator: string;
  readonly note: string;
  /** The last statement was wrong, and this one says the opposite. Both stay in the journal. */
  readonly corrects?: true | undefined;
}

/** What a person says about an alarm: that it was dealt with. */
export interface Acknowledgement {
  readonly operator: string;
  readonly note: string;
}

// For this long after `sendBy`, the request may wait in a queue, and the service's own screen may not show the change yet.
const afterSendByMs = 120_000;

/** Refuses "it was not made" while nobody can know that; undefined when it is late enough. */
export function tooEarly(attempt: AttemptRecord, now: Moment): Refusal | undefined {
  const until = tooEarlyUntil(attempt, now);
  return until === undefined ? undefined : { why: 'too_early', attempt, until };
}

/** Until when nobody can know yet that it was not made (Unix milliseconds); undefined when it is late enough. */
export function tooEarlyUntil({ sent }: AttemptRecord, now: Moment): number | undefined {
  const left = sent.sendBy - sent.time + afterSendByMs - atLeastSince(sent, now);
  return left > 0 ? now.wall + left : undefined;
}

/** Whether what a person recorded still counts, and says the opposite of this statement. */
export function canCorrect(record: AttemptRecord, { applied }: Pick<Statement, 'applied'>): boolean {
  const said = statementOn(record);
  return said !== undefined && (said.verdict === 'applied') !== applied;
}

/**
 * The verdict whose alarm a person may acknowledge. Undefined if there is no alarm, and if the change is unconfirmed: then it
 * is settled instead.
 */
export function alarmedVerdict(record: AttemptRecord, now: Moment): VerdictRow | undefined {
  const last = verdictOf(record);
  return last?.alarm === undefined || isOpen(record, now) ? undefined : last;
}

/**
 * The refunds that a person recorded as made and that a read of their order does not show. That money counts as paid back.
 * `known`: the attempts on that order.
 */
export function unshownRefunds(known: readonly AttemptRecord[], order: unknown): readonly AttemptRecord[] {
  return known.filter((record) => {
    if (!isMadeByHand(record)) return false;
    const { shows } = judgeOrder(record, known, order);
    // A refund that failed is shown, and paid nothing back.
    return shows !== 'expected' && shows !== 'duplicate' && shows !== 'failed';
  });
}

/**
 * An attempt that sent the same money instead of this one, and is not known to have failed. If this one was made after all, the
 * money may have moved twice.
 */
export function sentAgain(record: AttemptRecord, known: readonly AttemptRecord[]): AttemptRecord | undefined {
  return allSentAgain(record, known)[0];
}

/**
 * All such attempts: those that were sent later; and those that were sent before and recorded as not made, so that this attempt
 * was sent in their place.
 */
export function allSentAgain(
  record: AttemptRecord,
  known: readonly AttemptRecord[],
): readonly AttemptRecord[] {
  return known.filter((other) => {
    const isInstead = other.sent.time >= record.sent.time || notMadeBy(other) !== undefined;
    return isInstead && mayBeMade(other) && !hasFailed(other) && isEqualTo(record, other);
  });
}

// Another attempt that asks for the same money.
function isEqualTo({ sent }: AttemptRecord, other: AttemptRecord): boolean {
  const { kind, expected } = sent.proof;
  return !isSameAttempt(other, { sent }) && isEqual({ ...sent, kind, expected }, other);
}

/** Another attempt at the same money whose outcome nobody knows yet: a refund that an order shows may be that attempt's. */
export function rivalOf(record: AttemptRecord, known: readonly AttemptRecord[]): AttemptRecord | undefined {
  return known.find(
    (other) =>
      !isSameAttempt(other, record) &&
      awaitsRead(other) &&
      // A refund that shows belongs to the attempt that was sent in its place.
      !isSentAgain(other, known) &&
      other.sent.proof.expected.some((one) => isExpected(record.sent.proof, one)),
  );
}

// ── What was recorded as not made, and is made ──────────────────────────────────────────────────

type Shown = Extract<Evidence, { readonly shows: 'expected' | 'duplicate' | 'partial' }>;

/** A refund that an order shows although a person recorded that it was not made, or although it had failed. */
interface Appeared {
  readonly evidence: Shown;
  /** The same refund, sent again and made. Then the buyer was paid twice. */
  readonly again: AttemptRecord | undefined;
  /** It had failed. */
  readonly failed: boolean;
}

/**
 * What a read shows about a refund that a person recorded as not made, or that failed; undefined if it does not show it, or if
 * nobody can tell it from a refund that a person recorded as made, or from an equal one whose outcome is not known. `known`: the
 * attempts on that order.
 */
export function appearedIn(
  record: AttemptRecord,
  known: readonly AttemptRecord[],
  evidence: Evidence,
): Appeared | undefined {
  const { shows } = evidence;
  if (!mayAppear(record) || (shows !== 'expected' && shows !== 'duplicate' && shows !== 'partial'))
    return undefined;
  if (rivalOf(record, known) !== undefined) return undefined;
  const others = allSentAgain(record, known);
  if (shows === 'expected' && others.some(isMadeByHand)) return undefined;
  const again = others.find((other) => verdictOf(other)?.verdict === 'applied');
  return { evidence, again, failed: hasFailed(record) };
}

/** What has appeared, on the order as it was read. */
export function appearedOn(
  record: AttemptRecord,
  known: readonly AttemptRecord[],
  order: unknown,
): Appeared | undefined {
  return mayAppear(record) ? appearedIn(record, known, judgeOrder(record, known, order)) : undefined;
}

/** The changes that sent a refund which has appeared, if it was sent again and made; undefined if it was sent once. */
export function sentAs({ sent }: AttemptRecord, { again }: Appeared): readonly string[] | undefined {
  return again && [sent.change, again.sent.change];
}

/** The verdict when such a refund has appeared. */
export function appearedRuling({ evidence, again, failed }: Appeared): Ruling {
  const ruling = rulingOf(evidence, 'rejected');
  if (evidence.shows !== 'expected') return ruling;
  const why = `${ruling.why}, although it ${failed ? 'had failed' : 'was recorded as not made'}`;
  if (again === undefined) return { ...ruling, why };
  // The refund that was sent again is watched too, and may have raised the alarm about these refunds.
  if (isToldBy(again, evidence)) return { ...ruling, why, alarm: undefined };
  return withRepeat({ ...ruling, why }, again);
}

function isToldBy({ verdicts }: AttemptRecord, { refunds: shown }: Shown): boolean {
  return verdicts.some(
    ({ alarm, acknowledged, refunds }) =>
      (alarm ?? acknowledged) === 'duplicate' &&
      shown.every(({ id }) => refunds?.some((one) => one.id === id)),
  );
}

/** The verdict of the read after the horizon that does not show such a refund. It ends the watch. */
export function staysNotMade(
  { error, alarm, acknowledged }: VerdictRow,
  { refunds }: { readonly refunds: Shown['refunds'] },
): Ruling {
  const why = 'checked after the waiting period: it did not appear';
  return { verdict: 'rejected', by: 'read', why, confirmed: true, error, alarm, acknowledged, refunds };
}

// ── The verdicts of people ──────────────────────────────────────────────────────────────────────

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
  const { change } = again.sent;
  const why = `${words.why}; made twice: also as ${change}`;
  // The refunds that this attempt made come first.
  const refunds = words.refunds && [...words.refunds, ...ownRefunds(again)];
  return { ...words, refunds, alarm: 'duplicate', why };
}

/**
 * The same verdict as before, without its alarm. If the read shows a duplicate, all refunds that it shows are acknowledged. A
 * refund that has failed since the alarm is news that nobody has dealt with.
 */
export function acknowledgedRuling(
  { verdict, by, confirmed, refunds, created, link, error, alarm }: VerdictRow,
  evidence: Evidence,
  { operator, note }: Acknowledgement,
): Ruling {
  const kept = { verdict, by, confirmed, created, link, error, operator, note } as const;
  const why = `acknowledged by ${operator}`;
  if (evidence.shows === 'duplicate')
    return { ...kept, why, refunds: evidence.refunds, acknowledged: 'duplicate' };
  const shown = evidence.shows === 'unreadable' ? [] : evidence.refunds;
  const own = refunds?.map((refund) => shown.find(({ id }) => id === refund.id) ?? refund);
  const failed = alarm === 'failed' ? [] : (own ?? []).filter(isFailed);
  if (failed.length === 0) return { ...kept, why, refunds, acknowledged: alarm };
  return {
    ...kept,
    why: `${why}; ${failedWhy(failed)}`,
    refunds: own,
    alarm: 'failed',
    acknowledged: alarm,
  };
}
