/** A program in a pseudo-terminal: waits for what it shows, types, and tells how it ended. Nothing here sleeps. */

import { spawn } from '@lydell/node-pty';
import { Transcript } from './transcript.ts';

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
  const screen = new Transcript();
  terminal.onData((data) => screen.write(data));
  const end = new Promise<PtyEnd>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      screen.end();
      resolve({ exitCode, signal: signal === 0 ? undefined : signal, transcript: screen.text });
    });
  });
  return {
    pid: terminal.pid,
    waitFor: (text) => screen.waitFor(text),
    type: (keys) => terminal.write(keys),
    async answer(text, keys) {
      await screen.waitFor(text);
      terminal.write(keys);
    },
    resize: (columns, rows) => terminal.resize(columns, rows),
    kill: (signal) => terminal.kill(signal),
    get transcript() {
      return screen.text;
    },
    end,
  };
}

/** Text without escape sequences, for reading a transcript. */
export function withoutEscapes(text: string): string {
  return text.replace(/\x1b(\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])/g, '');
}
