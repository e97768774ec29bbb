/**
 * Everything that a run gets from outside: streams, the environment, time, signals, the user, the network.
 */

import { isAbsolute, sep } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** What comes from outside of a run. In the program it is this process (bin/process-io.ts), in tests what a test says. */
export interface Io {
  readonly env: Env;
  readonly stdin: Stdin;
  readonly stdout: ScreenStream;
  readonly stderr: ScreenStream;
  /** Whether stdout was closed before the program started, and stderr was not: then writing only seems to work. */
  readonly stdoutWasClosed: () => boolean;
  readonly clock: ClockWithTimers;
  /** Calls the listener with every signal that asks to stop. What is returned gives the signals back. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /** Calls the listener with every error that nobody caught; it returns the exit code. */
  readonly onUncaught: (listener: (error: unknown) => number) => void;
  /** This user's id; undefined where the system has none. */
  readonly uid: number | undefined;
  /** The name of this user. Throws where the system does not know them. */
  readonly userName: () => string;
  /** The home folder of this user: an absolute path. */
  readonly home: () => string;
  /** The folder that relative names belong to. Throws where it is gone. */
  readonly cwd: () => string;
  /** `linux`, `darwin`, `win32`, ... */
  readonly platform: string;
  /** The node program, and the options that it was started with. */
  readonly execPath: string;
  readonly execArgv: readonly string[];
  /**
   * The time zone, an IANA name; undefined: the zone of the process, in which times are shown a little
   * faster.
   */
  readonly zone: string | undefined;
  readonly zoneName: () => string;
  /** The dispatcher for requests that go through this proxy, or through none; undefined: fetch's own. */
  readonly dispatcherFor: (proxy: HttpsProxy | undefined) => Promise<Dispatcher | undefined>;
  /** Keeps V8 from doubling the space of young objects any more. */
  readonly stopHeapGrowth: () => void;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** What fetch hands a request to; undici's own type. */
export type Dispatcher = NonNullable<RequestInit['dispatcher']>;

/** A proxy for https, and the hosts that it is not for, as NO_PROXY lists them. */
export interface HttpsProxy {
  readonly url: string;
  readonly except: string;
}

/** Standard input; `setRawMode` is called only on a terminal. */
export interface Stdin extends Readable {
  readonly isTTY?: boolean;
  setRawMode(on: boolean): unknown;
}

/** Standard output or standard error; columns and rows where it is a terminal. */
export type ScreenStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** Time, as everything here is given it. */
export interface Clock {
  /** Wall clock, Unix milliseconds. */
  now(): number;
  /** Monotonic clock, milliseconds from an unknown start. */
  monotonic(): number;
  /** The id of this boot of the machine, and milliseconds since it; undefined where the system does not tell. */
  boot?(): { readonly id: string; readonly ms: number } | undefined;
  /** Milliseconds since the machine was started, also where it gives no id of the boot. */
  uptime?(): number;
  /** Resolves after this many milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A clock that can also ring: for what is waited for beside other things. */
export interface ClockWithTimers extends Clock {
  /** Calls back once, after this many milliseconds, unless what it returns is called first. */
  after(ms: number, callback: () => void): () => void;
  /** Calls back every so many milliseconds until what it returns is called; keeps no run from ending. */
  every(ms: number, callback: () => void): () => void;
}

/** Variables of the environment, by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A variable's value, when it is set to something. */
export function variable(env: Env, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

/** The path of a file that somebody named, in full; `..` stays, since the system follows links before it. Without `cwd`: as named. */
export function fullPath(cwd: (() => string) | undefined, name: string): string {
  return cwd === undefined || isAbsolute(name) ? name : `${cwd()}${sep}${name}`;
}
