/** The journal and its witness in one file, for another machine: every row as it is, and the key of the witness. */

import { hash } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, readFileSync, rmSync } from 'node:fs';
import { CliError, systemCode, systemReason } from '../errors.ts';
import { type FileRules, syncFolderOf, writeAll } from '../profiles/profiles.ts';
import { checkChain } from './chain.ts';
import { findFile } from './new-file.ts';
import { buildJournal, dropJournal, holdJournal, replaceJournal } from './replace-journal.ts';
import { salvage } from './salvage.ts';
import { anyOwner, type FileStore } from './store.ts';
import { type StoredRow, storedRow } from './stored-row.ts';
import { newWitnessKey, readWitness, readWitnessEnd, writeWitness } from './witness-file.ts';

const object = 'paydesk_journal';
const certain = 'nothing was changed';

/** Writes it into a new file; returns how many rows. Throws CliError 'refused' if the file exists or the journal is not whole. */
export async function archiveJournal(store: FileStore, path: string): Promise<number> {
  const { findings } = await store.verify();
  if (findings.length > 0)
    throw new CliError('refused', `the journal ${store.file} is not whole`, {
      certain: 'nothing was written',
      now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
    });
  const rows = await store.stored();
  const { witness, rules = anyOwner } = store.parts;
  const key = (witness === undefined ? undefined : readWitness(witness, rules)?.key) ?? newWitnessKey();
  const lines = [{ object, version: 1, rows: rows.length, key }, ...rows].map((line) => JSON.stringify(line));
  const text = `${lines.join('\n')}\n`;
  writeNew(path, `${text}${JSON.stringify({ sha256: hash('sha256', text) })}\n`);
  return rows.length;
}

/** Imports such a file; returns how many rows. Throws CliError 'refused' if this machine's journal or witness has rows. */
export async function restoreJournal(store: FileStore, path: string): Promise<number> {
  const { rows, key } = archiveIn(path);
  const { witness, rules = anyOwner, folders = [] } = store.parts;
  store.close();
  await findFile({ file: store.file, rules, folders }, true);
  const held = await holdJournal(store.file, rules);
  const fresh = `${store.file}.imported`;
  try {
    const { last, unreadable } = salvage(held === undefined ? new Uint8Array() : readFileSync(held.handle));
    if (last > 0 || unreadable > 0) throw notEmpty(`the journal ${store.file} has rows`);
    if (witness !== undefined) refuseWitness(witness, rules);
    const text = await buildJournal(fresh, rows, key);
    await replaceJournal(store.file, fresh);
    if (witness !== undefined) writeWitness(witness, text, rules);
    return rows.length;
  } finally {
    held?.letGo();
    await dropJournal(fresh);
  }
}

// Of what is damaged nobody knows that it says nothing.
function refuseWitness(path: string, rules: FileRules): void {
  const end = readWitnessEnd(path, rules);
  if (end.is === 'damaged') throw notEmpty(`the witness ${path} ${end.problem}, and may know rows`);
  if (end.is === 'whole' && (end.last !== undefined || end.torn))
    throw notEmpty(`the witness ${path} knows rows`);
}

function notEmpty(what: string): CliError {
  return new CliError('refused', `${what}: an import would mix two histories`, {
    certain,
    now: ['import on a machine, or under an XDG_STATE_HOME, that has sent nothing yet'],
  });
}

function writeNew(path: string, text: string): void {
  try {
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
      throw new CliError('refused', `${path} exists already`, { certain, now: ['take another name'] });
    throw new CliError('incomplete', `${path} cannot be written: ${systemReason(error)}`, {
      certain,
      now: ['free some space there, or take another folder'],
      cause: error,
    });
  }
}

interface Archive {
  readonly rows: readonly StoredRow[];
  readonly key: string;
}

function archiveIn(path: string): Archive {
  const text = textOf(path);
  const lines = text.split('\n');
  const end = objectIn(lines.at(-2));
  const before = text.slice(0, text.length - (lines.at(-2)?.length ?? 0) - 1);
  const first = objectIn(lines[0]);
  if (first.object !== object) throw unfit(path, 'is no file of paydesk journal export --to');
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

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
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
    now: ['write it anew on the other machine: paydesk journal export --to FILE'],
  });
}
