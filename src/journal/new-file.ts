/** The journal's file before SQLite opens it: private from its first moment, and in its folders after a power loss. */

import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whether there is something to open. `create` makes an empty file; rejects when it is not certain to last. */
export async function findFile(file: string, create: boolean): Promise<boolean> {
  if (create) await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    const handle = await open(file, create ? 'ax' : 'r', 0o600);
    await handle.close();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return true;
    if (codeOf(error) === 'ENOENT' && !create) return false;
    throw error;
  }
  if (create) await keep([file, `${file}-journal`]);
  return true;
}

// SQLite syncs what it writes, but not the folders that lead there, and whether it got its own journal into its
// folder it does not look. So that one is made here as well, and stays, emptied after each commit.
async function keep(files: readonly [string, string]): Promise<void> {
  try {
    await (await open(files[1], 'a', 0o600)).close();
    for (let folder = dirname(files[0]); folder !== dirname(folder); folder = dirname(folder))
      await syncFolder(folder);
  } catch (error) {
    // The next run makes them anew, and has to get through this, too.
    for (const file of files) await rm(file, { force: true });
    throw error;
  }
}

// Systems and file systems that cannot sync a folder say so; folders above the user's own may be closed to them.
const cannot = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'];

/** Makes what was made or renamed in a folder last, where the system can do that. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (!cannot.includes(codeOf(error))) throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
