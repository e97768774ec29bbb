/** The chain: every row's hash covers its content and the hash before, so that a changed or missing row shows. Pure. */

import { hash } from 'node:crypto';
import type { JournalRow } from './rows.ts';
import { repeating, type StoredRow } from './stored-row.ts';

/** What stands before the first row. */
export const chainStart = '0'.repeat(64);

function sha256(text: string): string {
  return hash('sha256', text);
}

/** A row → what is stored after the row with the hash `prev`. */
export function link(row: JournalRow, seq: number, prev: string): StoredRow {
  const [rest, body] = split(row);
  const columns = columnsOf(row);
  // The columns open the text, so that they can be checked without parsing it.
  const kept = JSON.stringify({ columns, ...rest });
  const body_hash = body === null ? null : sha256(body);
  return { ...columns, seq, row: kept, body, body_hash, prev, hash: hashOf(kept, body_hash, prev) };
}

// Neither hash holds a line break, so this reads in one way only.
function hashOf(row: string, bodyHash: string | null, prev: string): string {
  return sha256(`${prev}\n${bodyHash ?? ''}\n${row}`);
}

// Bodies and notes may name people. They stand apart, and the chain covers their hash.
function split(row: JournalRow): [object, string | null] {
  const { note, ...rest } = row;
  if (rest.type === 'verdict') return [rest, note === undefined ? null : JSON.stringify({ note })];
  const { body, ...request } = rest.request;
  const { body: _, ...proof } = rest.proof;
  const erasable = body === undefined && note === undefined ? null : JSON.stringify({ body, note });
  return [{ ...rest, request, proof }, erasable];
}

function columnsOf(row: JournalRow) {
  const { type, time, intent, attempt } = row;
  const of = { type, time, intent, attempt };
  if (row.type === 'verdict') return { ...of, origin: null, order_id: null, plan: null, ref: null };
  const { origin, proof, plan = null, ref = null } = row;
  return { ...of, origin, order_id: proof.orderId ?? null, plan, ref };
}

/** Its content is what was written, whatever became of its place, its body and its columns. */
export function isGenuine(stored: StoredRow): boolean {
  return hashOf(stored.row, stored.body_hash, stored.prev) === stored.hash;
}

/** What is wrong with a stored row by itself; undefined when it is as it was written. */
export function damageOf(stored: StoredRow): string | undefined {
  if (!isGenuine(stored)) return 'was changed';
  if (stored.body !== null && sha256(stored.body) !== stored.body_hash) return 'has a changed body';
  const { type, time, intent, attempt, origin, order_id, plan, ref } = stored;
  const columns = { type, time, intent, attempt, origin, order_id, plan, ref };
  if (stored.row.startsWith(`{"columns":${JSON.stringify(columns)},`)) return undefined;
  const written = columnsOf(unlink(stored));
  const wrong = repeating.find((name) => stored[name] !== written[name]);
  return `has a changed ${wrong ?? 'column'}`;
}

/** A stored row → the row. Its text is trusted as far as its hash was checked. */
export function unlink(stored: StoredRow): JournalRow {
  const { columns: _, ...row }: JournalRow & { columns: unknown } = JSON.parse(stored.row);
  const { body, note }: { body?: JournalRowBody; note?: string } = JSON.parse(stored.body ?? '{}');
  const noted = note === undefined ? {} : { note };
  if (row.type === 'verdict') return { ...row, ...noted };
  const bodied = body === undefined ? {} : { body };
  return { ...row, ...noted, request: { ...row.request, ...bodied }, proof: { ...row.proof, ...bodied } };
}

type JournalRowBody = Extract<JournalRow, { type: 'sent' }>['request']['body'];

/** A finding of `journal verify`. */
export interface Finding {
  readonly seq: number;
  readonly problem: string;
}

/** Checks rows in the order they lie in, after `prev`; ends with the hash of the last. */
export function checkChain(
  rows: Iterable<StoredRow>,
  seq = 0,
  prev = chainStart,
): { findings: Finding[]; seq: number; head: string } {
  const findings: Finding[] = [];
  let [at, head] = [seq, prev];
  for (const stored of rows) {
    for (let missing = at + 1; missing < stored.seq; missing += 1)
      findings.push({ seq: missing, problem: 'is missing' });
    const damage = damageOf(stored);
    if (damage !== undefined) findings.push({ seq: stored.seq, problem: damage });
    else if (stored.prev !== head)
      findings.push({ seq: stored.seq, problem: 'does not follow the row before it' });
    [at, head] = [stored.seq, stored.hash];
  }
  return { findings, seq: at, head };
}
