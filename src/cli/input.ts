/** What a person hands over besides arguments: standard input and files, as text. */

import { isUtf8 } from 'node:buffer';
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Context } from '../commands/command.ts';
import { CliError, systemReason } from '../errors.ts';
import { fullPath, type Io } from '../io.ts';

/** Readers of standard input and of named files (`-` is standard input). A stop of the run ends their waiting. */
export function readInput(
  io: Pick<Io, 'stdin' | 'cwd'>,
  signal: AbortSignal,
): Pick<Context, 'stdin' | 'file'> {
  const read = (stream: Readable, name: string, maxBytes: number) =>
    readAll(addAbortSignal(signal, stream), name, maxBytes);
  const fromStdin = (maxBytes: number) => read(io.stdin, 'standard input', maxBytes);
  return {
    stdin: fromStdin,
    file: async (path, maxBytes) =>
      path === '-' ? fromStdin(maxBytes) : read(await openNamed(path, io.cwd), path, maxBytes),
  };
}

// A named pipe that nobody writes to would hold the opening, and a silent one the reading, past every signal.
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

async function readAll(stream: Readable, name: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxBytes) throw unreadable(name, `is larger than ${maxBytes} bytes`);
      chunks.push(Buffer.from(chunk));
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw unreadable(name, `cannot be read: ${systemReason(error)}`, error);
  }
  const bytes = Buffer.concat(chunks);
  // Decoded all the same, a letter of another encoding would be sent as a question mark.
  if (!isUtf8(bytes)) throw unreadable(name, 'is no UTF-8 text');
  return bytes.toString('utf8');
}

function unreadable(name: string, problem: string, cause?: unknown): CliError {
  return new CliError('usage', `${name} ${problem}`, { certain: 'nothing was sent', cause });
}
