/** The slot files: a fixed set, created and checked once, then opened by SQLite only. */

import { createHash } from 'node:crypto';
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, systemCode, systemReason } from '../errors.ts';
import type { FileRules } from '../profiles/profiles.ts';

/** How many locks can be held at once without one waiting for the slot of another. */
export const slotCount = 64;

/** The slot of a name. */
export function slotOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0) % slotCount;
}

/** The file whose lock is the slot. */
export function slotFile(folder: string, slot: number): string {
  return join(folder, `slot-${String(slot).padStart(2, '0')}.lock`);
}

/** The file of the self-test. No lock uses it. */
export function testFile(folder: string): string {
  return join(folder, 'self-test.lock');
}

/** The sidecar of a slot. */
export function ownerFile(folder: string, slot: number): string {
  return join(folder, `slot-${String(slot).padStart(2, '0')}.owner.json`);
}

/**
 * Creates the slot files that are missing and checks all of them. Call it before this process takes a lock there:
 * a plain open and close of a slot file by a process drops the lock that the process holds on it. (An existing file
 * is not opened here, only looked at.) Throws CliError 'refused' when they cannot be used safely.
 */
export function prepareSlots(folder: string, rules: FileRules): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    checkOwn(folder, 'folder', rules, 0o700);
    for (let slot = 0; slot < slotCount; slot += 1) prepareSlot(slotFile(folder, slot), rules);
    prepareSlot(testFile(folder), rules);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('refused', `the lock folder ${folder} cannot be used: ${systemReason(error)}`, {
      certain: 'nothing was sent and nothing was changed',
      now: [`make ${folder} writable for you, or set XDG_STATE_HOME to a folder that is`],
      cause: error,
    });
  }
}

function prepareSlot(path: string, rules: FileRules): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  checkOwn(path, 'file', rules, 0o600);
}

function checkOwn(path: string, kind: 'file' | 'folder', { uid, notice }: FileRules, mode: number): void {
  const stat = lstatSync(path);
  const problem = stat.isSymbolicLink()
    ? 'is a symbolic link'
    : (kind === 'file' ? !stat.isFile() : !stat.isDirectory())
      ? `is no ${kind}`
      : uid !== undefined && stat.uid !== uid
        ? 'belongs to another user'
        : kind === 'file' && stat.nlink > 1
          ? 'has a second name (hard link)'
          : undefined;
  if (problem !== undefined) {
    throw new CliError('refused', `${path} ${problem}, so it cannot hold a lock`, {
      certain: 'nothing was sent and nothing was changed',
      now: ['look who made it, then remove it'],
    });
  }
  if (uid === undefined || (stat.mode & 0o077) === 0) return;
  chmodSync(path, mode);
  notice(`${path} was open to other users; it is ${mode.toString(8)} now`);
}
