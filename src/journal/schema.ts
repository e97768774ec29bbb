/** The tables of the journal file, version by version. */

import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../errors.ts';
import { chainStart } from './chain.ts';

// One entry a version, never changed once released: a file of version n runs the entries from n on.
const versions: readonly string[] = [
  `CREATE TABLE rows (
     seq INTEGER PRIMARY KEY, row TEXT NOT NULL, body TEXT, body_hash TEXT, prev TEXT NOT NULL, hash TEXT NOT NULL,
     type TEXT NOT NULL, time INTEGER NOT NULL, intent TEXT NOT NULL, attempt INTEGER NOT NULL,
     origin TEXT, order_id TEXT, plan TEXT, ref TEXT
   ) STRICT;
   CREATE UNIQUE INDEX one_sent ON rows (intent, attempt) WHERE type = 'sent';
   CREATE INDEX of_order ON rows (origin, order_id) WHERE type = 'sent';
   CREATE TABLE head (seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
   INSERT INTO head VALUES (0, '${chainStart}');`,
  // Which witness the rows have; null: they never had one.
  'ALTER TABLE head ADD COLUMN witness TEXT;',
];

/** Brings a file to this version. Throws CliError 'refused' when it is newer than this program. */
export function migrate(db: DatabaseSync, file: string): void {
  if (versionOf(db, file) === versions.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done it while this one waited.
    for (const statements of versions.slice(versionOf(db, file))) db.exec(statements);
    db.exec(`PRAGMA user_version = ${versions.length}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(db: DatabaseSync, file: string): number {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (version <= versions.length) return version;
  throw new CliError('refused', `the journal ${file} was written by a newer paydesk (version ${version})`, {
    certain: 'nothing was sent',
    now: ['use the newer paydesk on this machine'],
  });
}
