/** Writes a zip file part by part: small entries as they are, and a long one packed as its text comes. The same texts give the same bytes. */

import { Buffer } from 'node:buffer';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { CliError } from '../errors.ts';

/** What a later run must know to go on with the entry that is being written. */
interface EntryState {
  /** The CRC-32 and the size of its text so far. */
  readonly crc: number;
  readonly size: number;
}

interface Entry extends EntryState {
  readonly name: string;
  readonly at: number;
  readonly packed: number;
  readonly isPacked: boolean;
}

// Sizes are 32-bit numbers.
const most = 0xffffffff;
// 1 January 1980, the first day that a zip file knows.
const day = 0x21;
// The sizes follow the text; names are UTF-8.
const sizesBehind = 0x0808;

/** Each method returns the bytes to write next. */
export class ZipWriter {
  #at = 0;
  readonly #entries: Entry[] = [];
  #long = { name: '', at: 0, from: 0, crc: 0, size: 0 };

  /** A whole entry. */
  entry(name: string, text: string): Buffer {
    const bytes = Buffer.from(text);
    const size = bytes.length;
    const entry = { name, at: this.#at, crc: crc32(bytes), size, packed: size, isPacked: false };
    this.#entries.push(entry);
    return this.#moved([headOf(localHead, entry), bytes]);
  }

  /** Begins a long entry. A later run goes on with the entry `before`, at `bytes` of the file. */
  begin(name: string, before?: EntryState & { readonly bytes: number }): Buffer {
    const at = this.#at;
    const head = this.#moved([headOf(localHead, { name, at, crc: 0, size: 0, packed: 0, isPacked: true })]);
    this.#long = { name, at, from: this.#at, crc: before?.crc ?? 0, size: before?.size ?? 0 };
    if (before !== undefined) this.#at = before.bytes;
    return head;
  }

  /** More text of the long entry. */
  add(text: string): Buffer {
    const bytes = Buffer.from(text);
    this.#long.crc = crc32(bytes, this.#long.crc);
    this.#long.size += bytes.length;
    if (this.#long.size > most || this.#at > most)
      throw new CliError('incomplete', 'the workbook is larger than 4 GiB, which no spreadsheet opens', {
        now: ['write a shorter time, or .csv'],
      });
    // Flushed at the end of a byte, so that the pieces, one after the other, are one packed text.
    return this.#moved([deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })]);
  }

  get state(): EntryState {
    return { crc: this.#long.crc, size: this.#long.size };
  }

  /** Ends the long entry. */
  finish(): Buffer {
    const last = this.#moved([deflateRawSync('')]);
    const { name, at, from, crc, size } = this.#long;
    const packed = this.#at - from;
    this.#entries.push({ name, at, crc, size, packed, isPacked: true });
    const sizes = Buffer.alloc(16);
    for (const [index, value] of [0x08074b50, crc, packed, size].entries())
      sizes.writeUInt32LE(value, index * 4);
    return Buffer.concat([last, this.#moved([sizes])]);
  }

  /** The list of all entries, which ends the file. */
  end(): Buffer {
    const from = this.#at;
    const list = this.#moved(this.#entries.map((entry) => headOf(listHead, entry)));
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(this.#entries.length, 8);
    end.writeUInt16LE(this.#entries.length, 10);
    end.writeUInt32LE(list.length, 12);
    end.writeUInt32LE(from, 16);
    return Buffer.concat([list, end]);
  }

  #moved(pieces: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat(pieces);
    this.#at += bytes.length;
    return bytes;
  }
}

const localHead = { signature: 0x04034b50, length: 30, shared: 4 };
const listHead = { signature: 0x02014b50, length: 46, shared: 6 };

// Both heads of an entry hold the same fields; the one in the list also says where the entry is.
function headOf(
  { signature, length, shared }: typeof localHead,
  { name, at, crc, size, packed, isPacked }: Entry,
): Buffer {
  const title = Buffer.from(name);
  const head = Buffer.alloc(length);
  head.writeUInt32LE(signature, 0);
  if (signature === listHead.signature) {
    head.writeUInt16LE(20, 4);
    head.writeUInt32LE(at, 42);
  }
  const words = [20, isPacked ? sizesBehind : 0x0800, isPacked ? 8 : 0, 0, day];
  for (const [index, word] of words.entries()) head.writeUInt16LE(word, shared + index * 2);
  for (const [index, value] of [crc, packed, size].entries())
    head.writeUInt32LE(value, shared + 10 + index * 4);
  head.writeUInt16LE(title.length, shared + 22);
  return Buffer.concat([head, title]);
}
