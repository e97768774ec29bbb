/** One connection to the server of a team's journal: `pg`, with deadlines of our own, and nothing that role or database decide. */

import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { ClockWithTimers } from '../../io.ts';

/** Where a team's journal is. */
export interface ServerPlace {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly schema: string;
  /** The role of the person: the operator of every row. */
  readonly user: string;
  /**
   * How the connection is kept private: TLS with a verified certificate (`ca`: PEM of who issued it; absent: whom this
   * system trusts). Absent: none, which only a loopback address may have.
   */
  readonly tls?: { readonly ca?: string | undefined } | undefined;
}

/** What a connection needs besides the place. */
export interface ConnectParts {
  readonly clock: ClockWithTimers;
  readonly password: () => Promise<string>;
  /** A uuid of this process: the server knows by it which attempts are ours, whatever the connection. */
  readonly run: string;
  /** The name of this desk, for the rows; absent: it has none. */
  readonly desk?: string | undefined;
  /** Milliseconds for the connection, and for each statement. The socket is destroyed after them. */
  readonly deadlineMs: number;
  /** The same for connecting, and for questions that change nothing; absent: just as long. */
  readonly readMs?: number | undefined;
  /** Ends the connection at once, and what is asked on it rejects with the reason: a person does not want to wait. */
  readonly signal?: AbortSignal | undefined;
}

/** A connection. It never connects again by itself. */
export interface Connection {
  /** The process of the server, as it was told when the connection was made. */
  readonly backend: number;
  /**
   * Calls a function of the schema and gives its JSON; several calls are asked one after the other. Rejects with what `pg`
   * throws, with NoAnswer when the deadline is over, and with ServerWarning when the server warned while it committed. After
   * any of these nothing may be asked here any more, but after an error that the server is certain of (`isCertain`).
   */
  call(name: string, ...values: readonly Value[]): Promise<unknown>;
  /** The same for a question that changes nothing: it has less time (`readMs`). */
  read(name: string, ...values: readonly Value[]): Promise<unknown>;
  /** Runs statements that have no parameters, in one transaction. What the server warns of does not matter. */
  run(statements: string): Promise<void>;
  readonly isOpen: boolean;
  /** Whether nobody on the way can read it (TLS). */
  readonly isEncrypted: boolean;
  close(): void;
}

export type Value = string | number | null | readonly string[] | readonly number[];

/** The server did not answer in time. What it was asked to do may be done all the same. */
export class NoAnswer extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms / 1000} s`);
  }
}

/** The server did it, and warned: a standby may not have it, for example. */
export class ServerWarning extends Error {}

/** Connects. Rejects with what `pg` or the system throw, and with NoAnswer. */
export async function connectTo(place: ServerPlace, parts: ConnectParts): Promise<Connection> {
  const { clock, signal, deadlineMs, readMs = deadlineMs } = parts;
  const { default: pg } = await import('pg');
  const socket = new Socket();
  const proof = new ServerProof();
  const client = new pg.Client({
    host: place.host,
    port: place.port,
    user: place.user,
    database: place.database,
    password: await parts.password(),
    ssl: tlsOptions(place),
    stream: () => socket,
    keepAlive: true,
    application_name: 'paydesk',
    options: startOptions(parts),
    // Every value as the text that the server sent: a Date would lose microseconds.
    types: { getTypeParser: () => (text: string) => text },
  });
  proof.watch(Reflect.get(client, 'connection'));
  let isOpen = true;
  let warning: string | undefined;
  const drop = (): void => {
    isOpen = false;
    socket.destroy();
  };
  // Without a listener, an error between two statements would end the program.
  client.on('error', drop);
  client.on('end', drop);
  // Only warnings come (client_min_messages), in a word of the server's language: so whatever comes counts as one.
  client.on('notice', ({ message }) => {
    warning = message ?? 'a warning without words';
  });
  const inTime = async <T>(ms: number, act: () => Promise<T>): Promise<T> => {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const endWith = (reason: unknown) => {
      reject(reason);
      drop();
    };
    const stop = clock.after(ms, () => endWith(new NoAnswer(ms)));
    const leave = () => endWith(signal?.reason);
    if (signal?.aborted === true) leave();
    signal?.addEventListener('abort', leave);
    const acted = act();
    // When the deadline wins, what comes of it later is nobody's.
    acted.catch(() => undefined);
    try {
      return await Promise.race([ended, acted]);
    } finally {
      stop();
      signal?.removeEventListener('abort', leave);
    }
  };
  try {
    await inTime(readMs, async () => {
      await client.connect();
      proof.require();
      // A setting of newer servers, which older ones refuse in the options.
      if (proof.serverVersion >= 17) await client.query('set transaction_timeout = 0');
    });
  } catch (error) {
    drop();
    throw error;
  }
  const askNow = async <T>(
    ms: number,
    act: () => Promise<T>,
  ): Promise<{ result: T; warning: string | undefined }> => {
    if (!isOpen) throw new Error('the connection was closed');
    warning = undefined;
    try {
      const result = await inTime(ms, act);
      return { result, warning };
    } catch (error) {
      if (!isCertain(error)) drop();
      throw error;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  // One after the other: else a warning about one statement would be lost when the next one is asked, or taken for its own.
  const ask = <T>(ms: number, act: () => Promise<T>): ReturnType<typeof askNow<T>> => {
    const asked = last.then(() => askNow(ms, act));
    last = asked.catch(() => undefined);
    return asked;
  };
  const callWithin = async (ms: number, name: string, values: readonly Value[]): Promise<unknown> => {
    const places = values.map((_, index) => `$${index + 1}`).join(', ');
    const text = `select ${place.schema}.${name}(${places}) as answer`;
    const asked = await ask(ms, () => client.query<{ answer: string }>(text, [...values]));
    if (asked.warning !== undefined) {
      drop();
      throw new ServerWarning(asked.warning);
    }
    return JSON.parse(asked.result.rows[0]?.answer ?? 'null');
  };
  return {
    backend: Number(Reflect.get(client, 'processID')),
    get isOpen() {
      return isOpen;
    },
    isEncrypted: Reflect.get(Reflect.get(client, 'connection').stream, 'encrypted') === true,
    call: (name, ...values) => callWithin(deadlineMs, name, values),
    read: (name, ...values) => callWithin(readMs, name, values),
    async run(statements) {
      // Several statements that are sent together are one transaction.
      await ask(deadlineMs, () => client.query(statements));
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      void client.end().catch(() => undefined);
      socket.unref();
    },
  };
}

/**
 * Whether the server says for certain that it did nothing. If a connection ends, or the server is being stopped, nobody knows
 * whether the commit came first.
 */
export function isCertain(error: unknown): boolean {
  if (!(error instanceof Error) || !('severity' in error)) return false;
  const code = codeOf(error) ?? '';
  // The word for the severity is in the server's language. These codes come with no other severity.
  if (onlyOfErrors.test(code)) return true;
  return error.severity === 'ERROR' && !/^(08|57P|40003)/.test(code);
}

// What a statement itself got wrong, a rule of the schema (PD), a conflict, a lock that was not given, a statement cut short.
const onlyOfErrors = /^(0A|2[0-4]|2[67]|42|44|P0|PD|25006|40001|40P01|55P03|57014)/;

/** The server's code of an error (SQLSTATE), or the system's; undefined when there is none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The server does not prove that it knows the password, or asks for the password itself. */
export class UnprovenServer extends Error {}

// With SCRAM the server never sees the password, and proves that it knows it. pg would also send the password itself to a
// server that asks for it, and takes "authenticated" without a proof.
class ServerProof {
  #isProven = false;
  /** The first number of the server's version. */
  serverVersion = 0;

  /** `connection`: what writes and reads the messages for pg. */
  watch(connection: unknown): void {
    if (!(connection instanceof EventEmitter)) throw new Error('pg has no connection to watch');
    // The only function that sends a password, in clear text or under MD5. SCRAM does without it.
    Reflect.set(connection, 'password', () => connection.emit('error', new UnprovenServer(asksForPassword)));
    // pg compares the proof when this comes, and refuses a wrong one.
    connection.on('authenticationSASLFinal', () => {
      this.#isProven = true;
    });
    connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'server_version') this.serverVersion = Number.parseInt(parameterValue, 10);
    });
  }

  require(): void {
    if (!this.#isProven)
      throw new UnprovenServer(
        'the server let paydesk sign in without proving that it knows the password (SCRAM)',
      );
  }
}

const asksForPassword = 'the server asks for the password itself (clear text or MD5), and not for SCRAM';

/** Whether a name can be that of a desk. It stands in the options of a connection as it is. */
export function isDeskName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,40}$/.test(name);
}

/** Whether an address is of this very machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/.test(host);
}

function tlsOptions({ host, tls }: ServerPlace): ConnectionOptions | false {
  if (tls === undefined) {
    if (isLoopback(host)) return false;
    throw new Error(`${host} is not this machine, so the connection needs TLS`);
  }
  // pg adds the name of the host, which the certificate must hold.
  return { ...(tls.ca === undefined ? {} : { ca: tls.ca }), rejectUnauthorized: true };
}

// What is given when a connection starts counts more than what role and database say.
function startOptions({ run, desk = '', deadlineMs }: ConnectParts): string {
  const settings = {
    'paydesk.run': run,
    'paydesk.desk': desk,
    synchronous_commit: 'on',
    default_transaction_isolation: 'read\\ committed',
    default_transaction_read_only: 'off',
    default_transaction_deferrable: 'off',
    statement_timeout: `${deadlineMs}`,
    lock_timeout: `${Math.ceil(deadlineMs / 2)}`,
    idle_in_transaction_session_timeout: `${deadlineMs}`,
    search_path: 'pg_catalog',
    client_min_messages: 'warning',
    standard_conforming_strings: 'on',
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
