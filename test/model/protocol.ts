/** The shipped reducers, and what is broken in them, or kept from them, where a world drops one of their rules. */

import { step } from '../../src/journal/at-most-once.ts';
import { isDoubted } from '../../src/journal/attempt-state.ts';
import type { FoundRefund } from '../../src/journal/change.ts';
import type { Effect, Event, State, Wanted } from '../../src/journal/protocol-types.ts';
import { type ResolveState, resolve } from '../../src/journal/resolve.ts';
import type { AttemptRecord, AttemptRow, SentRow, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { marksOf, mayBeSameAccount } from '../../src/journal/same-account.ts';
import type { Rules } from './rules.ts';

interface Next {
  readonly state: State | ResolveState;
  readonly effect: Effect;
}

/** The next state of a process: of a look where nothing is wanted, else of a change. */
export function next(state: State | ResolveState, event: Event, rules: Rules, isLook: boolean): Next {
  return isLook
    ? resolveBroken(state as ResolveState, event, rules)
    : stepBroken(state as State, event, rules);
}

function resolveBroken(state: ResolveState, event: Event, { repeatsAlarm }: Rules): Next {
  const first = resolve(state, event);
  const { state: then } = first;
  if (repeatsAlarm || then.at !== 'recording' || !then.row.why.includes('made twice')) return first;
  const row: VerdictRow = { ...then.row, alarm: undefined };
  return { state: { ...then, row }, effect: { do: 'record', row } };
}

function stepBroken(state: State, event: Event, rules: Rules): Next {
  const first = step(state, event);
  const { state: then, effect } = first;
  if (effect.do === 'record' && effect.row.type === 'sent' && !rules.preImage && then.at === 'recording')
    return withoutPreImage(then);
  if (rules.absentIsFinal && then.at === 'concluding' && then.verdict.verdict === 'not_seen') {
    const verdict: VerdictRow = { ...then.verdict, verdict: 'rejected', confirmed: true };
    return { state: { ...then, verdict }, effect: { do: 'record', row: verdict } };
  }
  return first;
}

function withoutPreImage(state: Extract<State, { at: 'recording' | 'sending' }>): Next {
  const { sent } = state.flight;
  const blind: SentRow = {
    ...sent,
    proof: { ...sent.proof, before: { charges: [{ id: 'ch_1', refunds: [] }] } },
  };
  return {
    state: { ...state, flight: { ...state.flight, sent: blind } },
    effect: { do: 'record', row: blind },
  };
}

/** What a run is told that the journal knows of its order. A look wants nothing. */
export function knownTo(
  attempts: readonly AttemptRecord[],
  origin: string,
  rules: Rules,
  wanted: Wanted | undefined,
): AttemptRecord[] {
  const found = attempts.filter(({ sent }) =>
    rules.accounts === 'by_spelling'
      ? sent.origin === origin
      : mayBeSameAccount(marksOf(sent), { origin, livemode: false }),
  );
  if (!rules.alarmsBlock && wanted !== undefined) return found.map(withoutAlarm);
  if (!rules.rowKeys) return found.map(withoutRow);
  if (rules.acknowledged === 'anything') return found.map(withAllAcknowledged);
  if (rules.byHand !== 'counts' && wanted !== undefined)
    return found.map((record) => notByHand(record, rules, wanted));
  if (!rules.doubtsByHand && wanted !== undefined) return found.map(withoutDoubt);
  if (rules.again === 'named_once' && rules.ownRefunds) return found;
  return found.map(({ sent, verdicts }) => ({
    sent: rules.again === 'named_once' ? sent : { ...sent, again: undefined },
    verdicts: rules.ownRefunds ? verdicts : verdicts.map((row) => ({ ...row, refunds: undefined })),
  }));
}

// As if somebody had dealt with a refund that was made twice.
function withoutAlarm({ sent, verdicts }: AttemptRecord): AttemptRecord {
  const dealtWith = (row: VerdictRow): VerdictRow =>
    row.alarm === 'duplicate' ? { ...row, alarm: undefined, acknowledged: row.alarm } : row;
  return { sent, verdicts: verdicts.map(dealtWith) };
}

// As if the journal knew the plan of a refund, and not its row.
function withoutRow({ sent, verdicts }: AttemptRecord): AttemptRecord {
  return { sent: { ...sent, idempotencyKey: undefined, ref: undefined }, verdicts };
}

// As if somebody had seen every refund there can be.
function withAllAcknowledged({ sent, verdicts }: AttemptRecord): AttemptRecord {
  const all = Array.from({ length: 9 }, (_, at) => `r${at}`);
  return {
    sent,
    verdicts: verdicts.map((row) =>
      row.acknowledged === undefined ? row : { ...row, refunds: all.map(refundNamed) },
    ),
  };
}

function refundNamed(id: string): FoundRefund {
  return { chargeId: 'ch_1', id, amount: -5, createdAt: undefined, authCode: undefined };
}

// As if a read had shown what a person recorded as made: then no rule asks whether the order shows it.
function notByHand(
  { sent, verdicts }: AttemptRecord,
  { byHand }: Rules,
  { expected }: Wanted,
): AttemptRecord {
  const isEqual = sent.proof.expected[0]?.amount === expected?.[0]?.amount;
  if (byHand === 'counts_if_equal' && isEqual) return { sent, verdicts };
  return { sent, verdicts: verdicts.map((row) => (row.by === 'person' ? { ...row, by: 'read' } : row)) };
}

// As if what a person records needed no read any more.
function withoutDoubt(record: AttemptRecord): AttemptRecord {
  if (!isDoubted(record)) return record;
  return { sent: record.sent, verdicts: record.verdicts.map((row) => ({ ...row, by: 'read' })) };
}

/**
 * The rows after a repair: what only the witness knows of a SENT row is an open attempt that a person must settle, and a
 * verdict that is lost is unknown unless it was one that nothing can change.
 */
export function repaired(rows: readonly AttemptRow[], witness: readonly AttemptRow[]): AttemptRow[] {
  const lost = witness.slice(rows.length);
  const stays = lost.flatMap((row) => (row.type === 'sent' ? [lostRow(row)] : []));
  const ends = lost
    .filter((row) => row.type === 'verdict')
    .filter((row, at, all) => all.findLastIndex(({ change }) => change === row.change) === at)
    .flatMap((row): VerdictRow[] => {
      const isEnd = row.verdict === 'not_sent' || (row.verdict === 'rejected' && row.confirmed === true);
      const isEarlier = rows.some(({ type, change }) => type === 'verdict' && change === row.change);
      if (isEnd) return [row];
      return isEarlier ? [{ ...row, verdict: 'unknown', by: 'sender', refunds: undefined }] : [];
    });
  return [...rows, ...stays, ...ends];
}

function lostRow(sent: SentRow): SentRow {
  return {
    ...sent,
    sendBy: sent.time,
    horizonMs: Number.MAX_SAFE_INTEGER,
    request: { method: 'POST', path: '' },
    proof: { ...sent.proof, kind: 'api', expected: [], tolerated: [], before: { charges: [] } },
    again: undefined,
  };
}
