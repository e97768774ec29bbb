/** Locks between the processes of one machine: exclusive SQLite transactions on a fixed set of files, tested once per boot of the machine. */

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import { orUndefined, refused } from '../../errors.ts';
import type { Clock, ClockWithTimers } from '../../io.ts';
import { type FileRules, modesOf, readOwnFile, variableOf } from '../../profiles/profiles.ts';
import { type Busy, createTurns, type Held, type Locks } from '../locks.ts';
import {
  type FileLock,
  ownerFile,
  ownSlotOf,
  prepareOwnSlot,
  prepareSlots,
  readOwner,
  removeOwner,
  type Slot,
  selfTestFile,
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

/**
 * Runs the test, unless this folder has passed it since the machine was started. `node` is the node program: with it, the
 * second lock may be tried in another process. Throws CliError 'refused' when a lock does not hold.
 */
async function testLocksOnce(
  folder: string,
  rules: FileRules,
  clock: Clock,
  node: string | undefined,
): Promise<void> {
  const passed = join(folder, 'tested.json');
  const here = `${JSON.stringify({ boot: bootName(clock), folder: placeOf(folder) })}\n`;
  if (readOwnFile(passed, rules) === here) return;
  await testLocks(folder, rules, node);
  remember(passed, here, rules);
}

// If the note cannot be written, or a power cut takes it away, the next run tests again. So nothing here waits for the disk.
function remember(path: string, text: string, rules: FileRules): void {
  const whole = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    writeFileSync(whole, text, { flag: 'wx', mode: modesOf(rules).file });
    renameSync(whole, path);
  } catch {
    rmSync(whole, { force: true });
  }
}

// If the system has no id for the boot, the minute in which the machine was started takes its place.
function bootName(clock: Clock): string {
  return clock.boot?.()?.id ?? String(Math.round((clock.now() - (clock.uptime?.() ?? 0)) / 60_000));
}

// A copy of the folder on another disk has another device and inode, so it is tested again.
function placeOf(folder: string): string {
  const { dev, ino } = statSync(folder);
  return `${dev} ${ino}`;
}

async function testLocks(folder: string, rules: FileRules, node: string | undefined): Promise<void> {
  const file = selfTestFile(folder);
  const first = await tryLock(file);
  // Another run is testing right now, and its lock kept this handle out. So locks hold.
  if (first === undefined) return;
  try {
    const second = await tryLock(file);
    second?.release();
    const holds = second === undefined && (isInKernel(file) || node === undefined || isFoundBy(node, file));
    if (holds) return;
  } finally {
    first.release();
  }
  throw refused(
    `locks do not hold in ${folder}: two locks on one file were granted at the same time`,
    [`set ${variableOf(rules)} to a folder on a disk of this machine`],
    { certain: 'nothing was sent and nothing was changed' },
  );
}

// Two handles in one process prove nothing about the disk, because SQLite compares them by itself. So the kernel's list of
// locks must show the lock, or a second process must not get it.
function isInKernel(file: string): boolean {
  const isListed = orUndefined(() => {
    const { dev, ino } = statSync(file);
    const hex = (number: number) => number.toString(16).padStart(2, '0');
    const at = `${hex((dev >>> 8) & 0xfff)}:${hex((dev & 0xff) | ((dev >>> 12) & 0xfff00))}:${ino}`;
    const lines = readFileSync('/proc/locks', 'latin1').split('\n');
    return lines.some((line) => line.includes(' WRITE ') && line.split(' ').includes(at));
  });
  return isListed === true;
}

/**
 * What the second process runs: its lock must fail with SQLITE_BUSY, and then it exits with 55. The one file (tools/one-file.ts)
 * runs this when its first word is `secondProcessWord`.
 */
export const secondProcess = `
  const { DatabaseSync } = require('node:sqlite');
  try {
    new DatabaseSync(globalThis.process.argv[1], { timeout: 0 }).exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    globalThis.process.exitCode = (error.errcode & 0xff) === 5 ? 55 : 1;
  }`;

export const secondProcessWord = '__lock';

function isFoundBy(node: string, file: string): boolean {
  const options = { env: {}, stdio: 'ignore', timeout: 10_000 } as const;
  const words = isSea() ? [secondProcessWord] : ['--no-warnings', '-e', secondProcess];
  return spawnSync(node, [...words, file], options).status === 55;
}
