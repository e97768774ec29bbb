/**
 * A desk at a team's journal: the connection of one run, the check of who answers there, and the mirror that it keeps up to
 * date.
 */

import type { CliError } from '../../errors.ts';
import type { StoredRow } from '../chain.ts';
import {
  type Connection,
  type ConnectParts,
  codeOf,
  connectTo,
  isCertain,
  NoAnswer,
  type ServerPlace,
  type Value,
} from './connection.ts';
import type { Mirror } from './mirror.ts';
import { nameOf } from './place-name.ts';
import { schemaVersion, writerVersion } from './schema.ts';
import {
  memoryOf,
  type News,
  problemOf,
  readIdentity,
  readNews,
  type ServerIdentity,
  type ServerMemory,
  type ServerProblem,
  wayBack,
} from './server-check.ts';
import { refusedByServer, serverAway, serverDiffers } from './server-errors.ts';

export interface DeskParts extends ConnectParts {
  readonly place: ServerPlace;
  readonly mirror: Mirror;
  /** The id of the journal that was joined; undefined before the first joining. */
  readonly journal?: string | undefined;
  /** What to do when the server does not take the password any more, in lines. */
  readonly newPassword?: (() => Promise<readonly string[]>) | undefined;
}

/** The desk of one run. It connects when it is first asked, and again after a connection broke. */
export interface Desk {
  /**
   * Makes sure that there is a checked connection. Throws CliError 'refused' when there cannot be one. `againMs`: a server that
   * was away is not asked again before that time is over.
   */
  connect(againMs?: number): Promise<void>;
  /** Fetches the rows that the mirror lacks. Throws as `connect`. */
  refresh(againMs?: number): Promise<void>;
  /** Calls a function of the schema. Rejects as `Connection.call`. */
  call(name: string, values: readonly Value[]): Promise<unknown>;
  /** Adds a row that the server has just returned. */
  take(rows: readonly StoredRow[]): Promise<void>;
  /** Every row of the server, whatever the mirror has; which row it calls its newest; and what is wrong with it. */
  allRows(): Promise<ServerRows>;
  /** The server's clock, Unix milliseconds, by the time that has passed since it last told it; undefined before that. */
  serverNow(): number | undefined;
  /** Whether an error says that the server cannot be reached, not that something is wrong with it. */
  isAway(error: unknown): boolean;
  /** Who answers; undefined without a connection. */
  readonly identity: ServerIdentity | undefined;
  /** Whether the connection is encrypted. */
  readonly isEncrypted: boolean;
  close(): void;
}

/** What a server has, and what it is. */
export interface ServerRows {
  readonly rows: readonly StoredRow[];
  readonly end: Pick<News, 'seq' | 'hash'>;
  /** Why nothing may be recorded there, whatever this machine remembers. */
  readonly problem: ServerProblem | undefined;
  /** How it is another one than this machine remembers. */
  readonly change: ServerProblem | undefined;
  /** What is to be remembered of it; undefined on a standby. */
  readonly memory: ServerMemory | undefined;
}

const rowsAtOnce = 2000;

export function openDesk(parts: DeskParts): Desk {
  const { clock, mirror } = parts;
  const place = nameOf(parts.place);
  const away = new WeakSet<object>();
  let connection: Connection | undefined;
  let opening: Promise<Connection> | undefined;
  let identity: ServerIdentity | undefined;
  let heard: { readonly now: number; readonly at: number } | undefined;
  // When the server was away, and how.
  let last: { readonly error: CliError; readonly at: number } | undefined;
  let closing = new AbortController();

  const dial = (): Promise<Connection> => {
    const signals = parts.signal === undefined ? [closing.signal] : [closing.signal, parts.signal];
    return connectTo(parts.place, { ...parts, signal: AbortSignal.any(signals) }).catch(
      async (error: unknown) => {
        throw awayBy(error, true, codeOf(error) === '28P01' ? await parts.newPassword?.() : undefined);
      },
    );
  };

  // However many ask at once, there is one connection.
  const open = async (againMs = 0): Promise<Connection> => {
    if (connection?.isOpen === true) return connection;
    if (last !== undefined && clock.monotonic() - last.at < againMs) throw last.error;
    opening ??= openAnew().finally(() => {
      opening = undefined;
    });
    return await opening;
  };

  const openAnew = async (): Promise<Connection> => {
    connection = undefined;
    const opened = await dial();
    try {
      await check(opened);
    } catch (error) {
      opened.close();
      throw error;
    }
    connection = opened;
    last = undefined;
    return opened;
  };

  // Whoever ended the run knows why. Every other error says that the server does not answer.
  const awayBy = (error: unknown, isSilent = false, now?: readonly string[]): unknown => {
    if (parts.signal?.aborted === true) return parts.signal.reason;
    const refusal = serverAway(error, place, now);
    away.add(refusal);
    // Whoever is cut off may connect again at once.
    if (isSilent || error instanceof NoAnswer) last = { error: refusal, at: clock.monotonic() };
    return refusal;
  };

  const check = async (opened: Connection): Promise<void> => {
    const told = readIdentity(await asked(opened, 'identity'));
    const problem = problemWith(opened, told, await mirror.memory());
    if (problem !== undefined) throw serverDiffers(problem, place);
    identity = told;
    await mirror.refresh();
    await fetchNew(opened, told);
  };

  const problemWith = ({ backend }: Connection, told: ServerIdentity, memory: ServerMemory | undefined) =>
    problemOf(told, { memory, backend, schemaVersion, writerVersion, journal: parts.journal });

  // For reading: whatever goes wrong, nothing was changed by it.
  const asked = async (opened: Connection, name: string, ...values: readonly Value[]): Promise<unknown> => {
    try {
      return await opened.read(name, ...values);
    } catch (error) {
      throw isCertain(error) ? refusedByServer(error, place) : awayBy(error);
    }
  };

  const news = async (opened: Connection, seq: number, hash: string): Promise<News> => {
    const at = clock.monotonic();
    const told = readNews(await asked(opened, 'rows_after', seq, hash, rowsAtOnce));
    heard = { now: told.now, at };
    return told;
  };

  const fetchNew = async (opened: Connection, told: ServerIdentity): Promise<void> => {
    for (;;) {
      const { seq, head } = mirror.end;
      const found = await news(opened, seq, head);
      if (!found.knows || found.seq < seq) throw serverDiffers(forgot, place);
      const memory = memoryAt(told, found.lsn);
      // How far the server has written is kept once for each connection: to keep it takes a sync of the disk.
      if (found.rows.length > 0 || connection !== opened) await mirror.add(found.rows, memory);
      if (mirror.end.seq >= found.seq) return;
      if (found.rows.length === 0) throw serverDiffers(gap, place);
    }
  };

  const memoryAt = (told: ServerIdentity, lsn: number | null): ServerMemory => {
    const memory = memoryOf(told);
    if (memory === undefined || lsn === null) throw serverDiffers(standby, place);
    return { ...memory, lsn };
  };

  return {
    async connect(againMs) {
      await open(againMs);
    },
    async refresh(againMs) {
      const isNew = opening === undefined && connection?.isOpen !== true;
      const opened = await open(againMs);
      // A new connection has fetched them already; one that somebody else asked for, perhaps before this.
      if (!isNew && identity !== undefined) await fetchNew(opened, identity);
    },
    async call(name, values) {
      return (await open()).call(name, ...values);
    },
    async take(rows) {
      if (identity === undefined) throw new Error('rows came without a connection');
      const memory = memoryOf(identity);
      if (memory !== undefined) await mirror.add(rows, memory);
    },
    async allRows() {
      // Whatever is wrong with the rows is a finding here, so they are not checked when the connection is made.
      const opened = await dial();
      try {
        const told = readIdentity(await asked(opened, 'identity'));
        const problem = problemWith(opened, told, undefined);
        const change = problem === undefined ? problemWith(opened, told, await mirror.memory()) : undefined;
        const rows: StoredRow[] = [];
        for (;;) {
          const found = await news(opened, rows.at(-1)?.seq ?? 0, '');
          rows.push(...found.rows);
          if (found.rows.length === 0) return { rows, end: found, problem, change, memory: memoryOf(told) };
        }
      } finally {
        opened.close();
      }
    },
    serverNow: () => heard && Math.floor(heard.now + (clock.monotonic() - heard.at)),
    isAway: (error) => typeof error === 'object' && error !== null && away.has(error),
    get identity() {
      return identity;
    },
    get isEncrypted() {
      return connection?.isEncrypted === true;
    },
    close() {
      opening?.catch(() => undefined);
      connection?.close();
      connection = undefined;
      // One that is still being made would keep the program from ending.
      closing.abort(new Error('the desk was closed'));
      closing = new AbortController();
    },
  };
}

const forgot = {
  problem: 'does not have the newest row that this machine has seen: it forgot rows',
  now: ['which refunds are missing there: paydesk team verify', ...wayBack],
};
const gap = { problem: 'does not give the rows that it says it has', now: wayBack };
const standby = { problem: 'is a standby', now: ['connect to the primary server'] };
