/**
 * Writes and reads the file that moves a journal to another store: every row as it is, and the key of the witness. It may be
 * long, so it is streamed.
 */

import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { parsedObject } from '../../api/json-values.ts';
import { CliError, systemCode, systemReason } from '../../errors.ts';
import { fullPath } from '../../io.ts';
import { syncFolderOf } from '../../profiles/profiles.ts';
import { chainStart, checkChain, type StoredRow, storedRow } from './chain.ts';
import type { AllRows, JournalStore } from './journal-store.ts';

/** What the file holds. It was read once, and is whole. */
export interface Archive {
  readonly count: number;
  /** The hash of the last row, and that of the whole file. */
  readonly head: string;
  readonly sha256: string;
  /** Reads the rows, oldest first. */
  readonly rows: () => Generator<StoredRow>;
  /** The key of the witness, 64 hex digits. A store without a witness writes a new random one. */
  readonly key: string;
}

const object = 'paydesk_journal';
const certain = 'nothing was changed';

/** The digests of a file that was written: of its rows, as in its last line, and of all of it. */
interface Digests {
  readonly ofRows: string;
  readonly ofFile: string;
}

/** Writes a new file. Throws CliError 'refused' when the file exists, and 'incomplete' when it cannot be written. */
export function writeArchive(path: string, { count, rows, key }: AllRows, cwd?: () => string): Digests {
  return writeNew(path, cwd, (write) => {
    const sha256 = createHash('sha256');
    const add = (text: string) => {
      const bytes = Buffer.from(text);
      sha256.update(bytes);
      write(bytes);
    };
    add(`${JSON.stringify({ object, version: 1, rows: count, key })}\n`);
    let part = '';
    for (const row of rows) {
      part += `${JSON.stringify(row)}\n`;
      if (part.length < partLength) continue;
      add(part);
      part = '';
    }
    add(part);
    const ofRows = sha256.copy().digest('hex');
    add(`${JSON.stringify({ sha256: ofRows })}\n`);
    return { ofRows, ofFile: sha256.digest('hex') };
  });
}

/** Writes all rows of a journal into a new file and returns how many. Throws as `writeArchive` and as `whole` of the store do. */
export function archiveInto(
  store: Pick<JournalStore, 'whole'>,
  path: string,
  cwd?: () => string,
): Promise<number> {
  return store.whole((all) => {
    writeArchive(path, all, cwd);
    return all.count;
  });
}

/** Reads back a file that was written, and tells whether every byte is there. Throws CliError 'usage' when it cannot be read. */
export function isWritten(named: string, { ofFile }: Digests, cwd?: () => string): boolean {
  const sha256 = createHash('sha256');
  for (const bytes of partsOf(fullPath(cwd, named), named)) sha256.update(bytes);
  return sha256.digest('hex') === ofFile;
}

const partLength = 2 ** 20;

/** Reads the file through. Throws CliError 'refused' when it is not whole, and 'usage' when it cannot be read. */
export function readArchive(named: string, cwd?: () => string): Archive {
  const path = fullPath(cwd, named);
  const sha256 = createHash('sha256');
  let [count, head, first, end] = [0, chainStart, '', ''];
  let wrong: string | undefined;
  const take = (line: string) => {
    sha256.update(`${line}\n`);
    if (first === '') first = line;
    else {
      const chain = checkChain([storedRow(parsedObject(line))], count, head);
      const [finding] = chain.findings;
      if (finding !== undefined) wrong ??= `is not whole: row ${finding.seq} ${finding.problem}`;
      [count, head] = [chain.seq, chain.head];
    }
  };
  // The last line is about those before it.
  for (const line of linesOf(path, named)) {
    if (end !== '') take(end);
    end = line;
  }
  const about = parsedObject(first);
  if (about.object !== object)
    throw unfit(named, 'was not written by paydesk journal export --to or journal archive');
  if (about.version !== 1) throw unfit(named, 'was written by a newer paydesk');
  const digest = sha256.digest('hex');
  if (parsedObject(end).sha256 !== digest) throw unfit(named, 'is not whole');
  if (wrong !== undefined) throw unfit(named, wrong);
  const { key } = about;
  if (count !== about.rows || typeof key !== 'string' || !/^[0-9a-f]{64}$/.test(key))
    throw unfit(named, 'is not whole');
  return { count, head, sha256: digest, key, rows: () => rowsIn(path, named, count) };
}

function* rowsIn(path: string, named: string, count: number): Generator<StoredRow> {
  let at = 0;
  for (const line of linesOf(path, named)) {
    if (at > count) return;
    if (at > 0) yield storedRow(parsedObject(line));
    at += 1;
  }
}

// The whole lines of a file. Reads a part at a time.
function* linesOf(path: string, named: string): Generator<string> {
  let rest: readonly Buffer[] = [];
  for (const bytes of partsOf(path, named)) {
    let from = 0;
    for (let to = bytes.indexOf(10); to !== -1; to = bytes.indexOf(10, from)) {
      yield Buffer.concat([...rest, bytes.subarray(from, to)]).toString('utf8');
      [rest, from] = [[], to + 1];
    }
    rest = [...rest, Buffer.from(bytes.subarray(from))];
  }
}

// The bytes of a file, a part at a time; each is overwritten by the next.
function* partsOf(path: string, named: string): Generator<Buffer> {
  const bytes = Buffer.alloc(partLength);
  let handle: number | undefined;
  // A pipe would wait for its writer for ever.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new CliError('usage', `${named} is not a plain file`, { certain });
  try {
    handle = openSync(path, 'r');
    for (let size = readSync(handle, bytes); size > 0; size = readSync(handle, bytes))
      yield bytes.subarray(0, size);
  } catch (error) {
    throw new CliError('usage', `${named} cannot be read: ${systemReason(error)}`, { certain });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function writeNew<T>(
  named: string,
  cwd: (() => string) | undefined,
  fill: (write: (bytes: Uint8Array) => void) => T,
): T {
  try {
    let filled: T;
    const path = fullPath(cwd, named);
    const handle = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      filled = fill((bytes) => writeFileSync(handle, bytes));
      fsyncSync(handle);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(handle);
    }
    syncFolderOf(path);
    return filled;
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (systemCode(error) === 'EEXIST')
      throw new CliError('refused', `${named} exists already`, { certain, now: ['take another name'] });
    throw new CliError('incomplete', `${named} cannot be written: ${systemReason(error)}`, {
      certain,
      now: [
        ['ENOENT', 'ENOTDIR'].includes(systemCode(error))
          ? 'take a folder that is there'
          : 'free some space there, or take another folder',
      ],
      cause: error,
    });
  }
}

function unfit(path: string, what: string): CliError {
  return new CliError('refused', `${path} ${what}`, {
    certain,
    now: [
      'take a whole copy of the file',
      'if it is for journal import, export it again on the other machine: paydesk journal export --to FILE',
    ],
  });
}
