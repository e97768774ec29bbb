/** The shipped reducers, and what is broken in them, or kept from them, where a world drops one of their rules. */

import { step } from '../../src/journal/at-most-once.ts';
import type { AttemptRecord, AttemptRow, SentRow, VerdictRow } from '../../src/journal/journal-rows.ts';
import type { Effect, Event, State } from '../../src/journal/protocol-types.ts';
import { type ResolveState, resolve } from '../../src/journal/resolve.ts';
import { marksOf, mayBeSameAccount } from '../../src/journal/same-account.ts';
import type { Rules } from './rules.ts';

interface Next {
  readonly state: State | ResolveState;
  readonly effect: Effect;
}

/** The next state of a process: of a look where nothing is wanted, else of a change. */
export function next(state: State | ResolveState, event: Event, rules: Rules, isLook: boolean): Next {
  return isLook ? resolve(state as ResolveState, event) : stepBroken(state as State, event, rules);
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

/** What a run is told that the journal knows of its order. */
export function knownTo(
  attempts: readonly AttemptRecord[],
  origin: string,
  rules: Rules,
  isLook: boolean,
): AttemptRecord[] {
  const found = attempts.filter(({ sent }) =>
    rules.accounts === 'by_spelling'
      ? sent.origin === origin
      : mayBeSameAccount(marksOf(sent), { origin, livemode: false }),
  );
  if (!rules.alarmsBlock && !isLook) return found.map(withoutAlarm);
  if (rules.again === 'named_once' && rules.ownRefunds) return found;
  return found.map(({ sent, verdicts }) => ({
    sent: rules.again === 'named_once' ? sent : { ...sent, again: undefined },
    verdicts: rules.ownRefunds ? verdicts : verdicts.map((row) => ({ ...row, refunds: undefined })),
  }));
}

// As if somebody had dealt with a refund that was paid back twice.
function withoutAlarm({ sent, verdicts }: AttemptRecord): AttemptRecord {
  const dealtWith = (row: VerdictRow): VerdictRow =>
    row.alarm === 'duplicate' ? { ...row, alarm: undefined, acknowledged: row.alarm } : row;
  return { sent, verdicts: verdicts.map(dealtWith) };
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
    .filter((row, at, all) => all.findLastIndex(({ intent }) => intent === row.intent) === at)
    .flatMap((row): VerdictRow[] => {
      const isEnd = row.verdict === 'not_sent' || (row.verdict === 'rejected' && row.confirmed === true);
      const isEarlier = rows.some(({ type, intent }) => type === 'verdict' && intent === row.intent);
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
