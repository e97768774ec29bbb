/** Breadth-first search of everything that can happen, for the first state in which something must never be. */

import { isUnsettled, verdictOf } from '../../src/journal/attempt-state.ts';
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

/** Visits every reachable state, or stops at the first violation: the shortest way to it. */
export function explore(rules: Rules): Exploration {
  const first = start(rules);
  const seen = new Set([keyOf(first)]);
  let layer: { world: World; trail: Trail | undefined }[] = [{ world: first, trail: undefined }];
  while (layer.length > 0) {
    const next: typeof layer = [];
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
    layer = next;
  }
  return { states: seen.size };
}

/**
 * What must never be: a double refund, a refund in spite of an alarm, a lost outcome, a false "applied", a doubling that nobody
 * is told of.
 */
export function violationOf(world: World, rules: Rules): string | undefined {
  const ours = world.ledger.filter(({ whose }) => whose === 'ours').length;
  if (ours > 1) return 'double: two of our refunds took effect';
  if (world.alarmIgnored) return 'alarm ignored: a refund was sent while one was known to be paid back twice';
  return cameBack(world) ?? lostOutcome(world) ?? falseApplied(world, rules) ?? silentDoubling(world, rules);
}

// Who was told that nothing is recorded must not find the order blocked by it.
function cameBack({ takenBack, journals }: World): string | undefined {
  const open = journals.flatMap(({ attempts }) => attempts).filter(({ verdicts }) => verdicts.length === 0);
  const back = open.find(({ sent }) => takenBack.includes(sent.intent));
  return back && `came back: ${back.sent.intent} was taken back, and blocks its order`;
}

function lostOutcome({ requests, processes, journals, witnesses, restored }: World): string | undefined {
  // A journal that was put back knows less. Its witness does not, and what is sent then shows whether that does harm.
  const known = restored ? witnesses.map(attemptsIn) : journals.map(({ attempts }) => attempts);
  for (const { intent, fate } of requests) {
    const record = known.flat().find(({ sent }) => sent.intent === intent);
    if (record === undefined) {
      if (isWantedBy(processes, intent)) continue;
      return `lost outcome: ${intent} left and the journal does not know it`;
    }
    const last = record.verdicts.at(-1);
    const closed = last?.verdict === 'not_sent' || (last?.verdict === 'rejected' && last.confirmed === true);
    if (fate === 'applied' && closed)
      return `lost outcome: ${intent} took effect and is closed as ${last.verdict}`;
  }
  return undefined;
}

// Where people make mistakes, only what a reply or a read has shown counts.
function falseApplied({ journals, ledger, before }: World, { mistakes }: Rules): string | undefined {
  for (const { sent, verdicts: all } of journals.flatMap(({ attempts }) => attempts)) {
    const verdicts = mistakes ? all.filter(({ by }) => by !== 'person') : all;
    const applied = verdicts.findIndex(({ verdict }) => verdict === 'applied');
    if (applied === -1) continue;
    if (verdicts.slice(applied).some(({ verdict }) => verdict !== 'applied')) {
      return `lost outcome: ${sent.intent} was applied and is not any more`;
    }
    if (ledger.length <= (before[sent.intent] ?? 0)) {
      return `false applied: ${sent.intent} and no new record`;
    }
  }
  return undefined;
}

// Once nobody will look at it any more, a person must have been told, or have acknowledged just that refund. What a person
// stated nobody reads again.
function silentDoubling({ journals, ledger }: World, rules: Rules): string | undefined {
  const at = ledger.findIndex(({ whose }) => whose === 'doubled');
  const doubled = ledger[at]?.by;
  const records = journals.flatMap(({ attempts }) => attempts);
  const record = records.find(({ sent }) => sent.intent === doubled);
  if (doubled === undefined || record === undefined) return undefined;
  const last = verdictOf(record);
  const isOver = last?.verdict === 'applied' && last.by !== 'person' && !(rules.watch && isUnsettled(record));
  if (!isOver || last.alarm !== undefined) return undefined;
  if (last.acknowledged === 'duplicate' && last.refunds?.some(({ id }) => id === `r${at}`)) return undefined;
  return `no alarm: the service made ${doubled} twice`;
}

function isWantedBy(processes: World['processes'], intent: string): boolean {
  return processes.some((process) => typeof process === 'object' && process.wanted?.intent === intent);
}

function pathOf(trail: Trail | undefined): string[] {
  return trail === undefined ? [] : [...pathOf(trail.from), trail.name];
}
