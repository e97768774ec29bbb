/** Putting a new journal in the place of the old one: the old one held still, the new one built whole, then renamed. */

import { closeSync, constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type FileRules, openOwnFile, unwritable } from '../profiles/own-file.ts';
import { syncFolder } from './new-file.ts';
import { migrate } from './schema.ts';
import { type StoredRow, storedColumns } from './stored-row.ts';
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

// To a file that SQLite does not take for a database nobody could write before.
function keepOthersOut(db: DatabaseSync, file: string): void {
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!isBroken(error)) throw unreadable(file, error);
  }
}

/** Builds a journal of these rows, all of them or none, that goes with the witness of this key; returns the text of that. */
export async function buildJournal(fresh: string, rows: readonly StoredRow[], key: string): Promise<string> {
  await mkdir(dirname(fresh), { recursive: true, mode: 0o700 });
  for (const path of [fresh, `${fresh}-journal`]) {
    await rm(path, { force: true });
    await (await open(path, 'wx', 0o600)).close();
  }
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(fresh);
  try {
    db.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    migrate(db, fresh);
    db.exec('BEGIN IMMEDIATE');
    const places = storedColumns.map(() => '?').join(', ');
    const insert = db.prepare(`INSERT INTO rows (${storedColumns.join(', ')}) VALUES (${places})`);
    for (const row of rows) insert.run(...storedColumns.map((name) => row[name]));
    const newest = rows.at(-1);
    if (newest !== undefined) db.prepare('UPDATE head SET seq = ?, hash = ?').run(newest.seq, newest.hash);
    noteWitness(db, key);
    db.exec('COMMIT');
    return witnessText(key, linesAfter(db, 0, key));
  } finally {
    db.close();
  }
}

/** Gives the new file the name of the old one; only while that is held. */
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

/** Takes a new file away that did not come to its place. */
export async function dropJournal(fresh: string): Promise<void> {
  for (const path of [fresh, `${fresh}-journal`]) await rm(path, { force: true });
}
