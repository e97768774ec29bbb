/** A state of the model's world as a short text: equal for worlds that behave alike from here on. */

import { horizonOf } from '../../src/journal/guards.ts';
import type { State } from '../../src/journal/protocol.ts';
import type { ResolveState } from '../../src/journal/resolve.ts';
import type { AttemptRecord, JournalRow } from '../../src/journal/rows.ts';
import { attemptsIn, type World } from './world.ts';

type Process = World['processes'][number];

/** Which process is which does not matter where both use one journal. */
export function keyOf(world: World): string {
  const { now, journals, durable, requests, ledger, before, left } = world;
  const processes = world.processes.map((process, index) => {
    return `${world.locks.includes(index) ? 'L' : ''}${processKey(process)}`;
  });
  if (journals.length === 1) processes.sort();
  return [
    now,
    processes.join('/'),
    journals.map(journalKey).join('|'),
    journals.map((rows, machine) => rows.length - (durable[machine] ?? 0)).join(),
    // When a request left matters only while it flies.
    requests.map(({ intent, fate, at }) => `${intent}${fate[0]}${fate === 'flying' ? at : ''}`).join(),
    ledger.map((whose) => whose[0]).join(''),
    journals
      .flat()
      .map((row) => (row.type === 'sent' ? before[row.intent] : ''))
      .join(''),
    Object.values(left).join(),
  ].join(';');
}

function rowKey(row: JournalRow): string {
  if (row.type === 'sent') return `${row.intent}S${row.proof.before.charges[0]?.refunds.length ?? 0}`;
  const { intent, verdict, by, alarm, confirmed, refunds = [] } = row;
  const ids = verdict === 'applied' ? refunds.map(({ id }) => id) : [];
  return [intent, verdict, by[0], alarm, confirmed, ...ids].join('.');
}

// Of the verdicts on an attempt count the first one's time, the last one, and whether it ever was applied.
function recordKey(record: AttemptRecord): string {
  const { sent, verdicts } = record;
  const last = verdicts.at(-1);
  if (last === undefined) return rowKey(sent);
  const final = last.time >= horizonOf(record);
  const applied = verdicts.some(({ verdict }) => verdict === 'applied');
  return [rowKey(sent), verdicts[0]?.time, rowKey(last), final, applied].join('_');
}

const journalKeys = new WeakMap<readonly JournalRow[], string>();

// A journal is looked at in thousands of worlds; it never changes once written.
function journalKey(rows: readonly JournalRow[]): string {
  const known = journalKeys.get(rows);
  if (known !== undefined) return known;
  const key = attemptsIn(rows).map(recordKey).join(',');
  journalKeys.set(rows, key);
  return key;
}

function processKey(process: Process): string {
  if (typeof process === 'string') return process;
  const { wanted, state, shown, waitsFor } = process;
  const who = wanted === undefined ? '' : `${wanted.intent}${wanted.again}`;
  return [who, state.at, waitsFor, stateKey(state, shown)].join(':');
}

function stateKey(state: State | ResolveState, shown: number): string {
  switch (state.at) {
    case 'locking':
      return 'errand' in state ? errandKey(state.errand) : `${shown}`;
    case 'reading':
      return 'errand' in state
        ? `${errandKey(state.errand)}${recordKey(state.record)}${[...state.claimed].join()}`
        : `${shown}${state.known.map(recordKey).join('+')}`;
    case 'asking':
      return `${errandKey(state.errand)}${recordKey(state.record)}`;
    case 'correcting':
      return `${state.refusal.why}${'verdict' in state.refusal ? rowKey(state.refusal.verdict) : ''}`;
    case 'recording':
      return 'errand' in state
        ? `${errandKey(state.errand)}${rowKey(state.row)}`
        : `${rowKey(state.flight.sent)}@${state.flight.readAt.time}`;
    case 'sending':
      return `${rowKey(state.flight.sent)}@${state.flight.readAt.time}`;
    case 'doubting':
    case 'waiting':
    case 'rereading': {
      const { sent, because, ahead, sight, alarm } = state.search;
      const found = sight === undefined ? '' : `${sight.shows}${sight.refunds.length}`;
      return [rowKey(sent), Object.keys(because)[0], ahead.length, found, alarm].join('~');
    }
    case 'concluding':
      return `${rowKey(state.flight.sent)}>${rowKey(state.verdict)}`;
    default:
      return '';
  }
}

function errandKey({
  intent,
  statement,
}: {
  intent: string;
  statement?: { applied: boolean } | undefined;
}): string {
  return `${intent}${statement?.applied ?? ''}`;
}
