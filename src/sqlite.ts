/** What every room does with a SQLite file: changes it as a whole or not at all, and tells what an error of SQLite means. */

import type { DatabaseSync } from 'node:sqlite';

/** Makes the whole change or nothing, while no other process writes. When it returns, the change is on the disk. */
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

// SQLite's primary codes.
const codes = {
  /** BUSY and LOCKED: another process holds the file. */
  busy: [5, 6],
  /** CORRUPT and NOTADB: the file is damaged, or is no database. */
  damaged: [11, 26],
  full: [13],
  /** READONLY and CANTOPEN: the system lets nobody write there. */
  closed: [8, 14],
  /** ERROR: a statement does not fit the tables. */
  unfit: [1],
} as const;

/** Whether this is an error of SQLite of one of these kinds; without a kind, any error of SQLite. */
export function isSqlite(error: unknown, ...kinds: readonly (keyof typeof codes)[]): boolean {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return false;
  // The low byte of the code is the primary one.
  const code = error.errcode & 0xff;
  return kinds.length === 0 || kinds.some((kind) => codes[kind].some((one) => one === code));
}
