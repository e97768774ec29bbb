/**
 * The journal on a PostgreSQL server, for the senders of a team. The server keeps the rows in one order. Each sender keeps a copy
 * with its witness: the copy proves what the server gives, decides what may be added, and answers questions.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { CliError, refused } from '../../errors.ts';
import type { ClockWithTimers } from '../../io.ts';
import { type FileRules, readOwnFile, writeOwnFile } from '../../profiles/profiles.ts';
import { type StoredRow, storedColumns } from '../rows/chain.ts';
import { attemptKey, type JournalRow } from '../rows/journal-rows.ts';
import { askingMethods, type JournalStore, methodsOf, type Verification } from '../rows/journal-store.ts';
import { lockName } from '../same-account.ts';
import { aboutOf } from '../sqlite/journal-columns.ts';
import type { CopiedJournal } from '../sqlite/sqlite-store.ts';
import type { Leases } from './leases.ts';
import { type Found, type Server, ServerError, type Transaction } from './server.ts';
import { inWords, refuseForgetful, refuseServer, saidInWords, serverDiffers } from './server-words.ts';
import { openIn, pageMax, rowIn, verifyServer } from './verify-server.ts';

interface PostgresParts {
  readonly server: Server;
  /** Where the journal is, for messages. */
  readonly place: string;
  readonly copy: CopiedJournal;
  /** The file that remembers which server this sender knows. */
  readonly memory: string;
  readonly rules: FileRules;
  readonly leases: Pick<Leases, 'numberOf'>;
  readonly clock: ClockWithTimers;
}

export interface ServerJournal extends JournalStore {
  /** Copies rows to a server that has none yet. Returns how many. */
  pushIfEmpty(): Promise<number>;
}

/** Connects on first use. */
export function createPostgresStore(parts: PostgresParts): ServerJournal {
  const store = new PostgresStore(parts);
  const { copy } = parts;
  const fresh = async (): Promise<CopiedJournal> => {
    await store.refresh();
    return copy;
  };
  return {
    place: parts.place,
    witness: copy.witness,
    append: (row) => store.append(row),
    takeBack: (sent, verdict) => store.takeBack(sent, verdict),
    alone: (act) => store.alone(act),
    ...methodsOf(askingMethods, fresh),
    checkSome: (how) => copy.checkSome(how),
    wholeCheckAt: () => copy.wholeCheckAt(),
    problem: () =>
      fresh().then(
        (found) => found.problem(),
        (error: Error) => error.message,
      ),
    verify: (head, now) => store.verify(head, now),
    acceptCopy: (row) => store.acceptServer(row),
    repair: () => store.repair(),
    pushIfEmpty: () => store.pushIfEmpty(),
    eraseBodies: (before) => store.eraseBodies(before),
    countOver: () => Promise.resolve(0),
    archiveOld: () => Promise.reject(store.refusal('stays whole on its server', 'nothing was moved')),
    restore: (path) => store.restore(path),
    close() {
      parts.server.close();
      copy.close();
    },
  };
}

// How long to retry a row that says how something ended: it must not be lost while a server restarts.
const insistMs = 20_000;
const againMs = 250;

class PostgresStore {
  readonly #parts: PostgresParts;
  /** The caller's transaction inside `alone`. */
  readonly #alone = new AsyncLocalStorage<{ transaction: Transaction | undefined }>();
  #asked: Promise<void> | undefined;
  /** The server that this sender knows, and the one it found. */
  #known: string | undefined;
  #found = '';

  constructor(parts: PostgresParts) {
    this.#parts = parts;
  }

  refusal(what: string, certain: string): CliError {
    return new CliError('refused', `the journal ${this.#parts.place} ${what}`, { certain });
  }

  // ── Asking ────────────────────────────────────────────────────────────────────────────────────

  /** Fetches what others have added. Simultaneous calls ask the server once. */
  refresh(): Promise<void> {
    this.#asked ??= Promise.resolve().then(async () => {
      this.#asked = undefined;
      await this.#inWords(() => this.#fetch((text, values) => this.#parts.server.ask(text, values)));
    });
    return this.#asked;
  }

  async #fetch(ask: Transaction['ask'], accepts = false): Promise<void> {
    for (let isAll = false; !isAll; ) {
      const end = await this.#parts.copy.newestRow();
      isAll = await this.#take(end, await ask(headText('$1::bigint'), [end.seq]), accepts);
    }
  }

  // Takes the server's rows after those of the copy. Returns whether that was all.
  async #take(seen: Newest, found: readonly Found[], accepts: boolean): Promise<boolean> {
    const { place, copy } = this.#parts;
    const [head] = found;
    if (head === undefined) throw this.refusal('has no head', 'nothing was sent');
    refuseServer(head, place);
    const newest = { seq: Number(head.head_seq), hash: head.head_hash };
    refuseForgetful(seen, { ...newest, known: head.known }, place);
    const rows = found.flatMap((one) => (one.seq === null ? [] : [rowIn(one)]));
    if (rows.length > 0) await copy.follow(rows);
    if (rows.length === pageMax) return false;
    const last: Newest = rows.at(-1) ?? seen;
    if (last.seq !== newest.seq || last.hash !== newest.hash)
      throw serverDiffers(`lacks row ${newest.seq}, or has another one`, place, ['paydesk journal verify']);
    this.#compare(head.identity ?? '', accepts);
    return true;
  }

  #compare(identity: string, accepts: boolean): void {
    // Another process may have accepted it since.
    if (this.#known !== identity) this.#known = readOwnFile(this.#parts.memory, this.#parts.rules);
    if (this.#known === undefined) this.#remember(identity);
    this.#found = identity;
    if (this.#known === identity || accepts) return;
    throw serverDiffers(
      'was restored, promoted or replaced since this sender saw it last',
      this.#parts.place,
      [
        "check on the service's own screen which orders were changed recently",
        'if it was done on purpose, allow changes again: paydesk journal verify --accept-copy',
      ],
    );
  }

  #remember(identity: string): void {
    const { memory, rules } = this.#parts;
    writeOwnFile(memory, identity, rules);
    this.#known = identity;
  }

  #inWords<T>(act: () => Promise<T>): Promise<T> {
    return saidInWords(this.#parts.place, act);
  }

  // ── Adding ────────────────────────────────────────────────────────────────────────────────────

  /** Runs `act` while no other sender adds rows, until it has added one or ends. */
  alone<T>(act: () => Promise<T>): Promise<T> {
    return this.#inWords(() => this.#locked((transaction) => this.#alone.run({ transaction }, act)));
  }

  // While the head is locked nobody adds rows, and earlier transactions have ended.
  async #locked<T>(act: (transaction: Transaction) => Promise<T>, accepts = false): Promise<T> {
    const seen = await this.#parts.copy.newestRow();
    const first = `${lockText}; ${headText(String(seen.seq))}`;
    return await this.#parts.server.transaction(first, async (transaction, found) => {
      if (!(await this.#take(seen, found, accepts)))
        await this.#fetch((text, values) => transaction.ask(text, values), accepts);
      return await act(transaction);
    });
  }

  async append(row: JournalRow): Promise<void> {
    const held = this.#alone.getStore();
    let begun = held?.transaction;
    if (held !== undefined) held.transaction = undefined;
    const tried: Tried = {};
    const add = async (): Promise<void> => {
      const transaction = begun;
      begun = undefined;
      if (transaction === undefined) return await this.#locked((one) => this.#add(one, row, tried));
      try {
        await this.#add(transaction, row, tried);
      } finally {
        await transaction.rollback();
      }
    };
    // A SENT row is not tried again: nothing was sent yet, and the order may have changed.
    await (row.type === 'sent' ? this.#inWords(add) : this.#insist(add));
  }

  // Tries again while the server restarts, for instance.
  async #insist(act: () => Promise<void>): Promise<void> {
    const { clock, place } = this.#parts;
    const deadline = clock.monotonic() + insistMs;
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof ServerError) || clock.monotonic() >= deadline) throw inWords(error, place);
        await clock.sleep(againMs);
      }
    }
  }

  async #add(transaction: Transaction, row: JournalRow, tried: Tried): Promise<void> {
    const { copy, leases } = this.#parts;
    // The commit of the try before may have succeeded.
    if (tried.row !== undefined && (await copy.rowsAfter(tried.row.seq - 1, 1))[0]?.hash === tried.row.hash)
      return;
    const stored = await copy.next(row);
    const name = row.type === 'sent' ? lockName(row, aboutOf(row)) : null;
    const number = name === null ? undefined : leases.numberOf(name);
    const values = [...storedColumns.map((column) => stored[column]), name, number ?? null];
    try {
      const [added] = await transaction.ask(addText, values);
      if (added?.is_held !== 't') throw this.#refused(row, 'another sender has taken it over by now');
    } catch (error) {
      if (error instanceof ServerError && error.code === '23505')
        throw this.#refused(row, 'another change to it is still open');
      throw error;
    }
    tried.row = stored;
    await transaction.commit();
    // Nothing is sent before the copy and its witness have the row too.
    await copy.follow([stored]);
  }

  #refused(row: JournalRow, why: string): CliError {
    const of = row.type === 'sent' ? aboutOf(row) : 'the journal';
    return refused(`${of} cannot be changed now: ${why}`, ['run the command again in a moment']);
  }

  takeBack(...[sent, verdict]: Parameters<JournalStore['takeBack']>): Promise<void> {
    return this.#insist(async () => {
      // Once the head is locked, the transaction that was to add the row has ended: the row is there or never will be.
      const attempts = await this.#locked(() => this.#parts.copy.attempts({ change: sent.change }));
      if (attempts.some((one) => attemptKey(one.sent) === attemptKey(sent))) await this.append(verdict);
    });
  }

  // ── The whole journal ─────────────────────────────────────────────────────────────────────────

  verify(head: string | undefined, now: number | undefined): Promise<Verification> {
    const { server, copy } = this.#parts;
    return this.#inWords(async () => {
      const [facts] = await server.ask(headText('$1::bigint'), [0]);
      if (facts !== undefined) refuseServer(facts, this.#parts.place);
      // The comparison below shows any problem.
      await this.refresh().catch(() => undefined);
      return await verifyServer({ server, copy }, head, now);
    });
  }

  async eraseBodies(before: number): Promise<number> {
    const { server, copy } = this.#parts;
    await this.refresh();
    const erased = await copy.erasable(before);
    return await this.#inWords(async () => {
      for (const { change, attempt } of erased)
        await server.ask('update paydesk.rows set body = null where change = $1 and attempt = $2', [
          change,
          attempt,
        ]);
      return await copy.eraseBodies(before);
    });
  }

  /** Allows changes again on a restored or promoted server, if it has all rows that this sender saw. */
  async acceptServer(row: JournalRow): Promise<void> {
    await this.#inWords(() =>
      this.#locked(async (transaction) => {
        if (this.#known === this.#found) throw this.refusal('has not changed', 'nothing was changed');
        await this.#add(transaction, row, {});
        this.#remember(this.#found);
      }, true),
    );
  }

  /** Gives a server the rows that it lacks. */
  async repair(): ReturnType<JournalStore['repair']> {
    const pushed = await this.#push();
    if (pushed === 0)
      throw this.refusal('lacks nothing that this sender could give back', 'nothing was changed');
    const none = { doubtful: 0, lost: [], unreadable: 0, blocked: [], unblocked: [], mayBeCopy: false };
    return { copy: undefined, witnessCopy: undefined, kept: pushed, ...none };
  }

  async restore(path: string): Promise<number> {
    await this.refresh();
    const count = await this.#parts.copy.restore(path);
    await this.#push();
    return count;
  }

  async pushIfEmpty(): Promise<number> {
    const [head] = await this.#inWords(() => this.#parts.server.ask('select seq from paydesk.head'));
    return head?.seq === '0' ? await this.#push() : 0;
  }

  // Adds the rows that only the copy has, if they follow the server's. Returns how many.
  async #push(): Promise<number> {
    const { server, copy } = this.#parts;
    const { findings } = await copy.verify();
    if (findings.length > 0) throw this.refusal('has a copy here that is not whole', 'nothing was changed');
    return await this.#inWords(() =>
      server.transaction(`${lockText}; ${headText('0')}`, async (transaction, [head]) => {
        if (head === undefined) throw this.refusal('has no head', 'nothing was changed');
        refuseServer(head, this.#parts.place);
        const from = Number(head.head_seq);
        const [known] = await copy.rowsAfter(from - 1, 1);
        if (from > 0 && known?.hash !== head.head_hash)
          throw serverDiffers('has rows that this sender does not know', this.#parts.place, []);
        const pushed = await pushRows(transaction, copy, from);
        await transaction.commit();
        return pushed;
      }),
    );
  }
}

type Newest = Pick<StoredRow, 'seq' | 'hash'>;

/** The row that the last try gave to the server. */
interface Tried {
  row?: StoredRow;
}

/** What the server says about itself, whether it has the row that this sender saw last (`seq`, or a placeholder), and the rows after it. */
const headText = (
  seq: string,
): string => `with head as materialized (select id, seq as head_seq, hash as head_hash,
    (select max(number) from paydesk.migrations) as schema, pg_is_in_recovery() as standby,
    current_setting('synchronous_commit') as synchronous_commit, current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    (select hash from paydesk.rows where seq = ${seq}) as known,
    concat_ws(' ', id, (select system_identifier from pg_control_system()),
      (select oid from pg_database where datname = current_database()),
      case when pg_is_in_recovery() then '' else left(pg_walfile_name(pg_current_wal_lsn()), 8) end) as identity
    from paydesk.head)
  select head.*, ${storedColumns.map((name) => `r.${name}`).join(', ')}
  from head left join paydesk.rows r on r.seq > ${seq} order by r.seq limit ${pageMax}`;
/** While the head is locked nobody adds rows. */
const lockText = 'select 1 from paydesk.head for update';

const columns = storedColumns.join(', ');
const places = storedColumns.map((_, index) => `$${index + 1}`).join(', ');
const [nameAt, numberAt] = [storedColumns.length + 1, storedColumns.length + 2].map((at) => `$${at}`);
/** Adds a row, with the name of its lock and its lease number. `is_held`: whether this sender still has the lease; true without a lease. */
const addText = `with added as (insert into paydesk.rows (${columns}) values (${places}) returning seq, hash, type, change, attempt),
  noted as (update paydesk.head set seq = added.seq, hash = added.hash from added),
  opened as (insert into paydesk.open_changes select seq, ${nameAt}::text, ${numberAt}::bigint from added where ${nameAt}::text is not null),
  closed as (delete from paydesk.open_changes where sent in (select r.seq from paydesk.rows r join added on r.type = 'sent'
    and added.type = 'verdict' and r.change = added.change and r.attempt = added.attempt))
  select ${numberAt}::bigint is null or exists (select 1 from paydesk.leases
    where name = ${nameAt} and number = ${numberAt}::bigint and until > clock_timestamp()) as is_held`;

/** Adds the copy's rows after a number, and rebuilds the list of open changes. Returns how many. */
async function pushRows(transaction: Transaction, copy: CopiedJournal, from: number): Promise<number> {
  let at = from;
  for (;;) {
    const rows = await copy.rowsAfter(at, pageMax);
    const last = rows.at(-1);
    if (last === undefined) break;
    await transaction.ask(
      `insert into paydesk.rows (${columns}) select ${columns} from json_populate_recordset(null::paydesk.rows, $1)`,
      [JSON.stringify(rows)],
    );
    await transaction.ask('update paydesk.head set seq = $1, hash = $2', [last.seq, last.hash]);
    at = last.seq;
  }
  const open = await openIn(copy);
  const sents = open.map(({ sent }) => String(sent));
  await transaction.ask('delete from paydesk.open_changes where sent <> all ($1::bigint[])', [sents]);
  await transaction.ask(
    'insert into paydesk.open_changes (sent, name) select * from unnest($1::bigint[], $2::text[]) on conflict do nothing',
    [sents, open.map(({ name }) => name)],
  );
  return at - from;
}
