/** Runs the built program in an environment of its own: only PATH, HOME and TERM, and what a test adds. */

import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compiled } from './compiled.ts';
import type { OrdinaryUser } from './ordinary-user.ts';
import { endOf, type Ran } from './ran.ts';

export const bin = join(import.meta.dirname, '../../bin/paydesk.js');

/** An empty home folder, removed by `[Symbol.dispose]` (`using home = newHome()`). */
export interface Home extends Disposable {
  readonly path: string;
}

export function newHome(): Home {
  const path = mkdtempSync(join(tmpdir(), 'paydesk-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A home folder that holds what another holds. */
export function copyOf(home: Home): Home {
  const copy = newHome();
  cpSync(home.path, copy.path, { recursive: true });
  return copy;
}

export interface RunOptions {
  readonly home: Home;
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped in; standard input is closed after it. Absent: closed at once. */
  readonly input?: string;
  /** Leaves standard input open and silent, as a waiting pipe does. */
  readonly stdinOpen?: true;
  readonly nodeArgs?: readonly string[];
  /** Another build than the project's own. */
  readonly bin?: string;
  /** Who runs it, when it is not the user of the suite. */
  readonly user?: OrdinaryUser;
  /** The folder it runs in; absent: the home folder. */
  readonly cwd?: string;
}

export type { Ran };

/** The environment of a test run. */
export function cleanEnv({ home, env }: RunOptions): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: home.path,
    TERM: 'xterm-256color',
    NODE_COMPILE_CACHE: compiled,
    ...env,
  };
}

/** Runs `paydesk ARGS` to its end. */
export function paydesk(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { uid, node = process.execPath, bin: program = options.bin ?? bin } = options.user ?? {};
  const child = spawn(node, [...(options.nodeArgs ?? []), program, ...args], {
    env: cleanEnv(options),
    cwd: options.cwd ?? options.home.path,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  // A program that ends before it read its input is told apart by its exit.
  child.stdin.on('error', () => undefined);
  if (options.stdinOpen !== true) child.stdin.end(options.input ?? '');
  return endOf(child);
}
