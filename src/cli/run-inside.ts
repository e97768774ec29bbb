/**
 * Runs command lines inside another run: in its terminal, as if somebody had typed them there, or for an agent, which gets their
 * output.
 */

import { Readable, Writable } from 'node:stream';
import type { Context } from '../context/context.ts';
import { CliError, refused } from '../errors.ts';
import type { Io, ScreenStream } from '../io.ts';
import { plainCommand } from '../profiles/profiles.ts';
import { agentOf } from './agent/agent.ts';
import { type Policy, refuseCommand } from './machine/policy.ts';
import { allChangesOf, runsLine } from './typed/command-line.ts';
import { globalFlags } from './typed/global-options.ts';
import { readTypedWords } from './typed/typed-words.ts';

// Options of the outer run that the line does not get: it names its account itself, and these columns are for the result of another
// command.
const notPassedOn: readonly string[] = ['profile', 'columns'];

interface OuterRun {
  readonly argv: readonly string[];
  /** The words of its command. */
  readonly own: readonly string[];
  readonly io: Io;
  readonly policy: Policy;
  readonly show: (line: string) => void;
}

/** `run`: the entry of the program. */
export function nextLines(run: RunLine, { argv, own, io, policy, show }: OuterRun): Context['next'] {
  const { options } = readTypedWords(argv, () => globalFlags);
  const typed = options
    .filter(({ name }) => Object.hasOwn(globalFlags, name) && !notPassedOn.includes(name))
    .map(({ name, value }) => (value === undefined ? `--${name}` : `--${name}=${value}`));
  return {
    whyNot(words) {
      try {
        refuseCommand(policy, words, io.env);
        return undefined;
      } catch (error) {
        if (error instanceof CliError) return error.message;
        throw error;
      }
    },
    async run(words) {
      // Otherwise help would not say what can be changed from its screen.
      if (!runsLine(own, words))
        throw new Error(`commands.ts does not say that this command runs ${words.join(' ')}`);
      const line = [...words, ...typed];
      show(plainCommand(...line));
      // The listeners of the line are removed when it ends: Node warns about more than ten, and this run goes on.
      const ends = [listeningTo(io.stdout), listeningTo(io.stderr)];
      const kept = (end: () => void): (() => void) => {
        ends.push(end);
        return end;
      };
      let wasLeft = false;
      try {
        const code = await run(line, {
          ...io,
          onLeft: () => {
            wasLeft = true;
          },
          onSignal: (listener) => kept(io.onSignal(listener)),
          onUncaught: (listener) => kept(io.onUncaught(listener)),
        });
        return { code, wasLeft };
      } finally {
        for (const end of ends) end();
      }
    },
  };
}

// Notes who listens from now on. The returned function ends that listening.
function listeningTo(stream: ScreenStream): () => void {
  const added: (readonly [string | symbol, (...args: unknown[]) => void])[] = [];
  const note = (event: string | symbol, listener: (...args: unknown[]) => void): void => {
    added.push([event, listener]);
  };
  stream.on('newListener', note);
  return () => {
    stream.off('newListener', note);
    for (const [event, listener] of added) stream.off(event, listener);
  };
}

/** The entry of the program. */
export type RunLine = (argv: readonly string[], io: Io) => Promise<number>;

/** What a command line that ran inside another run wrote, and its exit code. */
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
