/** A state of the model's world as a short text: equal for worlds that behave alike from here on. */

import type { InFlight, State } from '../../src/journal/protocol.ts';
import type { ResolveState } from '../../src/journal/resolve.ts';
import type { AttemptRecord, JournalRow } from '../../src/journal/rows.ts';
import { horizonOf } from '../../src/journal/standing.ts';
import type { Running, World } from './world.ts';

/** Which process is which does not matter where both use one journal. */
export function keyOf(world: World): string {
  const { now, journals, durable, requests, ledger, before, left } = world;
  const processes = world.processes.map((process, index) => {
    return `${world.locks.includes(index) ? 'L' : ''}${processKey(process)}`;
  });
  if (journals.length === 1) processes.sort();
  // One text, put together by hand: a list that is joined takes twice as long, and there are millions.
  let key = `${now};${processes[0]}/${processes[1]}`;
  journals.forEach(({ rows, attempts, key: written }, machine) => {
    key += `|${written}-${rows.length - (durable[machine] ?? 0)}`;
    for (const { sent } of attempts) key += `b${before[sent.intent]}`;
  });
  // When a request left matters only while it flies.
  for (const { intent, fate, at } of requests) key += `;${intent}${fate[0]}${fate === 'flying' ? at : ''}`;
  for (const whose of ledger) key += whose[0];
  const { runs, kills, powerLosses, foreign, settles, failures } = left;
  return `${key};${runs},${kills},${powerLosses},${foreign},${settles},${failures}`;
}

const numbers = new Map<string, number>();

// The same few thousand texts stand in millions of keys, which are the shorter for it.
function numberOf(text: string): number {
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  return number;
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

/** What a journal holds, as far as anything can depend on it. */
export function journalKey(attempts: readonly AttemptRecord[]): number {
  return numberOf(attempts.map(recordKey).join(','));
}

function processKey(process: World['processes'][number]): string | number {
  if (typeof process === 'string') return process;
  process.key ??= numberOf(runningKey(process));
  return process.key;
}

function runningKey({ wanted, state, shown, waitsFor }: Running): string {
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
      return 'errand' in state ? `${errandKey(state.errand)}${rowKey(state.row)}` : flightKey(state.flight);
    case 'sending':
      return flightKey(state.flight);
    case 'doubting':
    case 'waiting':
    case 'rereading': {
      const { sent, because, ahead, sight, alarm, claimed } = state.search;
      const found = sight === undefined ? '' : `${sight.shows}${sight.refunds.length}`;
      return [rowKey(sent), Object.keys(because)[0], ahead.length, found, alarm, ...claimed].join('~');
    }
    case 'concluding':
      return `${rowKey(state.flight.sent)}>${rowKey(state.verdict)}`;
    default:
      return '';
  }
}

function flightKey({ sent, readAt, claimed }: InFlight): string {
  return `${rowKey(sent)}@${readAt.time}${[...claimed].join()}`;
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
