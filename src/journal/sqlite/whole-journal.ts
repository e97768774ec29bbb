/** Checks, rebuilds, exports, imports, archives and removes a whole journal. */

import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemReason } from '../../errors.ts';
import { syncFolder } from '../../profiles/profiles.ts';
import { readArchive } from '../rows/archive-file.ts';
import type { Finding, JournalStore } from '../rows/journal-store.ts';
import { newWitnessKey } from '../rows/witness-lines.ts';
import { archiveOld, countOver } from './archive-old.ts';
import type { BothFiles } from './both-files.ts';
import { type Landmark, removeLandmark, writeLandmark } from './copy-marks.ts';
import { isBroken, verifyAndRepair } from './database.ts';
import type { KnownJournal } from './known-journal.ts';
import { copyRefused, type OpenedFiles, type ReadyCheck } from './opened-files.ts';
import { repairJournal, restoreJournal } from './repair.ts';
import { type AtOneMoment, checkSome, untouched, verifyFiles, wholeRows } from './verify-files.ts';

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
    const moment = both === undefined ? untouched : atOneMoment(both);
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
      throw this.#files.refusal('is not whole', 'nothing was written', verifyAndRepair);
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

  readonly countOver: JournalStore['countOver'] = async (before, most = Number.POSITIVE_INFINITY) => {
    const both = await this.#files.open(false);
    return both === undefined ? 0 : this.#files.turns.take(() => countOver(both.tables, before, most));
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
    await this.#finish(time).catch(() => undefined);
    return moved;
  };

  // The new journal is in its place: whatever fails from here on, the next run that opens it does, and nobody may be told that nothing
  // was moved.
  async #finish(checkedAt: number): Promise<void> {
    const fresh = await this.#files.open(true);
    fresh.writeWitness((one) => one.noteChecked({ upTo: 0, wholeAt: checkedAt }));
  }

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
      // Not before this point: if the journal had stayed, a copy of it would still have to be noticed.
      if (landmarks !== undefined) removeLandmark(landmarks, id);
    });
    this.#files.close();
    if (both !== undefined) syncFolder(dirname(folder));
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
function atOneMoment(both: BothFiles): AtOneMoment {
  return (read) => {
    try {
      return both.atOnce(read);
    } catch (error) {
      if (!(error instanceof Error) || !isBroken(error.cause)) throw error;
      return read();
    }
  };
}
