/** Runs the built program: in the memory of the test, or as a process of its own where only a process shows what is meant. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Stdin } from '../../src/io.ts';
import { clockOf, preloadedClock } from './clock.ts';
import { compiled } from './compiled.ts';
import { forgetMarks } from './copied-files.ts';
import { asLeft, type MemoryParts, runWithMemoryIo } from './memory-io.ts';
import type { OrdinaryUser } from './ordinary-user.ts';
import { endOf, type Ran, type Running } from './ran.ts';

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
  forgetMarks(copy.path);
  return copy;
}

export interface RunOptions {
  readonly home: Home;
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped in; standard input is closed after it. Absent: closed at once. */
  readonly input?: string;
  /** Leaves standard input open and silent, as a waiting pipe does. */
  readonly stdinOpen?: true;
  /** The folder it runs in; absent: the home folder. */
  readonly cwd?: string;
  /** How a run in memory waits between two reads or tries; absent: its clock is put forward instead. */
  readonly sleeps?: 'in no time' | 'really';
  /**
   * A run in memory writes to a terminal of so many columns, in colour where NO_COLOR is set to ''; standard input stays a
   * pipe, so nobody is asked. Of lines that are redrawn, only what is left at the end comes back. For somebody who answers,
   * see person.ts.
   */
  readonly columns?: number;
  /** Absent: 40. */
  readonly rows?: number;
  /** The configuration of the machine for a run in memory. Absent: it has none. */
  readonly machineFile?: string;
  /** The name of the machine for a run in memory; absent: `desk-1`. */
  readonly machineName?: string;
  /** The id of the user for a run in memory; absent: that of the user of the suite. */
  readonly uid?: number;
  /** The options of Node that a run in memory is told of; absent: none. */
  readonly execArgv?: readonly string[];
  /** A run in memory is told that its stdout was closed before it started, as by `>&-`. */
  readonly stdoutClosed?: true;
}

/** What only a process can be given. */
export interface ProcessOptions extends RunOptions {
  readonly nodeArgs?: readonly string[];
  /** Another build than the project's own. */
  readonly bin?: string;
  /** Who runs it, when it is not the user of the suite. */
  readonly user?: OrdinaryUser;
}

export type { Ran };

/** The environment of a test run: only PATH, HOME, TERM, and what a test adds. What is temporary stays in the home too. */
export function cleanEnv({ home, env }: RunOptions): Record<string, string> {
  return preloadedClock(home, {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: home.path,
    TMPDIR: home.path,
    TERM: 'xterm-256color',
    NODE_COMPILE_CACHE: compiled,
    ...env,
  });
}

/**
 * Runs `paydesk ARGS` to its end, in this process: real files and real HTTP, but streams, clock and environment of its own.
 * A variable that Node itself reads (NODE_OPTIONS, NODE_EXTRA_CA_CERTS, ...) makes it a process.
 */
export async function paydesk(args: readonly string[], options: RunOptions): Promise<Ran> {
  const isForNode = Object.entries(options.env ?? {}).some(
    ([name, value]) => ofNode.test(name) && value !== '',
  );
  return isForNode ? await paydeskProcess(args, options) : await startInMemory(args, options).end;
}

const ofNode = /^(?:NODE_|SNAP$|LD_)/;

/**
 * Runs `paydesk ARGS` in memory, on a terminal at which nobody types: what it writes to either stream, in that order, and what
 * is left of that on the screen. A line of progress is drawn only where the machine is slow, and is not left.
 */
export async function onScreen(
  args: readonly string[],
  options: RunOptions & { readonly columns: number },
): Promise<{ readonly code: number | null; readonly written: string; readonly screen: string }> {
  const chunks: Buffer[] = [];
  const { code } = await startInMemory(args, options, { shown: (chunk) => chunks.push(chunk) }).end;
  const written = Buffer.concat(chunks).toString();
  return { code, written, screen: asLeft(written) };
}

/** Starts `paydesk ARGS` in this process; it goes on while a test looks at it, or signals it. */
export function startInMemory(
  args: readonly string[],
  options: RunOptions,
  terminal: Pick<MemoryParts, 'shown' | 'userName'> & { readonly keyboard?: Stdin } = {},
): Running {
  const { home, env = {}, cwd = home.path, sleeps = 'in no time', columns, rows } = options;
  const input = options.stdinOpen === true ? undefined : (terminal.keyboard ?? options.input ?? '');
  const own: Record<string, string> = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: home.path,
    TMPDIR: home.path,
    TERM: 'xterm-256color',
    ...(columns === undefined ? {} : { NO_COLOR: '1' }),
    ...env,
  };
  const { run, answer } = built();
  return runWithMemoryIo(
    { ...options, ...terminal, env: own, input, cwd, columns, rows, clock: clockOf(own, sleeps) },
    async (io) =>
      args[0] === '__complete'
        ? await answer(args.slice(1), { ...io, write: (text) => io.stdout.write(text) })
        : await run(args, io),
  );
}

/** Runs `paydesk ARGS` to its end in a process of its own. */
export function paydeskProcess(args: readonly string[], options: ProcessOptions): Promise<Ran> {
  return startProcess(args, options).end;
}

/** Starts `paydesk ARGS` in a process of its own, which goes on while a test looks at it, or signals it. */
export function startProcess(args: readonly string[], options: ProcessOptions): Running {
  const { uid, node = process.execPath, bin: program = options.bin ?? bin } = options.user ?? {};
  const child = spawn(node, [...(options.nodeArgs ?? []), program, ...args], {
    env: cleanEnv(options),
    cwd: options.cwd ?? options.home.path,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  // A program that ends before it read its input is told apart by its exit.
  child.stdin.on('error', () => undefined);
  if (options.stdinOpen !== true) child.stdin.end(options.input ?? '');
  return {
    signal: (signal) => child.kill(signal),
    firstLine: async () => {
      const [first] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      return first;
    },
    end: endOf(child),
  };
}

// The program as it is shipped, loaded past Vitest, which would read every module anew.
function built(): typeof import('../../bin/start.ts') &
  Pick<typeof import('../../bin/complete.ts'), 'answer'> {
  const require = createRequire(import.meta.url);
  return { ...require('../../dist/start.js'), ...require('../../dist/complete.js') };
}
