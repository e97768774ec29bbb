/**
 * The journal in two SQLite files on this machine: `append` commits a row, then its line in the witness. It reads and proves only
 * what is asked for, however long the journal is.
 */

import { statSync } from 'node:fs';
import type { CliError } from '../../errors.ts';
import { chainStart, checkChain, link, type StoredRow } from '../rows/chain.ts';
import type { JournalRow, SentRow } from '../rows/journal-rows.ts';
import type { JournalStore } from '../rows/journal-store.ts';
import type { BothFiles } from './both-files.ts';
import { fileMark } from './copy-marks.ts';
import { damaged, isInUse } from './database.ts';
import { type KnownJournal, noteAsked } from './known-journal.ts';
import { OpenedFiles, ReadyCheck, type SqlitePlace } from './opened-files.ts';
import { WholeJournal } from './whole-journal.ts';
import { mismatchOf, refusalOf } from './witness/witness-check.ts';

/**
 * The journal of this machine. Also the copy that a sender keeps of a journal on a server: it proves what the server gives, and
 * answers questions.
 */
export interface CopiedJournal extends JournalStore {
  newestRow(): Promise<Pick<StoredRow, 'seq' | 'hash'>>;
  /**
   * Removes both files for good, while runs that write wait. `isFree` throws to keep them: it is asked under that lock. If it is
   * stopped, either all is as it was, or the next call finishes it.
   */
  discard(isFree: (known: KnownJournal) => void): Promise<void>;
  /** Whether a `discard` was stopped before its end. */
  isDiscarded(): boolean;
  /** Rows after a number, as they are stored, at most `limit`. */
  rowsAfter(seq: number, limit: number): Promise<readonly StoredRow[]>;
  /** What `eraseBodies` would erase. */
  erasable(before: number): Promise<readonly Pick<SentRow, 'change' | 'attempt'>[]>;
  /** The stored form of a possible next row; adds nothing. Throws as `append` does. */
  next(row: JournalRow): Promise<StoredRow>;
  /** Adds the next stored rows and skips those it has. Throws CliError 'refused' for rows that do not follow. */
  follow(rows: readonly StoredRow[]): Promise<void>;
}

/** Opens the files on first use. Throws CliError 'refused' for damaged ones, and those of another version. */
export function createSqliteStore(place: SqlitePlace): CopiedJournal {
  const files = new OpenedFiles(place);
  return new SqliteStore(files, new ReadyCheck(files));
}

// The most rows of one commit: while it lasts, a sender answers nobody.
const mostAtOnce = 16;

/** A row on its way into the files. */
interface Waiting {
  readonly row: JournalRow;
  readonly recorded: () => void;
  readonly unrecorded: (error: unknown) => void;
}

// Reads attempts and other rows, and adds rows. Each method is a field, since a wrapper may copy it.
class SqliteStore extends WholeJournal implements CopiedJournal {
  readonly place: string;
  readonly witness: string | undefined;
  readonly #files: OpenedFiles;
  readonly #ready: ReadyCheck;
  #waiting: readonly Waiting[] = [];
  // How many changes of this run may still add rows.
  #expected = 0;
  // How long the last commit took, in milliseconds.
  #commitMs = 0;
  #isCalled = false;
  #readiness: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(files: OpenedFiles, ready: ReadyCheck) {
    super(files, ready);
    this.place = files.place.file;
    this.witness = files.place.witness;
    this.#files = files;
    this.#ready = ready;
  }

  // ── Asking ────────────────────────────────────────────────────────────────────────────────────

  readonly list: JournalStore['list'] = (filter, page) =>
    this.#files.ask((known) => known.list(filter, page), []);
  readonly operators: JournalStore['operators'] = (origin) =>
    this.#files.ask((known) => known.operators(origin), []);
  readonly settings: JournalStore['settings'] = (name) =>
    this.#files.ask((known) => known.settings(name), []);
  readonly refunded: JournalStore['refunded'] = (of) => this.#files.ask((known) => known.refunded(of), 0);
  readonly approvals: JournalStore['approvals'] = (query) =>
    this.#files.ask((known) => known.approvals(query), []);

  readonly storedRows: JournalStore['storedRows'] = (sents) =>
    this.#files.ask((known) => known.storedRows(sents), { rows: [], head: undefined });

  readonly attempts: JournalStore['attempts'] = async (query) => {
    const found = await this.#files.ask((known) => known.attempts(query), undefined);
    if (found === undefined) noteAsked(this.#files.asked, query, 0);
    return found ?? [];
  };

  readonly newest: JournalStore['newest'] = async () => {
    const newest = await this.#files.ask((known) => known.newest, undefined);
    const writtenAt = statSync(this.place, { throwIfNoEntry: false })?.mtimeMs;
    return newest === undefined ? { time: 0 } : { ...newest, writtenAt };
  };

  // All who ask in one turn of the event loop share one check, which comes after that turn.
  readonly ready: JournalStore['ready'] = () => {
    this.#readiness ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#readiness = undefined;
      return this.#refuseUnready();
    });
    return this.#readiness;
  };

  async #refuseUnready(): Promise<void> {
    this.#files.refuseNetwork();
    try {
      const both = await this.#files.open(false);
      if (both === undefined) {
        const lost = await this.#lost();
        if (lost !== undefined) throw lost;
        return;
      }
      const landmark = this.#ready.landmark(both);
      both.atOnce((known) => this.#ready.refuseUnready(both, known, landmark));
    } catch (error) {
      // The journal is in use. The lock on the order says who holds it, and `append` checks again.
      if (!isInUse(error)) throw error;
    }
  }

  // There is no journal. If its witness has lines, the journal is lost.
  async #lost(): Promise<CliError | undefined> {
    const [found, places] = [await this.#files.lookForWitness(), this.#files.places];
    const mismatch = places && mismatchOf(found, undefined, places);
    // Another run may have created both files since this one looked.
    if (mismatch === undefined || (await this.#files.open(false)) !== undefined) return undefined;
    return refusalOf(mismatch, found, undefined);
  }

  readonly problem: JournalStore['problem'] = async () => {
    try {
      const both = await this.#files.open(false);
      if (this.#files.places?.witness === undefined) return undefined;
      if (both === undefined) return (await this.#lost())?.message;
      const landmark = this.#ready.landmark(both);
      return both.atOnce(({ proof }) => proof?.mismatch?.problem ?? this.#ready.copy(both, landmark));
    } catch (error) {
      // The journal is too damaged to be compared with its witness.
      return error instanceof Error ? error.message : String(error);
    }
  };

  // ── Adding ────────────────────────────────────────────────────────────────────────────────────

  readonly append: JournalStore['append'] = (row) =>
    new Promise((recorded, unrecorded) => this.#wait({ row, recorded, unrecorded }));

  // A commit that failed at its last step may still be in the file.
  readonly takeBack: JournalStore['takeBack'] = (_sent, verdict) => this.append(verdict);

  readonly expectRows: NonNullable<JournalStore['expectRows']> = () => {
    this.#expected += 1;
    return () => {
      this.#expected -= 1;
      this.#commitSoon();
    };
  };

  #wait(one: Waiting): void {
    this.#waiting = [...this.#waiting, one];
    this.#commitSoon();
  }

  // Adding a row mostly means waiting for the disk, so the rows of orders that wait at the same time share one commit. A row also
  // waits for rows of other changes that are under way, but no longer than half of what the last commit took.
  #commitSoon(): void {
    if (this.#isCalled || this.#waiting.length === 0) return;
    const { clock } = this.#files.place;
    if (clock === undefined || this.#waiting.length >= Math.min(this.#expected, mostAtOnce)) this.#call();
    else this.#stopTimer ??= clock.after(this.#commitMs / 2, () => this.#call());
  }

  #call(): void {
    this.#isCalled = true;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    setImmediate(() => void this.#appendWaiting());
  }

  async #appendWaiting(): Promise<void> {
    let waiting: readonly Waiting[] = [];
    const take = () => {
      waiting = this.#waiting.slice(0, mostAtOnce);
      this.#waiting = this.#waiting.slice(mostAtOnce);
      this.#isCalled = false;
    };
    try {
      this.#files.refuseNetwork();
      const both = await this.#files.open(true);
      take();
      const { clock } = this.#files.place;
      const began = clock?.monotonic() ?? 0;
      this.#add(both, waiting);
      this.#commitMs = (clock?.monotonic() ?? 0) - began;
    } catch (error) {
      if (this.#isCalled) take();
      // How a change ended must not be lost: if the journal was archived in between, all verdicts go into the new one.
      const again = this.#files.isReplaced ? waiting.filter(({ row }) => row.type === 'verdict') : [];
      if (again.length > 0) this.#files.close();
      for (const one of waiting)
        if (again.includes(one)) this.#wait(one);
        else one.unrecorded(error);
    }
    this.#commitSoon();
  }

  #add(both: BothFiles, waiting: readonly Waiting[]): void {
    const landmark = this.#ready.landmark(both);
    // Where the journal ended before this commit.
    let before = 0;
    // Nobody else writes during this commit, so if the files are fit for one of its rows, they are fit for the next of the same
    // kind.
    let isCopy: boolean | undefined;
    const fitFor = new Set<boolean>();
    const results = both.writeEach(
      waiting.map(({ row }, index) => (known: KnownJournal) => {
        // This also clears them when a commit begins again because another run was in the way.
        if (index === 0) {
          before = known.end.seq;
          isCopy = undefined;
          fitFor.clear();
        }
        const isVerdict = row.type === 'verdict';
        // A verdict is recorded in a copy too.
        if (isVerdict) isCopy ??= this.#ready.copy(both, landmark) !== undefined;
        const isFirst = isVerdict && known.verdictsOn(row) === 0;
        if (!fitFor.has(isVerdict)) this.#ready.refuseUnready(both, known, landmark, row);
        fitFor.add(isVerdict);
        refuseRow(known, row);
        both.beginWitness();
        both.tables.add(known.link(row));
        const mayWait = isFirst && both.isWitnessAt(known.end.seq);
        return { mayWait, isRecorded: isFirst && both.isWitnessAt(before) };
      }),
    );
    // This holds whatever becomes of the witness: a row that was refused keeps its own reason, and a first verdict is recorded,
    // even after rows of this commit whose lines are missing.
    for (const [index, { recorded, unrecorded }] of waiting.entries()) {
      const result = results[index];
      if (result === undefined || 'error' in result) unrecorded(result?.error);
      else if (result.done.isRecorded) recorded();
    }
    // Nothing is sent before the witness has the row. The line of a first verdict may wait for the next row: without that verdict
    // the change would be unconfirmed again, and nothing would be sent.
    const added = results.flatMap((result) => ('done' in result ? result.done : []));
    if (added.some(({ mayWait }) => !mayWait)) both.catchUp();
    if (added.length > 0 && isCopy !== true) this.#ready.noteLandmark(both);
    for (const { recorded } of waiting) recorded();
  }

  readonly newestRow: CopiedJournal['newestRow'] = () =>
    this.#files.ask(({ end: { seq, hash } }) => ({ seq, hash }), { seq: 0, hash: chainStart });

  readonly rowsAfter: CopiedJournal['rowsAfter'] = async (seq, limit) => {
    const both = await this.#files.open(false);
    return both === undefined ? [] : this.#files.turns.take(() => both.tables.after(seq, limit));
  };

  readonly erasable: CopiedJournal['erasable'] = (before) =>
    this.#files.ask((known) => [...known.erasable(before)], []);

  readonly next: CopiedJournal['next'] = async (row) => {
    const both = await this.#files.open(true);
    return both.atOnce((known) => {
      this.#ready.refuseUnready(both, known, undefined, row);
      refuseRow(known, row);
      return link(row, known.end.seq + 1, known.end.hash);
    });
  };

  readonly follow: CopiedJournal['follow'] = async (rows) => {
    const both = await this.#files.open(true);
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

  readonly close = (): void => this.#files.close();

  readonly acceptCopy: JournalStore['acceptCopy'] = async (row) => {
    const both = await this.#files.open(false);
    const landmark = both && this.#ready.landmark(both);
    const copy = both?.atOnce(() => this.#ready.copy(both, landmark));
    if (both === undefined || copy === undefined)
      throw this.#files.refusal('is not a copy', 'nothing was changed');
    const file = this.#files.places?.witness;
    both.write((known) => {
      both.refuseMismatch(known);
      both.tables.add(known.link(row));
      both.tables.noteMark(fileMark(this.place), { renews: true });
    });
    if (file !== undefined) both.writeWitness((witness) => witness.noteMark(fileMark(file.path)));
    both.catchUp();
    this.#ready.noteLandmark(both);
  };
}

// Throws CliError 'refused' for a row that may not be added after the rows that are there.
function refuseRow(known: KnownJournal, row: JournalRow): void {
  known.refuseDamaged(row);
  known.refuseMisplaced(row);
  known.refuseUnseen(row);
}
