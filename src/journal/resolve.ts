/**
 * Decides what became of an open attempt, for `journal reconcile` and `journal settle`: from one read, or from what a
 * person states. Nobody can say "it was not made" too early. A pure reducer like at-most-once.ts; it sends nothing.
 */

import {
  ageAt,
  isDoubted,
  isDue,
  isMadeByHand,
  isMadeRefund,
  isSentAgain,
  isUnsettled,
  isWatched,
  isYoung,
  mayAppear,
  verdictOf,
  wasOver,
} from './attempt-state.ts';
import { claimsOfOthers, refusedLike } from './claims.ts';
import type { Refusal } from './guards.ts';
import type { HowResolved, Resolved } from './journal.ts';
import { momentOfRow } from './journal-time.ts';
import type { Claims, Evidence } from './judge-read.ts';
import type { Effect, Event } from './protocol-types.ts';
import {
  type Acknowledgement,
  acknowledgedRuling,
  alarmedVerdict,
  appearedIn,
  appearedRuling,
  canCorrect,
  correctedByRead,
  rivalOf,
  type Statement,
  sentAgain,
  statedRuling,
  staysNotMade,
  tooEarly,
} from './questions/by-hand.ts';
import type { AttemptRecord, Moment, SentRow, VerdictRow } from './rows/journal-rows.ts';
import { sameJson } from './same-request.ts';
import {
  doubtFailed,
  judgeSeen,
  proofNow,
  type Ruling,
  rulingOf,
  rulingOfWatched,
  verdictRow,
} from './verdict.ts';
import { RecordedFirst } from './words/refusal-words.ts';

/** Which attempt to look at, and what a person states if no read can show the outcome. */
export interface Errand
  extends Pick<SentRow, 'change' | 'attempt'>,
    Pick<HowResolved, 'statement' | 'acknowledgement'> {
  /** Another desk recorded something before this run could. */
  readonly isSecondLook?: true | undefined;
}

/** How it ended. */
type ResolveEnd =
  | ({ readonly how: 'looked' } & Resolved)
  | { readonly how: 'refused'; readonly refusal: Refusal };

interface Found {
  readonly errand: Errand;
  readonly record: AttemptRecord;
  /** The attempts on its order. */
  readonly known: readonly AttemptRecord[];
  readonly claimed: Claims;
  /** Another unconfirmed attempt at the same money. One of two equal refunds may be that attempt's. */
  readonly rival?: AttemptRecord | undefined;
  /** The attempt that sent the same change again after this one. */
  readonly again?: AttemptRecord | undefined;
  /** The verdict whose alarm is to be ended, and who acknowledges it. */
  readonly ended?: { readonly alarmed: VerdictRow; readonly acknowledgement: Acknowledgement } | undefined;
}

/** How far a run is, and everything it knows at that point. */
export type ResolveState =
  | { readonly at: 'locking' | 'looking'; readonly errand: Errand }
  | ({ readonly at: 'reading' } & Found)
  /** Shows a person what was read, and lets them state what happened. */
  | ({ readonly at: 'asking'; readonly evidence: Evidence; readonly statement: Statement } & Found)
  | ({ readonly at: 'recording'; readonly evidence: Evidence; readonly row: VerdictRow } & Found)
  | { readonly at: 'releasing' | 'done'; readonly end: ResolveEnd };

/** The state of a run, and the effect that it asks for next. */
interface ResolveStep {
  readonly state: ResolveState;
  readonly effect: Effect;
}

export function beginResolve(errand: Errand): ResolveStep {
  return { state: { at: 'locking', errand }, effect: { do: 'lock' } };
}

/** The next state and effect. Throws on an event that does not answer the effect before it: a bug of the runner. */
export function resolve(state: ResolveState, event: Event): ResolveStep {
  const next = transition(state, event);
  if (next === undefined) throw new Error(`the journal met '${event.is}' while ${state.at}`);
  return next;
}

function transition(state: ResolveState, event: Event): ResolveStep | undefined {
  if (event.is === 'stopped' && 'errand' in state) return refuse({ why: 'stopped', cause: event.cause });
  switch (state.at) {
    case 'locking':
      if (event.is === 'busy') return done({ how: 'refused', refusal: { why: 'busy', owner: event.owner } });
      return event.is === 'locked'
        ? { state: { ...state, at: 'looking' }, effect: { do: 'look' } }
        : undefined;
    case 'looking':
      return event.is === 'known' ? find(state.errand, event.attempts, event.moment) : undefined;
    case 'reading':
      if (event.is === 'unseen')
        return weigh(state, { shows: 'unreadable', problem: event.why }, event.moment);
      if (event.is !== 'seen') return undefined;
      return weigh(state, evidenceIn(state, event), event.moment);
    case 'asking':
      return event.is === 'checked' ? stateIt(state, event.moment, event.note) : undefined;
    case 'recording': {
      const { record, row, evidence } = state;
      const end = {
        how: 'looked',
        record: { ...record, verdicts: [...record.verdicts, row] },
        added: row,
        evidence,
      } as const;
      if (event.is === 'unrecorded')
        return (
          lookAgain(state.errand, event.cause) ??
          refuse({ why: 'unwritten', attempt: record, row, cause: event.cause })
        );
      return event.is === 'recorded' ? release(end) : undefined;
    }
    case 'releasing':
      return event.is === 'released' ? done(state.end) : undefined;
    case 'done':
      return undefined;
  }
}

// Two desks may read the same order at the same moment. The second one looks again, once, and goes by what the journal has
// then. But paydesk does not repeat a person's statement for them.
function lookAgain(errand: Errand, cause: unknown): ResolveStep | undefined {
  const { statement, acknowledgement, isSecondLook } = errand;
  if (!(cause instanceof RecordedFirst) || statement !== undefined || acknowledgement !== undefined)
    return undefined;
  if (isSecondLook === true) return undefined;
  return { state: { at: 'looking', errand: { ...errand, isSecondLook: true } }, effect: { do: 'look' } };
}

// If another run has settled the attempt meanwhile, that verdict stands.
function find(errand: Errand, known: readonly AttemptRecord[], now: Moment): ResolveStep {
  const record = known.find(({ sent }) => sent.change === errand.change && sent.attempt === errand.attempt);
  if (record === undefined) {
    return refuse({ why: 'stopped', cause: new Error(`the journal has no ${errand.change} any more`) });
  }
  const { acknowledgement } = errand;
  const alarmed = acknowledgement && alarmedVerdict(record, now);
  const ended = alarmed && { alarmed, acknowledgement };
  const isRead = acknowledgement === undefined ? isWorthReading(errand, record, known) : ended !== undefined;
  if (!isRead) return release({ how: 'looked', record });
  const claims = { claimed: claimsOfOthers(known, record), rival: rivalOf(record, known) };
  return {
    state: { at: 'reading', errand, record, known, ...claims, again: sentAgain(record, known), ended },
    effect: { do: 'reread' },
  };
}

// A correction is about an attempt that a person has settled, anything else about one that is not settled.
function isWorthReading(
  { statement }: Errand,
  record: AttemptRecord,
  known: readonly AttemptRecord[],
): boolean {
  if (statement?.corrects === true) return canCorrect(record, statement);
  if (isDoubted(record) || isMadeByHand(record)) return statement === undefined;
  // It may have failed since, however long ago it was made.
  if (isMadeRefund(record) && statement === undefined) return true;
  // The attempt was repeated after its horizon, so what the order shows now may come from the repeat.
  return isUnsettled(record) && (verdictOf(record)?.verdict === 'applied' || !isSentAgain(record, known));
}

// When two equal refunds show, one of them may belong to another open attempt. So may a single one, if it has failed or if this
// attempt counts as not made. That other attempt must be settled first.
function evidenceIn(
  { record, known, claimed, rival }: Extract<ResolveState, { at: 'reading' }>,
  event: Extract<Event, { is: 'seen' }>,
): Evidence {
  const sent = { ...record.sent, proof: proofNow(record, event.value) };
  const evidence = doubtFailed(judgeSeen(sent, event, claimed), refusedLike(record, known));
  const isApplied = verdictOf(record)?.verdict === 'applied';
  const isSomething = evidence.shows !== 'nothing' && evidence.shows !== 'unreadable';
  const isRivals =
    (evidence.shows === 'duplicate' && isApplied) ||
    (evidence.shows === 'failed' && !isApplied) ||
    (isSomething && mayAppear(record));
  if (rival === undefined || !isRivals) return evidence;
  return {
    shows: 'unreadable',
    problem: `another change asks for the same; settle ${rival.sent.change} first`,
  };
}

function weigh(
  found: Extract<ResolveState, { at: 'reading' }>,
  evidence: Evidence,
  now: Moment,
): ResolveStep {
  const { record, again, ended } = found;
  const { statement } = found.errand;
  if (ended !== undefined) {
    // While the refund is watched, its order must be readable: a row without a read behind it would end the watch.
    if (evidence.shows === 'unreadable' && isWatched(record))
      return refuse({ why: 'unread', problem: evidence.problem });
    return write(found, evidence, acknowledgedRuling(ended.alarmed, evidence, ended.acknowledgement), now);
  }
  const corrects = statement?.corrects === true;
  // A part may be somebody else's, and only a person can tell. Until the horizon of the attempt is over, the rest may come.
  const isPart = evidence.shows === 'partial' && statement?.applied === false && !corrects;
  const until = isPart ? youngUntilOf(record, now) : undefined;
  if (until !== undefined) return refuse({ why: 'too_early', attempt: record, until });
  const clear = !isPart && !['nothing', 'unreadable', 'disagreement'].includes(evidence.shows);
  // A person cannot take back what a reply or a read has shown, only what a person has said.
  const seen = verdictOf(record)?.verdict === 'applied' && !corrects;
  if (statement !== undefined && !clear && !seen) {
    const early = statement.applied ? undefined : tooEarly(record, now);
    if (early !== undefined) return refuse(early);
    return { state: { ...found, at: 'asking', evidence, statement }, effect: { do: 'check' } };
  }
  const words =
    corrects && evidence.shows !== 'unreadable'
      ? correctedByRead(evidence, again)
      : rulingNow(found, evidence, now);
  return words === undefined
    ? release({ how: 'looked', record, evidence })
    : write(found, evidence, words, now);
}

// Until when the request may still take effect, as far as the clocks tell; undefined if it cannot any more.
function youngUntilOf(record: AttemptRecord, now: Moment): number | undefined {
  const left = record.sent.horizonMs - (ageAt(record, now) ?? 0);
  return isYoung(record, now) ? now.wall + left : undefined;
}

/** The verdict that a read adds to an attempt; undefined when the read shows nothing new. */
function rulingNow({ record, known }: Found, evidence: Evidence, now: Moment): Ruling | undefined {
  const last = verdictOf(record);
  if (evidence.shows === 'unreadable') {
    // The first verdict starts the horizon, whatever it says.
    const why = 'the result was not recorded, and it could not be looked up';
    return last === undefined ? { verdict: 'unknown', by: 'sender', why } : undefined;
  }
  const appeared = appearedIn(record, known, evidence);
  if (appeared !== undefined) return appearedRuling(appeared);
  if (last !== undefined && isDoubted(record)) {
    return isYoung(record, now) ? undefined : staysNotMade(last, evidence);
  }
  if (last?.verdict === 'applied') {
    // What shows besides it after the watch is somebody's later refund.
    if (evidence.shows === 'duplicate' && !isWatched(record) && last.by !== 'person') return undefined;
    const ruling = rulingOfWatched(record, last, evidence, isYoung(record, now));
    return ruling === undefined || (!isDue(record, now) && isSameRuling(ruling, last)) ? undefined : ruling;
  }
  const none = last?.verdict === 'rejected' ? 'rejected' : 'not_seen';
  const words = { ...rulingOf(evidence, none), error: last?.error };
  const alarmed = { ...words, alarm: words.alarm ?? last?.alarm };
  return saysNothingNew(record, alarmed, now) ? undefined : alarmed;
}

// Whether a row would say nothing new. Nobody needs one for each look before the next read is due, or after the watch.
function isSameRuling(now: Ruling, last: VerdictRow): boolean {
  const of = ({ verdict, by, alarm, acknowledged, refunds }: Ruling) => ({
    verdict,
    by,
    alarm,
    acknowledged,
    refunds,
  });
  return sameJson(of(now), of(last));
}

// A second `not_seen` gets a row in two cases: it is the first that starts the horizon, or the horizon has ended.
function saysNothingNew(record: AttemptRecord, words: Ruling, now: Moment): boolean {
  const last = verdictOf(record);
  if (last?.verdict !== words.verdict || last.alarm !== words.alarm) return false;
  if (last.confirmed !== words.confirmed) return false;
  if (now.skewed) return true;
  return ageAt(record, momentOfRow(last)) !== undefined && (isYoung(record, now) || wasOver(record, last));
}

function stateIt(
  found: Extract<ResolveState, { at: 'asking' }>,
  now: Moment,
  note: string = found.statement.note,
): ResolveStep {
  const { evidence } = found;
  // The person saw this part and says that the change was not made, so the part is not this attempt's.
  const refunds = evidence.shows === 'partial' ? evidence.refunds : undefined;
  return write(found, evidence, { ...statedRuling({ ...found.statement, note }, found.again), refunds }, now);
}

function write(found: Found, evidence: Evidence, words: Ruling, now: Moment): ResolveStep {
  const { errand, record, known, claimed } = found;
  const row = verdictRow(record.sent, now, words);
  return {
    state: { at: 'recording', errand, record, known, claimed, evidence, row },
    effect: { do: 'record', row },
  };
}

function refuse(refusal: Refusal): ResolveStep {
  return release({ how: 'refused', refusal });
}

function release(end: ResolveEnd): ResolveStep {
  return { state: { at: 'releasing', end }, effect: { do: 'release' } };
}

function done(end: ResolveEnd): ResolveStep {
  return { state: { at: 'done', end }, effect: { do: 'finish' } };
}
