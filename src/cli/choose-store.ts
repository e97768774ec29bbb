/** Chooses where the journal is kept: in files on this machine, or, if this user has joined a team, perhaps on its server. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalStore, Recent, RecentOf } from '../journal/journal-store.ts';
import type { LandmarkPlace } from '../journal/sqlite/landmark.ts';
import { recentIds } from '../journal/sqlite/recent-ids.ts';
import { createSqliteStore, type LocalJournal } from '../journal/sqlite/sqlite-store.ts';
import type { FileRules } from '../profiles/profiles.ts';
import { type JournalPlace, journalFileIn } from './journal-place.ts';
import type { TeamChoice, TeamStores } from './team-store.ts';

interface StoreChoice {
  /** Where the journal of this machine is. */
  readonly place: JournalPlace;
  /** This user's own folder, for the copy of a team's journal. */
  readonly stateFolder: string;
  /** The folder that a relative name of a file belongs to. */
  readonly cwd: () => string;
  /** Who must own this user's own files. */
  readonly rules: FileRules;
  /** PAYDESK_STATE_ON_NETWORK: somebody has tested the locks of this network file system, so it may be used. */
  readonly onNetwork: boolean;
  /** Where the landmark of the journal is kept; absent: nowhere. */
  readonly landmarks?: LandmarkPlace | undefined;
  /** A time for messages (Unix milliseconds). */
  readonly shortTime?: ((ms: number) => string) | undefined;
  /** What it takes to open the journal of a team. */
  readonly team: Omit<TeamChoice, 'rules' | 'stateFolder' | 'cwd'>;
}

/** The store of a run, and all stores of this machine. */
interface ChosenStore {
  readonly store: JournalStore;
  /** The journal of this machine, and those of the teams; undefined if this user has joined no team. */
  readonly all: (() => Promise<readonly JournalStore[]>) | undefined;
}

/** The store of the journal. No file is opened before the store is first used. `local`: the journal of this machine. */
export function chooseStore({ team, ...choice }: StoreChoice, local: JournalStore): ChosenStore {
  if (!existsSync(team.file)) return { store: local, all: undefined };
  // Loaded with the first question: few users have a team.
  let loaded: Promise<TeamStores> | undefined;
  const stores = (): Promise<TeamStores> => {
    loaded ??= import('./team-store.ts').then((code) => code.createTeamStores({ ...choice, ...team }, local));
    return loaded;
  };
  const now = async (): Promise<JournalStore> => await (await stores()).now();
  const store: JournalStore = {
    place: local.place,
    witness: local.witness,
    append: async (row) => (await now()).append(row),
    takeBack: async (sent, verdict) => (await now()).takeBack(sent, verdict),
    attempts: async (query) => (await now()).attempts(query),
    list: async (filter, page) => (await now()).list(filter, page),
    operators: async (origin) => (await now()).operators(origin),
    settings: async (name) => (await now()).settings(name),
    newest: async () => (await now()).newest(),
    ready: async () => (await now()).ready(),
    problem: async () => (await now()).problem(),
    server: async () => await (await now()).server?.(),
    verify: async (head, time) => (await now()).verify(head, time),
    checkSome: async (how) => (await now()).checkSome(how),
    wholeCheckAt: async () => (await now()).wholeCheckAt(),
    acceptCopy: async (row) => (await now()).acceptCopy(row),
    repair: async (time) => (await now()).repair(time),
    eraseBodies: async (before) => (await now()).eraseBodies(before),
    archive: async (path) => (await now()).archive(path),
    countOver: async (before) => (await now()).countOver(before),
    archiveOld: async (how) => (await now()).archiveOld(how),
    restore: async (path) => (await now()).restore(path),
    rules: async () => await (await now()).rules?.(),
    recent: async (of, profile) => (await now()).recent(of, profile),
    close() {
      local.close();
      void loaded?.then((opened) => opened.close());
    },
  };
  return { store, all: async () => (await stores()).all() };
}

/** The journal in files of this machine. */
export function localJournal({
  place: { folder, witness, rules },
  cwd,
  onNetwork,
  landmarks,
  shortTime,
}: Pick<StoreChoice, 'place' | 'cwd' | 'onNetwork' | 'landmarks' | 'shortTime'>): LocalJournal {
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
