/** Reads rows of the journal's file: all after a number, or as many as a damaged file still gives. */

import type { DatabaseSync } from 'node:sqlite';
import { checkChain, type Finding } from './chain.ts';
import { type StoredRow, storedColumns, storedRow } from './stored-row.ts';
import { isBroken } from './unusable.ts';

/**
 * Reads what can be read. A damaged page may hide every row behind it: that is a finding, not an error. Any other error of
 * `open` is thrown.
 */
export async function readWhatCanBe(open: () => Promise<DatabaseSync | undefined>): Promise<{
  readonly rows: readonly StoredRow[];
  readonly findings: readonly Finding[];
}> {
  let db: DatabaseSync | undefined;
  try {
    db = await open();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!isBroken(cause)) throw error;
    return { rows: [], findings: [{ seq: 0, problem: String(cause) }] };
  }
  if (db === undefined) return { rows: [], findings: [] };
  const opened = db;
  let rows: readonly StoredRow[] = [];
  const pages = orFinding(() => pageFindings(opened));
  const ends = orFinding(() =>
    asOfOneMoment(opened, () => {
      rows = readRows(opened, 0);
      return headFindings(opened, checkChain(rows));
    }),
  );
  return { rows, findings: [...pages, ...ends] };
}

/** Reads in one transaction, so that no run writes between the reading of the rows and of the head. */
export function asOfOneMoment<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read();
  db.exec('BEGIN');
  try {
    return read();
  } finally {
    db.exec('COMMIT');
  }
}

/** The rows after this number, in their order. */
export function readRows(db: DatabaseSync, after: number): StoredRow[] {
  return db
    .prepare(`SELECT ${storedColumns.join(', ')} FROM rows WHERE seq > ? ORDER BY seq`)
    .all(after)
    .map(storedRow);
}

/** A finding when the end of the chain is not the newest row that the file notes in `head`. */
export function headFindings(db: DatabaseSync, chain: { seq: number; head: string }): Finding[] {
  const noted = db.prepare('SELECT seq, hash FROM head').get();
  if (noted?.seq === chain.seq && noted.hash === chain.head) return [];
  return [{ seq: Number(noted?.seq ?? chain.seq), problem: 'was the newest and is not there as it was' }];
}

function pageFindings(db: DatabaseSync): Finding[] {
  const lines = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map((line) => String(Object.values(line)[0]));
  return lines.filter((line) => line !== 'ok').map((problem) => ({ seq: 0, problem }));
}

function orFinding(look: () => readonly Finding[]): readonly Finding[] {
  try {
    return look();
  } catch (error) {
    return [{ seq: 0, problem: String(error) }];
  }
}
