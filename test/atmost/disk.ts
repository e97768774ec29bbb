/** What a run does to the files of the journal and its witness, call by call with its bytes, and what a power loss may leave of them. */

import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bin, type Home } from '../harness/paydesk.ts';
import { type Desk, journalFile, witnessFile } from './desk.ts';

/** The files that SQLite writes; both are there, and in their folder, before it does. */
export const journalNames = ['journal.db', 'journal.db-journal'] as const;
/** Written aside first, renamed once, and then written to as the others. */
export const witnessNames = ['journal.witness', 'journal.witness-journal'] as const;
const fileNames = [...journalNames, ...witnessNames] as const;
type FileName = (typeof fileNames)[number];

/** Name of a file → its bytes; none where it is not there. */
export type Files = Readonly<Record<FileName, Buffer>>;

export type DiskCall =
  | { readonly does: 'write'; readonly file: FileName; readonly at: number; readonly bytes: Buffer }
  | { readonly does: 'truncate'; readonly file: FileName; readonly size: number }
  | { readonly does: 'sync'; readonly file: FileName }
  /** A file of the witness that was made aside takes its place. */
  | { readonly does: 'replace'; readonly file: FileName; readonly bytes: Buffer }
  /** The folder of the witness. */
  | { readonly does: 'sync folder' }
  /** The request that changes something leaves. */
  | { readonly does: 'post' };

/** The files as they are now. */
export function filesOf(home: Home): Files {
  const bytesAt = (path: string) => (existsSync(path) ? readFileSync(path) : Buffer.alloc(0));
  return {
    'journal.db': bytesAt(journalFile(home)),
    'journal.db-journal': bytesAt(`${journalFile(home)}-journal`),
    'journal.witness': bytesAt(witnessFile(home)),
    'journal.witness-journal': bytesAt(`${witnessFile(home)}-journal`),
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
  const aside = new Map<string, Buffer>();
  return lines.flatMap((line) => callOf(line, aside) ?? []);
}

// `pwrite64(22<\x2f…>, "\x53…", 512, 0) = 512`
function callOf(line: string, aside: Map<string, Buffer>): DiskCall | undefined {
  const [, from = '', to = ''] = /^rename\("([^"]*)", "([^"]*)"\)/.exec(line) ?? [];
  if (to !== '') return renamed(nameIn(from), nameIn(to), aside);
  const [, name = '', path = '', rest = ''] = /^(\w+)\(\d+<([^>]*)>(.*)$/.exec(line) ?? [];
  if (name.startsWith('write') && bytesOf(rest).includes('POST /')) return { does: 'post' };
  const place = nameIn(path);
  const isSync = name === 'fsync' || name === 'fdatasync';
  if (isSync && place === 'witness') return { does: 'sync folder' };
  const file = fileNames.find((one) => one === place);
  const isAside = /^journal\.witness\.new(-journal)?$/.test(place);
  if (file === undefined && !isAside) return undefined;
  const call = writingCall(line, name, rest, file ?? 'journal.witness');
  if (file !== undefined) return call;
  // On the disk it appears whole once its folder is synced: SQLite has synced all of it by then.
  if (call.does !== 'sync') aside.set(place, changed(aside.get(place) ?? Buffer.alloc(0), call));
  return undefined;
}

function writingCall(line: string, name: string, rest: string, file: FileName): Change | Sync {
  if (name === 'fsync' || name === 'fdatasync') return { does: 'sync', file };
  if (name === 'ftruncate') return { does: 'truncate', file, size: Number(/^, (\d+)\)/.exec(rest)?.[1]) };
  const [, bytes = '', at] = /^, "([^"]*)", \d+, (\d+)\) = \d+$/.exec(rest) ?? [];
  if (name === 'pwrite64' && at !== undefined)
    return { does: 'write', file, at: Number(at), bytes: bytesOf(bytes) };
  throw new Error(`a call that this recorder does not know: ${line.slice(0, 200)}`);
}

function renamed(from: string, to: string, aside: ReadonlyMap<string, Buffer>): DiskCall | undefined {
  const file = witnessNames.find((one) => one === to);
  return file && { does: 'replace', file, bytes: aside.get(from) ?? Buffer.alloc(0) };
}

function nameIn(path: string): string {
  return basename(bytesOf(path).toString());
}

function bytesOf(text: string): Buffer {
  return Buffer.from([...text.matchAll(/\\x([0-9a-f]{2})/g)].map(([, hex = '']) => hex).join(''), 'hex');
}

/** What may be on the disk when the power goes. */
export interface Left {
  /** Put together when it is asked for: there are thousands. */
  readonly files: () => Files;
  /** The request had left by then. */
  readonly posted: boolean;
  readonly words: string;
}

type Sync = Extract<DiskCall, { does: 'sync' }>;
type Change = Extract<DiskCall, { does: 'write' | 'truncate' | 'replace' }>;

/**
 * After each call: everything since the last sync of its file is there, all of it is lost, or one change of it is lost
 * alone. Files that look alike are given once. SQLite syncs one of the two databases before the other is written to, so these are
 * all such states of both.
 */
export function powerLosses(before: Files, calls: readonly DiskCall[]): readonly Left[] {
  const found = new Map<string, Left>();
  let durable = before;
  let pending: readonly Change[] = [];
  let posted = false;
  const note = (changes: readonly Change[], words: string): void => {
    const [from, isPosted] = [durable, posted];
    const key = `${posted} ${fingerprint(applied(from, changes))}`;
    if (!found.has(key)) found.set(key, { files: () => applied(from, changes), posted: isPosted, words });
  };
  calls.forEach((call, index) => {
    if (call.does === 'post') posted = true;
    else if (call.does === 'sync' || call.does === 'sync folder') {
      const isSynced = (change: Change): boolean =>
        change.does === 'replace'
          ? call.does === 'sync folder'
          : call.does === 'sync' && change.file === call.file;
      durable = applied(durable, pending.filter(isSynced));
      pending = pending.filter((change) => !isSynced(change));
    } else pending = [...pending, call];
    const at = `after call ${index + 1} of ${calls.length} (${call.does})`;
    note(pending, `${at}, nothing lost`);
    note([], `${at}, ${pending.length} unsynced lost`);
    pending.forEach((lost, place) => {
      const rest = pending.filter((change) => change !== lost);
      note(rest, `${at}, unsynced ${lost.does} ${place + 1} of ${pending.length} lost alone`);
    });
  });
  return [...found.values()];
}

function fingerprint(files: Files): string {
  return hash(
    'sha1',
    Buffer.concat(fileNames.flatMap((name) => [Buffer.from(`${files[name].length} `), files[name]])),
  );
}

function applied(files: Files, changes: readonly Change[]): Files {
  const now = { ...files };
  for (const change of changes) {
    const old = now[change.file];
    // Copied once, and not for each of thousands of writes.
    const isWithin = change.does === 'write' && change.at + change.bytes.length <= old.length;
    if (isWithin && old !== files[change.file]) change.bytes.copy(old, change.at);
    else now[change.file] = changed(old, change);
  }
  return now;
}

function changed(old: Buffer, change: Change): Buffer {
  if (change.does === 'replace') return Buffer.from(change.bytes);
  const end =
    change.does === 'truncate' ? change.size : Math.max(old.length, change.at + change.bytes.length);
  const next = Buffer.alloc(end);
  old.copy(next);
  if (change.does !== 'truncate') change.bytes.copy(next, change.at);
  return next;
}
