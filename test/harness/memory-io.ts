/** What a run in memory is given from outside: streams that collect, and what a test says of everything else. */

import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { ClockWithTimers, Env, Io, Stdin, StopSignal } from '../../src/io.ts';
import type { Ran, Running } from './ran.ts';

/** What a test says. */
export interface MemoryParts {
  readonly env: Env;
  /** What is piped in; undefined: a pipe that stays open and silent. Or the keyboard of a terminal. */
  readonly input: string | undefined | Stdin;
  readonly cwd: string;
  readonly clock: ClockWithTimers;
  /** The name of the user; absent: that of the user of the suite. */
  readonly userName?: string | undefined;
  /** The name of the machine; absent: `desk-1`. */
  readonly machineName?: string | undefined;
  /** The id of the user; absent: that of the user of the suite. */
  readonly uid?: number | undefined;
  /** The options of Node; absent: none. */
  readonly execArgv?: readonly string[] | undefined;
  /** stdout and stderr are a terminal of so many columns. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** The configuration of the machine. Absent: it has none. */
  readonly machineFile?: string | undefined;
  /** stdout was closed before it started. */
  readonly stdoutClosed?: true | undefined;
  /** Called with all that either of them is given, in that order. */
  readonly shown?: ((chunk: Buffer) => void) | undefined;
}

/** Runs with streams and signals of its own. */
export function runWithMemoryIo(parts: MemoryParts, run: (io: Io) => Promise<number>): Running {
  const { env, clock, cwd } = parts;
  const zone = env.TZ === '' ? undefined : env.TZ;
  const stdout = new Collected(parts);
  const stderr = new Collected(parts);
  let listeners: readonly ((signal: StopSignal) => void)[] = [];
  const io: Io = {
    env,
    stdin: stdinOf(parts.input),
    stdout,
    stderr,
    stdoutWasClosed: () => parts.stdoutClosed === true,
    clock,
    onSignal(listener) {
      listeners = [...listeners, listener];
      return () => {
        listeners = listeners.filter((one) => one !== listener);
      };
    },
    // Vitest hears of them, and fails the run.
    onUncaught: () => () => undefined,
    uid: parts.uid ?? process.getuid?.(),
    userName: () => parts.userName ?? userInfo().username,
    machineName: () => parts.machineName ?? 'desk-1',
    home: () => (isAbsolute(env.HOME ?? '') ? (env.HOME ?? '') : userInfo().homedir),
    cwd: () => cwd,
    machineFile: parts.machineFile ?? '/nonexistent/paydesk/config.json',
    platform: process.platform,
    execPath: process.execPath,
    execArgv: parts.execArgv ?? [],
    zone,
    zoneName: () => zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    keepHeapSmall: () => undefined,
  };
  const toEnd = async (): Promise<Ran> => {
    return {
      code: await run(io),
      signal: null,
      stdout: stdout.text,
      stderr: stderr.isTTY ? asLeft(stderr.text) : stderr.text,
    };
  };
  const end = toEnd();
  return {
    signal(signal) {
      for (const listener of listeners) listener(signal);
    },
    firstLine: () => Promise.race([stdout.firstLine(), end.then(failed)]),
    end,
  };
}

/** What a screen shows at the end: a line of progress was drawn over, and taken away. */
export function asLeft(text: string): string {
  return text.replaceAll(/^.*\r(?:\x1b\[K)?/gm, '');
}

function failed({ stderr }: Ran): never {
  throw new Error(`it ended without a line on stdout: ${stderr}`);
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = [];
  readonly #line = Promise.withResolvers<string>();
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly #shown: MemoryParts['shown'];

  /** Without columns it is no terminal. */
  constructor({ columns = 0, rows = 40, shown }: Pick<MemoryParts, 'columns' | 'rows' | 'shown'>) {
    super();
    this.columns = columns;
    this.rows = rows;
    this.isTTY = columns > 0;
    this.#shown = shown;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    this.#shown?.(chunk);
    if (chunk.includes('\n')) this.#line.resolve(this.text.split('\n')[0] ?? '');
    done();
  }

  // A prompt ends its output, which the streams of a process do not let happen either.
  override end(): this {
    return this;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  firstLine(): Promise<string> {
    return this.#line.promise;
  }
}

/** The keyboard of a terminal; what is typed is written to it. */
export function newKeyboard(): Stdin & Writable {
  const keys = new PassThrough();
  return Object.assign(keys, { isTTY: true, setRawMode: () => keys });
}

function stdinOf(input: MemoryParts['input']): Stdin {
  if (typeof input === 'object') return input;
  const stream = input === undefined ? new Readable({ read: () => undefined }) : streamOf(input);
  return Object.assign(stream, { setRawMode: () => noTerminal() });
}

function streamOf(input: string): Readable {
  return Readable.from(input === '' ? [] : [Buffer.from(input)], { objectMode: false });
}

function noTerminal(): never {
  throw new Error('a run in memory has no terminal');
}
