/** Answers what commands ask an index: its status, how old its reads are, orders by position, twins, figures. */

import type { JsonObject } from '../api/json-values.ts';
import { readColumns } from './fact-columns.ts';
import { type Placed, placeOf } from './fit-run.ts';
import type { FactsRange, IndexedOrder, IndexStatus } from './index.ts';
import { hasOddRefunds, orderOf } from './order-in-index.ts';
import type { Hit } from './scan.ts';
import type { SealedSegments } from './sealed-segments.ts';
import { type Edge, isRise } from './segment.ts';
import { spareCopies } from './take-out.ts';

/** `now`: Unix seconds. */
export function statusOf(segments: SealedSegments, bytes: number, now: number): IndexStatus {
  const edges = segments.edges();
  const { ended, salt: _, ...state } = segments.state();
  const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
  const gaps = edges.slice(0, -1).filter(({ isJoined }) => !isJoined);
  const rises =
    sum(edges.map((edge) => edge.rises)) +
    edges.filter((edge, index) => index > 0 && isRise(edges[index - 1]?.lastAt, edge.firstAt)).length;
  const newest = edges.flatMap((edge) => edge.newest ?? []);
  const oldest = edges.flatMap((edge) => edge.oldest ?? []);
  return {
    ...state,
    orders: sum(edges.map(({ count }) => count)),
    segments: edges.length,
    bytes,
    newest: newest.length === 0 ? undefined : Math.max(...newest),
    oldest: oldest.length === 0 ? undefined : Math.min(...oldest),
    last: edges.at(-1)?.last,
    isComplete: ended && gaps.length === 0,
    goesOnAfter: ended ? undefined : edges.at(-1)?.last,
    gaps: gaps.map(({ last }) => last),
    isNewestFirst: rises === 0,
    rises,
    // The oldest read in each class that has orders.
    reads: ageClasses.flatMap(({ under, words }, index) => {
      const from = ageClasses[index - 1]?.under ?? Number.NEGATIVE_INFINITY;
      const own = edges.filter(({ newest = 0, oldest = 0 }) => now - newest < under && now - oldest >= from);
      if (own.length === 0) return [];
      return [{ words, readAt: Math.min(...own.map(({ readAt }) => readAt)), from, under }];
    }),
    forgotten: sum(edges.map(({ forgotten }) => forgotten)),
    fields:
      edges.reduce<readonly string[] | undefined>(
        (all, { fields }) => (all === undefined ? fields : all.filter((name) => fields.includes(name))),
        undefined,
      ) ?? [],
  };
}

/** Narrows a segment to its overdue orders: a run that stopped inside the segment has read the first part again. */
export function narrowed(segments: SealedSegments, due: Due, now: number): Due {
  const edge = segments.edges().find(({ pos }) => pos === due.pos);
  if (edge === undefined) return due;
  const stale = readColumns(segments.facts(edge)).map(({ readAt }) => now - readAt >= due.target);
  const first = stale.indexOf(true);
  const count = stale.lastIndexOf(true) - first + 1;
  if (first <= 0) return { ...due, count: first === 0 ? count : due.count };
  return { ...due, after: segments.ids(edge)[first - 1], count };
}

export function idsBefore(segments: SealedSegments, id: string, count: number): readonly string[] {
  const place = placeOf(segments, id);
  const edge = place && segments.edges()[place.segment];
  if (place === undefined || edge === undefined) return [];
  const own = segments.ids(edge).slice(0, place.index);
  const above = segments.edges()[place.segment - 1];
  const more = own.length < count && above !== undefined ? segments.ids(above) : [];
  return [...more, ...own].slice(-count).toReversed();
}

export function positionOf(segments: SealedSegments, id: string): number | undefined {
  const place = placeOf(segments, id);
  if (place === undefined) return undefined;
  const before = segments.edges().slice(0, place.segment);
  return before.reduce((sum, { count }) => sum + count, place.index);
}

export function twinsIn(
  segments: SealedSegments,
  { id: own, created_at: at }: JsonObject,
  purchase: number,
  seconds: number,
): readonly Hit[] {
  if (typeof at !== 'number') return [];
  let before: string | undefined;
  let count = 0;
  return segments.edges().flatMap((edge): readonly Hit[] => {
    const [above, start] = [before, count];
    before = edge.isJoined ? edge.last : undefined;
    count += edge.count;
    if ((edge.newest ?? 0) < at - seconds || (edge.oldest ?? 0) > at + seconds) return [];
    const ids = segments.ids(edge);
    return readColumns(segments.facts(edge)).flatMap(({ facts }, index): readonly Hit[] => {
      const id = ids[index];
      const isTwin = facts?.purchase === purchase && Math.abs((facts.createdAt ?? 0) - at) <= seconds;
      return !isTwin || id === undefined || id === own
        ? []
        : [{ id, place: start + index, neighbour: index === 0 ? above : ids[index - 1] }];
    });
  });
}

/** The figures of orders as of one moment, each order once. */
export function* factsIn(segments: SealedSegments, range: FactsRange): Generator<IndexedOrder> {
  const { status, looksAt } = range;
  const end = segments.snapshot();
  try {
    const isSpare = segments.state().mayRepeat ? spareCopies(segments) : undefined;
    for (const edge of segments.edges()) {
      const isOutside = liesOutside(edge, range);
      if (isOutside && status === undefined && looksAt === undefined) continue;
      const ids = segments.ids(edge);
      for (const [index, { facts, readAt }] of readColumns(segments.facts(edge)).entries()) {
        const id = ids[index];
        if (facts === undefined || id === undefined) continue;
        const isAsked =
          facts.status === status || (looksAt !== undefined && (looksAt.has(id) || hasOddRefunds(facts)));
        if (isOutside && !isAsked) continue;
        if (isSpare?.({ id, readAt }) === true) continue;
        yield { order: orderOf(id, facts), purchase: facts.purchase, readAt };
      }
    }
  } finally {
    end();
  }
}

// Whether a segment has nothing from a range of time, and hides no money.
function liesOutside(
  { newest, newestRefund = 0, newestPayment = 0, earliest = 0, hiding }: Edge,
  { since = 0, until = Number.POSITIVE_INFINITY }: FactsRange,
): boolean {
  if (newest === undefined || hiding !== 0) return false;
  return Math.max(newest, newestPayment, newestRefund) < since || earliest >= until;
}

/** A class of orders by age, in seconds. */
interface AgeClass {
  /** Younger orders belong to it, unless an earlier class has them. */
  readonly under: number;
  readonly target: number;
  readonly words: string;
}

const hour = 3_600;
const day = 24 * hour;

const ageClasses: readonly AgeClass[] = [
  { under: 3 * day, target: hour, words: 'newest 3 days' },
  { under: 90 * day, target: day, words: '90 days' },
  { under: Number.POSITIVE_INFINITY, target: 30 * day, words: 'older ones' },
];

/** The oldest read in a class, Unix seconds. */
export interface ReadOf {
  readonly words: string;
  readonly readAt: number;
  /** The youngest and oldest possible age of the class, in seconds. */
  readonly from: number;
  readonly under: number;
}

/** A segment to read again. */
export interface Due {
  /** The id of the order before it; undefined for the first in the list. */
  readonly after: string | undefined;
  readonly count: number;
  readonly pos: number;
  /** The maximum age of a read, in seconds. */
  readonly target: number;
}

/**
 * The segments whose last read is older than their class allows, the most overdue first. The newest ones are also due if not read
 * since `dayBegan` (Unix seconds): a report of the day needs that.
 */
export function dueSegments(edges: readonly Placed[], now: number, dayBegan: number): readonly Due[] {
  return edges
    .map((edge, index) => {
      const own = classOf(now - (edge.newest ?? 0));
      const target = own === ageClasses[0] ? Math.max(1, Math.min(own.target, now - dayBegan)) : own.target;
      const before = edges[index - 1];
      return { edge, target, overdue: (now - edge.readAt) / target, before };
    })
    .filter(({ overdue, before }) => overdue >= 1 && before?.isJoined !== false)
    .toSorted((one, other) => other.overdue - one.overdue)
    .map(({ edge, before, target }) => ({ after: before?.last, count: edge.count, pos: edge.pos, target }));
}

function classOf(age: number): AgeClass {
  return ageClasses.find(({ under }) => age < under) ?? { under: 0, target: 30 * day, words: '' };
}
