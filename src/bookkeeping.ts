/** The journal of this machine, joined: its file, the commands' desk, and the notice of open outcomes. */

import { join } from 'node:path';
import { CliError } from './errors.ts';
import { createDesk } from './journal/desk.ts';
import type { JournalRow } from './journal/rows.ts';
import { createFileStore, type FileStore } from './journal/store.ts';
import type { AttemptRecord, Clock, JournalDesk, Locks, Notes, Profile, Profiles, Service } from './ports.ts';
import type { Secrets } from './terminal/secrets.ts';

/** What the books are made of. */
export interface BookkeepingParts {
  readonly stateFolder: string;
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

/** The journal, as main.ts joins it. */
export interface Bookkeeping {
  readonly store: FileStore;
  readonly desk: JournalDesk;
  /** One line where outcomes of the account are open; a journal that cannot be read is said, never a reason to stop. */
  tellOpen(profile: Profile): Promise<void>;
}

/** Opens nothing before it is asked for. */
export function keepBooks(parts: BookkeepingParts): Bookkeeping {
  const store = withoutKeys(createFileStore(join(parts.stateFolder, 'journal', 'journal.db')), parts.secrets);
  const desk = createDesk({
    ...parts,
    store: parts.dryRun ? unwritten(store) : store,
    serviceFor: async (record) => parts.open(await profileFor(parts, record)),
  });
  const told = new Set<string>();
  return {
    store,
    desk,
    async tellOpen(profile) {
      if (told.has(profile.name)) return;
      told.add(profile.name);
      try {
        const line = openLine(await openAttempts(desk, profile));
        if (line !== undefined) parts.notes.note(line);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        parts.notes.warn(`the journal cannot be read: ${error.message}`);
      }
    },
  };
}

// What was typed or read from a file may hold a key; what a service said went through the gate before.
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

// The methods of an object of a class, so that some can be replaced.
function methodsOf(store: FileStore): FileStore {
  return {
    file: store.file,
    append: (row) => store.append(row),
    attempts: (query) => store.attempts(query),
    newest: () => store.newest(),
    verify: (head) => store.verify(head),
    forget: (before) => store.forget(before),
    close: () => store.close(),
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
