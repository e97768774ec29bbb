/** The one place that chooses where the journal is kept: today always in files on this machine. */

import { join } from 'node:path';
import type { JournalStore, Recent, RecentOf } from '../journal/journal-store.ts';
import { recentIds } from '../journal/sqlite/recent-ids.ts';
import { createSqliteStore } from '../journal/sqlite/sqlite-store.ts';
import type { FileRules } from '../profiles/profiles.ts';

/** What the choice depends on. */
export interface StoreChoice {
  readonly stateFolder: string;
  /** The folder that a relative name of a file belongs to. */
  readonly cwd: () => string;
  /** Owner and mode of our files. */
  readonly rules: FileRules;
  /** PAYDESK_STATE_ON_NETWORK: a network file system is allowed, since somebody tested its locks. */
  readonly onNetwork: boolean;
}

/** Opens nothing before it is asked for something. */
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

/** The store's `recent` for completions, without loading the rest of the store: a TAB waits for it. */
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
