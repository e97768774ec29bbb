/** The SQLite file of a simulator: made private, opened with its settings, filled once. */

import { chmodSync, closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CliError, systemCode, systemReason } from '../errors.ts';

// Marks a file as a simulator's ("PDSK"), and which form of it.
const applicationId = 0x5044534b;
const schemaVersion = 1;
/** The name that means "no file". */
export const memory = ':memory:';

const schema = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE orders (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
  CREATE TABLE customers (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
  CREATE TABLE checkouts (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
`;

/**
 * Opens a simulator's file, or memory for undefined and `:memory:`; a new one is filled by `fill`, in the same transaction, once.
 * Throws CliError 'refused' for a file that is something else or damaged, and 'usage' when it cannot be made.
 */
export function openFile(named: string | undefined, fill: (db: DatabaseSync) => void): DatabaseSync {
  // SQLite would take `file:…` for more than a name, so it is given the whole path.
  const file = named === undefined || named === memory ? undefined : resolve(named);
  if (file !== undefined) makePrivate(file);
  return explained(file, () => {
    const db = new DatabaseSync(file ?? memory, { timeout: 10_000 });
    try {
      db.exec('PRAGMA synchronous = FULL');
      if (kindOf(db) !== 'ours') makeOnce(db, file, fill);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** One transaction that waits for its turn: all of the work, durable when it returns, or nothing. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

// Never opens an existing file: closing it again would drop SQLite's locks in this process.
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    throw new CliError('usage', `${file}: the simulator's file cannot be made here: ${systemReason(error)}`, {
      certain: 'nothing was started',
      now: ['name a file in a folder that you may write to'],
      cause: error,
    });
  }
}

function makeOnce(db: DatabaseSync, file: string | undefined, fill: (db: DatabaseSync) => void): void {
  inTransaction(db, () => {
    // Another process may have been first.
    const kind = kindOf(db);
    if (kind === 'ours') return;
    if (kind === 'foreign') throw foreign(file);
    if (file !== undefined) chmodSync(file, 0o600);
    db.exec(schema);
    fill(db);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion};`);
  });
}

function kindOf(db: DatabaseSync): 'ours' | 'empty' | 'foreign' {
  const row = db
    .prepare(
      `SELECT application_id AS app, user_version AS version, (SELECT count(*) FROM sqlite_schema) AS tables
       FROM pragma_application_id, pragma_user_version`,
    )
    .get();
  if (row?.app === applicationId && row.version === schemaVersion) return 'ours';
  return row?.app === 0 && row.version === 0 && row.tables === 0 ? 'empty' : 'foreign';
}

function foreign(file: string | undefined, cause?: unknown): CliError {
  return new CliError('refused', `${file ?? 'memory'} is not the file of a simulator, or it is damaged`, {
    certain: 'it was not changed',
    now: ['start with a new one: paydesk simulator serve --db FILE', "the demo's: paydesk simulator reset"],
    cause,
  });
}

// SQLITE_CORRUPT, SQLITE_NOTADB
const damaged: readonly unknown[] = [11, 26];

function explained<T>(file: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (error instanceof Error && 'errcode' in error && damaged.includes(error.errcode))
      throw foreign(file, error);
    throw new CliError('refused', `${file ?? 'memory'}: the simulator's file cannot be used`, {
      now: [error instanceof Error ? error.message : String(error)],
      cause: error,
    });
  }
}
