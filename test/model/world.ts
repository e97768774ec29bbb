/** The model's world: two people with one intent, their processes, one journal, a network and a service. Plain data. */

import { begin, step } from '../../src/journal/attempt.ts';
import { fold } from '../../src/journal/fold.ts';
import { attemptName } from '../../src/journal/guards.ts';
import type { Effect, Event, State, Wanted } from '../../src/journal/protocol.ts';
import { beginResolve, type ResolveState, resolve } from '../../src/journal/resolve.ts';
import type { AttemptRecord, JournalRow, Moment, SentRow, VerdictRow } from '../../src/journal/rows.ts';
import { isOpen, verdictOf } from '../../src/journal/standing.ts';
import { journalKey } from './key.ts';

/** What holds in the world, and what was broken in the design to see that the model notices. */
export interface Rules {
  readonly lock: 'kernel' | 'none' | 'stolen_after_a_time' | 'not_for_reconciling';
  /** What a power loss takes: nothing that was answered, SENT rows, or any row. */
  readonly commits: 'durable' | 'sent_not_synced' | 'none_durable';
  readonly order: 'sent_then_post' | 'post_then_sent';
  readonly resendOnReset: boolean;
  readonly removeSentOnError: boolean;
  readonly horizonMs: number;
  readonly absentIsFinal: boolean;
  readonly preImage: boolean;
  /** Assumptions: no effect after the horizon, a person settles truthfully, one journal for both. */
  readonly effectsEnd: boolean;
  readonly truthful: boolean;
  readonly shared: boolean;
  /** A refund of the same amount that is older than everything, and people who want a second one. */
  readonly olderRefund: boolean;
  readonly budget: Budget;
}

export interface Budget {
  readonly runs: number;
  readonly kills: number;
  readonly powerLosses: number;
  readonly foreign: number;
  readonly settles: number;
  /** Writes that are answered as failed, whether the row is there afterwards or not. */
  readonly failures: number;
}

/** No request takes effect later than this after it left. */
export const horizonMs = 900_000;

/** The design, and the assumptions it stands on. */
export const design: Rules = {
  lock: 'kernel',
  commits: 'durable',
  order: 'sent_then_post',
  resendOnReset: false,
  removeSentOnError: false,
  horizonMs,
  absentIsFinal: false,
  preImage: true,
  effectsEnd: true,
  truthful: true,
  shared: true,
  olderRefund: false,
  budget: { runs: 4, kills: 2, powerLosses: 1, foreign: 1, settles: 1, failures: 0 },
};

// Within `send_by`, past it, past the horizon of what was sent until then, and past it once more.
const times = [0, 11_000, 11_000 + horizonMs + 1, 11_000 + 2 * (horizonMs + 1)];

interface Request {
  readonly intent: string;
  readonly at: number;
  readonly fate: 'flying' | 'applied' | 'refused' | 'lost';
}

export interface Running {
  readonly wanted?: Wanted;
  readonly state: State | ResolveState;
  readonly effect: Effect;
  /** Refunds that were shown before the person said yes. */
  readonly shown: number;
  /** Its request, from the sending until a reply came or nobody waits any more. */
  readonly waitsFor?: number;
  /** Worked out when it is first asked for: a run stands in thousands of worlds. */
  key?: number | undefined;
}

/** What is written on a machine, with what follows from it: worked out once, and looked at in thousands of worlds. */
export interface Journal {
  readonly rows: readonly JournalRow[];
  readonly attempts: readonly AttemptRecord[];
  readonly key: number;
}

export interface World {
  readonly now: number;
  readonly processes: readonly (Running | 'idle' | 'content')[];
  /** Who holds the lock, per machine. */
  readonly locks: readonly (number | null)[];
  readonly journals: readonly Journal[];
  /** How many rows of each journal outlive a power loss. */
  readonly durable: readonly number[];
  readonly requests: readonly Request[];
  /** Refunds at the service: whose. */
  readonly ledger: readonly ('ours' | 'foreign')[];
  /** How many refunds the final read of an intent showed. */
  readonly before: Readonly<Record<string, number>>;
  readonly left: Budget;
}

export function start(rules: Rules): World {
  const machines = rules.shared ? 1 : 2;
  return {
    now: 0,
    processes: ['idle', 'idle'],
    locks: Array.from({ length: machines }, () => null),
    journals: Array.from({ length: machines }, () => journalWith([])),
    durable: Array.from({ length: machines }, () => 0),
    requests: [],
    ledger: rules.olderRefund ? ['foreign'] : [],
    before: {},
    left: rules.budget,
  };
}

export interface Move {
  readonly name: string;
  readonly world: World;
}

/** Everything that can happen next. */
export function moves(world: World, rules: Rules): Move[] {
  return [
    ...timeAndFate(world, rules),
    ...world.processes.flatMap((_, index) => movesOf(world, rules, index)),
  ];
}

// ── The world around the processes ──────────────────────────────────────────────────────────────

function timeAndFate(world: World, rules: Rules): Move[] {
  const found: Move[] = [];
  const next = times[world.now + 1];
  if (next !== undefined) {
    const locks = rules.lock === 'stolen_after_a_time' ? world.locks.map(() => null) : world.locks;
    found.push({ name: `time passes to ${next}`, world: { ...world, now: world.now + 1, locks } });
  }
  world.requests.forEach((request, index) => {
    if (request.fate !== 'flying') return;
    const fated = (fate: Request['fate']) => replace(world.requests, index, { ...request, fate });
    const inTime = timeOf(world) - (times[request.at] ?? 0) <= horizonMs;
    if (inTime || !rules.effectsEnd) {
      const ledger = [...world.ledger, 'ours' as const];
      found.push({
        name: `request ${index} takes effect`,
        world: { ...world, requests: fated('applied'), ledger },
      });
    }
    // A refusal makes a difference while somebody waits for it, a loss once nobody does.
    const awaited = world.processes.some(
      (process) => typeof process === 'object' && process.waitsFor === index,
    );
    if (awaited)
      found.push({ name: `request ${index} is refused`, world: { ...world, requests: fated('refused') } });
    else found.push({ name: `request ${index} is lost`, world: { ...world, requests: fated('lost') } });
  });
  if (world.left.foreign > 0) {
    const left = { ...world.left, foreign: world.left.foreign - 1 };
    found.push({
      name: 'somebody else refunds the same',
      world: { ...world, left, ledger: [...world.ledger, 'foreign'] },
    });
  }
  if (world.left.powerLosses > 0 && world.processes.some((process) => typeof process === 'object')) {
    found.push({ name: 'power loss', world: powerLoss(world) });
  }
  return found;
}

function powerLoss(world: World): World {
  return {
    ...world,
    processes: world.processes.map((process) => (process === 'content' ? process : 'idle')),
    locks: world.locks.map(() => null),
    journals: world.journals.map(({ rows }, machine) => journalWith(rows.slice(0, world.durable[machine]))),
    left: { ...world.left, powerLosses: world.left.powerLosses - 1 },
  };
}

function movesOf(world: World, rules: Rules, index: number): Move[] {
  const process = world.processes[index];
  if (process === 'idle') return personMoves(world, rules, index);
  if (typeof process !== 'object') return [];
  const found = processMoves(world, rules, index, process);
  if (world.left.kills > 0) {
    const left = { ...world.left, kills: world.left.kills - 1 };
    const killed = { ...unlock(world, index), left };
    found.push({ name: `${index} is killed`, world: withProcess(killed, index, 'idle') });
  }
  return found;
}

// ── People ──────────────────────────────────────────────────────────────────────────────────────

function personMoves(world: World, rules: Rules, index: number): Move[] {
  if (world.left.runs === 0) return [];
  const { attempts } = journalOf(world, index);
  const moment = momentOf(world);
  const doubtful = attempts.filter(
    (record) => verdictOf(record)?.verdict === 'not_seen' && !isOpen(record, moment),
  );
  const known = rules.olderRefund ? 1 : 0;
  const again = rules.olderRefund || doubtful.length > 0;
  const found: Move[] = [];
  if (!again) found.push(...atOnce(startChange(world, rules, index, []), rules, index, 'refund'));
  // Whoever sees that the refund is there does not ask for it again; what was seen may be old when it is sent.
  else if (world.ledger.length === known) {
    const last = doubtful.at(-1);
    const again = [last === undefined ? 'r0' : attemptName(last)];
    found.push({
      name: `${index} runs refund --again ${again}`,
      world: startChange(world, rules, index, again),
    });
  }
  for (const record of attempts.filter((one) => isOpen(one, moment) || doubtful.includes(one))) {
    const errand = { intent: record.sent.intent, attempt: 1 };
    found.push(...atOnce(startRun(world, index, beginResolve(errand)), rules, index, 'reconcile'));
    if (world.left.settles === 0) continue;
    const left = { ...world.left, settles: world.left.settles - 1 };
    for (const applied of [true, false]) {
      const statement = { applied, operator: 'op', note: 'n' };
      const settling = startRun({ ...world, left }, index, beginResolve({ ...errand, statement }));
      found.push(...atOnce(settling, rules, index, `settle ${applied ? '--applied' : '--not-applied'}`));
    }
  }
  return found;
}

// A run that ends without a row leaves the world as it was, with one run less: nothing new can come of it.
function atOnce(world: World, rules: Rules, index: number, name: string): Move[] {
  const running = world.processes[index];
  if (typeof running !== 'object') return [];
  return lock(world, rules, index, running)
    .filter((move) => typeof move.world.processes[index] === 'object')
    .map((move) => ({ name: `${index} runs ${name}: ${move.name}`, world: move.world }));
}

function startChange(world: World, rules: Rules, index: number, again: readonly string[]): World {
  const wanted: Wanted = {
    kind: 'refund',
    orderId: 'ord_1',
    request: { method: 'POST', path: 'orders/ord_1/refunds', body: { charge_id: 'ch_1', amount: 5 } },
    expected: [{ chargeId: 'ch_1', amount: -5 }],
    again,
    intent: freeName(world),
    livemode: false,
    dryRun: false,
    sendWithinMs: 10_000,
    horizonMs: rules.horizonMs,
    readAfterMs: [0],
    about: { origin: 'o', account: 'o', profile: 'p', operator: 'op' },
  };
  return startRun(world, index, begin(wanted), wanted);
}

// Names of runs that left no trace are used again, so that equal worlds look equal.
function freeName(world: World): string {
  const used = new Set([
    ...world.journals.flatMap(({ rows }) => rows).map(({ intent }) => intent),
    ...world.requests.map(({ intent }) => intent),
    ...world.processes.map((process) => (typeof process === 'object' ? process.wanted?.intent : undefined)),
  ]);
  let number = 1;
  while (used.has(`i_${number}`)) number += 1;
  return `i_${number}`;
}

function startRun(
  world: World,
  index: number,
  first: { state: State | ResolveState; effect: Effect },
  wanted?: Wanted,
): World {
  const running: Running = {
    ...(wanted && { wanted }),
    ...first,
    shown: world.ledger.length,
  };
  const left = { ...world.left, runs: world.left.runs - 1 };
  return withProcess({ ...world, left }, index, running);
}

// ── Processes ───────────────────────────────────────────────────────────────────────────────────

function processMoves(world: World, rules: Rules, index: number, running: Running): Move[] {
  const { effect } = running;
  const name = `${index} ${effect.do}`;
  const moment = momentOf(world);
  const answered = (event: Event, base: World = world, label: string = event.is): Move => ({
    name: `${name}: ${label}`,
    world: answer(base, rules, index, running, event),
  });
  switch (effect.do) {
    case 'lock':
      return lock(world, rules, index, running);
    case 'record':
      if (effect.row.type === 'sent' && rules.order === 'post_then_sent' && running.waitsFor === undefined) {
        return [{ name: `${name}: the request leaves first`, world: leave(world, index, running) }];
      }
      return [
        recordRow(world, rules, index, running, effect.row),
        ...failToRecord(world, rules, index, running, effect.row),
      ];
    case 'send':
      return running.waitsFor === undefined
        ? [
            { name: `${name}: leaves`, world: leave(world, index, running) },
            answered({ is: 'not_sent', why: 'w', moment }),
          ]
        : replies(world, rules, index, running, answered);
    case 'reread':
      return [
        answered({ is: 'seen', value: orderOf(world), moment }),
        answered({ is: 'unseen', why: 'w', moment }),
      ];
    default:
      throw new Error(`the model met ${effect.do}`);
  }
}

// Everything up to the first row is one move: nobody else can see it, and it sees the world of one moment.
function lock(world: World, rules: Rules, index: number, running: Running): Move[] {
  const unlocked =
    rules.lock === 'none' || (rules.lock === 'not_for_reconciling' && running.wanted === undefined);
  const machine = machineOf(world, index);
  const holder = world.locks[machine] ?? null;
  if (holder !== null && !unlocked) {
    const event = { is: 'busy', owner: undefined } as const;
    return [{ name: `${index} lock: busy`, world: answer(world, rules, index, running, event) }];
  }
  const locks = unlocked ? world.locks : replace(world.locks, machine, index);
  const before = { ...world.before, [running.wanted?.intent ?? '']: world.ledger.length };
  const locked = { ...world, locks, ...(running.wanted && { before }) };
  return lookAndRead(answer(locked, rules, index, running, { is: 'locked' }), rules, index).map((next) => {
    const now = next.processes[index];
    return {
      name: `${index} locks, looks, reads: ${typeof now === 'object' ? now.state.at : now}`,
      world: next,
    };
  });
}

function lookAndRead(world: World, rules: Rules, index: number): World[] {
  const running = world.processes[index];
  if (typeof running !== 'object') return [world];
  const moment = momentOf(world);
  const on = (event: Event) => lookAndRead(answer(world, rules, index, running, event), rules, index);
  switch (running.effect.do) {
    case 'look':
      return on({ is: 'known', attempts: journalOf(world, index).attempts, moment });
    case 'read':
      return on({ is: 'fresh', value: orderOf(world), moment });
    case 'reread':
      return [
        ...on({ is: 'seen', value: orderOf(world), moment }),
        ...on({ is: 'unseen', why: 'w', moment }),
      ];
    case 'approve':
      if (running.wanted === undefined)
        return isTrue(world, rules, running) ? on({ is: 'approved', moment }) : [];
      // What is read is compared with what the person saw before saying yes.
      return on(
        running.shown === world.ledger.length
          ? { is: 'approved', moment }
          : { is: 'stopped', cause: 'changed' },
      );
    default:
      return [world];
  }
}

// Whether what a person states is so: nothing of the attempt is under way any more, and it was made, or not.
function isTrue(world: World, rules: Rules, { state }: Running): boolean {
  if (state.at !== 'asking' || !rules.truthful) return true;
  const { intent, statement: stated } = state.errand;
  const own = world.requests.filter((request) => request.intent === intent);
  const fates = own.map(({ fate }) => fate);
  return !fates.includes('flying') && fates.includes('applied') === stated?.applied;
}

function recordRow(world: World, rules: Rules, index: number, running: Running, row: JournalRow): Move {
  const words = row.type === 'sent' ? 'SENT' : row.verdict;
  const written = withRow(world, rules, index, row);
  // A verdict on what the journal does not hold is refused by it.
  const event: Event =
    written === world
      ? { is: 'unrecorded', cause: 'stray', moment: momentOf(world) }
      : { is: 'recorded', moment: momentOf(world) };
  return { name: `${index} writes ${words}`, world: answer(written, rules, index, running, event) };
}

function withRow(world: World, rules: Rules, index: number, row: JournalRow): World {
  const machine = machineOf(world, index);
  const isSent = (one: JournalRow) => one.type === 'sent' && one.intent === row.intent;
  if (row.type === 'verdict' && !journalOf(world, index).rows.some(isSent)) return world;
  const rows = [...journalOf(world, index).rows, row];
  const soft =
    rules.commits === 'none_durable' || (rules.commits === 'sent_not_synced' && row.type === 'sent');
  return {
    ...world,
    journals: replace(world.journals, machine, journalWith(rows)),
    durable: soft ? world.durable : replace(world.durable, machine, rows.length),
  };
}

function failToRecord(
  world: World,
  rules: Rules,
  index: number,
  running: Running,
  row: JournalRow,
): readonly Move[] {
  if (world.left.failures === 0) return [];
  const left = { ...world.left, failures: world.left.failures - 1 };
  const failed: Event = { is: 'unrecorded', cause: 'failed', moment: momentOf(world) };
  const words = row.type === 'sent' ? 'SENT' : row.verdict;
  return [false, true].map((isThere) => {
    const after = isThere ? withRow(world, rules, index, row) : world;
    return {
      name: `${index} cannot write ${words}, and it is ${isThere ? 'there' : 'not there'}`,
      world: answer({ ...after, left }, rules, index, running, failed),
    };
  });
}

function leave(world: World, index: number, running: Running): World {
  const { intent } = sentOf(running.state);
  const requests = [...world.requests, { intent, at: world.now, fate: 'flying' as const }];
  return withProcess({ ...world, requests }, index, {
    ...running,
    key: undefined,
    waitsFor: world.requests.length,
  });
}

function replies(
  world: World,
  rules: Rules,
  index: number,
  running: Running,
  answered: (event: Event, base?: World, label?: string) => Move,
): Move[] {
  const moment = momentOf(world);
  const request = world.requests[running.waitsFor ?? 0];
  const found: Move[] = [];
  if (rules.resendOnReset && world.requests.filter(({ intent }) => intent === request?.intent).length === 1) {
    found.push({ name: `${index} sends again after a reset`, world: leave(world, index, running) });
  }
  const removed = rules.removeSentOnError ? withoutSent(world, index, running) : world;
  found.push(answered({ is: 'no_reply', why: 'reset', moment }, removed));
  if (request?.fate === 'applied') {
    found.push(
      answered(
        { is: 'replied', heard: { status: 200, body: { value: orderOf(world) } }, moment },
        world,
        'done',
      ),
    );
  }
  if (request?.fate === 'refused') {
    found.push(
      answered({ is: 'replied', heard: { status: 422, body: { value: refusal } }, moment }, world, 'refused'),
    );
  }
  return found;
}

const refusal = { object: 'error', type: 'parameter_validation_error', details: [{ message: 'no' }] };

function withoutSent(world: World, index: number, running: Running): World {
  const { intent } = sentOf(running.state);
  const rows = journalOf(world, index).rows.filter((row) => row.intent !== intent);
  const machine = machineOf(world, index);
  return {
    ...world,
    journals: replace(world.journals, machine, journalWith(rows)),
    durable: replace(world.durable, machine, rows.length),
  };
}

function sentOf(state: State | ResolveState): SentRow {
  if ('flight' in state) return state.flight.sent;
  throw new Error(`nothing is sent while ${state.at}`);
}

// ── The shipped reducers, and what is broken in them for a defect ───────────────────────────────

function answer(world: World, rules: Rules, index: number, running: Running, event: Event): World {
  const { state } = running;
  const next =
    running.wanted === undefined
      ? resolve(state as ResolveState, event)
      : stepBroken(state as State, event, rules);
  const { waitsFor, key: _, ...rest } = running;
  const waits = waitsFor !== undefined && next.effect.do === 'send' ? { waitsFor } : {};
  return settleIn(world, rules, index, { ...rest, ...waits, ...next });
}

function stepBroken(state: State, event: Event, rules: Rules): { state: State; effect: Effect } {
  const first = step(state, event);
  const { state: next, effect } = first;
  if (effect.do === 'record' && effect.row.type === 'sent') {
    if (!rules.preImage && next.at === 'recording') return withoutPreImage(next);
  }
  if (rules.absentIsFinal && next.at === 'concluding' && next.verdict.verdict === 'not_seen') {
    const verdict: VerdictRow = { ...next.verdict, verdict: 'rejected', confirmed: true };
    return { state: { ...next, verdict }, effect: { do: 'record', row: verdict } };
  }
  return first;
}

function withoutPreImage(state: Extract<State, { at: 'recording' | 'sending' }>): {
  state: State;
  effect: Effect;
} {
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

// Steps that nobody else can see are taken at once: waiting, releasing, ending.
function settleIn(world: World, rules: Rules, index: number, running: Running): World {
  switch (running.effect.do) {
    case 'wait':
      return answer(world, rules, index, running, { is: 'waited', hurried: false });
    case 'release':
      return answer(unlock(world, index), rules, index, running, { is: 'released' });
    case 'finish':
      return withProcess(world, index, isContent(running) ? 'content' : 'idle');
    default:
      return withProcess(world, index, running);
  }
}

// Whoever was told that the refund exists asks for nothing more.
function isContent({ state }: Running): boolean {
  if (state.at !== 'done') return false;
  const { end } = state;
  if (end.how === 'verdict') return end.verdict.verdict === 'applied';
  if (end.how === 'looked') return verdictOf(end.record)?.verdict === 'applied';
  if (end.how === 'refused') return end.refusal.why === 'equal' || end.refusal.why === 'appeared';
  return end.how === 'recorded';
}

// ── Small things ────────────────────────────────────────────────────────────────────────────────

function timeOf(world: World): number {
  return times[world.now] ?? 0;
}

function momentOf(world: World): Moment {
  const time = timeOf(world);
  return { time, wall: time, mono: time, skewed: false };
}

function machineOf(world: World, index: number): number {
  return world.journals.length === 1 ? 0 : index;
}

function journalOf(world: World, index: number): Journal {
  return world.journals[machineOf(world, index)] ?? journalWith([]);
}

function journalWith(rows: readonly JournalRow[]): Journal {
  const attempts = fold(rows);
  return { rows, attempts, key: journalKey(attempts) };
}

function unlock(world: World, index: number): World {
  return { ...world, locks: world.locks.map((holder) => (holder === index ? null : holder)) };
}

function withProcess(world: World, index: number, process: World['processes'][number]): World {
  return { ...world, processes: replace(world.processes, index, process) };
}

function replace<T>(list: readonly T[], index: number, value: T): T[] {
  return list.map((old, at) => (at === index ? value : old));
}

/** The order as the service shows it. */
function orderOf({ ledger }: World): unknown {
  const data = ledger.map((_, index) => ({ id: `r${index}`, object: 'refund', amount: -5 }));
  const refunds = data.length === 0 ? null : { object: 'list', has_more: false, total: data.length, data };
  return {
    id: 'ord_1',
    object: 'order',
    livemode: false,
    amount: 100,
    amount_refunded: 5 * data.length,
    payment_status: 'paid',
    charges: { has_more: false, data: [{ id: 'ch_1', amount: 100, status: 'paid', refunds }] },
  };
}
