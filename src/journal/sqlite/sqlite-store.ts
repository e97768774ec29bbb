/**
 * The journal in two SQLite files on this machine: `append` commits a row, then its line in the witness. It reads what is asked for
 * and proves that, however long the journal is.
 */

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../../errors.ts';
import type { FileRules } from '../../profiles/profiles.ts';
import { readArchive, writeArchive } from '../archive-file.ts';
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
import { copyFound, fileMark, isSameFile } from './copy-marks.ts';
import { asOfOneMoment, fileOpener, type OpenFile, waitMs, writeAtOnce } from './database.ts';
import { findFile, type JournalFile, refuseNetwork, sizeOf } from './journal-file.ts';
import { JournalTables, journalKind } from './journal-tables.ts';
import { type Asked, KnownJournal, noteAsked, type RowProof } from './known-journal.ts';
import { type Landmark, type LandmarkPlace, readLandmark, writeLandmark } from './landmark.ts';
import { recentIds } from './recent-ids.ts';
import { repairJournal, restoreJournal } from './repair.ts';
import { damaged, isBroken, isInUse, unreadable } from './sqlite-errors.ts';
import { checkSome, endFinding, verifyFiles } from './verify-files.ts';
import {
  catchUp,
  linesAfter,
  mismatchOf,
  type Places,
  proofBy,
  proofOfEnd,
  refusalOf,
} from './witness-check.ts';
import {
  createWitness,
  type FoundWitness,
  nameOf,
  newWitnessKey,
  openWitness,
  takePrepared,
} from './witness-file.ts';

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
    attempts: (query) =>
      store.ask(
        (known) => known.attempts(query),
        () => {
          noteAsked(store.asked, query, 0);
          return [];
        },
      ),
    list: (filter, page) =>
      store.ask(
        (known) => known.list(filter, page),
        () => [],
      ),
    operators: (origin) =>
      store.ask(
        (known) => known.operators(origin),
        () => [],
      ),
    settings: (name) =>
      store.ask(
        (known) => known.settings(name),
        () => [],
      ),
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
    movedTo: (origin) =>
      store.ask(
        (known) => known.movedTo(origin),
        () => undefined,
      ),
    history: (origin) =>
      store.ask(
        (known) => known.history(origin),
        () => [],
      ),
    rowsOf: (origin) =>
      store.ask(
        (known) => known.rowsOf(origin),
        () => [],
      ),
    takeIn: (rows, last) => store.takeIn(rows, last),
    close: () => store.close(),
  };
}

// Each is a wait of 5 seconds.
const turnsMax = 24;

const noRules: FileRules = { uid: undefined, notice: () => undefined };

/** Both files, once they are open. */
interface Opened {
  readonly tables: JournalTables;
  readonly known: KnownJournal;
  found: FoundWitness;
  readonly openFile: OpenFile;
  /** What tells the two files that were opened from others that take their place; undefined where there was none. */
  readonly journalMark: string | undefined;
  witnessMark: string | undefined;
}

class SqliteStore {
  readonly #file: JournalFile;
  readonly #witness: JournalFile | undefined;
  readonly #onNetwork: boolean | undefined;
  readonly #cwd: (() => string) | undefined;
  readonly #landmarks: LandmarkPlace | undefined;
  readonly #shortTime: ((ms: number) => string) | undefined;
  /** What this run has asked about. */
  readonly asked: Asked = { orders: new Map(), scripts: new Map() };
  #opened: Opened | undefined;
  /** When the files were written to the last time, if this run has since waited for them in vain. */
  #inVain: string | undefined;

  constructor({ file, witness, rules = noRules, folders = [], ...place }: SqlitePlace) {
    const ownRules = { movedBy: 'XDG_STATE_HOME', ...rules } as const;
    this.#file = { path: file, folders, rules: ownRules };
    this.#witness =
      witness === undefined ? undefined : { path: witness, folders: [dirname(witness)], rules: ownRules };
    this.#onNetwork = place.onNetwork;
    this.#cwd = place.cwd;
    this.#landmarks = place.landmarks;
    this.#shortTime = place.shortTime;
  }

  // ── Asking ────────────────────────────────────────────────────────────────────────────────────

  /** Asks in one moment of both files. `none`: the answer while there is no journal. */
  async ask<T>(read: (known: KnownJournal) => T, none: () => T): Promise<T> {
    const opened = await this.#open(false);
    return opened === undefined ? none() : this.#atOnce(opened, () => read(opened.known));
  }

  // The end of the witness is read before that of the journal: another run writes its row before its line.
  #atOnce<T>({ tables, found }: Opened, read: () => T): T {
    return this.#orUnreadable(() => {
      if (found.is !== 'whole') return asOfOneMoment(tables.db, read);
      return asOfOneMoment(found.witness.db, () => {
        found.witness.end();
        return asOfOneMoment(tables.db, read);
      });
    });
  }

  // While the two files do not match, rows are shown unproven: nothing is sent, and every command warns. Only the end is checked.
  #proof({ tables, found }: Opened): RowProof {
    const places = this.#places();
    const isProven =
      found.is === 'whole' && places !== undefined && mismatchOf(found, tables, places) === undefined;
    return isProven ? proofBy(found.witness, tables) : proofOfEnd(tables);
  }

  async newest(): Promise<NewestRow> {
    const newest = await this.ask(
      (known) => known.newest,
      () => undefined,
    );
    const writtenAt = statSync(this.#file.path, { throwIfNoEntry: false })?.mtimeMs;
    return newest === undefined ? { time: 0 } : { ...newest, writtenAt };
  }

  async ready(): Promise<void> {
    this.#refuseNetwork();
    try {
      const opened = await this.#open(false);
      if (opened === undefined) this.#refuseMismatch(undefined, await this.#lookForWitness());
      else {
        const landmark = this.#landmark(opened);
        this.#atOnce(opened, () => this.#refuseUnready(opened, landmark));
      }
    } catch (error) {
      // The journal is in use. The lock on the order says who holds it, and `append` checks again.
      if (!isInUse(error)) throw error;
    }
  }

  async problem(): Promise<string | undefined> {
    try {
      const opened = await this.#open(false);
      const places = this.#places();
      if (places === undefined) return undefined;
      if (opened !== undefined) {
        const landmark = this.#landmark(opened);
        return this.#atOnce(
          opened,
          () => mismatchOf(opened.found, opened.tables, places)?.problem ?? this.#copy(opened, landmark),
        );
      }
      return mismatchOf(await this.#lookForWitness(), undefined, places)?.problem;
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
      if (row.type !== 'verdict' || !this.#isReplaced()) throw error;
      this.close();
      await this.#append(row);
    }
  }

  async #append(row: JournalRow): Promise<void> {
    this.#refuseNetwork();
    const opened = await this.#open(true);
    const { tables, known } = opened;
    const landmark = this.#landmark(opened);
    this.#write(opened, () => {
      this.#refuseUnready(opened, landmark, row);
      known.refuseDamaged(row);
      known.refuseMisplaced(row);
      known.refuseMoved(row);
      known.refuseUnseen(row);
      this.#beginWitness(opened);
      tables.add([known.link(row)]);
    });
    // Nothing is sent before the witness has the row too.
    this.#catchUp(opened);
  }

  async takeIn(rows: readonly AttemptRow[], last: JournalRow): Promise<number> {
    this.#refuseNetwork();
    const opened = await this.#open(true);
    const { tables, known } = opened;
    const landmark = this.#landmark(opened);
    const added = this.#write(opened, () => {
      this.#refuseUnready(opened, landmark);
      this.#beginWitness(opened);
      const lacking = known.lackingOf(rows);
      for (const row of [...lacking, last]) tables.add([known.link(row)]);
      return lacking.length;
    });
    this.#catchUp(opened);
    return added;
  }

  // A repair may have put another file in place while we waited for it: what is written to the old one is lost.
  #write<T>(opened: Opened, change: () => T): T {
    return this.#orUnreadable(() =>
      writeAtOnce(opened.tables.db, () => {
        this.#refuseReplaced(opened);
        this.#findWitnessAgain(opened);
        return change();
      }),
    );
  }

  #refuseNetwork(): void {
    if (this.#onNetwork === false) refuseNetwork(dirname(this.#file.path), this.#file.rules);
  }

  // A verdict may be written even if the witness is missing or damaged: what became of a change must not be lost.
  #refuseUnready(opened: Opened, landmark: Landmark | undefined, row?: JournalRow): void {
    const { tables, known, found } = opened;
    const isVerdict = row?.type === 'verdict';
    this.#refuseMismatch(tables, found, { exceptDamaged: isVerdict });
    const copy = isVerdict ? undefined : this.#copy(opened, landmark);
    if (copy !== undefined) throw copyRefused(copy);
    const last = found.is === 'whole' ? found.witness.end() : undefined;
    const finding = endFinding(tables, last === 'damaged' ? undefined : last);
    if (finding !== undefined) throw damaged(this.#file.path, `row ${finding.seq} ${finding.problem}`);
    if (!isVerdict) known.refuseWhileLost();
  }

  #refuseMismatch(
    tables: JournalTables | undefined,
    found: FoundWitness,
    { exceptDamaged } = { exceptDamaged: false },
  ): void {
    const places = this.#places();
    const mismatch = places === undefined ? undefined : mismatchOf(found, tables, places);
    if (mismatch === undefined || (exceptDamaged && mismatch.state === 'damaged')) return;
    throw refusalOf(mismatch, found, tables);
  }

  // Read before the journal: another run writes its row first, and then the landmark.
  #landmark({ tables }: Opened): Landmark | undefined {
    return (
      this.#landmarks &&
      readLandmark(
        this.#landmarks,
        this.#orUnreadable(() => tables.end().id),
      )
    );
  }

  // Why the files count as a copy, in words; undefined when nothing says so.
  #copy({ tables, found }: Opened, landmark: Landmark | undefined): string | undefined {
    if (this.#landmarks === undefined || this.#witness === undefined) return undefined;
    const { noted, time, mark } = tables.end();
    const newest = noted.seq === 0 ? undefined : { ...noted, time };
    const witness = {
      recorded: found.is === 'whole' ? found.witness.mark() : undefined,
      now: fileMark(this.#witness.path),
    };
    return copyFound(
      { journal: { recorded: mark, now: fileMark(this.#file.path) }, witness, landmark, newest },
      this.#shortTime,
    );
  }

  // Begins the witness of a new journal, and notes in the journal which one it has. The witness must hold no row that is not on
  // the disk, so it begins before the first row.
  #beginWitness(opened: Opened): void {
    const { tables, found, openFile } = opened;
    if (this.#witness === undefined || tables.end().witness !== undefined) return;
    const key = found.is === 'whole' ? found.witness.key : newWitnessKey();
    if (found.is !== 'whole') createWitness(this.#witness, openFile, key, linesAfter(tables, 0, key));
    tables.noteWitness(nameOf(key));
    tables.noteMark(fileMark(this.#file.path), { renews: false });
  }

  #catchUp(opened: Opened): void {
    const places = this.#places();
    if (places === undefined) return;
    this.#findWitnessAgain(opened);
    // It may be damaged while a verdict is written. Then the row alone has to do.
    const { found } = opened;
    if (found.is === 'whole') this.#orUnreadable(() => catchUp(found.witness, opened.tables, places));
    const { id, noted, time } = this.#orUnreadable(() => opened.tables.end());
    if (this.#landmarks !== undefined) writeLandmark(this.#landmarks, id, { ...noted, time });
  }

  async acceptCopy(row: SettingRow): Promise<void> {
    const opened = await this.#open(false);
    const landmark = opened && this.#landmark(opened);
    const copy = opened && this.#atOnce(opened, () => this.#copy(opened, landmark));
    if (opened === undefined || copy === undefined)
      throw new CliError('refused', `the journal ${this.#file.path} is no copy`, {
        certain: 'nothing was changed',
      });
    const { tables, known, found } = opened;
    this.#write(opened, () => {
      this.#refuseMismatch(tables, found);
      tables.add([known.link(row)]);
      tables.noteMark(fileMark(this.#file.path), { renews: true });
    });
    const file = this.#witness;
    if (found.is === 'whole' && file !== undefined)
      this.#orUnreadable(() =>
        writeAtOnce(found.witness.db, () => found.witness.noteMark(fileMark(file.path))),
      );
    this.#catchUp(opened);
  }

  // ── The whole journal ─────────────────────────────────────────────────────────────────────────

  async verify(head?: string, now?: number): Promise<Verification> {
    const places = this.#places();
    const { opened, findings } = await this.#openWhatCanBe();
    const found = opened?.found ?? (await this.#lookForWitness());
    const result = verifyFiles(opened?.tables, found, places, head);
    const all = [...findings, ...result.findings];
    if (all.length === 0 && found.is === 'whole' && now !== undefined)
      this.#orUnreadable(() =>
        writeAtOnce(found.witness.db, () => found.witness.noteChecked({ upTo: 0, wholeAt: now })),
      );
    return { ...result, findings: all };
  }

  async #openWhatCanBe(): Promise<{
    readonly opened: Opened | undefined;
    readonly findings: readonly Finding[];
  }> {
    try {
      return { opened: await this.#open(false), findings: [] };
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isBroken(cause)) throw error;
      return { opened: undefined, findings: [{ seq: 0, problem: String(cause) }] };
    }
  }

  async checkSome({
    limit,
    now,
  }: {
    readonly limit: number;
    readonly now: number;
  }): Promise<Finding | undefined> {
    const opened = await this.#open(false);
    const [found, places] = [opened?.found, this.#places()];
    if (opened === undefined || found?.is !== 'whole' || places === undefined) return undefined;
    const { tables } = opened;
    const { witness } = found;
    const { finding, checked } = this.#atOnce(opened, () => checkSome(tables, witness, { limit, now }));
    if (checked !== undefined) noteUnlessBusy(() => witness.noteChecked(checked), witness.db);
    return finding;
  }

  async wholeCheckAt(): Promise<number | undefined> {
    const opened = await this.#open(false);
    if (opened?.found.is !== 'whole') return undefined;
    const { witness } = opened.found;
    return this.#orUnreadable(() => witness.checked().wholeAt);
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
    const opened = await this.#open(false);
    if (opened === undefined) return 0;
    const { tables, known } = opened;
    return this.#write(opened, () => {
      let erased = 0;
      for (const of of known.erasable(before)) if (tables.erase(of)) erased += 1;
      return erased;
    });
  }

  async archive(path: string): Promise<number> {
    const { findings } = await this.verify();
    if (findings.length > 0)
      throw new CliError('refused', `the journal ${this.#file.path} is not whole`, {
        certain: 'nothing was written',
        now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
      });
    const opened = await this.#open(false);
    const key = opened?.found.is === 'whole' ? opened.found.witness.key : newWitnessKey();
    const write = (count: number, rows: Iterable<StoredRow>) =>
      writeArchive(path, { count, rows, key }, this.#cwd);
    if (opened === undefined) return write(0, []);
    const { tables } = opened;
    return asOfOneMoment(tables.db, () => write(tables.end().seq, tables.each()));
  }

  async countOver(before: number): Promise<number> {
    const opened = await this.#open(false);
    return opened === undefined ? 0 : this.#orUnreadable(() => countOver(opened.tables, before));
  }

  async archiveOld(how: Archiving): Promise<Moved> {
    this.#refuseNetwork();
    const [opened, places] = [await this.#open(false), this.#places()];
    if (opened?.found.is !== 'whole' || places === undefined) {
      if (opened !== undefined) this.#refuseUnready(opened, undefined);
      throw new CliError('refused', `the journal ${this.#file.path} has no witness yet`, {
        certain: 'nothing was moved',
      });
    }
    const landmark = this.#landmark(opened);
    const check = () => {
      this.#refuseReplaced(opened);
      this.#refuseUnready(opened, landmark);
    };
    this.#catchUp(opened);
    const { tables, found, openFile } = opened;
    const { id, noted } = tables.end();
    const old = { file: this.#file, places, tables, witness: found.witness, openFile, cwd: this.#cwd, check };
    const moved = await archiveOld(old, how);
    // If the old journal is ever put back, its landmark is ahead of it.
    const { time } = how.said;
    if (this.#landmarks !== undefined)
      writeLandmark(this.#landmarks, id, { seq: noted.seq + 1, hash: noted.hash, time });
    this.close();
    const { found: fresh } = await this.#open(true);
    if (fresh.is === 'whole')
      writeAtOnce(fresh.witness.db, () => fresh.witness.noteChecked({ upTo: 0, wholeAt: time }));
    return moved;
  }

  async restore(path: string): Promise<number> {
    const archive = readArchive(path, this.#cwd);
    this.close();
    return await restoreJournal(this.#file, this.#witness, archive);
  }

  close(): void {
    this.#opened?.tables.db.close();
    if (this.#opened?.found.is === 'whole') this.#opened.found.witness.close();
    this.#opened = undefined;
  }

  // ── Opening ───────────────────────────────────────────────────────────────────────────────────

  #open(create: true): Promise<Opened>;
  #open(create: false): Promise<Opened | undefined>;
  async #open(create: boolean): Promise<Opened | undefined> {
    const { path } = this.#file;
    if (this.#opened !== undefined) {
      this.#refuseReplaced(this.#opened);
      this.#findWitnessAgain(this.#opened);
      return this.#opened;
    }
    try {
      if (!(await findFile(this.#file, create))) return undefined;
      const openFile = await fileOpener(() => this.#wait());
      // Another question of this run may have opened them meanwhile.
      this.#opened ??= this.#orUnreadable(() => this.#openBoth(openFile));
      return this.#opened;
    } catch (error) {
      throw error instanceof CliError ? error : unreadable(path, error);
    }
  }

  // A run that archived may have been stopped after it put the new journal in its place, and before the witness of that.
  #takePrepared(tables: JournalTables, openFile: OpenFile): void {
    if (this.#witness === undefined) return;
    const alone = (take: () => void) => writeAtOnce(tables.db, take);
    takePrepared(this.#witness, openFile, { name: tables.end().witness, alone });
  }

  // Another file is where the opened one was.
  #isReplaced(): boolean {
    const { path } = this.#file;
    return this.#opened !== undefined && existsSync(path) && !isInPlace(path, this.#opened.journalMark);
  }

  #openBoth(openFile: OpenFile): Opened {
    const { path } = this.#file;
    const tables = new JournalTables(openFile(path, journalKind));
    try {
      this.#takePrepared(tables, openFile);
      const opened: Opened = {
        tables,
        known: new KnownJournal(tables, this.asked, () => this.#proof(opened)),
        found: this.#findWitness(openFile),
        openFile,
        journalMark: markOf(path),
        witnessMark: this.#witnessMark(),
      };
      return opened;
    } catch (error) {
      tables.db.close();
      throw error;
    }
  }

  // The numbers of rows that this run has seen count in the file that it opened only.
  #refuseReplaced({ journalMark }: Opened): void {
    const { path } = this.#file;
    if (isInPlace(path, journalMark)) return;
    throw new CliError('refused', `the journal ${path} was moved away or replaced while this run used it`, {
      certain: 'nothing was sent',
      now: ['run the command again'],
    });
  }

  // The witness may be lost or made anew while the run goes on.
  #findWitnessAgain(opened: Opened): void {
    if (this.#witness === undefined || isInPlace(this.#witness.path, opened.witnessMark)) return;
    if (opened.found.is === 'whole') opened.found.witness.close();
    opened.found = this.#findWitness(opened.openFile);
    opened.witnessMark = this.#witnessMark();
  }

  #witnessMark(): string | undefined {
    return this.#witness && markOf(this.#witness.path);
  }

  // Without a journal. SQLite is not loaded for nothing.
  async #lookForWitness(): Promise<FoundWitness> {
    if (this.#witness === undefined || sizeOf(this.#witness) === undefined) return { is: 'missing' };
    return this.#findWitness(await fileOpener());
  }

  #findWitness(openFile: OpenFile): FoundWitness {
    return this.#witness === undefined ? { is: 'missing' } : openWitness(this.#witness, openFile);
  }

  #places(): Places | undefined {
    return this.#witness && { journal: this.#file.path, witness: this.#witness };
  }

  #orUnreadable<T>(act: () => T): T {
    try {
      return this.#inTurn(act);
    } catch (error) {
      throw error instanceof CliError ? error : unreadable(this.#file.path, error);
    }
  }

  // Where many runs write, one of them may wait in vain for longer than SQLite waits. It goes on as long as others get on: only a run
  // that holds the files and does not finish is told of. What is tried again is done as a whole or not at all.
  #inTurn<T>(act: () => T): T {
    for (let turn = 1; ; turn += 1) {
      const before = this.#lastWritten();
      this.#setWait();
      try {
        const done = act();
        this.#inVain = undefined;
        return done;
      } catch (error) {
        if (!isInUse(error)) throw error;
        const now = this.#lastWritten();
        if (turn < turnsMax && now !== before) continue;
        this.#inVain = now;
        throw error;
      }
    }
  }

  // A command asks many questions. If one waited in vain for a run that is stopped, the others do not wait for it again.
  #wait(): number {
    return this.#inVain !== undefined && this.#inVain === this.#lastWritten() ? 0 : waitMs;
  }

  #setWait(): void {
    const { tables, found } = this.#opened ?? {};
    const pragma = `PRAGMA busy_timeout = ${this.#wait()}`;
    tables?.db.exec(pragma);
    if (found?.is === 'whole') found.witness.db.exec(pragma);
  }

  #lastWritten(): string {
    const files = [this.#file, ...(this.#witness === undefined ? [] : [this.#witness])];
    const times = files.map(({ path }) => statSync(path, { throwIfNoEntry: false })?.mtimeMs);
    return times.join(' ');
  }
}

// Undefined when there is no file; empty where a file system tells nothing that holds.
function markOf(path: string): string | undefined {
  return existsSync(path) ? (fileMark(path) ?? '') : undefined;
}

function isInPlace(path: string, mark: string | undefined): boolean {
  const now = markOf(path);
  return (mark === undefined) === (now === undefined) && isSameFile(mark, now);
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

// How far the check came is worth no wait: another run writes just now.
function noteUnlessBusy(note: () => void, db: Opened['tables']['db']): void {
  try {
    db.exec('PRAGMA busy_timeout = 0');
    writeAtOnce(db, note);
  } catch (error) {
    if (!isInUse(error)) throw error;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${waitMs}`);
  }
}
