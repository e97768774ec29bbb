/**
 * Finds where a run of newly read orders fits into the index's list of known orders: after which order, what it replaces, and
 * which of its orders are known elsewhere.
 */

import type { ReadRun } from './index.ts';
import type { IndexState } from './index-file.ts';
import type { Edge, Entry } from './segment.ts';

// How many orders to look at beyond the length of a run: that many may have gone or moved.
const slack = 50;
const mostGoneAtEnd = 10;
// The most segments to search for an order that is new at its place, if its date says that it may be there too. In a newest-first
// list, one is enough.
const mostOverlaps = 4;

export interface Fit {
  readonly anchor: Anchor;
  readonly window: Window;
  readonly joint: Joint | undefined;
  readonly elsewhere: Elsewhere;
  /** Orders are known right after the anchor. */
  readonly isBetween: boolean;
}

/** Where a run fits. Undefined: what comes before it is unknown. `contradicts`: other orders are known there. */
export function fitOf(segments: Segments, run: Run): Fit | 'contradicts' | undefined {
  const { entries } = run;
  const anchor = anchorOf(segments, run);
  if (anchor === undefined) return undefined;
  const window = windowAfter(segments, anchor, entries.length + slack);
  const joint = jointOf(run, window);
  const isBetween = anchor.at !== 'head' && window.known.length > 0 && !window.gaps.has(0);
  // Nothing after the anchor is as before: the service does not know the anchor, or the whole list changed.
  if (joint === undefined && isBetween && !isNearEnd(window, 0)) return 'contradicts';
  const elsewhere = repeated(segments, run, window, joint);
  // If paydesk asks for what follows an unknown order, a service may send its first page: then most orders are known elsewhere.
  const isOther = entries.length > 0 && elsewhere.ids.size * 2 > entries.length;
  if (isOther && anchor.at !== 'head') return 'contradicts';
  return { anchor, window, joint, elsewhere, isBetween };
}

/** Whether so few orders are known after a place that they may be gone. If there are many, the service probably sent too little. */
export function isNearEnd({ isAll, known }: Window, from: number): boolean {
  return isAll && known.length - from <= mostGoneAtEnd;
}

export interface Anchor {
  readonly at: 'head' | number;
  /** The segment's position among the edges; -1 for the head. */
  readonly segment: number;
}

function anchorOf(segments: Segments, { after, entries }: Run): Anchor | undefined {
  if (after === undefined) return { at: 'head', segment: -1 };
  const place = placeOf(segments, after, entries[0]?.facts?.createdAt);
  return place && { at: place.index, segment: place.segment };
}

/** The segment of an order, and its place there. `near`: roughly when the order was created. */
export function placeOf(segments: Segments, id: string, near?: number) {
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

/** The known orders after an anchor, as far as needed. */
export interface Window {
  readonly known: readonly Entry[];
  /** The segment of each, by its position among the edges. */
  readonly segmentOf: readonly number[];
  /** The places with a gap before them. 0: right after the anchor. */
  readonly gaps: ReadonlySet<number>;
  /** Whether these reach the end of the known list. */
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
    // If the anchor's segment has nothing left, it need not be opened.
    const rest = skipped >= edge.count ? [] : segments.entries(edge).slice(skipped);
    for (const entry of rest) {
      known.push(entry);
      segmentOf.push(next);
    }
    if (!edge.isJoined) gaps.add(known.length);
  }
  return { known, segmentOf, gaps, isAll: next >= edges.length };
}

/** The places, in the run and in the window, of the last order that has the same neighbours in both. */
interface Joint {
  readonly run: number;
  readonly window: number;
}

// One order that is known further down proves nothing: it may have moved. So two neighbours must be known as neighbours, or the
// first known order must be the first or last of the run, or both lists must end with it.
function jointOf({ entries, ends }: Run, { known, isAll }: Window): Joint | undefined {
  const places = new Map(known.map(({ id }, index) => [id, index]));
  const placeAt = (index: number): number | undefined => places.get(entries[index]?.id ?? '');
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const place = placeAt(index);
    if (place === undefined) continue;
    const isFirst = index === 0 && place === 0;
    const isPair = index > 0 && placeAt(index - 1) === place - 1;
    const isLast = index === entries.length - 1;
    // The page ends right after the first known order.
    const isNext = isLast && place === 0;
    const isEnd = ends && isAll && isLast && place === known.length - 1;
    if (isFirst || isPair || isNext || isEnd) return { run: index, window: place };
  }
  return undefined;
}

/** Orders of a run that are also known elsewhere. */
interface Elsewhere {
  readonly ids: ReadonlySet<string>;
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

/** Newer segments have higher positions. */
export interface Placed extends Edge {
  readonly pos: number;
}

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
export interface Run extends Pick<ReadRun, 'after' | 'ends' | 'fields'> {
  readonly entries: readonly Entry[];
}

/** What a run taught the index. */
export interface Learned extends Pick<IndexState, 'inserted' | 'moved' | 'mayRepeat'> {
  /** False if it fits nowhere; then nothing was changed. */
  readonly fits: boolean;
  /** It does not fit because other orders are known there. */
  readonly contradicts: boolean;
  /** Whether known orders, or the end of the list, follow the run. */
  readonly joins: boolean;
  /** Whether the last known order is now known to be the last of the list; undefined if the run does not say. */
  readonly ended: boolean | undefined;
  readonly added: number;
  /** Orders known there that the service no longer shows there. */
  readonly gone: number;
}
