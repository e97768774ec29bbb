/** The bytes of an export's file: written one after the other, counted and hashed. */

import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file that was opened, and what stands in it. */
export interface BytesBegun {
  readonly handle: FileHandle;
  /** Over the bytes of the file so far. */
  readonly hash: Hash;
  readonly bytes: number;
}

/** A file that grows. */
export interface FileBytes {
  /** Adds a text and gives the bytes that stand in the file for it. Rejects as the disk does. */
  add(piece: string | Uint8Array): Promise<Uint8Array>;
  readonly count: number;
  /** SHA-256 of all that stands in it. */
  sha256(): string;
}

const compress = promisify(gzip);

/** Goes on after what stands in the file. `zipped`: each text becomes a gzip member of its own. */
export function fileBytes({ handle, hash, bytes }: BytesBegun, zipped: boolean): FileBytes {
  let count = bytes;
  return {
    async add(piece) {
      const plain = typeof piece === 'string' ? Buffer.from(piece) : piece;
      // The same bytes always: Node writes no time into the head of a member.
      const stored = zipped && plain.length > 0 ? await compress(plain) : plain;
      for (let at = 0; at < stored.length; )
        at += (await handle.write(stored, at, stored.length - at, count + at)).bytesWritten;
      count += stored.length;
      hash.update(stored);
      return stored;
    },
    get count() {
      return count;
    },
    sha256: () => hash.copy().digest('hex'),
  };
}
