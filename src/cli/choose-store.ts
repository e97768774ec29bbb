/** Chooses where the journal is kept. Today it is always in files on this machine. */

import { join } from 'node:path';
import type { JournalStore, Recent, RecentOf } from '../journal/journal-store.ts';
import { recentIds } from '../journal/sqlite/recent-ids.ts';
import { createSqliteStore } from '../journal/sqlite/sqlite-store.ts';
import type { FileRules } from '../profiles/profiles.ts';

export interface StoreChoice {
  readonly stateFolder: string;
  /** The folder that a relative name of a file belongs to. */
  readonly cwd: () => string;
  /** Who must own the files. */
  readonly rules: FileRules;
  /** PAYDESK_STATE_ON_NETWORK: somebody has tested the locks of this network file system, so it may be used. */
  readonly onNetwork: boolean;
}

/** The store of the journal. No file is opened before the store is first used. */
export function chooseStore({ stateFolder, cwd, rules, onNetwork }: StoreChoice): JournalStore {
  return createSqliteStore({
    file: fileIn(stateFolder),
    witness: join(stateFolder, 'witness', 'journal.witness'),
    cwd,
    rules,
    folders: [stateFolder, join(stateFolder, 'journal')],
    onNetwork,
  });
}

/** The ids that the journal used last, for completions. A person waits for TAB, so the rest of the store is not loaded. */
export function recentOf(
  stateFolder: string,
  of: RecentOf,
  profile: string | undefined,
): Promise<readonly Recent[]> {
  return recentIds(fileIn(stateFolder), of, profile);
}

function fileIn(stateFolder: string): string {
  return join(stateFolder, 'journal', 'journal.db');
}
