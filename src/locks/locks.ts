/** Locks by name between processes: kernel-released, over a fixed set of slot files. */

import type { Clock } from '../io.ts';
import { type KernelLock, tryLock } from './kernel.ts';
import { readOwner, removeOwner, writeOwner } from './owner.ts';
import { testLocksOnce } from './self-test.ts';
import { ownerFile, prepareSlots, slotFile, slotOf, testFile } from './slots.ts';
import { createTurns } from './turns.ts';

/** Who holds a lock, for display only. `since` in Unix milliseconds. */
export interface LockOwner {
  readonly operator: string;
  readonly command: string;
  readonly since: number;
}

/** The lock is ours until it is released, or until this process ends however it ends. */
export interface Held {
  readonly held: true;
  release(): Promise<void>;
}

/** Somebody else has the lock, or it could not be had in time. */
export interface Busy {
  readonly held: false;
  readonly owner: LockOwner | undefined;
}

/** Locks by name between processes of this machine, released by the kernel when their owner dies. */
export interface Locks {
  /**
   * Takes the lock of this name. Held by another process under the same name: busy at once, with its owner. Its slot in
   * use for another name, or its name in use by this process: waits up to `waitMs`, then busy.
   * Rejects with the signal's reason when it aborts, and with CliError 'refused' when the lock files are not usable.
   */
  take(
    name: string,
    options: { readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<Held | Busy>;
}

/** What the locks of a folder are made of. */
export interface LockParts {
  /** Where the slot files lie; made when the first lock is taken. */
  readonly folder: string;
  readonly clock: Clock;
  /** Who takes them, for the eyes of others. */
  readonly owner: { readonly operator: string; readonly command: string };
  /** This user's id; undefined where the system has none. */
  readonly uid: number | undefined;
  /** Takes a sentence about a file that was repaired. */
  readonly notice?: (line: string) => void;
  /** The node program, for the second process of the self-test. */
  readonly node?: string | undefined;
}

const pollMs = 20;
// Two tries at the same moment can make both fail, and a sidecar may be that of an owner that died: only so many
// failures in a row, at moments that differ, mean that somebody holds the lock.
const tries = 4;

/** Creates the locks of a folder. Nothing is touched before the first `take`. One instance a process and folder. */
export function createLocks(parts: LockParts): Locks {
  const { folder, clock, uid, notice = () => undefined, node } = parts;
  const rules = { uid, notice, movedBy: 'XDG_STATE_HOME' } as const;
  const turns = createTurns();
  let preparing: Promise<void> | undefined;
  return {
    async take(name, { waitMs, signal }) {
      signal?.throwIfAborted();
      // Prepared once for all callers, so that they keep their order.
      preparing ??= prepare();
      await preparing;
      const slot = slotOf(name);
      const deadline = clock.monotonic() + waitMs;
      const sidecar = ownerFile(folder, slot);
      const myTurn = await turns.wait(slot, { clock, deadline, signal });
      if (myTurn === undefined) return { held: false, owner: ownerOf(sidecar, name, uid) };
      try {
        const lock = await lockBy(deadline, slot, name, signal);
        if (lock === undefined) {
          myTurn.end();
          return { held: false, owner: ownerOf(sidecar, name, uid) };
        }
        writeOwner(sidecar, { name, ...parts.owner, since: clock.now() });
        return heldLock(lock, sidecar, myTurn);
      } catch (error) {
        myTurn.end();
        throw error;
      }
    },
  };

  async function prepare(): Promise<void> {
    prepareSlots(folder, rules);
    await testLocksOnce({ folder, file: testFile(folder), rules, clock, node });
  }

  // Tries until the deadline; undefined before it when another process holds this very name.
  async function lockBy(
    deadline: number,
    slot: number,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<KernelLock | undefined> {
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
}

function heldLock(lock: KernelLock, sidecar: string, turn: { end(): void }): Held {
  let released = false;
  return {
    held: true,
    async release() {
      if (released) return;
      released = true;
      // Before the lock goes, so that it is never the sidecar of the next owner that is removed.
      removeOwner(sidecar);
      try {
        lock.release();
      } finally {
        turn.end();
      }
    },
  };
}

function ownerOf(sidecar: string, name: string, uid: number | undefined): Busy['owner'] {
  const owner = readOwner(sidecar, uid);
  return owner?.name === name
    ? { operator: owner.operator, command: owner.command, since: owner.since }
    : undefined;
}
