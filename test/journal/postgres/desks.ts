/** Desks of a test team: stores of the same journal, each with a mirror and a process of its own. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../bin/process-io.ts';
import type { ClockWithTimers } from '../../../src/io.ts';
import { createPostgresStore, type TeamJournal } from '../../../src/journal/postgres/postgres-store.ts';
import { newTeamDatabase, type Person, passwordOf, type TeamDatabase } from '../../harness/team-database.ts';

export interface DeskOptions {
  readonly person?: Person;
  /** The folder of the mirror; absent: a new one. */
  readonly home?: string;
  /** The uuid of the process; absent: a new one. */
  readonly run?: string;
  /** A port in front of the server. */
  readonly port?: number;
  readonly deadlineMs?: number;
  readonly insistMs?: number;
  readonly clock?: ClockWithTimers;
}

/** A team's journal with its database, and the desks that a test opens at it. */
export interface Team extends AsyncDisposable {
  readonly database: TeamDatabase;
  /** A folder for the mirror of a new desk. */
  home(): string;
  desk(options?: DeskOptions): TeamJournal;
  /** Closes every desk that is open: each holds a connection, and all tests share one server. */
  closeDesks(): void;
}

/** A new team with an empty journal. */
export async function newTeam(): Promise<Team> {
  return teamOn(await newTeamDatabase());
}

export function teamOn(database: TeamDatabase): Team {
  const homes: string[] = [];
  const stores: TeamJournal[] = [];
  const closeDesks = () => {
    for (const store of stores.splice(0)) store.close();
  };
  const home = () => {
    const folder = mkdtempSync(join(tmpdir(), 'paydesk-desk-'));
    homes.push(folder);
    return folder;
  };
  return {
    database,
    home,
    desk({ person = 'ana', port = database.server.port, ...options } = {}) {
      const { host } = database.server;
      const store = createPostgresStore({
        place: { host, port, database: database.name, schema: 'paydesk', user: person },
        password: () => Promise.resolve(passwordOf(person)),
        clock: options.clock ?? systemClock,
        run: options.run ?? crypto.randomUUID(),
        deadlineMs: options.deadlineMs ?? 10_000,
        insistMs: options.insistMs ?? 5000,
        mirror: {
          path: join(options.home ?? home(), 'team', 'mirror.db'),
          rules: { uid: process.getuid?.(), notice: () => undefined, movedBy: 'XDG_STATE_HOME' },
          folders: [],
        },
      });
      stores.push(store);
      return store;
    },
    closeDesks,
    async [Symbol.asyncDispose]() {
      closeDesks();
      for (const folder of homes) rmSync(folder, { recursive: true, force: true });
      await database[Symbol.asyncDispose]();
    },
  };
}
