/** The server of a team's journal in the model: what it adds, what it refuses, and what a run may not hear of. */

import { isOpen } from '../../src/journal/attempt-state.ts';
import type { AttemptRow, SentRow, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { isMisplaced } from '../../src/journal/rows/store-rules.ts';
import type { Rules } from './rules.ts';
import { journalOf, journalWith, type Running, replace, spend, timeAt, type World } from './world.ts';

// A reply may be as late as this after the last moment at which the request may leave.
const slackMs = 5000;

/** What comes of a write: the world after it, and what the run hears. `unknown`: nothing, as the connection broke. */
export interface Written {
  readonly name: string;
  readonly world: World;
  readonly heard: 'recorded' | 'refused' | 'unknown';
}

/** Whether the server refuses a SENT row. `seen`: how many rows there were when its writer looked. */
export function refusesSent(world: World, rules: Rules, row: SentRow, seen: number): boolean {
  const { rows, attempts } = journalOf(world, 0);
  const now = timeAt(world, world.now);
  const moment = { time: now, wall: now, mono: now, skewed: false };
  return (
    world.fenced.includes(row.change) ||
    rows.some(({ change }) => change === row.change) ||
    (rules.seenCompared && rows.length > seen) ||
    (rules.oneOpen && attempts.some((record) => isOpen(record, moment)))
  );
}

/** What may come of writing a SENT row. */
export function sentWrites(
  world: World,
  rules: Rules,
  index: number,
  running: Running,
  row: SentRow,
): Written[] {
  const { seen = 0 } = running;
  if (refusesSent(world, rules, row, seen)) return [{ name: 'SENT is refused', world, heard: 'refused' }];
  const there = withServerRow(world, row, index);
  const heard = rules.unknownStops ? 'unknown' : 'recorded';
  if (world.left.failures === 0) return [{ name: 'writes SENT', world: there, heard: 'recorded' }];
  const spent = spend(world, 'failures');
  return [
    { name: 'writes SENT', world: there, heard: 'recorded' },
    { name: 'does not hear of SENT, which is there', world: withServerRow(spent, row), heard },
    {
      name: 'does not hear of SENT, which is on its way',
      world: { ...spent, late: [...spent.late, { row, seen }] },
      heard,
    },
  ];
}

/** What may come of writing a verdict. */
export function verdictWrites(
  world: World,
  rules: Rules,
  index: number,
  running: Running,
  row: VerdictRow,
): Written[] {
  const { rows } = journalOf(world, 0);
  const own = running.wanted?.change === row.change;
  const isOf = (one: AttemptRow) => one.change === row.change;
  const sent = rows.find((one) => one.type === 'sent' && isOf(one));
  const isFirst = rows.filter(isOf).length === 1;
  const isEarly =
    sent?.type === 'sent' &&
    isFirst &&
    !own &&
    rules.othersWait &&
    timeAt(world, world.now) < sent.sendBy + slackMs;
  // Whoever looked before another verdict came must look again; what the sender knows is never lost.
  const isStale = !own && rows.slice(running.seen).some(isOf);
  const newest = rows.findLast(isOf);
  const isLess =
    rules.appliedStays &&
    newest?.type === 'verdict' &&
    newest.verdict === 'applied' &&
    row.verdict !== 'applied';
  if (isMisplaced(row, sent !== undefined) || isEarly || isStale || (own && isLess))
    return [{ name: `${row.verdict} is refused`, world, heard: 'refused' }];
  const there = withServerRow(world, row, index);
  const certain: Written = { name: `writes ${row.verdict}`, world: there, heard: 'recorded' };
  if (world.left.failures === 0) return [certain];
  const [spent, spentThere] = [spend(world, 'failures'), spend(there, 'failures')];
  return [
    certain,
    { name: `does not hear of ${row.verdict}, which is there`, world: spentThere, heard: 'unknown' },
    { name: `cannot write ${row.verdict}`, world: spent, heard: 'unknown' },
  ];
}

/** What may come of taking a SENT row back. */
export function takesBack(
  world: World,
  rules: Rules,
  index: number,
  running: Running,
  row: VerdictRow,
): Written[] {
  const { change } = row;
  if (running.isUnknown === undefined)
    return [{ name: 'has nothing to take back', world, heard: 'recorded' }];
  const isThere = journalOf(world, 0).rows.some((one) => one.change === change);
  const late = rules.takesBack ? world.late.filter((one) => one.row.change !== change) : world.late;
  const fenced = isThere || !rules.takesBack ? world.fenced : [...world.fenced, change];
  const done = isThere ? withServerRow(world, row, index) : { ...world, fenced, late };
  const told = { ...done, takenBack: [...done.takenBack, change] };
  const certain: Written = { name: `takes back ${change}`, world: told, heard: 'recorded' };
  if (world.left.failures === 0) return [certain];
  return [
    certain,
    { name: `does not hear that ${change} is taken back`, world: spend(done, 'failures'), heard: 'unknown' },
    { name: `cannot take back ${change}`, world: spend(world, 'failures'), heard: 'unknown' },
  ];
}

/** The world with one row more at the server. `index`: the desk that gets it as the answer. */
export function withServerRow(world: World, row: AttemptRow, index?: number): World {
  const rows = [...journalOf(world, 0).rows, row];
  return {
    ...world,
    journals: [journalWith(rows)],
    witnesses: [[...(world.witnesses[0] ?? []), row]],
    durable: [rows.length],
    saw: index === undefined ? world.saw : replace(world.saw, index, row),
  };
}

/** Whether the server has forgotten what a desk saw. */
export function hasForgotten(world: World, rules: Rules, index: number): boolean {
  const saw = world.saw[index];
  return rules.memory && saw !== undefined && !journalOf(world, 0).rows.includes(saw);
}
