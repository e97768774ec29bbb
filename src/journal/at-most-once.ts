/**
 * The protocol that sends a change at most once: lock, guards, final read, approval, SENT row, one sending, verdict, release. It
 * is a pure reducer that asks for one effect at a time. The runner carries the effect out and gives the event that answers it to
 * `step`.
 */

import { valueAt } from '../api/json-values.ts';
import type { CliErrorParts } from '../errors.ts';
import { isPending } from './agreement.ts';
import { awaitsRead, isDoubted, isWatched, verdictOf } from './attempt-state.ts';
import { changeKinds } from './change.ts';
import { refusedLike } from './claims.ts';
import { decide, type Refusal } from './guards.ts';
import { earliestOf, stampOf } from './journal-time.ts';
import { preImage } from './judge-read.ts';
import { judgeReply, saidIn } from './judge-reply.ts';
import type { End, Event, InFlight, Lost, Refused, Search, State, Step, Wanted } from './protocol-types.ts';
import { appearedOn, appearedRuling, sentAs, unshownRefunds } from './questions/by-hand.ts';
import { newDuplicate } from './questions/paid-twice.ts';
import { claimedBy } from './questions/verdicts-say.ts';
import { nothingToRepeat, oldRead, unnamedEqual, unshownRefund } from './read-guards.ts';
import type { AttemptRecord, Moment, Proof, SentRow, VerdictRow } from './rows/journal-rows.ts';
import { doubtFailed, judgeOrder, judgeSeen, type Ruling, rulingOf, verdictRow } from './verdict.ts';

type At<Name extends State['at']> = Extract<State, { at: Name }>;

/** Starts a run. */
export function begin(wanted: Wanted): Step {
  return { state: { at: 'locking', wanted }, effect: { do: 'lock' } };
}

/** The next state and effect. Throws on an event that does not answer the effect before it: a bug of the runner. */
export function step(state: State, event: Event): Step {
  const next = transition(state, event);
  if (next === undefined) throw new Error(`the journal met '${event.is}' while ${state.at}`);
  return next;
}

function transition(state: State, event: Event): Step | undefined {
  const sent = 'flight' in state || 'search' in state || 'end' in state;
  if (event.is === 'stopped' && !sent) return refuse({ why: 'stopped', cause: event.cause });
  switch (state.at) {
    case 'locking':
      if (event.is === 'busy') return done({ how: 'refused', refusal: { why: 'busy', owner: event.owner } });
      return event.is === 'locked'
        ? { state: { ...state, at: 'looking' }, effect: { do: 'look' } }
        : undefined;
    case 'looking':
      return event.is === 'known' ? guard(state, event.attempts, event.moment) : undefined;
    case 'reading':
      return event.is === 'fresh' ? compare(state, event) : undefined;
    case 'checking':
      return event.is === 'checked' ? record(state, event.moment) : undefined;
    case 'correcting':
      return event.is === 'recorded' || event.is === 'unrecorded'
        ? refuse(corrected(state, event))
        : undefined;
    case 'recording':
      if (event.is === 'unrecorded') return takeBack(state, event);
      return event.is === 'recorded' ? send(state, event.moment) : undefined;
    case 'sending':
      return takeReply(state, event);
    case 'doubting':
    case 'waiting':
    case 'rereading':
      return search(state, event);
    case 'concluding':
      return conclude(state, event);
    case 'releasing':
      return event.is === 'released' ? done(state.end) : undefined;
    case 'done':
      return undefined;
  }
}

// ── Before the sending ──────────────────────────────────────────────────────────────────────────

function guard({ wanted }: At<'looking' | 'locking'>, known: readonly AttemptRecord[], now: Moment): Step {
  const decision = decide(wanted, known, now);
  if (decision.go === 'refuse') return refuse(decision.refusal);
  if (decision.go === 'recorded') return release({ how: 'recorded', attempt: decision.attempt });
  return { state: { at: 'reading', wanted, known, sending: decision }, effect: { do: 'read' } };
}

function compare(state: At<'reading'>, event: Extract<Event, { is: 'fresh' }>): Step {
  const { wanted, known, sending } = state;
  // Decided again: the final read may show the service's clock for the first time, and by that clock a horizon may not be over.
  const decision = decide(wanted, known, event.moment);
  if (decision.go === 'refuse') return refuse(decision.refusal);
  const makers = [...known, ...(event.creations ?? [])];
  for (const attempt of [...sending.doubtful, ...known.filter((one) => isWatched(one) || awaitsRead(one))]) {
    const found = newsOf(attempt, makers, event);
    if (found === undefined) continue;
    if ('problem' in found) return refuse({ why: 'unprovable', problem: found.problem });
    const refusal: Refusal = { why: 'appeared', attempt, ...found };
    if (wanted.dryRun) return refuse(refusal);
    return { state: { at: 'correcting', wanted, refusal }, effect: { do: 'record', row: found.verdict } };
  }
  const image = preImage(wanted.kind, event.value);
  if ('problem' in image) return refuse({ why: 'unprovable', problem: image.problem });
  const { before } = image;
  const old =
    wanted.kind === 'refund'
      ? oldRead({ orderId: wanted.orderId, livemode: valueAt(event.value, ['livemode']) }, before, known)
      : undefined;
  if (old !== undefined) return refuse({ why: 'unprovable', problem: old });
  const unshown = unshownRefunds(known, event.value);
  const refusal =
    unnamedEqual(wanted, before, known) ??
    unshownRefund(wanted, unshown, known) ??
    nothingToRepeat(wanted, before, known, unshown);
  if (refusal !== undefined) return refuse(refusal);
  return {
    state: { ...state, at: 'checking', before, neighbour: event.neighbour, readAt: event.moment },
    effect: { do: 'check' },
  };
}

// What the final read shows about an earlier attempt and the journal does not know yet: a change that no read had
// shown, or that counted as not made, was made after all; or a refund is there twice.
function newsOf(
  attempt: AttemptRecord,
  known: readonly AttemptRecord[],
  { value, moment }: Extract<Event, { is: 'fresh' }>,
):
  | Pick<Extract<Refusal, { why: 'appeared' }>, 'verdict' | 'sentAs'>
  | { readonly problem: string }
  | undefined {
  const { sent } = attempt;
  const last = verdictOf(attempt);
  const appeared = appearedOn(attempt, known, value);
  if (appeared !== undefined)
    return {
      verdict: verdictRow(sent, moment, appearedRuling(appeared)),
      sentAs: sentAs(attempt, appeared),
    };
  if (isDoubted(attempt)) return undefined;
  if (last?.verdict === 'applied') {
    const twice = newDuplicate(attempt, last, known, value);
    // `by` stays as it was for the first refund: if a reply confirmed that one, this must not be lost because a second one shows.
    return twice && { verdict: verdictRow(sent, moment, { ...rulingOf(twice), by: last.by }) };
  }
  const evidence = judgeOrder(attempt, known, value);
  if (evidence.shows === 'nothing') return undefined;
  if (evidence.shows === 'unreadable') return { problem: evidence.problem };
  return { verdict: verdictRow(sent, moment, rulingOf(evidence)) };
}

// The final read counts for a limited time. If a person took over half of it to answer, paydesk reads again.
function record(state: At<'checking'>, now: Moment): Step {
  const { wanted, known, sending, readAt } = state;
  if (wanted.dryRun) return release({ how: 'dry_run' });
  if (elapsedMs(readAt, now) > Math.max(1000, wanted.sendWithinMs / 2)) {
    return { state: { at: 'reading', wanted, known, sending }, effect: { do: 'read' } };
  }
  const sent = sentRow(state, now);
  const claimed = claimedBy(known, { sent });
  const refused = refusedLike({ sent, verdicts: [] }, known);
  return {
    state: { at: 'recording', wanted, flight: { sent, readAt, claimed, refused, reads: 0 } },
    effect: { do: 'record', row: sent },
  };
}

// If the process was stopped in between, one of the two clocks may have stood still. So the larger difference counts.
function elapsedMs(from: Moment, to: Moment): number {
  return Math.max(to.wall - from.wall, to.mono - from.mono);
}

function sentRow({ wanted, sending, before, neighbour, readAt }: At<'checking'>, now: Moment): SentRow {
  const { kind, orderId, livemode, expected = [], tolerated = [], again, ...more } = wanted;
  // Only the run needs these; what is left is what the journal keeps of a change.
  const { change: _change, account: _account, dryRun: _dryRun, readAfterMs: _readAfterMs, ...left } = more;
  const { about, horizonMs, sendWithinMs, ...kept } = left;
  // An added header may hold a secret, and no verdict needs it.
  const { headers: _headers, ...request } = kept.request;
  const proof: Proof = { kind, orderId, livemode, body: request.body, expected, tolerated, before };
  return {
    ...about,
    ...kept,
    type: 'sent',
    change: sending.change,
    attempt: sending.attempt,
    ...stampOf(now),
    // Counted from the final read, because paydesk does not see what others do to the order after it.
    sendBy: readAt.time + sendWithinMs,
    horizonMs,
    request,
    proof,
    neighbour,
    again: again.length === 0 ? undefined : again,
  };
}

// The row may have been written all the same, or may be on its way to a server. But nothing is sent now, whatever becomes of it.
function takeBack(
  { wanted, flight }: At<'recording' | 'sending'>,
  { cause, moment }: Extract<Event, { is: 'unrecorded' }>,
): Step {
  const why = 'it could not be recorded';
  const verdict = verdictRow(flight.sent, moment, { verdict: 'not_sent', by: 'sender', why });
  const refusal: Refusal = { why: 'journal', cause, left: flight.sent.change };
  return {
    state: { at: 'correcting', wanted, refusal },
    effect: { do: 'take_back', sent: flight.sent, row: verdict },
  };
}

// With the verdict `not_sent`, the SENT row blocks nothing, if it is there at all.
function corrected({ refusal }: At<'correcting'>, { is }: Event): Refusal {
  if (refusal.why !== 'journal' || is === 'unrecorded') return refusal;
  return { why: 'journal', cause: refusal.cause };
}

function send({ wanted, flight }: At<'recording' | 'sending'>, now: Moment): Step {
  const elapsed = elapsedMs(flight.readAt, now);
  if (elapsed <= wanted.sendWithinMs) {
    const { wall, mono } = flight.readAt;
    const until = { wall: wall + wanted.sendWithinMs, mono: mono + wanted.sendWithinMs };
    return { state: { at: 'sending', wanted, flight }, effect: { do: 'send', until } };
  }
  const why = `this machine was asleep or frozen for ${Math.round(elapsed / 1000)} s before it could send`;
  return rule(wanted, flight, now, { verdict: 'not_sent', by: 'sender', why });
}

// ── After the sending ───────────────────────────────────────────────────────────────────────────

function takeReply({ wanted, flight: sent }: At<'recording' | 'sending'>, event: Event): Step | undefined {
  if (event.is === 'not_sent') {
    return rule(wanted, sent, event.moment, { verdict: 'not_sent', by: 'sender', why: event.why });
  }
  if (event.is === 'no_reply') return doubt(wanted, sent, event.moment, { lost: event.why });
  if (event.is !== 'replied') return undefined;
  const flight: InFlight = { ...sent, received: event.parsed.received };
  const answer = judgeReply(flight.sent.proof, event.parsed, earliestOf(flight.sent));
  switch (answer.says) {
    case 'applied': {
      const { refunds, created, link } = answer;
      const why = `the reply confirms it${refunds.some(isPending) ? ' as pending' : ''}`;
      return rule(wanted, flight, event.moment, {
        verdict: 'applied',
        by: 'reply',
        why,
        refunds,
        created,
        link,
      });
    }
    case 'failed': {
      const { evidence } = answer;
      if (evidence.isPart) return rule(wanted, flight, event.moment, { ...rulingOf(evidence), by: 'reply' });
      return confirm(wanted, flight, event.moment, { rejected: {}, failed: evidence.refunds });
    }
    case 'rejected': {
      const alarmed: InFlight = answer.contradicts ? { ...flight, alarm: 'contradiction' } : flight;
      return confirm(wanted, alarmed, event.moment, { rejected: answer.error });
    }
    case 'contradiction':
    case 'nothing': {
      const doubted: InFlight = answer.says === 'nothing' ? flight : { ...flight, alarm: 'contradiction' };
      return doubt(wanted, doubted, event.moment, { lost: answer.why, said: saidIn(event.parsed) });
    }
  }
}

// `unknown` is written before anything is read: after a kill, the next run then knows that the request left.
function doubt(wanted: Wanted, flight: InFlight, now: Moment, because: Lost): Step {
  const verdict = verdictRow(flight.sent, now, {
    verdict: 'unknown',
    by: 'sender',
    why: because.lost,
    alarm: flight.alarm,
    error: because.said,
    received: flight.received,
  });
  const ahead = changeKinds[wanted.kind].provable ? wanted.readAfterMs : [];
  const state: State = {
    at: 'doubting',
    wanted,
    search: { ...flight, because, from: now.mono, ahead },
  };
  return { state, effect: { do: 'record', row: verdict } };
}

// A refusal is believed once a read shows that nothing was done. A reply that shows the refund as failed is believed once a read
// shows that too. paydesk reads three times at most.
function confirm(wanted: Wanted, flight: InFlight, now: Moment, because: Refused): Step {
  const ahead = changeKinds[wanted.kind].provable ? wanted.readAfterMs.slice(0, 3) : [];
  return readOn(wanted, { ...flight, because, from: now.mono, ahead }, now);
}

function search(
  { at, wanted, search: found }: At<'doubting' | 'waiting' | 'rereading'>,
  event: Event,
): Step | undefined {
  if (at === 'doubting' && event.is === 'recorded') return readOn(wanted, found, event.moment);
  if (at === 'doubting' && event.is === 'unrecorded') {
    return readOn(wanted, { ...found, unrecorded: { cause: event.cause } }, event.moment);
  }
  if (at === 'waiting' && event.is === 'waited') {
    return {
      state: { at: 'rereading', wanted, search: event.hurried ? { ...found, ahead: [] } : found },
      effect: { do: 'reread' },
    };
  }
  if (at !== 'rereading') return undefined;
  if (event.is === 'unseen') return readOn(wanted, { ...found, reads: found.reads + 1 }, event.moment);
  if (event.is !== 'seen') return undefined;
  const seen = judgeSeen(found.sent, event, found.claimed);
  // If the service refused this change too, or its reply showed it as failed, it is refused, whichever attempt the record belongs
  // to.
  const evidence = 'rejected' in found.because ? seen : doubtFailed(seen, found.refused);
  const reads = { reads: found.reads + 1, lastReadAt: event.moment.time };
  if (evidence.shows === 'unreadable' || isOlderThanReply(found, evidence))
    return readOn(wanted, { ...found, ...reads }, event.moment);
  return readOn(wanted, { ...found, ...reads, evidence }, event.moment);
}

// The reply showed a refund as failed. A read without it shows the order as it was before.
function isOlderThanReply({ because }: Search, { shows }: ReturnType<typeof judgeSeen>): boolean {
  return 'rejected' in because && because.failed !== undefined && shows === 'nothing';
}

// Waits for the next read, unless the last one has settled it or none is left.
function readOn(wanted: Wanted, found: Search, now: Moment): Step {
  const [next, ...ahead] = found.ahead;
  if (next === undefined || settles(found)) return ruleOnEvidence(wanted, found, now);
  const ms = Math.max(0, found.from + next - now.mono);
  return { state: { at: 'waiting', wanted, search: { ...found, ahead } }, effect: { do: 'wait', ms } };
}

function settles({ evidence, because }: Search): boolean {
  if (evidence === undefined) return false;
  if ('rejected' in because) return evidence.shows !== 'disagreement';
  return ['expected', 'failed', 'duplicate'].includes(evidence.shows);
}

function ruleOnEvidence(wanted: Wanted, found: Search, now: Moment): Step {
  const { because, evidence } = found;
  if ('rejected' in because) {
    const said = because.failed === undefined ? 'the service refused it' : 'the reply shows it as failed';
    const unconfirmed: Ruling = {
      verdict: 'rejected',
      by: 'reply',
      why: `${said}; not checked yet`,
      confirmed: false,
      refunds: because.failed,
    };
    const words = evidence === undefined ? unconfirmed : rulingOf(evidence, 'rejected');
    const why = words.verdict === 'unknown' ? `${said}, but ${words.why}` : words.why;
    return rule(wanted, found, now, { ...words, why, error: withoutData(because.rejected) });
  }
  const { lost, said: error } = because;
  if (evidence === undefined)
    return rule(wanted, found, now, { verdict: 'unknown', by: 'sender', why: lost, error });
  const words: Ruling = { ...rulingOf(evidence), error };
  // The reason for the loss may already name the figures that the read shows.
  const isNamed = lost.includes(words.why);
  if (words.verdict === 'not_seen' || isNamed) return rule(wanted, found, now, { ...words, why: lost });
  const why = evidence.shows === 'disagreement' ? `${lost}; ${words.why}` : words.why;
  return rule(wanted, found, now, { ...words, why });
}

// ── The end ─────────────────────────────────────────────────────────────────────────────────────

function rule(wanted: Wanted, flight: InFlight, now: Moment, words: Ruling): Step {
  const verdict = verdictRow(flight.sent, now, {
    ...words,
    alarm: words.alarm ?? flight.alarm,
    received: flight.received,
  });
  return { state: { at: 'concluding', wanted, flight, verdict }, effect: { do: 'record', row: verdict } };
}

function conclude({ flight, verdict }: At<'concluding'>, event: Event): Step | undefined {
  const { sent, reads, lastReadAt } = flight;
  const end = { how: 'verdict', sent, verdict, reads, lastReadAt } as const;
  if (event.is === 'recorded') return release({ ...end, unrecorded: flight.unrecorded });
  return event.is === 'unrecorded' ? release({ ...end, unrecorded: { cause: event.cause } }) : undefined;
}

function refuse(refusal: Refusal): Step {
  return release({ how: 'refused', refusal });
}

function release(end: End): Step {
  return { state: { at: 'releasing', end }, effect: { do: 'release' } };
}

function done(end: End): Step {
  return { state: { at: 'done', end }, effect: { do: 'finish' } };
}

// The order in an error body is a buyer's data, and no verdict needs it.
function withoutData({ data: _, cause: __, ...error }: CliErrorParts): VerdictRow['error'] {
  return error;
}
