/** Files of an export on the disk: opened with care, 0600, and written whole where they must be. */

import { randomBytes } from 'node:crypto';
import { constants, lstatSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError, cannotSyncFolder, systemCode, systemReason } from '../errors.ts';

const { O_RDWR, O_CREAT, O_EXCL } = constants;
// Not there on every system.
const noFollow = constants.O_NOFOLLOW ?? 0;

/** What stands at a path, a link not followed; undefined: nothing. */
export function kindOf(path: string): 'file' | 'folder' | 'special' | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return 'folder';
  return stat.isFile() ? 'file' : 'special';
}

/** Creates a file of our own, in place of what a killed run left there. Throws CliError 'refused' when it cannot be made. */
export async function createFile(path: string): Promise<FileHandle> {
  try {
    await rm(path, { force: true });
    return await open(path, O_RDWR | O_CREAT | O_EXCL | noFollow, 0o600);
  } catch (error) {
    throw notUsable(path, error);
  }
}

/** Opens a file that a run before this one made. Throws CliError 'refused' for one that is not its. */
export async function openOwnFile(path: string, uid: number | undefined): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, O_RDWR | noFollow);
  } catch (error) {
    throw notUsable(path, error);
  }
  const stat = await handle.stat();
  const foreign = uid !== undefined && (stat.uid !== uid || stat.nlink > 1);
  if (stat.isFile() && !foreign) return handle;
  await handle.close();
  throw new CliError('refused', `${path} is not a file of your own, so it is not written`, {
    certain: 'nothing was sent',
    now: ['look who made it; --force replaces it'],
  });
}

/** A folder for us alone. Throws CliError 'refused'. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notUsable(path, error);
  }
}

/** Replaces a file by this text, whole or not at all; on the disk when it resolves. Rejects as the disk does. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const whole = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const handle = await open(whole, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(whole, path);
  } catch (error) {
    await rm(whole, { force: true });
    throw error;
  }
}

/** Makes names that were given in a folder survive a power cut, where the system can. Rejects as the disk does. */
export async function syncFolderOf(path: string): Promise<void> {
  try {
    const handle = await open(dirname(path), 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!cannotSyncFolder(error)) throw error;
  }
}

// No room, or none for this user.
const full: readonly string[] = ['ENOSPC', 'EDQUOT'];

/** The error of a file that broke off while it was written. */
export function brokenFile(path: string, error: unknown): CliError {
  return new CliError('incomplete', `${path} could not be written: ${systemReason(error)}`, {
    now: full.includes(systemCode(error)) ? ['free space on its disk, then:'] : [],
    cause: error,
  });
}

/** The error of a file that cannot be opened for writing. */
export function notUsable(path: string, error: unknown): CliError {
  return new CliError('refused', `${path} cannot be written: ${systemReason(error)}`, {
    certain: 'nothing was sent',
    now: ['name a file in a folder that you may write to'],
    cause: error,
  });
}
