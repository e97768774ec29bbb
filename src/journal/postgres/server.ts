/** The server of a journal: `pg`, with deadlines of our own, and no state that outlives a transaction. */

import { Socket } from 'node:net';
import type { Client, QueryResult } from 'pg';
import type { ClockWithTimers } from '../../io.ts';

/** Where a database is. */
export interface ServerPlace {
  /** A host, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** A socket or loopback, which needs no TLS. */
  readonly isLocal: boolean;
  /** The certificates of whom this sender trusts, PEM; absent: whom the system trusts. */
  readonly ca?: string | undefined;
}

/** What a connection needs. */
interface ServerParts {
  readonly place: ServerPlace;
  readonly clock: ClockWithTimers;
  readonly password: string | undefined;
}

/** A record that the server gave. Every value is text as it was sent, or null. */
export type Found = Readonly<Record<string, string | null>>;
type Value = string | number | null | readonly string[];

/** A transaction that has begun. */
export interface Transaction {
  /** One statement with its values. */
  ask(text: string, values?: readonly Value[]): Promise<readonly Found[]>;
  /** Several statements without values. */
  run(statements: string): Promise<readonly Found[]>;
  /** Ends it. Rejects with CommitUnknown if nobody knows whether it was committed; with another error it was not. */
  commit(): Promise<void>;
  /** Ends it without a commit, unless it has ended. */
  rollback(): Promise<void>;
}

/** What went wrong at the server or on the way there. `code`: the server's (SQLSTATE), or the system's. */
export class ServerError extends Error {
  readonly code: string;
  /** Whether the server says that it did nothing. If a connection ends, or the server is being stopped, nobody knows. */
  readonly isCertain: boolean;

  constructor(cause: unknown) {
    const isError = cause instanceof Error;
    super(isError ? cause.message || cause.name : String(cause), { cause });
    this.code = isError && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    // The word for the severity is in the server's language, so the code decides.
    this.isCertain = isError && 'severity' in cause && !/^(|08.*|57P.*|58.*|XX.*|40003)$/.test(this.code);
  }
}

/** The server did not confirm a commit, or warned: it may have what was added, or a standby may lack it. */
export class CommitUnknown extends ServerError {}

// As many connections are open at a time, of the hundred that a server takes.
const openMax = 8;

// For each statement. The server gives up earlier: it waits 10 s for a lock, and 5 s for a sender inside a transaction.
const deadlineMs = 15_000;

// Of a transaction, not of the session, since a pooler may give each transaction another one.
const begin = `begin isolation level read committed; set local lock_timeout = '10s';
  set local idle_in_transaction_session_timeout = '5s'; set local statement_timeout = '12s';
  set local client_min_messages = warning`;

/** Connects when it is asked, and again after a connection broke. */
export class Server {
  readonly #parts: ServerParts;
  readonly #waiting: (() => void)[] = [];
  #idle: Connection[] = [];
  #open = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** Asks one question that may be asked twice: again, if a connection that was made before turns out to be broken. */
  async ask(text: string, values: readonly Value[] = []): Promise<readonly Found[]> {
    const [connection, found] = await this.#connected((one) => one.ask(text, values));
    this.#giveBack(connection);
    return found;
  }

  /**
   * Runs a transaction that begins with these statements, of which `found` is what the last one gave. One at a time: others wait until
   * it is over. Nothing is committed unless `act` does that.
   */
  async transaction<T>(
    first: string,
    act: (transaction: Transaction, found: readonly Found[]) => Promise<T>,
  ): Promise<T> {
    const before = this.#last;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    this.#last = before.then(() => over);
    await before;
    try {
      const [connection, found] = await this.#connected((one) => one.run(`${begin}; ${first}`));
      const transaction = this.#begun(connection, end);
      try {
        return await act(transaction, found);
      } finally {
        await transaction.rollback();
      }
    } finally {
      end();
    }
  }

  #begun(connection: Connection, end: () => void): Transaction {
    let isOpen = true;
    const ended = async (act: () => Promise<unknown>): Promise<void> => {
      isOpen = false;
      try {
        await act();
      } catch (error) {
        // The server rolls back what it was not asked to commit.
        connection.drop();
        throw error;
      } finally {
        this.#giveBack(connection);
        end();
      }
    };
    return {
      ask: (text, values) => connection.ask(text, values),
      run: (statements) => connection.run(statements),
      commit: () => ended(() => connection.commit()),
      async rollback() {
        if (isOpen) await ended(() => connection.run('rollback')).catch(() => undefined);
      },
    };
  }

  close(): void {
    for (const connection of this.#idle) connection.close();
    this.#idle = [];
  }

  // A connection, and what it gave. Whoever gets it gives it back.
  async #connected<T>(act: (connection: Connection) => Promise<T>): Promise<readonly [Connection, T]> {
    if (this.#open >= openMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#open += 1;
    try {
      for (;;) {
        const used = this.#idle.pop();
        if (used?.isOpen === false) continue;
        const connection = used ?? (await Connection.open(this.#parts));
        try {
          return [connection, await act(connection)];
        } catch (error) {
          connection.drop();
          // It may have been broken for a while. Others that are idle may be too, and are tried until one is new.
          if (used === undefined || (error instanceof ServerError && error.isCertain)) throw error;
        }
      }
    } catch (error) {
      this.#next();
      throw error;
    }
  }

  #giveBack(connection: Connection): void {
    if (connection.isOpen) this.#idle.push(connection);
    this.#next();
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#open -= 1;
    else next();
  }
}

class Connection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #clock: ClockWithTimers;
  #warning: string | undefined;
  isOpen = true;

  private constructor(client: Client, socket: Socket, clock: ClockWithTimers) {
    this.#client = client;
    this.#socket = socket;
    this.#clock = clock;
    // Without a listener, an error between two statements would end the program.
    client.on('error', () => this.drop());
    client.on('end', () => this.drop());
    client.on('notice', ({ message }) => {
      this.#warning = message ?? 'a warning without words';
    });
  }

  static async open({ place, clock, password }: ServerParts): Promise<Connection> {
    const { default: pg } = await import('pg');
    const socket = new Socket();
    const { host, port, user, database, isLocal, ca } = place;
    const client = new pg.Client({
      host,
      port,
      user,
      database,
      // The driver would look for a file of passwords itself.
      password: password ?? '',
      // pg adds the name of the host, which the certificate must hold.
      ssl: isLocal ? false : { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: true },
      stream: () => socket,
      keepAlive: true,
      application_name: 'paydesk',
      types: { getTypeParser: () => (text: string) => text },
    });
    const connection = new Connection(client, socket, clock);
    await connection.#inTime(() => client.connect());
    return connection;
  }

  async ask(text: string, values: readonly Value[] = []): Promise<readonly Found[]> {
    return (await this.#inTime(() => this.#client.query<Record<string, string | null>>(text, [...values])))
      .rows;
  }

  async run(statements: string): Promise<readonly Found[]> {
    const done: unknown = await this.#inTime(() =>
      this.#client.query<Record<string, string | null>>(statements),
    );
    const last: QueryResult<Record<string, string | null>> = Array.isArray(done) ? done.at(-1) : done;
    return last.rows;
  }

  async commit(): Promise<void> {
    this.#warning = undefined;
    try {
      await this.#inTime(() => this.#client.query('commit'));
    } catch (error) {
      if (error instanceof ServerError && error.isCertain) throw error;
      throw new CommitUnknown(error);
    }
    if (this.#warning !== undefined) throw new CommitUnknown(this.#warning);
  }

  drop(): void {
    this.isOpen = false;
    this.#socket.destroy();
  }

  close(): void {
    this.isOpen = false;
    void this.#client.end().catch(() => undefined);
    this.#socket.unref();
  }

  async #inTime<T>(act: () => Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const stop = this.#clock.after(deadlineMs, () => {
      reject(new Error(`no answer within ${deadlineMs / 1000} s`));
      this.drop();
    });
    const acted = act();
    // When the deadline wins, what comes of it later is nobody's.
    acted.catch(() => undefined);
    try {
      return await Promise.race([late, acted]);
    } catch (error) {
      throw new ServerError(error);
    } finally {
      stop();
    }
  }
}
