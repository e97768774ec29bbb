/** Turns inside one process: one holder a slot, in the order of asking. */

import type { Clock } from '../io.ts';

/** A turn that has come. */
export interface Turn {
  /** Lets the next one in. */
  end(): void;
}

/** Turns by slot. */
export interface Turns {
  /** Resolves with the turn, or with undefined when the deadline (monotonic milliseconds) passes first. */
  wait(
    slot: number,
    options: {
      readonly clock: Clock;
      readonly deadline: number;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<Turn | undefined>;
}

/** Nobody waits yet. */
export function createTurns(): Turns {
  const last = new Map<number, Promise<void>>();
  return {
    async wait(slot, { clock, deadline, signal }) {
      const before = last.get(slot);
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      // A place that gives up passes the turn on as soon as it comes to it.
      const mine = before === undefined ? over : before.then(() => over);
      last.set(slot, mine);
      const turn = { end };
      if (before === undefined) return turn;
      try {
        if (await within(before, clock, deadline, signal)) return turn;
      } catch (error) {
        end();
        throw error;
      }
      end();
      return undefined;
    },
  };
}

// True when the promise resolves before the deadline.
async function within(
  before: Promise<void>,
  clock: Clock,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const late = clock.sleep(Math.max(0, deadline - clock.monotonic()), either).then(() => false);
  // Losing the race aborts the sleep; its rejection is nobody's.
  late.catch(() => undefined);
  try {
    return await Promise.race([before.then(() => true), late]);
  } finally {
    stop.abort();
  }
}
