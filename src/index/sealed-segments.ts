/**
 * The sealed segments of an index: each part is compressed, encrypted, bound to its account, its place and the write that made
 * it, and opened on demand.
 */

import { createCipheriv, createDecipheriv, randomBytes, randomInt } from 'node:crypto';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { writeAtOnce } from '../sqlite.ts';
import type { NewSegment, Placed, Segments } from './fit-run.ts';
import type { IndexState } from './index-file.ts';
import { type Edge, edgeOf, readTexts, writeTexts } from './segment.ts';

export interface Stored extends Placed {
  readonly writing: number;
}

/** The segments of a file, opened one by one. */
export interface SealedSegments extends Segments {
  edges(): readonly Stored[];
  texts(segment: Placed): { readonly ids: Buffer; readonly text: Buffer };
  facts(segment: Placed): string;
  state(): IndexState;
  setState(state: IndexState): void;
  /** Makes the whole change or nothing, while no other process writes. */
  atOnce<T>(change: () => T): T;
  /** All reads are as of one moment until the returned function is called. Blocks nobody. */
  snapshot(): () => void;
}

/** The file cannot be used: it is damaged, or newer than this program. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/** Another process rewrote the segment. The reading must start again. */
class SegmentReplaced extends Error {
  override readonly name = 'SegmentReplaced';
}

/** Segments to write one by one, within a change. */
interface WritableSegments extends SealedSegments {
  put(segment: NewSegment): void;
}

/** Reads nothing yet. */
export function segmentsOf(db: DatabaseSync, sealer: Sealer): WritableSegments {
  const part = (name: 'ids' | 'text' | 'facts') =>
    db.prepare(`SELECT ${name} AS bytes FROM segments WHERE pos = ? AND writing = ?`);
  const parts = { ids: part('ids'), text: part('text'), facts: part('facts') };
  const remove = db.prepare('DELETE FROM segments WHERE pos = ?');
  const insert = db.prepare('INSERT OR REPLACE INTO segments VALUES (?, ?, ?, ?, ?, ?)');
  const changed = db.prepare('SELECT changes FROM head');
  const all = db.prepare('SELECT pos, writing, edge FROM segments ORDER BY pos DESC');
  let known: { readonly changes: unknown; readonly edges: readonly Stored[] } | undefined;

  const opened = (segment: Stored, name: keyof typeof parts): Buffer => {
    const { pos, writing } = segment;
    const row = parts[name].get(pos, writing);
    // Another process rewrote it after the edges were read.
    if (row === undefined) throw new SegmentReplaced();
    return sealer.open(bytesOf(row.bytes), { pos, part: name, writing });
  };
  const stored = (segment: Placed): Stored => {
    const found = known?.edges.find(({ pos }) => pos === segment.pos);
    return 'writing' in segment ? (segment as Stored) : (found ?? { ...segment, writing: 0 });
  };
  const put = ({ pos, entries, isJoined, fields }: NewSegment): void => {
    const writing = randomInt(2 ** 47);
    const texts = writeTexts(entries);
    const edge = JSON.stringify(edgeOf(entries, { isJoined, fields }));
    const sealed = (name: 'edge' | 'ids' | 'text' | 'facts', text: string): SQLInputValue =>
      sealer.seal(Buffer.from(text), { pos, part: name, writing });
    insert.run(
      pos,
      writing,
      sealed('edge', edge),
      sealed('ids', texts.ids),
      sealed('facts', texts.facts),
      sealed('text', texts.text),
    );
  };
  return {
    edges() {
      const changes = changed.get()?.changes;
      if (known?.changes !== changes) {
        const edges = all.all().map(({ pos: at, writing: number, edge }): Stored => {
          const [pos, writing] = [Number(at), Number(number)];
          const text = sealer.open(bytesOf(edge), { pos, part: 'edge', writing }).toString();
          return { ...(JSON.parse(text) as Edge), pos, writing };
        });
        known = { changes, edges };
      }
      return known?.edges ?? [];
    },
    entries: (segment) => {
      const own = stored(segment);
      return readTexts({
        ids: opened(own, 'ids').toString(),
        text: opened(own, 'text').toString(),
        facts: opened(own, 'facts').toString(),
      });
    },
    ids: (segment) => opened(stored(segment), 'ids').toString().split('\n'),
    texts: (segment) => ({ ids: opened(stored(segment), 'ids'), text: opened(stored(segment), 'text') }),
    facts: (segment) => opened(stored(segment), 'facts').toString(),
    replace(removed, added) {
      for (const { pos } of removed) remove.run(pos);
      for (const one of added) put(one);
      db.prepare('UPDATE head SET changes = changes + 1').run();
    },
    put,
    state() {
      const end = this.snapshot();
      try {
        const { state, writing } = db.prepare('SELECT state, writing FROM head').get() ?? {};
        const place = { pos: 0, part: 'state', writing: Number(writing) } as const;
        const read: IndexState = JSON.parse(sealer.open(bytesOf(state), place).toString());
        if (read.segments !== this.edges().length) throw new UnusableFile('a part of it is missing');
        return read;
      } finally {
        end();
      }
    },
    snapshot() {
      if (db.isTransaction) return () => undefined;
      db.exec('BEGIN');
      return () => {
        if (db.isTransaction) db.exec('COMMIT');
      };
    },
    setState(state) {
      const writing = randomInt(2 ** 47);
      const { segments = 0 } = db.prepare('SELECT COUNT(*) AS segments FROM segments').get() ?? {};
      const text = JSON.stringify({ ...state, segments });
      const sealed = sealer.seal(Buffer.from(text), { pos: 0, part: 'state', writing });
      db.prepare('UPDATE head SET state = ?, writing = ?, changes = changes + 1').run(sealed, writing);
    },
    atOnce(change) {
      try {
        return writeAtOnce(db, change);
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
  };
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new UnusableFile('it is damaged');
}

interface Place {
  /** The position of its segment in the list. */
  readonly pos: number;
  readonly part: 'state' | 'edge' | 'ids' | 'text' | 'facts';
  /** The same for all parts written together, so that no older part fits beside newer ones. */
  readonly writing: number;
}

export interface Sealer {
  seal(plain: Uint8Array, place: Place): Buffer;
  /** Throws WrongSeal if the key is wrong, or if this part was not sealed for this place. */
  open(sealed: Uint8Array, place: Place): Buffer;
}

/** A part that does not open: wrong key, changed, or moved. */
export class WrongSeal extends Error {
  override readonly name = 'WrongSeal';
}

/** In bytes. */
export const keyBytes = 32;

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = nonceBytes + tagBytes;
const lengthBytes = 4;
// A segment of 1,000 orders is far smaller, so a longer length comes from a damaged file.
const longestPart = 256 * 1024 * 1024;

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
        // Any damage shows here, before anything looks at the bytes.
        decipher.final();
        return unpacked(body);
      } catch (cause) {
        throw new WrongSeal(`the ${place.part} of segment ${place.pos} does not open`, { cause });
      }
    },
  };
}

// With its usual 16 KB pieces, zlib is several times slower for a part of this size, so it gets a fitting size.
function unpacked(body: Buffer): Buffer {
  const length = body.readUInt32BE(0);
  if (length > longestPart) throw new RangeError('too long');
  if (length === 0) return Buffer.alloc(0);
  return zstdDecompressSync(body.subarray(lengthBytes), { chunkSize: Math.max(64, length) });
}
