/** The sidecar of a slot: who holds it, for which name. It is for display and never decides who holds the lock. */

import { closeSync, constants, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { openOwnFile } from '../profiles/profiles.ts';
import type { LockOwner } from './locks.ts';

/** Who holds a slot, and for which name. */
export interface SlotOwner extends LockOwner {
  /** The name the lock was taken under. */
  readonly name: string;
}

/** Writes the sidecar whole or not at all. A full disk costs only the display. */
export function writeOwner(path: string, owner: SlotOwner): void {
  const whole = `${path}.new`;
  try {
    // Only the holder of the slot writes here, so a leftover is of an owner that died.
    rmSync(whole, { force: true });
    writeFileSync(whole, `${JSON.stringify(owner)}\n`, { flag: 'wx', mode: 0o600 });
    renameSync(whole, path);
  } catch {
    removeOwner(path);
  }
}

/** Removes the sidecar; never throws. */
export function removeOwner(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It stays and is overwritten by the next owner.
  }
}

/** The sidecar, or undefined when it is missing, does not read, or is no plain file of this user's. */
export function readOwner(path: string, uid: number | undefined): SlotOwner | undefined {
  let handle: number | undefined;
  try {
    handle = openOwnFile(path, constants.O_RDONLY, { uid, notice: () => undefined });
    return handle === undefined ? undefined : parseOwner(JSON.parse(readFileSync(handle, 'utf8')));
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function parseOwner(value: unknown): SlotOwner | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('name' in value && 'operator' in value && 'command' in value && 'since' in value)) return undefined;
  const { name, operator, command, since } = value;
  return typeof name === 'string' &&
    typeof operator === 'string' &&
    typeof command === 'string' &&
    typeof since === 'number'
    ? { name, operator, command, since }
    : undefined;
}
