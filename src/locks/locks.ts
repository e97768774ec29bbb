/** Locks by name: all rules that an implementation must keep, and the queue inside one process that each of them needs. */

import type { Clock } from '../io.ts';

/**
 * Locks by name, shared by all runs that use the same place: a folder of this machine, say.
 * `test/locks/contract.ts` checks these rules for every implementation:
 *
 * - A name has one holder at most, whichever processes ask for it. Names are any texts, compared exactly.
 * - The holder has the lock until it releases it or its process ends. When the process ends, in whatever way, the lock is
 *   free for others without anybody's help. While the process lives, nobody else gets the lock, however long the process
 *   is stopped or busy.
 * - Others are shown who holds a lock. This decides nothing: a lock whose owner cannot be read is held all the same.
 * - In one process those who wait for a name get it in the order of asking. One that gives up lets nobody in early.
 */
export interface Locks {
  /**
   * Takes the lock of this name.
   *
   * - Another process holds it: busy at once, with its owner, even if there is time left to wait.
   * - This process holds it: waits up to `waitMs` for its turn, then busy. The same if another name is in the way, since an
   *   implementation may have fewer locks than there are names.
   * - Rejects with the reason of `signal` when that aborts, before or while it waits; then it holds nothing.
   * - Rejects with CliError 'refused' when locks cannot be relied on (files that others may write, a disk whose locks do
   *   not hold, a server that does not answer). It never answers "held" on less.
   */
  take(
    name: string,
    options: { readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<Held | Busy>;
}

/** The lock is ours. */
export interface Held {
  readonly held: true;
  /** Frees the lock. Releasing it again does nothing, even if somebody else has the lock by then. */
  release(): Promise<void>;
}

/** Somebody else has the lock, or it could not be taken in time. */
export interface Busy {
  readonly held: false;
  /** Undefined when it cannot be read. */
  readonly owner: LockOwner | undefined;
}

/** Who holds a lock, for display only. `since` in Unix milliseconds. */
export interface LockOwner {
  readonly operator: string;
  readonly command: string;
  readonly since: number;
}

/** The queue of one process, for implementations of `Locks`: one holder of a place at a time, in the order of asking. */
export interface Turns {
  /** Resolves with the turn, or with undefined when the deadline (monotonic milliseconds) passes first. */
  wait(
    place: string | number,
    options: {
      readonly clock: Clock;
      readonly deadline: number;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<Turn | undefined>;
}

/** A turn that has come. */
export interface Turn {
  /** Lets the next one in. */
  end(): void;
}

/** An empty queue. */
export function createTurns(): Turns {
  const last = new Map<string | number, Promise<void>>();
  return {
    async wait(place, { clock, deadline, signal }) {
      const before = last.get(place);
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      // One that gives up passes the turn on as soon as it gets it.
      const mine = before === undefined ? over : before.then(() => over);
      last.set(place, mine);
      const turn = { end };
      if (before === undefined) return turn;
      try {
        if (await isOverInTime(before, clock, deadline, signal)) return turn;
      } catch (error) {
        end();
        throw error;
      }
      end();
      return undefined;
    },
  };
}

async function isOverInTime(
  before: Promise<void>,
  clock: Clock,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const late = clock.sleep(Math.max(0, deadline - clock.monotonic()), either).then(() => false);
  // When the turn comes first, the sleep is aborted, and nobody waits for its rejection.
  late.catch(() => undefined);
  try {
    return await Promise.race([before.then(() => true), late]);
  } finally {
    stop.abort();
  }
}
