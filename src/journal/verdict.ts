/** Turns what a read shows (judge-read.ts) into a verdict and its row. Pure. */

import { askedFor, claimedBy, isAcknowledged, isOpen, isSameAttempt } from './attempt-state.ts';
import type { Alarm, Moment, SentRow, VerdictRow } from './journal-rows.ts';
import { earliestOf, stampOf } from './journal-time.ts';
import { type Claims, type Evidence, judgeRead } from './judge-read.ts';
import type { Event } from './protocol-types.ts';
import { asksForSame } from './same-request.ts';

/**
 * Judges a read after the sending. `claimed`: what belongs to other attempts. Creations of orders share no lock, so for
 * them this is looked up after the read (`creations`). While an equal creation is open, nobody can tell which of the
 * two made a new order.
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
  const problem = `${rival.sent.intent} asked for the same and is unconfirmed too: a new order may belong to either`;
  return { shows: 'unreadable', problem };
}

/** A verdict without its time and attempt. */
export type Ruling = Omit<VerdictRow, 'type' | 'intent' | 'attempt' | 'time' | 'skewed' | 'clocks'>;

type Readable = Exclude<Evidence, { shows: 'unreadable' }>;

/** The verdict that a read gives. `none`: the verdict when the read shows nothing of the change. */
export function rulingOf(evidence: Readable, none: 'not_seen' | 'rejected' = 'not_seen'): Ruling {
  const { refunds } = evidence;
  switch (evidence.shows) {
    case 'expected': {
      const { contradicts } = evidence;
      const alarmed = contradicts === undefined ? undefined : 'contradiction';
      const alarm = none === 'rejected' ? 'applied_though_rejected' : alarmed;
      const why = `the service shows it${contradicts === undefined ? '' : `, with ${contradicts}`}`;
      const { created, link } = evidence;
      return { verdict: 'applied', by: 'read', why, alarm, refunds, created, link };
    }
    case 'duplicate':
      return {
        verdict: 'applied',
        by: 'read',
        why: 'the service shows it more than once',
        alarm: 'duplicate',
        refunds,
      };
    case 'partial':
      return {
        verdict: 'unknown',
        by: 'read',
        why: 'the service shows only a part of it',
        alarm: 'partial',
        refunds,
      };
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
 * shows the refund gets a row, so that it is not read again too soon. A row after the horizon (not `young`) ends the
 * watch. Figures that do not agree may agree at the next read; any other alarm stays.
 */
export function rulingOfWatched(
  { proof }: Pick<SentRow, 'proof'>,
  last: VerdictRow,
  evidence: Readable,
  young: boolean,
): Ruling | undefined {
  const { verdict, by, created, refunds, acknowledged } = last;
  const alarm = last.alarm === 'disagreement' ? undefined : last.alarm;
  const kept = { verdict, by, created, acknowledged } as const;
  // What a person has dealt with is not raised again.
  const raised = (news: Alarm) => (isAcknowledged(last, news, evidence.refunds) ? undefined : news);
  // All that was seen: a later read may show less, and what somebody has acknowledged stays acknowledged.
  const isTwice = (last.alarm ?? acknowledged) === 'duplicate';
  switch (evidence.shows) {
    case 'duplicate': {
      if (raised('duplicate') !== undefined) return { ...rulingOf(evidence), by };
      const why = young
        ? 'the service shows only what was acknowledged'
        : 'checked after the waiting period: nothing more appeared';
      return { ...kept, why, refunds };
    }
    case 'disagreement':
      return { ...kept, why: evidence.problem, alarm: alarm ?? raised('disagreement'), refunds };
    case 'expected': {
      const { contradicts } = evidence;
      // Later refunds belong to other attempts, or to other people.
      const own = askedFor(proof, evidence.refunds);
      const why = young
        ? `checked again: ${isTwice ? 'nothing more appeared' : 'the service shows it once'}`
        : 'checked after the waiting period: nothing more appeared';
      const all = isTwice ? refunds : own;
      if (contradicts === undefined) return { ...kept, why, alarm, refunds: all };
      return { ...kept, why: contradicts, alarm: alarm ?? raised('contradiction'), refunds: all };
    }
    default:
      return undefined;
  }
}

export function verdictRow(sent: SentRow, now: Moment, words: Ruling): VerdictRow {
  const { intent, attempt } = sent;
  return { type: 'verdict', intent, attempt, ...stampOf(now), ...words };
}
