/** The journal on this machine: an append-only SQLite file whose rows are durable before `append` resolves. */

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../errors.ts';
import type { FileRules } from '../profiles/profiles.ts';
import { chainStart, checkChain, link } from './chain.ts';
import { compareWitness } from './compare-witness.ts';
import { addRows, openDatabase, writeAtOnce } from './database.ts';
import type { AttemptQuery, JournalStore, NewestRow, Verification } from './journal.ts';
import { refuseLost } from './lost.ts';
import { refuseNetwork } from './network.ts';
import { findFile } from './new-file.ts';
import { asOfOneMoment, headFindings, readRows, readWhatCanBe } from './read-rows.ts';
import type { JournalRow } from './rows.ts';
import { Shelf } from './shelf.ts';
import type { StoredRow } from './stored-row.ts';
import { Looks } from './unseen.ts';
import { damaged, isInUse, unreadable } from './unusable.ts';
import { beginWitness, catchUp, mismatchOf, refuseUnlessWitnessed, type WitnessPlace } from './witnessed.ts';

/** Where a journal's files lie, and by which rules. */
export interface StoreParts {
  /** The file of its witness; absent: there is none. */
  readonly witness?: string | undefined;
  readonly rules?: FileRules | undefined;
  /** Folders of ours that lead to the file, outermost first. */
  readonly folders?: readonly string[] | undefined;
  /** PAYDESK_STATE_ON_NETWORK: only `false` refuses a network file system. */
  readonly onNetwork?: boolean | undefined;
}

/** The store of this machine, with what only a file needs. */
export interface FileStore extends JournalStore {
  readonly file: string;
  readonly parts: StoreParts;
  verify(head?: string): Promise<Verification>;
  /**
   * How the journal and its witness do not match, which stops every change; undefined when they do. Throws CliError
   * 'refused' when the journal cannot be read.
   */
  mismatch(): Promise<string | undefined>;
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

/** Rules that check no owner, for a caller that gives none. */
export const anyOwner: FileRules = { uid: undefined, notice: () => undefined };

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
    writeAtOnce(db, () => {
      this.#refresh(db);
      this.#refuseStray(row);
      this.#refuseUnready(db, row);
      this.#looks.refuseUnseen(row, this.#shelf);
      if (place !== undefined) beginWitness(db, place);
      addRows(db, [link(row, this.#seq + 1, this.#head)]);
    });
    // Nothing is sent before the witness has it too. The lock keeps the lines in the order of the rows.
    if (place !== undefined) writeAtOnce(db, () => catchUp(db, place));
    this.#refresh(db);
  }

  async ready(): Promise<void> {
    this.#refuseNetwork();
    try {
      const db = await this.#open(false);
      if (db !== undefined) this.#refresh(db);
      this.#refuseUnready(db);
    } catch (error) {
      // The lock on the order says who holds it; `append` checks again.
      if (!isInUse(error)) throw error;
    }
  }

  async mismatch(): Promise<string | undefined> {
    const db = await this.#open(false);
    return this.#place && mismatchOf(db, this.#place)?.problem;
  }

  async stored(): Promise<readonly StoredRow[]> {
    const db = await this.#open(false);
    return db === undefined ? [] : readRows(db, 0);
  }

  #refuseNetwork(): void {
    if (this.parts.onNetwork === false) refuseNetwork(dirname(this.file));
  }

  // A verdict may be written while only the witness is missing or damaged: what became of a change must not be lost.
  #refuseUnready(db: DatabaseSync | undefined, row?: JournalRow): void {
    if (this.#place === undefined) return;
    const unwitnessed = row?.type === 'verdict' && mismatchOf(db, this.#place)?.state === 'damaged';
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
    const { witness, mismatches } = this.#compare(rows);
    const known =
      head === undefined ? undefined : head === chainStart || rows.some(({ hash }) => hash === head);
    return {
      rows: rows.length,
      head: chain.head,
      findings: [...findings, ...chain.findings, ...mismatches],
      knowsHead: known,
      witness,
    };
  }

  #compare(rows: readonly StoredRow[]) {
    const none = { file: '', lines: 0, state: 'none yet' } as const;
    return this.#place === undefined
      ? { witness: none, mismatches: [] }
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
      const erased = writeAtOnce(db, () =>
        settled.filter(({ sent }) => Number(erase.run(sent.intent, sent.attempt).changes) > 0),
      );
      return erased.length;
    } catch (error) {
      throw unreadable(this.file, error);
    } finally {
      this.close();
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
    const db = await openDatabase(this.file).catch((error: unknown) => {
      throw error instanceof CliError ? error : unreadable(this.file, error);
    });
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

  // Each attempt has one SENT row, and no verdict comes without it.
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
