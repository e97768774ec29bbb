/** The journal on this machine: an append-only SQLite file whose rows are durable before `append` resolves. */

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../errors.ts';
import type { AttemptQuery, JournalStore, NewestRow, Verification } from '../ports.ts';
import { chainStart, checkChain, type Finding, link } from './chain.ts';
import { findFile } from './new-file.ts';
import type { JournalRow } from './rows.ts';
import { migrate } from './schema.ts';
import { Shelf } from './shelf.ts';
import { type StoredRow, storedColumns, storedRow } from './stored-row.ts';
import { Looks } from './unseen.ts';
import { damaged, isBroken, unreadable } from './unusable.ts';

/** The store of this machine, with what only a file needs. */
export interface FileStore extends JournalStore {
  readonly file: string;
  verify(head?: string): Promise<Verification>;
  /** Erases bodies and notes of settled attempts sent before a time; how many. */
  forget(before: number): Promise<number>;
  close(): void;
}

/** Opens on first use. Reading makes no file; a damaged or newer one is refused with CliError 'refused'. */
export function createFileStore(file: string): FileStore {
  return new SqliteStore(file);
}

const columns = storedColumns.join(', ');

class SqliteStore implements FileStore {
  readonly file: string;
  #db: DatabaseSync | undefined;
  // Rows read and checked so far; the file only grows.
  #shelf = new Shelf();
  #seq = 0;
  #head = chainStart;
  readonly #looks = new Looks();

  constructor(file: string) {
    this.file = file;
  }

  async append(row: JournalRow): Promise<void> {
    const db = await this.#open(true);
    this.#write(db, () => {
      this.#refresh(db);
      this.#refuseStray(row);
      this.#looks.refuseUnseen(row, this.#shelf);
      const stored = link(row, this.#seq + 1, this.#head);
      const places = storedColumns.map(() => '?').join(', ');
      db.prepare(`INSERT INTO rows (${columns}) VALUES (${places})`).run(
        ...storedColumns.map((name) => stored[name]),
      );
      db.prepare('UPDATE head SET seq = ?, hash = ?').run(stored.seq, stored.hash);
    });
    this.#refresh(db);
  }

  async attempts(query: AttemptQuery) {
    const db = await this.#open(false);
    if (db !== undefined) this.#refresh(db);
    this.#looks.note(query, this.#seq);
    return this.#shelf.attempts(query);
  }

  async newest(): Promise<NewestRow> {
    const db = await this.#open(false);
    if (db === undefined) return { time: 0 };
    this.#refresh(db);
    return { ...this.#shelf.newest, writtenAt: statSync(this.file, { throwIfNoEntry: false })?.mtimeMs };
  }

  async verify(head?: string): Promise<Verification> {
    const { rows, findings } = await this.#readWhatCanBe();
    const chain = checkChain(rows);
    const known =
      head === undefined ? undefined : head === chainStart || rows.some(({ hash }) => hash === head);
    return {
      rows: rows.length,
      head: chain.head,
      findings: [...findings, ...chain.findings],
      knowsHead: known,
    };
  }

  async forget(before: number): Promise<number> {
    const db = await this.#open(false);
    if (db === undefined) return 0;
    this.#refresh(db);
    const settled = this.#shelf.settledBefore(before);
    const erase = db.prepare(
      'UPDATE rows SET body = NULL WHERE intent = ? AND attempt = ? AND body IS NOT NULL',
    );
    try {
      const erased = this.#write(db, () =>
        settled.filter(({ sent }) => Number(erase.run(sent.intent, sent.attempt).changes) > 0),
      );
      return erased.length;
    } catch (error) {
      throw unreadable(this.file, error);
    } finally {
      this.close();
    }
  }

  // All of it or nothing.
  #write<T>(db: DatabaseSync, change: () => T): T {
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

  close(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#shelf = new Shelf();
    this.#seq = 0;
    this.#head = chainStart;
  }

  #open(create: true): Promise<DatabaseSync>;
  #open(create: false): Promise<DatabaseSync | undefined>;
  async #open(create: boolean): Promise<DatabaseSync | undefined> {
    if (this.#db !== undefined) return this.#db;
    const found = await findFile(this.file, create).catch((error: unknown) => {
      throw unreadable(this.file, error);
    });
    if (!found) return undefined;
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(this.file, { timeout: 5000 });
    try {
      // TRUNCATE with FULL: a commit is on the disk, and no old journal can come back after a power loss.
      db.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON');
      // What is erased, or moved within the file, leaves no copy behind.
      db.exec('PRAGMA secure_delete = ON');
      migrate(db, this.file);
    } catch (error) {
      db.close();
      throw error instanceof CliError ? error : unreadable(this.file, error);
    }
    this.#db = db;
    return db;
  }

  // A damaged page may make every row behind it unreadable, and a torn file all of them.
  async #readWhatCanBe(): Promise<{
    readonly rows: readonly StoredRow[];
    readonly findings: readonly Finding[];
  }> {
    let db: DatabaseSync | undefined;
    try {
      db = await this.#open(false);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isBroken(cause)) throw error;
      return { rows: [], findings: [{ seq: 0, problem: String(cause) }] };
    }
    if (db === undefined) return { rows: [], findings: [] };
    const open = db;
    let rows: readonly StoredRow[] = [];
    const pages = orFinding(() => pageFindings(open));
    const ends = orFinding(() =>
      asOfOneMoment(open, () => {
        rows = readRows(open, 0);
        return headFindings(open, checkChain(rows));
      }),
    );
    return { rows, findings: [...pages, ...ends] };
  }

  #refresh(db: DatabaseSync): void {
    const { stored, chain, finding } = this.#readOn(db);
    if (finding !== undefined) throw damaged(this.file, `row ${finding.seq} ${finding.problem}`);
    this.#shelf.add(stored);
    this.#seq = chain.seq;
    this.#head = chain.head;
  }

  #readOn(db: DatabaseSync) {
    try {
      return asOfOneMoment(db, () => {
        const stored = readRows(db, this.#seq);
        const chain = checkChain(stored, this.#seq, this.#head);
        return { stored, chain, finding: [...chain.findings, ...headFindings(db, chain)][0] };
      });
    } catch (error) {
      throw unreadable(this.file, error);
    }
  }

  // One SENT an attempt, and no verdict without one.
  #refuseStray(row: JournalRow): void {
    if (this.#shelf.has(row) !== (row.type === 'sent')) return;
    throw new CliError('refused', `the journal cannot hold this row of ${row.intent}`, {
      certain: 'nothing was sent',
    });
  }
}

// Rows and head belong together: nobody may write between reading the one and the other.
function asOfOneMoment<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read();
  db.exec('BEGIN');
  try {
    return read();
  } finally {
    db.exec('COMMIT');
  }
}

function readRows(db: DatabaseSync, after: number): StoredRow[] {
  return db.prepare(`SELECT ${columns} FROM rows WHERE seq > ? ORDER BY seq`).all(after).map(storedRow);
}

function headFindings(db: DatabaseSync, chain: { seq: number; head: string }): Finding[] {
  const noted = db.prepare('SELECT seq, hash FROM head').get();
  if (noted?.seq === chain.seq && noted.hash === chain.head) return [];
  return [{ seq: Number(noted?.seq ?? chain.seq), problem: 'was the newest and is not there as it was' }];
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
