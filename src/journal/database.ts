/** The SQLite file of a journal: how it is opened, and how a row gets into it. */

import type { DatabaseSync } from 'node:sqlite';
import { migrate } from './schema.ts';
import { type StoredRow, storedColumns } from './stored-row.ts';

/**
 * Opens the file of a journal, or begins an empty one. Waits 5 seconds for a run that writes to it. Throws what SQLite
 * throws, and CliError 'refused' for a file of a newer program.
 */
export async function openDatabase(file: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    // TRUNCATE with FULL: a commit is on the disk, and no old journal can come back after a power loss.
    db.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON');
    // What is erased, or moved within the file, leaves no copy behind.
    db.exec('PRAGMA secure_delete = ON');
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Adds rows and notes the last one as the newest. Only inside a transaction that writes. */
export function addRows(db: DatabaseSync, rows: readonly StoredRow[]): void {
  const places = storedColumns.map(() => '?').join(', ');
  const insert = db.prepare(`INSERT INTO rows (${storedColumns.join(', ')}) VALUES (${places})`);
  for (const row of rows) insert.run(...storedColumns.map((name) => row[name]));
  const newest = rows.at(-1);
  if (newest !== undefined) db.prepare('UPDATE head SET seq = ?, hash = ?').run(newest.seq, newest.hash);
}

/** Writes all of a change or nothing, while no other run writes. */
export function writeAtOnce<T>(db: DatabaseSync, change: () => T): T {
  try {
    db.exec('BEGIN IMMEDIATE');
    const changed = change();
    db.exec('COMMIT');
    return changed;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
