/** Replaces a journal by a new one: keeps other runs out of the old file, builds the new one whole, then renames it. */

import { closeSync, constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type FileRules, openOwnFile, unwritable } from '../profiles/profiles.ts';
import { addRows, openDatabase, writeAtOnce } from './database.ts';
import { syncFolder } from './new-file.ts';
import type { StoredRow } from './stored-row.ts';
import { isBroken, unreadable } from './unusable.ts';
import { witnessText } from './witness-file.ts';
import { linesAfter, noteWitness } from './witnessed.ts';

/** A journal file to which nobody can write until it is let go. */
export interface HeldJournal {
  /** Open for reading the bytes as they are. */
  readonly handle: number;
  letGo(): void;
}

/** Waits for runs that write to the journal, then keeps them out; undefined where there is no file. */
export async function holdJournal(file: string, rules: FileRules): Promise<HeldJournal | undefined> {
  const handle = openOwnFile(file, constants.O_RDONLY, rules);
  if (handle === undefined) return undefined;
  const { DatabaseSync } = await import('node:sqlite');
  let db: DatabaseSync | undefined;
  const letGo = () => {
    db?.close();
    // A plain close drops every lock of this process on that file, so it comes last.
    closeSync(handle);
  };
  try {
    db = new DatabaseSync(file, { timeout: 5000 });
    keepOthersOut(db, file);
    return { handle, letGo };
  } catch (error) {
    letGo();
    throw error;
  }
}

// SQLite refuses a file that is not a database, so no other run can be writing to it.
function keepOthersOut(db: DatabaseSync, file: string): void {
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!isBroken(error)) throw unreadable(file, error);
  }
}

/** Builds a journal of these rows, all or none, that belongs to the witness with this key. Returns the text of that witness. */
export async function buildJournal(fresh: string, rows: readonly StoredRow[], key: string): Promise<string> {
  await mkdir(dirname(fresh), { recursive: true, mode: 0o700 });
  for (const path of [fresh, `${fresh}-journal`]) {
    await rm(path, { force: true });
    await (await open(path, 'wx', 0o600)).close();
  }
  const db = await openDatabase(fresh);
  try {
    writeAtOnce(db, () => {
      addRows(db, rows);
      noteWitness(db, key);
    });
    return witnessText(key, linesAfter(db, 0, key));
  } finally {
    db.close();
  }
}

/** Renames the new file over the old one. Only while `holdJournal` keeps other runs out. */
export async function replaceJournal(file: string, fresh: string): Promise<void> {
  try {
    // SQLite's own journal first: one that is left of the old file must never be played into the new one.
    await rename(`${fresh}-journal`, `${file}-journal`);
    await rename(fresh, file);
    await syncFolder(dirname(file));
  } catch (error) {
    throw unwritable(file, error, { movedBy: 'XDG_STATE_HOME' });
  }
}

/** Removes a new file that was not put in place. */
export async function dropJournal(fresh: string): Promise<void> {
  for (const path of [fresh, `${fresh}-journal`]) await rm(path, { force: true });
}
