/** What happens around the processes: time, the fate of requests, other people, power, clocks, and files put back. */

import { horizonMs, type Rules } from './rules.ts';
import { refusesSent, withServerRow } from './server.ts';
import {
  hasLater,
  journalWith,
  type Move,
  type Refund,
  replace,
  spend,
  timeAt,
  type World,
} from './world.ts';

/** Everything that can happen next without a process of ours. */
export function happenings(world: World, rules: Rules): Move[] {
  return [
    ...timePasses(world, rules),
    ...world.requests.flatMap((_, index) => fates(world, rules, index)),
    ...world.ledger.flatMap((_, index) => ends(world, index)),
    ...othersRefund(world),
    ...powerFails(world),
    ...clockIsSet(world, rules),
    ...olderJournalIsPutBack(world),
    ...lateRowsArrive(world, rules),
  ];
}

function timePasses(world: World, rules: Rules): Move[] {
  if (!hasLater(world)) return [];
  const now = world.now + 1;
  const locks = rules.lock === 'stolen_after_a_time' ? world.locks.map(() => null) : world.locks;
  return [{ name: `time passes to ${timeAt(world, now)}`, world: { ...world, now, locks } }];
}

function fates(world: World, rules: Rules, index: number): Move[] {
  const request = world.requests[index];
  if (request === undefined) return [];
  const { name, at, fate, amount, row } = request;
  const inTime = timeAt(world, world.now) - timeAt(world, at) <= horizonMs || !rules.effectsEnd;
  const made = (whose: Refund['whose'], status?: Refund['status']) => [
    ...world.ledger,
    { whose, at: world.now, by: name, amount, row, status },
  ];
  const fated = (next: typeof fate): World => ({
    ...world,
    requests: replace(world.requests, index, { ...request, fate: next }),
  });
  if (fate === 'applied') {
    if (world.left.twice === 0 || !inTime) return [];
    const twice = { ...spend(world, 'twice'), ledger: made('doubled') };
    return [{ name: `request ${index} takes effect once more`, world: twice }];
  }
  if (fate !== 'flying') return [];
  const applied = {
    name: `request ${index} takes effect`,
    world: { ...fated('applied'), ledger: made('ours') },
  };
  // A refusal makes a difference while somebody waits for it, a loss once nobody does.
  const isAwaited = world.processes.some(
    (process) => typeof process === 'object' && process.waitsFor === index,
  );
  const end = isAwaited
    ? { name: `request ${index} is refused for good`, world: fated('refused') }
    : { name: `request ${index} is lost`, world: fated('lost') };
  if (!inTime) return [end];
  if (world.left.pendings === 0) return [applied, end];
  const pending = { ...spend(fated('applied'), 'pendings'), ledger: made('ours', 'pending') };
  return [applied, { name: `request ${index} takes effect, and its refund is pending`, world: pending }, end];
}

// What becomes of a refund that is pending; and one that was made, or is pending, may fail as long as its request is watched.
function ends(world: World, index: number): Move[] {
  const refund = world.ledger[index];
  if (refund === undefined || refund.status === 'failed') return [];
  const becomes = (status: Refund['status']) => replace(world.ledger, index, { ...refund, status });
  const made = { name: `refund r${index} is made`, world: { ...world, ledger: becomes(undefined) } };
  const settled = refund.status === 'pending' ? [made] : [];
  const sentAt = world.requests.find(({ name }) => name === refund.by)?.at;
  const isWatched = sentAt !== undefined && timeAt(world, world.now) - timeAt(world, sentAt) <= horizonMs;
  if (world.left.fails === 0 || refund.whose !== 'ours' || !isWatched) return settled;
  const failed = { ...spend(world, 'fails'), ledger: becomes('failed') };
  return [...settled, { name: `refund r${index} fails`, world: failed }];
}

function othersRefund(world: World): Move[] {
  if (world.left.foreign === 0) return [];
  const ledger = [...world.ledger, { whose: 'foreign' as const, at: world.now, amount: 5 }];
  return [{ name: 'somebody else refunds the same', world: { ...spend(world, 'foreign'), ledger } }];
}

function powerFails(world: World): Move[] {
  if (world.left.powerLosses === 0 || !world.processes.some((process) => typeof process === 'object'))
    return [];
  const without: World = {
    ...spend(world, 'powerLosses'),
    boots: world.boots + 1,
    processes: world.processes.map((process) => (process === 'content' ? process : 'idle')),
    locks: world.locks.map(() => null),
    journals: world.journals.map(({ rows }, machine) => journalWith(rows.slice(0, world.durable[machine]))),
  };
  return [{ name: 'power loss', world: without }];
}

// Ahead, past every horizon, and back, behind the time.
const aheadMs = [0, 3 * horizonMs, -3 * horizonMs];

function clockIsSet(world: World, { jumps }: Rules): Move[] {
  if (world.left.jumps === 0 || (jumps === 'between_runs' && !isQuiet(world))) return [];
  return aheadMs
    .filter((ahead) => ahead !== world.ahead)
    .map((ahead) => ({
      name: `the clock is set ${ahead / 1000} s ahead of the time`,
      world: { ...spend(world, 'jumps'), ahead },
    }));
}

// Nobody runs meanwhile: a restored backup, a copied folder.
function olderJournalIsPutBack(world: World): Move[] {
  if (world.left.restores === 0 || !isQuiet(world)) return [];
  return world.journals.flatMap(({ rows }, machine) =>
    rows.map((_, length) => ({
      name: `a journal of ${length} of ${rows.length} rows is put back`,
      world: {
        ...spend(world, 'restores'),
        restored: true,
        journals: replace(world.journals, machine, journalWith(rows.slice(0, length))),
        durable: replace(world.durable, machine, length),
      },
    })),
  );
}

// Statements that were in a socket, or in a server process that waited, while their connection broke.
function lateRowsArrive(world: World, rules: Rules): Move[] {
  return world.late.map(({ row, seen }) => {
    const without = { ...world, late: world.late.filter((one) => one.row !== row) };
    const isRefused = refusesSent(world, rules, row, seen);
    return {
      name: `SENT of ${row.change} arrives late${isRefused ? ' and is refused' : ''}`,
      world: isRefused ? without : withServerRow(without, row),
    };
  });
}

function isQuiet(world: World): boolean {
  return world.processes.every((process) => typeof process !== 'object');
}
