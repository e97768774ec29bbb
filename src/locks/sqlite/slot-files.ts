/**
 * The lock files: numbered slots, one more slot for each name that is locked alone, and beside each slot a file that names its
 * owner.
 */

// Once a slot file exists, only SQLite opens it. If this process opened and closed the file by itself, the system would drop
// the lock that the process holds on it.

import { hash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isObject } from '../../api/json-values.ts';
import { CliError, orUndefined, systemCode, systemReason } from '../../errors.ts';
import {
  checkOwnFile,
  checkOwnFolder,
  type FileRules,
  modesOf,
  readOwnFile,
} from '../../profiles/profiles.ts';
import { isSqlite } from '../../sqlite.ts';
import type { LockOwner } from '../locks.ts';

/** How many slots there are. If two names share a slot, one of them waits for the other. */
export const slotCount = 64;

export function slotOf(name: string): number {
  return hash('sha256', name, 'buffer').readUInt32BE(0) % slotCount;
}

/** One of the numbered slots, or the slot of a single name. */
export type Slot = number | `of-${string}`;

/** The slot that only this name has. */
export function ownSlotOf(name: string): Slot {
  return `of-${hash('sha256', name).slice(0, 32)}`;
}

export function slotFile(folder: string, slot: Slot): string {
  return join(folder, `slot-${String(slot).padStart(2, '0')}.lock`);
}

/** The file beside a slot that says who holds it. */
export function ownerFile(folder: string, slot: Slot): string {
  return join(folder, `slot-${String(slot).padStart(2, '0')}.owner.json`);
}

/** The file that only the self-test locks. */
export function selfTestFile(folder: string): string {
  return join(folder, 'self-test.lock');
}

/** Creates the missing slot files and checks all, but opens none. Throws CliError 'refused' when they cannot be used safely. */
export function prepareSlots(folder: string, rules: FileRules): void {
  orRefused(folder, () => {
    mkdirSync(folder, { recursive: true, mode: modesOf(rules).folder });
    checkOwnFolder(folder, rules);
    for (let slot = 0; slot < slotCount; slot += 1) prepareSlot(slotFile(folder, slot), rules);
    prepareSlot(selfTestFile(folder), rules);
  });
}

/**
 * Creates the slot file of a single name, as `prepareSlots` does. The file stays when the lock is released: if it were
 * removed, two processes could lock two files of one name.
 */
export function prepareOwnSlot(folder: string, slot: Slot, rules: FileRules): void {
  orRefused(folder, () => prepareSlot(slotFile(folder, slot), rules));
}

function orRefused(folder: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('refused', `the lock folder ${folder} cannot be used: ${systemReason(error)}`, {
      certain: 'nothing was sent and nothing was changed',
      now: [`give yourself write access to ${folder}`],
      cause: error,
    });
  }
}

function prepareSlot(path: string, rules: FileRules): void {
  try {
    closeSync(openSync(path, 'wx', modesOf(rules).file));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  checkOwnFile(path, rules);
}

/** The lock on a slot file. The kernel releases it when the process ends. */
export interface FileLock {
  release(): void;
}

/** Tries once to lock a slot file. Undefined if somebody else holds it. Throws CliError 'refused' for any other failure. */
export async function tryLock(path: string): Promise<FileLock | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // With a journal on disk, a full disk would prevent the lock, and an owner that was killed would leave a file behind.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: releaseOf(database) };
  } catch (error) {
    database?.close();
    if (isSqlite(error, 'busy')) return undefined;
    throw new CliError('refused', `the lock file ${path} cannot be used`, {
      certain: 'nothing was sent and nothing was changed',
      now: ['check the file and its disk; you may remove the file while no paydesk is running'],
      cause: error,
    });
  }
}

function releaseOf(database: DatabaseSync): () => void {
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}

/** Who holds a slot, and for which name. */
interface SlotOwner extends LockOwner {
  readonly name: string;
}

/** Writes the owner's file completely or not at all. On a full disk others do not see the owner, but the lock holds. */
export function writeOwner(path: string, owner: SlotOwner, rules: FileRules): void {
  const whole = `${path}.new`;
  try {
    // Only the holder of the slot writes here, so an old file comes from an owner that died.
    rmSync(whole, { force: true });
    writeFileSync(whole, `${JSON.stringify(owner)}\n`, { flag: 'wx', mode: modesOf(rules).file });
    renameSync(whole, path);
  } catch {
    removeOwner(path);
  }
}

/** Removes the owner's file. Never throws. */
export function removeOwner(path: string): void {
  // A file that stays is overwritten by the next owner.
  orUndefined(() => rmSync(path, { force: true }));
}

/** The owner that the file names. Undefined if it is missing, cannot be parsed, or is not a file by these rules. */
export function readOwner(path: string, rules: FileRules): SlotOwner | undefined {
  const value: unknown = orUndefined(() =>
    JSON.parse(readOwnFile(path, { ...rules, notice: () => undefined }) ?? ''),
  );
  if (!isObject(value)) return undefined;
  const { name, operator, command, since } = value;
  return typeof name === 'string' &&
    typeof operator === 'string' &&
    typeof command === 'string' &&
    typeof since === 'number'
    ? { name, operator, command, since }
    : undefined;
}
