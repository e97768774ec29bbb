/**
 * The journal of a team on PostgreSQL. The server adds the rows and checks the rules that all desks share; a mirror on this
 * machine answers what is asked of the rows.
 */

import { statSync } from 'node:fs';
import { CliError } from '../../errors.ts';
import { writeArchive } from '../archive-file.ts';
import type { StoredRow } from '../chain.ts';
import type { AttemptRecord } from '../journal-rows.ts';
import type { JournalStore, NewestRow, Repair, ServerState } from '../journal-store.ts';
import type { JournalFile } from '../sqlite/journal-file.ts';
import type { KnownJournal } from '../sqlite/known-journal.ts';
import { recentIds } from '../sqlite/recent-ids.ts';
import { newWitnessKey } from '../sqlite/witness-file.ts';
import { isSignInRefused } from '../unwritten-words.ts';
import { isCertain, type Value } from './connection.ts';
import { type Desk, type DeskParts, openDesk } from './desk.ts';
import { importedRows, inParts } from './history.ts';
import { Mirror } from './mirror.ts';
import { nameOf } from './place-name.ts';
import { createPostgresRules, type PostgresRules } from './postgres-rules.ts';
import { writerVersion } from './schema.ts';
import { refusedByServer, serverAway } from './server-errors.ts';
import { ServerWriter } from './server-writer.ts';
import { readStatus, type TeamStatus } from './team-status.ts';
import { type ServerVerification, type Verified, verifyRows, verifyServer } from './verify-server.ts';

/** A team's journal, and this machine's mirror of it. */
interface TeamStoreParts extends Omit<DeskParts, 'mirror'> {
  readonly mirror: JournalFile;
  /** How long a row whose outcome is unknown is asked about, in milliseconds. */
  readonly insistMs: number;
  /** The folder of an archive with a relative name. */
  readonly cwd?: (() => string) | undefined;
}

/** The journal of a team, and what `paydesk team` asks of it besides. */
export interface TeamJournal extends JournalStore {
  /** Adds the history of this machine. Returns how many rows the server did not have. Throws as `append`. */
  bringIn(rows: readonly StoredRow[]): Promise<number>;
  /** All attempts of an origin, however its address is spelled, in the order of their SENT rows. Takes as long as there are rows. */
  history(origin: string): Promise<readonly AttemptRecord[]>;
  /** The rows of all attempts, with what the server has added last. Rejects when the server is away. */
  freshRows(): Promise<readonly StoredRow[]>;
  status(): Promise<TeamStatus>;
  /**
   * `verify`, and how the server is another one than this machine remembers. `accept`: from now on this machine remembers it as
   * it is, if it has all rows that this machine has seen. What was erased there is erased here too. Throws CliError 'refused' for a server that keeps no journal.
   */
  verifyServer(how: {
    readonly head?: string | undefined;
    readonly accept: boolean;
  }): Promise<ServerVerification>;
  teamRules(): PostgresRules;
}

// A command asks the journal many questions. It does not wait for each of them while the server is away, least of all to show
// something.
const shownMs = 60_000;
const readyMs = 10_000;

/** Connects on first use. While the server is away, rows are read from the mirror, and nothing can be added. */
export function createPostgresStore(parts: TeamStoreParts): TeamJournal {
  const store = new PostgresStore(parts);
  return {
    place: nameOf(parts.place),
    witness: undefined,
    append: (row) => store.writer.append(row),
    takeBack: (sent, verdict) => store.writer.takeBack(sent, verdict),
    attempts: (query) => store.ask((known) => known.attempts(query)),
    list: (filter, page) => store.ask((known) => known.list(filter, page)),
    operators: (origin) => store.ask((known) => known.operators(origin)),
    settings: (name) => store.ask((known) => known.settings(name)),
    newest: () => store.newest(),
    ready: () => store.ready(),
    problem: () => store.problem(),
    server: () => store.server(),
    verify: (head) => verifyRows(store.verified, head),
    // The server is compared with the whole copy on this machine at each start.
    checkSome: () => Promise.resolve(undefined),
    wholeCheckAt: () => Promise.resolve(undefined),
    acceptCopy: () => store.repair().then(() => undefined),
    repair: () => store.repair(),
    eraseBodies: (before) => store.eraseBodies(before),
    archive: (path) => store.archive(path),
    countOver: () => store.archiveOld(),
    archiveOld: () => store.archiveOld(),
    restore: () => store.restore(),
    rules: () => Promise.resolve(store.rules()),
    recent: (of, profile) => recentIds(parts.mirror.path, of, profile),
    close: () => store.close(),
    bringIn: (rows) => store.bringIn(rows),
    history: (origin) => store.ask((known) => known.history(origin)),
    freshRows: () => store.freshRows(),
    status: () => store.status(),
    verifyServer: (how) => verifyServer(store.verified, how),
    teamRules: () => store.rules(),
  };
}

class PostgresStore {
  readonly #parts: TeamStoreParts;
  readonly #mirror: Mirror;
  readonly #desk: Desk;
  readonly writer: ServerWriter;
  #asked: Promise<void> | undefined;

  constructor(parts: TeamStoreParts) {
    this.#parts = parts;
    this.#mirror = new Mirror(parts.mirror);
    this.#desk = openDesk({ ...parts, mirror: this.#mirror });
    this.writer = new ServerWriter({ ...parts, ...this.verified });
  }

  get verified(): Verified {
    return { desk: this.#desk, mirror: this.#mirror, place: this.#place };
  }

  get #place(): string {
    return nameOf(this.#parts.place);
  }

  async bringIn(stored: readonly StoredRow[]): Promise<number> {
    await this.#desk.connect();
    let added = 0;
    for (const part of inParts(importedRows(stored), 200)) {
      const ask = () => this.#desk.call('import_rows', [writerVersion, JSON.stringify(part)]);
      added += Number(
        await this.writer
          .insist('the rows of this machine', ask)
          .catch((error) => throwRefusal(error, this.#place)),
      );
    }
    return added;
  }

  async freshRows(): Promise<readonly StoredRow[]> {
    await this.#desk.refresh();
    return this.#mirror.rows();
  }

  async status(): Promise<TeamStatus> {
    await this.#desk.connect();
    const { identity } = this.#desk;
    const { clock } = this.#parts;
    const asked = clock.monotonic();
    const told = readStatus(
      await this.#desk.call('status', []).catch((error) => throwRefusal(error, this.#place)),
    );
    const latencyMs = clock.monotonic() - asked;
    await this.#desk.refresh();
    const { seq, head } = this.#mirror.end;
    return {
      ...told,
      operator: identity?.operator ?? '',
      isLead: identity?.lead === true,
      journal: identity?.journal ?? '',
      rows: seq,
      head,
      latencyMs,
      tls: this.#desk.isEncrypted,
    };
  }

  rules(): PostgresRules {
    const call = (name: string, values: readonly Value[]) => this.#desk.call(name, values);
    return createPostgresRules({
      desk: this.#desk,
      ask: async (name, ...values) => {
        await this.#desk.connect(readyMs);
        return await call(name, values).catch((error) => throwRefusal(error, this.#place));
      },
      insist: (what, name, ...values) =>
        this.writer.insist(what, () => call(name, values)).catch((error) => throwRefusal(error, this.#place)),
      add: (row) => this.writer.add(row),
      kept: async (error) => {
        const isKept = this.#desk.isAway(error) && (await this.#mirror.memory()) !== undefined;
        return isKept ? { rows: await this.#mirror.rows(), now: this.#parts.clock.now() } : undefined;
      },
    });
  }

  async ask<Found>(question: (known: KnownJournal) => Found): Promise<Found> {
    await this.#refreshIfThere();
    return await this.#mirror.ask(question);
  }

  async newest(): Promise<NewestRow> {
    if (this.#desk.serverNow() === undefined) await this.#refreshIfThere();
    const newest = await this.#mirror.ask((known) => known.newest);
    return { ...newest, serverNow: this.#desk.serverNow() };
  }

  async ready(): Promise<void> {
    await this.#desk.refresh(readyMs);
    await this.#mirror.ask((known) => known.refuseWhileLost());
  }

  async problem(): Promise<string | undefined> {
    return (await this.server()).problem;
  }

  async server(): Promise<ServerState> {
    try {
      await this.#desk.connect(shownMs);
      return { problem: undefined, asOf: undefined };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const mend = this.#mendOf(error);
      if ((await this.#mirror.memory().catch(() => undefined)) === undefined)
        return { problem, asOf: undefined, mend };
      // It is written each time rows are fetched.
      return { problem, asOf: statSync(this.#parts.mirror.path, { throwIfNoEntry: false })?.mtimeMs, mend };
    }
  }

  // A server that does not answer can only be waited for.
  #mendOf(error: unknown): string | undefined {
    const isSilent = this.#desk.isAway(error) && !isSignInRefused(error);
    return error instanceof CliError && !isSilent ? error.parts.now?.[0] : undefined;
  }

  // What is asked in the same moment needs the server once.
  #refreshIfThere(): Promise<void> {
    this.#asked ??= Promise.resolve().then(() => {
      this.#asked = undefined;
      return this.#fetchIfThere();
    });
    return this.#asked;
  }

  async #fetchIfThere(): Promise<void> {
    try {
      await this.#desk.refresh(shownMs);
    } catch (error) {
      if (!this.#desk.isAway(error) || (await this.#mirror.memory()) === undefined) throw error;
      await this.#mirror.refresh();
    }
  }

  repair(): Promise<Repair> {
    return Promise.reject(ofServer(`the team's journal ${this.#place} is repaired on its server`));
  }

  restore(): Promise<number> {
    return Promise.reject(ofServer(`the team's journal ${this.#place} takes no other journal`));
  }

  archiveOld(): Promise<never> {
    return Promise.reject(ofServer(`the team's journal ${this.#place} stays whole on its server`));
  }

  async eraseBodies(before: number): Promise<number> {
    await this.#desk.refresh();
    const settled = await this.#mirror.ask((known) => [...known.erasable(before)]);
    const requests = await this.rules().over(before);
    const all = [...settled, ...requests.map((intent) => ({ intent, attempt: 0 }))];
    if (all.length === 0) return 0;
    const [intents, attempts] = [all.map(({ intent }) => intent), all.map(({ attempt }) => attempt)];
    try {
      const erased = await this.#desk.call('erase_bodies', [writerVersion, intents, attempts]);
      await this.#mirror.erase(all);
      return Number(erased);
    } catch (error) {
      throw isCertain(error) ? refusedByServer(error, this.#place) : error;
    }
  }

  async archive(path: string): Promise<number> {
    const { findings } = await verifyRows(this.verified);
    if (findings.length > 0) throw ofServer(`the team's journal ${this.#place} is not whole`);
    await this.#desk.refresh();
    const rows = await this.#mirror.rows();
    return writeArchive(path, { count: rows.length, rows, key: newWitnessKey() }, this.#parts.cwd);
  }

  close(): void {
    this.#desk.close();
    this.#mirror.close();
  }
}

function throwRefusal(error: unknown, place: string): never {
  if (error instanceof CliError) throw error;
  throw isCertain(error) ? refusedByServer(error, place) : serverAway(error, place);
}

function ofServer(message: string): CliError {
  return new CliError('refused', message, {
    certain: 'nothing was changed',
    now: ['paydesk journal verify', 'ask who runs the database'],
  });
}
