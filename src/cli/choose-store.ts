/** Chooses where the journal is kept: in files on this machine, on a server, or at the sender of a team. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type JournalStore, methodsOf, storeMethods } from '../journal/rows/journal-store.ts';
import type { SqlitePlace } from '../journal/sqlite/opened-files.ts';
import { type Recent, type RecentOf, recentIds } from '../journal/sqlite/recent-ids.ts';
import { type CopiedJournal, createSqliteStore } from '../journal/sqlite/sqlite-store.ts';
import { type JournalPlace, journalFileIn } from './machine/journal-place.ts';
import type { SharedJournal, SharedParts } from './shared-journal.ts';

/** Where the files of a journal are, and how they are opened. */
export interface StoreChoice extends Omit<SqlitePlace, 'file' | 'witness' | 'rules' | 'folders'> {
  /** Where the journal of this machine is. */
  readonly place: JournalPlace;
}

/** The journal in files of this machine. No file is opened before it is first used. */
export function localJournal({ place: { folder, witness, rules }, ...how }: StoreChoice): CopiedJournal {
  return createSqliteStore({
    file: journalFileIn(folder),
    witness: join(witness, 'journal.witness'),
    rules,
    folders: [folder, join(folder, 'journal')],
    ...how,
  });
}

/** The journal on a server, for a user who runs a sender that has it there. */
export interface SharedOfRun {
  /** Opens the journal once; undefined if this user runs no sender, or one with a journal on this machine. */
  open(): Promise<SharedJournal | undefined>;
  close(): void;
}

/** Reads nothing before `open` is called. */
export function sharedOfRun(parts: SharedParts): SharedOfRun {
  let opened: Promise<SharedJournal | undefined> | undefined;
  const load = async () =>
    existsSync(parts.file) ? (await import('./shared-journal.ts')).openShared(parts) : undefined;
  return {
    open() {
      opened ??= load();
      return opened;
    },
    close() {
      const closing = async () => {
        const shared = await opened;
        for (const store of [shared?.store, shared?.asking]) store?.close();
      };
      void closing().catch(() => undefined);
    },
  };
}

/** The store of a run: the one that `now` gives at each call, which may be `local`. */
export function storeOfRun(local: JournalStore, now: () => Promise<JournalStore>): JournalStore {
  return {
    place: local.place,
    witness: local.witness,
    ...methodsOf(storeMethods, now),
    async alone(act) {
      const { alone } = await now();
      return alone === undefined ? await act() : await alone(act);
    },
    // Nothing waits for what a sender is handed.
    expectRows: local.expectRows,
    rules: async () => await (await now()).rules?.(),
    close: () => local.close(),
  };
}

/** The ids that the journal used last, for completions. A person waits for TAB, so the rest of the store is not loaded. */
export function recentOf(
  folder: string,
  of: RecentOf,
  profile: string | undefined,
): Promise<readonly Recent[]> {
  return recentIds(journalFileIn(folder), of, profile);
}
