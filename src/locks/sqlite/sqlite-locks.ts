/** Locks between the processes of one machine: exclusive SQLite transactions on a fixed set of files. */

import type { Clock } from '../../io.ts';
import { type Busy, createTurns, type Held, type Locks } from '../locks.ts';
import { testLocksOnce } from './locks-self-test.ts';
import {
  type FileLock,
  ownerFile,
  prepareSlots,
  readOwner,
  removeOwner,
  slotFile,
  slotOf,
  tryLock,
  writeOwner,
} from './slot-files.ts';

/** What the locks of a folder are made of. */
export interface SqliteLockParts {
  /** Where the lock files are; made when the first lock is taken. */
  readonly folder: string;
  readonly clock: Clock;
  /** Who takes the locks, as others see it. */
  readonly owner: { readonly operator: string; readonly command: string };
  /** This user's id; undefined where the system has none. */
  readonly uid: number | undefined;
  /** Takes a sentence about a file that was repaired. */
  readonly notice?: (line: string) => void;
  /** The node program, for the second process of the self-test; undefined: the self-test has no second process. */
  readonly node?: string | undefined;
}

const pollMs = 20;
// Two tries at the same moment can make both fail, and the owner's file may come from a process that died. So
// only several failures in a row, at moments that differ, mean that somebody holds the lock.
const tries = 4;

/** Nothing is touched before the first `take`. Make it once per process and folder: the queue is inside it. */
export function createSqliteLocks(parts: SqliteLockParts): Locks {
  const { folder, clock, uid, notice = () => undefined, node } = parts;
  const rules = { uid, notice, movedBy: 'XDG_STATE_HOME' } as const;
  const turns = createTurns();
  // The garbage collector closes a database that nobody refers to, and with it the lock would be gone.
  const held = new Set<FileLock>();
  let prepared: Promise<void> | undefined;
  return {
    async take(name, { waitMs, signal }) {
      signal?.throwIfAborted();
      // Prepared once for all callers, so that they keep their order.
      prepared ??= prepare();
      await prepared;
      const slot = slotOf(name);
      const deadline = clock.monotonic() + waitMs;
      const owner = ownerFile(folder, slot);
      const turn = await turns.wait(slot, { clock, deadline, signal });
      if (turn === undefined) return busy(owner, name);
      try {
        const lock = await lockUntil(deadline, slot, name, signal);
        if (lock === undefined) {
          turn.end();
          return busy(owner, name);
        }
        writeOwner(owner, { name, ...parts.owner, since: clock.now() });
        held.add(lock);
        return heldLock(lock, owner, () => {
          held.delete(lock);
          turn.end();
        });
      } catch (error) {
        turn.end();
        throw error;
      }
    },
  };

  async function prepare(): Promise<void> {
    prepareSlots(folder, rules);
    await testLocksOnce(folder, rules, clock, node);
  }

  // Undefined at the deadline, or at once when another process holds this very name.
  async function lockUntil(
    deadline: number,
    slot: number,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<FileLock | undefined> {
    for (let failures = 1; ; failures += 1) {
      const lock = await tryLock(slotFile(folder, slot));
      if (lock !== undefined) return lock;
      if (failures >= tries) {
        if (readOwner(ownerFile(folder, slot), uid)?.name === name) return undefined;
        if (clock.monotonic() >= deadline) return undefined;
      }
      await clock.sleep(pollMs * (0.5 + Math.random()), signal);
    }
  }

  function busy(path: string, wanted: string): Busy {
    const owner = readOwner(path, uid);
    if (owner?.name !== wanted) return { held: false, owner: undefined };
    const { operator, command, since } = owner;
    return { held: false, owner: { operator, command, since } };
  }
}

function heldLock(lock: FileLock, owner: string, released: () => void): Held {
  let over = false;
  return {
    held: true,
    async release() {
      if (over) return;
      over = true;
      // Before the lock is free, so that the file of the next owner is never the one that is removed.
      removeOwner(owner);
      try {
        lock.release();
      } finally {
        released();
      }
    },
  };
}
