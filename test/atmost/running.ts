/** A run of the program that goes on while a test looks, signals or kills. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { bin, type Home } from '../harness/paydesk.ts';
import type { Desk } from './desk.ts';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  kill(signal: NodeJS.Signals): void;
  /** Resolves when stderr shows the text; rejects when the program ends without it. */
  untilSaid(text: string): Promise<void>;
  /** What it has said on stderr so far. */
  said(): string;
  readonly end: Promise<Ended>;
}

/** Starts `paydesk -p t ARGS` with nothing to read. */
export function start(
  desk: Pick<Desk, 'env'>,
  home: Home,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const child = spawn(process.execPath, [bin, '-p', 't', ...args], {
    env: desk.env(home, env),
    cwd: home.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  let ended = false;
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString();
  });
  const end = once(child, 'close').then(([code, signal]: unknown[]): Ended => {
    ended = true;
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, ...said };
  });
  return {
    kill: (signal) => child.kill(signal),
    untilSaid: async (text) => {
      await until(() => ended || said.stderr.includes(text));
      if (!said.stderr.includes(text)) throw new Error(`ended without "${text}": ${said.stderr}`);
    },
    said: () => said.stderr,
    end,
  };
}

/** Looks again and again until it is so. */
export async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await wait(10);
}
