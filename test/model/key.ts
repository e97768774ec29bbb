/** A state of the model's world as a short text: equal for worlds that behave alike from here on. */

import { isFailed } from '../../src/journal/agreement.ts';
import { wasOver } from '../../src/journal/attempt-state.ts';
import type { InFlight, State, Wanted } from '../../src/journal/protocol-types.ts';
import { ownRefunds } from '../../src/journal/questions/verdicts-say.ts';
import type { Errand, ResolveState } from '../../src/journal/resolve.ts';
import { type AttemptRecord, type AttemptRow, attemptName } from '../../src/journal/rows/journal-rows.ts';
import type { Budget } from './rules.ts';
import type { Journal, Running, World } from './world.ts';

export function keyOf(world: World): string {
  const { now, journals, processes, locks, requests, ledger, left, dating, mixed, alarmIgnored, alike } =
    world;
  const codes = [now];
  let first = processCode(processes[0], locks.includes(0));
  let second = processCode(processes[1], locks.includes(1));
  if (alike && first > second) [first, second] = [second, first];
  push(codes, first);
  push(codes, second);
  for (const [machine, journal] of journals.entries()) pushJournal(codes, world, journal, machine);
  if (world.jumping) push(codes, numberOf(`${world.ahead},${world.boots},${journals.map(newestKey).join()}`));
  codes.push(end);
  // When a request left matters only while it flies or may be applied once more, and when a refund was made for as long
  // as a read may leave it out.
  for (const { name, fate, at } of requests) {
    codes.push(numberIn(name), fates[fate]);
    if (fate === 'flying' || left.twice + left.fails > 0 || dating) codes.push(at);
  }
  codes.push(end);
  const isEnding = left.pendings + left.fails > 0 || ledger.some(({ status }) => status !== undefined);
  for (const { whose, at, by, status } of ledger) {
    codes.push(kinds[whose] + statuses[status ?? 'made']);
    if (dating) codes.push(at);
    if (dating || mixed || isEnding) codes.push(by === undefined ? 0 : numberIn(by));
  }
  pushLeft(codes, left);
  if (alarmIgnored) codes.push(end);
  if (left.failures > 0 || world.fenced.length + world.late.length + world.takenBack.length > 0)
    push(codes, numberOf(serverKey(world)));
  if (world.restored || left.restores > 0)
    push(codes, numberOf(world.saw.map((row) => row && rowKey(row)).join('|')));
  // A character per number, all at once: a text that grows piece by piece takes twice as long, and there are millions.
  return String.fromCharCode(...codes);
}

const end = 0xffff;
const fates = { flying: 1, applied: 2, refused: 3, lost: 4 } as const;
const kinds = { ours: 1, foreign: 2, doubled: 3 } as const;
const statuses = { made: 0, pending: 4, failed: 8 } as const;

// A number that may not fit into one character.
function push(codes: number[], number: number): void {
  codes.push(number & 0xffff, number >>> 16);
}

function processCode(process: World['processes'][number] | undefined, holdsLock: boolean): number {
  const code = typeof process === 'object' ? 2 + processKey(process) : process === 'content' ? 1 : 0;
  return 2 * code + (holdsLock ? 1 : 0);
}

function pushJournal(codes: number[], world: World, { rows, attempts, key }: Journal, machine: number): void {
  push(codes, key);
  codes.push(rows.length - (world.durable[machine] ?? 0));
  for (const { sent } of attempts) codes.push(world.before[attemptName({ sent })] ?? end);
  if (world.left.restores > 0 || world.restored) push(codes, witnessKey(world.witnesses[machine]));
}

// None of them is more than 15.
function pushLeft(codes: number[], left: Budget): void {
  const { runs, kills, powerLosses, foreign, settles, failures, twice, restores, jumps } = left;
  const { acknowledgements, corrections, pendings, fails } = left;
  codes.push(
    end,
    runs | (kills << 4) | (powerLosses << 8) | (foreign << 12),
    settles | (failures << 4) | (twice << 8) | (restores << 12),
    jumps | (acknowledgements << 4) | (corrections << 8) | (fails << 12),
    pendings,
  );
}

// Attempts are called i_1, i_1.2, i_2 and so on.
function numberIn(name: string): number {
  const [change, attempt] = name.slice(2).split('.');
  return 16 * Number(change) + Number(attempt ?? 1);
}

function serverKey({ late, fenced, takenBack }: World): string {
  const under = late.map(({ row, seen }) => `${rowKey(row)}<${seen}`).toSorted();
  return `${under.join()}/${fenced.toSorted().join()}/${takenBack.toSorted().join()}`;
}

function witnessKey(rows: readonly AttemptRow[] = []): number {
  return numberOf(rows.map((row) => `${rowKey(row)}${stampKey(row)}`).join());
}

function newestKey({ newest: { time, clocks, writtenAt } }: Journal): string {
  return `${time}/${clocks?.wall}/${clocks?.service}/${clocks?.boot?.id}${clocks?.boot?.ms}/${writtenAt}`;
}

const numbers = new Map<string, number>();

// The same few thousand texts stand in millions of keys, which are the shorter for it.
function numberOf(text: string): number {
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  return number;
}

function rowKey(row: AttemptRow): string {
  if (row.type === 'sent') {
    const { proof, origin, again, idempotencyKey, plan } = row;
    const { charges, amountRefunded } = proof.before;
    const ids = charges.flatMap(({ refunds }) => refunds.map(({ id, status }) => `${id}${status ?? ''}`));
    const wish = [proof.expected[0]?.amount, idempotencyKey, plan];
    return [nameOf(row), 'S', proof.kind, ids, amountRefunded, origin, again, wish, stampKey(row)].join();
  }
  const { verdict, by, alarm, acknowledged, confirmed, refunds = [] } = row;
  const kept = verdict === 'applied' ? refunds : verdict === 'rejected' ? refunds.filter(isFailed) : [];
  const ids = kept.map(({ id, status }) => `${id}${status ?? ''}`);
  return [nameOf(row), verdict, by[0], alarm, acknowledged, confirmed, ...ids].join('.');
}

function nameOf(row: AttemptRow): string {
  return `${row.change}/${row.attempt}`;
}

// When a row was written, and by which clocks where they were not right.
function stampKey({ time, skewed, clocks }: AttemptRow): string {
  const told = clocks?.service === undefined ? '' : 'd';
  if (skewed === undefined && (clocks === undefined || clocks.wall === time)) return `@${time}${told}`;
  return `@${time}${told}${skewed ?? ''}/${clocks?.wall}/${clocks?.boot?.ms}`;
}

// Of the verdicts on an attempt count those whose times may count, the last one, what people wrote, and when it was first said to
// be made.
function recordKey(record: AttemptRecord): string {
  const { sent, verdicts } = record;
  const last = verdicts.at(-1);
  if (last === undefined) return rowKey(sent);
  const jumped = verdicts.some(({ time, clocks }) => clocks !== undefined && clocks.wall !== time);
  const start = (jumped ? verdicts : verdicts.slice(0, 1)).map(stampKey).join();
  const made = verdicts.filter(({ verdict }) => verdict === 'applied');
  const first = made[0] === undefined ? '' : `${stampKey(made[0])}${made.length === 1}${stampKey(last)}`;
  const skewed = last.skewed === true ? stampKey(last) : '';
  const byHand = verdicts
    .filter(({ operator }) => operator !== undefined)
    .map(rowKey)
    .join('+');
  const own = ownRefunds(record).flatMap(({ id, status }) => (status === undefined ? [] : `${id}${status}`));
  return [rowKey(sent), start, rowKey(last), wasOver(record, last), byHand, first, skewed, ...own].join('_');
}

/** What a journal holds, as far as anything can depend on it. */
export function journalKey(attempts: readonly AttemptRecord[]): number {
  return numberOf(attempts.map(recordKey).join(','));
}

function processKey(process: Running): number {
  process.key ??= numberOf(runningKey(process));
  return process.key;
}

function runningKey({ wanted, state, shown, dated, waitsFor, seen, isUnknown }: Running): string {
  const who = wanted === undefined ? '' : wantedKey(wanted);
  return [who, state.at, dated, waitsFor, seen, isUnknown, stateKey(state, shown)].join(':');
}

function wantedKey({ change, again, about, expected, idempotencyKey, plan }: Wanted): string {
  return [change, again, about.origin, expected?.[0]?.amount, idempotencyKey, plan].join();
}

function stateKey(state: State | ResolveState, shown: number): string {
  switch (state.at) {
    case 'locking':
      return 'errand' in state ? errandKey(state.errand) : `${shown}`;
    case 'reading':
      return 'errand' in state
        ? `${errandKey(state.errand)}${recordKey(state.record)}`
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
      const { sent, because, ahead, evidence, alarm, claimed, refused } = state.search;
      const found = evidence === undefined ? '' : `${evidence.shows}${evidence.refunds.length}`;
      const other = refused === undefined ? '' : 'refused';
      return [rowKey(sent), Object.keys(because)[0], ahead.length, found, alarm, other, ...claimed].join('~');
    }
    case 'concluding':
      return `${rowKey(state.flight.sent)}>${rowKey(state.verdict)}`;
    default:
      return '';
  }
}

function flightKey({ sent, readAt, claimed, refused }: InFlight): string {
  const other = refused === undefined ? '' : 'refused';
  return `${rowKey(sent)}@${readAt.time}/${readAt.wall}${[...claimed].join()}${other}`;
}

function errandKey({ change, attempt, statement, acknowledgement }: Errand): string {
  const said = statement && `${statement.applied}${statement.corrects ?? ''}`;
  return `${change}/${attempt}${said ?? ''}${acknowledgement === undefined ? '' : 'acknowledges'}`;
}
