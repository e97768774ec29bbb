/** Whether the files of a journal are fit for changes: they match, they end as they should, and they are no copy. */

import { CliError } from '../../errors.ts';
import type { JournalRow } from '../rows/journal-rows.ts';
import type { BothFiles } from './both-files.ts';
import { copyFound, fileMark, type Landmark, readLandmark, writeLandmark } from './copy-marks.ts';
import type { KnownJournal } from './known-journal.ts';
import type { OpenedFiles } from './opened-files.ts';
import { damaged } from './sqlite-errors.ts';
import type { Witness } from './witness/witness.ts';

/** Checks the files of one run. */
export class ReadyCheck {
  readonly #files: OpenedFiles;

  constructor(files: OpenedFiles) {
    this.#files = files;
  }

  /**
   * Throws CliError 'refused' while no change may be made. A verdict may be written even if the witness is missing or damaged: what
   * became of a change must not be lost.
   */
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

  /** Read it before the journal: another run writes its row first, and then the landmark. */
  landmark({ tables }: BothFiles): Landmark | undefined {
    const { landmarks } = this.#files.place;
    if (landmarks === undefined) return undefined;
    const { id } = this.#files.turns.take(() => tables.end());
    return readLandmark(landmarks, id);
  }

  /** Why the files count as a copy, in words; undefined when nothing says so. */
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

  /** Notes the newest row in the landmark. Not of a copy: its landmark tells what that lacks, until somebody accepts it. */
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
      "look on the service's own screen which orders were changed since then",
      'if the files were restored on purpose, allow changes again: paydesk journal verify --accept-copy',
    ],
  });
}
