/**
 * The journal in two SQLite files on this machine: `append` commits a row, then its line in the witness. It reads what is asked for
 * and proves that, however long the journal is.
 */

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../../errors.ts';
import type { FileRules } from '../../profiles/profiles.ts';
import { readArchive, writeArchive } from '../archive-file.ts';
import type { AttemptQuery } from '../attempt-query.ts';
import type { StoredRow } from '../chain.ts';
import type { AttemptRecord, AttemptRow, JournalRow, SettingRow } from '../journal-rows.ts';
import type {
  Archiving,
  Finding,
  JournalStore,
  Moved,
  NewestRow,
  Repair,
  Verification,
} from '../journal-store.ts';
import type { MovedTo } from '../moved-away.ts';
import { archiveOld, countOver } from './archive-old.ts';
import { BothFiles, type FilesOfJournal, findWitness, placesOf } from './both-files.ts';
import { copyFound, fileMark } from './copy-marks.ts';
import { asOfOneMoment, fileOpener } from './database.ts';
import { findFile, refuseNetwork, sizeOf } from './journal-file.ts';
import { type Asked, type KnownJournal, noteAsked } from './known-journal.ts';
import { type Landmark, type LandmarkPlace, readLandmark, writeLandmark } from './landmark.ts';
import { recentIds } from './recent-ids.ts';
import { repairJournal, restoreJournal } from './repair.ts';
import { damaged, isBroken, isInUse, unreadable } from './sqlite-errors.ts';
import { Turns } from './turns.ts';
import { checkSome, verifyFiles } from './verify-files.ts';
import { mismatchOf, refusalOf } from './witness-check.ts';
import { type FoundWitness, newWitnessKey } from './witness-file.ts';

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
  /** Where the landmark is kept; absent: nowhere. */
  readonly landmarks?: LandmarkPlace | undefined;
  /** A time for messages (Unix milliseconds); absent: in ISO 8601. */
  readonly shortTime?: ((ms: number) => string) | undefined;
}

/** The journal of this machine, whose rows of an account may move to the journal of a team, and come back. */
export interface LocalJournal extends JournalStore {
  /** Where the changes of an origin are recorded; undefined: here. */
  movedTo(origin: string): Promise<MovedTo | undefined>;
  /** All attempts of an origin. */
  history(origin: string): Promise<readonly AttemptRecord[]>;
  /** The rows of all attempts of an origin as they are stored, oldest first. */
  rowsOf(origin: string): Promise<readonly StoredRow[]>;
  /**
   * Adds rows of another journal that this one lacks, and then `last`: all of them or none. Returns how many. Attempts that are
   * here get the verdicts that they lack.
   */
  takeIn(rows: readonly AttemptRow[], last: JournalRow): Promise<number>;
}

/** Opens the files on first use. Refuses damaged ones, and those of another version, with CliError 'refused'. */
export function createSqliteStore(place: SqlitePlace): LocalJournal {
  const store = new SqliteStore(place);
  return {
    place: place.file,
    witness: place.witness,
    append: (row) => store.append(row),
    // A commit that failed at its last step may still be in the file.
    takeBack: (_sent, verdict) => store.append(verdict),
    attempts: (query) => store.attempts(query),
    list: (filter, page) => store.ask((known) => known.list(filter, page), []),
    operators: (origin) => store.ask((known) => known.operators(origin), []),
    settings: (name) => store.ask((known) => known.settings(name), []),
    newest: () => store.newest(),
    ready: () => store.ready(),
    problem: () => store.problem(),
    verify: (head, now) => store.verify(head, now),
    checkSome: (how) => store.checkSome(how),
    wholeCheckAt: () => store.wholeCheckAt(),
    acceptCopy: (row) => store.acceptCopy(row),
    repair: (now) => store.repair(now),
    eraseBodies: (before) => store.eraseBodies(before),
    archive: (path) => store.archive(path),
    countOver: (before) => store.countOver(before),
    archiveOld: (how) => store.archiveOld(how),
    restore: (path) => store.restore(path),
    recent: (of, profile) => recentIds(place.file, of, profile),
    movedTo: (origin) => store.ask((known) => known.movedTo(origin), undefined),
    history: (origin) => store.ask((known) => known.history(origin), []),
    rowsOf: (origin) => store.ask((known) => known.rowsOf(origin), []),
    takeIn: (rows, last) => store.takeIn(rows, last),
    close: () => store.close(),
  };
}

const noRules: FileRules = { uid: undefined, notice: () => undefined };

class SqliteStore {
  readonly #place: SqlitePlace;
  readonly #files: FilesOfJournal;
  readonly #turns: Turns;
  /** What this run has asked about. */
  readonly #asked: Asked = { orders: new Map(), scripts: new Map() };
  #opened: BothFiles | undefined;

  constructor(place: SqlitePlace) {
    const { file, witness, folders = [] } = place;
    const rules = { movedBy: 'XDG_STATE_HOME', ...(place.rules ?? noRules) } as const;
    this.#place = place;
    this.#files = {
      journal: { path: file, folders, rules },
      witness: witness === undefined ? undefined : { path: witness, folders: [dirname(witness)], rules },
    };
    this.#turns = new Turns(file, witness === undefined ? [file] : [file, witness]);
  }

  // ── Asking ────────────────────────────────────────────────────────────────────────────────────

  /** Asks both files. `none`: the answer while there is no journal. */
  async ask<T>(read: (known: KnownJournal) => T, none: T): Promise<T> {
    const both = await this.#open(false);
    return both === undefined ? none : both.atOnce(read);
  }

  async attempts(query: AttemptQuery): Promise<readonly AttemptRecord[]> {
    const found = await this.ask((known) => known.attempts(query), undefined);
    if (found === undefined) noteAsked(this.#asked, query, 0);
    return found ?? [];
  }

  async newest(): Promise<NewestRow> {
    const newest = await this.ask((known) => known.newest, undefined);
    const writtenAt = statSync(this.#place.file, { throwIfNoEntry: false })?.mtimeMs;
    return newest === undefined ? { time: 0 } : { ...newest, writtenAt };
  }

  async ready(): Promise<void> {
    this.#refuseNetwork();
    try {
      const both = await this.#open(false);
      if (both === undefined) return await this.#refuseLostJournal();
      const landmark = this.#landmark(both);
      both.atOnce((known) => this.#refuseUnready(both, known, landmark));
    } catch (error) {
      // The journal is in use. The lock on the order says who holds it, and `append` checks again.
      if (!isInUse(error)) throw error;
    }
  }

  // There is no journal. If its witness has lines, it is lost.
  async #refuseLostJournal(): Promise<void> {
    const found = await this.#lookForWitness();
    const mismatch = this.#mismatchWithout(found);
    if (mismatch !== undefined) throw refusalOf(mismatch, found, undefined);
  }

  #mismatchWithout(found: FoundWitness) {
    const places = placesOf(this.#files);
    return places && mismatchOf(found, undefined, places);
  }

  async problem(): Promise<string | undefined> {
    try {
      const both = await this.#open(false);
      if (this.#files.witness === undefined) return undefined;
      if (both === undefined) return this.#mismatchWithout(await this.#lookForWitness())?.problem;
      const landmark = this.#landmark(both);
      return both.atOnce(() => both.mismatch()?.problem ?? this.#copy(both, landmark));
    } catch (error) {
      // The journal is damaged so badly that it cannot even be compared with its witness.
      return error instanceof Error ? error.message : String(error);
    }
  }

  // ── Adding ────────────────────────────────────────────────────────────────────────────────────

  async append(row: JournalRow): Promise<void> {
    try {
      await this.#append(row);
    } catch (error) {
      // What became of a change must not be lost: if the journal was archived meanwhile, it belongs into the new one.
      if (row.type !== 'verdict' || this.#opened?.isReplaced !== true) throw error;
      this.close();
      await this.#append(row);
    }
  }

  async #append(row: JournalRow): Promise<void> {
    this.#refuseNetwork();
    const both = await this.#open(true);
    const landmark = this.#landmark(both);
    both.write((known) => {
      this.#refuseUnready(both, known, landmark, row);
      known.refuseDamaged(row);
      known.refuseMisplaced(row);
      known.refuseMoved(row);
      known.refuseUnseen(row);
      both.beginWitness();
      both.tables.add(known.link(row));
    });
    // Nothing is sent before the witness has the row too.
    this.#catchUp(both);
  }

  async takeIn(rows: readonly AttemptRow[], last: JournalRow): Promise<number> {
    this.#refuseNetwork();
    const both = await this.#open(true);
    const landmark = this.#landmark(both);
    const added = both.write((known) => {
      this.#refuseUnready(both, known, landmark);
      both.beginWitness();
      const lacking = known.lackingOf(rows);
      both.tables.add(known.link(...lacking, last));
      return lacking.length;
    });
    this.#catchUp(both);
    return added;
  }

  #refuseNetwork(): void {
    const { path, rules } = this.#files.journal;
    if (this.#place.onNetwork === false) refuseNetwork(dirname(path), rules);
  }

  // A verdict may be written even if the witness is missing or damaged: what became of a change must not be lost.
  #refuseUnready(
    both: BothFiles,
    known: KnownJournal,
    landmark: Landmark | undefined,
    row?: JournalRow,
  ): void {
    const isVerdict = row?.type === 'verdict';
    both.refuseMismatch({ exceptDamaged: isVerdict });
    const copy = isVerdict ? undefined : this.#copy(both, landmark);
    if (copy !== undefined) throw copyRefused(copy);
    const finding = known.endFinding;
    if (finding !== undefined) throw damaged(this.#place.file, `row ${finding.seq} ${finding.problem}`);
    if (!isVerdict) known.refuseWhileLost();
  }

  // Read before the journal: another run writes its row first, and then the landmark.
  #landmark({ tables }: BothFiles): Landmark | undefined {
    const { landmarks } = this.#place;
    return (
      landmarks &&
      readLandmark(
        landmarks,
        this.#turns.take(() => tables.end().id),
      )
    );
  }

  // Why the files count as a copy, in words; undefined when nothing says so.
  #copy({ tables, witness }: BothFiles, landmark: Landmark | undefined): string | undefined {
    const { journal, witness: file } = this.#files;
    if (this.#place.landmarks === undefined || file === undefined) return undefined;
    const { noted, time, mark } = tables.end();
    const facts = {
      journal: { recorded: mark, now: fileMark(journal.path) },
      witness: { recorded: witness?.mark(), now: fileMark(file.path) },
      newest: noted.seq === 0 ? undefined : { ...noted, time },
    };
    return copyFound({ ...facts, landmark }, this.#place.shortTime);
  }

  #catchUp(both: BothFiles): void {
    both.catchUp();
    const { landmarks } = this.#place;
    if (landmarks === undefined || both.places === undefined) return;
    const { id, noted, time } = this.#turns.take(() => both.tables.end());
    writeLandmark(landmarks, id, { ...noted, time });
  }

  async acceptCopy(row: SettingRow): Promise<void> {
    const both = await this.#open(false);
    const landmark = both && this.#landmark(both);
    const copy = both?.atOnce(() => this.#copy(both, landmark));
    if (both === undefined || copy === undefined)
      throw new CliError('refused', `the journal ${this.#place.file} is no copy`, {
        certain: 'nothing was changed',
      });
    const { journal, witness: file } = this.#files;
    both.write((known) => {
      both.refuseMismatch();
      both.tables.add(known.link(row));
      both.tables.noteMark(fileMark(journal.path), { renews: true });
    });
    if (file !== undefined) both.writeWitness((witness) => witness.noteMark(fileMark(file.path)));
    this.#catchUp(both);
  }

  // ── The whole journal ─────────────────────────────────────────────────────────────────────────

  async verify(head?: string, now?: number): Promise<Verification> {
    const { both, findings } = await this.#openWhatCanBe();
    const found = both?.found ?? (await this.#lookForWitness());
    const result = verifyFiles(both?.tables, found, placesOf(this.#files), head);
    const all = [...findings, ...result.findings];
    if (all.length === 0 && now !== undefined)
      both?.writeWitness((witness) => witness.noteChecked({ upTo: 0, wholeAt: now }));
    return { ...result, findings: all };
  }

  async #openWhatCanBe(): Promise<{
    readonly both: BothFiles | undefined;
    readonly findings: readonly Finding[];
  }> {
    try {
      return { both: await this.#open(false), findings: [] };
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isBroken(cause)) throw error;
      return { both: undefined, findings: [{ seq: 0, problem: String(cause) }] };
    }
  }

  async checkSome(how: { readonly limit: number; readonly now: number }): Promise<Finding | undefined> {
    const both = await this.#open(false);
    const witness = both?.witness;
    if (both === undefined || witness === undefined) return undefined;
    const { finding, checked } = both.atOnce(() => checkSome(both.tables, witness, how));
    if (checked !== undefined) both.noteChecked(witness, checked);
    return finding;
  }

  async wholeCheckAt(): Promise<number | undefined> {
    const witness = (await this.#open(false))?.witness;
    return witness && this.#turns.take(() => witness.checked().wholeAt);
  }

  async repair(now: number): Promise<Repair> {
    const { findings } = await this.verify();
    if (findings.length === 0)
      throw new CliError('refused', `the journal ${this.#place.file} is whole`, {
        certain: 'nothing was changed',
      });
    this.close();
    return repairJournal(this.#files.journal, this.#files.witness, now);
  }

  async eraseBodies(before: number): Promise<number> {
    const both = await this.#open(false);
    if (both === undefined) return 0;
    return both.write((known) => {
      let erased = 0;
      for (const of of known.erasable(before)) if (both.tables.erase(of)) erased += 1;
      return erased;
    });
  }

  async archive(path: string): Promise<number> {
    const { findings } = await this.verify();
    if (findings.length > 0)
      throw new CliError('refused', `the journal ${this.#place.file} is not whole`, {
        certain: 'nothing was written',
        now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
      });
    const both = await this.#open(false);
    const key = both?.witness?.key ?? newWitnessKey();
    const write = (count: number, rows: Iterable<StoredRow>) =>
      writeArchive(path, { count, rows, key }, this.#place.cwd);
    if (both === undefined) return write(0, []);
    const { tables } = both;
    return asOfOneMoment(tables.db, () => write(tables.end().seq, tables.each()));
  }

  async countOver(before: number): Promise<number> {
    const both = await this.#open(false);
    return both === undefined ? 0 : this.#turns.take(() => countOver(both.tables, before));
  }

  async archiveOld(how: Archiving): Promise<Moved> {
    this.#refuseNetwork();
    const both = await this.#open(false);
    const { places, witness } = both ?? {};
    const check = (opened: BothFiles, landmark?: Landmark) =>
      opened.atOnce((known) => this.#refuseUnready(opened, known, landmark));
    if (both === undefined || witness === undefined || places === undefined) {
      if (both !== undefined) check(both);
      throw new CliError('refused', `the journal ${this.#place.file} has no witness yet`, {
        certain: 'nothing was moved',
      });
    }
    const landmark = this.#landmark(both);
    this.#catchUp(both);
    const { tables, openFile } = both;
    const { id, noted } = tables.end();
    const old = {
      file: this.#files.journal,
      places,
      tables,
      witness,
      openFile,
      cwd: this.#place.cwd,
      check: () => {
        both.check();
        check(both, landmark);
      },
    };
    const moved = await archiveOld(old, how);
    // If the old journal is ever put back, its landmark is ahead of it.
    const { time } = how.said;
    if (this.#place.landmarks !== undefined)
      writeLandmark(this.#place.landmarks, id, { seq: noted.seq + 1, hash: noted.hash, time });
    this.close();
    const fresh = await this.#open(true);
    fresh.writeWitness((one) => one.noteChecked({ upTo: 0, wholeAt: time }));
    return moved;
  }

  async restore(path: string): Promise<number> {
    const archive = readArchive(path, this.#place.cwd);
    this.close();
    return await restoreJournal(this.#files.journal, this.#files.witness, archive);
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  // ── Opening ───────────────────────────────────────────────────────────────────────────────────

  #open(create: true): Promise<BothFiles>;
  #open(create: false): Promise<BothFiles | undefined>;
  async #open(create: boolean): Promise<BothFiles | undefined> {
    if (this.#opened !== undefined) {
      this.#opened.check();
      return this.#opened;
    }
    const { journal } = this.#files;
    try {
      if (!(await findFile(journal, create))) return undefined;
      const openFile = await this.#turns.opener();
      // Another question of this run may have opened them meanwhile.
      this.#opened ??= this.#turns.take(() => new BothFiles(this.#files, openFile, this.#turns, this.#asked));
      return this.#opened;
    } catch (error) {
      throw error instanceof CliError ? error : unreadable(journal.path, error);
    }
  }

  // Without a journal. SQLite is not loaded for nothing.
  async #lookForWitness(): Promise<FoundWitness> {
    const { witness } = this.#files;
    if (witness === undefined || sizeOf(witness) === undefined) return { is: 'missing' };
    return findWitness(this.#files, await fileOpener());
  }
}

function copyRefused(copy: string): CliError {
  return new CliError('refused', copy, {
    certain: 'nothing was sent',
    now: [
      "look on the service's own screen which orders were changed since then",
      'if the files were restored on purpose, allow changes again: paydesk journal verify --accept-copy',
    ],
  });
}
