/** The two open files of a journal, its rows and their witness: asked in one moment, and written all or nothing. */

import { existsSync } from 'node:fs';
import { CliError } from '../../errors.ts';
import { fileMark, isInPlace } from './copy-marks.ts';
import { asOfOneMoment, type OpenFile, writeAtOnce } from './database.ts';
import type { JournalFile } from './journal-file.ts';
import { JournalTables, journalKind } from './journal-tables.ts';
import { type Asked, KnownJournal } from './known-journal.ts';
import type { Turns } from './turns.ts';
import {
  catchUp,
  linesAfter,
  type Mismatch,
  mismatchOf,
  type Places,
  proofBy,
  proofOfEnd,
  refusalOf,
} from './witness-check.ts';
import {
  type Checked,
  createWitness,
  type FoundWitness,
  nameOf,
  newWitnessKey,
  openWitness,
  takePrepared,
  type Witness,
} from './witness-file.ts';

/** Where the files are. */
export interface FilesOfJournal {
  readonly journal: JournalFile;
  /** Absent when there is none. */
  readonly witness: JournalFile | undefined;
}

/** Where two files are, for messages; undefined when there is no witness to compare with. */
export function placesOf({ journal, witness }: FilesOfJournal): Places | undefined {
  return witness && { journal: journal.path, witness };
}

/** What there is of the witness. */
export function findWitness({ witness }: FilesOfJournal, openFile: OpenFile): FoundWitness {
  return witness === undefined ? { is: 'missing' } : openWitness(witness, openFile);
}

/** Both files as one run has opened them. */
export class BothFiles {
  readonly tables: JournalTables;
  readonly openFile: OpenFile;
  readonly places: Places | undefined;
  readonly #files: FilesOfJournal;
  readonly #turns: Turns;
  readonly #asked: Asked;
  /** What tells the two files that were opened from others that take their place; undefined where there was none. */
  readonly #journalMark: string | undefined;
  #witnessMark: string | undefined;
  #found: FoundWitness;
  /** What this run has read since somebody wrote to one of the files. */
  #known: { readonly asOf: string; readonly journal: KnownJournal } | undefined;

  /** Opens them. Throws what SQLite throws, and CliError 'refused' for a file of another version. */
  constructor(files: FilesOfJournal, openFile: OpenFile, turns: Turns, asked: Asked) {
    const { path } = files.journal;
    this.#files = files;
    this.#turns = turns;
    this.#asked = asked;
    this.openFile = openFile;
    this.places = placesOf(files);
    this.tables = new JournalTables(openFile(path, journalKind));
    try {
      this.#takePrepared();
      this.#found = findWitness(files, openFile);
      this.#journalMark = fileMark(path);
      this.#witnessMark = this.#witnessMarkNow();
    } catch (error) {
      this.tables.db.close();
      throw error;
    }
  }

  get found(): FoundWitness {
    return this.#found;
  }

  get witness(): Witness | undefined {
    return this.#found.is === 'whole' ? this.#found.witness : undefined;
  }

  // A run that archived may have been stopped after it put the new journal in its place, and before the witness of that.
  #takePrepared(): void {
    if (this.#files.witness === undefined) return;
    const alone = (take: () => void) => writeAtOnce(this.tables.db, take);
    takePrepared(this.#files.witness, this.openFile, { name: this.tables.end().witness, alone });
  }

  #witnessMarkNow(): string | undefined {
    return this.#files.witness && fileMark(this.#files.witness.path);
  }

  /** Throws CliError 'refused' when another journal took the place of this one. Finds the witness again if another took its place. */
  check(): void {
    const { path } = this.#files.journal;
    // The numbers of rows that this run has seen count in the file that it opened only.
    if (!isInPlace(path, this.#journalMark))
      throw new CliError('refused', `the journal ${path} was moved away or replaced while this run used it`, {
        certain: 'nothing was sent',
        now: ['run the command again'],
      });
    this.#findWitnessAgain();
  }

  // The witness may be lost or made anew while the run goes on.
  #findWitnessAgain(): void {
    const { witness } = this.#files;
    if (witness === undefined || isInPlace(witness.path, this.#witnessMark)) return;
    this.witness?.close();
    this.#known = undefined;
    this.#found = findWitness(this.#files, this.openFile);
    this.#witnessMark = this.#witnessMarkNow();
  }

  /** Whether another file is where the journal was. */
  get isReplaced(): boolean {
    const { path } = this.#files.journal;
    return existsSync(path) && !isInPlace(path, this.#journalMark);
  }

  close(): void {
    this.tables.db.close();
    this.witness?.close();
  }

  // ── Asking ────────────────────────────────────────────────────────────────────────────────────

  /** Asks both files as they are at one moment. */
  atOnce<T>(read: (known: KnownJournal) => T): T {
    return this.#turns.take(() => this.#atOnce(read));
  }

  // The witness is read before the journal: another run writes its row before its line.
  #atOnce<T>(read: (known: KnownJournal) => T): T {
    const { tables, witness } = this;
    const readBoth = (ofWitness: number) =>
      asOfOneMoment(tables.db, () => read(this.#knownAsOf(`${ofWitness} ${tables.version()}`)));
    return witness === undefined ? readBoth(0) : asOfOneMoment(witness.db, () => readBoth(witness.version()));
  }

  // What was read holds until somebody writes: other runs change the version of a file, and this run forgets when it writes.
  #knownAsOf(asOf: string): KnownJournal {
    if (this.#known?.asOf !== asOf) {
      const { tables, witness } = this;
      // While the two files do not match, rows are shown unproven: nothing is sent, and every command warns. Only the end is checked.
      const proof = () =>
        witness !== undefined && this.mismatch() === undefined
          ? proofBy(witness, tables)
          : proofOfEnd(tables);
      this.#known = { asOf, journal: new KnownJournal(tables, this.#asked, proof) };
    }
    return this.#known.journal;
  }

  /** How the two do not match; undefined when they do. */
  mismatch(): Mismatch | undefined {
    return this.places && mismatchOf(this.#found, this.tables, this.places);
  }

  /** Throws CliError 'refused' when the two do not match. */
  refuseMismatch({ exceptDamaged } = { exceptDamaged: false }): void {
    const mismatch = this.mismatch();
    if (mismatch === undefined || (exceptDamaged && mismatch.state === 'damaged')) return;
    throw refusalOf(mismatch, this.#found, this.tables);
  }

  // ── Writing ───────────────────────────────────────────────────────────────────────────────────

  /** Writes to the journal. Does not if another run put a file in its place meanwhile: what is written to the old one is lost. */
  write<T>(change: (known: KnownJournal) => T): T {
    return this.#writing(() =>
      writeAtOnce(this.tables.db, () => {
        this.check();
        return this.#atOnce(change);
      }),
    );
  }

  /** Writes to the witness, if there is a whole one. */
  writeWitness(change: (witness: Witness) => void): void {
    const { witness } = this;
    if (witness !== undefined) this.#writing(() => writeAtOnce(witness.db, () => change(witness)));
  }

  /** Notes how far the journal was checked. That is worth no wait, if another run writes just now. */
  noteChecked(witness: Witness, checked: Checked): void {
    this.#turns.unlessBusy(() => writeAtOnce(witness.db, () => witness.noteChecked(checked)));
  }

  /** Adds the lines that the witness lacks. It may be damaged while a verdict is written: then the row alone has to do. */
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
   * Begins the witness of a new journal, and notes in the journal which one it has. The witness must hold no row that is not on the
   * disk, so it begins before the first row.
   */
  beginWitness(): void {
    const { journal, witness } = this.#files;
    if (witness === undefined || this.tables.end().witness !== undefined) return;
    const key = this.witness?.key ?? newWitnessKey();
    if (this.witness === undefined)
      createWitness(witness, this.openFile, key, linesAfter(this.tables, 0, key));
    this.tables.noteWitness(nameOf(key));
    this.tables.noteMark(fileMark(journal.path), { renews: false });
  }
}
