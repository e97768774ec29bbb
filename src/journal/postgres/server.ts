/** Talks to the server of a journal: `pg` with our own deadlines, and no state that outlives a transaction. */

import { Socket } from 'node:net';
import type { Client, QueryResult } from 'pg';
import type { ClockWithTimers } from '../../io.ts';

export interface ServerPlace {
  /** A host, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** A socket or loopback: no TLS. Everything else: TLS with a certificate for this host. */
  readonly isLocal: boolean;
  /** The certificates that this sender trusts, PEM; absent: those of the system. */
  readonly ca?: string | undefined;
}

interface ServerParts {
  readonly place: ServerPlace;
  readonly clock: ClockWithTimers;
  readonly password: string | undefined;
}

/** A record from the server. Every value is the text as sent, or null. */
export type Found = Readonly<Record<string, string | null>>;
type Value = string | number | null | readonly string[];

export interface Transaction {
  ask(text: string, values?: readonly Value[]): Promise<readonly Found[]>;
  /** Several statements without values. */
  run(statements: string): Promise<readonly Found[]>;
  /** Rejects with CommitUnknown if nobody knows whether it was committed; with another error it was not. */
  commit(): Promise<void>;
  /** Does nothing if it has ended. */
  rollback(): Promise<void>;
}

/** What went wrong at the server or on the way. `code`: the server's (SQLSTATE), or the system's. */
export class ServerError extends Error {
  readonly code: string;
  /** Whether the server says that it did nothing. If the connection ends or the server is stopping, nobody knows. */
  readonly isCertain: boolean;

  constructor(cause: unknown) {
    const isError = cause instanceof Error;
    super(isError ? cause.message || cause.name : String(cause), { cause });
    this.code = isError && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    // The severity is in the server's language, so the code decides.
    this.isCertain = isError && 'severity' in cause && !/^(|08.*|57P.*|58.*|XX.*|40003)$/.test(this.code);
  }
}

/** The server did not confirm a commit, or warned about one: it may have the row, or a standby may lack it. */
export class CommitUnknown extends ServerError {}

// The most open connections, of about a hundred that a server accepts.
const openMax = 8;

// Per statement. The server gives up earlier: 10 s for a lock, and 5 s for an idle transaction.
const deadlineMs = 15_000;

// Set per transaction, since a pooler may switch sessions between transactions.
const begin = `begin isolation level read committed; set local lock_timeout = '10s';
  set local idle_in_transaction_session_timeout = '5s'; set local statement_timeout = '12s';
  set local client_min_messages = warning`;

/** Connects when asked, and again after a connection broke. */
export class Server {
  readonly #parts: ServerParts;
  readonly #waiting: (() => void)[] = [];
  #idle: Connection[] = [];
  #open = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** Asks a question that is safe to repeat: repeats it if an older connection turns out to be broken. */
  async ask(text: string, values: readonly Value[] = []): Promise<readonly Found[]> {
    const [connection, found] = await this.#connected((one) => one.ask(text, values));
    this.#giveBack(connection);
    return found;
  }

  /**
   * Runs a transaction that begins with these statements; `found` is the result of the last. Others wait until it is over. Nothing
   * is committed unless `act` does it.
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
        // The server rolls back anything uncommitted.
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

  // A connection, and its result. The caller must give the connection back.
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
          // This connection may have been broken for a while. Other idle ones may be too, so it tries until one is new.
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
      // Otherwise the driver would look for a password file.
      password: password ?? '',
      // pg adds the host name, which the certificate must match.
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
    // After the deadline, the later result is ignored.
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
