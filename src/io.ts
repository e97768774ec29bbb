/** Everything that a run gets from outside: streams, the environment, time, signals, the user. */

import { isAbsolute, sep } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** Everything outside a run. The program makes it from its process (bin/process-io.ts), and each test makes its own. */
export interface Io {
  readonly env: Env;
  readonly stdin: Stdin;
  readonly stdout: ScreenStream;
  readonly stderr: ScreenStream;
  /** Whether stdout, but not stderr, was closed when the program started. Then writing to stdout only seems to work. */
  readonly stdoutWasClosed: () => boolean;
  /** Called when a person goes back from the first question of a run that was begun on a screen. Undefined: no screen is before it. */
  readonly onLeft?: (() => void) | undefined;
  readonly clock: ClockWithTimers;
  /** Calls the listener for every signal that asks paydesk to stop. Returns a function that removes the listener. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /**
   * Calls the newest listener, and no other, for every error that nobody caught. The listener returns the exit code. Returns a
   * function that removes the listener.
   */
  readonly onUncaught: (listener: (error: unknown) => number) => () => void;
  /** This user's id; undefined if the system has none. */
  readonly uid: number | undefined;
  /** The name of this user. Throws if the system does not know the user. */
  readonly userName: () => string;
  readonly machineName: () => string;
  /** The home folder of this user: an absolute path. */
  readonly home: () => string;
  /** The current folder. Throws if it was deleted. */
  readonly cwd: () => string;
  /** The configuration of this machine, which its administrator writes: an absolute path. No variable moves it. */
  readonly machineFile: string;
  /** `linux`, `darwin`, `win32`, ... */
  readonly platform: string;
  /** The node program, and the options that it was started with. */
  readonly execPath: string;
  readonly execArgv: readonly string[];
  /** The IANA name of the time zone. If it is undefined, times are in the zone of the process, which is a little faster. */
  readonly zone: string | undefined;
  /** The IANA name of the zone of the process. */
  readonly zoneName: () => string;
  /**
   * From this call on, V8 no longer doubles its space for `young` objects, or cleans up `old` ones whenever their space has grown by
   * so many percent, 35 if none are given.
   */
  readonly keepHeapSmall: (space: 'young' | 'old', percent?: number) => void;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Standard input. `setRawMode` is called only on a terminal. */
export interface Stdin extends Readable {
  readonly isTTY?: boolean;
  setRawMode(on: boolean): unknown;
}

/** Standard output or standard error. A terminal also has columns and rows. */
export type ScreenStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** The clock of a run. All code takes the time from here. */
export interface Clock {
  /** Wall clock, Unix milliseconds. */
  now(): number;
  /** Monotonic clock, milliseconds from an unknown start. */
  monotonic(): number;
  /** The id of this boot of the machine, and milliseconds since the boot. Undefined if the system does not say. */
  boot?(): { readonly id: string; readonly ms: number } | undefined;
  /** Milliseconds since the machine was started. A system may know this even if it has no id of the boot. */
  uptime?(): number;
  /** Resolves after this many milliseconds. Rejects with the signal's reason when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A clock with timers, for code that waits for several things at once. */
export interface ClockWithTimers extends Clock {
  /** Calls `callback` once after this many milliseconds. Returns a function that stops the timer. */
  after(ms: number, callback: () => void): () => void;
  /** Calls `callback` again and again. Returns a function that stops the timer. The timer does not keep a run from ending. */
  every(ms: number, callback: () => void): () => void;
}

/** Variables of the environment, by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Variables by which an agent says that it is one. If one is set, paydesk may refuse because of it; if none is, that proves
 * nothing.
 */
export const agentVariables = ['PAYDESK_AGENT', 'AI_AGENT'];

/** The value of a variable. Undefined if it is not set, or empty. */
export function variable(env: Env, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

/** The full path of a file. A `..` stays in it, because the system follows links first. Without `cwd`, the name itself. */
export function fullPath(cwd: (() => string) | undefined, name: string): string {
  return cwd === undefined || isAbsolute(name) ? name : `${cwd()}${sep}${name}`;
}

/** The name of a file without its folder, on any system. */
export function withoutFolder(path: string): string {
  return path.replace(/^.*[/\\]/s, '');
}

/** The path of another file in the folder of this one. */
export function besideFile(path: string, name: string): string {
  return path.slice(0, path.length - withoutFolder(path).length) + name;
}

/**
 * Waits for one turn of the event loop, so that the rest of the program can run. Without it, a loop over thousands of records
 * that are already in memory would let no Ctrl-C and no progress through, and V8 could not finish a garbage collection, which
 * takes several turns.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
