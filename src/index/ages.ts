/** How old what the index knows may get: segments with newer orders are read again sooner. Pure. */

import type { Placed } from './fit-run.ts';

/** A class of orders by age. Seconds. */
interface AgeClass {
  /** Orders that are younger belong to it, unless they belong to an earlier class. */
  readonly under: number;
  /** How old a read of them may get. */
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

/** When the orders of a class were read, the longest ago. Unix seconds. */
export interface ReadOf {
  readonly words: string;
  readonly readAt: number;
  /** How old the youngest and the oldest orders of the class can be. Seconds. */
  readonly from: number;
  readonly under: number;
}

/** For each class that has orders: since when none of them was read. */
export function readsByAge(edges: readonly Placed[], now: number): readonly ReadOf[] {
  return ageClasses.flatMap(({ under, words }, index) => {
    const from = ageClasses[index - 1]?.under ?? Number.NEGATIVE_INFINITY;
    const own = edges.filter(({ newest = 0, oldest = 0 }) => now - newest < under && now - oldest >= from);
    if (own.length === 0) return [];
    return [{ words, readAt: Math.min(...own.map(({ readAt }) => readAt)), from, under }];
  });
}

/** A segment that is to be read again. */
export interface Due {
  /** The id of the order before it; undefined for the first of the list. */
  readonly after: string | undefined;
  readonly count: number;
  /** Its position. */
  readonly pos: number;
  /** How old a read of it may get, seconds. */
  readonly target: number;
}

/**
 * The segments that were not read for longer than their class allows, the most overdue first. The newest ones are also due if
 * they were not read since `dayBegan` (Unix seconds): a report of the day asks for that.
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
