/** What commands ask of the segments of an index: its status, orders by their place, twins, figures. */

import type { JsonObject } from '../api/json-values.ts';
import { type Due, readsByAge } from './ages.ts';
import { readColumns } from './fact-columns.ts';
import { hasOddRefunds, orderOf } from './facts.ts';
import { placeOf } from './fit-run.ts';
import type { FactsRange, IndexedOrder, IndexStatus } from './index.ts';
import type { Hit } from './scan.ts';
import type { SealedSegments } from './sealed-segments.ts';
import { type Edge, isRise } from './segment.ts';
import { spareCopies } from './take-out.ts';

/** The status of the index. `now`: Unix seconds. */
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
    first: edges[0]?.first,
    last: edges.at(-1)?.last,
    isComplete: ended && gaps.length === 0,
    goesOnAfter: ended ? undefined : edges.at(-1)?.last,
    gaps: gaps.map(({ last }) => last),
    isNewestFirst: rises === 0,
    rises,
    reads: readsByAge(edges, now),
    forgotten: sum(edges.map(({ forgotten }) => forgotten)),
    fields:
      edges.reduce<readonly string[] | undefined>(
        (all, { fields }) => (all === undefined ? fields : all.filter((name) => fields.includes(name))),
        undefined,
      ) ?? [],
  };
}

/** Only the orders that are overdue: a run that stopped in the middle of a segment has read the first part of it again. */
export function narrowed(segments: SealedSegments, due: Due, now: number): Due {
  const edge = segments.edges().find(({ pos }) => pos === due.pos);
  if (edge === undefined) return due;
  const stale = readColumns(segments.facts(edge)).map(({ readAt }) => now - readAt >= due.target);
  const first = stale.indexOf(true);
  const count = stale.lastIndexOf(true) - first + 1;
  if (first <= 0) return { ...due, count: first === 0 ? count : due.count };
  return { ...due, after: segments.ids(edge)[first - 1], count };
}

/** The ids of neighbours before an order, the nearest first. */
export function idsBefore(segments: SealedSegments, id: string, count: number): readonly string[] {
  const place = placeOf(segments, id);
  const edge = place && segments.edges()[place.segment];
  if (place === undefined || edge === undefined) return [];
  const own = segments.ids(edge).slice(0, place.index);
  const above = segments.edges()[place.segment - 1];
  const more = own.length < count && above !== undefined ? segments.ids(above) : [];
  return [...more, ...own].slice(-count).toReversed();
}

/** The place of an order in the list; 0 is the first. */
export function positionOf(segments: SealedSegments, id: string): number | undefined {
  const place = placeOf(segments, id);
  if (place === undefined) return undefined;
  const before = segments.edges().slice(0, place.segment);
  return before.reduce((sum, { count }) => sum + count, place.index);
}

/** The orders of the same purchase within so many seconds. */
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

/** The figures of orders, segment by segment, each order once. All of them are as of one moment. */
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

// Whether nothing of a segment can be of that time, and nothing of it is hidden.
function liesOutside(
  { newest, newestRefund = 0, newestPayment = 0, earliest = 0, hiding }: Edge,
  { since = 0, until = Number.POSITIVE_INFINITY }: FactsRange,
): boolean {
  if (newest === undefined || hiding !== 0) return false;
  return Math.max(newest, newestPayment, newestRefund) < since || earliest >= until;
}
