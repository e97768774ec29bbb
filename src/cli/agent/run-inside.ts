/** Runs a command line inside of another run, as a script would: its output is kept, nobody is asked, and nothing is sent. */

import { Readable, Writable } from 'node:stream';
import { refused } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { allChangesOf } from '../typed/command-line.ts';
import { agentOf } from './agent.ts';

/** The entry of the program. */
export type RunLine = (argv: readonly string[], io: Io) => Promise<number>;

/** What a command line that ran inside of another run wrote, and its exit code. */
export interface RanInside {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `run`: the entry of the program; `operator`: for whom. Throws CliError 'refused' for a line that could send a change, or settle one. */
export async function runInside(
  run: RunLine,
  io: Io,
  argv: readonly string[],
  {
    input = '',
    operator,
  }: {
    readonly input?: string;
    readonly operator?: string | undefined;
  },
): Promise<RanInside> {
  if (allChangesOf(argv) !== 'nothing')
    throw refused('only what changes nothing is run for an agent', [], 'person_needed');
  const stdout = new Kept();
  const stderr = new Kept();
  const code = await run(argv, {
    ...io,
    env: {
      ...io.env,
      PAYDESK_AGENT: agentOf(io.env) ?? 'mcp',
      ...(operator === undefined ? {} : { PAYDESK_OPERATOR: operator }),
    },
    stdin: Object.assign(Readable.from(input === '' ? [] : [input]), { setRawMode: () => undefined }),
    stdout,
    stderr,
    stdoutWasClosed: () => false,
    // The outer run has both.
    onSignal: () => () => undefined,
    onUncaught: () => () => undefined,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

class Kept extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}
