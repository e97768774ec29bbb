/** Reads the files that a command names, and standard input, with a bound on their size. */

import { isUtf8 } from 'node:buffer';
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Context } from '../context/context.ts';
import { CliError, systemReason } from '../errors.ts';
import { fullPath, type Io } from '../io.ts';

/** Reads whole texts. Throws CliError 'usage' for what cannot be read, is too large, or is not UTF-8. */
export function createReaders(
  io: Pick<Io, 'stdin' | 'cwd'>,
  signal: AbortSignal,
): Pick<Context, 'stdin' | 'file'> {
  const read = createBytesReader(io, signal);
  const file = async (path: string, maxBytes: number) => textOf(await read(path, maxBytes), nameOf(path));
  return { stdin: (maxBytes) => file('-', maxBytes), file };
}

/** Reads a file to its end. */
export function createBytesReader(
  io: Pick<Io, 'stdin' | 'cwd'>,
  signal: AbortSignal,
): (path: string, maxBytes: number) => Promise<Uint8Array> {
  const chunksOf = createChunkReader(io, signal);
  return async (path, maxBytes) => {
    const chunks: Buffer[] = [];
    for await (const chunk of chunksOf(path, maxBytes)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
}

/** Reads a file part by part; `-` is standard input. Reading ends when the run is stopped. */
export function createChunkReader(
  io: Pick<Io, 'stdin' | 'cwd'>,
  signal: AbortSignal,
): (path: string, maxBytes: number) => AsyncGenerator<Buffer> {
  return async function* chunksOf(path, maxBytes) {
    const stream = path === '-' ? io.stdin : await openNamed(path, io.cwd);
    yield* readChunks(addAbortSignal(signal, stream), nameOf(path), maxBytes);
  };
}

function nameOf(path: string): string {
  return path === '-' ? 'standard input' : path;
}

// A named pipe may have no writer, or a silent one. Opened in the usual way it would block, and Ctrl-C could not stop the run.
async function openNamed(name: string, cwd: () => string): Promise<Readable> {
  try {
    const path = fullPath(cwd, name);
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(fd).isFIFO()) return createReadStream(path, { fd });
    const { Socket } = await import('node:net');
    return new Socket({ fd, readable: true, writable: false });
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
  // Decoded anyway, a letter of another encoding would be sent as a question mark.
  if (!isUtf8(bytes)) throw unreadable(name, 'is not UTF-8 text');
  return Buffer.from(bytes).toString('utf8');
}

function unreadable(name: string, problem: string, cause?: unknown): CliError {
  return new CliError('usage', `${name} ${problem}`, { certain: 'nothing was sent', cause });
}
