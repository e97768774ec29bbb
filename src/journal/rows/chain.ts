/**
 * Turns rows into the form in which they are stored: each row's hash also covers the hash before it, so a changed or missing row
 * shows. Pure.
 */

import { hash } from 'node:crypto';
import type { PlanTold } from '../team-rules.ts';
import type { JournalRow, SentRow } from './journal-rows.ts';
import type { Finding } from './journal-store.ts';

/** A row as a store keeps it. */
export interface StoredRow {
  readonly seq: number;
  /** The row as JSON, without the parts that may be erased. */
  readonly row: string;
  /** The parts that may be erased, as JSON: request body, notes and links. Null when erased, or when there are none. */
  readonly body: string | null;
  readonly body_hash: string | null;
  readonly prev: string;
  readonly hash: string;
  /** Columns by which rows are looked up. They repeat what the row says and are checked against it. */
  readonly type: string;
  readonly time: number;
  /** The id of the change, or of the request for an approval; otherwise empty. Without a change, the attempt is 0. */
  readonly change: string;
  readonly attempt: number;
  readonly origin: string | null;
  readonly order_id: string | null;
  readonly plan: string | null;
  readonly ref: string | null;
}

const repeating = [
  'type',
  'time',
  'change',
  'attempt',
  'origin',
  'order_id',
  'plan',
  'ref',
] as const satisfies readonly (keyof StoredRow)[];

/** All columns of the table. */
export const storedColumns = [
  'seq',
  'row',
  'body',
  'body_hash',
  'prev',
  'hash',
  ...repeating,
] as const satisfies readonly (keyof StoredRow)[];

/** The hash before the first row. */
export const chainStart = '0'.repeat(64);

/** The stored form of a row. `prev`: the hash of the row before it. */
export function link(row: JournalRow, seq: number, prev: string): StoredRow {
  const [rest, body] = split(row);
  const columns = columnsOf(row);
  // The columns come first in the text, so they can be checked without parsing it.
  const kept = JSON.stringify({ columns, ...rest });
  const body_hash = body === null ? null : hash('sha256', body);
  return { ...columns, seq, row: kept, body, body_hash, prev, hash: hashOf(kept, body_hash, prev) };
}

/** The same row at another place. Text and body stay as they were written, even if the body was erased. */
export function relink(stored: StoredRow, seq: number, prev: string): StoredRow {
  return { ...stored, seq, prev, hash: hashOf(stored.row, stored.body_hash, prev) };
}

/** The stored form of all rows of a new journal. */
export function chainOf(rows: readonly JournalRow[]): readonly StoredRow[] {
  let prev = chainStart;
  return rows.map((row, index) => {
    const stored = link(row, index + 1, prev);
    prev = stored.hash;
    return stored;
  });
}

// Neither hash holds a line break, so two different rows never give the same text.
function hashOf(row: string, bodyHash: string | null, prev: string): string {
  return hash('sha256', `${prev}\n${bodyHash ?? ''}\n${row}`);
}

// Bodies, notes and the page behind a link may name people, so they are stored apart and can be erased. The chain covers their hash.
function split(row: JournalRow): [object, string | null] {
  if (row.type === 'setting' || row.type === 'limit') return [row, null];
  if (row.type === 'verdict') {
    const { note, link, ...rest } = row;
    return [rest, note === undefined && link === undefined ? null : JSON.stringify({ note, link })];
  }
  const { note, ...rest } = row;
  if ('told' in rest && rest.told !== undefined) {
    const { told, ...kept } = rest;
    return [kept, JSON.stringify({ note, told })];
  }
  if (!('request' in rest)) return [rest, note === undefined ? null : JSON.stringify({ note })];
  const { body, ...request } = rest.request;
  const { body: _, ...proof } = rest.proof;
  const erasable = body === undefined && note === undefined ? null : JSON.stringify({ body, note });
  return [{ ...rest, request, proof }, erasable];
}

function columnsOf(row: JournalRow) {
  const none = { origin: null, order_id: null, plan: null, ref: null };
  const { type, time } = row;
  if (row.type === 'setting') return { type, time, change: '', attempt: 0, ...none, origin: row.origin };
  if (row.type === 'limit') return { type, time, change: '', attempt: 0, ...none };
  if (row.type === 'approval') return { type, time, change: row.requestId, attempt: 0, ...none };
  const { change, attempt } = row;
  const of = { type, time, change, attempt };
  if (row.type !== 'sent') return { ...of, ...none };
  const { origin, proof, plan = null, ref = null } = row;
  return { ...of, origin, order_id: proof.orderId ?? null, plan, ref };
}

/** Whether the content is what was written. Says nothing about the place, the body or the columns of the row. */
export function isGenuine(stored: StoredRow): boolean {
  return hashOf(stored.row, stored.body_hash, stored.prev) === stored.hash;
}

/** What is wrong with a single stored row; undefined when it is as it was written. */
export function damageOf(stored: StoredRow): string | undefined {
  if (!isGenuine(stored)) return 'was changed';
  if (stored.body !== null && hash('sha256', stored.body) !== stored.body_hash) return 'has a changed body';
  const { type, time, change, attempt, origin, order_id, plan, ref } = stored;
  const columns = { type, time, change, attempt, origin, order_id, plan, ref };
  if (stored.row.startsWith(`{"columns":${JSON.stringify(columns)},`)) return undefined;
  const written = columnsOf(unlink(stored));
  const wrong = repeating.find((name) => stored[name] !== written[name]);
  return `has a changed ${wrong ?? 'column'}`;
}

/** Turns a stored row back into the row. Check its hash first. */
export function unlink(stored: StoredRow): JournalRow {
  const { columns: _, ...row }: JournalRow & { columns: unknown } = JSON.parse(stored.row);
  if (row.type === 'setting' || row.type === 'limit' || stored.body === null) return row;
  const { body, note, link, told }: Erasable = JSON.parse(stored.body);
  const noted = note === undefined ? {} : { note };
  if (row.type === 'verdict') return { ...row, ...noted, ...(link === undefined ? {} : { link }) };
  if (!('request' in row)) return { ...row, ...noted, ...(told === undefined ? {} : { told }) };
  const bodied = body === undefined ? {} : { body };
  const request = { ...row.request, ...bodied };
  if (row.type === 'approval') return { ...row, ...noted, request, proof: { ...row.proof, ...bodied } };
  return { ...row, ...noted, request, proof: { ...row.proof, ...bodied } };
}

/**
 * The row as it was written: with the columns in it, which `unlink` takes out, and a request without its body. For checks of many
 * rows, where making the copy would take most of the time.
 */
export function written(stored: StoredRow): JournalRow {
  if (stored.body !== null && stored.type !== 'sent') return unlink(stored);
  const row: JournalRow = JSON.parse(stored.row);
  return row;
}

interface Erasable {
  readonly body?: SentRow['request']['body'];
  readonly note?: string;
  readonly link?: string;
  readonly told?: PlanTold;
}

// The most rows of one gap that are reported.
const mostMissing = 10_000;

/** Checks rows that follow the row `seq` with the hash `prev`. Returns number and hash of the last one. */
export function checkChain(
  rows: Iterable<StoredRow>,
  seq = 0,
  prev = chainStart,
): { findings: Finding[]; seq: number; head: string } {
  const findings: Finding[] = [];
  let [at, head] = [seq, prev];
  for (const stored of rows) {
    // Damage may make a number as large as you like.
    for (let missing = at + 1; missing < Math.min(stored.seq, at + mostMissing); missing += 1)
      findings.push({ seq: missing, problem: 'is missing' });
    const damage = damageOf(stored);
    if (damage !== undefined) findings.push({ seq: stored.seq, problem: damage });
    else if (stored.prev !== head)
      findings.push({ seq: stored.seq, problem: 'does not follow the row before it' });
    [at, head] = [stored.seq, stored.hash];
  }
  return { findings, seq: at, head };
}

/**
 * Reads a stored row out of a record of the table. A value of the wrong type can only come from damage. It becomes empty, not
 * null, so that the checks find it; null would mean an erased body.
 */
export function storedRow(from: Readonly<Record<string, unknown>>): StoredRow {
  return storedRowIn(storedColumns.map((name) => from[name]));
}

/** The same, out of values in the order of `storedColumns`. */
export function storedRowIn(values: Readonly<Record<number, unknown>>): StoredRow {
  return {
    seq: integer(values[0]),
    row: text(values[1]),
    body: textOrNull(values[2]),
    body_hash: textOrNull(values[3]),
    prev: text(values[4]),
    hash: text(values[5]),
    type: text(values[6]),
    time: integer(values[7]),
    change: text(values[8]),
    attempt: integer(values[9]),
    origin: textOrNull(values[10]),
    order_id: textOrNull(values[11]),
    plan: textOrNull(values[12]),
    ref: textOrNull(values[13]),
  };
}

function integer(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : text(value);
}
