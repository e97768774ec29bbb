/** The files that a command names: reads them and standard input with a bound on their size, and refuses to replace a file of paydesk itself. */

import { isUtf8 } from 'node:buffer';
import {
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Context } from '../context/context.ts';
import { CliError, orUndefined, systemReason } from '../errors.ts';
import { fullPath, type Io } from '../io.ts';

/** Reads whole texts. Throws CliError 'usage' for what cannot be read, is too large, or is not UTF-8. */
export function createReaders(
  io: Pick<Io, 'stdin' | 'cwd' | 'clock'>,
  signal: AbortSignal,
): Pick<Context, 'stdin' | 'file'> {
  const read = createBytesReader(io, signal);
  const file = async (path: string, maxBytes: number) => textOf(await read(path, maxBytes), nameOf(path));
  return { stdin: (maxBytes) => file('-', maxBytes), file };
}

/** Reads a file to its end. */
export function createBytesReader(
  io: Pick<Io, 'stdin' | 'cwd' | 'clock'>,
  signal: AbortSignal,
  tell?: (line: string) => void,
): (path: string, maxBytes: number) => Promise<Uint8Array> {
  const chunksOf = createChunkReader(io, signal, tell);
  return async (path, maxBytes) => Buffer.concat(await Array.fromAsync(chunksOf(path, maxBytes)));
}

/** Reads a file part by part; `-` is standard input. Reading ends when the run is stopped. */
export function createChunkReader(
  io: Pick<Io, 'stdin' | 'cwd' | 'clock'>,
  signal: AbortSignal,
  tell: (line: string) => void = () => {},
): (path: string, maxBytes: number) => AsyncGenerator<Buffer> {
  return async function* chunksOf(path, maxBytes) {
    const stream = path === '-' ? io.stdin : await openNamed(path, io, tell);
    yield* readChunks(addAbortSignal(signal, stream), nameOf(path), maxBytes);
  };
}

function nameOf(path: string): string {
  return path === '-' ? 'standard input' : path;
}

// How long a pipe may be silent before a person is told (milliseconds).
const silentMs = 500;

// A named pipe may have no writer, or a silent one. Opened in the usual way it would block, and Ctrl-C could not stop the run.
async function openNamed(
  name: string,
  { cwd, clock }: Pick<Io, 'cwd' | 'clock'>,
  tell: (line: string) => void,
): Promise<Readable> {
  try {
    const path = fullPath(cwd, name);
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(fd).isFIFO()) return createReadStream(path, { fd });
    const { Socket } = await import('node:net');
    const pipe = new Socket({ fd, readable: true, writable: false });
    const heard = clock.after(silentMs, () => tell(`${name} is a pipe: waiting for somebody to write to it`));
    for (const event of ['readable', 'close']) pipe.once(event, heard);
    return pipe;
  } catch (error) {
    throw unreadable(name, `cannot be read: ${systemReason(error)}`, error);
  }
}

async function* readChunks(stream: Readable, name: string, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxBytes) throw unreadable(name, `is larger than ${maxBytes} bytes`);
      yield Buffer.from(chunk);
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw unreadable(name, `cannot be read: ${systemReason(error)}`, error);
  }
}

function textOf(bytes: Uint8Array, name: string): string {
  // If it were decoded anyway, a letter of another encoding would be sent as a question mark.
  if (!isUtf8(bytes)) throw unreadable(name, 'is not UTF-8 text');
  return Buffer.from(bytes).toString('utf8');
}

function unreadable(name: string, problem: string, cause?: unknown): CliError {
  return new CliError('usage', `${name} ${problem}`, { certain: 'nothing was sent', cause });
}

/** What belongs to paydesk. None of it has to exist. */
interface OwnFiles {
  readonly cwd: () => string;
  /** Folders in which everything is paydesk's own: journal, witness, keys, profiles, indexes, locks, landmarks. */
  readonly folders: readonly string[];
  /** Files elsewhere: the configuration of the machine, and the file of a key. */
  readonly files: readonly string[];
}

/**
 * Throws CliError 'usage' for a file that is paydesk's own, or would be in one of its own folders. No spelling, no link and no
 * second name of a file gets around that. Somebody who writes a file that a person named calls this first, with --force too.
 */
export function createOwnFileGuard({ cwd, folders, files }: OwnFiles): (path: string) => void {
  return (path) => {
    const whole = fullPath(cwd, path);
    const own = new Set(folders.flatMap((folder) => markOf(folder) ?? []));
    const isInside = (file: string) => parentsOf(file).some((folder) => own.has(markOf(folder) ?? ''));
    const mark = markOf(whole);
    const isOwn =
      isInside(whole) ||
      (mark !== undefined &&
        (isInside(realpathSync(whole)) || allMarks({ cwd, folders, files }).includes(mark)));
    if (!isOwn) return;
    throw new CliError('usage', `${path} is a file of paydesk itself, or would be among them`, {
      certain: 'nothing was written and nothing was sent',
      now: ['name a file in another folder'],
    });
  };
}

// A file or folder by its number on its disk; undefined when there is none. Follows links.
function markOf(path: string): string | undefined {
  return orUndefined(() => {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  });
}

// The folders that a file is in, without links. None if its folder is missing: then nothing can be written.
function parentsOf(file: string): readonly string[] {
  try {
    const parents = [realpathSync(dirname(file))];
    for (let up = dirname(parents[0] ?? ''); up !== parents.at(-1); up = dirname(up)) parents.push(up);
    return parents;
  } catch {
    return [];
  }
}

function allMarks({ cwd, folders, files }: OwnFiles): readonly (string | undefined)[] {
  const namesIn = (folder: string) =>
    orUndefined(() => readdirSync(folder, { recursive: true, encoding: 'utf8' })) ?? [];
  const inside = folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
  return [...files.map((file) => fullPath(cwd, file)), ...inside].map(markOf);
}
