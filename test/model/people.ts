/** What the two people of the model type: a refund, the same once more, a look, a settlement, its correction, a repair. */

import { begin } from '../../src/journal/at-most-once.ts';
import { isDoubted, isDue, isMadeByHand, isOpen, verdictOf } from '../../src/journal/attempt-state.ts';
import type { Effect, State, Wanted } from '../../src/journal/protocol-types.ts';
import { alarmedVerdict } from '../../src/journal/questions/by-hand.ts';
import { isPaidTwice } from '../../src/journal/questions/paid-twice.ts';
import { hasFailed } from '../../src/journal/questions/verdicts-say.ts';
import { beginResolve, type ResolveState } from '../../src/journal/resolve.ts';
import { type AttemptRecord, attemptName } from '../../src/journal/rows/journal-rows.ts';
import { lock } from './processes.ts';
import { repaired } from './protocol.ts';
import type { Rules } from './rules.ts';
import { hasForgotten } from './server.ts';
import {
  journalOf,
  journalWith,
  type Move,
  machineOf,
  momentIn,
  type Running,
  replace,
  spend,
  type World,
  withProcess,
  witnessOf,
} from './world.ts';

/** Everything that a person can type next. Whoever was told that the refund exists only looks at what is watched, or corrects. */
export function typed(world: World, rules: Rules, index: number): Move[] {
  const { attempts } = journalOf(world, index);
  // Whoever is told that it failed asks for it again.
  const isContent = world.processes[index] === 'content' && !attempts.some(hasFailed);
  const isDone =
    isContent &&
    rules.budget.twice + rules.budget.fails === 0 &&
    world.left.corrections === 0 &&
    (rules.mistakes !== 'not_made' || !rules.doubtsByHand);
  if (world.left.runs === 0 || isDone) return [];
  if (rules.journal === 'server') {
    if (hasForgotten(world, rules, index)) return [];
  } else if (rules.witness && witnessOf(world, index).length > journalOf(world, index).rows.length)
    return [repair(world, index)];
  const moment = momentIn(world, rules, index, false);
  const doubtful = attempts.filter(
    (record) => verdictOf(record)?.verdict === 'not_seen' && !isOpen(record, moment),
  );
  const isWorthALook = (record: AttemptRecord) =>
    isOpen(record, moment) ||
    doubtful.includes(record) ||
    (world.left.acknowledgements > 0 && alarmedVerdict(record, moment) !== undefined) ||
    (world.left.corrections > 0 && verdictOf(record)?.by === 'person') ||
    (rules.doubtsByHand && isDoubted(record)) ||
    (rules.budget.twice + rules.budget.fails > 0 && rules.watch && isDue(record, moment));
  const looks = attempts.filter(isWorthALook).flatMap((record) => look(world, rules, index, record));
  if (isContent) return looks;
  const wanted = rules.plans ? rowsApplied(world, rules, index) : refunds(world, rules, index, doubtful);
  return [...wanted, ...otherAmounts(world, rules, index), ...looks];
}

function refunds(world: World, rules: Rules, index: number, doubtful: readonly AttemptRecord[]): Move[] {
  if (rules.careless && journalOf(world, index).attempts.some(isPaidTwice)) {
    // All the refunds that the refusals name. At once: after an acknowledgement the same line may be sent.
    const all = world.ledger.map((_, at) => `r${at}`);
    return atOnce(startChange(world, rules, index, all), rules, index, `refund --again ${all.join()}`);
  }
  // After somebody recorded that it was not made, they name what a refusal offers: the refund that the order shows.
  const isOffered = rules.careless && journalOf(world, index).attempts.some(isDoubted);
  const repeats = [
    ...(rules.olderRefund ? ['r0'] : []),
    ...(isOffered ? world.ledger.map((_, at) => `r${at}`).slice(-1) : []),
    ...(rules.careless ? doubtful : doubtful.slice(-1)).map(attemptName),
  ];
  if (repeats.length === 0) return atOnce(startChange(world, rules, index, []), rules, index, 'refund');
  // Whoever sees that the refund is there does not ask for it again; what was seen may be old when it is sent.
  const isThere =
    world.ledger.filter(({ status }) => status !== 'failed').length > (rules.olderRefund ? 1 : 0);
  if (isThere && !rules.careless) return [];
  const names = rules.careless ? repeats : repeats.slice(-1);
  return names.map((name) => ({
    name: `${index} runs refund --again ${name}`,
    world: startChange(world, rules, index, [name]),
  }));
}

// Somebody who does not know of the first refund asks for another amount. Where one of each amount is wanted, they also name what
// was recorded by hand, and type the same line once more.
function otherAmounts(world: World, rules: Rules, index: number): Move[] {
  const { attempts } = journalOf(world, index);
  return rules.amounts.slice(1).flatMap((amount) => {
    const isOther = ({ sent }: AttemptRecord) => sent.proof.expected[0]?.amount !== -amount;
    const byHand = attempts.filter((record) => isMadeByHand(record) && isOther(record)).map(attemptName);
    const lines = [[], ...(rules.careless ? byHand.map((name) => [name]) : [])];
    return lines.flatMap((names) => {
      const line = `refund --amount ${amount}${names.map((name) => ` --again ${name}`).join('')}`;
      return atOnce(startChange(world, rules, index, names, { amount }), rules, index, line);
    });
  });
}

// Two rows of one plan ask for the same amount on purpose. The second plan was made of the same file, so its row is the same.
const plannedRows = [
  { plan: 'p1', ref: 'A' },
  { plan: 'p1', ref: 'B' },
  { plan: 'p2', ref: 'A' },
];

function rowsApplied(world: World, rules: Rules, index: number): Move[] {
  return plannedRows.flatMap(({ plan, ref }) => {
    const idempotencyKey = `row/${ref}`;
    const last = journalOf(world, index).attempts.findLast(
      ({ sent }) => sent.idempotencyKey === idempotencyKey,
    );
    // What was refused, or recorded as not made, is sent again.
    const names = last !== undefined && verdictOf(last)?.verdict === 'rejected' ? [attemptName(last)] : [];
    const first = startChange(world, rules, index, names, { row: { plan, ref, idempotencyKey } });
    return atOnce(first, rules, index, `plan ${plan}, row ${ref}`);
  });
}

function look(world: World, rules: Rules, index: number, record: AttemptRecord): Move[] {
  const { change, attempt } = record.sent;
  const errand = { change, attempt };
  const found = atOnce(startRun(world, index, beginResolve(errand)), rules, index, 'reconcile');
  if (world.left.acknowledgements > 0) {
    const acknowledgement = { operator: 'op', note: 'n' };
    const first = beginResolve({ ...errand, acknowledgement });
    found.push(
      ...atOnce(startRun(spend(world, 'acknowledgements'), index, first), rules, index, 'acknowledge'),
    );
  }
  if (world.left.corrections > 0) {
    const applied = verdictOf(record)?.verdict !== 'applied';
    const statement = { applied, operator: 'op', note: 'n', corrects: true } as const;
    const first = beginResolve({ ...errand, statement });
    const name = `settle --correct ${applied ? '--applied' : '--not-applied'}`;
    found.push(...atOnce(startRun(spend(world, 'corrections'), index, first), rules, index, name));
  }
  if (world.left.settles === 0) return found;
  for (const applied of [true, false]) {
    const statement = { applied, operator: 'op', note: 'n' };
    const settling = startRun(spend(world, 'settles'), index, beginResolve({ ...errand, statement }));
    found.push(...atOnce(settling, rules, index, `settle ${applied ? '--applied' : '--not-applied'}`));
  }
  return found;
}

function repair(world: World, index: number): Move {
  const machine = machineOf(world, index);
  const rows = repaired(journalOf(world, index).rows, witnessOf(world, index));
  return {
    name: `${index} repairs the journal`,
    world: {
      ...world,
      journals: replace(world.journals, machine, journalWith(rows)),
      witnesses: replace(world.witnesses, machine, rows),
      durable: replace(world.durable, machine, rows.length),
    },
  };
}

// A run that ends without a row leaves the world as it was, with one run less: nothing new can come of it.
function atOnce(world: World, rules: Rules, index: number, name: string): Move[] {
  const running = world.processes[index];
  if (typeof running !== 'object') return [];
  return lock(world, rules, index, running)
    .filter((move) => typeof move.world.processes[index] === 'object')
    .map((move) => ({ name: `${index} runs ${name}: ${move.name}`, world: move.world }));
}

interface Line {
  readonly amount?: number;
  readonly row?: { readonly plan: string; readonly ref: string; readonly idempotencyKey: string };
}

function startChange(
  world: World,
  rules: Rules,
  index: number,
  names: readonly string[],
  { amount = rules.amounts[0] ?? 0, row }: Line = {},
): World {
  const origin = rules.origins[index] ?? '';
  const wanted: Wanted = {
    kind: 'refund',
    orderId: 'ord_1',
    request: { method: 'POST', path: 'orders/ord_1/refunds', body: { charge_id: 'ch_1', amount } },
    expected: [{ chargeId: 'ch_1', amount: -amount }],
    again: rules.again === 'anything' && names.length > 0 ? everything(world, index) : names,
    change: freeName(world),
    ...row,
    asked: row && { order: 'ord_1', charge: 'ch_1', amount, ref: row.ref },
    livemode: false,
    dryRun: false,
    // At a server a second of the time lies before the end of it, so that others must wait.
    sendWithinMs: rules.journal === 'server' ? 12_000 : 10_000,
    horizonMs: rules.horizonMs,
    readAfterMs: [0],
    about: { origin, account: origin, profile: 'p', operator: 'op' },
  };
  return startRun(world, index, begin(wanted), wanted);
}

function everything(world: World, index: number): string[] {
  return [...world.ledger.map((_, at) => `r${at}`), ...journalOf(world, index).attempts.map(attemptName)];
}

// Names of runs that left no trace are used again, so that equal worlds look equal.
function freeName(world: World): string {
  const used = new Set([
    ...world.journals.flatMap(({ rows }) => rows).map(({ change }) => change),
    ...world.witnesses.flat().map(({ change }) => change),
    ...world.requests.map(({ name }) => name),
    ...world.processes.map((process) => (typeof process === 'object' ? process.wanted?.change : undefined)),
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
    dated: false,
  };
  return withProcess(spend(world, 'runs'), index, running);
}
