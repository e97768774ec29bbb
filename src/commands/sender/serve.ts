/** `sender serve`: runs the sender until a signal comes. */

import type { Context } from '../../context/context.ts';
import { CliError, exitCodes } from '../../errors.ts';
import type { Serving } from '../../sender/sender.ts';
import { defineCommand } from '../command.ts';
import { allowRootFlag } from './members.ts';

export const serve = defineCommand({
  description:
    'Checks its files and every row of the journal, then listens, and prints one JSON line for each request: no key, no name of a person. On SIGTERM it takes no new change, ends what is being sent, and stops. It does not run as root.',
  arguments: [],
  flags: {
    'allow-root': allowRootFlag,
  },
  examples: ['paydesk sender serve', 'paydesk sender serve --json >> sender.log'],
  run: async (ctx, { flags }): Promise<number> => {
    const sender = await ctx.sender();
    let written = Promise.resolve();
    const log = (line: object) => {
      written = written.then(() => ctx.out.text(`${JSON.stringify(line)}\n`));
    };
    const serving = await sender.serve({ allowRoot: flags['allow-root'] === true, log });
    try {
      const { url, accounts } = serving;
      await ctx.out.own({ object: 'sender', url, accounts }, () => [
        { line: `sender for ${accounts.join(', ')}; Ctrl-C ends it` },
        { line: url },
      ]);
      await untilStopped(ctx, serving);
    } finally {
      await serving.close();
      await written;
    }
    return exitCodeOf(ctx.signal);
  },
});

// While a change is being sent, the run goes on: `signal` aborts when its outcome is written down.
async function untilStopped({ stopAsked, signal }: Context, serving: Serving): Promise<void> {
  await aborted(stopAsked);
  serving.drain();
  await aborted(signal);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

// A signal is the normal end. The exit code tells which signal it was, and no error is printed.
function exitCodeOf({ reason }: AbortSignal): number {
  return reason instanceof CliError ? reason.exitCode : exitCodes.interrupted;
}
