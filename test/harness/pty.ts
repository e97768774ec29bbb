/** A program in a pseudo-terminal: waits for what it shows, types, and tells how it ended. Nothing here sleeps. */

import { spawn } from '@lydell/node-pty';

export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  /** The whole environment; TERM is added when it is not there. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface PtyEnd {
  readonly exitCode: number;
  readonly signal: number | undefined;
  /** Everything that came out, escape sequences included. */
  readonly transcript: string;
}

export interface Pty {
  readonly pid: number;
  /**
   * Resolves when the text stands in what came out since the last match; rejects with the screen so far when the
   * program ends without showing it.
   */
  waitFor(text: string | RegExp): Promise<void>;
  /** Types: Enter is `\r`, Ctrl-C `\x03`, Ctrl-D `\x04`. */
  type(keys: string): void;
  /** Waits for the text, then types. */
  answer(text: string | RegExp, keys: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** Delivers a signal to the program itself. */
  kill(signal: string): void;
  readonly transcript: string;
  readonly end: Promise<PtyEnd>;
}

interface Waiter {
  readonly pattern: string | RegExp;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Runs a program in a terminal of its own. */
export function runInPty(file: string, args: readonly string[], options: PtyOptions = {}): Pty {
  const env = { TERM: 'xterm-256color', ...options.env };
  const terminal = spawn(file, [...args], {
    name: env.TERM,
    cols: options.columns ?? 80,
    rows: options.rows ?? 30,
    cwd: options.cwd ?? process.cwd(),
    env,
  });
  let transcript = '';
  // Where the next match is looked for: each wait sees only what came after the one before.
  let seen = 0;
  let ended = false;
  let waiters: readonly Waiter[] = [];

  const settle = (): void => {
    waiters = waiters.filter(({ pattern, resolve, reject }) => {
      const end = endOfMatch(transcript.slice(seen), pattern);
      if (end !== undefined) {
        seen += end;
        resolve();
      } else if (ended) {
        reject(new Error(`the program ended without showing ${String(pattern)}; it showed:\n${transcript}`));
      }
      return end === undefined && !ended;
    });
  };
  terminal.onData((data) => {
    transcript += data;
    settle();
  });
  const end = new Promise<PtyEnd>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      ended = true;
      settle();
      resolve({ exitCode, signal: signal === 0 ? undefined : signal, transcript });
    });
  });
  const waitFor = (pattern: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      waiters = [...waiters, { pattern, resolve, reject }];
      settle();
    });

  return {
    pid: terminal.pid,
    waitFor,
    type: (keys) => terminal.write(keys),
    async answer(text, keys) {
      await waitFor(text);
      terminal.write(keys);
    },
    resize: (columns, rows) => terminal.resize(columns, rows),
    kill: (signal) => terminal.kill(signal),
    get transcript() {
      return transcript;
    },
    end,
  };
}

function endOfMatch(text: string, pattern: string | RegExp): number | undefined {
  if (typeof pattern === 'string') {
    const at = text.indexOf(pattern);
    return at === -1 ? undefined : at + pattern.length;
  }
  const found = pattern.exec(text);
  return found === null ? undefined : found.index + found[0].length;
}

/** Text without escape sequences, for reading a transcript. */
export function withoutEscapes(text: string): string {
  return text.replace(/\x1b(\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])/g, '');
}
