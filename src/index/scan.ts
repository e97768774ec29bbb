/** Searches the texts of an index segment by segment, and at once skips a segment that does not have the words. */

import { turn } from '../io.ts';
import type { SealedSegments, Stored } from './sealed-segments.ts';

export interface WantedTexts {
  /** At least one text of each group must be in the order. Compared literally. */
  readonly groups: readonly (readonly string[])[];
  /** Decides about an order that has them. */
  readonly accepts: (text: string, id: string) => boolean;
}

export interface Hit {
  readonly id: string;
  /** Its position in the list, as far as known: 0 is the first. */
  readonly place: number;
  /** The id of the order before it in the list. Undefined for the first, or if unknown. */
  readonly neighbour: string | undefined;
}

// After this many segments the event loop gets a turn, so that replies of the service can be read.
const segmentsAtATime = 8;

/** All matching orders, in list order. */
export async function scan(segments: SealedSegments, wanted: WantedTexts): Promise<readonly Hit[]> {
  const groups = wanted.groups
    .map((group) => group.map((text) => Buffer.from(text)))
    .toSorted((one, other) => shortest(other) - shortest(one));
  const hits: Hit[] = [];
  let before: Before = { id: undefined, count: 0 };
  let looked = 0;
  for (const segment of segments.edges()) {
    hits.push(...hitsIn(segments, segment, before, groups, wanted.accepts));
    before = { id: segment.isJoined ? segment.last : undefined, count: before.count + segment.count };
    looked += 1;
    if (looked % segmentsAtATime === 0) await turn();
  }
  return hits;
}

/** The id of the last order before a segment, and how many come before it. */
interface Before {
  readonly id: string | undefined;
  readonly count: number;
}

function shortest(group: readonly Buffer[]): number {
  return Math.min(...group.map(({ length }) => length));
}

function hitsIn(
  segments: SealedSegments,
  segment: Stored,
  before: Before,
  groups: readonly (readonly Buffer[])[],
  accepts: WantedTexts['accepts'],
): readonly Hit[] {
  const { ids, text } = segments.texts(segment);
  const lowerIds = lowerCase(ids);
  const holds = (needle: Buffer): boolean => text.includes(needle) || lowerIds.includes(needle);
  if (!groups.every((group) => group.some(holds))) return [];
  const texts = linesOf(text);
  const names = linesOf(ids);
  // The rarest group decides which orders to look at.
  const [first = []] = groups;
  const lines = first.length === 0 ? texts.keys() : linesWith(first, [texts, linesOf(lowerIds)]);
  return [...lines].flatMap((line): readonly Hit[] => {
    const id = names.line(line);
    if (!accepts(texts.line(line), id)) return [];
    return [{ id, place: before.count + line, neighbour: line === 0 ? before.id : names.line(line - 1) }];
  });
}

// The words to find are in lower case, but the ids are as the service wrote them.
function lowerCase(ascii: Buffer): Buffer {
  const lower = Buffer.from(ascii);
  for (let at = 0; at < lower.length; at += 1) {
    const byte = lower[at] ?? 0;
    if (byte >= 0x41 && byte <= 0x5a) lower[at] = byte + 0x20;
  }
  return lower;
}

interface Lines {
  readonly bytes: Buffer;
  line(index: number): string;
  lineAt(place: number): number;
  keys(): Iterable<number>;
}

function linesOf(bytes: Buffer): Lines {
  const starts = [0];
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) starts.push(at + 1);
  return {
    bytes,
    line: (index) => bytes.toString('utf8', starts[index] ?? 0, (starts[index + 1] ?? bytes.length + 1) - 1),
    lineAt(place) {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= place) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    keys: () => starts.keys(),
  };
}

const newline = 0x0a;

function linesWith(needles: readonly Buffer[], parts: readonly Lines[]): readonly number[] {
  const found = new Set<number>();
  for (const part of parts) {
    for (const needle of needles) {
      for (let at = part.bytes.indexOf(needle); at !== -1; ) {
        const line = part.lineAt(at);
        found.add(line);
        const end = part.bytes.indexOf(newline, at);
        at = end === -1 ? -1 : part.bytes.indexOf(needle, end + 1);
      }
    }
  }
  return [...found].toSorted((one, other) => one - other);
}
