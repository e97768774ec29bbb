/** The journal on the server that the file of a sender names: its stores and its locks. Loaded only where there is such a file. */

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { orUndefined, refused, systemReason } from '../errors.ts';
import { type ClockWithTimers, type Env, variable } from '../io.ts';
import type { JournalStore } from '../journal/journal.ts';
import { createLeases } from '../journal/postgres/leases.ts';
import { migrate } from '../journal/postgres/migrate.ts';
import { createPostgresStore } from '../journal/postgres/postgres-store.ts';
import { Server, type ServerPlace } from '../journal/postgres/server.ts';
import { placeName, saidInWords } from '../journal/postgres/server-words.ts';
import type { CopiedJournal } from '../journal/sqlite/sqlite-store.ts';
import type { Locks } from '../locks/locks.ts';
import { type FileRules, readOwnFile, writeOwnFile } from '../profiles/profiles.ts';
import { databaseIn, readConfig } from '../sender/at-sender/config.ts';
import type { Migrated } from '../sender/sender.ts';

/** What is needed to open the journal on a server. */
export interface SharedParts {
  readonly env: Env;
  readonly home: string;
  readonly clock: ClockWithTimers;
  readonly rules: FileRules;
  /** The file of the sender. */
  readonly file: string;
  /** What others see about the holder of a lock. */
  readonly owner: { readonly operator: string; readonly command: string };
  /** The locks between the processes of this machine. */
  readonly ofMachine: Locks;
  /** A copy of the journal, in the files that a journal of this machine would have. */
  readonly openCopy: () => CopiedJournal;
}

/** A journal that several senders share. */
export interface SharedJournal {
  /** Where it is, for messages. */
  readonly place: string;
  readonly store: JournalStore;
  /** For questions that do not count as having seen. */
  readonly asking: JournalStore;
  readonly locks: Locks;
  /** Makes the tables that are missing, and brings the history of this machine into an empty journal. */
  migrate(): Promise<Migrated>;
}

/** Opens no connection yet. Undefined if the sender has its journal on this machine. */
export function openShared(parts: SharedParts): SharedJournal | undefined {
  const { clock, rules, owner, ofMachine, openCopy } = parts;
  const { postgres } = readConfig(parts.file, rules);
  if (postgres === undefined) return undefined;
  const { rootCert, ...found } = databaseIn(postgres);
  const database: ServerPlace = rootCert === undefined ? found : { ...found, ca: textOf(rootCert) };
  const server = new Server({ place: database, clock, password: passwordFor(database, parts) });
  const place = placeName(database);
  const copies = [openCopy(), openCopy()] as const;
  const folder = dirname(copies[0].place);
  const holder = () => senderId(join(folder, 'sender'), rules);
  const leases = createLeases({ server, clock, owner, place, holder, ofMachine });
  const open = (copy: CopiedJournal) =>
    createPostgresStore({ server, place, copy, memory: join(folder, 'server'), rules, leases, clock });
  const [store, asking] = [open(copies[0]), open(copies[1])];
  return {
    place,
    store,
    asking,
    locks: leases,
    migrate: () =>
      saidInWords(place, async () => {
        const done = await migrate(server);
        return { place, done, brought: await store.pushIfEmpty() };
      }),
  };
}

// The id is made once, so that a sender that was killed and started again is recognised as the same one.
function senderId(path: string, rules: FileRules): string {
  const known = readOwnFile(path, rules);
  if (known !== undefined) return known;
  const id = randomUUID();
  writeOwnFile(path, id, rules);
  return id;
}

// Each line: host:port:database:user:password, with * for any, and \\ before a colon or a backslash.
function passwordFor(
  { host, port, database, user }: ServerPlace,
  { env, home }: Pick<SharedParts, 'env' | 'home'>,
): string | undefined {
  const given = variable(env, 'PGPASSWORD');
  if (given !== undefined) return given;
  const named = variable(env, 'PGPASSFILE');
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
  const lines = (
    named === undefined
      ? (orUndefined(() => readFileSync(join(home, '.pgpass'), 'utf8')) ?? '')
      : textOf(named)
  ).split(/\r?\n/);
  for (const line of lines) {
    const fields = [...line.matchAll(/(?:^|:)((?:\\.|[^:\\])*)/g)].map(([, field = '']) =>
      field.replace(/\\(.)/g, '$1'),
    );
    if (!line.startsWith('#') && wanted.every((one, index) => fields[index] === '*' || fields[index] === one))
      return fields[4];
  }
  return undefined;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw refused(`${path} cannot be read: ${systemReason(error)}`, [], { cause: error });
  }
}
