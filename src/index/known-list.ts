/**
 * Fits newly read orders into the known list: they replace what was known, join it, or leave a gap of unread orders. Pure except
 * for the segments, which a store keeps.
 */

import {
  type Anchor,
  type Fit,
  fitOf,
  isNearEnd,
  type Learned,
  type NewSegment,
  type Placed,
  type Run,
  type Segments,
  type Window,
} from './fit-run.ts';
import { type Entry, segmentLength } from './segment.ts';

const nothing: Learned = {
  fits: false,
  contradicts: false,
  joins: false,
  ended: undefined,
  added: 0,
  inserted: 0,
  moved: 0,
  gone: 0,
  mayRepeat: false,
};

export function learn(segments: Segments, run: Run): Learned {
  if (segments.edges().length === 0) return begin(segments, run);
  if (run.entries.length === 0 && !run.ends) return nothing;
  const fit = fitOf(segments, run);
  if (fit === undefined) return nothing;
  if (fit === 'contradicts') return { ...nothing, contradicts: true };
  const outcome = outcomeOf(run, fit);
  write(segments, run, fit, outcome);
  return learnedOf(run, fit, outcome);
}

function begin(segments: Segments, { after, entries, ends, fields }: Run): Learned {
  if (after !== undefined || entries.length === 0) return nothing;
  const added = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  const chunks = chunked(added, 'last');
  segments.replace(
    [],
    chunks.map((chunk, index) => ({ pos: -index, entries: chunk, isJoined: true, fields })),
  );
  return { ...nothing, fits: true, joins: ends, ended: ends, added: added.length };
}

/** What happens to the known orders after the anchor. */
interface Outcome {
  /** How many of them the run replaces. */
  readonly replacedTo: number;
  /** Unread orders may follow the run. */
  readonly isGap: boolean;
  /** Nothing is known after the run. */
  readonly isLast: boolean;
}

function outcomeOf(run: Run, { window, joint, isBetween }: Fit): Outcome {
  const joinedTo = (joint?.window ?? -1) + 1;
  const isWhole = (joint?.run ?? -1) === run.entries.length - 1;
  // Without a joint, known orders may be gone only if they were right after the anchor, or if the run is empty.
  const isPlaced = joint !== undefined || isBetween || run.entries.length === 0;
  const isShort = isPlaced && isNearEnd(window, joinedTo) && (run.ends || !isWhole);
  const replacedTo = isShort ? window.known.length : joinedTo;
  const isLast = window.isAll && window.known.length === replacedTo;
  return { replacedTo, isLast, isGap: isWhole ? window.gaps.has(replacedTo) : !(isLast && run.ends) };
}

/** The segments to rewrite, by their positions among the edges. */
interface Region {
  readonly first: number;
  /** Before `first` if there is none. */
  readonly last: number;
  /** The orders up to the anchor that are rewritten. */
  readonly before: readonly Entry[];
}

// From the anchor's segment to that of the last replaced order. A full segment that ends with the anchor stays.
function regionOf(segments: Segments, { anchor, window }: Fit, replacedTo: number): Region {
  const edge = segments.edges()[anchor.segment];
  const last = window.segmentOf[replacedTo - 1] ?? anchor.segment;
  if (anchor.at === 'head' || edge === undefined || isFullUpTo(edge, anchor.at))
    return { first: anchor.segment + 1, last, before: [] };
  return { first: anchor.segment, last, before: segments.entries(edge).slice(0, anchor.at + 1) };
}

function isFullUpTo({ count, isJoined }: Placed, at: Anchor['at']): boolean {
  return at === count - 1 && count >= segmentLength && isJoined;
}

function write(segments: Segments, run: Run, fit: Fit, outcome: Outcome): void {
  const { anchor, window, elsewhere } = fit;
  const { isGap, isLast, replacedTo } = outcome;
  const edges = segments.edges();
  const { first, last, before } = regionOf(segments, fit, replacedTo);
  const inRun = new Set(run.entries.map(({ id }) => id));
  const stays = ({ id }: Entry): boolean => !inRun.has(id);
  const rest = restOf(window, replacedTo, last);
  const written = [...before.filter(stays), ...unique(run.entries)];
  const [next = [], ...others] = rest.map((island) => island.filter(stays));
  const islands = [...(isGap ? [written, next] : [[...written, ...next]]), ...others].filter(
    (island) => island.length > 0,
  );
  const end = edges[last]?.isJoined !== false;
  const isJoinedAfter = rest.length > 0 ? end && (!isGap || rest.flat().some(stays)) : !isGap || isLast;
  // Splits islands into pieces. Islands have gaps between them; the pieces of one are joined.
  const pieces = islands.flatMap((island, which) => {
    const chunks = chunked(island, anchor.at === 'head' ? 'first' : 'last');
    return chunks.map((entries, index) => ({
      entries,
      isJoined: index < chunks.length - 1 || (which === islands.length - 1 && isJoinedAfter),
    }));
  });
  const removed = last < first ? [] : edges.slice(first, last + 1);
  const lower = edges[Math.max(last, first - 1) + 1]?.pos;
  const room = pieces.at(-1)?.isJoined === false ? wide : 0;
  const positions = positionsBetween(edges[first - 1]?.pos, lower, pieces.length, room);
  const fields = removed.reduce((all, one) => all.filter((name) => one.fields.includes(name)), run.fields);
  const moved = [...elsewhere.segments]
    .filter((index) => index < first || index > last)
    .flatMap((index) => withoutIds(segments, edges[index], inRun));
  segments.replace(
    [...removed, ...moved.map(({ segment }) => segment)],
    [
      ...pieces.map((piece, index) => ({ ...piece, pos: positions[index] ?? 0, fields })),
      ...moved.flatMap(({ left }) => left),
    ],
  );
}

// The known orders after the run, up to the region's end, split at its gaps.
function restOf(
  { known, segmentOf, gaps }: Window,
  from: number,
  last: number,
): readonly (readonly Entry[])[] {
  const islands: Entry[][] = [];
  for (let index = from; index < known.length && (segmentOf[index] ?? 0) <= last; index += 1) {
    const entry = known[index];
    if (entry === undefined) break;
    if (islands.length === 0 || (index > from && gaps.has(index))) islands.push([entry]);
    else islands.at(-1)?.push(entry);
  }
  return islands;
}

function learnedOf(
  run: Run,
  { window, joint, elsewhere, isBetween }: Fit,
  { isLast, isGap, replacedTo }: Outcome,
): Learned {
  const replaced = new Set(window.known.slice(0, replacedTo).map(({ id }) => id));
  const inRun = new Set(run.entries.map(({ id }) => id));
  const fresh = run.entries.filter(({ id }) => !replaced.has(id) && !elsewhere.ids.has(id));
  // At the head, new orders come before all known ones. A new order after a known one was inserted.
  const firstKnown = isBetween ? 0 : run.entries.findIndex(({ id }) => replaced.has(id));
  const lastKnown = joint?.run ?? -1;
  const isInserted = ({ id }: Entry, index: number): boolean =>
    index >= firstKnown && index <= lastKnown && !replaced.has(id) && !elsewhere.ids.has(id);
  const crossesGap = window.gaps.size > 0 && [...window.gaps].some((gap) => gap < replacedTo);
  return {
    fits: true,
    contradicts: false,
    joins: !isGap || (isLast && run.ends),
    ended: isLast ? run.ends : run.ends ? false : undefined,
    added: fresh.length,
    inserted: firstKnown === -1 || crossesGap ? 0 : run.entries.filter(isInserted).length,
    moved: elsewhere.ids.size,
    gone: [...replaced].filter((id) => !inRun.has(id)).length,
    mayRepeat: elsewhere.mayRepeat,
  };
}

// A segment in the middle may grow a little, so that one inserted order does not start a new segment.
const longestSegment = segmentLength * 1.2;

/** Splits entries into segments. `short`: which one gets the remainder. */
export function chunked(entries: readonly Entry[], short: 'first' | 'last'): readonly (readonly Entry[])[] {
  const { length } = entries;
  if (length <= (short === 'first' ? segmentLength : longestSegment)) return length === 0 ? [] : [entries];
  const left = length % segmentLength;
  const starts: number[] = [];
  for (let at = short === 'first' ? left : 0; at < length; at += segmentLength) starts.push(at);
  if (starts[0] !== 0) starts.unshift(0);
  return starts.map((start, index) => entries.slice(start, starts[index + 1]));
}

/** Positions between two others, from high to low; at the top, with this much room below them. */
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

/** The room for segments in a gap below the head. */
const wide = 1_000_000;

/** Segments without orders that moved elsewhere. */
function withoutIds(
  segments: Segments,
  segment: Placed | undefined,
  ids: ReadonlySet<string>,
): readonly { readonly segment: Placed; readonly left: readonly NewSegment[] }[] {
  if (segment === undefined) return [];
  const entries = segments.entries(segment).filter(({ id }) => !ids.has(id));
  const { pos, isJoined, fields } = segment;
  return [{ segment, left: entries.length === 0 ? [] : [{ pos, entries, isJoined, fields }] }];
}

/** Each order once: its last entry. */
function unique(entries: readonly Entry[]): readonly Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}
