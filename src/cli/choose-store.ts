/** Chooses where the journal is kept: in files on this machine. */

import { join } from 'node:path';
import type { Recent, RecentOf } from '../journal/journal-store.ts';
import type { LandmarkPlace } from '../journal/sqlite/landmark.ts';
import { recentIds } from '../journal/sqlite/recent-ids.ts';
import { createSqliteStore, type LocalJournal } from '../journal/sqlite/sqlite-store.ts';
import { type JournalPlace, journalFileIn } from './journal-place.ts';

interface StoreChoice {
  /** Where the journal of this machine is. */
  readonly place: JournalPlace;
  /** The folder that a relative name of a file belongs to. */
  readonly cwd: () => string;
  /** PAYDESK_STATE_ON_NETWORK: somebody has tested the locks of this network file system, so it may be used. */
  readonly onNetwork: boolean;
  /** Where the landmark of the journal is kept; absent: nowhere. */
  readonly landmarks?: LandmarkPlace | undefined;
  /** A time for messages (Unix milliseconds). */
  readonly shortTime?: ((ms: number) => string) | undefined;
}

/** The journal in files of this machine. No file is opened before it is first used. */
export function localJournal({
  place: { folder, witness, rules },
  cwd,
  onNetwork,
  landmarks,
  shortTime,
}: StoreChoice): LocalJournal {
  return createSqliteStore({
    file: journalFileIn(folder),
    witness: join(witness, 'journal.witness'),
    cwd,
    rules,
    folders: [folder, join(folder, 'journal')],
    onNetwork,
    landmarks,
    shortTime,
  });
}

/** The ids that the journal used last, for completions. A person waits for TAB, so the rest of the store is not loaded. */
export function recentOf(
  folder: string,
  of: RecentOf,
  profile: string | undefined,
): Promise<readonly Recent[]> {
  return recentIds(journalFileIn(folder), of, profile);
}
