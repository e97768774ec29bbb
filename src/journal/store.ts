/** The journal on this machine: an append-only SQLite file whose rows are durable before `append` resolves. */

import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../errors.ts';
import type { AttemptQuery, JournalStore, Verification } from '../ports.ts';
import { chainStart, checkChain, type Finding, link, type StoredRow, unlink } from './chain.ts';
import { fold, isUnsettled, matches } from './fold.ts';
import { findFile } from './new-file.ts';
import type { JournalRow } from './rows.ts';
import { migrate } from './schema.ts';

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

const columns =
  'seq, row, body, body_hash, prev, hash, type, time, intent, attempt, origin, order_id, plan, ref';

class SqliteStore implements FileStore {
  readonly file: string;
  #db: DatabaseSync | undefined;
  // Rows read and checked so far; the file only grows.
  #rows: JournalRow[] = [];
  #seq = 0;
  #head = chainStart;
  #newest = 0;

  constructor(file: string) {
    this.file = file;
  }

  async append(row: JournalRow): Promise<void> {
    const db = await this.#open(true);
    db.exec('BEGIN IMMEDIATE');
    try {
      this.#refresh(db);
      this.#refuseStray(row);
      const stored = link(row, this.#seq + 1, this.#head);
      const names = columns.split(', ');
      const places = names.map(() => '?').join(', ');
      db.prepare(`INSERT INTO rows (${columns}) VALUES (${places})`).run(
        ...names.map((name) => Object(stored)[name]),
      );
      db.prepare('UPDATE head SET seq = ?, hash = ?').run(stored.seq, stored.hash);
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
    this.#refresh(db);
  }

  async attempts(query: AttemptQuery) {
    const db = await this.#open(false);
    if (db !== undefined) this.#refresh(db);
    return fold(this.#rows).filter((record) => matches(record, query));
  }

  async newestTime(): Promise<number> {
    const db = await this.#open(false);
    if (db !== undefined) this.#refresh(db);
    return this.#newest;
  }

  async verify(head?: string): Promise<Verification> {
    const db = await this.#open(false);
    if (db === undefined)
      return {
        rows: 0,
        head: chainStart,
        findings: [],
        knowsHead: head === undefined ? undefined : head === chainStart,
      };
    const stored = readWhatCanBe(db);
    const chain = checkChain(stored.rows);
    const findings = [...stored.findings, ...chain.findings, ...headFindings(db, chain)];
    const known =
      head === undefined ? undefined : head === chainStart || stored.rows.some(({ hash }) => hash === head);
    return { rows: stored.rows.length, head: chain.head, findings, knowsHead: known };
  }

  async forget(before: number): Promise<number> {
    const db = await this.#open(false);
    if (db === undefined) return 0;
    this.#refresh(db);
    const settled = fold(this.#rows).filter((record) => !isUnsettled(record) && record.sent.time < before);
    const erase = db.prepare(
      'UPDATE rows SET body = NULL WHERE intent = ? AND attempt = ? AND body IS NOT NULL',
    );
    // What is erased is overwritten in the file, too.
    db.exec('PRAGMA secure_delete = ON');
    db.exec('BEGIN IMMEDIATE');
    const erased = settled.filter(({ sent }) => Number(erase.run(sent.intent, sent.attempt).changes) > 0);
    db.exec('COMMIT');
    this.close();
    return erased.length;
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#rows = [];
    this.#seq = 0;
    this.#head = chainStart;
    this.#newest = 0;
  }

  #open(create: true): Promise<DatabaseSync>;
  #open(create: false): Promise<DatabaseSync | undefined>;
  async #open(create: boolean): Promise<DatabaseSync | undefined> {
    if (this.#db !== undefined) return this.#db;
    if (!(await findFile(this.file, create))) return undefined;
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(this.file, { timeout: 5000 });
    try {
      // TRUNCATE with FULL: a commit is on the disk, and no old journal can come back after a power loss.
      db.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON');
      migrate(db, this.file);
    } catch (error) {
      db.close();
      throw error instanceof CliError ? error : unreadable(this.file, error);
    }
    this.#db = db;
    return db;
  }

  #refresh(db: DatabaseSync): void {
    const { stored, chain, finding } = this.#readOn(db);
    if (finding !== undefined) throw damaged(this.file, `row ${finding.seq} ${finding.problem}`);
    for (const row of stored.map(unlink)) {
      this.#rows.push(row);
      this.#newest = Math.max(this.#newest, row.time);
    }
    this.#seq = chain.seq;
    this.#head = chain.head;
  }

  #readOn(db: DatabaseSync) {
    try {
      const stored = readRows(db, this.#seq);
      const chain = checkChain(stored, this.#seq, this.#head);
      return { stored, chain, finding: [...chain.findings, ...headFindings(db, chain)][0] };
    } catch (error) {
      throw unreadable(this.file, error);
    }
  }

  // One SENT an attempt, and no verdict without one.
  #refuseStray(row: JournalRow): void {
    const sent = this.#rows.some(
      (old) => old.type === 'sent' && old.intent === row.intent && old.attempt === row.attempt,
    );
    if (sent !== (row.type === 'sent')) return;
    throw new CliError('refused', `the journal cannot hold this row of ${row.intent}`, {
      certain: 'nothing was sent',
    });
  }
}

function readRows(db: DatabaseSync, after: number): StoredRow[] {
  // The shape is the table's own (STRICT), checked when the hash is.
  return db
    .prepare(`SELECT ${columns} FROM rows WHERE seq > ? ORDER BY seq`)
    .all(after) as unknown as StoredRow[];
}

function headFindings(db: DatabaseSync, chain: { seq: number; head: string }): Finding[] {
  const noted = db.prepare('SELECT seq, hash FROM head').get();
  if (noted?.seq === chain.seq && noted.hash === chain.head) return [];
  return [{ seq: Number(noted?.seq ?? chain.seq), problem: 'was the newest and is not there as it was' }];
}

// A damaged page may make every row behind it unreadable.
function readWhatCanBe(db: DatabaseSync): { rows: readonly StoredRow[]; findings: readonly Finding[] } {
  const findings = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map((line) => String(Object.values(line)[0]))
    .filter((line) => line !== 'ok')
    .map((problem) => ({ seq: 0, problem }));
  try {
    return { rows: readRows(db, 0), findings };
  } catch (error) {
    return { rows: [], findings: [...findings, { seq: 0, problem: String(error) }] };
  }
}

// SQLite's primary codes, the low byte of what it throws: BUSY and LOCKED; CORRUPT and NOTADB.
const inUse = [5, 6];
const broken = [11, 26];

function unreadable(file: string, error: unknown): CliError {
  const code = Number(Object(error).errcode) & 0xff;
  const parts = { certain: 'nothing was sent', cause: error };
  if (inUse.includes(code)) {
    return new CliError('refused', `the journal ${file} is in use by another run that does not get on`, {
      ...parts,
      now: ['wait for that run to end, or wake it if it was stopped; then run the command again'],
    });
  }
  if (code === 0 || broken.includes(code)) return damaged(file, String(error), error);
  return new CliError('refused', `the journal ${file} cannot be read: ${String(error)}`, parts);
}

/** The refusal of a damaged journal. */
export function damaged(file: string, problem: string, cause?: unknown): CliError {
  return new CliError('refused', `the journal ${file} is damaged: ${problem}`, {
    certain: 'nothing was sent',
    now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
    cause,
  });
}
