/** The two files of a journal, opened on first use: where they are, how runs take turns, and whether the files may be changed. */

import { dirname } from 'node:path';
import { CliError } from '../../errors.ts';
import type { ClockWithTimers } from '../../io.ts';
import type { FileRules } from '../../profiles/profiles.ts';
import type { JournalRow } from '../rows/journal-rows.ts';
import { BothFiles, findWitness } from './both-files.ts';
import {
  copyFound,
  fileMark,
  type Landmark,
  type LandmarkPlace,
  readLandmark,
  writeLandmark,
} from './copy-marks.ts';
import { damaged, fileOpener, isInUse, unreadable } from './database.ts';
import { findFile, type JournalFile, refuseNetwork, sizeOf } from './journal-file.ts';
import type { KnownJournal, SeenUpTo } from './known-journal.ts';
import { Turns } from './turns.ts';
import type { Witness } from './witness/witness.ts';
import type { Places } from './witness/witness-check.ts';
import type { FoundWitness } from './witness/witness-file.ts';

/** Where the files of a journal are, and the rules for them. */
export interface SqlitePlace {
  readonly file: string;
  /** The file of the witness; absent when there is none. */
  readonly witness?: string | undefined;
  /** Where relative archive names start; absent: the current folder of the process. */
  readonly cwd?: (() => string) | undefined;
  /** Who must own the files. */
  readonly rules?: FileRules | undefined;
  /** Our own folders that lead to the file, outermost first. */
  readonly folders?: readonly string[] | undefined;
  /** PAYDESK_STATE_ON_NETWORK: somebody has tested the locks there. Only `false` refuses a network file system. */
  readonly onNetwork?: boolean | undefined;
  /** Where the landmark is kept; absent: no landmark. */
  readonly landmarks?: LandmarkPlace | undefined;
  /** Formats a time (Unix milliseconds) for messages; absent: ISO 8601. */
  readonly shortTime?: ((ms: number) => string) | undefined;
  /** Called when others have replaced the files: questions go on with the new ones. Absent: they are refused from then on. */
  readonly onReplaced?: (() => void) | undefined;
  /** By which a row waits a moment for rows of other changes; absent: it does not wait. */
  readonly clock?: Pick<ClockWithTimers, 'monotonic' | 'after'> | undefined;
}

const noRules: FileRules = { uid: undefined, notice: () => undefined };

/** A question to the files that waits for its answer. */
interface Question {
  readonly answer: (known: KnownJournal | undefined) => void;
  readonly failed: (error: unknown) => void;
}

export class OpenedFiles {
  readonly place: SqlitePlace;
  readonly journal: JournalFile;
  readonly places: Places | undefined;
  readonly turns: Turns;
  /** What this run has asked about. */
  readonly asked: SeenUpTo = { orders: new Map(), scripts: new Map() };
  readonly #questions: Question[] = [];
  #opened: BothFiles | undefined;

  constructor(place: SqlitePlace) {
    const { file, witness, folders = [] } = place;
    const rules = { movedBy: 'XDG_STATE_HOME', ...(place.rules ?? noRules) } as const;
    this.place = place;
    this.journal = { path: file, folders, rules };
    if (witness !== undefined)
      this.places = { journal: file, witness: { path: witness, folders: [dirname(witness)], rules } };
    this.turns = new Turns(file, witness === undefined ? [file] : [file, witness]);
  }

  /** Both files; undefined if there is no journal and `create` is false. */
  open(create: true): Promise<BothFiles>;
  open(create: false): Promise<BothFiles | undefined>;
  async open(create: boolean): Promise<BothFiles | undefined> {
    try {
      this.#opened?.check();
      if (this.#opened !== undefined) return this.#opened;
      if (!(await findFile(this.journal, create))) return undefined;
      const openFile = await this.turns.opener();
      const parts = { path: this.journal.path, places: this.places, turns: this.turns, asked: this.asked };
      // Another question of this run may have opened them by now.
      this.#opened ??= this.turns.take(() => new BothFiles(parts, openFile));
      return this.#opened;
    } catch (error) {
      if (!create && this.isReplaced && this.place.onReplaced !== undefined) {
        this.close();
        this.place.onReplaced();
        return await this.open(false);
      }
      throw error instanceof CliError ? error : unreadable(this.journal.path, error);
    }
  }

  /** Looks for the witness without a journal. Does not load SQLite if there is none. */
  async lookForWitness(): Promise<FoundWitness> {
    if (this.places === undefined || sizeOf(this.places.witness) === undefined) return { is: 'missing' };
    return findWitness(this.places, await fileOpener());
  }

  /** Whether the open journal was replaced. */
  get isReplaced(): boolean {
    return this.#opened?.isReplaced === true;
  }

  /** Closes the files; the next question opens them again. */
  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
    // In other files the rows have other numbers, so none of them counts as seen.
    for (const seen of [this.asked.orders, this.asked.scripts])
      for (const key of seen.keys()) seen.set(key, 0);
  }

  /**
   * `none`: the answer while there is no journal. All questions of one turn of the event loop are answered together after it, as
   * of one moment, since the changes of a batch ask many questions at the same time.
   */
  ask<T>(read: (known: KnownJournal) => T, none: T): Promise<T> {
    return new Promise((answered, failed) => {
      const answer = (known: KnownJournal | undefined) => answered(known === undefined ? none : read(known));
      this.#questions.push({ answer, failed });
      if (this.#questions.length === 1) setImmediate(() => void this.#answer());
    });
  }

  async #answer(): Promise<void> {
    let questions: Question[] = [];
    try {
      const both = await this.open(false);
      questions = this.#questions.splice(0);
      if (both === undefined) for (const { answer } of questions) answer(undefined);
      else both.atOnce((known) => this.#answerEach(questions, known));
    } catch (error) {
      for (const { failed } of [...questions, ...this.#questions.splice(0)]) failed(error);
    }
  }

  // Each question is removed once it has its answer: if another run is in the way, the read begins again, with the questions that
  // are left.
  #answerEach(questions: Question[], known: KnownJournal): void {
    for (let question = questions[0]; question !== undefined; question = questions[0]) {
      try {
        question.answer(known);
      } catch (error) {
        if (isInUse(error)) throw error;
        question.failed(this.turns.refusalFor(error));
      }
      questions.shift();
    }
  }

  /** Throws CliError 'refused' on a network file system. */
  refuseNetwork(): void {
    const { path, rules } = this.journal;
    if (this.place.onNetwork === false) refuseNetwork(dirname(path), rules);
  }

  /** The refusal when this journal may not be changed. */
  refusal(what: string, certain: string, now?: readonly string[]): CliError {
    return new CliError(
      'refused',
      `the journal ${this.journal.path} ${what}`,
      now === undefined ? { certain } : { certain, now },
    );
  }
}

// ── Whether they are fit ───────────────────────────────────────────────────────────────────────────

export class ReadyCheck {
  readonly #files: OpenedFiles;

  constructor(files: OpenedFiles) {
    this.#files = files;
  }

  /** Throws CliError 'refused' while no change may be made. A verdict needs no whole witness: how a change ended must not be lost. */
  refuseUnready(
    both: BothFiles,
    known: KnownJournal,
    landmark: Landmark | undefined,
    row?: JournalRow,
  ): void {
    const isVerdict = row?.type === 'verdict';
    both.refuseMismatch(known, { exceptDamaged: isVerdict });
    const copy = isVerdict ? undefined : this.copy(both, landmark);
    if (copy !== undefined) throw copyRefused(copy);
    const finding = known.proof?.end();
    if (finding !== undefined)
      throw damaged(this.#files.journal.path, `row ${finding.seq} ${finding.problem}`);
    if (!isVerdict) known.refuseWhileLost();
  }

  /** Read this before the journal: another run writes its row first, then the landmark. */
  landmark({ tables }: BothFiles): Landmark | undefined {
    const { landmarks } = this.#files.place;
    if (landmarks === undefined) return undefined;
    const { id } = this.#files.turns.take(() => tables.end());
    return readLandmark(landmarks, id);
  }

  /** Why the files count as a copy, in words; undefined if nothing suggests it. */
  copy({ tables, witness }: BothFiles, landmark: Landmark | undefined): string | undefined {
    const file = this.#files.places?.witness;
    if (this.#files.place.landmarks === undefined || file === undefined) return undefined;
    const { noted, time, mark } = tables.end();
    const facts = {
      journal: { recorded: mark, now: fileMark(this.#files.journal.path) },
      witness: { recorded: witness?.mark(), now: fileMark(file.path) },
      atLandmark: landmark && (tables.at(landmark.seq)?.hash ?? headAt(witness, landmark.seq)),
      newest: noted.seq === 0 ? undefined : { ...noted, time },
    };
    return copyFound({ ...facts, landmark }, this.#files.place.shortTime);
  }

  /**
   * Notes the newest row in the landmark. Do not call it for a copy: its landmark shows what the copy lacks, until somebody
   * accepts the copy.
   */
  noteLandmark(both: BothFiles): void {
    const { landmarks } = this.#files.place;
    if (landmarks === undefined || both.places === undefined) return;
    const { id, noted, time } = this.#files.turns.take(() => both.tables.end());
    writeLandmark(landmarks, id, { ...noted, time });
  }
}

function headAt(witness: Witness | undefined, seq: number): string | undefined {
  const [line] = witness?.headsAfter(seq - 1, 1) ?? [];
  return line?.seq === seq ? line.head : undefined;
}

/** The refusal of changes while the files count as a copy. */
export function copyRefused(copy: string, certain = 'nothing was sent'): CliError {
  return new CliError('refused', copy, {
    certain,
    now: [
      "check on the service's own screen which orders were changed since then",
      'if the files were restored on purpose, allow changes again: paydesk journal verify --accept-copy',
    ],
  });
}
