/** Repairs a damaged journal file: a copy is kept, every readable row goes into a new one. */

import { copyFile, link, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../errors.ts';
import type { Repair } from '../ports.ts';
import { damageOf, isGenuine, unlink } from './chain.ts';
import { syncFolder } from './new-file.ts';
import type { JournalRow, SentRow } from './rows.ts';
import { createFileStore } from './store.ts';
import { type StoredRow, storedRow } from './stored-row.ts';
import { isBroken, unreadable } from './unusable.ts';

/**
 * Rebuilds the file and puts it in the place of the damaged one at once. Runs that write to the old one are waited for,
 * then kept out. Throws CliError 'refused' while one does not get on, and where the new file cannot be written whole: the
 * damaged one is in its place then.
 */
export async function repairStore(file: string, now: number): Promise<Repair> {
  const copy = `${file}.damaged-${now}`;
  const fresh = `${file}.repaired-${now}`;
  await keepAs(copy, file);
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    const { rows, lost } = await rebuild(db, file, fresh).catch(async (error: unknown) => {
      // Nothing was replaced, so nothing is to be kept.
      await remove(copy, fresh, `${fresh}-journal`);
      throw error;
    });
    // SQLite's own journal first: one that is left of the old file must never be played into the new one.
    if (rows.length > 0) await rename(`${fresh}-journal`, `${file}-journal`);
    else await rm(`${file}-journal`, { force: true });
    if (rows.length > 0) await rename(fresh, file);
    else await rm(file);
    await syncFolder(dirname(file));
    const doubtful = rows.filter(({ intact }) => !intact).length;
    return { copy, kept: rows.length - doubtful, doubtful, lost };
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

// All of the rows or none: a SENT row that is left out would block its order no more.
async function rebuild(db: DatabaseSync, file: string, fresh: string): Promise<Salvage> {
  keepOthersOut(db, file);
  const salvaged = salvage(db);
  await remove(fresh, `${fresh}-journal`);
  const store = createFileStore(fresh);
  try {
    for (const { row } of salvaged.rows) await store.append(row);
  } catch (cause) {
    throw new CliError('refused', `the journal ${file} cannot be rebuilt: ${reasonOf(cause)}`, {
      certain: 'nothing was changed: the damaged file is in its place',
      now: ['free some space there, then:', 'paydesk journal verify --repair'],
      cause,
    });
  } finally {
    store.close();
  }
  return salvaged;
}

async function remove(...files: readonly string[]): Promise<void> {
  for (const file of files) await rm(file, { force: true });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

interface Salvaged {
  readonly seq: number;
  readonly row: JournalRow;
  /** It says what was written. Only a SENT row is taken over without that. */
  readonly intact: boolean;
}

interface Salvage {
  readonly rows: readonly Salvaged[];
  /** Rows that the new file cannot hold. */
  readonly lost: readonly number[];
}

function salvage(db: DatabaseSync): Salvage {
  // So SQLite reads what is there of a file whose end is torn off.
  db.exec('PRAGMA writable_schema = ON');
  const seqs = Array.from({ length: lastSeq(db) }, (_, index) => index + 1);
  const found = seqs.map((seq) => readable(db, seq)).filter((one) => one !== undefined);
  const rows = inOrder(found);
  const kept = new Set(rows.map(({ seq }) => seq));
  return { rows, lost: seqs.filter((seq) => !kept.has(seq)) };
}

// Rows may have changed places, and a damaged SENT its time: it comes before its verdicts all the same. What has no SENT,
// or is a second one of its attempt, no journal can hold.
function inOrder(found: readonly Salvaged[]): readonly Salvaged[] {
  const sents = new Map<string, Salvaged>();
  for (const one of [...found.filter(({ intact }) => intact), ...found]) {
    if (one.row.type === 'sent' && !sents.has(keyOf(one))) sents.set(keyOf(one), one);
  }
  const timeOf = (one: Salvaged) => Math.max(one.row.time, sents.get(keyOf(one))?.row.time ?? 0);
  return found
    .filter((one) => (one.row.type === 'sent' ? sents.get(keyOf(one)) === one : sents.has(keyOf(one))))
    .toSorted(
      (one, other) =>
        timeOf(one) - timeOf(other) || Number(other.row.type === 'sent') - Number(one.row.type === 'sent'),
    );
}

function keyOf({ row }: Salvaged): string {
  return `${row.attempt} ${row.intent}`;
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
function readable(db: DatabaseSync, seq: number): Salvaged | undefined {
  try {
    const found = db.prepare('SELECT * FROM rows WHERE seq = ?').get(seq);
    if (found === undefined) return undefined;
    const stored = storedRow(found);
    if (damageOf(stored) === undefined) return { seq, row: unlink(stored), intact: true };
    if (isGenuine(stored)) return { seq, row: unlink({ ...stored, body: null }), intact: true };
    return stored.type === 'sent' ? { seq, row: doubtfulSent(stored), intact: false } : undefined;
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
