/** Runs the built program under strace, which kills it, stops it or fails it at the nth system call of its main thread. */

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isLong } from '../harness/long.ts';
import { bin, type Home } from '../harness/paydesk.ts';
import { endOf, type Ran } from '../harness/ran.ts';
import type { Desk } from './desk.ts';

/** The calls that change a file or the network. */
export const watched = ['pwrite64', 'fsync', 'ftruncate', 'unlink', 'connect', 'write'] as const;
export type CallName = (typeof watched)[number];

/** One call of the main thread. */
export interface Call {
  readonly name: string;
  /** Its place among the calls of this name, from 1: what `when` counts. */
  readonly nth: number;
  /** The line of strace's log. */
  readonly line: string;
}

export interface Traced extends Ran {
  /** The watched calls since the first open of the journal file, in order. */
  readonly calls: readonly Call[];
  /** The line of the call that was failed, stopped or killed. */
  readonly injected: string | undefined;
}

/** `signal=KILL`, `error=EIO`; `when` is `3`, or `3+` for this and all later ones. */
export interface Injection {
  readonly call: CallName;
  readonly what: string;
  readonly when: string;
}

let usable: boolean | undefined;

/** Whether strace can be used here; the long form installs it where it is missing. */
export function hasStrace(): boolean {
  usable ??= works() || (isLong && install());
  if (!usable) console.log('strace cannot be run here: kills and failures at system calls are not tried');
  return usable;
}

function works(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

function install(): boolean {
  spawnSync('apt-get', ['install', '-y', 'strace'], { stdio: 'ignore' });
  return works();
}

/** Words for strace by which every sync of this folder fails, `EIO`, and nothing else is touched. */
export function failingSync(folder: string, error: string): readonly string[] {
  const fails = `inject=fsync:error=${error}`;
  return ['-f', '--seccomp-bpf', '-o', '/dev/null', '-P', folder, '-e', 'trace=fsync', '-e', fails];
}

/** Starts it; `pid` is that of strace. Without -f strace follows, and counts, the main thread only. */
export function startTraced(desk: Desk, home: Home, args: readonly string[], injection?: Injection) {
  const log = join(home.path, 'strace.log');
  const inject =
    injection === undefined
      ? []
      : ['-e', `inject=${injection.call}:${injection.what}:when=${injection.when}`];
  const words = ['-y', '-o', log, '-e', `trace=openat,${watched.join(',')}`, ...inject];
  const child = spawn('strace', [...words, process.execPath, bin, '-p', 't', ...args], {
    env: desk.env(home, { NODE_COMPILE_CACHE: '' }),
    cwd: home.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = endOf(child).then((ran): Traced => ({ ...ran, ...readLog(log, ran.signal) }));
  return { pid: child.pid ?? 0, log, end };
}

export function traced(
  desk: Desk,
  home: Home,
  args: readonly string[],
  injection?: Injection,
): Promise<Traced> {
  return startTraced(desk, home, args, injection).end;
}

function readLog(path: string, signal: NodeJS.Signals | null): Pick<Traced, 'calls' | 'injected'> {
  const lines = readFileSync(path, 'utf8').split('\n');
  rmSync(path);
  const counts = new Map<string, number>();
  const all = lines.flatMap((line): (Call & { readonly opens: boolean })[] => {
    const name = /^(\w+)\(/.exec(line)?.[1];
    if (name === undefined) return [];
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    return [{ name, nth, line, opens: name === 'openat' && line.includes('/journal/journal.db') }];
  });
  const open = all.findIndex(({ opens }) => opens);
  const calls = open === -1 ? [] : all.slice(open).filter(({ name }) => name !== 'openat');
  const killed = signal === 'SIGKILL' ? all.at(-1)?.line : undefined;
  return { calls, injected: killed ?? all.find(({ line }) => line.includes('(INJECTED)'))?.line };
}

/** What a call was made on, for the table: `journal.db-journal`, `socket`. */
export function targetOf(line: string): string {
  const path = /^\w+\((?:\d+<([^>]*)>|"([^"]*)")/.exec(line);
  const name = path?.[1] ?? path?.[2] ?? '';
  // A socket or a pipe has a number for a name: `socket:[260831]`.
  return /^(\w+):\[/.exec(name)?.[1] ?? name.split('/').at(-1) ?? name;
}
