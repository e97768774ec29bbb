/** Repairs a damaged journal file: a copy is kept, every readable row goes into a new one. */

import { copyFile, link, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Repair } from '../ports.ts';
import { damageOf, isGenuine, type StoredRow, unlink } from './chain.ts';
import { syncFolder } from './new-file.ts';
import type { JournalRow, SentRow } from './rows.ts';
import { createFileStore } from './store.ts';
import { isBroken, unreadable } from './unusable.ts';

/**
 * Rebuilds the file and puts it in the place of the damaged one at once. Runs that write to the old one are waited for,
 * then kept out. Throws CliError 'refused' while one does not get on.
 */
export async function repairStore(file: string, now: number): Promise<Repair> {
  const copy = `${file}.damaged-${now}`;
  const fresh = `${file}.repaired-${now}`;
  await keepAs(copy, file);
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    keepOthersOut(db, file);
    const { rows, lost } = salvage(db);
    await rm(fresh, { force: true });
    const counts = await fill(fresh, rows);
    // SQLite's own journal first: one that is left of the old file must never be played into the new one.
    if (rows.length > 0) await rename(`${fresh}-journal`, `${file}-journal`);
    else await rm(`${file}-journal`, { force: true });
    if (rows.length > 0) await rename(fresh, file);
    else await rm(file);
    await syncFolder(dirname(file));
    return { copy, ...counts, lost };
  } finally {
    db.close();
  }
}

// The very file under a second name, where the disk can do that: what is written to it meanwhile is not missed.
async function keepAs(copy: string, file: string): Promise<void> {
  await link(file, copy).catch(() => copyFile(file, copy));
}

// From now on nobody can commit to the old file; to one that SQLite does not take for a database nobody could before.
function keepOthersOut(db: DatabaseSync, file: string): void {
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!isBroken(error)) throw unreadable(file, error);
  }
}

async function fill(fresh: string, rows: readonly Salvaged[]): Promise<{ kept: number; doubtful: number }> {
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
  return { kept, doubtful };
}

interface Salvaged {
  readonly row: JournalRow;
  readonly intact: boolean;
}

function salvage(db: DatabaseSync): { rows: Salvaged[]; lost: number[] } {
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
