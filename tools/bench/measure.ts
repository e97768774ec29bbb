/** Running programs side by side: each round runs all of them, every other round in the opposite order. */

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program to be measured; what it prints goes to a file. */
export interface Program {
  /** Absolute, or found by PATH. */
  readonly file: string;
  /** The arguments, or what gives them anew for every run. */
  readonly args: readonly string[] | (() => readonly string[]);
  readonly env: Readonly<Record<string, string>>;
}

/** Where a run of the bench keeps its files. */
export interface Place {
  readonly folder: string;
  /** Runs of each program; the first one, which warms disk and caches, is not counted. */
  readonly rounds: number;
}

/** What a run took from start to exit, in milliseconds: time by the clock, and CPU time (user and system). */
export interface Taken {
  readonly wall: number;
  readonly cpu: number;
}

const programs = join(import.meta.dirname, 'programs');
const preload = join(programs, 'peak-memory.js');

/** What each program takes, by its name, one sample a round. */
export function timesOf<Name extends string>(
  place: Place,
  measured: Readonly<Record<Name, Program>>,
): Record<Name, Taken[]> {
  return interleave(place.rounds, measured, (program) => run(program, place));
}

/** Milliseconds until each program prints its first byte, by its name, one sample a round. */
export function firstBytes<Name extends string>(
  place: Place,
  measured: Readonly<Record<Name, Program>>,
): Record<Name, number[]> {
  return interleave(place.rounds, measured, (program) => Number(timedBy('first-byte.sh', program, place)));
}

/** Peak resident memory of each program of Node, in MB, by its name, one sample a round. */
export function peakMemories<Name extends string>(
  place: Place,
  measured: Readonly<Record<Name, Program>>,
): Record<Name, number[]> {
  const told = join(place.folder, 'peak-memory');
  return interleave(place.rounds, measured, (program) => {
    const env = { ...program.env, NODE_OPTIONS: `--import ${preload}`, PEAK_MEMORY_FILE: told };
    run({ ...program, env }, place);
    return Number(readFileSync(told, 'utf8')) / 1024;
  });
}

/** One sample a round of each, by its name; one round before is thrown away. */
function interleave<Name extends string, Thing, Sample>(
  rounds: number,
  things: Readonly<Record<Name, Thing>>,
  sample: (thing: Thing) => Sample,
): Record<Name, Sample[]> {
  const names = Object.keys(things) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>;
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

/** Runs a program to its end. Throws when it does not end well. */
export function run(program: Program, place: Place): Taken {
  const [wall = Number.NaN, cpu = Number.NaN] = timedBy('time.sh', program, place).split(' ').map(Number);
  return { wall, cpu };
}

// bash measures the times, because Node cannot say how much CPU time its child took.
function timedBy(script: string, { file, args, env }: Program, place: Place): string {
  const told = join(place.folder, 'times');
  const out = openSync(printedFile(place), 'w');
  try {
    const words = typeof args === 'function' ? args() : args;
    const { status, error, stderr } = spawnSync('bash', [join(programs, script), told, file, ...words], {
      env,
      stdio: ['ignore', out, 'pipe'],
    });
    if (error !== undefined) throw error;
    if (status !== 0)
      throw new Error(`${[file, ...words].join(' ')} ended with ${status}: ${stderr.toString()}`);
    return readFileSync(told, 'utf8');
  } finally {
    closeSync(out);
  }
}
