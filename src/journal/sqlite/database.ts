/** Opens the SQLite files of a journal, reads them at one moment, and says in words what an error of SQLite means for it. */

import type { DatabaseSync } from 'node:sqlite';
import { CliError, systemReason } from '../../errors.ts';
import { isSqlite, writeAtOnce } from '../../sqlite.ts';

export interface FileKind {
  /** Its name in messages. */
  readonly name: string;
  /** The statements that make its tables, in the oldest version that is still read. */
  readonly tables: string;
  /** Statements that upgrade a file from one version to the next. A released one never changes. */
  readonly steps: readonly string[];
}

const firstVersion = 5;

/** How long SQLite waits for another run that is writing, in milliseconds. */
export const waitMs = 5000;

/**
 * Opens a file, and creates the tables in an empty one. Waits for a run that is writing. Throws what SQLite throws, and CliError
 * 'refused' for a file of another version.
 */
export type OpenFile = (file: string, kind: FileKind) => DatabaseSync;

/** Loads SQLite only when a run opens a journal. `timeout`: how long to wait, in milliseconds. */
export async function fileOpener(timeout: () => number = () => waitMs): Promise<OpenFile> {
  const { DatabaseSync } = await import('node:sqlite');
  return (file, kind) => opened(new DatabaseSync(file, { timeout: timeout() }), file, kind);
}

function opened(db: DatabaseSync, file: string, kind: FileKind): DatabaseSync {
  try {
    // TRUNCATE with FULL: a commit is on the disk, and an old journal of SQLite cannot come back after a power loss.
    db.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON');
    // Erased or moved text leaves no copy in the file.
    db.exec('PRAGMA secure_delete = ON');
    migrate(db, file, kind);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrate(db: DatabaseSync, file: string, kind: FileKind): void {
  const { tables, steps } = kind;
  const newest = firstVersion + steps.length;
  if (versionOf(db, file, kind) === newest) return;
  writeAtOnce(db, () => {
    // Another process may have done this while we waited.
    const version = versionOf(db, file, kind);
    if (version === 0) db.exec(tables);
    for (const statements of steps.slice(Math.max(0, version - firstVersion))) db.exec(statements);
    db.exec(`PRAGMA user_version = ${newest}`);
  });
}

// 0: an empty file.
function versionOf(db: DatabaseSync, file: string, { name, steps }: FileKind): number {
  const newest = firstVersion + steps.length;
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  const isEmpty = version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (isEmpty || (version >= firstVersion && version <= newest)) return version;
  const isNewer = version > newest;
  const certain = 'nothing was sent';
  throw new CliError(
    'refused',
    `the ${name} ${file} was written by ${isNewer ? 'a newer' : 'an older'} paydesk (version ${version})`,
    isNewer
      ? { certain, now: ['use the newer paydesk on this machine'] }
      : {
          certain,
          now: [
            'settle unconfirmed changes with the older paydesk: paydesk journal list --open --all-profiles',
            `then move its journal and its witness away; the next change begins new ones: mv ${file} ${file}.old`,
          ],
        },
  );
}

/** Reads in one transaction, so nothing changes in between. */
export function asOfOneMoment<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read();
  db.exec('BEGIN');
  try {
    return read();
  } finally {
    db.exec('COMMIT');
  }
}

/** Statements of one open file, each compiled once. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #compiled = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  of(sql: string): ReturnType<DatabaseSync['prepare']> {
    const known = this.#compiled.get(sql) ?? this.#db.prepare(sql);
    this.#compiled.set(sql, known);
    return known;
  }

  /** The same, with each record as an array of values: twice as fast for many records. */
  ofMany(sql: string): ReturnType<DatabaseSync['prepare']> {
    const name = `values of ${sql}`;
    const known = this.#compiled.get(name) ?? this.#db.prepare(sql);
    known.setReturnArrays(true);
    this.#compiled.set(name, known);
    return known;
  }
}

// ── Errors ──────────────────────────────────────────────────────────────────────────────────────

/** Whether SQLite says that the file itself is damaged. Every statement fits tables that are whole. */
export function isBroken(error: unknown): boolean {
  return isSqlite(error, 'damaged', 'unfit');
}

/** Whether another run holds the journal. Takes SQLite's error, or the refusal made from it. */
export function isInUse(error: unknown): boolean {
  return isSqlite(error, 'busy') || (error instanceof CliError && isSqlite(error.cause, 'busy'));
}

/** The refusal if a journal cannot be opened or read: in use, damaged, or what the system says. */
export function unreadable(file: string, error: unknown): CliError {
  const parts = { certain: 'nothing was sent', cause: error };
  if (isSqlite(error, 'busy')) {
    return new CliError('refused', `the journal ${file} is in use by another run that does not finish`, {
      ...parts,
      now: ['wait for that run to end, or resume it (fg) if it is suspended; then run the command again'],
    });
  }
  const bySystem = error instanceof Error && 'syscall' in error;
  const bySqlite = isSqlite(error);
  // Any other error comes from rows that cannot be read.
  if (isBroken(error) || !(bySqlite || bySystem)) return damaged(file, String(error), error);
  const why = error instanceof Error && bySqlite ? error.message : systemReason(error);
  return new CliError('refused', `the journal ${file} cannot be used: ${why}`, {
    ...parts,
    // In another folder, a new journal would not know what is unconfirmed in this one.
    now: ['free space, or give yourself the right to write there'],
  });
}

/** What to do about a journal that is damaged. */
export const verifyAndRepair = ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'];

export function damaged(file: string, problem: string, cause?: unknown): CliError {
  return new CliError('refused', `the journal ${file} is damaged: ${problem}`, {
    certain: 'nothing was sent',
    now: verifyAndRepair,
    cause,
  });
}
