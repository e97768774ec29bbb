/** Finds what is whole in damaged journal files: rows, lines of the witness, and parts of the others. Pure. */

import { damageOf, isGenuine, type StoredRow, storedColumns, storedRow, unlink } from '../rows/chain.ts';
import type { JournalRow } from '../rows/journal-rows.ts';
import { newestIn, type Salvage, type Salvaged } from '../rows/rebuild-rows.ts';
import { isKey, lineIn, type WitnessLine, type WitnessText } from '../rows/witness-lines.ts';
import { type PageRecord, readPages } from './sqlite-pages.ts';

/** `head`: the only row of the table `head`. */
export interface FoundJournal extends Salvage {
  readonly head: { readonly seq: number; readonly id: string; readonly mark: string | undefined } | undefined;
}

/** Reads the bytes of a journal file, damaged or not. */
export function salvage(bytes: Uint8Array): FoundJournal {
  const { records, unreadable } = readPages(bytes);
  // The columns of a row, and `about`.
  const stored = records.filter(({ values }) => values.length === storedColumns.length + 1).map(storedOf);
  const heads = records.map(headOf).filter((head) => head !== undefined);
  // A whole journal has a head even before the first row. Without one, a page is missing.
  const missingHead = bytes.length > 0 && heads.length === 0 ? 1 : 0;
  const whole = new Map<number, Salvaged>();
  for (const one of stored) {
    const row = rowOf(one);
    if (row !== undefined) whole.set(one.seq, { seq: one.seq, hash: one.hash, row });
  }
  return {
    rows: [...whole.values()].toSorted((one, other) => one.seq - other.seq),
    changed: stored.filter((one) => !whole.has(one.seq) && columnsMatchText(one)),
    last: newestIn([...stored.map(({ seq }) => seq), ...heads.map(({ seq }) => seq)]),
    unreadable: unreadable + missingHead,
    head: heads[0],
  };
}

// `seq` is the rowid, which SQLite leaves empty among the values.
function storedOf({ rowid, values }: PageRecord): StoredRow {
  const named = storedColumns.map((name, index) => [name, values[index]]);
  return storedRow({ ...Object.fromEntries(named), seq: rowid });
}

function rowOf(stored: StoredRow): JournalRow | undefined {
  if (!isGenuine(stored)) return undefined;
  return unlink(damageOf(stored) === undefined ? stored : { ...stored, body: null });
}

// Damage never makes the same word twice. If the two differ, nobody knows which order the row blocks.
function columnsMatchText(stored: StoredRow): boolean {
  return (['type', 'change', 'origin', 'order_id'] as const).every((name) =>
    stored.row.includes(`"${name}":${JSON.stringify(stored[name])}`),
  );
}

function headOf({ values: [seq, hash, witness, time, id, mark], values }: PageRecord): FoundJournal['head'] {
  const isHead =
    values.length === 6 &&
    /^[0-9a-f]{64}$/.test(String(hash)) &&
    (witness === null || typeof witness === 'string') &&
    typeof time === 'number' &&
    (mark === null || typeof mark === 'string');
  if (!isHead || typeof seq !== 'number' || typeof id !== 'string') return undefined;
  return { seq, id, mark: typeof mark === 'string' ? mark : undefined };
}

/** Reads the bytes of a witness, damaged or not. */
export function salvageWitness(bytes: Uint8Array): WitnessText {
  const { records, unreadable } = readPages(bytes);
  const key = records.map(keyIn).find((found) => found !== undefined);
  const lines: WitnessLine[] = [];
  const broken: number[] = [];
  for (const { rowid, values } of records) {
    const [isNumber, about, idempotency_key, line, seal] = values;
    // The line's number is its rowid, which SQLite leaves empty among the values.
    if (values.length !== 5 || isNumber !== null) continue;
    const read =
      key === undefined ? undefined : lineIn({ seq: rowid, about, idempotency_key, line, seal }, key);
    if (read === undefined) broken.push(rowid);
    else lines.push(read);
  }
  return { key, lines: lines.toSorted((one, other) => one.seq - other.seq), broken, unreadable };
}

// The only record in the table `head` of a witness.
function keyIn({ values: [key, seal], values }: PageRecord): string | undefined {
  return values.length === 5 && isKey(key, seal) ? key : undefined;
}
