/** The two open files of a journal (its rows and their witness), read at one moment and written all or nothing. */

import { existsSync } from 'node:fs';
import { refused } from '../../errors.ts';
import { writeAtOnce } from '../../sqlite.ts';
import { nameOf, newWitnessKey } from '../rows/witness-lines.ts';
import { fileMark, watchPlace } from './copy-marks.ts';
import { asOfOneMoment, isInUse, type OpenFile } from './database.ts';
import { journalKind } from './journal-columns.ts';
import { JournalTables } from './journal-tables.ts';
import { KnownJournal, type SeenUpTo } from './known-journal.ts';
import type { Turns } from './turns.ts';
import type { Checked, Witness } from './witness/witness.ts';
import { catchUp, linesAfter, type Places, proofBy, refusalOf } from './witness/witness-check.ts';
import { createWitness, type FoundWitness, openWitness, takePrepared } from './witness/witness-file.ts';

export function findWitness(places: Places | undefined, openFile: OpenFile): FoundWitness {
  return places === undefined ? { is: 'missing' } : openWitness(places.witness, openFile);
}

/** What a run knows before it opens the files. */
interface PartsOfFiles {
  readonly path: string;
  readonly places: Places | undefined;
  readonly turns: Turns;
  readonly asked: SeenUpTo;
}

/** Both files as one run has opened them. */
export class BothFiles {
  readonly tables: JournalTables;
  readonly openFile: OpenFile;
  /** Absent when there is no witness to compare with. */
  readonly places: Places | undefined;
  readonly #path: string;
  readonly #turns: Turns;
  readonly #asked: SeenUpTo;
  /** Whether the files that were opened are still there. */
  readonly #isThere: () => boolean;
  #isWitnessThere: () => boolean;
  found: FoundWitness;
  /** What this run has read since the files last changed. */
  #known: { readonly asOf: string; readonly journal: KnownJournal } | undefined;

  /** Throws what SQLite throws, and CliError 'refused' for a file of another version. */
  constructor({ path, places, turns, asked }: PartsOfFiles, openFile: OpenFile) {
    this.#path = path;
    this.#turns = turns;
    this.#asked = asked;
    this.openFile = openFile;
    this.places = places;
    this.tables = new JournalTables(openFile(path, journalKind));
    try {
      this.#takePrepared();
      this.#isThere = watchPlace(path);
      // Watch before opening: another run may be creating it right now.
      this.#isWitnessThere = this.#watchWitness();
      this.found = findWitness(places, openFile);
    } catch (error) {
      this.tables.db.close();
      throw error;
    }
  }

  /** The witness, if it is whole. */
  get witness(): Witness | undefined {
    return this.found.is === 'whole' ? this.found.witness : undefined;
  }

  /** Whether the newest line of the witness is that of this row. */
  isWitnessAt(seq: number): boolean {
    const last = this.witness?.end();
    return last !== undefined && last !== 'damaged' && last.seq === seq;
  }

  // A run that archived may have stopped after it replaced the journal and before it replaced the witness.
  #takePrepared(): void {
    if (this.places === undefined) return;
    const alone = (take: () => void) => writeAtOnce(this.tables.db, take);
    takePrepared(this.places.witness, this.openFile, { name: this.tables.end().witness, alone });
  }

  #watchWitness(): () => boolean {
    return this.places === undefined ? () => true : watchPlace(this.places.witness.path);
  }

  /** Throws CliError 'refused' if the journal was replaced. Finds the witness again if that was replaced. */
  check(): void {
    // This run's row numbers are valid only for the file that it opened.
    if (!this.#isThere())
      throw refused(`the journal ${this.#path} was moved away or replaced while this run used it`, [
        'run the command again',
      ]);
    this.#findWitnessAgain();
  }

  // The witness may be lost or replaced while the run goes on.
  #findWitnessAgain(): void {
    if (this.#isWitnessThere()) return;
    this.witness?.close();
    this.#known = undefined;
    this.#isWitnessThere = this.#watchWitness();
    this.found = findWitness(this.places, this.openFile);
  }

  /** Whether another file is where the journal was. */
  get isReplaced(): boolean {
    return existsSync(this.#path) && !this.#isThere();
  }

  close(): void {
    this.tables.db.close();
    this.witness?.close();
  }

  // ── Asking ────────────────────────────────────────────────────────────────────────────────────

  /** Reads both files as they are at one moment. */
  atOnce<T>(read: (known: KnownJournal) => T): T {
    return this.#turns.take(() => this.#atOnce(read));
  }

  // Read the witness before the journal: another run writes its row before its line.
  #atOnce<T>(read: (known: KnownJournal) => T): T {
    const { tables, witness } = this;
    const readBoth = (ofWitness: number) =>
      asOfOneMoment(tables.db, () => read(this.#knownAsOf(`${ofWitness} ${tables.version()}`)));
    if (witness !== undefined) return asOfOneMoment(witness.db, () => readBoth(witness.version()));
    const done = asOfOneMoment(tables.db, () => (this.#isStillAlone() ? { answer: readBoth(0) } : undefined));
    if (done !== undefined) return done.answer;
    this.#findWitnessAgain();
    return this.#atOnce(read);
  }

  // The first writer creates the witness before the first row, so a journal that names a witness has it in place.
  #isStillAlone(): boolean {
    return this.tables.end().witness === undefined || this.#isWitnessThere();
  }

  // What was read stays valid until somebody writes. Other runs change a file's version; this run forgets when it writes.
  #knownAsOf(asOf: string): KnownJournal {
    if (this.#known?.asOf !== asOf) {
      const { tables, found, places } = this;
      const prove = () => proofBy(found, tables, places);
      this.#known = { asOf, journal: new KnownJournal(tables, this.#asked, prove) };
    }
    return this.#known.journal;
  }

  /** Throws CliError 'refused' when the two do not match. */
  refuseMismatch({ proof }: KnownJournal, { exceptDamaged } = { exceptDamaged: false }): void {
    const mismatch = proof?.mismatch;
    if (mismatch === undefined || (exceptDamaged && mismatch.state === 'damaged')) return;
    throw refusalOf(mismatch, this.found, this.tables);
  }

  // ── Writing ───────────────────────────────────────────────────────────────────────────────────

  /** Writes to the journal, unless another run replaced the file: anything written to the old file would be lost. */
  write<T>(change: (known: KnownJournal) => T): T {
    return this.#writing(() =>
      writeAtOnce(this.tables.db, () => {
        this.check();
        return this.#atOnce(change);
      }),
    );
  }

  /**
   * Writes several changes with one commit: each sees those before it, and one that throws undoes only itself. Returns what each
   * returned, or threw.
   */
  writeEach<T>(
    changes: readonly ((known: KnownJournal) => T)[],
  ): readonly ({ readonly done: T } | { readonly error: unknown })[] {
    const { db } = this.tables;
    return this.write(() =>
      changes.map((change) => {
        db.exec('SAVEPOINT one');
        try {
          this.#known = undefined;
          return { done: this.#atOnce(change) };
        } catch (error) {
          // If the disk is full, SQLite itself ends the whole write. If another run is writing, the whole write waits for its
          // turn.
          if (isInUse(error) || !db.isTransaction) throw error;
          db.exec('ROLLBACK TO one');
          return { error };
        } finally {
          if (db.isTransaction) db.exec('RELEASE one');
        }
      }),
    );
  }

  /** Writes to the witness, if it is whole. */
  writeWitness(change: (witness: Witness) => void): void {
    const { witness } = this;
    if (witness !== undefined) this.#writing(() => writeAtOnce(witness.db, () => change(witness)));
  }

  /** Notes how far the journal was checked. Skipped if another run is writing: it is not worth waiting for. */
  noteChecked(witness: Witness, checked: Checked): void {
    this.#turns.unlessBusy(() => writeAtOnce(witness.db, () => witness.noteChecked(checked)));
  }

  /** Adds the lines that the witness lacks. If the witness is damaged, nothing is added, and only the journal holds the verdict. */
  catchUp(): void {
    const { places } = this;
    if (places === undefined) return;
    this.#findWitnessAgain();
    const { witness } = this;
    if (witness !== undefined) this.#writing(() => catchUp(witness, this.tables, places));
  }

  #writing<T>(write: () => T): T {
    return this.#turns.take(() => {
      try {
        return write();
      } finally {
        this.#known = undefined;
      }
    });
  }

  /**
   * Begins the witness of a new journal, and notes it in the journal. It must start before the first row, since it must not list a
   * row that is not on the disk.
   */
  beginWitness(): void {
    if (this.places === undefined || this.tables.end().witness !== undefined) return;
    const key = this.witness?.key ?? newWitnessKey();
    if (this.witness === undefined)
      createWitness(this.places.witness, this.openFile, key, linesAfter(this.tables, 0, key));
    this.tables.noteWitness(nameOf(key));
    this.tables.noteMark(fileMark(this.#path), { renews: false });
  }
}
