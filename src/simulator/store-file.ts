/** Opens the SQLite file of a simulator. Only its user can read a new file, which is filled once. */

import { chmodSync, closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CliError, messageOf, refused, systemCode, systemReason } from '../errors.ts';
import { isSqlite, writeAtOnce } from '../sqlite.ts';

// SQLite writes these two numbers into the file, to recognise the simulator's own. The first is the text "PDSK".
const applicationId = 0x5044534b;
const schemaVersion = 1;
/** The name of a database without a file. */
export const memory = ':memory:';

const schema = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE orders (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
  CREATE TABLE customers (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
  CREATE TABLE checkouts (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
`;

/**
 * Opens a simulator's file, or a database in memory for undefined and `:memory:`. A new file gets its tables and is filled by
 * `fill`, in one transaction. Throws CliError 'refused' for a file that is damaged or not a simulator's, 'usage' if it cannot be
 * created.
 */
export function openFile(named: string | undefined, fill: (db: DatabaseSync) => void): DatabaseSync {
  // SQLite reads a name like `file:…` as a URL, so it gets the full path.
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

// Does not open an existing file: closing it again would drop SQLite's locks on it in this process.
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
  writeAtOnce(db, () => {
    // Another process may have created the tables first.
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
  return refused(
    `${file ?? 'memory'} is not the file of a simulator, or it is damaged`,
    ['start with a new one: paydesk simulator serve --db FILE', "the demo's: paydesk simulator reset"],
    { certain: 'it was not changed', cause },
  );
}

/** Throws CliError 'refused' where SQLite throws: for a damaged file, the error says how to start with a new one. */
export function explained<T>(file: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (isSqlite(error, 'damaged')) throw foreign(file, error);
    throw new CliError('refused', `${file ?? 'memory'}: the simulator's file cannot be used`, {
      now: [messageOf(error)],
      cause: error,
    });
  }
}
