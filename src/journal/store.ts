/** The journal on this machine: an append-only SQLite file whose rows are durable before `append` resolves. */

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../errors.ts';
import type { AttemptQuery, JournalStore, NewestRow, Verification } from '../ports.ts';
import type { FileRules } from '../profiles/own-file.ts';
import { chainStart, checkChain, link } from './chain.ts';
import { compareWitness } from './compare-witness.ts';
import { refuseLost } from './lost.ts';
import { refuseNetwork } from './network.ts';
import { findFile } from './new-file.ts';
import { asOfOneMoment, headFindings, readRows, readWhatCanBe } from './read-rows.ts';
import type { JournalRow } from './rows.ts';
import { migrate } from './schema.ts';
import { Shelf } from './shelf.ts';
import { type StoredRow, storedColumns } from './stored-row.ts';
import { Looks } from './unseen.ts';
import { damaged, isInUse, unreadable } from './unusable.ts';
import { beginWitness, catchUp, discordOf, refuseUnlessWitnessed, type WitnessPlace } from './witnessed.ts';

/** What a journal's file goes by. */
export interface StoreParts {
  /** The file of its witness; absent: it has none, as while a repair builds it. */
  readonly witness?: string | undefined;
  readonly rules?: FileRules | undefined;
  /** Folders of ours that lead to the file, outermost first. */
  readonly folders?: readonly string[] | undefined;
  /** Somebody tested the locks of the network file system that it lies on. */
  readonly onNetwork?: boolean | undefined;
}

/** The store of this machine, with what only a file needs. */
export interface FileStore extends JournalStore {
  readonly file: string;
  readonly parts: StoreParts;
  verify(head?: string): Promise<Verification>;
  /** What stops changes; undefined: nothing. Throws CliError 'refused' where the journal cannot be read. */
  discord(): Promise<string | undefined>;
  /** All rows as they lie in the file. Throws CliError 'refused' where they cannot be read. */
  stored(): Promise<readonly StoredRow[]>;
  /** Erases bodies and notes of settled attempts sent before a time; how many. */
  forget(before: number): Promise<number>;
  close(): void;
}

/** Opens on first use. Reading makes no file; a damaged or newer one is refused with CliError 'refused'. */
export function createFileStore(file: string, parts: StoreParts = {}): FileStore {
  return new SqliteStore(file, parts);
}

/** The rules where nobody says whose the files must be. */
export const anyOwner: FileRules = { uid: undefined, notice: () => undefined };

const columns = storedColumns.join(', ');

class SqliteStore implements FileStore {
  readonly file: string;
  readonly parts: StoreParts;
  readonly #place: WitnessPlace | undefined;
  #db: DatabaseSync | undefined;
  // Rows read and checked so far; the file only grows.
  #shelf = new Shelf();
  #seq = 0;
  #head = chainStart;
  readonly #looks = new Looks();

  constructor(file: string, parts: StoreParts) {
    this.file = file;
    this.parts = parts;
    this.#place = witnessPlace(file, parts);
  }

  async append(row: JournalRow): Promise<void> {
    this.#refuseNetwork();
    const [db, place] = [await this.#open(true), this.#place];
    this.#write(db, () => {
      this.#refresh(db);
      this.#refuseStray(row);
      this.#refuseUnready(db, row);
      this.#looks.refuseUnseen(row, this.#shelf);
      if (place !== undefined) beginWitness(db, place);
      const stored = link(row, this.#seq + 1, this.#head);
      const places = storedColumns.map(() => '?').join(', ');
      db.prepare(`INSERT INTO rows (${columns}) VALUES (${places})`).run(
        ...storedColumns.map((name) => stored[name]),
      );
      db.prepare('UPDATE head SET seq = ?, hash = ?').run(stored.seq, stored.hash);
    });
    // Nothing is sent before the witness has it too. The lock keeps the lines in the order of the rows.
    if (place !== undefined) this.#write(db, () => catchUp(db, place));
    this.#refresh(db);
  }

  async ready(): Promise<void> {
    this.#refuseNetwork();
    try {
      const db = await this.#open(false);
      if (db !== undefined) this.#refresh(db);
      this.#refuseUnready(db);
    } catch (error) {
      // Who is at it is for the lock on the order to say; `append` looks again.
      if (!isInUse(error)) throw error;
    }
  }

  async discord(): Promise<string | undefined> {
    const db = await this.#open(false);
    return this.#place && discordOf(db, this.#place)?.problem;
  }

  async stored(): Promise<readonly StoredRow[]> {
    const db = await this.#open(false);
    return db === undefined ? [] : readRows(db, 0);
  }

  #refuseNetwork(): void {
    if (this.parts.onNetwork === false) refuseNetwork(dirname(this.file));
  }

  // `row` is the one to be written: a verdict is, while only its witness is missing or damaged.
  #refuseUnready(db: DatabaseSync | undefined, row?: JournalRow): void {
    if (this.#place === undefined) return;
    const unwitnessed = row?.type === 'verdict' && discordOf(db, this.#place)?.state === 'damaged';
    if (!unwitnessed) refuseUnlessWitnessed(db, this.#place);
    if (row?.type !== 'verdict') refuseLost(this.#shelf.attempts({ origin: '', unsettled: true }));
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
    const { rows, findings } = await readWhatCanBe(() => this.#open(false));
    const chain = checkChain(rows);
    const { witness, discords } = this.#compare(rows);
    const known =
      head === undefined ? undefined : head === chainStart || rows.some(({ hash }) => hash === head);
    return {
      rows: rows.length,
      head: chain.head,
      findings: [...findings, ...chain.findings, ...discords],
      knowsHead: known,
      witness,
    };
  }

  #compare(rows: readonly StoredRow[]) {
    const none = { file: '', lines: 0, state: 'none yet' } as const;
    return this.#place === undefined
      ? { witness: none, discords: [] }
      : compareWitness(rows, this.#db, this.#place);
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
    const { rules = anyOwner, folders = [] } = this.parts;
    const place = { file: this.file, rules, folders };
    const found = await findFile(place, create).catch((error: unknown) => {
      throw error instanceof CliError ? error : unreadable(this.file, error);
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

function witnessPlace(journal: string, { witness, rules = anyOwner }: StoreParts): WitnessPlace | undefined {
  return witness === undefined
    ? undefined
    : { journal, witness, rules: { ...rules, movedBy: 'XDG_STATE_HOME' } };
}
