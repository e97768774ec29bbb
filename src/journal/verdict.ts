/** Turns what a read shows (judge-read.ts) into a verdict and its row. Pure. */

import { isFailed, isPending, withoutGone } from './agreement.ts';
import { isAcknowledged, isMadeByHand, isMadeRefund, isOpen } from './attempt-state.ts';
import type { FoundRefund } from './change.ts';
import { claimsOfOthers, refusedLike } from './claims.ts';
import { earliestOf, stampOf } from './journal-time.ts';
import { type Claims, type Evidence, judgeRead, unknownWord } from './judge-read.ts';
import type { Event } from './protocol-types.ts';
import { askedFor, claimedBy, isSameAttempt, ownRefunds } from './questions/verdicts-say.ts';
import type { Alarm, AttemptRecord, Moment, Proof, SentRow, VerdictRow } from './rows/journal-rows.ts';
import { asksForSame } from './same-request.ts';

/**
 * Judges a read after the sending. `claimed`: what belongs to other attempts. Creations of orders share no lock, so for them what
 * belongs to others is looked up after the read (`creations`). While an equal creation is open, nobody can tell which of the two
 * made a new order.
 */
export function judgeSeen(
  sent: SentRow,
  { value, creations, moment }: Extract<Event, { is: 'seen' }>,
  claimed: Claims,
): Evidence {
  if (creations === undefined) return judgeRead(sent.proof, value, claimed, earliestOf(sent));
  const rival = creations.find(
    (record) =>
      !isSameAttempt(record, { sent }) &&
      asksForSame(record.sent, { ...sent, kind: sent.proof.kind }) &&
      isOpen(record, moment),
  );
  if (rival === undefined)
    return judgeRead(sent.proof, value, claimedBy(creations, { sent }), earliestOf(sent));
  const problem = `${rival.sent.change} asked for the same and is unconfirmed too: a new order may belong to either`;
  return { shows: 'unreadable', problem };
}

/** Judges a read of the order of an attempt. `known`: the attempts on that order. */
export function judgeOrder(record: AttemptRecord, known: readonly AttemptRecord[], order: unknown): Evidence {
  const evidence = judgeRead(
    proofNow(record, order),
    order,
    claimsOfOthers(known, record),
    earliestOf(record.sent),
  );
  return doubtFailed(evidence, refusedLike(record, known));
}

/** What a failed refund proves: nothing, if it may be that of another attempt (`refusedLike`). */
export function doubtFailed(evidence: Evidence, other: AttemptRecord | undefined): Evidence {
  if (other === undefined || evidence.shows !== 'failed') return evidence;
  const problem = `a refund of the same amount has failed, and may be that of ${other.sent.change}, which was not made`;
  return { shows: 'disagreement', refunds: evidence.refunds, problem };
}

/**
 * What a read is compared with. For a refund that is known to be made, earlier refunds that are gone do not count: they hide
 * nothing about it.
 */
export function proofNow(record: AttemptRecord, order: unknown): Proof {
  const { proof } = record.sent;
  return isMadeRefund(record) && !isMadeByHand(record) ? withoutGone(proof, order) : proof;
}

/** A verdict without its time and attempt. */
export type Ruling = Omit<VerdictRow, 'type' | 'change' | 'attempt' | 'time' | 'skewed' | 'clocks'>;

type Readable = Exclude<Evidence, { shows: 'unreadable' }>;

/** The verdict that a read gives. `none`: the verdict when the read shows no part of the change. */
export function rulingOf(evidence: Readable, none: 'not_seen' | 'rejected' = 'not_seen'): Ruling {
  const { refunds } = evidence;
  switch (evidence.shows) {
    case 'expected': {
      const { contradicts } = evidence;
      const alarmed = contradicts === undefined ? undefined : 'contradiction';
      const alarm = none === 'rejected' ? 'applied_though_rejected' : alarmed;
      const how = refunds.some(isPending) ? ' as pending' : '';
      const why = `the service shows it${how}${contradicts === undefined ? '' : `, with ${contradicts}`}`;
      const { created, link } = evidence;
      return { verdict: 'applied', by: 'read', why, alarm, refunds, created, link };
    }
    case 'failed': {
      const why = 'the service accepted it, and it failed';
      if (!evidence.isPart) return { verdict: 'rejected', by: 'read', why, confirmed: true, refunds };
      const part = 'the service made a part of it, and the rest failed';
      const alarm = none === 'rejected' ? 'applied_though_rejected' : 'failed';
      return { verdict: 'applied', by: 'read', why: part, alarm, refunds };
    }
    case 'duplicate': {
      const why = 'the service shows it more than once';
      return { verdict: 'applied', by: 'read', why, alarm: 'duplicate', refunds };
    }
    case 'partial': {
      const why = 'the service shows only a part of it';
      return { verdict: 'unknown', by: 'read', why, alarm: 'partial', refunds };
    }
    case 'disagreement':
      return { verdict: 'unknown', by: 'read', why: evidence.problem, refunds };
    case 'nothing': {
      const why = none === 'rejected' ? 'the service refused it' : 'the service does not show it';
      return { verdict: none, by: 'read', why, confirmed: none === 'rejected' ? true : undefined, refunds };
    }
  }
}

/**
 * The verdict on a refund that was made and is only watched; undefined when the read shows nothing new. Every read that
 * shows the refund gets a row, so that it is not read again too soon; one that is still pending gets none. A row after the horizon
 * (not `young`) ends the watch. Figures that do not agree may agree at the next read, and what is gone may be there again; any
 * other alarm stays.
 */
export function rulingOfWatched(
  record: AttemptRecord,
  last: VerdictRow,
  evidence: Readable,
  young: boolean,
): Ruling | undefined {
  if (last.by === 'person') return rulingOfStated(record, evidence);
  const { verdict, by, created, refunds, acknowledged } = last;
  const alarm = last.alarm === 'disagreement' || last.alarm === 'gone' ? undefined : last.alarm;
  const kept = { verdict, by, created, acknowledged } as const;
  // What was made although it counted as not made has failed now: that alarm is over.
  const lost = alarm === 'applied_though_rejected' ? undefined : alarm;
  // What a person has dealt with is not raised again.
  const raised = (news: Alarm, about = evidence.refunds) =>
    isAcknowledged(last, news, about) ? undefined : news;
  // After a duplicate, all refunds that were seen stay: a later read may show fewer, and what somebody has acknowledged stays
  // acknowledged.
  const isTwice = (last.alarm ?? acknowledged) === 'duplicate';
  const lately = young ? 'checked again' : 'checked after the waiting period';
  const missing = missingFrom(record, evidence.refunds);
  if (missing.length > 0 && evidence.shows !== 'duplicate') {
    const all = ownRefunds(record);
    return { ...kept, why: goneWhy(missing), alarm: alarm ?? raised('gone', all), refunds: all };
  }
  switch (evidence.shows) {
    case 'duplicate': {
      if (raised('duplicate') !== undefined) return { ...rulingOf(evidence), by };
      const why = young ? 'the service shows only what was acknowledged' : `${lately}: nothing more appeared`;
      return { ...kept, why, refunds };
    }
    case 'disagreement':
      return { ...kept, why: evidence.problem, alarm: alarm ?? raised('disagreement'), refunds };
    case 'failed': {
      const own = ownIn(record, evidence.refunds);
      const failed = own.filter(isFailed);
      // Those that failed may be somebody else's.
      if (failed.length === 0) return undefined;
      return { ...kept, why: failedWhy(failed), alarm: lost ?? raised('failed', failed), refunds: own };
    }
    case 'expected': {
      const { contradicts } = evidence;
      // Later refunds belong to other attempts, or to other people.
      const own = askedFor(record.sent.proof, evidence.refunds);
      const all = isTwice ? refunds : own;
      if (contradicts !== undefined)
        return { ...kept, why: contradicts, alarm: alarm ?? raised('contradiction'), refunds: all };
      const known = ownIn(record, evidence.refunds);
      const failed = known.filter((refund) => isFailed(refund) && !own.includes(refund));
      // What shows in its place may belong to another attempt.
      if (failed.length > 0 && !isTwice && !hadFailed(record))
        return { ...kept, why: failedWhy(failed), alarm: lost ?? raised('failed', failed), refunds: known };
      const pending = own.find(isPending);
      if (pending !== undefined && young && isSameStatus(record, own)) return undefined;
      const still = pending === undefined ? 'the service shows it' : `refund ${pending.id} is pending`;
      const isQuiet = isTwice || (!young && pending === undefined);
      return { ...kept, why: `${lately}: ${isQuiet ? 'nothing more appeared' : still}`, alarm, refunds: all };
    }
    default:
      return undefined;
  }
}

// Which of the refunds that are shown now this attempt made, as far as the journal knows it.
function ownIn(record: AttemptRecord, shown: readonly FoundRefund[]): readonly FoundRefund[] {
  const known = new Set(ownRefunds(record).map(({ id }) => id));
  return known.size === 0 ? askedFor(record.sent.proof, shown) : shown.filter(({ id }) => known.has(id));
}

// Whether one of its refunds had failed before. What was made in its place since then counts as this attempt's.
function hadFailed(record: AttemptRecord): boolean {
  return ownRefunds(record).some(isFailed);
}

function isSameStatus(record: AttemptRecord, own: readonly FoundRefund[]): boolean {
  const known = new Map(ownRefunds(record).map(({ id, status }) => [id, status]));
  return own.every(({ id, status }) => known.get(id) === status);
}

// A person recorded that it was made. A read that shows it says more than that, and one that does not takes nothing back.
function rulingOfStated({ sent: { proof } }: AttemptRecord, evidence: Readable): Ruling | undefined {
  const refunds = askedFor(proof, evidence.refunds);
  const shown = { verdict: 'applied', by: 'read', refunds } as const;
  if (evidence.shows === 'failed')
    return { ...shown, why: failedWhy(refunds.filter(isFailed)), alarm: 'failed' };
  if (evidence.shows === 'duplicate') return rulingOf(evidence);
  if (evidence.shows === 'disagreement' && evidence.problem === unknownWord(refunds))
    return { ...shown, why: evidence.problem, alarm: 'disagreement' };
  if (evidence.shows !== 'expected') return undefined;
  const { contradicts } = evidence;
  if (contradicts !== undefined) return { ...shown, why: contradicts, alarm: 'contradiction' };
  return { ...shown, why: 'the service shows it, as it was recorded' };
}

/** The refunds that an attempt made and that its order does not show. `shown`: those that it shows. */
export function missingFrom(
  record: AttemptRecord,
  shown: readonly Pick<FoundRefund, 'id'>[],
): readonly FoundRefund[] {
  const ids = new Set(shown.map(({ id }) => id));
  return ownRefunds(record).filter(({ id }) => id !== undefined && !ids.has(id));
}

function goneWhy(missing: readonly FoundRefund[]): string {
  const ids = missing.map(({ id }) => id).join(' and ');
  return `the order does not show refund${missing.length > 1 ? 's' : ''} ${ids} any more`;
}

/** Which of its refunds the order shows as failed, in words. */
export function failedWhy(failed: readonly FoundRefund[]): string {
  // Every record that a read shows has an id.
  const ids = failed.map(({ id }) => id).join(' and ');
  return `the order now shows refund${failed.length > 1 ? 's' : ''} ${ids} as failed`;
}

export function verdictRow(sent: SentRow, now: Moment, words: Ruling): VerdictRow {
  const { change, attempt } = sent;
  return { type: 'verdict', change, attempt, ...stampOf(now), ...words };
}
