/**
 * Fits orders that were read into the list of orders that is known: they replace what was known of them, join it, or leave a
 * gap where nobody has read. Pure but for the segments, which a store keeps.
 */

import { type Edge, type Entry, segmentLength } from './segment.ts';

/** A segment in its place. Newer segments have higher positions. */
export interface Placed extends Edge {
  readonly pos: number;
}

/** A segment to write. */
export interface NewSegment {
  readonly pos: number;
  readonly entries: readonly Entry[];
  readonly isJoined: boolean;
  readonly fields: readonly string[];
}

/** The segments of an index, newest first. */
export interface Segments {
  edges(): readonly Placed[];
  entries(segment: Placed): readonly Entry[];
  ids(segment: Placed): readonly string[];
  replace(removed: readonly Placed[], added: readonly NewSegment[]): void;
}

/** Orders that the service gave as neighbours. */
export interface Run {
  /** The id of the order before them. Undefined: they are the first of the list. */
  readonly after: string | undefined;
  readonly entries: readonly Entry[];
  /** The service says that nothing comes after them. */
  readonly ends: boolean;
  /** The kinds of fields in their texts. */
  readonly fields: readonly string[];
}

/** What a run showed. */
export interface Learned {
  /** False if the run does not fit anywhere: then nothing was changed. */
  readonly fits: boolean;
  /** It does not fit because other orders are known there. */
  readonly contradicts: boolean;
  /** Whether the run is followed by orders that are known, or by the end of the list. */
  readonly joins: boolean;
  /** Whether the last known order is now known to be the last of the list; undefined if the run says nothing of it. */
  readonly ended: boolean | undefined;
  /** Orders that were not known before. */
  readonly added: number;
  /** Orders between two that were known as neighbours: somebody put them there. */
  readonly inserted: number;
  /** Orders that stood elsewhere before. */
  readonly moved: number;
  /** Orders that were known there and that the service no longer shows there. */
  readonly gone: number;
  /** Some of the new ones may be known elsewhere, in more segments than were looked through. */
  readonly mayRepeat: boolean;
}

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

// How many orders beyond the length of a run are looked at: so many may have gone or moved away.
const slack = 50;
// A segment in the middle of the list may grow a little, so that one inserted order does not make a segment of its own.
const longestSegment = segmentLength * 1.2;
const mostGoneAtEnd = 10;
// In so many segments a new order is looked for, if its date says that it may be there. In a list that is newest first it is one.
const mostOverlaps = 4;

/** Fits a run into the list. */
export function learn(segments: Segments, run: Run): Learned {
  const { entries } = run;
  const edges = segments.edges();
  if (edges.length === 0) return begin(segments, run);
  if (entries.length === 0 && !run.ends) return nothing;
  const anchor = anchorOf(segments, run);
  if (anchor === undefined) return nothing;
  const window = windowAfter(segments, anchor, entries.length + slack);
  const joint = jointOf(run, window);
  const isBetween = anchor.at !== 'head' && window.known.length > 0 && !window.gaps.has(0);
  // Nothing after the anchor is as it was known: the service does not know the anchor, or the whole list has changed.
  if (joint === undefined && isBetween && !isNearEnd(window, 0)) return { ...nothing, contradicts: true };
  const elsewhere = repeated(segments, run, window, joint);
  // Orders that are known elsewhere come together where a service sends its first page for an order that it does not know.
  const isOther = entries.length > 0 && elsewhere.ids.size * 2 > entries.length;
  if (isOther && anchor.at !== 'head') return { ...nothing, contradicts: true };
  return write(segments, run, { anchor, window, joint, elsewhere, isBetween });
}

// A few orders at the end of what is known may be gone. If there are many, the service rather sends less than it has.
function isNearEnd({ isAll, known }: Window, from: number): boolean {
  return isAll && known.length - from <= mostGoneAtEnd;
}

function begin(segments: Segments, { after, entries, ends, fields }: Run): Learned {
  if (after !== undefined || entries.length === 0) return nothing;
  const added = unique(entries);
  const chunks = chunked(added, 'last');
  segments.replace(
    [],
    chunks.map((chunk, index) => ({ pos: -index, entries: chunk, isJoined: true, fields })),
  );
  return { ...nothing, fits: true, joins: ends, ended: ends, added: added.length };
}

/** Where a run begins. */
interface Anchor {
  readonly at: 'head' | number;
  /** The place of its segment among the edges; for the head -1. */
  readonly segment: number;
}

function anchorOf(segments: Segments, { after, entries }: Run): Anchor | undefined {
  if (after === undefined) return { at: 'head', segment: -1 };
  const place = placeOf(segments, after, entries[0]?.facts?.createdAt);
  return place && { at: place.index, segment: place.segment };
}

/** The segment of an order, and its place there. `near`: about when it was created. */
export function placeOf(
  segments: Segments,
  id: string,
  near?: number,
): { readonly segment: number; readonly index: number } | undefined {
  const edges = segments.edges();
  const last = edges.findIndex((edge) => edge.last === id);
  if (last !== -1) return { segment: last, index: (edges[last]?.count ?? 0) - 1 };
  const distance = ({ newest = 0, oldest = 0 }: Placed): number =>
    near === undefined ? 0 : Math.max(near - newest, oldest - near, 0);
  const order = edges.map((edge, segment) => ({ edge, segment, away: distance(edge) }));
  for (const { edge, segment } of order.toSorted((one, other) => one.away - other.away)) {
    const index = segments.ids(edge).indexOf(id);
    if (index !== -1) return { segment, index };
  }
  return undefined;
}

/** The known orders after an anchor, as far as they are looked at. */
interface Window {
  readonly known: readonly Entry[];
  /** The segment of each, by its place among the edges. */
  readonly segmentOf: readonly number[];
  /** The places before which there is a gap. 0: right after the anchor. */
  readonly gaps: ReadonlySet<number>;
  /** Whether these are all orders to the end of the list that is known. */
  readonly isAll: boolean;
}

function windowAfter(segments: Segments, { at, segment }: Anchor, wanted: number): Window {
  const edges = segments.edges();
  const known: Entry[] = [];
  const segmentOf: number[] = [];
  const gaps = new Set<number>();
  let next = Math.max(0, segment);
  for (; next < edges.length && known.length < wanted; next += 1) {
    const edge = edges[next];
    if (edge === undefined) break;
    const skipped = next === segment && at !== 'head' ? at + 1 : 0;
    // The rest of the anchor's segment may be empty: then nothing of it has to be opened.
    const rest = skipped >= edge.count ? [] : segments.entries(edge).slice(skipped);
    for (const entry of rest) {
      known.push(entry);
      segmentOf.push(next);
    }
    if (!edge.isJoined) gaps.add(known.length);
  }
  return { known, segmentOf, gaps, isAll: next >= edges.length };
}

/** The last order of a run, and its place in the window, where both show the same neighbours. */
interface Joint {
  readonly run: number;
  readonly window: number;
}

// One order that is known further down proves nothing: it may have moved. So two neighbours must be known as neighbours; or the
// first order that is known is the first or the last of the run; or both lists end with it.
function jointOf({ entries, ends }: Run, { known, isAll }: Window): Joint | undefined {
  const places = new Map(known.map(({ id }, index) => [id, index]));
  const placeAt = (index: number): number | undefined => places.get(entries[index]?.id ?? '');
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const place = placeAt(index);
    if (place === undefined) continue;
    const isFirst = index === 0 && place === 0;
    const isPair = index > 0 && placeAt(index - 1) === place - 1;
    const isLast = index === entries.length - 1;
    // The page ends right behind the first order that is known.
    const isNext = isLast && place === 0;
    const isEnd = ends && isAll && isLast && place === known.length - 1;
    if (isFirst || isPair || isNext || isEnd) return { run: index, window: place };
  }
  return undefined;
}

/** Orders of a run that are also known elsewhere. */
interface Elsewhere {
  readonly ids: ReadonlySet<string>;
  /** The segments that hold some of them. */
  readonly segments: ReadonlySet<number>;
  readonly mayRepeat: boolean;
}

function repeated(segments: Segments, run: Run, window: Window, joint: Joint | undefined): Elsewhere {
  const replaced = new Set(window.known.slice(0, (joint?.window ?? -1) + 1).map(({ id }) => id));
  const fresh = run.entries.filter(({ id }) => !replaced.has(id));
  const ids = new Set<string>();
  const holding = new Set<number>();
  if (fresh.length === 0) return { ids, segments: holding, mayRepeat: false };
  const freshIds = new Set(fresh.map(({ id }) => id));
  const times = fresh.map(({ facts }) => facts?.createdAt);
  const edges = segments.edges();
  const overlapping = edges.flatMap((edge, index) =>
    times.some((time) => isWithin(edge, time)) ? [index] : [],
  );
  for (const index of overlapping.slice(0, mostOverlaps)) {
    const edge = edges[index];
    for (const id of edge === undefined ? [] : segments.ids(edge)) {
      if (!freshIds.has(id)) continue;
      ids.add(id);
      holding.add(index);
    }
  }
  return { ids, segments: holding, mayRepeat: overlapping.length > mostOverlaps };
}

function isWithin({ newest, oldest }: Placed, time: number | undefined): boolean {
  if (time === undefined || newest === undefined || oldest === undefined) return true;
  return time >= oldest && time <= newest;
}

/** How a run fits. */
interface Fit {
  readonly anchor: Anchor;
  readonly window: Window;
  readonly joint: Joint | undefined;
  readonly elsewhere: Elsewhere;
  readonly isBetween: boolean;
}

function write(segments: Segments, run: Run, fit: Fit): Learned {
  const { anchor, window, joint, elsewhere } = fit;
  const { known } = window;
  const edges = segments.edges();
  const joinedTo = (joint?.window ?? -1) + 1;
  const isWhole = (joint?.run ?? -1) === run.entries.length - 1;
  // Without a joint, only what was known right behind the anchor.
  const isPlaced = joint !== undefined || fit.isBetween || run.entries.length === 0;
  const isShort = isPlaced && isNearEnd(window, joinedTo) && (run.ends || !isWhole);
  const replacedTo = isShort ? known.length : joinedTo;
  const isLast = window.isAll && known.length === replacedTo;
  // The region that is written again: from the anchor's segment to that of the last order that is replaced. A full segment that
  // ends with the anchor stays as it is.
  const anchorEdge = edges[anchor.segment];
  const isBehind = anchorEdge !== undefined && isFullUpTo(anchorEdge, anchor.at);
  const firstOf = anchor.segment + (anchor.at === 'head' || isBehind ? 1 : 0);
  const lastOf = window.segmentOf[replacedTo - 1] ?? anchor.segment;
  const held = [...elsewhere.segments].filter((index) => index < firstOf || index > lastOf);
  const inRun = new Set(run.entries.map(({ id }) => id));
  const stays = ({ id }: Entry): boolean => !inRun.has(id);
  const before =
    anchor.at === 'head' || anchorEdge === undefined || isBehind
      ? []
      : segments
          .entries(anchorEdge)
          .slice(0, anchor.at + 1)
          .filter(stays);
  const after = known.filter(
    (one, index) => index >= replacedTo && (window.segmentOf[index] ?? 0) <= lastOf && stays(one),
  );
  const afterGaps = [...window.gaps].filter((gap) => gap > replacedTo && gap < replacedTo + after.length);
  const isGap = !(isWhole ? !window.gaps.has(replacedTo) : isLast && run.ends);
  const end = edges[lastOf];
  const islands = islandsOf(
    [...before, ...unique(run.entries)],
    after,
    isGap && (after.length > 0 || !isLast),
    afterGaps.map((gap) => gap - replacedTo),
  );
  const removed = lastOf < firstOf ? [] : edges.slice(firstOf, lastOf + 1);
  const upper = edges[firstOf - 1]?.pos;
  const lower = edges[(lastOf < firstOf ? firstOf - 1 : lastOf) + 1]?.pos;
  const fields = removed.reduce<readonly string[]>(
    (all, one) => all.filter((name) => one.fields.includes(name)),
    run.fields,
  );
  const isJoinedAfter = after.length > 0 ? (end?.isJoined ?? true) : !isGap || isLast;
  const pieces = piecesOf(islands, anchor.at === 'head' ? 'first' : 'last', isJoinedAfter);
  const positions = positionsBetween(
    upper,
    lower,
    pieces.length,
    pieces.at(-1)?.isJoined === false ? wide : 0,
  );
  const withoutMoved = held.flatMap((index) => withoutIds(segments, edges[index], inRun));
  segments.replace(
    [...removed, ...withoutMoved.map(({ segment }) => segment)],
    [
      ...pieces.map((piece, index) => ({ ...piece, pos: positions[index] ?? 0, fields })),
      ...withoutMoved.flatMap(({ left }) => left),
    ],
  );
  return learnedOf(run, fit, { isLast, joins: !isGap, replacedTo });
}

function isFullUpTo({ count, isJoined }: Placed, at: Anchor['at']): boolean {
  return at === count - 1 && count >= segmentLength && isJoined;
}

function learnedOf(
  run: Run,
  { window, joint, elsewhere, isBetween }: Fit,
  {
    isLast,
    joins,
    replacedTo,
  }: { readonly isLast: boolean; readonly joins: boolean; readonly replacedTo: number },
): Learned {
  const replaced = new Set(window.known.slice(0, replacedTo).map(({ id }) => id));
  const inRun = new Set(run.entries.map(({ id }) => id));
  const fresh = run.entries.filter(({ id }) => !replaced.has(id) && !elsewhere.ids.has(id));
  // At the head new orders come before all that is known; what is new behind a known order was put in between.
  const firstKnown = isBetween ? 0 : run.entries.findIndex(({ id }) => replaced.has(id));
  const lastKnown = joint?.run ?? -1;
  const isInserted = ({ id }: Entry, index: number): boolean =>
    index >= firstKnown && index <= lastKnown && !replaced.has(id) && !elsewhere.ids.has(id);
  const crossesGap = window.gaps.size > 0 && [...window.gaps].some((gap) => gap < replacedTo);
  return {
    fits: true,
    contradicts: false,
    joins: joins || (isLast && run.ends),
    ended: isLast ? run.ends : run.ends ? false : undefined,
    added: fresh.length,
    inserted: firstKnown === -1 || crossesGap ? 0 : run.entries.filter(isInserted).length,
    moved: elsewhere.ids.size,
    gone: [...replaced].filter((id) => !inRun.has(id)).length,
    mayRepeat: elsewhere.mayRepeat,
  };
}

// The entries cut at the gaps.
function islandsOf(
  run: readonly Entry[],
  after: readonly Entry[],
  isGap: boolean,
  gaps: readonly number[],
): readonly (readonly Entry[])[] {
  const cuts = [0, ...gaps, after.length];
  const parts = cuts.slice(1).map((cut, index) => after.slice(cuts[index], cut));
  const [first = [], ...others] = parts;
  return [...(isGap ? [run, first] : [[...run, ...first]]), ...others].filter((island) => island.length > 0);
}

interface Piece {
  readonly entries: readonly Entry[];
  readonly isJoined: boolean;
}

// Between two islands there is a gap; the pieces of one island are joined.
function piecesOf(
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

// Room for the segments of a gap below the head.
const wide = 1_000_000;

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

function unique(entries: readonly Entry[]): readonly Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}
