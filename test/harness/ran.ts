/** What a program gave that ran to its end. */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Empty where it was not piped, as is `stderr`. */
  readonly stdout: string;
  readonly stderr: string;
}

/** A run that goes on while a test looks at it. */
export interface Running {
  /** Delivers a signal. */
  readonly signal: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => void;
  /** Resolves once stdout shows a whole line, with that line; rejects when the run ends without one. */
  readonly firstLine: () => Promise<string>;
  readonly end: Promise<Ran>;
}

/** Waits for the end of a program that was just started. Rejects when it could not be started. */
export async function endOf(child: ChildProcess): Promise<Ran> {
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  // Not `text`: that leaves out a byte order mark.
  const [[code, signal], stdout, stderr] = await Promise.all([
    closed,
    child.stdout === null ? undefined : buffer(child.stdout),
    child.stderr === null ? undefined : buffer(child.stderr),
  ]);
  return { code, signal, stdout: stdout?.toString() ?? '', stderr: stderr?.toString() ?? '' };
}

/** A text that was broken at the width of a screen, in one line. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** The JSON of the last line of a text: the error of a run with `--json`, after its notes; or the end of a plan. */
export function lastRecord(text: string) {
  return JSON.parse(text.trim().split('\n').at(-1) ?? '');
}
