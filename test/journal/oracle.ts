/**
 * Compares a run with what the service really made: which things must never happen, and which must never be claimed.
 */

import { verdictOf } from '../../src/journal/attempt-state.ts';
import type { Outcome } from '../../src/journal/change.ts';
import { claimedBy, hasFailed } from '../../src/journal/questions/verdicts-say.ts';
import type { AttemptRecord, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { amount, type Made } from './hostile-service.ts';

/** What a schedule came to. */
export interface Tally {
  posts: number;
  /** Attempts of which something was made, and those that the service made twice. */
  effects: number;
  doubled: number;
  /** Refunds of others of the same amount. */
  foreign: number;
  applied: number;
  /** Attempts that end with a duplicate alarm, and those that end without a verdict that is sure. */
  alarms: number;
  open: number;
  /** Attempts that ended as failed: after they were made, with an alarm, and at once. */
  failed: number;
}

/** What an attempt is called here. */
export function keyOf({ sent }: Pick<AttemptRecord, 'sent'>): string {
  return `${sent.change} ${sent.attempt}`;
}

/** Throws where a run says "made" or "not made", and the service knows better. `stands`: it has not failed by now. */
export function checkOutcome(
  outcome: Outcome,
  attempt: string | undefined,
  made: readonly Made[],
  stands: (one: Made) => boolean,
): void {
  const own = made.filter((one) => one.attempt === attempt && stands(one));
  const equal = made.filter((one) => one.amount === -amount);
  if (outcome.verdict === 'applied' && equal.length === 0) throw new Error('false made: nothing was');
  if (outcome.verdict === 'rejected' && outcome.confirmed && own.length > 0)
    throw new Error('false not made: it was said to be refused');
  if (outcome.verdict === 'not_sent' && own.length > 0) throw new Error('false not made: it was sent');
}

/** Counts; `posts`: when each attempt's request arrived. Throws on a double, a lost outcome, a false word, and on an alarm that nobody raised. */
export function tallyOf(
  attempts: readonly AttemptRecord[],
  posts: ReadonlyMap<string, number>,
  made: readonly Made[],
): Tally {
  const effects = new Set(made.map(({ attempt }) => attempt).filter((attempt) => attempt !== undefined));
  const doubles = made.filter((one) => made.some((other) => stoodTogether(one, other)));
  if (doubles.length > 0) throw new Error(`double: ${doubles.length} refunds of our attempts were made`);
  for (const attempt of posts.keys()) checkKept(attempt, attempts, made);
  const doubled = attempts.filter((record) => ofAttempt(record, made).length > 1);
  for (const record of attempts) checkWord(record, attempts, made, posts.get(keyOf(record)));
  const last = attempts.map(verdictOf);
  return {
    posts: posts.size,
    effects: effects.size,
    doubled: doubled.length,
    foreign: made.filter((one) => one.attempt === undefined && one.amount === -amount).length,
    applied: last.filter((row) => row?.verdict === 'applied').length,
    alarms: last.filter((row) => row?.alarm === 'duplicate').length,
    open: last.filter((row) => row?.verdict === 'unknown' || row === undefined).length,
    failed: attempts.filter(hasFailed).length,
  };
}

// Both are ours, and at one moment neither had failed.
function stoodTogether(one: Made, other: Made): boolean {
  if (one.attempt === undefined || other.attempt === undefined || one.attempt === other.attempt) return false;
  const since = Math.max(one.at, other.at);
  return one.failsAt > since && other.failsAt > since;
}

function ofAttempt(record: AttemptRecord, made: readonly Made[]): readonly Made[] {
  return made.filter(({ attempt }) => attempt === keyOf(record));
}

// A request that left is in the journal, and what it made is not closed as not made.
function checkKept(attempt: string, attempts: readonly AttemptRecord[], made: readonly Made[]): void {
  const record = attempts.find((one) => keyOf(one) === attempt);
  if (record === undefined) throw new Error(`lost outcome: ${attempt} is not in the journal`);
  const own = made.filter((one) => one.attempt === attempt);
  if (own.length === 0) return;
  if (own.every(({ failsAt }) => Number.isFinite(failsAt))) return;
  const denied = record.verdicts.find(isDenial);
  if (denied !== undefined) throw new Error(`lost outcome: ${attempt} was made, and said ${denied.verdict}`);
  if (verdictOf(record)?.verdict === 'not_seen')
    throw new Error(`lost outcome: ${attempt} was made, is shown, and ends as not seen`);
}

function isDenial({ verdict, confirmed }: VerdictRow): boolean {
  return verdict === 'not_sent' || (verdict === 'rejected' && confirmed !== false);
}

function checkWord(
  record: AttemptRecord,
  attempts: readonly AttemptRecord[],
  made: readonly Made[],
  postedAt = 0,
): void {
  const last = verdictOf(record);
  if (last?.verdict !== 'applied' || last.by === 'person') return;
  checkFailed(record, made, postedAt);
  const known = new Set(
    record.sent.proof.before.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)),
  );
  const claimed = claimedBy(attempts, record);
  // Ours, or identical and made since then: nothing else counts as it.
  const fitting = made.filter(({ id, amount: of }) => of === -amount && !known.has(id) && !claimed.has(id));
  if (fitting.length === 0) throw new Error(`false made: ${keyOf(record)}`);
  // What shows later than its time is not looked for; a read may be half a minute old.
  const until = postedAt + record.sent.horizonMs - 60_000;
  const inTime = fitting.filter(
    ({ at, shownFrom, failsAt }) => Math.max(at, shownFrom) <= until && !Number.isFinite(failsAt),
  );
  if (inTime.length > 1 && last.alarm === undefined)
    throw new Error(`no alarm: ${inTime.length} refunds fit ${keyOf(record)}`);
}

// Who was told that a refund was made must be told when it has failed.
function checkFailed(record: AttemptRecord, made: readonly Made[], postedAt: number): void {
  const own = ofAttempt(record, made);
  const until = postedAt + record.sent.horizonMs - 60_000;
  const isLost =
    own.length > 0 && own.every(({ failsAt, shownFrom }) => Math.max(failsAt, shownFrom) <= until);
  const equal = made.filter((one) => one.attempt !== keyOf(record) && one.amount === -amount);
  // Nobody can tell which of two equal refunds is whose, unless the reply showed one only.
  const replied = record.verdicts.find(({ by }) => by === 'reply');
  if (!isLost || (equal.length > 0 && replied?.refunds?.length !== 1)) return;
  if (verdictOf(record)?.alarm === undefined)
    throw new Error(`no alarm: ${keyOf(record)} failed after it was made`);
}
