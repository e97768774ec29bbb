/** Replaces a journal with one that is rebuilt from the readable parts of a damaged one, or imported. */

import { accessSync, closeSync, constants, readFileSync, rmSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CliError, messageOf, orUndefined, systemCode } from '../../errors.ts';
import {
  type FileRules,
  modesOf,
  openOwnFile,
  syncFolder,
  unwritable,
  writeOwnFile,
} from '../../profiles/profiles.ts';
import { isSqlite, writeAtOnce } from '../../sqlite.ts';
import type { Archive } from '../rows/archive-file.ts';
import { chainOf, type StoredRow } from '../rows/chain.ts';
import type { Repair } from '../rows/journal-store.ts';
import { rebuildRows } from '../rows/rebuild-rows.ts';
import { nameOf, newWitnessKey, type WitnessText } from '../rows/witness-lines.ts';
import { fileMark, isOtherFile, type LandmarkPlace, readLandmark, repairedMark } from './copy-marks.ts';
import { fileOpener, isBroken, type OpenFile, unreadable } from './database.ts';
import { journalKind } from './journal-columns.ts';
import { findFile, type JournalFile } from './journal-file.ts';
import { JournalTables } from './journal-tables.ts';
import { type FoundJournal, salvage, salvageWitness } from './salvage.ts';
import { linesAfter } from './witness/witness-check.ts';
import { createWitness, openWitness } from './witness/witness-file.ts';

/** The time (Unix milliseconds), and where landmarks are kept, if anywhere. */
interface Repairing {
  readonly now: number;
  readonly landmarks: LandmarkPlace | undefined;
}

/**
 * Keeps copies, builds the new journal from both files, renames it over the old one, then writes its witness. If the files may be
 * a copy, the new journal still counts as one. First waits for runs that write to the old journal, then keeps them out. Throws
 * CliError 'refused', and leaves the old one, if such a run does not end or the new journal cannot be written.
 */
export async function repairJournal(
  { path, rules }: JournalFile,
  witness: JournalFile | undefined,
  { now, landmarks }: Repairing,
): Promise<Repair> {
  const openFile = await fileOpener();
  const fresh = `${path}.repaired-${now}`;
  const held = await holdFile(path, rules);
  const heldWitness = witness && (await holdFile(witness.path, rules));
  try {
    const bytes = held && readFileSync(held.handle);
    const witnessBytes = heldWitness && readFileSync(heldWitness.handle);
    const remembered = witnessBytes && salvageWitness(witnessBytes);
    const found = salvage(bytes ?? new Uint8Array());
    const { rows, ...counts } = rebuildRows(found, remembered, now);
    const mayBeCopy = landmarks !== undefined && isCopy(path, found, remembered, landmarks);
    const copies: Pick<Repair, 'copy' | 'witnessCopy'> = {
      copy: bytes && `${path}.damaged-${now}`,
      witnessCopy: witnessBytes && witness && `${witness.path}.before-${now}`,
    };
    const key = remembered?.key ?? newWitnessKey();
    const made = [fresh, `${fresh}-journal`, copies.copy, copies.witnessCopy];
    await orCleanUp(path, made, async () => {
      const mark = mayBeCopy ? repairedMark : undefined;
      await buildJournal({ path: fresh, rules }, openFile, {
        rows: chainOf(rows),
        key,
        mark,
        isRebuilt: true,
      });
      if (copies.copy && bytes) writeOwnFile(copies.copy, bytes, rules);
      if (copies.witnessCopy && witnessBytes) writeOwnFile(copies.witnessCopy, witnessBytes, rules);
    });
    // The journal comes first. Until its new witness is there, changes are refused and the repair can run again.
    await replaceJournal(path, fresh);
    heldWitness?.letGo();
    if (witness !== undefined) writeWitness(path, witness, openFile, key);
    return { ...copies, ...counts, unreadable: found.unreadable, mayBeCopy };
  } finally {
    heldWitness?.letGo();
    held?.letGo();
    await dropJournal(fresh);
  }
}

// Deleting one file and repairing must not hide that the other one is old.
function isCopy(
  path: string,
  { rows, head }: FoundJournal,
  remembered: WitnessText | undefined,
  landmarks: LandmarkPlace,
): boolean {
  if (isOtherFile({ recorded: head?.mark, now: fileMark(path) })) return true;
  const key = remembered?.key;
  const names = [head?.id, key === undefined ? undefined : nameOf(key)].filter((name) => name !== undefined);
  const [landmark] = names
    .flatMap((name) => readLandmark(landmarks, name) ?? [])
    .toSorted((one, other) => other.seq - one.seq);
  if (landmark === undefined) return false;
  const { seq, hash } = landmark;
  return !(
    rows.some((row) => row.seq === seq && row.hash === hash) ||
    remembered?.lines.some((line) => line.seq === seq && line.head === hash) === true
  );
}

// Writes the witness of the new journal, which is now in place.
function writeWitness(path: string, witness: JournalFile, openFile: OpenFile, key: string): void {
  const db = openFile(path, journalKind);
  try {
    createWitness(witness, openFile, key, linesAfter(new JournalTables(db), 0, key));
  } finally {
    db.close();
  }
}

// After a failure the old journal is still in place, so the new files are removed.
async function orCleanUp<T>(
  file: string,
  made: readonly (string | undefined)[],
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    for (const path of made) if (path !== undefined) rmSync(path, { force: true });
    const why = messageOf(cause);
    const first = adviceFor(cause, dirname(file));
    throw new CliError('refused', `the journal ${file} cannot be rebuilt: ${why}`, {
      certain: 'nothing was changed: the damaged file is in its place',
      now: [...(first === undefined ? [] : [first]), 'paydesk journal verify --repair'],
      cause,
    });
  }
}

// What to do about this failure before the next try; undefined if nothing is known to help.
function adviceFor(error: unknown, folder: string): string | undefined {
  const cause = error instanceof CliError ? error.cause : error;
  const code = systemCode(cause);
  if (isSqlite(cause, 'full') || ['ENOSPC', 'EDQUOT'].includes(code))
    return `free some space in ${folder}, then:`;
  if (isSqlite(cause, 'closed') || ['EROFS', 'EACCES', 'EPERM'].includes(code))
    return `make ${folder} writable for you, then:`;
  return undefined;
}

/** Imports rows into an empty journal, and returns how many. Throws CliError 'refused' if the journal or its witness has rows. */
export async function restoreJournal(
  file: JournalFile,
  witness: JournalFile | undefined,
  { rows, count, key }: Archive,
): Promise<number> {
  const { path, rules } = file;
  const openFile = await fileOpener();
  await findFile(file, true);
  const held = await holdFile(path, rules);
  const fresh = `${path}.imported`;
  try {
    const { last, unreadable } = salvage(held === undefined ? new Uint8Array() : readFileSync(held.handle));
    if (last > 0 || unreadable > 0) throw notEmpty(`the journal ${path} has rows`);
    if (witness !== undefined) refuseWitness(witness, openFile);
    await buildJournal({ path: fresh, rules }, openFile, { rows: rows(), key });
    await replaceJournal(path, fresh);
    if (witness !== undefined) writeWitness(path, witness, openFile, key);
    return count;
  } finally {
    held?.letGo();
    await dropJournal(fresh);
  }
}

// A damaged witness may have listed rows, so it is refused too.
function refuseWitness(file: JournalFile, openFile: OpenFile): void {
  const found = openWitness(file, openFile);
  if (found.is === 'missing') return;
  if (found.is === 'damaged') throw notEmpty(`the witness ${file.path} ${found.problem}, and may have rows`);
  try {
    if (found.witness.end() !== undefined) throw notEmpty(`the witness ${file.path} has rows`);
  } catch (error) {
    throw isBroken(error) ? notEmpty(`the witness ${file.path} is damaged, and may have rows`) : error;
  } finally {
    found.witness.close();
  }
}

function notEmpty(what: string): CliError {
  return new CliError('refused', `${what}: an import would mix two histories`, {
    certain: 'nothing was changed',
    now: ['import on a machine, or under an XDG_STATE_HOME, that has sent nothing yet'],
  });
}

// A file that nobody else can write to until `letGo`.
interface HeldFile {
  /** Opened to read the raw bytes. */
  readonly handle: number;
  letGo(): void;
}

// Waits for runs that write to a file, then keeps them out. Undefined if there is no file.
async function holdFile(file: string, rules: FileRules): Promise<HeldFile | undefined> {
  const handle = openOwnFile(file, constants.O_RDONLY, rules);
  if (handle === undefined) return undefined;
  const { DatabaseSync } = await import('node:sqlite');
  let db: DatabaseSync | undefined;
  let isHeld = true;
  const letGo = () => {
    if (!isHeld) return;
    isHeld = false;
    db?.close();
    // Closing a file drops every lock of this process on it, so this comes last.
    closeSync(handle);
  };
  try {
    db = new DatabaseSync(file, { timeout: 5000 });
    keepOthersOut(db, file);
    return { handle, letGo };
  } catch (error) {
    letGo();
    throw error;
  }
}

// SQLite refuses a file that is not a database, or whose header marks it read-only, so no other run can write to it either.
function keepOthersOut(db: DatabaseSync, file: string): void {
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!isBroken(error) && !(isSqlite(error, 'closed') && isWritable(file))) throw unreadable(file, error);
  }
}

function isWritable(file: string): boolean {
  return orUndefined(() => accessSync(file, constants.W_OK) ?? true) === true;
}

/** Builds a journal of these rows for the witness with this key. */
export async function buildJournal(
  { path: fresh, rules }: Pick<JournalFile, 'path' | 'rules'>,
  openFile: OpenFile,
  { rows, key, mark, isRebuilt = false }: NewJournal,
): Promise<void> {
  await mkdir(dirname(fresh), { recursive: true, mode: modesOf(rules).folder });
  for (const path of [fresh, `${fresh}-journal`]) {
    await rm(path, { force: true });
    await (await open(path, 'wx', modesOf(rules).file)).close();
  }
  const db = openFile(fresh, journalKind);
  try {
    // Adding names jumps around their indexes.
    db.exec('PRAGMA cache_size = -32768');
    const tables = new JournalTables(db);
    writeAtOnce(db, () => {
      tables.add(rows);
      tables.noteWitness(nameOf(key));
      // The mark stays the same under the final name.
      tables.noteMark(mark ?? fileMark(fresh), { renews: isRebuilt && mark === undefined });
    });
  } finally {
    db.close();
  }
}

interface NewJournal {
  readonly rows: Iterable<StoredRow>;
  readonly key: string;
  /** A mark to note in place of the file's. */
  readonly mark?: string | undefined;
  /** The rows have new hashes, so the journal needs a new landmark. */
  readonly isRebuilt?: boolean;
}

/** Renames the new file over the old one. Call it only while other runs are kept out. */
export async function replaceJournal(file: string, fresh: string): Promise<void> {
  try {
    // Replace SQLite's own journal first: the old one must never be applied to the new file.
    await rename(`${fresh}-journal`, `${file}-journal`);
    await rename(fresh, file);
    syncFolder(dirname(file));
  } catch (error) {
    throw unwritable(file, error);
  }
}

export async function dropJournal(fresh: string): Promise<void> {
  for (const path of [fresh, `${fresh}-journal`]) await rm(path, { force: true });
}
