/** The journal's file before SQLite opens it: private from its first moment, and in its folders after a power loss. */

import { lstatSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cannotSyncFolder, systemCode } from '../errors.ts';
import { checkOwnFile, checkOwnFolder, type FileRules } from '../profiles/profiles.ts';

/** A journal's file, and the rules for it and its folders. */
export interface FilePlace {
  readonly file: string;
  readonly rules: FileRules;
  /** Folders of ours that lead there, outermost first. */
  readonly folders: readonly string[];
}

/**
 * Whether there is something to open. `create` makes an empty file; rejects when the file may not survive a power loss. An
 * empty file counts as none: the first run that writes to it syncs its folders before. Throws CliError 'refused' when the
 * file, SQLite's own journal beside it, or a folder is not safe. Opens none of them for that.
 */
export async function findFile(place: FilePlace, create: boolean): Promise<boolean> {
  const { file, rules, folders } = place;
  if (create) await make(file);
  for (const folder of folders) checkOwnFolder(folder, rules);
  checkOwnFile(`${file}-journal`, rules);
  if (!checkOwnFile(file, rules)) return false;
  if (lstatSync(file).size > 0) return true;
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
  try {
    await (await open(`${file}-journal`, 'ax', 0o600)).close();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
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
