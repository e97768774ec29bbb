/**
 * The journal in two SQLite files on this machine: `append` commits a row, then its line in the witness. It reads what is asked for
 * and proves that, however long the journal is.
 */

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../../errors.ts';
import type { FileRules } from '../../profiles/profiles.ts';
import { readArchive, writeArchive } from '../archive-file.ts';
import { chainStart, checkChain, link, type StoredRow } from '../chain.ts';
import type { JournalRow, SentRow } from '../journal-rows.ts';
import type { Finding, JournalStore } from '../journal-store.ts';
import { archiveOld, countOver } from './archive-old.ts';
import { BothFiles, findWitness } from './both-files.ts';
import { copyFound, fileMark } from './copy-marks.ts';
import { asOfOneMoment, fileOpener } from './database.ts';
import { findFile, type JournalFile, refuseNetwork, sizeOf } from './journal-file.ts';
import { type Asked, type KnownJournal, noteAsked } from './known-journal.ts';
import { type Landmark, type LandmarkPlace, readLandmark, writeLandmark } from './landmark.ts';
import { recentIds } from './recent-ids.ts';
import { repairJournal, restoreJournal } from './repair.ts';
import { damaged, isBroken, isInUse, unreadable } from './sqlite-errors.ts';
import { Turns } from './turns.ts';
import { checkSome, verifyFiles, wholeRows } from './verify-files.ts';
import { mismatchOf, type Places, refusalOf } from './witness-check.ts';
import { type FoundWitness, newWitnessKey, type Witness } from './witness-file.ts';

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

/** The journal of this machine. As the copy that a sender keeps of one on a server it proves what that gives, and answers what is asked. */
export interface CopiedJournal extends JournalStore {
  /** Number and hash of its newest row. */
  newestRow(): Promise<Pick<StoredRow, 'seq' | 'hash'>>;
  /** Rows after a number, as they are stored, at most `limit`. */
  rowsAfter(seq: number, limit: number): Promise<readonly StoredRow[]>;
  /** What `eraseBodies` would erase. */
  erasable(before: number): Promise<readonly Pick<SentRow, 'change' | 'attempt'>[]>;
  /** The stored form of a row that may come next; adds nothing. Throws as `append` does. */
  next(row: JournalRow): Promise<StoredRow>;
  /** Adds stored rows that come next; those that are there are passed over. Throws CliError 'refused' for rows that do not follow. */
  follow(rows: readonly StoredRow[]): Promise<void>;
}

/** Opens the files on first use. Refuses damaged ones, and those of another version, with CliError 'refused'. */
export function createSqliteStore(place: SqlitePlace): CopiedJournal {
  return new SqliteStore(place);
}

const noRules: FileRules = { uid: undefined, notice: () => undefined };

// Each method is a field, since a wrapper may copy it.
class SqliteStore implements CopiedJournal {
  readonly place: string;
  readonly witness: string | undefined;
  readonly #place: SqlitePlace;
  readonly #journal: JournalFile;
  readonly #places: Places | undefined;
  readonly #turns: Turns;
  /** What this run has asked about. */
  readonly #asked: Asked = { orders: new Map(), scripts: new Map() };
  #opened: BothFiles | undefined;

  constructor(place: SqlitePlace) {
    const { file, witness, folders = [] } = place;
    const rules = { movedBy: 'XDG_STATE_HOME', ...(place.rules ?? noRules) } as const;
    this.place = file;
    this.witness = witness;
    this.#place = place;
    this.#journal = { path: file, folders, rules };
    if (witness !== undefined)
      this.#places = { journal: file, witness: { path: witness, folders: [dirname(witness)], rules } };
    this.#turns = new Turns(file, witness === undefined ? [file] : [file, witness]);
  }

  // ── Asking ────────────────────────────────────────────────────────────────────────────────────

  readonly list: JournalStore['list'] = (filter, page) => this.#ask((known) => known.list(filter, page), []);
  readonly operators: JournalStore['operators'] = (origin) =>
    this.#ask((known) => known.operators(origin), []);
  readonly settings: JournalStore['settings'] = (name) => this.#ask((known) => known.settings(name), []);
  readonly refunded: JournalStore['refunded'] = (of) => this.#ask((known) => known.refunded(of), 0);
  readonly approvals: JournalStore['approvals'] = (query) => this.#ask((known) => known.approvals(query), []);

  // Asks both files. `none`: the answer while there is no journal.
  async #ask<T>(read: (known: KnownJournal) => T, none: T): Promise<T> {
    const both = await this.#open(false);
    return both === undefined ? none : both.atOnce(read);
  }

  readonly attempts: JournalStore['attempts'] = async (query) => {
    const found = await this.#ask((known) => known.attempts(query), undefined);
    if (found === undefined) noteAsked(this.#asked, query, 0);
    return found ?? [];
  };

  readonly newest: JournalStore['newest'] = async () => {
    const newest = await this.#ask((known) => known.newest, undefined);
    const writtenAt = statSync(this.place, { throwIfNoEntry: false })?.mtimeMs;
    return newest === undefined ? { time: 0 } : { ...newest, writtenAt };
  };

  readonly ready: JournalStore['ready'] = async () => {
    this.#refuseNetwork();
    try {
      const both = await this.#open(false);
      if (both === undefined) {
        const lost = await this.#lost();
        if (lost !== undefined) throw lost;
        return;
      }
      const landmark = this.#landmark(both);
      both.atOnce((known) => this.#refuseUnready(both, known, landmark));
    } catch (error) {
      // The journal is in use. The lock on the order says who holds it, and `append` checks again.
      if (!isInUse(error)) throw error;
    }
  };

  // There is no journal. If its witness has lines, it is lost.
  async #lost(): Promise<CliError | undefined> {
    const [found, places] = [await this.#lookForWitness(), this.#places];
    const mismatch = places && mismatchOf(found, undefined, places);
    // Another run may have begun both files since this one looked for the journal.
    if (mismatch === undefined || (await this.#open(false)) !== undefined) return undefined;
    return refusalOf(mismatch, found, undefined);
  }

  readonly problem: JournalStore['problem'] = async () => {
    try {
      const both = await this.#open(false);
      if (this.#places?.witness === undefined) return undefined;
      if (both === undefined) return (await this.#lost())?.message;
      const landmark = this.#landmark(both);
      return both.atOnce(({ proof }) => proof?.mismatch?.problem ?? this.#copy(both, landmark));
    } catch (error) {
      // The journal is damaged so badly that it cannot even be compared with its witness.
      return error instanceof Error ? error.message : String(error);
    }
  };

  readonly recent: JournalStore['recent'] = (of, profile) => recentIds(this.place, of, profile);

  // ── Adding ────────────────────────────────────────────────────────────────────────────────────

  readonly append: JournalStore['append'] = async (row) => {
    try {
      await this.#append(row);
    } catch (error) {
      // What became of a change must not be lost: if the journal was archived meanwhile, it belongs into the new one.
      if (row.type !== 'verdict' || this.#opened?.isReplaced !== true) throw error;
      this.close();
      await this.#append(row);
    }
  };

  // A commit that failed at its last step may still be in the file.
  readonly takeBack: JournalStore['takeBack'] = (_sent, verdict) => this.append(verdict);

  async #append(row: JournalRow): Promise<void> {
    this.#refuseNetwork();
    const both = await this.#open(true);
    const landmark = this.#landmark(both);
    const { isCopy, mayWait } = both.write((known) => {
      // What became of a change is written down in a copy too.
      const copy = row.type === 'verdict' ? this.#copy(both, landmark) : undefined;
      const isFirst = row.type === 'verdict' && known.verdictsOn(row) === 0;
      this.#refuseRow(both, known, landmark, row);
      both.beginWitness();
      both.tables.add(known.link(row));
      return { isCopy: copy !== undefined, mayWait: isFirst && both.isWitnessAt(known.end.seq) };
    });
    // Nothing is sent before the witness has the row too. The line of a first verdict may wait for the next row: without that verdict
    // its change would count as unconfirmed again, and that sends nothing.
    if (!mayWait) both.catchUp();
    if (!isCopy) this.#noteLandmark(both);
  }

  #refuseRow(both: BothFiles, known: KnownJournal, landmark: Landmark | undefined, row: JournalRow): void {
    this.#refuseUnready(both, known, landmark, row);
    known.refuseDamaged(row);
    known.refuseMisplaced(row);
    known.refuseUnseen(row);
  }

  readonly newestRow: CopiedJournal['newestRow'] = () =>
    this.#ask(({ end: { seq, hash } }) => ({ seq, hash }), { seq: 0, hash: chainStart });

  readonly rowsAfter: CopiedJournal['rowsAfter'] = async (seq, limit) => {
    const both = await this.#open(false);
    return both === undefined ? [] : this.#turns.take(() => both.tables.after(seq, limit));
  };

  readonly erasable: CopiedJournal['erasable'] = (before) =>
    this.#ask((known) => [...known.erasable(before)], []);

  readonly next: CopiedJournal['next'] = async (row) => {
    const both = await this.#open(true);
    return both.atOnce((known) => {
      this.#refuseRow(both, known, undefined, row);
      return link(row, known.end.seq + 1, known.end.hash);
    });
  };

  readonly follow: CopiedJournal['follow'] = async (rows) => {
    const both = await this.#open(true);
    both.write((known) => {
      both.refuseMismatch(known, { exceptDamaged: true });
      const { seq, hash } = known.end;
      const next = rows.filter((row) => row.seq > seq);
      const [finding] = checkChain(next, seq, hash).findings;
      if (finding !== undefined) throw damaged(this.place, `row ${finding.seq} ${finding.problem}`);
      both.beginWitness();
      both.tables.add(next);
    });
    both.catchUp();
  };

  #refuseNetwork(): void {
    const { path, rules } = this.#journal;
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
    both.refuseMismatch(known, { exceptDamaged: isVerdict });
    const copy = isVerdict ? undefined : this.#copy(both, landmark);
    if (copy !== undefined) throw copyRefused(copy);
    const finding = known.proof?.end();
    if (finding !== undefined) throw damaged(this.place, `row ${finding.seq} ${finding.problem}`);
    if (!isVerdict) known.refuseWhileLost();
  }

  // Read before the journal: another run writes its row first, and then the landmark.
  #landmark({ tables }: BothFiles): Landmark | undefined {
    const { landmarks } = this.#place;
    if (landmarks === undefined) return undefined;
    const { id } = this.#turns.take(() => tables.end());
    return readLandmark(landmarks, id);
  }

  // Why the files count as a copy, in words; undefined when nothing says so.
  #copy({ tables, witness }: BothFiles, landmark: Landmark | undefined): string | undefined {
    const file = this.#places?.witness;
    if (this.#place.landmarks === undefined || file === undefined) return undefined;
    const { noted, time, mark } = tables.end();
    const facts = {
      journal: { recorded: mark, now: fileMark(this.place) },
      witness: { recorded: witness?.mark(), now: fileMark(file.path) },
      atLandmark: landmark && (tables.at(landmark.seq)?.hash ?? headAt(witness, landmark.seq)),
      newest: noted.seq === 0 ? undefined : { ...noted, time },
    };
    return copyFound({ ...facts, landmark }, this.#place.shortTime);
  }

  // Not of a copy: its landmark tells what the copy lacks, until somebody accepts that.
  #noteLandmark(both: BothFiles): void {
    const { landmarks } = this.#place;
    if (landmarks === undefined || both.places === undefined) return;
    const { id, noted, time } = this.#turns.take(() => both.tables.end());
    writeLandmark(landmarks, id, { ...noted, time });
  }

  readonly acceptCopy: JournalStore['acceptCopy'] = async (row) => {
    const both = await this.#open(false);
    const landmark = both && this.#landmark(both);
    const copy = both?.atOnce(() => this.#copy(both, landmark));
    if (both === undefined || copy === undefined) throw this.#refusal('is no copy', 'nothing was changed');
    const file = this.#places?.witness;
    both.write((known) => {
      both.refuseMismatch(known);
      both.tables.add(known.link(row));
      both.tables.noteMark(fileMark(this.place), { renews: true });
    });
    if (file !== undefined) both.writeWitness((witness) => witness.noteMark(fileMark(file.path)));
    both.catchUp();
    this.#noteLandmark(both);
  };

  // ── The whole journal ─────────────────────────────────────────────────────────────────────────

  readonly verify: JournalStore['verify'] = async (head, now) => {
    const findings: Finding[] = [];
    const both = await this.#open(false).catch((error: unknown) => {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isBroken(cause)) throw error;
      findings.push({ seq: 0, problem: String(cause) });
    });
    const found = both?.found ?? (await this.#lookForWitness());
    const result = verifyFiles(both?.tables, found, this.#places, head);
    const all = [...findings, ...result.findings];
    if (all.length === 0 && now !== undefined)
      both?.writeWitness((witness) => witness.noteChecked({ upTo: 0, wholeAt: now }));
    return { ...result, findings: all };
  };

  readonly checkSome: JournalStore['checkSome'] = async (how) => {
    const both = await this.#open(false);
    const witness = both?.witness;
    if (both === undefined || witness === undefined) return undefined;
    const { finding, checked } = both.atOnce(() => checkSome(both.tables, witness, how));
    if (checked !== undefined) both.noteChecked(witness, checked);
    return finding;
  };

  readonly wholeCheckAt: JournalStore['wholeCheckAt'] = async () => {
    const witness = (await this.#open(false))?.witness;
    return witness && this.#turns.take(() => witness.checked().wholeAt);
  };

  readonly repair: JournalStore['repair'] = async (now) => {
    const { findings } = await this.verify();
    if (findings.length === 0) throw this.#refusal('is whole', 'nothing was changed');
    this.close();
    const { landmarks } = this.#place;
    return repairJournal(this.#journal, this.#places?.witness, { now, landmarks });
  };

  readonly eraseBodies: JournalStore['eraseBodies'] = async (before) => {
    const both = await this.#open(false);
    if (both === undefined) return 0;
    return both.write((known) => {
      let erased = 0;
      for (const of of known.erasable(before)) if (both.tables.erase(of)) erased += 1;
      return erased;
    });
  };

  readonly archive: JournalStore['archive'] = async (path) => {
    const refuse = () => {
      throw this.#refusal('is not whole', 'nothing was written', [
        'paydesk journal verify',
        'paydesk journal verify --repair   (keeps a copy)',
      ]);
    };
    const both = await this.#open(false).catch(() => undefined);
    const landmark = both && this.#landmark(both);
    const copy = both && this.#turns.take(() => this.#copy(both, landmark));
    // On another machine nobody would notice.
    if (copy !== undefined) throw copyRefused(copy, 'nothing was written');
    // Without a file that opens there is nothing to write, or all of it is lost.
    if (both === undefined && (await this.verify()).findings.length > 0) refuse();
    const key = both?.witness?.key ?? newWitnessKey();
    const write = (count: number, rows: Iterable<StoredRow>) => {
      writeArchive(path, { count, rows, key }, this.#place.cwd);
      return count;
    };
    if (both === undefined) return write(0, []);
    const { tables, found } = both;
    const rows = () => wholeRows(tables, found, this.#places, refuse);
    return asOfOneMoment(tables.db, () => write(tables.end().seq, rows()));
  };

  readonly countOver: JournalStore['countOver'] = async (before) => {
    const both = await this.#open(false);
    return both === undefined ? 0 : this.#turns.take(() => countOver(both.tables, before));
  };

  readonly archiveOld: JournalStore['archiveOld'] = async (how) => {
    this.#refuseNetwork();
    const both = await this.#open(false);
    const { places, witness } = both ?? {};
    const check = (opened: BothFiles, landmark?: Landmark) =>
      opened.atOnce((known) => this.#refuseUnready(opened, known, landmark));
    if (both === undefined || witness === undefined || places === undefined) {
      if (both !== undefined) check(both);
      throw this.#refusal('has no witness yet', 'nothing was moved');
    }
    const landmark = this.#landmark(both);
    both.catchUp();
    this.#noteLandmark(both);
    const { id, noted } = both.tables.end();
    const checkAgain = () => {
      both.check();
      check(both, landmark);
    };
    const { tables, openFile } = both;
    const { cwd } = this.#place;
    const old = { file: this.#journal, places, tables, witness, openFile, cwd, check: checkAgain };
    const moved = await archiveOld(old, how);
    // If the old journal is ever put back, its landmark is ahead of it.
    const { time } = how.said;
    if (this.#place.landmarks !== undefined)
      writeLandmark(this.#place.landmarks, id, { seq: noted.seq + 1, hash: noted.hash, time });
    this.close();
    const fresh = await this.#open(true);
    fresh.writeWitness((one) => one.noteChecked({ upTo: 0, wholeAt: time }));
    return moved;
  };

  readonly restore: JournalStore['restore'] = async (path) => {
    const archive = readArchive(path, this.#place.cwd);
    this.close();
    return await restoreJournal(this.#journal, this.#places?.witness, archive);
  };

  readonly close = (): void => {
    this.#opened?.close();
    this.#opened = undefined;
  };

  #refusal(what: string, certain: string, now?: readonly string[]): CliError {
    return new CliError(
      'refused',
      `the journal ${this.place} ${what}`,
      now === undefined ? { certain } : { certain, now },
    );
  }

  // ── Opening ───────────────────────────────────────────────────────────────────────────────────

  #open(create: true): Promise<BothFiles>;
  #open(create: false): Promise<BothFiles | undefined>;
  async #open(create: boolean): Promise<BothFiles | undefined> {
    if (this.#opened !== undefined) {
      this.#opened.check();
      return this.#opened;
    }
    try {
      if (!(await findFile(this.#journal, create))) return undefined;
      const openFile = await this.#turns.opener();
      const parts = { path: this.place, places: this.#places, turns: this.#turns, asked: this.#asked };
      // Another question of this run may have opened them meanwhile.
      this.#opened ??= this.#turns.take(() => new BothFiles(parts, openFile));
      return this.#opened;
    } catch (error) {
      throw error instanceof CliError ? error : unreadable(this.place, error);
    }
  }

  // Without a journal. SQLite is not loaded for nothing.
  async #lookForWitness(): Promise<FoundWitness> {
    if (this.#places === undefined || sizeOf(this.#places.witness) === undefined) return { is: 'missing' };
    return findWitness(this.#places, await fileOpener());
  }
}

function headAt(witness: Witness | undefined, seq: number): string | undefined {
  const [line] = witness?.headsAfter(seq - 1, 1) ?? [];
  return line?.seq === seq ? line.head : undefined;
}

function copyRefused(copy: string, certain = 'nothing was sent'): CliError {
  return new CliError('refused', copy, {
    certain,
    now: [
      "look on the service's own screen which orders were changed since then",
      'if the files were restored on purpose, allow changes again: paydesk journal verify --accept-copy',
    ],
  });
}
