/**
 * Seals the parts of an index: each is compressed and encrypted, and bound to its account, its place and its writing. A part
 * with another key, from another place or from another account cannot be opened.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Where a part belongs. */
export interface Place {
  /** The position of its segment in the list. */
  readonly pos: number;
  readonly part: 'state' | 'edge' | 'ids' | 'text' | 'facts';
  /** All parts of one writing have the same number, so that no part of an older writing fits beside newer ones. */
  readonly writing: number;
}

/** Seals and opens the parts of one index. */
export interface Sealer {
  seal(plain: Uint8Array, place: Place): Buffer;
  /** Throws WrongSeal if the key is another one, or if this is not the part that was sealed for this place. */
  open(sealed: Uint8Array, place: Place): Buffer;
}

/** A part that does not open: wrong key, changed, or moved. */
export class WrongSeal extends Error {
  override readonly name = 'WrongSeal';
}

/** The length of a key, in bytes. */
export const keyBytes = 32;

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = nonceBytes + tagBytes;
const lengthBytes = 4;
// A part of a segment of 1,000 orders is far below this, so a longer length comes from a damaged file.
const longestPart = 256 * 1024 * 1024;

/** Makes the sealer of an account. */
export function createSealer(key: Uint8Array, account: string): Sealer {
  const boundTo = ({ pos, part, writing }: Place) =>
    Buffer.from(JSON.stringify([account, pos, part, writing]));
  return {
    seal(plain, place) {
      const length = Buffer.alloc(lengthBytes);
      length.writeUInt32BE(plain.length);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce);
      cipher.setAAD(boundTo(place));
      const body = [cipher.update(length), cipher.update(zstdCompressSync(plain)), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...body]);
    },
    open(sealed, place) {
      try {
        const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        });
        decipher.setAAD(boundTo(place));
        decipher.setAuthTag(sealed.subarray(nonceBytes, headBytes));
        const body = decipher.update(sealed.subarray(headBytes));
        // What is wrong shows here, before anything looks at the bytes.
        decipher.final();
        return unpacked(body);
      } catch (cause) {
        throw new WrongSeal(`the ${place.part} of segment ${place.pos} does not open`, { cause });
      }
    },
  };
}

// With its usual pieces of 16 KB, zlib takes several times as long for a part of this size. So it gets one of the right size.
function unpacked(body: Buffer): Buffer {
  const length = body.readUInt32BE(0);
  if (length > longestPart) throw new RangeError('too long');
  if (length === 0) return Buffer.alloc(0);
  return zstdDecompressSync(body.subarray(lengthBytes), { chunkSize: Math.max(64, length) });
}
