/** Finds attempts by the columns of their table. Their rows then decide which ones match. */

import { dueAt, isDoubted, mayBeOpen, mayBeYoung, mayNeedLook, youngUntil } from '../attempt-state.ts';
import type { AttemptFilter, AttemptQuery, ListPage, MomentAsked } from '../rows/attempt-query.ts';
import type { AttemptRecord } from '../rows/journal-rows.ts';
import type { Finding, RefundedBy } from '../rows/journal-store.ts';
import { isOfLivemode } from '../same-account.ts';
import { bootText, isCreationByHand, madeBy, numberOfKey } from './journal-columns.ts';
import type { JournalTables } from './journal-tables.ts';
import type { RowProof } from './known-journal.ts';

/** Where matching attempts may be. */
export interface Candidates {
  /** What they are about. */
  readonly abouts: ReadonlySet<string>;
  /** The numbers of their SENT rows; absent when others may match as well. */
  readonly sents?: readonly number[];
  /** SENT rows that must be there, even if they do not match. */
  readonly there?: readonly number[];
  /** What is wrong with the numbers: the witness has others. */
  readonly finding?: Finding | undefined;
}

/** Where the attempts for a query may be. */
export function candidatesFor(
  tables: JournalTables,
  query: AttemptQuery,
  proof: RowProof | undefined,
): Candidates {
  const { orderId, orderIds, change, idempotencyKey, made, again, watched } = query;
  if (orderId !== undefined) return { abouts: new Set([orderId]) };
  if (change !== undefined) {
    const found = tables.sentsOf(change);
    // A change without an order or an idempotency key is filed under its own id: then the witness tells whether a row is gone.
    const abouts = new Set([change, ...found.map(({ about }) => about)]);
    return { abouts, there: found.map(({ seq }) => seq) };
  }
  const where = (text: string, ...values: readonly (string | number)[]) =>
    candidatesIn(tables.sql(`SELECT sent, about FROM attempts WHERE ${text}`).all(...values));
  if (idempotencyKey !== undefined) {
    const number = numberOfKey(idempotencyKey);
    const found = where('idempotency_key = ?', number);
    return { ...found, finding: proof?.idempotencyKey(number, found.sents) };
  }
  if (orderIds !== undefined) return { abouts: orderIds };
  if (made !== undefined) return where(madeAny, JSON.stringify([...made]));
  if (again !== undefined) return where(namesAny, JSON.stringify([...again]));
  if (query.unconfirmed !== undefined || query.open !== undefined) {
    const all = where('is_open IS NOT NULL');
    const found = query.open?.skewed === false ? where('is_open = 1') : all;
    return { ...found, finding: proof?.open(all.sents) };
  }
  if (query.doubted !== undefined) return where('is_doubted = 1');
  if (query.madeByHand !== undefined) return where(maybeYoung, ...timesOf(query.madeByHand));
  if (query.byHand !== undefined) return where('by_hand = 1');
  const columns = whereOf(query);
  const limit = watched?.limit ?? 0;
  return where(`${columns.where.join(' AND ')} ORDER BY due, sent LIMIT ?`, ...columns.values, limit);
}

/** Where the attempts of a page may be. */
export function candidatesOfPage(
  tables: JournalTables,
  filter: AttemptFilter,
  { limit, before }: ListPage,
): Candidates {
  const { where, values } = whereOf(filter);
  const after = before === undefined ? [] : ['(time, change, attempt) < (?, ?, ?)'];
  const past = before === undefined ? [] : [before.time, before.change, before.attempt];
  const all = [...where, ...after];
  const text = `SELECT sent, about FROM attempts ${all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`} ORDER BY time DESC, change DESC, attempt DESC LIMIT ?`;
  return candidatesIn(tables.sql(text).all(...values, ...past, limit));
}

function candidatesIn(
  found: readonly Readonly<Record<string, unknown>>[],
): Candidates & Required<Pick<Candidates, 'sents'>> {
  const sents = [...new Set(found.map(({ sent }) => Number(sent)))];
  return { abouts: new Set(found.map(({ about }) => String(about))), sents, there: sents };
}

/** The names of everybody who sent something. */
export function namesIn(tables: JournalTables, origin: string | undefined): readonly string[] {
  // Jumps from name to name, so it need not read every change.
  const next = 'SELECT operator FROM attempts WHERE operator > name ORDER BY operator LIMIT 1';
  const isOf = '? IS NULL OR EXISTS (SELECT 1 FROM attempts WHERE operator = name AND origin = ?)';
  const text = `WITH RECURSIVE names (name) AS (SELECT '' UNION SELECT (${next}) FROM names WHERE name IS NOT NULL)
    SELECT name FROM names WHERE name <> '' AND (${isOf})`;
  const found = tables.sql(text).all(origin ?? null, origin ?? null);
  return found.map(({ name }) => String(name)).toSorted();
}

/** What somebody's refunds add up to since a time. */
export function refundedIn(
  tables: JournalTables,
  { origin, operator, currency, livemode, since }: RefundedBy,
): number {
  const text =
    'SELECT sum(counted) AS total FROM attempts WHERE operator = ? AND time >= ? AND live = ? AND upper(currency) = ? AND origin = ?';
  const found = tables.sql(text).get(operator, since, Number(livemode), currency.toUpperCase(), origin);
  return Number(found?.total ?? 0);
}

const listed = 'SELECT value FROM json_each(?)';
const madeAny = `sent IN (SELECT sent FROM made WHERE id IN (${listed}))`;
const namesAny = `sent IN (SELECT sent FROM again WHERE name IN (${listed}))`;

const maybeYoung = '(young_until > ? OR young_boot BETWEEN ? AND ?)';

// While the clocks disagree, no horizon counts as over.
function timesOf({ time, skewed, boot }: MomentAsked): readonly [number, string, string] {
  const { id, ms } = boot ?? { id: '', ms: 0 };
  return [skewed ? -1 : time, bootText({ id, ms: ms + 1 }), bootText({ id, ms: Number.MAX_SAFE_INTEGER })];
}

// The filter as conditions on the columns of `attempts`.
function whereOf(filter: AttemptFilter) {
  const { orderId, orderIds, made, watched, madeByHand, idempotencyKey } = filter;
  const conditions: readonly (readonly [string, ...(readonly (string | number | undefined)[])])[] = [
    ['about = ? AND has_order = 1', orderId],
    [`about IN (${listed}) AND has_order = 1`, orderIds && JSON.stringify([...orderIds])],
    ['change = ?', filter.change],
    ['idempotency_key = ?', idempotencyKey === undefined ? undefined : numberOfKey(idempotencyKey)],
    [madeAny, made && JSON.stringify([...made])],
    [namesAny, filter.again && JSON.stringify([...filter.again])],
    // Watched attempts are found by their due time, not by account or sender: `+` keeps SQLite from using that index.
    [watched === undefined ? 'origin = ?' : '+origin = ?', filter.origin],
    ['live IN (?, 2)', filter.livemode === undefined ? undefined : Number(filter.livemode)],
    ['kind = ?', filter.kind],
    ['desk = ?', filter.desk],
    ['time >= ?', filter.since],
    ['time < ?', filter.until],
    ['has_order = ?', filter.withoutOrder && 0],
    [watched === undefined ? 'operator = ?' : '+operator = ?', filter.operator],
    ['is_open >= ?', filter.unconfirmed && 0],
    ['is_open >= ?', filter.open && (filter.open.skewed ? 0 : 1)],
    ['is_doubted = ?', filter.doubted && 1],
    ['due <= ?', watched?.dueBy],
    [maybeYoung, ...(madeByHand === undefined ? [] : timesOf(madeByHand))],
    ['by_hand = ?', filter.byHand && 1],
  ];
  const set = conditions.filter(([, value]) => value !== undefined);
  return {
    where: set.map(([text]) => text),
    values: set.flatMap(([, ...values]) => values).filter((value) => value !== undefined),
  };
}

/** Whether an attempt matches the whole filter. The columns found it; its rows decide. */
export function matches(record: AttemptRecord, filter: AttemptFilter): boolean {
  const { sent, verdicts } = record;
  const last = verdicts.at(-1);
  const { orderId, idempotencyKey, desk, proof } = {
    ...sent,
    orderId: sent.proof.orderId,
    desk: sent.stamp?.desk,
  };
  const is = <T>(wanted: T | undefined, value: T | undefined) => wanted === undefined || wanted === value;
  return (
    is(filter.origin, sent.origin) &&
    (filter.livemode === undefined || isOfLivemode(sent, filter.livemode)) &&
    is(filter.orderId, orderId) &&
    (filter.orderIds === undefined || filter.orderIds.has(orderId ?? '')) &&
    is(filter.change, sent.change) &&
    is(filter.idempotencyKey, idempotencyKey) &&
    is(filter.kind, proof.kind) &&
    is(filter.desk, desk) &&
    is(filter.operator, sent.operator) &&
    (filter.since === undefined || filter.since <= sent.time) &&
    (filter.until === undefined || sent.time < filter.until) &&
    (filter.withoutOrder === undefined || orderId === undefined) &&
    (filter.unconfirmed === undefined || mayBeOpen(last)) &&
    (filter.open === undefined || mayNeedLook(record, filter.open)) &&
    (filter.doubted === undefined || isDoubted(record)) &&
    (filter.madeByHand === undefined || isMadeByHandAt(record, filter.madeByHand)) &&
    (filter.byHand === undefined || isCreationByHand(record)) &&
    (filter.made === undefined || verdicts.flatMap(madeBy).some((id) => filter.made?.has(id))) &&
    (filter.again === undefined || (sent.again ?? []).some((name) => filter.again?.has(name))) &&
    (filter.watched === undefined || (dueAt(record) ?? Number.POSITIVE_INFINITY) <= filter.watched.dueBy)
  );
}

function isMadeByHandAt(record: AttemptRecord, now: MomentAsked): boolean {
  const until = youngUntil(record);
  return until !== undefined && mayBeYoung(until, now);
}

/** Sorts watched attempts by due time. */
export function firstDue(one: AttemptRecord, other: AttemptRecord): number {
  return (dueAt(one) ?? 0) - (dueAt(other) ?? 0);
}
