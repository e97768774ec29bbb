/**
 * The witness: a second SQLite file outside the journal's folder. It has a sealed line for each row of the journal, found by what
 * the row is about; the attempts that may be open; and the place where the check of the whole journal stands.
 */

import { closeSync, existsSync, fchmodSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CliError, systemReason } from '../../errors.ts';
import { modesOf, prepareOwnFolder, syncFolderOf } from '../../profiles/profiles.ts';
import type { WitnessLine } from '../rows/witness-lines.ts';
import { fileMark } from './copy-marks.ts';
import { type FileKind, type OpenFile, Statements, writeAtOnce } from './database.ts';
import { settingRange } from './journal-columns.ts';
import { type JournalFile, sizeOf } from './journal-file.ts';
import { isBroken } from './sqlite-errors.ts';
import {
  headIn,
  isKey,
  isWhole,
  type LineAt,
  lineAt,
  lineIn,
  nameOf,
  opening,
  sealed,
  sealOf,
} from './witness-seals.ts';

/**
 * `open`: the numbers of the SENT rows of attempts that may be open. `head`: one line. `checked`: up to this row the chain was
 * checked in passing; `whole`: when such a check reached the end the last time (Unix milliseconds); `mark`: what a copy changes of
 * this file (copy-marks.ts).
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

/** A line to be added, and how it is found. */
export interface NewLine {
  readonly line: WitnessLine;
  readonly about: string;
  /** The number of an idempotency key, in the line of a SENT row. */
  readonly idempotencyKey: number | undefined;
  /** The number of the SENT row of its attempt, and whether that may be open from now on; absent in a line about no attempt. */
  readonly attempt?: { readonly sent: number; readonly isOpen: boolean } | undefined;
}

/** How far the whole journal was checked. */
export interface Checked {
  /** Up to this row. */
  readonly upTo: number;
  /** When a check reached the end the last time, Unix milliseconds; undefined if none did. */
  readonly wholeAt: number | undefined;
}

/** What there is of a witness. */
export type FoundWitness =
  | { readonly is: 'missing' }
  | { readonly is: 'damaged'; readonly problem: string }
  | { readonly is: 'whole'; readonly witness: Witness };

/** Opens the witness if it is there. Throws CliError 'refused' for a file that is not safe, or of another version. */
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
 * Puts a new witness with these lines in place of the one that may be there: all of it or nothing. When this returns, it is on the
 * disk. Call it only while nobody else can write to the journal. Throws CliError 'refused' when it cannot be written.
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

/** Writes such a witness beside the one that is there. `takePrepared` puts it in its place. */
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
        // It keeps its mark under its final name.
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
    // SQLite's own journal is replaced first: one that is left from the old file must never be applied to the new file. A run that
    // was killed may have done that already.
    if (existsSync(`${path}.new-journal`)) renameSync(`${path}.new-journal`, `${path}-journal`);
    renameSync(`${path}.new`, path);
    syncFolderOf(path);
  } catch (error) {
    throw unwritten(path, error);
  }
}

/**
 * Takes the prepared witness with this name if it is not in its place yet, since a run was stopped right before that. `alone`: does
 * it while no other run writes to the journal.
 */
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

/** The refusal when the witness cannot be written. */
export function unwritten(path: string, error: unknown): CliError {
  return new CliError(
    'refused',
    `the witness ${path} of the journal cannot be written: ${systemReason(error)}`,
    {
      certain: 'nothing was sent',
      now: ['without a witness nothing is sent: free space, or give yourself the right to write there'],
      cause: error,
    },
  );
}

/** An open witness. */
export class Witness {
  readonly db: DatabaseSync;
  readonly key: string;
  readonly #statements: Statements;

  constructor(db: DatabaseSync, key: string) {
    this.db = db;
    this.key = key;
    this.#statements = new Statements(db);
  }

  /** Changes whenever another connection has written to the file. */
  version(): number {
    return Number(this.#statements.of('PRAGMA data_version').get()?.data_version);
  }

  /** The newest line; undefined when there is none yet, and `damaged` when it is not whole. */
  end(): LineAt | 'damaged' | undefined {
    const found = this.#statements.of('SELECT * FROM lines ORDER BY seq DESC LIMIT 1').get();
    return found && (this.#lineIn(found) ?? 'damaged');
  }

  /** The rows about an order, an idempotency key or a change, oldest first. */
  about(about: string): readonly LineAt[] {
    return this.#statements
      .of('SELECT seq, line FROM lines WHERE about = ? ORDER BY seq')
      .all(about)
      .map(lineAt);
  }

  /** What lines of rows about settings are about. */
  settingAbouts(prefix: string): readonly string[] {
    const found = this.#statements.of('SELECT DISTINCT about FROM lines WHERE about >= ? AND about < ?');
    return found.all(...settingRange(prefix)).map(({ about }) => String(about));
  }

  /** The numbers of the SENT rows of all attempts that may be open, in their order. */
  openSents(): readonly number[] {
    return this.#statements
      .of('SELECT sent FROM open ORDER BY sent')
      .all()
      .map(({ sent }) => Number(sent));
  }

  /** The numbers of the SENT rows under an idempotency key, in their order. */
  sentsUnderKey(idempotencyKey: number): readonly number[] {
    return this.#statements
      .of('SELECT seq FROM lines WHERE idempotency_key = ? ORDER BY seq')
      .all(idempotencyKey)
      .map(({ seq }) => Number(seq));
  }

  /** Adds lines. Call it inside a transaction that writes. */
  add(lines: Iterable<NewLine>): void {
    const add = this.#statements.of('INSERT INTO lines VALUES (?, ?, ?, ?, ?)');
    for (const { line, about, idempotencyKey = null, attempt } of lines) {
      const text = JSON.stringify(line);
      add.run(
        line.seq,
        about,
        idempotencyKey,
        text,
        sealOf(this.key, sealed({ seq: line.seq, about, idempotency_key: idempotencyKey, line: text })),
      );
      if (attempt === undefined) continue;
      const note = attempt.isOpen
        ? 'INSERT OR IGNORE INTO open VALUES (?)'
        : 'DELETE FROM open WHERE sent = ?';
      this.#statements.of(note).run(attempt.sent);
    }
  }

  /** Which rows the lines after a number are about, at most `limit`; `head` is undefined in a line that is not whole. */
  headsAfter(
    seq: number,
    limit: number,
  ): readonly { readonly seq: number; readonly head: string | undefined }[] {
    return this.#rowsAfter(seq, limit).map((row) => ({
      seq: Number(row.seq),
      head: isWhole(row, this.key) ? headIn(String(row.line)) : undefined,
    }));
  }

  /** Lines after a number, in their order, at most `limit`; `line` is undefined for one that is not whole. */
  after(
    seq: number,
    limit: number,
  ): readonly { readonly seq: number; readonly line: WitnessLine | undefined }[] {
    return this.#rowsAfter(seq, limit).map((row) => ({ seq: Number(row.seq), line: this.#lineIn(row) }));
  }

  #rowsAfter(seq: number, limit: number) {
    const text =
      'SELECT seq, about, idempotency_key, line, seal FROM lines WHERE seq > ? ORDER BY seq LIMIT ?';
    const found = this.#statements.ofMany(text).all(seq, limit);
    return found.map((row) => ({
      seq: row[0],
      about: row[1],
      idempotency_key: row[2],
      line: row[3],
      seal: row[4],
    }));
  }

  count(): number {
    return Number(this.#statements.of('SELECT count(*) AS lines FROM lines').get()?.lines ?? 0);
  }

  checked(): Checked {
    const found = this.#statements.of('SELECT checked, whole FROM head').get();
    const whole = found?.whole;
    return { upTo: Number(found?.checked ?? 0), wholeAt: typeof whole === 'number' ? whole : undefined };
  }

  /** Notes how far the journal was checked. */
  noteChecked({ upTo, wholeAt }: Checked): void {
    this.#statements.of('UPDATE head SET checked = ?, whole = ?').run(upTo, wholeAt ?? null);
  }

  /** What a copy changes of the file, as it was when paydesk made it. */
  mark(): string | undefined {
    const mark = this.#statements.of('SELECT mark FROM head').get()?.mark;
    return typeof mark === 'string' ? mark : undefined;
  }

  noteMark(mark: string | undefined): void {
    this.#statements.of('UPDATE head SET mark = ?').run(mark ?? null);
  }

  close(): void {
    this.db.close();
  }

  #lineIn(row: Readonly<Record<string, unknown>>): WitnessLine | undefined {
    return lineIn(row, this.key);
  }
}
