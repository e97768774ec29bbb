/** Cuts orders into segments: where there is a gap, where a segment is full, and which positions the segments get. Pure. */

import type { NewSegment, Placed, Segments } from './known-types.ts';
import { type Entry, segmentLength } from './segment.ts';

// A segment in the middle of the list may grow a little, so that one inserted order does not make a segment of its own.
const longestSegment = segmentLength * 1.2;

export interface Piece {
  readonly entries: readonly Entry[];
  readonly isJoined: boolean;
}

/**
 * The pieces of islands: between two of them there is a gap, and the pieces of one are joined. `short`: which piece of an island takes
 * what is left over.
 */
export function piecesOf(
  islands: readonly (readonly Entry[])[],
  short: 'first' | 'last',
  isJoinedAfter: boolean,
): readonly Piece[] {
  return islands.flatMap((island, which) => {
    const chunks = chunked(island, short);
    return chunks.map((entries, index) => ({
      entries,
      isJoined: index < chunks.length - 1 || (which === islands.length - 1 && isJoinedAfter),
    }));
  });
}

/** Cuts entries into segments. `short`: which of them takes what is left over. */
export function chunked(entries: readonly Entry[], short: 'first' | 'last'): readonly (readonly Entry[])[] {
  const { length } = entries;
  if (length <= (short === 'first' ? segmentLength : longestSegment)) return length === 0 ? [] : [entries];
  const left = length % segmentLength;
  const starts: number[] = [];
  for (let at = short === 'first' ? left : 0; at < length; at += segmentLength) starts.push(at);
  if (starts[0] !== 0) starts.unshift(0);
  return starts.map((start, index) => entries.slice(start, starts[index + 1]));
}

/** So many positions between two others, from high to low; above all others with so much room below them. */
export function positionsBetween(
  upper: number | undefined,
  lower: number | undefined,
  count: number,
  room = 0,
): readonly number[] {
  const at = Array.from({ length: count }, (_, index) => index);
  if (upper === undefined) return at.map((index) => (lower ?? 0) + room + count - index);
  if (lower === undefined) return at.map((index) => upper - index - 1);
  if (upper - lower > count) return at.map((index) => upper - index - 1);
  return at.map((index) => upper - ((upper - lower) * (index + 1)) / (count + 1));
}

/** Room for the segments of a gap below the head. */
export const wide = 1_000_000;

/** Segments without some orders, which are elsewhere now. */
export function withoutIds(
  segments: Segments,
  segment: Placed | undefined,
  ids: ReadonlySet<string>,
): readonly { readonly segment: Placed; readonly left: readonly NewSegment[] }[] {
  if (segment === undefined) return [];
  const entries = segments.entries(segment).filter(({ id }) => !ids.has(id));
  const { pos, isJoined, fields } = segment;
  return [{ segment, left: entries.length === 0 ? [] : [{ pos, entries, isJoined, fields }] }];
}

/** Each order once: the last entry of it. */
export function unique(entries: readonly Entry[]): readonly Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}
