/** What a run does to the journal's files and its witness, call by call with its bytes, and what a power loss may leave of it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bin, type Home } from '../harness/paydesk.ts';
import { type Desk, journalFile, witnessFile } from './desk.ts';

/** The files that SQLite writes; both are there, and in their folder, before it does. */
export const journalNames = ['journal.db', 'journal.db-journal'] as const;
/** Written aside first, renamed once, and then only added to. */
export const witnessName = 'journal.witness';
const fileNames = [...journalNames, witnessName] as const;
type FileName = (typeof fileNames)[number];

/** Name of a file → its bytes; none where it is not there. */
export type Files = Readonly<Record<FileName, Buffer>>;

export type DiskCall =
  | { readonly does: 'write'; readonly file: FileName; readonly at: number; readonly bytes: Buffer }
  | { readonly does: 'append'; readonly file: FileName; readonly bytes: Buffer }
  | { readonly does: 'replace'; readonly file: FileName; readonly bytes: Buffer }
  | { readonly does: 'truncate'; readonly file: FileName; readonly size: number }
  | { readonly does: 'sync'; readonly file: FileName }
  /** The request that changes something leaves. */
  | { readonly does: 'post' };

/** The journal's files as they are now. */
export function filesOf(home: Home): Files {
  const bytesAt = (path: string) => (existsSync(path) ? readFileSync(path) : Buffer.alloc(0));
  return {
    'journal.db': bytesAt(journalFile(home)),
    'journal.db-journal': bytesAt(`${journalFile(home)}-journal`),
    'journal.witness': bytesAt(witnessFile(home)),
  };
}

/** Runs it under strace, which follows the main thread: the one that SQLite works on. */
export async function recorded(
  desk: Desk,
  home: Home,
  args: readonly string[],
): Promise<readonly DiskCall[]> {
  const log = join(home.path, 'strace.log');
  const calls = 'pwrite64,ftruncate,fsync,fdatasync,unlink,rename,writev,write';
  const words = ['-y', '-xx', '-s', '1000000', '-o', log, '-e', `trace=${calls}`];
  const child = spawn('strace', [...words, process.execPath, bin, '-p', 't', ...args], {
    env: desk.env(home, { NODE_COMPILE_CACHE: '' }),
    cwd: home.path,
    stdio: 'ignore',
  });
  await once(child, 'close');
  const lines = readFileSync(log, 'latin1').split('\n');
  rmSync(log);
  const aside: Buffer[] = [];
  return lines.flatMap((line) => witnessCall(line, aside) ?? callOf(line) ?? []);
}

// A new witness is written and synced under another name first: on the disk it appears whole, once its folder is synced.
function witnessCall(line: string, aside: Buffer[]): DiskCall | undefined {
  const [, to = ''] = /^rename\("[^"]*", "([^"]*)"\)/.exec(line) ?? [];
  if (basename(bytesOf(to).toString()) === witnessName)
    return { does: 'replace', file: witnessName, bytes: Buffer.concat(aside) };
  const [, name = '', path = '', bytes = ''] = /^(\w+)\(\d+<([^>]*)>(?:, "([^"]*)")?/.exec(line) ?? [];
  const file = basename(bytesOf(path).toString());
  if (name === 'write' && file.startsWith(`${witnessName}.`)) aside.push(bytesOf(bytes));
  if (name === 'write' && file === witnessName)
    return { does: 'append', file: witnessName, bytes: bytesOf(bytes) };
  return name === 'fsync' && file === 'witness' ? { does: 'sync', file: witnessName } : undefined;
}

// `pwrite64(22<\x2f…>, "\x53…", 512, 0) = 512`
function callOf(line: string): DiskCall | undefined {
  const [, name = '', path = '', rest = ''] = /^(\w+)\(\d+<([^>]*)>(.*)$/.exec(line) ?? [];
  if (name.startsWith('write') && bytesOf(rest).includes('POST /')) return { does: 'post' };
  const file = fileNames.find((one) => one === basename(bytesOf(path).toString()));
  if (file === undefined) return undefined;
  if (name === 'fsync' || name === 'fdatasync') return { does: 'sync', file };
  if (name === 'ftruncate') return { does: 'truncate', file, size: Number(/^, (\d+)\)/.exec(rest)?.[1]) };
  const [, bytes = '', at] = /^, "([^"]*)", \d+, (\d+)\) = \d+$/.exec(rest) ?? [];
  if (name === 'pwrite64' && at !== undefined)
    return { does: 'write', file, at: Number(at), bytes: bytesOf(bytes) };
  throw new Error(`a call that this recorder does not know: ${line.slice(0, 200)}`);
}

function bytesOf(text: string): Buffer {
  return Buffer.from([...text.matchAll(/\\x([0-9a-f]{2})/g)].map(([, hex = '']) => hex).join(''), 'hex');
}

/** What may be on the disk when the power goes. */
export interface Left {
  readonly files: Files;
  /** The request had left by then. */
  readonly posted: boolean;
  readonly words: string;
}

type Change = Extract<DiskCall, { does: 'write' | 'append' | 'replace' | 'truncate' }>;

/**
 * After each call: everything since the last sync of its file is there, all of it is lost, or one change of it is lost
 * alone. Files that look alike are given once.
 */
export function powerLosses(before: Files, calls: readonly DiskCall[]): readonly Left[] {
  const found = new Map<string, Left>();
  let durable = before;
  let pending: readonly Change[] = [];
  let posted = false;
  const note = (files: Files, words: string): void => {
    const key = `${posted} ${fileNames.map((name) => files[name].toString('latin1')).join('|')}`;
    if (!found.has(key)) found.set(key, { files, posted, words });
  };
  calls.forEach((call, index) => {
    if (call.does === 'post') posted = true;
    else if (call.does === 'sync') {
      const isSynced = ({ file }: Change): boolean => file === call.file;
      durable = applied(durable, pending.filter(isSynced));
      pending = pending.filter((change) => !isSynced(change));
    } else pending = [...pending, call];
    const at = `after call ${index + 1} of ${calls.length} (${call.does})`;
    note(applied(durable, pending), `${at}, nothing lost`);
    note(durable, `${at}, ${pending.length} unsynced lost`);
    pending.forEach((lost, place) => {
      const rest = pending.filter((change) => change !== lost);
      note(
        applied(durable, rest),
        `${at}, unsynced ${lost.does} ${place + 1} of ${pending.length} lost alone`,
      );
    });
  });
  return [...found.values()];
}

function applied(files: Files, changes: readonly Change[]): Files {
  const now = { ...files };
  for (const change of changes) now[change.file] = changed(now[change.file], change);
  return now;
}

function changed(old: Buffer, change: Change): Buffer {
  if (change.does === 'replace') return change.bytes;
  if (change.does === 'append') return Buffer.concat([old, change.bytes]);
  const end =
    change.does === 'truncate' ? change.size : Math.max(old.length, change.at + change.bytes.length);
  const next = Buffer.alloc(end);
  old.copy(next);
  if (change.does !== 'truncate') change.bytes.copy(next, change.at);
  return next;
}
