/** Ctrl-C, SIGTERM and SIGHUP end a run in good order: reads stop at once, a change in flight gets its verdict first. */

import { CliError, type ErrorKind } from '../errors.ts';
import type { Io, StopSignal } from '../io.ts';
import type { Stop } from './stop.ts';

const kinds: Readonly<Record<StopSignal, ErrorKind>> = {
  SIGINT: 'interrupted',
  SIGTERM: 'terminated',
  SIGHUP: 'hangup',
};
const words: Readonly<Record<StopSignal, string>> = {
  SIGINT: 'Ctrl-C',
  SIGTERM: 'terminated',
  SIGHUP: 'hung up',
};

/**
 * Stops the run with the signal's error. `tell` gets the line that says what is still waited for. What is returned
 * gives the signals back.
 */
export function listenToSignals(io: Io, stop: Stop, tell: (line: string) => void): () => void {
  let signalled = false;
  return io.onSignal((signal) => {
    // A closed terminal and a shell that ends may both hang up: only Ctrl-C is a person who insists.
    if (signalled && signal === 'SIGINT' && stop.inFlight()) return stop.insist();
    const word = words[signal];
    const nothing = stop.tookOff() === undefined ? '; nothing was sent' : '';
    stop.abort(new CliError(kinds[signal], `${word}${nothing}`));
    if (!signalled && stop.inFlight()) {
      tell(
        `${word}: it was sent, its outcome is waited for; Ctrl-C ${signal === 'SIGINT' ? 'again ' : ''}leaves at once`,
      );
    }
    signalled = true;
  });
}
