/** Puts a new journal in place of the old one: rebuilt from what is readable in a damaged one, or imported. */

import { closeSync, constants, readFileSync, rmSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CliError, systemCode } from '../../errors.ts';
import { type FileRules, modesOf, openOwnFile, unwritable, writeOwnFile } from '../../profiles/profiles.ts';
import type { Archive } from '../archive-file.ts';
import { chainOf, type StoredRow } from '../chain.ts';
import type { Repair } from '../journal-store.ts';
import { rebuildRows } from '../rebuild-rows.ts';
import { addRows, isBroken, isFull, mayNotWrite, openDatabase, unreadable, writeAtOnce } from './database.ts';
import { findFile, type JournalFile, syncFolder } from './journal-file.ts';
import { salvage } from './salvage.ts';
import { linesAfter, noteWitness, type WitnessPlace } from './witness-check.ts';
import {
  newWitnessKey,
  readWitness,
  readWitnessBytes,
  readWitnessEnd,
  witnessText,
  writeWitness,
} from './witness-file.ts';

/**
 * Keeps copies, builds the new journal from both files, renames it over the old one, then writes its witness. `now` in
 * Unix milliseconds. First waits for runs that write to the old journal, then keeps them out. Throws CliError 'refused'
 * when such a run does not end, and when the new journal cannot be written: then the old one stays.
 */
export async function repairJournal(
  { path, rules }: JournalFile,
  place: WitnessPlace | undefined,
  now: number,
): Promise<Repair> {
  const witness = place?.witness;
  const fresh = `${path}.repaired-${now}`;
  const held = await holdJournal(path, rules);
  try {
    const bytes = held === undefined ? undefined : readFileSync(held.handle);
    const remembered = witness === undefined ? undefined : readWitness(witness, rules);
    const found = salvage(bytes ?? new Uint8Array());
    const { rows, blocked, ...counts } = rebuildRows(found, remembered, now);
    const copies: Copies = {
      copy: bytes && `${path}.damaged-${now}`,
      witnessCopy: remembered && witness && `${witness}.before-${now}`,
    };
    const made = [fresh, `${fresh}-journal`, copies.copy, copies.witnessCopy];
    const text = await orCleanUp(path, made, async () => {
      const built = await buildJournal(fresh, rules, chainOf(rows), remembered?.key ?? newWitnessKey());
      if (copies.copy && bytes) writeOwnFile(copies.copy, bytes, rules);
      if (copies.witnessCopy && witness)
        writeOwnFile(copies.witnessCopy, readWitnessBytes(witness, rules), rules);
      return built;
    });
    // The journal comes first. Without its new witness, changes are refused and the repair can run again.
    await replaceJournal(path, fresh, rules);
    if (witness !== undefined) writeWitness(witness, text, rules);
    const names = blocked.map(({ intent, proof }) => ({ intent, orderId: proof.orderId }));
    return { ...copies, ...counts, unreadable: found.unreadable, blocked: names };
  } finally {
    held?.letGo();
    await dropJournal(fresh);
  }
}

type Copies = Pick<Repair, 'copy' | 'witnessCopy'>;

// After a failure the old journal is still in its place, so the files made so far are removed.
async function orCleanUp<T>(
  file: string,
  made: readonly (string | undefined)[],
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    for (const path of made) if (path !== undefined) rmSync(path, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    const first = adviceFor(cause, dirname(file));
    throw new CliError('refused', `the journal ${file} cannot be rebuilt: ${why}`, {
      certain: 'nothing was changed: the damaged file is in its place',
      now: [...(first === undefined ? [] : [first]), 'paydesk journal verify --repair'],
      cause,
    });
  }
}

// What helps against this failure of the system or of SQLite, before the next try; undefined if nothing is known to.
function adviceFor(error: unknown, folder: string): string | undefined {
  const cause = error instanceof CliError ? error.cause : error;
  const code = systemCode(cause);
  if (isFull(cause) || ['ENOSPC', 'EDQUOT'].includes(code)) return `free some space in ${folder}, then:`;
  if (mayNotWrite(cause) || ['EROFS', 'EACCES', 'EPERM'].includes(code))
    return `make ${folder} writable for you, then:`;
  return undefined;
}

/** Puts imported rows in place of a journal without rows. Throws CliError 'refused' when the journal or its witness has rows. */
export async function restoreJournal(
  file: JournalFile,
  place: WitnessPlace | undefined,
  { rows, key }: Archive,
): Promise<void> {
  const { path, rules } = file;
  await findFile(file, true);
  const held = await holdJournal(path, rules);
  const fresh = `${path}.imported`;
  try {
    const { last, unreadable } = salvage(held === undefined ? new Uint8Array() : readFileSync(held.handle));
    if (last > 0 || unreadable > 0) throw notEmpty(`the journal ${path} has rows`);
    if (place !== undefined) refuseWitness(place.witness, rules);
    const text = await buildJournal(fresh, rules, rows, key);
    await replaceJournal(path, fresh, rules);
    if (place !== undefined) writeWitness(place.witness, text, rules);
  } finally {
    held?.letGo();
    await dropJournal(fresh);
  }
}

// A damaged witness may have known rows, so it is refused too.
function refuseWitness(path: string, rules: FileRules): void {
  const end = readWitnessEnd(path, rules);
  if (end.is === 'damaged') throw notEmpty(`the witness ${path} ${end.problem}, and may have rows`);
  if (end.is === 'whole' && (end.last !== undefined || end.torn))
    throw notEmpty(`the witness ${path} has rows`);
}

function notEmpty(what: string): CliError {
  return new CliError('refused', `${what}: an import would mix two histories`, {
    certain: 'nothing was changed',
    now: ['import on a machine, or under an XDG_STATE_HOME, that has sent nothing yet'],
  });
}

// A journal file that nobody else can write to until `letGo` is called.
interface HeldJournal {
  /** Open for reading the bytes as they are. */
  readonly handle: number;
  letGo(): void;
}

// Waits for runs that write to the journal, then keeps them out. Undefined when there is no file.
async function holdJournal(file: string, rules: FileRules): Promise<HeldJournal | undefined> {
  const handle = openOwnFile(file, constants.O_RDONLY, rules);
  if (handle === undefined) return undefined;
  const { DatabaseSync } = await import('node:sqlite');
  let db: DatabaseSync | undefined;
  const letGo = () => {
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

// SQLite refuses a file that is not a database, so no other run can write to it.
function keepOthersOut(db: DatabaseSync, file: string): void {
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!isBroken(error)) throw unreadable(file, error);
  }
}

// Builds a journal of all these rows for the witness with this key. Returns the text of that witness.
async function buildJournal(
  fresh: string,
  rules: FileRules,
  rows: readonly StoredRow[],
  key: string,
): Promise<string> {
  await mkdir(dirname(fresh), { recursive: true, mode: modesOf(rules).folder });
  for (const path of [fresh, `${fresh}-journal`]) {
    await rm(path, { force: true });
    await (await open(path, 'wx', modesOf(rules).file)).close();
  }
  const db = await openDatabase(fresh);
  try {
    writeAtOnce(db, () => {
      addRows(db, rows);
      noteWitness(db, key);
    });
    return witnessText(key, linesAfter(db, 0, key));
  } finally {
    db.close();
  }
}

// Renames the new file over the old one. Call it only while `holdJournal` keeps other runs out.
async function replaceJournal(file: string, fresh: string, rules: FileRules): Promise<void> {
  try {
    // SQLite's own journal is replaced first: one that is left from the old file must never be applied to the new file.
    await rename(`${fresh}-journal`, `${file}-journal`);
    await rename(fresh, file);
    await syncFolder(dirname(file));
  } catch (error) {
    throw unwritable(file, error, rules);
  }
}

// Removes a new file that was not put in place.
async function dropJournal(fresh: string): Promise<void> {
  for (const path of [fresh, `${fresh}-journal`]) await rm(path, { force: true });
}
