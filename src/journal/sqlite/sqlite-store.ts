/** The journal in a SQLite file on this machine: `append` commits a row, then adds its line to the witness. */

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../../errors.ts';
import type { FileRules } from '../../profiles/profiles.ts';
import { readArchive, writeArchive } from '../archive-file.ts';
import { chainStart, checkChain, type StoredRow } from '../chain.ts';
import { type AttemptRow, attemptKey, type JournalRow } from '../journal-rows.ts';
import type { AttemptQuery, JournalStore, NewestRow, Repair, Verification } from '../journal-store.ts';
import { isSameOrigin, type MovedTo } from '../moved-away.ts';
import { StoreRules } from '../store-rules.ts';
import {
  addRows,
  asOfOneMoment,
  damaged,
  headFindings,
  isInUse,
  openDatabase,
  type RowReader,
  readRows,
  readWhatCanBe,
  rowReader,
  unreadable,
  writeAtOnce,
} from './database.ts';
import { findFile, type JournalFile, refuseNetwork } from './journal-file.ts';
import { recentIds } from './recent-ids.ts';
import { repairJournal, restoreJournal } from './repair.ts';
import {
  beginWitness,
  catchUp,
  compareWitness,
  mismatchOf,
  refuseUnlessWitnessed,
  type WitnessPlace,
} from './witness-check.ts';
import { newWitnessKey, readWitness } from './witness-file.ts';

/** Where the files of a journal are, and which rules hold for them. */
export interface SqlitePlace {
  readonly file: string;
  /** The file of the witness; absent when there is none. */
  readonly witness?: string | undefined;
  /** The folder of an archive with a relative name; absent: the current folder of the process. */
  readonly cwd?: (() => string) | undefined;
  /** Who must own the files. */
  readonly rules?: FileRules | undefined;
  /** Our own folders that lead to the file, outermost first. */
  readonly folders?: readonly string[] | undefined;
  /** PAYDESK_STATE_ON_NETWORK. Only `false` refuses a network file system. */
  readonly onNetwork?: boolean | undefined;
}

/** The journal of this machine, whose rows of an account may move to the journal of a team, and come back. */
export interface LocalJournal extends JournalStore {
  /** Where the changes of an origin are recorded; undefined: here. */
  movedTo(origin: string): Promise<MovedTo | undefined>;
  /** The rows of all attempts of an origin as they are stored, oldest first. */
  rowsOf(origin: string): Promise<readonly StoredRow[]>;
  /**
   * Adds rows of another journal that this one lacks, and then `last`: all of them or none. Returns how many. Attempts that are
   * here get the verdicts that they lack.
   */
  takeIn(rows: readonly AttemptRow[], last: JournalRow): Promise<number>;
}

/** Opens the file on first use. Refuses a damaged file, or one of a newer version, with CliError 'refused'. */
export function createSqliteStore(place: SqlitePlace): LocalJournal {
  const store = new SqliteStore(place);
  return {
    place: place.file,
    witness: place.witness,
    append: (row) => store.append(row),
    // A commit that failed at its last step may still be in the file.
    takeBack: (_sent, verdict) => store.append(verdict),
    attempts: (query) => store.attempts(query),
    settings: () => store.settings(),
    newest: () => store.newest(),
    ready: () => store.ready(),
    problem: () => store.problem(),
    verify: (head) => store.verify(head),
    repair: (now) => store.repair(now),
    eraseBodies: (before) => store.eraseBodies(before),
    archive: (path) => store.archive(path),
    restore: (path) => store.restore(path),
    recent: (of, profile) => recentIds(place.file, of, profile),
    movedTo: (origin) => store.movedTo(origin),
    rowsOf: (origin) => store.rowsOf(origin),
    takeIn: (rows, last) => store.takeIn(rows, last),
    close: () => store.close(),
  };
}

const noRules: FileRules = { uid: undefined, notice: () => undefined };

class SqliteStore {
  readonly #file: JournalFile;
  readonly #witness: WitnessPlace | undefined;
  readonly #onNetwork: boolean | undefined;
  readonly #cwd: (() => string) | undefined;
  #db: DatabaseSync | undefined;
  #reader: RowReader | undefined;
  // What this run has read and checked so far. The file only grows.
  #known = this.#knowNothing();

  constructor({ file, witness, rules = noRules, folders = [], onNetwork, cwd }: SqlitePlace) {
    const ownRules = { movedBy: 'XDG_STATE_HOME', ...rules } as const;
    this.#file = { path: file, folders, rules: ownRules };
    this.#witness = witness === undefined ? undefined : { journal: file, witness, rules: ownRules };
    this.#onNetwork = onNetwork;
    this.#cwd = cwd;
  }

  async append(row: JournalRow): Promise<void> {
    this.#refuseNetwork();
    const [db, witness] = [await this.#open(true), this.#witness];
    writeAtOnce(db, () => {
      this.#refresh(db);
      this.#known.refuseMisplaced(row);
      this.#refuseUnready(db, row);
      this.#known.refuseMoved(row);
      this.#known.refuseUnseen(row);
      if (witness !== undefined) beginWitness(db, witness);
      addRows(db, [this.#known.link(row)]);
    });
    // Nothing is sent before the witness has the row too. The write lock keeps its lines in the order of the rows.
    if (witness !== undefined) writeAtOnce(db, () => catchUp(db, witness));
    this.#refresh(db);
  }

  async movedTo(origin: string): Promise<MovedTo | undefined> {
    const db = await this.#open(false);
    if (db === undefined) return undefined;
    this.#refresh(db);
    return this.#known.movedTo(origin);
  }

  async rowsOf(origin: string): Promise<readonly StoredRow[]> {
    const db = await this.#open(false);
    if (db === undefined) return [];
    return this.#orUnreadable(() =>
      asOfOneMoment(db, () => {
        this.#refresh(db);
        const own = this.#known.attempts({}).filter(({ sent }) => isSameOrigin(sent.origin, origin));
        const keys = new Set(own.map(({ sent }) => attemptKey(sent)));
        return readRows(db, 0).filter((row) => row.type !== 'setting' && keys.has(attemptKey(row)));
      }),
    );
  }

  async takeIn(rows: readonly AttemptRow[], last: JournalRow): Promise<number> {
    this.#refuseNetwork();
    const [db, witness] = [await this.#open(true), this.#witness];
    try {
      const added = writeAtOnce(db, () => {
        this.#refresh(db);
        this.#refuseUnready(db);
        if (witness !== undefined) beginWitness(db, witness);
        const lacking = this.#known.lackingOf(rows);
        for (const row of [...lacking, last]) {
          const stored = this.#known.link(row);
          addRows(db, [stored]);
          this.#known.read([stored]);
        }
        return lacking.length;
      });
      if (witness !== undefined) writeAtOnce(db, () => catchUp(db, witness));
      return added;
    } finally {
      // The commit may have failed, so everything is read again.
      this.close();
    }
  }

  async ready(): Promise<void> {
    this.#refuseNetwork();
    try {
      const db = await this.#open(false);
      if (db !== undefined) this.#refresh(db);
      this.#refuseUnready(db);
    } catch (error) {
      // The journal is in use. The lock on the order says who holds it, and `append` checks again.
      if (!isInUse(error)) throw error;
    }
  }

  #refuseNetwork(): void {
    if (this.#onNetwork === false) refuseNetwork(dirname(this.#file.path), this.#file.rules);
  }

  // A verdict may be written even if the witness is missing or damaged: what became of a change must not be lost.
  #refuseUnready(db: DatabaseSync | undefined, row?: JournalRow): void {
    const witness = this.#witness;
    if (witness !== undefined) refuseUnlessWitnessed(db, witness, { exceptDamaged: row?.type === 'verdict' });
    if (row?.type !== 'verdict') this.#known.refuseWhileLost();
  }

  async problem(): Promise<string | undefined> {
    try {
      const db = await this.#open(false);
      return this.#witness && mismatchOf(db, this.#witness)?.problem;
    } catch (error) {
      // The journal is damaged so badly that it cannot even be compared with its witness.
      return error instanceof Error ? error.message : String(error);
    }
  }

  async attempts(query: AttemptQuery) {
    const db = await this.#open(false);
    if (db === undefined) return this.#known.attempts(query);
    // The rows are read again in the same moment: else each of them would take a lock on the file.
    return this.#orUnreadable(() =>
      asOfOneMoment(db, () => {
        this.#refresh(db);
        return this.#known.attempts(query);
      }),
    );
  }

  async settings() {
    const db = await this.#open(false);
    if (db !== undefined) this.#refresh(db);
    return this.#known.settings();
  }

  async newest(): Promise<NewestRow> {
    const db = await this.#open(false);
    if (db === undefined) return { time: 0 };
    this.#refresh(db);
    return {
      ...this.#known.newest,
      writtenAt: statSync(this.#file.path, { throwIfNoEntry: false })?.mtimeMs,
    };
  }

  async verify(head?: string): Promise<Verification> {
    const { rows, findings } = await readWhatCanBe(() => this.#open(false));
    const chain = checkChain(rows);
    const none = { witness: { file: '', lines: 0, state: 'none yet' }, mismatches: [] } as const;
    const { witness, mismatches } =
      this.#witness === undefined ? none : compareWitness(rows, this.#db, this.#witness);
    const knowsHead =
      head === undefined ? undefined : head === chainStart || rows.some(({ hash }) => hash === head);
    return {
      rows: rows.length,
      settings: rows.filter(({ type }) => type === 'setting').length,
      head: chain.head,
      findings: [...findings, ...chain.findings, ...mismatches],
      knowsHead,
      witness,
    };
  }

  async repair(now: number): Promise<Repair> {
    const { findings } = await this.verify();
    if (findings.length === 0)
      throw new CliError('refused', `the journal ${this.#file.path} is whole`, {
        certain: 'nothing was changed',
      });
    this.close();
    return repairJournal(this.#file, this.#witness, now);
  }

  async eraseBodies(before: number): Promise<number> {
    const db = await this.#open(false);
    if (db === undefined) return 0;
    this.#refresh(db);
    const settled = this.#known.erasable(before);
    const erase = db.prepare(
      'UPDATE rows SET body = NULL WHERE intent = ? AND attempt = ? AND body IS NOT NULL',
    );
    try {
      const erased = writeAtOnce(db, () =>
        settled.filter(({ sent }) => Number(erase.run(sent.intent, sent.attempt).changes) > 0),
      );
      return erased.length;
    } catch (error) {
      throw unreadable(this.#file.path, error);
    } finally {
      this.close();
    }
  }

  async archive(path: string): Promise<number> {
    const { findings } = await this.verify();
    if (findings.length > 0)
      throw new CliError('refused', `the journal ${this.#file.path} is not whole`, {
        certain: 'nothing was written',
        now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
      });
    const db = await this.#open(false);
    const rows = db === undefined ? [] : readRows(db, 0);
    const key = this.#witness && readWitness(this.#witness.witness, this.#witness.rules)?.key;
    writeArchive(path, { rows, key: key ?? newWitnessKey() }, this.#cwd);
    return rows.length;
  }

  async restore(path: string): Promise<number> {
    const archive = readArchive(path, this.#cwd);
    this.close();
    await restoreJournal(this.#file, this.#witness, archive);
    return archive.rows.length;
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#reader = undefined;
    this.#known = this.#knowNothing();
  }

  #knowNothing(): StoreRules {
    return new StoreRules((seq) => this.#reader?.at(seq));
  }

  #open(create: true): Promise<DatabaseSync>;
  #open(create: false): Promise<DatabaseSync | undefined>;
  async #open(create: boolean): Promise<DatabaseSync | undefined> {
    if (this.#db !== undefined) return this.#db;
    const { path } = this.#file;
    try {
      if (!(await findFile(this.#file, create))) return undefined;
      const db = await openDatabase(path);
      this.#db = db;
      return db;
    } catch (error) {
      throw error instanceof CliError ? error : unreadable(path, error);
    }
  }

  #refresh(db: DatabaseSync): void {
    const { stored, finding } = this.#orUnreadable(() => this.#readNew(db));
    if (finding !== undefined) throw damaged(this.#file.path, `row ${finding.seq} ${finding.problem}`);
    this.#known.read(stored);
  }

  #readNew(db: DatabaseSync) {
    this.#reader ??= rowReader(db);
    const { after, endsAt } = this.#reader;
    const { seq, head } = this.#known.end;
    if (endsAt({ seq, head })) return { stored: [], finding: undefined };
    return asOfOneMoment(db, () => {
      const stored = after(seq);
      const chain = checkChain(stored, seq, head);
      return { stored, finding: [...chain.findings, ...headFindings(db, chain)][0] };
    });
  }

  #orUnreadable<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw error instanceof CliError ? error : unreadable(this.#file.path, error);
    }
  }
}
