/** Ctrl-C, SIGTERM and SIGHUP end a run in good order: reads stop at once, a change in flight gets its verdict first. */

import { CliError, type ErrorKind } from './errors.ts';

const kinds: Readonly<Record<string, ErrorKind>> = {
  SIGINT: 'interrupted',
  SIGTERM: 'terminated',
  SIGHUP: 'hangup',
};
const words: Readonly<Record<string, string>> = {
  SIGINT: 'Ctrl-C',
  SIGTERM: 'terminated',
  SIGHUP: 'hung up',
};

/** Aborts the run with the signal's error. `stop` gives the signals back. */
export function listenToSignals(
  process: NodeJS.Process,
  abort: (reason: CliError) => void,
): { stop: () => void } {
  const onSignal = (signal: NodeJS.Signals) => {
    abort(new CliError(kinds[signal] ?? 'interrupted', `${words[signal] ?? signal}; nothing was sent`));
  };
  const signals = Object.keys(kinds) as NodeJS.Signals[];
  for (const signal of signals) process.on(signal, onSignal);
  return {
    stop: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
