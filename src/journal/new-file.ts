/** The journal's file before SQLite opens it: private from its first moment, and in its folders after a power loss. */

import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cannotSyncFolder, systemCode } from '../errors.ts';

/**
 * Whether there is something to open. `create` makes an empty file; rejects when it is not certain to last. One that is
 * empty still is as good as none: whoever writes to it first, makes sure of its folders first.
 */
export async function findFile(file: string, create: boolean): Promise<boolean> {
  if (create) await make(file);
  try {
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    if (size > 0) return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && !create) return false;
    throw error;
  }
  if (create) await keep(file);
  return create;
}

async function make(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(file, 'ax', 0o600)).close();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

// SQLite syncs what it writes, but not the folders that lead there, and whether it got its own journal into its
// folder it does not look. So that one is made here as well, and stays, emptied after each commit.
async function keep(file: string): Promise<void> {
  await (await open(`${file}-journal`, 'a', 0o600)).close();
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    await syncFolder(folder);
}

/** Makes what was made or renamed in a folder last, where the system can do that. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (!cannotSyncFolder(error)) throw error;
  }
}
