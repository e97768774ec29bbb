/** Repairs a damaged journal file: a copy is kept, every readable row goes into a new one. */

import { copyFile, rename, rm } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import type { Repair } from '../ports.ts';
import { damageOf, isGenuine, type StoredRow, unlink } from './chain.ts';
import type { JournalRow, SentRow } from './rows.ts';
import { createFileStore } from './store.ts';

/** Rebuilds the file. Nobody else may use it meanwhile; the caller holds the journal's lock. */
export async function repairStore(file: string, now: number): Promise<Repair> {
  const copy = `${file}.damaged-${now}`;
  await copyFile(file, copy);
  const { rows, lost } = await salvage(copy);
  const fresh = `${file}.repaired-${now}`;
  await rm(fresh, { force: true });
  const store = createFileStore(fresh);
  let [kept, doubtful] = [0, 0];
  for (const { row, intact } of rows) {
    const saved = await store.append(row).then(
      () => true,
      () => false,
    );
    if (saved && intact) kept += 1;
    else doubtful += 1;
  }
  store.close();
  if (rows.length > 0) await rename(fresh, file);
  else await rm(file);
  await rm(`${file}-journal`, { force: true });
  await rm(`${fresh}-journal`, { force: true });
  return { copy, kept, doubtful, lost };
}

interface Salvaged {
  readonly row: JournalRow;
  readonly intact: boolean;
}

async function salvage(copy: string): Promise<{ rows: Salvaged[]; lost: number[] }> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(copy);
  // So SQLite reads what is there of a file whose end is torn off.
  db.exec('PRAGMA writable_schema = ON');
  const rows: Salvaged[] = [];
  const lost: number[] = [];
  const last = lastSeq(db);
  for (let seq = 1; seq <= last; seq += 1) {
    const found = readable(db, seq);
    if (found === undefined) lost.push(seq);
    else rows.push(...found);
  }
  db.close();
  return { rows: rows.toSorted(byTime), lost };
}

// Rows may have changed places; a SENT comes before its verdicts.
function byTime({ row: one }: Salvaged, { row: other }: Salvaged): number {
  return one.time - other.time || Number(other.type === 'sent') - Number(one.type === 'sent');
}

function lastSeq(db: DatabaseSync): number {
  const seen = ['SELECT max(seq) AS n FROM rows', 'SELECT seq AS n FROM head'].map((query) => {
    try {
      return Number(db.prepare(query).get()?.n ?? 0);
    } catch {
      return 0;
    }
  });
  return Math.max(...seen, ...seqs(db));
}

// The rows in their order, up to the first that cannot be read.
function* seqs(db: DatabaseSync): Generator<number> {
  try {
    for (const { seq } of db.prepare('SELECT seq FROM rows').iterate()) yield Number(seq);
  } catch {
    return;
  }
}

// A changed SENT stays, as an attempt that is open; a changed verdict is no verdict.
function readable(db: DatabaseSync, seq: number): Salvaged[] | undefined {
  try {
    const stored = db.prepare('SELECT * FROM rows WHERE seq = ?').get(seq) as unknown as
      | StoredRow
      | undefined;
    if (stored === undefined) return undefined;
    if (damageOf(stored) === undefined) return [{ row: unlink(stored), intact: true }];
    if (isGenuine(stored)) return [{ row: unlink({ ...stored, body: null }), intact: true }];
    return stored.type === 'sent' ? [{ row: doubtfulSent(stored), intact: false }] : [];
  } catch {
    return undefined;
  }
}

// No read can prove what a changed row claims, so a person must settle it; until then its order is blocked.
function doubtfulSent(stored: StoredRow): SentRow {
  return {
    type: 'sent',
    intent: stored.intent,
    attempt: stored.attempt,
    time: stored.time,
    sendBy: stored.time,
    // What the row said of its horizon is lost, so no time is long enough.
    horizonMs: Number.MAX_SAFE_INTEGER,
    origin: stored.origin ?? '',
    account: stored.origin ?? '',
    profile: '',
    operator: 'not known, the row was damaged',
    request: { method: 'POST', path: '' },
    proof: {
      kind: 'api',
      orderId: stored.order_id ?? undefined,
      livemode: false,
      expected: [],
      tolerated: [],
      before: { charges: [] },
    },
  };
}
