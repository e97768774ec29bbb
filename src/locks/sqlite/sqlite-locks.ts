/** Locks between the processes of one machine: exclusive SQLite transactions on a fixed set of files. */

import type { ClockWithTimers } from '../../io.ts';
import type { FileRules } from '../../profiles/profiles.ts';
import { type Busy, createTurns, type Held, type Locks } from '../locks.ts';
import { testLocksOnce } from './locks-self-test.ts';
import {
  type FileLock,
  ownerFile,
  ownSlotOf,
  prepareOwnSlot,
  prepareSlots,
  readOwner,
  removeOwner,
  type Slot,
  slotFile,
  slotOf,
  tryLock,
  writeOwner,
} from './slot-files.ts';

interface SqliteLockParts {
  /** The folder of the lock files. The first `take` makes it. */
  readonly folder: string;
  readonly clock: ClockWithTimers;
  /** What others see about the holder of these locks. */
  readonly owner: { readonly operator: string; readonly command: string };
  /** Who may use the files. */
  readonly rules: FileRules;
  /** The node program. With it, the self-test can start a second process. */
  readonly node?: string | undefined;
}

const pollMs = 20;
// Two processes that try at the same moment can both fail, and the owner's file may come from a process that died. So only
// several failures in a row, at different moments, mean that somebody holds the lock.
const tries = 4;

/** Makes the locks of a folder. Call it once per process and folder, because the queue is inside. */
export function createSqliteLocks(parts: SqliteLockParts): Locks {
  const { folder, clock, rules, node } = parts;
  const turns = createTurns();
  // Without this reference, the garbage collector could close the database of a lock, and the lock would be gone.
  const held = new Set<FileLock>();
  let prepared: Promise<void> | undefined;
  return {
    async take(name, { waitMs, signal, alone }) {
      signal?.throwIfAborted();
      // The files are prepared once for all callers, so that the callers keep their order.
      prepared ??= prepare();
      await prepared;
      const slot = alone ? ownSlotOf(name) : slotOf(name);
      if (alone) prepareOwnSlot(folder, slot, rules);
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
        writeOwner(owner, { name, ...parts.owner, since: clock.now() }, rules);
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

  // Returns undefined at the deadline, or earlier if another process holds this very name.
  async function lockUntil(
    deadline: number,
    slot: Slot,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<FileLock | undefined> {
    for (let failures = 1; ; failures += 1) {
      const lock = await tryLock(slotFile(folder, slot));
      if (lock !== undefined) return lock;
      if (failures >= tries) {
        if (readOwner(ownerFile(folder, slot), rules)?.name === name) return undefined;
        if (clock.monotonic() >= deadline) return undefined;
      }
      await clock.sleep(pollMs * (0.5 + Math.random()), signal);
    }
  }

  function busy(path: string, wanted: string): Busy {
    const owner = readOwner(path, rules);
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
      // The owner's file is removed while the lock is still held. Later it could be the file of the next owner.
      removeOwner(owner);
      try {
        lock.release();
      } finally {
        released();
      }
    },
  };
}
