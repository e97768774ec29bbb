/** The journal of this machine, joined: its file, the commands' desk, and the notice of open outcomes. */

import { join } from 'node:path';
import type { Service } from '../api/api.ts';
import { CliError } from '../errors.ts';
import type { Clock } from '../io.ts';
import type { Locks } from '../locks/locks.ts';
import type { FileRules, Profile, Profiles } from '../profiles/profiles.ts';
import type { Notes, Secrets } from '../terminal/terminal.ts';
import { createDesk } from './desk.ts';
import type { JournalDesk } from './journal.ts';
import type { AttemptRecord, JournalRow } from './rows.ts';
import { createFileStore, type FileStore } from './store.ts';

/** What the books are made of. */
export interface BookkeepingParts {
  readonly stateFolder: string;
  /** Owner and mode of our files. */
  readonly rules: FileRules;
  /** PAYDESK_STATE_ON_NETWORK: a network file system is allowed, since somebody tested its locks. */
  readonly onNetwork: boolean;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly operator: string;
  readonly timeoutMs: number;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly profiles: Profiles;
  readonly notes: Notes;
  readonly secrets: Secrets;
  /** The profile named on the command line or by PAYDESK_PROFILE. */
  readonly named: string | undefined;
  readonly open: (profile: string) => Promise<Service>;
}

/** The journal, as cli/ joins it. */
export interface Bookkeeping {
  readonly store: FileStore;
  readonly desk: JournalDesk;
  /** One line where outcomes of the account are open; a journal that cannot be read is said, never a reason to stop. */
  tellOpen(profile: Profile): Promise<void>;
}

/** Opens nothing before it is asked for. */
export function keepBooks(parts: BookkeepingParts): Bookkeeping {
  const { stateFolder, rules, onNetwork } = parts;
  const folder = join(stateFolder, 'journal');
  const file = createFileStore(join(folder, 'journal.db'), {
    witness: join(stateFolder, 'witness', 'journal.witness'),
    rules,
    folders: [stateFolder, folder],
    onNetwork,
  });
  const store = withoutKeys(file, parts.secrets);
  const desk = createDesk({
    ...parts,
    store: parts.dryRun ? unwritten(store) : store,
    serviceFor: async (record) => parts.open(await profileFor(parts, record)),
  });
  const told = new Set<string>();
  // Commands that only read go on, and warn that changes are refused.
  const warnOnce = once(async () => {
    const problem = await desk.problem();
    if (problem !== undefined)
      parts.notes.warn(`${problem}; no change is made until that is mended: paydesk journal verify`);
  });
  return {
    store,
    desk: {
      ...desk,
      async attempts(query) {
        const found = await desk.attempts(query);
        await warnOnce();
        return found;
      },
    },
    async tellOpen(profile) {
      if (told.has(profile.name)) return;
      told.add(profile.name);
      try {
        await warnOnce();
        const line = openLine(await openAttempts(desk, profile));
        if (line !== undefined) parts.notes.note(line);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        parts.notes.warn(`the journal cannot be read: ${error.message}`);
      }
    },
  };
}

// A row may hold a key that somebody typed, or that came from a file. Replies are masked before they get here.
function withoutKeys(store: FileStore, secrets: Secrets): FileStore {
  return {
    ...methodsOf(store),
    append(row) {
      const json = JSON.stringify(row);
      const cleaned: JournalRow = secrets.holds(json) ? JSON.parse(secrets.cleanJson(json)) : row;
      return store.append(cleaned);
    },
  };
}

// Under --dry-run what a read proves is told, and not written down.
function unwritten(store: FileStore): FileStore {
  return { ...methodsOf(store), append: () => Promise.resolve(), forget: () => Promise.resolve(0) };
}

// Spreading an instance of a class would lose its methods, so each one is named.
function methodsOf(store: FileStore): FileStore {
  return {
    file: store.file,
    parts: store.parts,
    append: (row) => store.append(row),
    attempts: (query) => store.attempts(query),
    newest: () => store.newest(),
    ready: () => store.ready(),
    mismatch: () => store.mismatch(),
    stored: () => store.stored(),
    verify: (head) => store.verify(head),
    forget: (before) => store.forget(before),
    close: () => store.close(),
  };
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= act();
    return done;
  };
}

async function openAttempts(desk: JournalDesk, { origin }: Profile): Promise<number> {
  const attempts = await desk.attempts({ origin, unsettled: true });
  if (attempts.length === 0) return 0;
  const now = await desk.now();
  return attempts.filter((record) => desk.isOpen(record, now)).length;
}

function openLine(open: number): string | undefined {
  if (open === 0) return undefined;
  return `${open} ${open === 1 ? 'outcome' : 'outcomes'} open: paydesk journal reconcile --all`;
}

// The journal knows the account; a profile has to be named only where several reach it.
async function profileFor({ profiles, named }: BookkeepingParts, { sent }: AttemptRecord): Promise<string> {
  // After a repair nobody may know the account of an attempt: the profile that was named is taken.
  if (sent.account === '') return named ?? '';
  const reaching = await profiles.reaching(sent.account);
  const [only, second] = named === undefined ? reaching : reaching.filter((name) => name === named);
  if (only !== undefined && second === undefined) return only;
  if (only === undefined) {
    throw new CliError(
      'auth',
      `no profile${named === undefined ? '' : ` ${named}`} reaches the account of ${sent.intent} (${sent.account})`,
      {
        now: [
          reaching.length === 0
            ? `add a profile of that account: paydesk profile add ${sent.profile}`
            : `it is reached by ${reaching.join(', ')}: -p ${reaching[0]}`,
        ],
      },
    );
  }
  throw new CliError(
    'usage',
    `several profiles reach the account of ${sent.intent}: ${reaching.join(', ')}`,
    {
      now: [`say which: -p ${only}`],
    },
  );
}
