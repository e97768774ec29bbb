/** What a person hands over besides arguments: standard input and files, as text. */

import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { CliError, systemReason } from './errors.ts';
import type { Context } from './ports.ts';

/** Readers of standard input and of named files (`-` is standard input). */
export function readInput(process: Pick<NodeJS.Process, 'stdin'>): Pick<Context, 'stdin' | 'file'> {
  const fromStdin = (maxBytes: number) => readAll(process.stdin, 'standard input', maxBytes);
  return {
    stdin: fromStdin,
    file: (path, maxBytes) =>
      path === '-' ? fromStdin(maxBytes) : readAll(createReadStream(path), path, maxBytes),
  };
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
