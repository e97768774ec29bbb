/** The SQLite file of a journal: how it is opened, how rows are added and read, and what its errors mean. */

import type { DatabaseSync } from 'node:sqlite';
import { CliError, systemReason } from '../../errors.ts';
import { chainStart, checkChain, type StoredRow, storedColumns, storedRow } from '../chain.ts';
import { type Finding, newestMissing } from '../journal-store.ts';

/**
 * Opens the file of a journal, and creates the tables in an empty one. Waits 5 seconds for a run that writes to it.
 * Throws what SQLite throws, and CliError 'refused' for a file of a newer program.
 */
export async function openDatabase(file: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    // TRUNCATE with FULL: a commit is on the disk, and an old journal of SQLite cannot come back after a power loss.
    db.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON');
    // Text that is erased or moved leaves no copy in the file.
    db.exec('PRAGMA secure_delete = ON');
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

// The tables, one entry per version: a file of version n runs the entries from n on. A released entry never changes.
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
  // Which witness belongs to the rows; null when they never had one.
  'ALTER TABLE head ADD COLUMN witness TEXT;',
];

// Brings a file up to this version. Throws CliError 'refused' when the file is newer than this program.
function migrate(db: DatabaseSync, file: string): void {
  if (versionOf(db, file) === versions.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done this while we waited.
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

/** Adds rows and notes the last one as the newest. Call it inside a transaction that writes. */
export function addRows(db: DatabaseSync, rows: readonly StoredRow[]): void {
  const places = storedColumns.map(() => '?').join(', ');
  const insert = db.prepare(`INSERT INTO rows (${storedColumns.join(', ')}) VALUES (${places})`);
  for (const row of rows) insert.run(...storedColumns.map((name) => row[name]));
  const newest = rows.at(-1);
  if (newest !== undefined) db.prepare('UPDATE head SET seq = ?, hash = ?').run(newest.seq, newest.hash);
}

/** Makes all of a change or none of it, while no other run writes. */
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

/**
 * Reads as many rows as a damaged file still gives. Damage is a finding, not an error; one damaged page may hide every
 * row behind it. Throws any other error of `open`.
 */
export async function readWhatCanBe(open: () => Promise<DatabaseSync | undefined>): Promise<{
  readonly rows: readonly StoredRow[];
  readonly findings: readonly Finding[];
}> {
  let db: DatabaseSync | undefined;
  try {
    db = await open();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!isBroken(cause)) throw error;
    return { rows: [], findings: [{ seq: 0, problem: String(cause) }] };
  }
  if (db === undefined) return { rows: [], findings: [] };
  const opened = db;
  let rows: readonly StoredRow[] = [];
  const pages = orFinding(() => pageFindings(opened));
  const ends = orFinding(() =>
    asOfOneMoment(opened, () => {
      rows = readRows(opened, 0);
      return headFindings(opened, checkChain(rows));
    }),
  );
  return { rows, findings: [...pages, ...ends] };
}

/** Reads in one transaction, so that no run writes in between. */
export function asOfOneMoment<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read();
  db.exec('BEGIN');
  try {
    return read();
  } finally {
    db.exec('COMMIT');
  }
}

export function readRows(db: DatabaseSync, after: number): StoredRow[] {
  return db.prepare(rowsAfter).all(after).map(storedRow);
}

const rowsAfter = `SELECT ${storedColumns.join(', ')} FROM rows WHERE seq > ? ORDER BY seq`;

/** How a run reads the same journal again and again: each statement is compiled once. */
export interface RowReader {
  readonly after: (seq: number) => StoredRow[];
  /** Undefined if there is no such row. */
  readonly at: (seq: number) => StoredRow | undefined;
  /** Whether the rows end at this one, and the file has noted it as the newest. */
  readonly endsAt: (end: { readonly seq: number; readonly head: string }) => boolean;
}

export function rowReader(db: DatabaseSync): RowReader {
  const after = db.prepare(rowsAfter);
  const at = db.prepare(`SELECT ${storedColumns.join(', ')} FROM rows WHERE seq = ?`);
  const ends = db.prepare('SELECT seq, hash, (SELECT max(seq) FROM rows) AS last FROM head');
  return {
    after: (seq) => after.all(seq).map(storedRow),
    at(seq) {
      const found = at.get(seq);
      return found && storedRow(found);
    },
    endsAt({ seq, head }) {
      const noted = ends.get();
      return noted?.seq === seq && noted.hash === head && (noted.last ?? 0) === seq;
    },
  };
}

/** A finding when the last row of the chain is not the newest one that the file has noted in `head`. */
export function headFindings(db: DatabaseSync, chain: { seq: number; head: string }): readonly Finding[] {
  const noted = db.prepare('SELECT seq, hash FROM head').get();
  return newestMissing(chain, { seq: Number(noted?.seq ?? chain.seq), hash: noted?.hash });
}

function pageFindings(db: DatabaseSync): Finding[] {
  const lines = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map((line) => String(Object.values(line)[0]));
  return lines.filter((line) => line !== 'ok').map((problem) => ({ seq: 0, problem }));
}

function orFinding(look: () => readonly Finding[]): readonly Finding[] {
  try {
    return look();
  } catch (error) {
    return [{ seq: 0, problem: String(error) }];
  }
}

// SQLite's primary codes (the low byte of the error code): BUSY and LOCKED; CORRUPT and NOTADB.
const inUse = [5, 6];
const broken = [11, 26];

// FULL; READONLY and CANTOPEN.
const full = [13];
const closed = [8, 14];

/** Whether SQLite says that the disk is full. */
export function isFull(error: unknown): boolean {
  return isOneOf(full, error);
}

/** Whether SQLite may not write there. */
export function mayNotWrite(error: unknown): boolean {
  return isOneOf(closed, error);
}

function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;
}

function isOneOf(codes: readonly number[], error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && codes.includes(code);
}

/** Whether SQLite says that the file itself is damaged. */
export function isBroken(error: unknown): boolean {
  return isOneOf(broken, error);
}

/** Whether another run holds the journal. Takes SQLite's error, or the refusal that was made from it. */
export function isInUse(error: unknown): boolean {
  return isOneOf(inUse, error) || (error instanceof CliError && isOneOf(inUse, error.cause));
}

/** The refusal when a journal cannot be opened or read: it is in use, it is damaged, or the system says why. */
export function unreadable(file: string, error: unknown): CliError {
  const parts = { certain: 'nothing was sent', cause: error };
  if (isOneOf(inUse, error)) {
    return new CliError('refused', `the journal ${file} is in use by another run that does not finish`, {
      ...parts,
      now: ['wait for that run to end, or resume it (fg) if it is suspended; then run the command again'],
    });
  }
  const bySystem = error instanceof Error && 'syscall' in error;
  const bySqlite = error instanceof Error && sqliteCode(error) !== undefined;
  // An error of neither SQLite nor the system comes from rows that cannot be read.
  if (isBroken(error) || !(bySqlite || bySystem)) return damaged(file, String(error), error);
  const why = bySqlite ? error.message : systemReason(error);
  return new CliError('refused', `the journal ${file} cannot be used: ${why}`, {
    ...parts,
    now: ['free space or give yourself the right to write there, or set XDG_STATE_HOME to another folder'],
  });
}

export function damaged(file: string, problem: string, cause?: unknown): CliError {
  return new CliError('refused', `the journal ${file} is damaged: ${problem}`, {
    certain: 'nothing was sent',
    now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
    cause,
  });
}
