/** What stops a run: at once where nothing is on its way; a change in flight first gets its verdict. */

import type { CliError } from '../errors.ts';

/** The one stop of a run: who asks for it, and what it may end. */
export interface Stop {
  /** Ends reads and questions: with the first reason, but not while a change is in flight. */
  readonly signal: AbortSignal;
  /** Ends waiting: with the first reason, whatever is in flight. */
  readonly hurry: AbortSignal;
  /** Ends everything, the answer to a change included: somebody insists. */
  readonly leave: AbortSignal;
  /** Stops the run; the first reason counts. */
  readonly abort: (reason: CliError) => void;
  /** Leaves at once what `abort` still waits for. */
  readonly insist: () => void;
  /** A change is on its way from now on, under this id of the journal; call what is returned when it has its verdict. */
  readonly takeOff: (intent: string) => () => void;
  readonly inFlight: () => boolean;
  /** The last change that took off in this run: how it ended says more than the reason of a stop. */
  readonly tookOff: () => string | undefined;
}

/** One a run. */
export function createStop(): Stop {
  const [stop, hurry, leave] = [new AbortController(), new AbortController(), new AbortController()];
  let reason: CliError | undefined;
  let inFlight = 0;
  let tookOff: string | undefined;
  return {
    signal: stop.signal,
    hurry: hurry.signal,
    leave: leave.signal,
    abort(first) {
      reason ??= first;
      hurry.abort(reason);
      if (inFlight === 0) stop.abort(reason);
    },
    insist() {
      leave.abort(reason);
      stop.abort(reason);
    },
    takeOff(intent) {
      inFlight += 1;
      tookOff = intent;
      return () => {
        inFlight -= 1;
        if (inFlight === 0 && reason !== undefined) stop.abort(reason);
      };
    },
    inFlight: () => inFlight > 0,
    tookOff: () => tookOff,
  };
}
