/**
 * Reads the entries of a zip file in memory, strictly: anything that differs from the file's own list counts as damaged, and no
 * entry may exceed a limit.
 */

import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { Unreadable } from './workbook-facts.ts';

export function damaged(cause?: unknown): Unreadable {
  return new Unreadable('the file is damaged: open it in a spreadsheet and save it again', { cause });
}

// A sheet of 100,000 rows is about 60 MB.
const mostBytes = 256 * 1024 * 1024;

interface Entry {
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

export class ZipReader {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, Entry>();

  /** Throws Unreadable if the list of entries cannot be read. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
    if (end === -1 || end + 22 > bytes.length) throw damaged();
    const count = bytes.readUInt16LE(end + 10);
    let at = bytes.readUInt32LE(end + 16);
    for (let index = 0; index < count; index += 1) at = this.#read(at);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /**
   * The text of an entry, part by part. Throws Unreadable as soon as it is longer than the list says; a shorter or changed one is
   * found only at the end.
   */
  async *text(name: string): AsyncGenerator<string> {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw damaged();
    if (entry.size > mostBytes)
      throw new Unreadable(`the file unpacks to ${entry.size} bytes, more than a list of refunds has`);
    const packed = this.#packedBytes(entry);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let [size, crc] = [0, 0];
    const pieces = entry.method === 0 ? [packed] : Readable.from([packed]).pipe(createInflateRaw());
    try {
      for await (const piece of pieces) {
        size += piece.length;
        crc = crc32(piece, crc);
        if (size > entry.size) throw damaged();
        yield decoder.decode(piece, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      throw error instanceof Unreadable ? error : damaged(error);
    }
    if (size !== entry.size || crc !== entry.crc) throw damaged();
  }

  // Reads an entry of the list. Returns where the next one is.
  #read(at: number): number {
    const bytes = this.#bytes;
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw damaged();
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, nameEnd);
    if (this.#entries.has(name)) throw damaged();
    if ((bytes.readUInt16LE(at + 8) & 1) === 1)
      throw new Unreadable('the file is locked by a password: save it without one');
    this.#entries.set(name, {
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    });
    return nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }

  #packedBytes({ at, packed, method }: Entry): Buffer {
    const bytes = this.#bytes;
    if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== 0x04034b50 || (method !== 0 && method !== 8))
      throw damaged();
    const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    if (from + packed > bytes.length) throw damaged();
    return bytes.subarray(from, from + packed);
  }
}
