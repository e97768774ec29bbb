/**
 * Finds, opens and replaces the file of the witness: a second SQLite file outside the journal's folder. It has a sealed line for
 * each row, the attempts that may be open, and how far the whole journal was checked.
 */

import { closeSync, existsSync, fchmodSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CliError, refused, systemReason } from '../../../errors.ts';
import { modesOf, prepareOwnFolder, syncFolderOf } from '../../../profiles/profiles.ts';
import { writeAtOnce } from '../../../sqlite.ts';
import { isKey, nameOf, opening, sealOf } from '../../rows/witness-lines.ts';
import { fileMark } from '../copy-marks.ts';
import { type FileKind, isBroken, type OpenFile } from '../database.ts';
import { type JournalFile, sizeOf } from '../journal-file.ts';
import { type NewLine, Witness } from './witness.ts';

/**
 * `open`: the numbers of the SENT rows of attempts that may be open. `head`: one line. `checked`: the last row whose chain was
 * checked in passing; `whole`: when such a check last reached the end (Unix milliseconds); `mark`: the file's mark
 * (copy-marks.ts).
 */
export const witnessKind: FileKind = {
  name: 'witness',
  tables: `
CREATE TABLE lines (seq INTEGER PRIMARY KEY, about TEXT NOT NULL, idempotency_key INTEGER, line TEXT NOT NULL, seal TEXT NOT NULL) STRICT;
CREATE INDEX line_about ON lines (about);
CREATE INDEX line_key ON lines (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE TABLE open (sent INTEGER PRIMARY KEY) STRICT;
CREATE TABLE head (key TEXT NOT NULL, seal TEXT NOT NULL, checked INTEGER NOT NULL, whole INTEGER, mark TEXT) STRICT;`,
  steps: [],
};

export type FoundWitness =
  | { readonly is: 'missing' }
  | { readonly is: 'damaged'; readonly problem: string }
  | { readonly is: 'whole'; readonly witness: Witness };

/** Opens the witness if there is one. Throws CliError 'refused' for a file that is unsafe or of another version. */
export function openWitness(file: JournalFile, openFile: OpenFile): FoundWitness {
  const { path } = file;
  const size = sizeOf(file);
  if (size === undefined) return { is: 'missing' };
  if (size === 0) return { is: 'damaged', problem: 'is empty' };
  let db: DatabaseSync | undefined;
  try {
    db = openFile(path, witnessKind);
    const found = db.prepare('SELECT key, seal FROM head').get();
    const key = found?.key;
    if (isKey(key, found?.seal)) return { is: 'whole', witness: new Witness(db, key) };
    db.close();
    return { is: 'damaged', problem: notBegun };
  } catch (error) {
    db?.close();
    const why = error instanceof Error ? error.message : '';
    if (isBroken(error)) return { is: 'damaged', problem: `${notBegun}: ${why}` };
    if (/no such table|no such column/.test(why)) return { is: 'damaged', problem: notBegun };
    throw error;
  }
}

const notBegun = 'does not begin like a witness';

/**
 * Replaces the witness with these lines, all or nothing. It is on the disk when this returns. Call it only while nobody else can
 * write to the journal. Throws CliError 'refused' if it cannot be written.
 */
export function createWitness(
  file: Pick<JournalFile, 'path' | 'rules'>,
  openFile: OpenFile,
  key: string,
  lines: Iterable<NewLine>,
): void {
  prepareWitness(file, openFile, key, lines);
  putInPlace(file);
}

/** Writes such a witness beside the current one. `takePrepared` puts it in place. */
export function prepareWitness(
  { path, rules }: Pick<JournalFile, 'path' | 'rules'>,
  openFile: OpenFile,
  key: string,
  lines: Iterable<NewLine>,
): void {
  const fresh = `${path}.new`;
  const made = [`${fresh}-journal`, fresh];
  try {
    prepareOwnFolder(dirname(path), rules);
    for (const one of made) {
      rmSync(one, { force: true });
      const handle = openSync(one, 'wx', modesOf(rules).file);
      fchmodSync(handle, modesOf(rules).file);
      closeSync(handle);
    }
    const db = openFile(fresh, witnessKind);
    try {
      db.exec('PRAGMA cache_size = -32768');
      writeAtOnce(db, () => {
        // The mark stays the same under the final name.
        const mark = fileMark(fresh) ?? null;
        db.prepare('INSERT INTO head VALUES (?, ?, 0, NULL, ?)').run(key, sealOf(key, opening), mark);
        new Witness(db, key).add(lines);
      });
    } finally {
      db.close();
    }
    syncFolderOf(path);
    // The folder may be new as well.
    syncFolderOf(dirname(path));
  } catch (error) {
    for (const one of made) rmSync(one, { force: true });
    throw error instanceof CliError ? error : unwritten(path, error);
  }
}

function putInPlace({ path }: Pick<JournalFile, 'path'>): void {
  try {
    // Replace SQLite's own journal first: the old one must never be applied to the new file. A killed run may have done this already.
    if (existsSync(`${path}.new-journal`)) renameSync(`${path}.new-journal`, `${path}-journal`);
    renameSync(`${path}.new`, path);
    syncFolderOf(path);
  } catch (error) {
    throw unwritten(path, error);
  }
}

/** Puts the prepared witness in place if a run stopped right before that. `alone` keeps other runs from writing meanwhile. */
export function takePrepared(
  file: JournalFile,
  openFile: OpenFile,
  { name, alone }: { readonly name: string | undefined; readonly alone: (take: () => void) => void },
): void {
  const fresh = { ...file, path: `${file.path}.new` };
  if (name === undefined || !existsSync(fresh.path) || isNamed(file, openFile, name)) return;
  alone(() => {
    if (isNamed(fresh, openFile, name)) putInPlace(file);
  });
}

function isNamed(file: JournalFile, openFile: OpenFile, name: string): boolean {
  const found = openWitness(file, openFile);
  if (found.is !== 'whole') return false;
  found.witness.close();
  return nameOf(found.witness.key) === name;
}

export function unwritten(path: string, error: unknown): CliError {
  return refused(
    `the witness ${path} of the journal cannot be written: ${systemReason(error)}`,
    ['without a witness nothing is sent: free space, or give yourself the right to write there'],
    { cause: error },
  );
}
