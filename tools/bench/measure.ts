/** Running programs side by side: each round runs all of them, every other round in the opposite order. */

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program to be measured; what it prints goes to a file. */
export interface Program {
  /** Absolute, or found by PATH. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where a run of the bench keeps its files. */
export interface Place {
  readonly folder: string;
  /** Runs of each program; the first one, which warms disk and caches, is not counted. */
  readonly rounds: number;
}

const preload = join(import.meta.dirname, 'programs/peak-memory.js');

/** Milliseconds from start to exit of each program, by its name, one sample a round. */
export function wallTimes<Name extends string>(
  place: Place,
  programs: Readonly<Record<Name, Program>>,
): Record<Name, number[]> {
  return interleave(place.rounds, programs, (program) => wallTime(program, place));
}

/** Peak resident memory of each program of Node, in MB, by its name, one sample a round. */
export function peakMemories<Name extends string>(
  place: Place,
  programs: Readonly<Record<Name, Program>>,
): Record<Name, number[]> {
  const told = join(place.folder, 'peak-memory');
  return interleave(place.rounds, programs, (program) => {
    const env = { ...program.env, NODE_OPTIONS: `--import ${preload}`, PEAK_MEMORY_FILE: told };
    wallTime({ ...program, env }, place);
    return Number(readFileSync(told, 'utf8')) / 1024;
  });
}

/** One sample a round of each, by its name; one round before is thrown away. */
export function interleave<Name extends string, T>(
  rounds: number,
  things: Readonly<Record<Name, T>>,
  sample: (thing: T) => number,
): Record<Name, number[]> {
  const names = Object.keys(things) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  for (let round = -1; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const taken = sample(things[name]);
      if (round >= 0) samples[name].push(taken);
    }
  }
  return samples;
}

/** The file that holds what the last program printed. */
export function printedFile({ folder }: Place): string {
  return join(folder, 'printed');
}

/** Milliseconds from start to exit. Throws when it does not end well. */
export function wallTime({ file, args, env }: Program, place: Place): number {
  const out = openSync(printedFile(place), 'w');
  try {
    const started = performance.now();
    const { status, error, stderr } = spawnSync(file, args, { env, stdio: ['ignore', out, 'pipe'] });
    const taken = performance.now() - started;
    if (error !== undefined) throw error;
    if (status !== 0)
      throw new Error(`${[file, ...args].join(' ')} ended with ${status}: ${stderr.toString()}`);
    return taken;
  } finally {
    closeSync(out);
  }
}
