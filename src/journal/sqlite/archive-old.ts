/**
 * Moves attempts that ended long ago out of the journal: all rows go into a file as they are, and a shorter journal takes the place
 * of the old one. Whenever this is stopped, either the old journal is there or the new one, and each is whole.
 */

import { rmSync } from 'node:fs';
import { CliError } from '../../errors.ts';
import { fullPath } from '../../io.ts';
import { type Archive, readArchive, writeArchive } from '../archive-file.ts';
import { archiveRow, areOver, inShort } from '../archived-rows.ts';
import { chainStart, link, relink, type StoredRow } from '../chain.ts';
import { type AttemptRecord, attemptKey, type SettingRow } from '../journal-rows.ts';
import type { Archiving, Moved } from '../journal-store.ts';
import type { OpenFile } from './database.ts';
import type { JournalFile } from './journal-file.ts';
import { JournalTables, journalKind } from './journal-tables.ts';
import { buildJournal, dropJournal, replaceJournal } from './repair.ts';
import { verifyFiles } from './verify-files.ts';
import { linesAfter, type Places } from './witness-check.ts';
import {
  type FoundWitness,
  newWitnessKey,
  openWitness,
  prepareWitness,
  type Witness,
} from './witness-file.ts';

/** The open files of a journal, and where they are. */
export interface OldJournal {
  readonly file: JournalFile;
  readonly places: Places;
  readonly tables: JournalTables;
  readonly witness: Witness;
  readonly openFile: OpenFile;
  /** The folder of a file with a relative name. */
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
 * Does it, while runs that write wait. The new witness then lies beside its place, and whoever opens the journal next takes it.
 * Throws CliError 'refused' when the journal is damaged; after a failure the old journal is in its place.
 */
export async function archiveOld(old: OldJournal, { before, path, said }: Archiving): Promise<Moved> {
  const { file, tables, witness } = old;
  const fresh = `${file.path}.archived`;
  try {
    // Rows are looked up all over the file.
    tables.db.exec('PRAGMA cache_size = -32768');
    for (const { db } of [tables, witness]) db.exec('BEGIN IMMEDIATE');
    old.check();
    refuseFindings(old, tables, { is: 'whole', witness });
    const { count, head, sha256 } = writeChecked(old, path);
    const from = { at: said.time, file: fullPath(old.cwd, path), rows: count, head, sha256 };
    const built = await orWithoutFile(old, path, () => build(old, fresh, before, archiveRow(said, from)));
    await replaceJournal(file.path, fresh);
    return { ...built, rowsBefore: count, sha256 };
  } finally {
    for (const { db } of [witness, tables]) if (db.isTransaction) db.exec('ROLLBACK');
    await dropJournal(fresh);
  }
}

function refuseFindings({ places }: OldJournal, tables: JournalTables, witness: FoundWitness): void {
  const [finding] = verifyFiles(tables, witness, places, undefined).findings;
  if (finding === undefined) return;
  throw new CliError('refused', `the journal ${places.journal} is not whole: ${finding.problem}`, {
    certain: 'nothing was moved',
    now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
  });
}

// Reads back what it wrote: from now on only this file has it all.
function writeChecked({ tables, witness, cwd }: OldJournal, path: string): Archive {
  const { seq, hash } = tables.end();
  writeArchive(path, { count: seq, rows: tables.each(), key: witness.key }, cwd);
  const archive = readArchive(path, cwd);
  if (archive.count === seq && archive.head === hash) return archive;
  throw new CliError('refused', `${path} does not hold what was written to it`, {
    certain: 'nothing was moved',
    now: ['take another folder'],
  });
}

// While the old journal is in its place the file says nothing new, and the next try may take its name.
async function orWithoutFile<T>({ cwd }: OldJournal, path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    rmSync(fullPath(cwd, path), { force: true });
    throw error;
  }
}

// The new journal and its witness, beside the old ones.
async function build(
  old: OldJournal,
  fresh: string,
  before: number,
  first: SettingRow,
): Promise<Pick<Moved, 'attempts' | 'rows'>> {
  const { file, places, openFile } = old;
  // 1 at the numbers of the SENT rows that get a short row in place of all of theirs.
  const moved = new Uint8Array(old.tables.end().seq + 1);
  const key = newWitnessKey();
  const rows = newRows(old.tables, { before, moved, first: link(first, 1, chainStart) });
  await buildJournal({ ...file, path: fresh }, openFile, { rows, key });
  const tables = new JournalTables(openFile(fresh, journalKind));
  try {
    prepareWitness(places.witness, openFile, key, linesAfter(tables, 0, key));
    const witness = openWitness({ ...places.witness, path: `${places.witness.path}.new` }, openFile);
    refuseFindings(old, tables, witness);
    if (witness.is === 'whole') witness.witness.close();
    return { attempts: moved.reduce((sum, one) => sum + one, 0), rows: tables.end().seq };
  } finally {
    tables.db.close();
  }
}

function* newRows(
  tables: JournalTables,
  {
    before,
    moved,
    first,
  }: { readonly before: number; readonly moved: Uint8Array; readonly first: StoredRow },
): Generator<StoredRow> {
  yield first;
  let { seq, hash } = first;
  for (const stored of tables.each()) {
    if (stored.type === 'verdict' && moved[tables.sentOf(stored)?.seq ?? 0] === 1) continue;
    const about = stored.type === 'sent' ? (stored.order_id ?? tables.sentOf(stored)?.about) : undefined;
    const over = about === undefined ? [] : recordsOver(tables, about, before);
    const record = over.find((one) => isWhole(one) && attemptKey(one.sent) === attemptKey(stored));
    if (record !== undefined) moved[stored.seq] = 1;
    const next =
      record === undefined ? relink(stored, seq + 1, hash) : link(inShort(record, first.time), seq + 1, hash);
    yield next;
    ({ seq, hash } = next);
  }
}

// The attempts on an order, if all of them are over. The columns know most of those that are not.
function recordsOver(tables: JournalTables, about: string, before: number): readonly AttemptRecord[] {
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

// It is not there in short already.
function isWhole({ sent }: AttemptRecord): boolean {
  return sent.archived === undefined;
}
