/** Breadth-first search of everything that can happen, for the first state in which something must never be. */

import { isDoubted, isUnsettled, isWatched, verdictOf } from '../../src/journal/attempt-state.ts';
import { claimedBy } from '../../src/journal/questions/verdicts-say.ts';
import { type AttemptRecord, attemptName } from '../../src/journal/rows/journal-rows.ts';
import { attemptsIn } from '../harness/memory-store.ts';
import { keyOf } from './key.ts';
import { moves } from './moves.ts';
import type { Rules } from './rules.ts';
import { start, type World } from './world.ts';

export interface Exploration {
  readonly states: number;
  /** What went wrong, and the moves that led there; undefined when nothing ever does. */
  readonly violation?: { readonly what: string; readonly path: readonly string[] } | undefined;
}

/** How a state was reached: the move and the state before it. */
interface Trail {
  readonly name: string;
  readonly from: Trail | undefined;
}

interface Reached {
  readonly world: World;
  readonly trail: Trail | undefined;
}

/**
 * Visits every reachable state, or stops at the first violation: the shortest way to it. `widest`: of the states that are
 * equally many moves away only so many are followed, evenly spread; absent: all.
 */
export function explore(rules: Rules, widest = Number.POSITIVE_INFINITY): Exploration {
  const first = start(rules);
  const seen = new Set([keyOf(first)]);
  let layer: readonly Reached[] = [{ world: first, trail: undefined }];
  while (layer.length > 0) {
    const next: Reached[] = [];
    for (const { world: from, trail } of layer) {
      for (const { name, world } of moves(from, rules)) {
        const known = seen.size;
        if (seen.add(keyOf(world)).size === known) continue;
        const what = violationOf(world, rules);
        if (what !== undefined)
          return { states: seen.size, violation: { what, path: [...pathOf(trail), name] } };
        next.push({ world, trail: { name, from: trail } });
      }
    }
    layer = someOf(next, widest);
  }
  return { states: seen.size };
}

function someOf<T>(all: readonly T[], most: number): readonly T[] {
  const step = all.length / most;
  return step <= 1 ? all : all.filter((_, index) => index % step < 1);
}

/**
 * What must never be: a double refund, a refund in spite of an alarm, a lost outcome, a false "applied", a doubling that nobody
 * is told of.
 */
export function violationOf(world: World, rules: Rules): string | undefined {
  if (isDouble(world, rules)) return 'double: two of our refunds took effect';
  if (world.alarmIgnored) return 'alarm ignored: a refund was sent while one was known to be made twice';
  return (
    cameBack(world) ??
    lostOutcome(world, rules) ??
    falseApplied(world, rules) ??
    silentDoubling(world, rules) ??
    silentFailure(world, rules) ??
    silentRepeat(world, rules)
  );
}

// Who was told that nothing is recorded must not find the order blocked by it.
function cameBack({ takenBack, journals }: World): string | undefined {
  const open = journals.flatMap(({ attempts }) => attempts).filter(({ verdicts }) => verdicts.length === 0);
  const back = open.find(({ sent }) => takenBack.includes(sent.change));
  return back && `came back: ${back.sent.change} was taken back, and blocks its order`;
}

// Whoever records wrongly that a refund was not made allows one more.
function isDouble({ ledger, journals }: World, { wanted, mistakes }: Rules): boolean {
  const ours = ledger.filter(({ whose, status }) => whose === 'ours' && status !== 'failed');
  if (wanted === 'each_once') return new Set(ours.map(({ row, amount }) => row ?? amount)).size < ours.length;
  const allowed =
    mistakes === 'not_made' ? journals.flatMap(({ attempts }) => attempts).filter(wasNotMade).length : 0;
  return ours.length > 1 + allowed;
}

function wasNotMade({ verdicts }: AttemptRecord): boolean {
  return verdicts.some(({ by, verdict }) => by === 'person' && verdict === 'rejected');
}

function lostOutcome(world: World, { mistakes, doubtsByHand }: Rules): string | undefined {
  const { requests, processes, journals, witnesses, restored, ledger } = world;
  // A journal that was put back knows less. Its witness does not, and what is sent then shows whether that does harm.
  const known = restored ? witnesses.map(attemptsIn) : journals.map(({ attempts }) => attempts);
  // Nobody can tell two equal refunds apart: where each refund that was made counts for one attempt, it may be the other one.
  const made = requests.filter(({ fate }) => fate === 'applied').length;
  const isEachCounted = made <= known.flat().filter(isMade).length || isAlarmed(world);
  for (const { name, fate } of requests) {
    const record = known.flat().find((one) => attemptName(one) === name);
    if (record === undefined) {
      if (isSentBy(processes, name)) continue;
      return `lost outcome: ${name} left and the journal does not know it`;
    }
    const last = record.verdicts.at(-1);
    if (mistakes === 'not_made' && (last?.by === 'person' || !doubtsByHand || isEachCounted)) continue;
    const closed = last?.verdict === 'not_sent' || (last?.verdict === 'rejected' && last.confirmed === true);
    const stands = ledger.some(({ by, status }) => by === name && status !== 'failed');
    if (fate === 'applied' && closed && stands)
      return `lost outcome: ${name} took effect and is closed as ${last.verdict}`;
  }
  return undefined;
}

// The alarm is there, or was acknowledged, or comes with the next read: a refund that is watched shows twice.
function isAlarmed({ journals, ledger, before }: World): boolean {
  const attempts = journals.flatMap((journal) => journal.attempts);
  return attempts.some((record) => {
    const last = verdictOf(record);
    if ((last?.alarm ?? last?.acknowledged) === 'duplicate') return true;
    if (!isMade(record) || !isWatched(record)) return false;
    const claimed = claimedBy(attempts, record);
    const known = before[attemptName(record)] ?? 0;
    return ledger.filter((_, at) => at >= known && !claimed.has(`r${at}`)).length > 1;
  });
}

function isMade(record: AttemptRecord): boolean {
  return verdictOf(record)?.verdict === 'applied';
}

// Where people make mistakes, only what a reply or a read has shown counts.
function falseApplied({ journals, ledger, before }: World, { mistakes }: Rules): string | undefined {
  for (const { sent, verdicts: all } of journals.flatMap(({ attempts }) => attempts)) {
    const verdicts = mistakes === 'none' ? all : all.filter(({ by }) => by !== 'person');
    const applied = verdicts.findIndex(({ verdict }) => verdict === 'applied');
    if (applied === -1) continue;
    if (verdicts.slice(applied).some(({ verdict }) => verdict !== 'applied')) {
      return `lost outcome: ${sent.change} was applied and is not any more`;
    }
    if (ledger.length <= (before[attemptName({ sent })] ?? 0)) {
      return `false applied: ${sent.change} and no new record`;
    }
  }
  return undefined;
}

// Once nobody will look at it any more, a person must have been told, or have acknowledged just that refund. What a person
// stated nobody reads again.
function silentDoubling({ journals, ledger }: World, rules: Rules): string | undefined {
  const records = journals.flatMap(({ attempts }) => attempts);
  for (const [at, { whose, by }] of ledger.entries()) {
    const record = whose === 'doubled' ? records.find((one) => attemptName(one) === by) : undefined;
    const last = record && verdictOf(record);
    if (record === undefined || last?.verdict !== 'applied' || last.by === 'person') continue;
    const isOver = !(rules.watch && isUnsettled(record)) && last.alarm === undefined;
    if (isOver && !hasAcknowledged(record, `r${at}`)) return `no alarm: the service made ${by} twice`;
  }
  return undefined;
}

// Who was told that a refund was made must be told, or have acknowledged, that it has failed, once nobody will look at it any more.
function silentFailure({ journals, ledger }: World, rules: Rules): string | undefined {
  const records = journals.flatMap(({ attempts }) => attempts);
  for (const { by } of ledger.filter(({ status }) => status === 'failed')) {
    const record = records.find((one) => attemptName(one) === by);
    const last = record && verdictOf(record);
    if (record === undefined || last?.verdict !== 'applied' || last.by === 'person') continue;
    const isLookedAt = rules.watch && isUnsettled(record);
    const isTold = record.verdicts.some(({ alarm, acknowledged }) => (alarm ?? acknowledged) === 'failed');
    if (!isLookedAt && !isTold) return `no alarm: ${by} failed after it was made`;
  }
  return undefined;
}

// The row of an acknowledgement names who wrote it. Later rows repeat only what it says.
function hasAcknowledged({ verdicts }: AttemptRecord, refund: string): boolean {
  return verdicts.some(
    ({ acknowledged, operator, refunds = [] }) =>
      acknowledged === 'duplicate' && operator !== undefined && refunds.some(({ id }) => id === refund),
  );
}

// A refund was recorded as not made, sent again, and both were made. Once nobody will look at either of them any more, one of the
// two must have the alarm.
function silentRepeat(world: World, { mistakes, doubtsByHand }: Rules): string | undefined {
  if (mistakes !== 'not_made' || isAlarmed(world)) return undefined;
  const { journals, requests } = world;
  const applied = new Set(requests.filter(({ fate }) => fate === 'applied').map(({ name }) => name));
  const made = journals
    .flatMap(({ attempts }) => attempts)
    .filter((record) => applied.has(attemptName(record)));
  const isTold = made.some((record) => {
    const last = verdictOf(record);
    return last?.alarm !== undefined || last?.acknowledged !== undefined;
  });
  const isLookedAt = made.some(
    (record) =>
      verdictOf(record)?.verdict !== 'applied' && isUnsettled(record) && (doubtsByHand || !isDoubted(record)),
  );
  if (made.length < 2 || isTold || isLookedAt) return undefined;
  return `no alarm: ${made.map(attemptName).join(' and ')} were both made`;
}

function isSentBy(processes: World['processes'], name: string): boolean {
  return processes.some((process) => {
    if (typeof process !== 'object') return false;
    const { state } = process;
    const flight = 'flight' in state ? state.flight : 'search' in state ? state.search : undefined;
    return flight !== undefined && attemptName(flight) === name;
  });
}

function pathOf(trail: Trail | undefined): string[] {
  return trail === undefined ? [] : [...pathOf(trail.from), trail.name];
}
