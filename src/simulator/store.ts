/** The store of a simulator: its orders, customers and checkouts, its key and its instance id. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type JsonObject, textIn } from '../api/json-values.ts';
import { livemodeOf, type Mode } from '../api/spec.ts';
import { writeAtOnce } from '../sqlite.ts';
import type { Ruled } from './failures.ts';
import type { Random } from './random.ts';
import { type Later, settleLater } from './rules/refund-and-capture.ts';
import { seedCustomers, seedOrders } from './seed/seed.ts';
import { explained, openFile } from './store-file.ts';
import { isStoredOrder, type StoredOrder } from './stored-records.ts';

// Assumed: a private key begins like this. Every new simulator gets a random one.
const keyPrefix = 'key_';

type Table = 'orders' | 'customers' | 'checkouts';

/** The page after the id `next`, before the id `previous`, or the first page. */
export interface PageRequest {
  readonly limit: number;
  readonly next?: string | undefined;
  readonly previous?: string | undefined;
}

/** Newest record first. Each body is the stored JSON text. */
export interface StoredPage {
  readonly bodies: readonly string[];
  readonly firstId: string | undefined;
  readonly lastId: string | undefined;
  /** There are newer records. */
  readonly before: boolean;
  /** There are older records. */
  readonly after: boolean;
}

/** The identity of a simulator. A reset of the demo makes a new instance and key. */
export interface Identity {
  readonly instance: string;
  readonly key: string;
  readonly mode: Mode;
  /** How many orders it was filled with. */
  readonly orders: number;
}

export interface Store {
  identity(): Identity;
  /** Undefined if there is no record with the id `next` or `previous`. */
  page(table: 'orders' | 'customers', request: PageRequest): StoredPage | undefined;
  get(table: Table, id: string): string | undefined;
  /** The JSON text of a checkout, or of an order with one, by its slug: the last part of its page's address. */
  bySlug(table: 'orders' | 'checkouts', slug: string): string | undefined;
  /** Adds the newest record of a list. It is on the disk when this returns. */
  add(table: Table, record: JsonObject & { readonly id: string }): void;
  /**
   * Applies a rule to an order and stores the result, in one transaction. Undefined if there is no such order. `later`: what
   * happens to its refunds some seconds later.
   */
  changeOrder(
    id: string,
    rule: (order: StoredOrder) => Ruled<StoredOrder>,
    later?: (before: StoredOrder, after: StoredOrder) => readonly Later[],
  ): Ruled<StoredOrder> | undefined;
  /** A text stored by name next to the records; undefined if there is none. */
  note(name: string): string | undefined;
  /** Stores a text by name; undefined removes it. */
  keep(name: string, text: string | undefined): void;
  /** Carries out everything that was due by now (Unix seconds). */
  settle(now: number): void;
  close(): void;
}

/** A store's file, and the contents of a new store. */
export interface StoreOptions {
  /** Undefined: the store is in memory. */
  readonly file: string | undefined;
  readonly mode: Mode;
  readonly orders: number;
  /** Unix seconds. */
  readonly now: number;
  readonly random: Random;
}

/** Opens a store, and fills a new one. Throws CliError 'refused' or 'usage' (store-file.ts). */
export function openStore(options: StoreOptions): Store {
  const db = openFile(options.file, (fresh) => fill(fresh, options));
  const prepared = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = db.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
  const identity = () => explained(options.file, () => identityIn(db));
  const opened = identity();
  return {
    identity,
    page: (table, request) => readPage(sql, table, request),
    get: (table, id) => textIn(sql(`SELECT body FROM ${table} WHERE id = ?`).get(id)?.body),
    bySlug: (table, slug) => {
      const path = table === 'orders' ? '$.checkout.slug' : '$.slug';
      return textIn(sql(`SELECT body FROM ${table} WHERE json_extract(body, ?) = ?`).get(path, slug)?.body);
    },
    add: (table, record) =>
      writeAtOnce(db, () => {
        checkInstance(db, opened);
        sql(`INSERT INTO ${table} (id, body) VALUES (?, ?)`).run(record.id, JSON.stringify(record));
      }),
    changeOrder: (id, rule, later = () => []) =>
      writeAtOnce(db, () => {
        checkInstance(db, opened);
        const order = orderOf(sql('SELECT body FROM orders WHERE id = ?').get(id)?.body);
        if (order === undefined) return undefined;
        const result = rule(order);
        if ('value' in result) {
          writeOrder(sql, result.value);
          for (const { at, refundId, status } of later(order, result.value))
            sql('INSERT INTO meta (name, value) VALUES (?, ?)').run(
              `${laterPrefix}${refundId}`,
              `${at} ${status} ${id}`,
            );
        }
        return result;
      }),
    note: (name) => textIn(sql('SELECT value FROM meta WHERE name = ?').get(notePrefix + name)?.value),
    keep: (name, text) =>
      writeAtOnce(db, () => {
        checkInstance(db, opened);
        sql('DELETE FROM meta WHERE name = ?').run(notePrefix + name);
        if (text !== undefined)
          sql('INSERT INTO meta (name, value) VALUES (?, ?)').run(notePrefix + name, text);
      }),
    settle(now) {
      if (laterIn(sql, now).length > 0) writeAtOnce(db, () => settleAll(sql, now));
    },
    close: () => db.close(),
  };
}

/** Deletes all records and fills the store again with a new key and instance, in one transaction. */
export function refillStore(options: StoreOptions): Identity {
  const db = openFile(options.file, (fresh) => fill(fresh, options));
  try {
    return explained(options.file, () =>
      writeAtOnce(db, () => {
        for (const table of ['orders', 'customers', 'checkouts', 'meta']) db.exec(`DELETE FROM ${table}`);
        fill(db, options);
        return identityIn(db);
      }),
    );
  } finally {
    db.close();
  }
}

function fill(db: DatabaseSync, { mode, orders, now, random }: StoreOptions): void {
  const place = { now, orders, livemode: livemodeOf[mode] };
  insertAll(db, 'customers', seedCustomers(place));
  insertAll(db, 'orders', seedOrders(place));
  const meta = {
    instance: random.hex(16),
    key: `${keyPrefix}${random.letters(32)}`,
    mode,
    orders: String(orders),
  };
  const insert = db.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
  for (const [name, value] of Object.entries(meta)) insert.run(name, value);
}

function insertAll(db: DatabaseSync, table: Table, records: Iterable<JsonObject>): void {
  const insert = db.prepare(`INSERT INTO ${table} (id, body) VALUES (?, ?)`);
  for (const record of records) insert.run(String(record.id), JSON.stringify(record));
}

function identityIn(db: DatabaseSync): Identity {
  const rows = db.prepare('SELECT name, value FROM meta').all();
  const meta = new Map(rows.map((row) => [row.name, String(row.value)]));
  return {
    instance: meta.get('instance') ?? '',
    key: meta.get('key') ?? '',
    mode: meta.get('mode') === 'production' ? 'production' : 'sandbox',
    orders: Number(meta.get('orders')),
  };
}

// After a reset, new orders have the same ids as old ones. Without this check, a change to an old order would reach a new one.
function checkInstance(db: DatabaseSync, opened: Identity): void {
  if (identityIn(db).instance !== opened.instance)
    throw new Error('this simulator was reset in the meantime');
}

function orderOf(body: unknown): StoredOrder | undefined {
  if (typeof body !== 'string') return undefined;
  const order: unknown = JSON.parse(body);
  return isStoredOrder(order) ? order : undefined;
}

type Sql = (text: string) => StatementSync;

function writeOrder(sql: Sql, order: StoredOrder): void {
  sql('UPDATE orders SET body = ? WHERE id = ?').run(JSON.stringify(order), order.id);
}

const notePrefix = 'note ';

// The outcome of a refund waits in `meta`: its id is the name, and the value is the time, status and order.
const laterPrefix = 'later ';

function laterIn(sql: Sql, now: number): readonly (Later & { readonly orderId: string })[] {
  const rows = sql('SELECT name, value FROM meta WHERE name GLOB ?').all(`${laterPrefix}*`);
  return rows
    .map(({ name, value }) => {
      const [at, status, orderId = ''] = String(value).split(' ');
      const refundId = String(name).slice(laterPrefix.length);
      return {
        at: Number(at),
        refundId,
        status: status === 'failed' ? status : 'succeeded',
        orderId,
      } as const;
    })
    .filter(({ at }) => at <= now);
}

// Checked again in the transaction: another process may have done it.
function settleAll(sql: Sql, now: number): void {
  for (const later of laterIn(sql, now)) {
    const order = orderOf(sql('SELECT body FROM orders WHERE id = ?').get(later.orderId)?.body);
    if (order !== undefined) writeOrder(sql, settleLater(order, later, now));
    sql('DELETE FROM meta WHERE name = ?').run(`${laterPrefix}${later.refundId}`);
  }
}

function readPage(sql: Sql, table: Table, { limit, next, previous }: PageRequest): StoredPage | undefined {
  const cursor = next ?? previous;
  const seq =
    cursor === undefined ? undefined : sql(`SELECT seq FROM ${table} WHERE id = ?`).get(cursor)?.seq;
  if (cursor !== undefined && seq === undefined) return undefined;
  const backwards = next === undefined && previous !== undefined;
  const edge = seq ?? Number.MAX_SAFE_INTEGER;
  const rows = backwards
    ? sql(`SELECT id, body FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ?`).all(edge, limit + 1)
    : sql(`SELECT id, body FROM ${table} WHERE seq < ? ORDER BY seq DESC LIMIT ?`).all(edge, limit + 1);
  const more = rows.length > limit;
  const shown = backwards ? rows.slice(0, limit).reverse() : rows.slice(0, limit);
  return {
    bodies: shown.map((row) => String(row.body)),
    firstId: textIn(shown[0]?.id),
    lastId: textIn(shown.at(-1)?.id),
    before: backwards ? more : cursor !== undefined,
    after: backwards || more,
  };
}
