/** What stops a run, Ctrl-C and other signals above all: reads stop at once, a change in flight first gets its verdict. */

import { CliError, type ErrorKind } from '../errors.ts';
import type { Io, StopSignal } from '../io.ts';

/** The signals that stop a run, and how it is stopped. */
export interface Stop {
  /** Ends reads and questions: with the first reason, but not while a change is in flight. */
  readonly signal: AbortSignal;
  /** Ends waiting: with the first reason, even while a change is in flight. */
  readonly stopWaiting: AbortSignal;
  /** Ends everything, the answer to a change included: somebody insists. */
  readonly leave: AbortSignal;
  /** Stops the run; the first reason counts. */
  readonly abort: (reason: CliError) => void;
  /** Leaves at once what `abort` still waits for. */
  readonly abortAtOnce: () => void;
  /** A change is on its way from now on, under this id of the journal; call what is returned when it has its verdict. */
  readonly startChange: (intent: string) => () => void;
  readonly inFlight: () => boolean;
  /**
   * The journal id of the last change that was sent in this run. Its outcome matters more than the reason of
   * a stop.
   */
  readonly sentChange: () => string | undefined;
}

export function createStop(): Stop {
  const [stop, stopWaiting, leave] = [new AbortController(), new AbortController(), new AbortController()];
  let reason: CliError | undefined;
  let inFlight = 0;
  let sentChange: string | undefined;
  return {
    signal: stop.signal,
    stopWaiting: stopWaiting.signal,
    leave: leave.signal,
    abort(first) {
      reason ??= first;
      stopWaiting.abort(reason);
      if (inFlight === 0) stop.abort(reason);
    },
    abortAtOnce() {
      leave.abort(reason);
      stop.abort(reason);
    },
    startChange(intent) {
      inFlight += 1;
      sentChange = intent;
      return () => {
        inFlight -= 1;
        if (inFlight === 0 && reason !== undefined) stop.abort(reason);
      };
    },
    inFlight: () => inFlight > 0,
    sentChange: () => sentChange,
  };
}

/**
 * Stops the run with the signal's error. `tell` gets the line that says what is still waited for. What is returned
 * gives the signals back.
 */
export function listenToSignals(io: Io, stop: Stop, tell: (line: string) => void): () => void {
  let signalled = false;
  return io.onSignal((signal) => {
    // A closed terminal and a shell that ends may both hang up: only Ctrl-C is a person who insists.
    if (signalled && signal === 'SIGINT' && stop.inFlight()) return stop.abortAtOnce();
    const word = words[signal];
    const nothing = stop.sentChange() === undefined ? '; nothing was sent' : '';
    stop.abort(new CliError(kinds[signal], `${word}${nothing}`));
    if (!signalled && stop.inFlight()) {
      tell(
        `${word}: it was sent, its outcome is waited for; Ctrl-C ${signal === 'SIGINT' ? 'again ' : ''}leaves at once`,
      );
    }
    signalled = true;
  });
}

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
