/** Locks by name: the rules for every implementation, and the queue inside one process that each of them needs. */

import type { ClockWithTimers } from '../io.ts';

/**
 * Locks by name. All runs that use the same place share them, for example the same folder of this machine.
 * `test/locks/contract.ts` checks these rules for every implementation:
 *
 * - A name has at most one holder among all processes. A name may be any text, and names are compared exactly.
 * - The holder keeps the lock until it releases it or its process ends. If the process ends, in whatever way, the lock is
 *   free, and nobody has to clean up. While the process lives, nobody else gets the lock, even if the process is stopped
 *   or busy for a long time. Locks on a server (journal/postgres/leases.ts) cannot know that: there a lock expires some time
 *   after its holder stopped, and the store records no change under it any more.
 * - Others can see who holds a lock. This is only for display: a lock is also held if its owner cannot be read.
 * - In one process, a lock goes to those who wait in the order in which they asked. If one of them gives up, the next one
 *   still waits for the holder.
 */
export interface Locks {
  /**
   * Takes the lock of this name.
   *
   * - If another process holds it: returns busy at once, with the owner, even if there is time left to wait.
   * - If this process holds it: waits up to `waitMs` for its turn, then returns busy. It also waits like this for another name
   *   that shares its lock: an implementation may have fewer locks than there are names. A name that is always taken `alone`
   *   shares its lock with no other; whoever holds a lock for long takes it in this way.
   * - Rejects with the reason of `signal` when that aborts, before or during the wait. Then nothing is held.
   * - Rejects with CliError 'refused' when the locks are not reliable: others may write the files, locks do not hold on the disk,
   *   or a server does not answer.
   */
  take(
    name: string,
    options: { readonly waitMs: number; readonly signal?: AbortSignal; readonly alone?: true },
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
  /** Undefined if the owner cannot be read. */
  readonly owner: LockOwner | undefined;
}

/** Who holds a lock. It is only for display. `since` is in Unix milliseconds. */
export interface LockOwner {
  readonly operator: string;
  readonly command: string;
  readonly since: number;
}

interface Until {
  readonly clock: ClockWithTimers;
  /** In monotonic milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/** The queue of one process, for every implementation. Each place has one turn at a time, in the order of asking. */
export function createTurns() {
  const last = new Map<string | number, Promise<void>>();
  return {
    /** Resolves with the turn, or with undefined if the deadline comes first. */
    async wait(place: string | number, until: Until): Promise<{ end(): void } | undefined> {
      const before = last.get(place);
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      // Somebody who gives up still gets the turn later, and passes it on at once.
      const mine = before === undefined ? over : before.then(() => over);
      last.set(place, mine);
      const turn = { end };
      if (before === undefined) return turn;
      try {
        if (await isOverInTime(before, until)) return turn;
      } catch (error) {
        end();
        throw error;
      }
      end();
      return undefined;
    },
  };
}

async function isOverInTime(before: Promise<void>, { clock, deadline, signal }: Until): Promise<boolean> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const stopTimer = clock.after(Math.max(0, deadline - clock.monotonic()), () => resolve(false));
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  void before.then(() => resolve(true));
  try {
    return await promise;
  } finally {
    stopTimer();
    signal?.removeEventListener('abort', onAbort);
  }
}
