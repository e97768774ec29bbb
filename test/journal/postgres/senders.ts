/** Stores of senders on one database, each with a folder of its own. */

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock as clock } from '../../../bin/process-io.ts';
import { createLeases, type Leases } from '../../../src/journal/postgres/leases.ts';
import { migrate } from '../../../src/journal/postgres/migrate.ts';
import { createPostgresStore, type ServerJournal } from '../../../src/journal/postgres/postgres-store.ts';
import { Server, type ServerPlace } from '../../../src/journal/postgres/server.ts';
import { createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { createSqliteLocks } from '../../../src/locks/sqlite/sqlite-locks.ts';

/** A sender as far as its journal goes. */
export interface TestSenderStore {
  readonly store: ServerJournal;
  readonly leases: Leases;
  readonly server: Server;
  readonly folder: string;
}

type TestPlace = Pick<ServerPlace, 'port' | 'database'> & Partial<ServerPlace>;

const local = { host: '127.0.0.1', user: 'postgres', isLocal: true } as const;
const rules = { uid: process.getuid?.(), notice: () => undefined };

/** Opens a sender in a new folder, or in one that it had before. */
export function openSender(place: Pick<ServerPlace, 'port' | 'database'>, folder: string): TestSenderStore {
  const own = mkdtempSync(join(folder, 'sender-'));
  return openSenderIn(place, own);
}

export function openSenderIn(at: TestPlace, folder: string): TestSenderStore {
  const place = { ...local, ...at };
  const { database } = place;
  const server = new Server({ place, clock, password: undefined });
  const owner = { operator: 'sender', command: 'sender serve' };
  const locks = join(folder, 'locks');
  const leases = createLeases({
    server,
    clock,
    owner,
    place: database,
    holder: () => folder,
    ofMachine: createSqliteLocks({ folder: locks, clock, owner, rules }),
  });
  const copy = createSqliteStore({
    file: join(folder, 'journal/journal.db'),
    witness: join(folder, 'witness/journal.witness'),
    rules,
  });
  const memory = join(folder, 'journal/server');
  const store = createPostgresStore({ server, place: database, copy, memory, rules, leases, clock });
  return { store, leases, server, folder };
}

/** Makes the tables. */
export async function prepare(place: TestPlace): Promise<void> {
  const server = new Server({
    place: { ...local, ...place },
    clock,
    password: undefined,
  });
  await migrate(server);
  server.close();
}
