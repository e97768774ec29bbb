/** Ctrl-C, SIGTERM and SIGHUP end a run in good order: reads stop at once, a change in flight gets its verdict first. */

import { CliError, type ErrorKind } from '../errors.ts';
import type { Stop } from './stop.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
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

/**
 * Stops the run with the signal's error. `tell` gets the line that says what is still waited for. What is returned
 * gives the signals back.
 */
export function listenToSignals(
  process: NodeJS.Process,
  stop: Stop,
  tell: (line: string) => void,
): { stop: () => void } {
  let signalled = false;
  const onSignal = (signal: NodeJS.Signals) => {
    // A closed terminal and a shell that ends may both hang up: only Ctrl-C is a person who insists.
    if (signalled && signal === 'SIGINT' && stop.inFlight()) return stop.insist();
    const word = words[signal] ?? signal;
    const nothing = stop.tookOff() === undefined ? '; nothing was sent' : '';
    stop.abort(new CliError(kinds[signal] ?? 'interrupted', `${word}${nothing}`));
    if (!signalled && stop.inFlight()) {
      tell(
        `${word}: it was sent, its outcome is waited for; Ctrl-C ${signal === 'SIGINT' ? 'again ' : ''}leaves at once`,
      );
    }
    signalled = true;
  };
  for (const signal of signals) process.on(signal, onSignal);
  // Node opens a debugger at this one, to whoever is on this machine; a listener, never taken away, is what stops it.
  process.on('SIGUSR1', ignore);
  return {
    stop: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

function ignore(): void {
  // Nobody debugs a process that holds a key.
}
