/** Moves attempts that ended long ago into a file, and puts a shorter journal in place of the old one. */

import { rmSync } from 'node:fs';
import { CliError, refused } from '../../errors.ts';
import { fullPath } from '../../io.ts';
import { isWritten, writeArchive } from '../rows/archive-file.ts';
import { archiveRow, areOver, inShort } from '../rows/archived-rows.ts';
import { chainStart, link, relink, type StoredRow } from '../rows/chain.ts';
import { type AttemptRecord, attemptKey, type SettingRow } from '../rows/journal-rows.ts';
import type { Archiving, Moved } from '../rows/journal-store.ts';
import type { OpenFile } from './database.ts';
import { journalKind, type NumberedAttempt } from './journal-columns.ts';
import type { JournalFile } from './journal-file.ts';
import { JournalTables } from './journal-tables.ts';
import { buildJournal, dropJournal, replaceJournal } from './repair.ts';
import { untouched, verifyFiles, wholeRows } from './verify-files.ts';
import type { Witness } from './witness/witness.ts';
import { linesAfter, type Places } from './witness/witness-check.ts';
import { type FoundWitness, openWitness, prepareWitness } from './witness/witness-file.ts';
import { newWitnessKey } from './witness/witness-seals.ts';

interface OldJournal {
  readonly file: JournalFile;
  readonly places: Places;
  readonly tables: JournalTables;
  readonly witness: Witness;
  readonly openFile: OpenFile;
  /** Relative file names start from this folder. */
  readonly cwd: (() => string) | undefined;
  /** Throws CliError 'refused' if the journal is not fit for changes. */
  readonly check: () => void;
}

/** How many attempts would be moved. */
export function countOver(tables: JournalTables, before: number): number {
  let count = 0;
  for (const { about } of tables.sql('SELECT DISTINCT about FROM attempts').iterate())
    count += recordsOver(tables, String(about), before).filter(isWhole).length;
  return count;
}

/**
 * Writes all rows to a file as they are, and puts a shorter journal in place of the old one, while runs that write wait. If it is
 * stopped, either the old journal or the new one is there, and it is whole. The new witness is kept beside the old one until the
 * next run opens the journal. Throws CliError 'refused' if the journal is damaged. After a failure the old journal is still
 * there.
 */
export async function archiveOld(old: OldJournal, { before, path, said }: Archiving): Promise<Moved> {
  const { file, tables, witness } = old;
  const fresh = `${file.path}.archived`;
  try {
    // Lookups jump around the whole file.
    tables.db.exec('PRAGMA cache_size = -32768');
    for (const { db } of [tables, witness]) db.exec('BEGIN IMMEDIATE');
    old.check();
    refuseFindings(old, tables, { is: 'whole', witness });
    const { seq: rows, hash: head } = tables.end();
    const sha256 = writeChecked(old, path, rows);
    const from = { at: said.time, file: fullPath(old.cwd, path), rows, head, sha256 };
    const built = await orWithoutFile(old, path, () => build(old, fresh, before, archiveRow(said, from)));
    await replaceJournal(file.path, fresh);
    return { ...built, rowsBefore: rows, sha256 };
  } finally {
    for (const { db } of [witness, tables]) if (db.isTransaction) db.exec('ROLLBACK');
    await dropJournal(fresh);
  }
}

function refuseFindings({ places }: OldJournal, tables: JournalTables, witness: FoundWitness): void {
  const [finding] = verifyFiles(tables, witness, places, { moment: untouched }).findings;
  if (finding !== undefined) throw notWhole(places, finding.problem);
}

function notWhole({ journal }: Places, problem: string): CliError {
  return new CliError('refused', `the journal ${journal} is not whole: ${problem}`, {
    certain: 'nothing was moved',
    now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
  });
}

// Checks the rows again while writing them, and reads back every byte, since only this file will have them all. Returns the digest
// of the rows.
function writeChecked({ tables, witness, places, cwd }: OldJournal, path: string, count: number): string {
  const refuse = () => {
    throw notWhole(places, 'a row changed after it was checked');
  };
  const how = { end: tables.end(), moment: untouched, refuse };
  const rows = wholeRows(tables, { is: 'whole', witness }, places, how);
  const written = writeArchive(path, { count, rows, key: witness.key }, cwd);
  if (isWritten(path, written, cwd)) return written.ofRows;
  throw refused(`${path} does not hold what was written to it`, ['take another folder'], {
    certain: 'nothing was moved',
  });
}

// Until the new journal is in place, the file is not needed. It is removed so that the next try can use the name.
async function orWithoutFile<T>({ cwd }: OldJournal, path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    rmSync(fullPath(cwd, path), { force: true });
    throw error;
  }
}

// Builds the new journal and its witness beside the old ones.
async function build(
  old: OldJournal,
  fresh: string,
  before: number,
  first: SettingRow,
): Promise<Pick<Moved, 'attempts' | 'rows'>> {
  const { file, places, openFile } = old;
  const moved = { attempts: 0 };
  const key = newWitnessKey();
  const rows = newRows(old.tables, { before, moved, first: link(first, 1, chainStart) });
  await buildJournal({ ...file, path: fresh }, openFile, { rows, key });
  const tables = new JournalTables(openFile(fresh, journalKind));
  try {
    prepareWitness(places.witness, openFile, key, linesAfter(tables, 0, key));
    const witness = openWitness({ ...places.witness, path: `${places.witness.path}.new` }, openFile);
    refuseFindings(old, tables, witness);
    if (witness.is === 'whole') witness.witness.close();
    return { ...moved, rows: tables.end().seq };
  } finally {
    tables.db.close();
  }
}

function* newRows(
  tables: JournalTables,
  what: { readonly before: number; readonly moved: { attempts: number }; readonly first: StoredRow },
): Generator<StoredRow> {
  const { before, moved, first } = what;
  yield first;
  let { seq, hash } = first;
  // The attempts that were shortened, each with the number of its last row. Their other rows are skipped.
  const passed = new Map<string, number>();
  for (const stored of tables.each()) {
    const key = attemptKey(stored);
    const last = stored.type === 'verdict' ? passed.get(key) : undefined;
    if (last === stored.seq) passed.delete(key);
    if (last !== undefined) continue;
    const about = stored.type === 'sent' ? (stored.order_id ?? tables.sentOf(stored)?.about) : undefined;
    const over = about === undefined ? [] : recordsOver(tables, about, before);
    const record = over.find((one) => isWhole(one) && attemptKey(one.sent) === key);
    if (record !== undefined) {
      moved.attempts += 1;
      if (record.last > stored.seq) passed.set(key, record.last);
    }
    const next =
      record === undefined ? relink(stored, seq + 1, hash) : link(inShort(record, first.time), seq + 1, hash);
    yield next;
    ({ seq, hash } = next);
  }
}

// The attempts on an order, if all of them are over. The columns already rule out most orders.
function recordsOver(tables: JournalTables, about: string, before: number): readonly NumberedAttempt[] {
  const found = tables
    .sql(
      `SELECT max(time) AS newest, count(is_open) + count(is_doubted) + count(due) AS unfinished
       FROM attempts WHERE about = ?`,
    )
    .get(about);
  if (Number(found?.newest) >= before || found?.unfinished !== 0) return [];
  const records = tables.attemptsAbout(about);
  return areOver(records, before) ? records : [];
}

// Whether the attempt still has all its rows.
function isWhole({ sent }: AttemptRecord): boolean {
  return sent.archived === undefined;
}
