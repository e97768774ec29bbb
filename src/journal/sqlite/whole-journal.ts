/** What is done with a whole journal: check, rebuild, export, import, and move attempts that ended long ago into a file. */

import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, refused, systemReason } from '../../errors.ts';
import { fullPath } from '../../io.ts';
import { isWritten, readArchive, writeArchive } from '../rows/archive-file.ts';
import { archiveRow, areOver, inShort } from '../rows/archived-rows.ts';
import { chainStart, link, relink, type StoredRow } from '../rows/chain.ts';
import { type AttemptRecord, attemptKey, type SettingRow } from '../rows/journal-rows.ts';
import type { Archiving, Finding, JournalStore, Moved } from '../rows/journal-store.ts';
import type { BothFiles } from './both-files.ts';
import { type Landmark, removeLandmark, writeLandmark } from './copy-marks.ts';
import type { OpenFile } from './database.ts';
import { journalKind, type NumberedAttempt } from './journal-columns.ts';
import { type JournalFile, syncFolder } from './journal-file.ts';
import { JournalTables } from './journal-tables.ts';
import type { KnownJournal } from './known-journal.ts';
import { copyRefused, type OpenedFiles, type ReadyCheck } from './opened-files.ts';
import { buildJournal, dropJournal, repairJournal, replaceJournal, restoreJournal } from './repair.ts';
import { isBroken } from './sqlite-errors.ts';
import { type AtOneMoment, checkSome, untouched, verifyFiles, wholeRows } from './verify-files.ts';
import type { Witness } from './witness/witness.ts';
import { linesAfter, type Places } from './witness/witness-check.ts';
import { type FoundWitness, openWitness, prepareWitness } from './witness/witness-file.ts';
import { newWitnessKey } from './witness/witness-seals.ts';

/** The part of the store's port about all rows. Each method is a field, since a wrapper may copy it. */
export class WholeJournal {
  readonly #files: OpenedFiles;
  readonly #ready: ReadyCheck;

  constructor(files: OpenedFiles, ready: ReadyCheck) {
    this.#files = files;
    this.#ready = ready;
  }

  readonly verify: JournalStore['verify'] = async (head, now) => {
    const findings: Finding[] = [];
    const both = await this.#files.open(false).catch((error: unknown) => {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isBroken(cause)) throw error;
      findings.push({ seq: 0, problem: String(cause) });
    });
    const found = both?.found ?? (await this.#files.lookForWitness());
    const moment = both === undefined ? untouched : momentOf(both);
    const result = verifyFiles(both?.tables, found, this.#files.places, { head, moment });
    const all = [...findings, ...result.findings];
    if (all.length === 0 && now !== undefined)
      both?.writeWitness((witness) => witness.noteChecked({ upTo: 0, wholeAt: now }));
    return { ...result, findings: all };
  };

  readonly checkSome: JournalStore['checkSome'] = async (how) => {
    const both = await this.#files.open(false);
    const witness = both?.witness;
    if (both === undefined || witness === undefined) return undefined;
    const { finding, checked } = both.atOnce(() => checkSome(both.tables, witness, how));
    if (checked !== undefined) both.noteChecked(witness, checked);
    return finding;
  };

  readonly wholeCheckAt: JournalStore['wholeCheckAt'] = async () => {
    const witness = (await this.#files.open(false))?.witness;
    return witness && this.#files.turns.take(() => witness.checked().wholeAt);
  };

  readonly repair: JournalStore['repair'] = async (now) => {
    const { findings } = await this.verify();
    if (findings.length === 0) throw this.#files.refusal('is whole', 'nothing was changed');
    this.#files.close();
    const { landmarks } = this.#files.place;
    return repairJournal(this.#files.journal, this.#files.places?.witness, { now, landmarks });
  };

  readonly eraseBodies: JournalStore['eraseBodies'] = async (before) => {
    const both = await this.#files.open(false);
    if (both === undefined) return 0;
    return both.write((known) => {
      let erased = 0;
      for (const of of known.erasable(before)) if (both.tables.erase(of)) erased += 1;
      return erased;
    });
  };

  readonly whole: JournalStore['whole'] = async (take) => {
    const refuse = () => {
      throw this.#files.refusal('is not whole', 'nothing was written', [
        'paydesk journal verify',
        'paydesk journal verify --repair   (keeps a copy)',
      ]);
    };
    const both = await this.#files.open(false).catch(() => undefined);
    const landmark = both && this.#ready.landmark(both);
    const copy = both && this.#files.turns.take(() => this.#ready.copy(both, landmark));
    // Another machine could not tell that it is a copy.
    if (copy !== undefined) throw copyRefused(copy, 'nothing was written');
    // If no file opens, either there is nothing to write or everything is lost.
    if (both === undefined && (await this.verify()).findings.length > 0) refuse();
    const key = both?.witness?.key ?? newWitnessKey();
    if (both === undefined) return take({ count: 0, rows: [], key });
    const { tables, found } = both;
    const moment: AtOneMoment = (read) => both.atOnce(read);
    const end = moment(() => tables.end());
    return take({
      count: end.seq,
      rows: wholeRows(tables, found, this.#files.places, { end, moment, refuse }),
      key,
    });
  };

  readonly countOver: JournalStore['countOver'] = async (before) => {
    const both = await this.#files.open(false);
    return both === undefined ? 0 : this.#files.turns.take(() => countOver(both.tables, before));
  };

  readonly archiveOld: JournalStore['archiveOld'] = async (how) => {
    this.#files.refuseNetwork();
    const both = await this.#files.open(false);
    const { places, witness } = both ?? {};
    const check = (opened: BothFiles, landmark?: Landmark) =>
      opened.atOnce((known) => this.#ready.refuseUnready(opened, known, landmark));
    if (both === undefined || witness === undefined || places === undefined) {
      if (both !== undefined) check(both);
      throw this.#files.refusal('has no witness yet', 'nothing was moved');
    }
    const landmark = this.#ready.landmark(both);
    both.catchUp();
    this.#ready.noteLandmark(both);
    const { id, noted } = both.tables.end();
    const checkAgain = () => {
      both.check();
      check(both, landmark);
    };
    const { tables, openFile } = both;
    const { cwd } = this.#files.place;
    const old = { file: this.#files.journal, places, tables, witness, openFile, cwd, check: checkAgain };
    const moved = await archiveOld(old, how);
    // If the old journal is restored later, its landmark is ahead of it.
    const { time } = how.said;
    if (this.#files.place.landmarks !== undefined)
      writeLandmark(this.#files.place.landmarks, id, { seq: noted.seq + 1, hash: noted.hash, time });
    this.#files.close();
    const fresh = await this.#files.open(true);
    fresh.writeWitness((one) => one.noteChecked({ upTo: 0, wholeAt: time }));
    return moved;
  };

  readonly isDiscarded = (): boolean => existsSync(this.#removed) && !existsSync(this.#files.journal.path);

  get #removed(): string {
    return `${dirname(this.#files.journal.path)}-removed`;
  }

  // The folder of the journal gets another name in one step. Without a journal, its witness stops every run until it is gone too.
  readonly discard = async (isFree: (known: KnownJournal) => void): Promise<void> => {
    const [folder, { landmarks }] = [dirname(this.#files.journal.path), this.#files.place];
    const both = await this.#files.open(false);
    const witness = this.#files.places?.witness.path;
    both?.write((known) => {
      isFree(known);
      const { id } = both.tables.end();
      rmSync(this.#removed, { recursive: true, force: true });
      this.#setAside(folder);
      // Until here the journal stays, and a copy of it must be noticed.
      if (landmarks !== undefined) removeLandmark(landmarks, id);
    });
    this.#files.close();
    if (both !== undefined) await syncFolder(dirname(folder));
    if (witness !== undefined) rmSync(dirname(witness), { recursive: true, force: true });
    rmSync(this.#removed, { recursive: true, force: true });
  };

  #setAside(folder: string): void {
    try {
      renameSync(folder, this.#removed);
    } catch (error) {
      throw this.#files.refusal(`cannot be removed: ${systemReason(error)}`, 'the journal is as it was');
    }
  }

  readonly restore: JournalStore['restore'] = async (path) => {
    const archive = readArchive(path, this.#files.place.cwd);
    this.#files.close();
    return await restoreJournal(this.#files.journal, this.#files.places?.witness, archive);
  };
}

// A journal too damaged to be read at one moment is read as it is: the check says what is wrong with it.
function momentOf(both: BothFiles): AtOneMoment {
  return (read) => {
    try {
      return both.atOnce(read);
    } catch (error) {
      if (!(error instanceof Error) || !isBroken(error.cause)) throw error;
      return read();
    }
  };
}

interface OldJournal {
  readonly file: JournalFile;
  readonly places: Places;
  readonly tables: JournalTables;
  readonly witness: Witness;
  readonly openFile: OpenFile;
  /** Relative file names start from this folder. */
  readonly cwd: (() => string) | undefined;
  /** Throws CliError 'refused' if the journal is not fit for changes. */
  readonly check: () => void;
}

/** How many attempts would be moved. */
function countOver(tables: JournalTables, before: number): number {
  let count = 0;
  for (const { about } of tables.sql('SELECT DISTINCT about FROM attempts').iterate())
    count += recordsOver(tables, String(about), before).filter(isWhole).length;
  return count;
}

/**
 * Writes all rows to a file as they are, and puts a shorter journal in place of the old one, while runs that write wait. If it is
 * stopped, either the old journal or the new one is there, and it is whole. The new witness lies beside the old one until the next run opens the journal. Throws
 * CliError 'refused' if the journal is damaged. After a failure the old journal is still there.
 */
async function archiveOld(old: OldJournal, { before, path, said }: Archiving): Promise<Moved> {
  const { file, tables, witness } = old;
  const fresh = `${file.path}.archived`;
  try {
    // Lookups jump around the whole file.
    tables.db.exec('PRAGMA cache_size = -32768');
    for (const { db } of [tables, witness]) db.exec('BEGIN IMMEDIATE');
    old.check();
    refuseFindings(old, tables, { is: 'whole', witness });
    const { seq: rows, hash: head } = tables.end();
    const sha256 = writeChecked(old, path, rows);
    const from = { at: said.time, file: fullPath(old.cwd, path), rows, head, sha256 };
    const built = await orWithoutFile(old, path, () => build(old, fresh, before, archiveRow(said, from)));
    await replaceJournal(file.path, fresh);
    return { ...built, rowsBefore: rows, sha256 };
  } finally {
    for (const { db } of [witness, tables]) if (db.isTransaction) db.exec('ROLLBACK');
    await dropJournal(fresh);
  }
}

function refuseFindings({ places }: OldJournal, tables: JournalTables, witness: FoundWitness): void {
  const [finding] = verifyFiles(tables, witness, places, { moment: untouched }).findings;
  if (finding !== undefined) throw notWhole(places, finding.problem);
}

function notWhole({ journal }: Places, problem: string): CliError {
  return new CliError('refused', `the journal ${journal} is not whole: ${problem}`, {
    certain: 'nothing was moved',
    now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
  });
}

// Checks the rows again while writing them, and reads back every byte, since only this file will have them all. Returns the digest
// of the rows.
function writeChecked({ tables, witness, places, cwd }: OldJournal, path: string, count: number): string {
  const refuse = () => {
    throw notWhole(places, 'a row changed after it was checked');
  };
  const how = { end: tables.end(), moment: untouched, refuse };
  const rows = wholeRows(tables, { is: 'whole', witness }, places, how);
  const written = writeArchive(path, { count, rows, key: witness.key }, cwd);
  if (isWritten(path, written, cwd)) return written.ofRows;
  throw refused(`${path} does not hold what was written to it`, ['take another folder'], {
    certain: 'nothing was moved',
  });
}

// Until the new journal is in place, the file is not needed. It is removed so that the next try can use the name.
async function orWithoutFile<T>({ cwd }: OldJournal, path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    rmSync(fullPath(cwd, path), { force: true });
    throw error;
  }
}

// Builds the new journal and its witness beside the old ones.
async function build(
  old: OldJournal,
  fresh: string,
  before: number,
  first: SettingRow,
): Promise<Pick<Moved, 'attempts' | 'rows'>> {
  const { file, places, openFile } = old;
  const moved = { attempts: 0 };
  const key = newWitnessKey();
  const rows = newRows(old.tables, { before, moved, first: link(first, 1, chainStart) });
  await buildJournal({ ...file, path: fresh }, openFile, { rows, key });
  const tables = new JournalTables(openFile(fresh, journalKind));
  try {
    prepareWitness(places.witness, openFile, key, linesAfter(tables, 0, key));
    const witness = openWitness({ ...places.witness, path: `${places.witness.path}.new` }, openFile);
    refuseFindings(old, tables, witness);
    if (witness.is === 'whole') witness.witness.close();
    return { ...moved, rows: tables.end().seq };
  } finally {
    tables.db.close();
  }
}

function* newRows(
  tables: JournalTables,
  what: { readonly before: number; readonly moved: { attempts: number }; readonly first: StoredRow },
): Generator<StoredRow> {
  const { before, moved, first } = what;
  yield first;
  let { seq, hash } = first;
  // The attempts that were shortened, each with the number of its last row. Their other rows are skipped.
  const passed = new Map<string, number>();
  for (const stored of tables.each()) {
    const key = attemptKey(stored);
    const last = stored.type === 'verdict' ? passed.get(key) : undefined;
    if (last === stored.seq) passed.delete(key);
    if (last !== undefined) continue;
    const about = stored.type === 'sent' ? (stored.order_id ?? tables.sentOf(stored)?.about) : undefined;
    const over = about === undefined ? [] : recordsOver(tables, about, before);
    const record = over.find((one) => isWhole(one) && attemptKey(one.sent) === key);
    if (record !== undefined) {
      moved.attempts += 1;
      if (record.last > stored.seq) passed.set(key, record.last);
    }
    const next =
      record === undefined ? relink(stored, seq + 1, hash) : link(inShort(record, first.time), seq + 1, hash);
    yield next;
    ({ seq, hash } = next);
  }
}

// The attempts on an order, if all of them are over. The columns already rule out most orders.
function recordsOver(tables: JournalTables, about: string, before: number): readonly NumberedAttempt[] {
  const found = tables
    .sql(
      `SELECT max(time) AS newest, count(is_open) + count(is_doubted) + count(due) AS unfinished
       FROM attempts WHERE about = ?`,
    )
    .get(about);
  if (Number(found?.newest) >= before || found?.unfinished !== 0) return [];
  const records = tables.attemptsAbout(about);
  return areOver(records, before) ? records : [];
}

// Whether the attempt still has all its rows.
function isWhole({ sent }: AttemptRecord): boolean {
  return sent.archived === undefined;
}
