/** Stops a run, at Ctrl-C for example: reads end at once, but a change that was sent first gets its verdict. */

import { CliError, type ErrorKind } from '../errors.ts';
import type { Io, StopSignal } from '../io.ts';

/** How a run is stopped. */
export interface Stop {
  /** Ends reads and questions, but not while a change is in flight. */
  readonly signal: AbortSignal;
  /** Ends waiting, even while a change is in flight. */
  readonly stopWaiting: AbortSignal;
  /** Ends everything, even the wait for the reply to a change, because somebody insists. */
  readonly leave: AbortSignal;
  /** Stops the run; the first reason counts. */
  readonly abort: (reason: CliError) => void;
  /** Stops the run without waiting for the change in flight. */
  readonly abortAtOnce: () => void;
  /**
   * Call it with the id of a change right before sending, and call the function that it returns once the change has its
   * verdict. Without an id: somebody else sends.
   */
  readonly startChange: (change?: string) => () => void;
  readonly inFlight: () => boolean;
  /** The journal id of the last change that this run sent. */
  readonly sentChange: () => string | undefined;
  /** The journal id of the change that this run sent, if it sent only one. */
  readonly onlyChange: () => string | undefined;
}

/** The stop of a new run. Nothing has stopped it yet. */
export function createStop(): Stop {
  const [stop, stopWaiting, leave] = [new AbortController(), new AbortController(), new AbortController()];
  let reason: CliError | undefined;
  let inFlight = 0;
  const sent = new Set<string>();
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
    startChange(change) {
      inFlight += 1;
      sentChange = change ?? sentChange;
      if (change !== undefined) sent.add(change);
      return () => {
        inFlight -= 1;
        if (inFlight === 0 && reason !== undefined) stop.abort(reason);
      };
    },
    inFlight: () => inFlight > 0,
    sentChange: () => sentChange,
    onlyChange: () => (sent.size === 1 ? sentChange : undefined),
  };
}

/** Stops the run when a signal comes. `tell` gets a line if a change is in flight. Returns a function that stops listening. */
export function listenToSignals(io: Io, stop: Stop, tell: (line: string) => void): () => void {
  let signalled = false;
  return io.onSignal((signal) => {
    // Only a second Ctrl-C is a person who insists. One closed terminal may send two hang-ups.
    if (signalled && signal === 'SIGINT' && stop.inFlight()) return stop.abortAtOnce();
    const word = words[signal];
    stop.abort(new CliError(kinds[signal], word));
    if (!signalled && stop.inFlight()) {
      const [opening, key] = signal === 'SIGINT' ? ['', 'Ctrl-C again'] : [`${word}; `, 'Ctrl-C'];
      tell(`${opening}already sent; waiting for the result. ${key} quits without waiting`);
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
