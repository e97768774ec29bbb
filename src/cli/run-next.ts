/** Runs further command lines in the terminal of a run, each as if somebody had typed it there. */

import type { Context } from '../context/context.ts';
import { CliError } from '../errors.ts';
import type { Io, ScreenStream } from '../io.ts';
import { plainCommand } from '../profiles/profiles.ts';
import type { RunLine } from './agent/run-inside.ts';
import { type Policy, refuseCommand } from './machine/policy.ts';
import { runsLine } from './typed/command-line.ts';
import { globalFlags } from './typed/global-options.ts';
import { readTypedWords } from './typed/typed-words.ts';

// These say which account the line is about, which it names itself, or are for the result of another command.
const notPassedOn: readonly string[] = ['profile', 'columns'];

/** `run`: the entry of the program; `argv`: the words of the run, `own`: those of its command. */
export function nextLines(
  run: RunLine,
  {
    argv,
    own,
    io,
    policy,
    show,
  }: {
    readonly argv: readonly string[];
    readonly own: readonly string[];
    readonly io: Io;
    readonly policy: Policy;
    readonly show: (line: string) => void;
  },
): Context['next'] {
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
      // Else help would not say what can be changed from its screen.
      if (!runsLine(own, words))
        throw new Error(`commands.ts does not say that this command runs ${words.join(' ')}`);
      const line = [...words, ...typed];
      show(plainCommand(...line));
      // What the line listens to ends with it: Node warns of more than ten listeners, and this run goes on.
      const ends = [listeningTo(io.stdout), listeningTo(io.stderr)];
      const kept = (end: () => void): (() => void) => {
        ends.push(end);
        return end;
      };
      try {
        return await run(line, {
          ...io,
          onSignal: (listener) => kept(io.onSignal(listener)),
          onUncaught: (listener) => kept(io.onUncaught(listener)),
        });
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
