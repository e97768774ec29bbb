/** Everything that can happen next in the model's world. */

import { happenings } from './happenings.ts';
import { typed } from './people.ts';
import { acts } from './processes.ts';
import type { Rules } from './rules.ts';
import { type Move, spend, unlock, type World, withProcess } from './world.ts';

export function moves(world: World, rules: Rules): Move[] {
  return [
    ...happenings(world, rules),
    ...world.processes.flatMap((_, index) => movesOf(world, rules, index)),
  ];
}

function movesOf(world: World, rules: Rules, index: number): Move[] {
  const process = world.processes[index];
  if (typeof process !== 'object') return typed(world, rules, index);
  const found = acts(world, rules, index, process);
  if (world.left.kills === 0) return found;
  const killed = withProcess(spend(unlock(world, index), 'kills'), index, 'idle');
  return [...found, { name: `${index} is killed`, world: killed }];
}
