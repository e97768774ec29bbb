/** The model's world: two people with one change, their processes, one journal, a network and a service. Plain data. */

import { momentFrom } from '../../src/journal/journal-time.ts';
import type { Effect, State, Wanted } from '../../src/journal/protocol-types.ts';
import type { ResolveState } from '../../src/journal/resolve.ts';
import type { AttemptRecord, AttemptRow, Moment, SentRow } from '../../src/journal/rows/journal-rows.ts';
import type { NewestRow } from '../../src/journal/rows/journal-store.ts';
import { lockName } from '../../src/journal/same-account.ts';
import { attemptsIn } from '../harness/memory-store.ts';
import { journalKey } from './key.ts';
import { type Budget, horizonMs, type Rules } from './rules.ts';

// Within `send_by`, past it, past the horizon of what was sent until then, and past it once more.
const times = [0, 11_000, 11_000 + horizonMs + 1, 11_000 + 2 * (horizonMs + 1)];

// At a server also just before `send_by`, and past a horizon that began at first.
const serverTimes = [0, 11_000, horizonMs + 1, 11_000 + horizonMs + 1, 11_000 + 2 * (horizonMs + 1)];

// Before the horizon ends, when a person may already say "it was not made".
const earlyMs = 140_000;

/** What one request asks for: how much, and for which row of a plan. */
export interface Wish {
  readonly amount: number;
  readonly row?: string | undefined;
}

/** A request on its way, or what became of it. `name`: of its attempt; `at` is the step of time when it left. */
export interface Request extends Wish {
  readonly name: string;
  readonly at: number;
  readonly fate: 'flying' | 'applied' | 'refused' | 'lost';
}

/** A refund that the service made at a step of time; `by`: the attempt that asked for it here. */
export interface Refund extends Wish {
  readonly whose: 'ours' | 'foreign' | 'doubled';
  readonly at: number;
  readonly by?: string | undefined;
  readonly status?: 'pending' | 'failed' | undefined;
}

export interface Running {
  readonly wanted?: Wanted;
  readonly state: State | ResolveState;
  readonly effect: Effect;
  /** Refunds that were shown before the person said yes. */
  readonly shown: number;
  /** It has seen a `Date` of the service. */
  readonly dated: boolean;
  /** Its request, from the sending until a reply came or nobody waits any more. */
  readonly waitsFor?: number;
  /** How many rows the journal had when it looked. */
  readonly seen?: number;
  /** It did not hear whether its SENT row was recorded. */
  readonly isUnknown?: true;
  /** Worked out when it is first asked for: a run stands in thousands of worlds. */
  key?: number | undefined;
}

/** What is written on a machine, with what follows from it: worked out once, and looked at in thousands of worlds. */
export interface Journal {
  readonly rows: readonly AttemptRow[];
  readonly attempts: readonly AttemptRecord[];
  readonly key: number;
  readonly newest: NewestRow;
}

export interface World {
  /** The wall clock may be set: what it showed when a row was written matters. */
  readonly jumping: boolean;
  /** A read may leave out what is new, so it matters when a refund was made. */
  readonly dating: boolean;
  /** Not all requests ask for the same, so it matters which refund is whose. */
  readonly mixed: boolean;
  /** The moments that time passes through. */
  readonly times: readonly number[];
  /** An older journal was put back. */
  readonly restored: boolean;
  /** A refund was recorded as sent while an alarm said that it was made twice. */
  readonly alarmIgnored: boolean;
  readonly now: number;
  /** How far the wall clock is ahead of the time. */
  readonly ahead: number;
  /** How often the machine was started anew. */
  readonly boots: number;
  readonly processes: readonly (Running | 'idle' | 'content')[];
  /** Who holds which lock. */
  readonly locks: readonly (number | null)[];
  readonly journals: readonly Journal[];
  /** Every row that was ever on the disk of a machine: what its witness knows. */
  readonly witnesses: readonly (readonly AttemptRow[])[];
  /** How many rows of each journal outlive a power loss. */
  readonly durable: readonly number[];
  readonly requests: readonly Request[];
  readonly ledger: readonly Refund[];
  /** How many refunds there were when the final read of an attempt was made. */
  readonly before: Readonly<Record<string, number>>;
  readonly left: Budget;
  /** At a server: SENT rows that are on their way, with what their writers had seen. */
  readonly late: readonly { readonly row: SentRow; readonly seen: number }[];
  /** Changes that can get no SENT row any more, and those of which a run was told that they are taken back. */
  readonly fenced: readonly string[];
  readonly takenBack: readonly string[];
  /** The newest row that each desk has seen. */
  readonly saw: readonly (AttemptRow | undefined)[];
  /** Which process is which does not matter: both use one journal, and one lock or locks that are alike. */
  readonly alike: boolean;
}

/** Something that can happen, and the world after it. */
export interface Move {
  readonly name: string;
  readonly world: World;
}

export function start(rules: Rules): World {
  const machines = rules.shared ? 1 : 2;
  const each = <T>(value: T): T[] => Array.from({ length: machines }, () => value);
  return {
    jumping: rules.budget.jumps > 0,
    dating: rules.reads !== 'current',
    mixed: rules.amounts.length > 1 || rules.plans,
    times: momentsOf(rules).map((ms) => 10_000_000 + ms),
    restored: false,
    alarmIgnored: false,
    now: 0,
    ahead: 0,
    boots: 0,
    processes: rules.origins.map(() => 'idle'),
    locks: locksOf(rules).map(() => null),
    journals: each(journalWith([])),
    witnesses: each([]),
    durable: each(0),
    requests: [],
    ledger: rules.olderRefund ? [{ whose: 'foreign', at: 0, amount: 5 }] : [],
    before: {},
    left: rules.budget,
    late: [],
    fenced: [],
    takenBack: [],
    saw: rules.origins.map(() => undefined),
    alike:
      machines === 1 &&
      (locksOf(rules).length === 1 || (rules.journal === 'server' && rules.budget.restores === 0)),
  };
}

function momentsOf({ mistakes, journal }: Rules): readonly number[] {
  if (journal === 'server') return serverTimes;
  return mistakes === 'not_made' ? [0, earlyMs, ...times.slice(2)] : times;
}

/** The true time at a step of it. */
export function timeAt({ times }: World, step: number): number {
  return times[step] ?? 0;
}

/** Whether there is time after now. */
export function hasLater(world: World): boolean {
  return world.now + 1 < world.times.length;
}

/** The moment as a process takes it, by the program's own reckoning; `dated`: it has seen a `Date`. */
export function momentIn(world: World, rules: Rules, index: number, dated: boolean): Moment {
  const time = timeAt(world, world.now);
  const wall = time + world.ahead;
  if (!rules.clocksCompared) return { time: wall, wall, mono: time, skewed: false };
  const clocks = {
    wall,
    service: dated && rules.dates ? time : undefined,
    boot: { id: `boot ${world.boots}`, ms: time },
  };
  return momentFrom(clocks, time, journalOf(world, index).newest);
}

export function machineOf(world: World, index: number): number {
  return world.journals.length === 1 ? 0 : index;
}

export function journalOf(world: World, index: number): Journal {
  return world.journals[machineOf(world, index)] ?? journalWith([]);
}

export function witnessOf(world: World, index: number): readonly AttemptRow[] {
  return world.witnesses[machineOf(world, index)] ?? [];
}

export function journalWith(rows: readonly AttemptRow[]): Journal {
  const attempts = attemptsIn(rows);
  const clocks = rows.at(-1)?.clocks;
  const newest = {
    time: rows.reduce((latest, { time }) => Math.max(latest, time), 0),
    clocks,
    writtenAt: clocks?.wall,
  };
  return { rows, attempts, key: journalKey(attempts), newest };
}

/** Which lock a process takes: one per machine and name. */
export function lockOf(rules: Rules, index: number): number {
  return locksOf(rules).indexOf(lockText(rules, index));
}

function locksOf(rules: Rules): readonly string[] {
  return [...new Set(rules.origins.map((_, index) => lockText(rules, index)))];
}

function lockText({ accounts, origins, shared, journal }: Rules, index: number): string {
  const origin = origins[index] ?? '';
  const name = accounts === 'by_spelling' ? `${origin} ord_1` : lockName({ origin }, 'ord_1');
  return `${shared && journal === 'file' ? 0 : index} ${name}`;
}

export function unlock(world: World, index: number): World {
  return { ...world, locks: world.locks.map((holder) => (holder === index ? null : holder)) };
}

export function withProcess(world: World, index: number, process: World['processes'][number]): World {
  return { ...world, processes: replace(world.processes, index, process) };
}

export function replace<T>(list: readonly T[], index: number, value: T): T[] {
  return list.map((old, at) => (at === index ? value : old));
}

export function spend(world: World, what: keyof Budget): World {
  return { ...world, left: { ...world.left, [what]: world.left[what] - 1 } };
}
