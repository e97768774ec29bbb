/** The file that moves a journal to another store: every row as it is, and the key of the witness. */

import { hash } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, readFileSync, rmSync } from 'node:fs';
import { CliError, systemCode, systemReason } from '../errors.ts';
import { fullPath } from '../io.ts';
import { syncFolderOf, writeAll } from '../profiles/profiles.ts';
import { checkChain, type StoredRow, storedRow } from './chain.ts';

/** What the file holds. */
export interface Archive {
  readonly rows: readonly StoredRow[];
  /** The key of the witness, 64 hex digits. A store without a witness writes a new random one. */
  readonly key: string;
}

const object = 'paydesk_journal';
const certain = 'nothing was changed';

/** Writes a new file. Throws CliError 'refused' when it exists, and 'incomplete' when it cannot be written. */
export function writeArchive(path: string, { rows, key }: Archive, cwd?: () => string): void {
  const lines = [{ object, version: 1, rows: rows.length, key }, ...rows].map((line) => JSON.stringify(line));
  const text = `${lines.join('\n')}\n`;
  writeNew(path, `${text}${JSON.stringify({ sha256: hash('sha256', text) })}\n`, cwd);
}

/** Reads the file. Throws CliError 'refused' when it is not whole, and 'usage' when it cannot be read. */
export function readArchive(path: string, cwd?: () => string): Archive {
  const text = textOf(path, cwd);
  const lines = text.split('\n');
  const end = objectIn(lines.at(-2));
  const before = text.slice(0, text.length - (lines.at(-2)?.length ?? 0) - 1);
  const first = objectIn(lines[0]);
  if (first.object !== object) throw unfit(path, 'was not written by paydesk journal export --to');
  if (first.version !== 1) throw unfit(path, 'was written by a newer paydesk');
  if (end.sha256 !== hash('sha256', before)) throw unfit(path, 'is not whole');
  const rows = lines.slice(1, -2).map((line) => storedRow(objectIn(line)));
  const { findings, seq } = checkChain(rows);
  const [wrong] = findings;
  if (wrong !== undefined) throw unfit(path, `is not whole: row ${wrong.seq} ${wrong.problem}`);
  if (seq !== first.rows || typeof first.key !== 'string' || !/^[0-9a-f]{64}$/.test(first.key))
    throw unfit(path, 'is not whole');
  return { rows, key: first.key };
}

function writeNew(named: string, text: string, cwd?: () => string): void {
  try {
    const path = fullPath(cwd, named);
    const handle = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      writeAll(handle, text);
      fsyncSync(handle);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(handle);
    }
    syncFolderOf(path);
  } catch (error) {
    if (systemCode(error) === 'EEXIST')
      throw new CliError('refused', `${named} exists already`, { certain, now: ['take another name'] });
    throw new CliError('incomplete', `${named} cannot be written: ${systemReason(error)}`, {
      certain,
      now: ['free some space there, or take another folder'],
      cause: error,
    });
  }
}

function textOf(path: string, cwd?: () => string): string {
  try {
    return readFileSync(fullPath(cwd, path), 'utf8');
  } catch (error) {
    throw new CliError('usage', `${path} cannot be read: ${systemReason(error)}`, { certain });
  }
}

function objectIn(line: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function unfit(path: string, what: string): CliError {
  return new CliError('refused', `${path} ${what}`, {
    certain,
    now: ['export it again on the other machine: paydesk journal export --to FILE'],
  });
}
