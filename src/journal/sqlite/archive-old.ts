/** Moves attempts that ended long ago into a file, and puts a shorter journal in place of the old one. */

import { rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { CliError, refused } from '../../errors.ts';
import { fullPath } from '../../io.ts';
import { isWritten, writeArchive } from '../rows/archive-file.ts';
import { archiveRow, areOver, inShort } from '../rows/archived-rows.ts';
import { chainStart, link, relink, type StoredRow } from '../rows/chain.ts';
import {
  type AttemptRecord,
  attemptKey,
  type SentRow,
  type SettingRow,
  type VerdictRow,
} from '../rows/journal-rows.ts';
import type { Archiving, Moved, Verification } from '../rows/journal-store.ts';
import { newWitnessKey } from '../rows/witness-lines.ts';
import { type FileKind, type OpenFile, Statements, verifyAndRepair } from './database.ts';
import { aboutOf, journalKind, type NumberedAttempt } from './journal-columns.ts';
import type { JournalFile } from './journal-file.ts';
import { JournalTables } from './journal-tables.ts';
import { buildJournal, dropJournal, replaceJournal } from './repair.ts';
import { untouched, verifiedParts, verifyFiles } from './verify-files.ts';
import type { Witness } from './witness/witness.ts';
import { linesAfter, type Places } from './witness/witness-check.ts';
import { openWitness, prepareWitness } from './witness/witness-file.ts';

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

/** How many attempts would be moved; stops at `most`. */
export function countOver(tables: JournalTables, before: number, most: number): number {
  let count = 0;
  for (const { about } of tables.sql('SELECT DISTINCT about FROM attempts WHERE time < ?').iterate(before)) {
    const records = tables.attemptsAbout(String(about));
    if (areOver(records, before)) count += records.filter(hasAllRows).length;
    if (count >= most) break;
  }
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
  const over = new AttemptsOver(old.openFile('', overKind), before, said.time);
  try {
    for (const { db } of [tables, witness]) db.exec('BEGIN IMMEDIATE');
    old.check();
    const { seq: rows, hash: head } = tables.end();
    const sha256 = writeChecked(old, path, rows, over);
    const from = { at: said.time, file: fullPath(old.cwd, path), rows, head, sha256 };
    const built = await orWithoutFile(old, path, () => build(old, fresh, over, archiveRow(said, from)));
    const moved = { attempts: over.count(), rows: built, rowsBefore: rows, sha256 };
    await replaceJournal(file.path, fresh);
    return moved;
  } finally {
    for (const { db } of [witness, tables]) if (db.isTransaction) db.exec('ROLLBACK');
    over.db.close();
    await dropJournal(fresh);
  }
}

function refuseFindings(places: Places, { findings: [finding] }: Verification): void {
  if (finding !== undefined)
    throw new CliError('refused', `the journal ${places.journal} is not whole: ${finding.problem}`, {
      certain: 'nothing was moved',
      now: verifyAndRepair,
    });
}

// All rows, and at their end the refusal if they, what is looked up or the witness are not whole.
function* allRows({ tables, witness, places }: OldJournal, over: AttemptsOver): Generator<StoredRow> {
  const attempt = (record: NumberedAttempt) => over.take(record);
  const parts = verifiedParts(tables, { is: 'whole', witness }, places, { moment: untouched, attempt });
  for (let next = parts.next(); ; next = parts.next()) {
    if (next.done === true) return refuseFindings(places, next.value);
    yield* next.value;
  }
}

// Checks the rows while writing them, and reads back every byte, since only this file will have them all. Returns the digest of the
// rows.
function writeChecked(old: OldJournal, path: string, count: number, over: AttemptsOver): string {
  const { witness, cwd } = old;
  const written = writeArchive(path, { count, rows: allRows(old, over), key: witness.key }, cwd);
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

// Builds the new journal and its witness beside the old ones. Returns how many rows it has.
async function build(old: OldJournal, fresh: string, over: AttemptsOver, first: SettingRow): Promise<number> {
  const { file, places, openFile } = old;
  const key = newWitnessKey();
  const rows = newRows(old.tables, over, link(first, 1, chainStart));
  await buildJournal({ ...file, path: fresh }, openFile, { rows, key });
  const tables = new JournalTables(openFile(fresh, journalKind));
  try {
    prepareWitness(places.witness, openFile, key, linesAfter(tables, 0, key));
    const witness = openWitness({ ...places.witness, path: `${places.witness.path}.new` }, openFile);
    refuseFindings(places, verifyFiles(tables, witness, places, { moment: untouched }));
    if (witness.is === 'whole') witness.witness.close();
    return tables.end().seq;
  } finally {
    tables.db.close();
  }
}

function* newRows(tables: JournalTables, over: AttemptsOver, first: StoredRow): Generator<StoredRow> {
  yield first;
  let { seq, hash } = first;
  // The attempts that were shortened, each with the number of its last row. Their other rows are skipped.
  const passed = new Map<string, number>();
  for (const stored of tables.each()) {
    const key = attemptKey(stored);
    const last = stored.type === 'verdict' ? passed.get(key) : undefined;
    if (last === stored.seq) passed.delete(key);
    if (last !== undefined) continue;
    const short = stored.type === 'sent' ? over.shortOf(stored.seq) : undefined;
    if (short !== undefined && short.last > stored.seq) passed.set(key, short.last);
    const content = short === undefined ? stored : { ...stored, row: short.row, body: null, body_hash: null };
    const next = relink(content, seq + 1, hash);
    yield next;
    ({ seq, hash } = next);
  }
}

// ── Which attempts are over ─────────────────────────────────────────────────────────────────────

/** `over`: attempts that are over, by the number of their SENT row, and the short row of each. `kept`: orders with one that is not. */
const overKind: FileKind = {
  name: 'list of what is archived',
  tables: `
CREATE TABLE over (sent INTEGER PRIMARY KEY, last INTEGER NOT NULL, about TEXT NOT NULL, row TEXT NOT NULL) STRICT;
CREATE TABLE kept (about TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`,
  steps: [],
};

/**
 * The attempts that are over, in SQLite's private temporary file: they are noted while all rows are checked, so that none is looked
 * up and read a second time.
 */
class AttemptsOver {
  readonly db: DatabaseSync;
  readonly #statements: Statements;
  readonly #before: number;
  readonly #at: number;

  constructor(db: DatabaseSync, before: number, at: number) {
    this.db = db;
    this.#statements = new Statements(db);
    this.#before = before;
    this.#at = at;
    db.exec('BEGIN');
  }

  /** Notes an attempt, with all its rows. */
  take(record: NumberedAttempt): void {
    const { seq, last, sent } = record;
    const about = aboutOf(sent);
    if (!areOver([record], this.#before))
      this.#statements.of('INSERT OR IGNORE INTO kept VALUES (?)').run(about);
    else if (hasAllRows(record))
      this.#statements
        .of('INSERT INTO over VALUES (?, ?, ?, ?)')
        .run(seq, last, about, shortRow(record, this.#at));
  }

  /** The short row of an attempt, if all of its order are over, and the number of its last row. */
  shortOf(sent: number): { readonly row: string; readonly last: number } | undefined {
    const found = this.#statements.of(`SELECT row, last ${shortened} AND sent = ?`).get(sent);
    return found && { row: String(found.row), last: Number(found.last) };
  }

  count(): number {
    return Number(this.#statements.of(`SELECT count(*) AS attempts ${shortened}`).get()?.attempts);
  }
}

const shortened = 'FROM over WHERE NOT EXISTS (SELECT 1 FROM kept WHERE kept.about = over.about)';

// The text of the short row, out of rows as they were written: those have their columns in them.
function shortRow({ sent, verdicts }: AttemptRecord, at: number): string {
  const { columns: _, ...bare }: SentRow & Columned = sent;
  const record = {
    sent: bare,
    verdicts: verdicts.map(({ columns: __, ...row }: VerdictRow & Columned) => row),
  };
  return link(inShort(record, at), 1, chainStart).row;
}

interface Columned {
  readonly columns?: unknown;
}

// Whether the attempt still has all its rows.
function hasAllRows({ sent }: AttemptRecord): boolean {
  return sent.archived === undefined;
}
