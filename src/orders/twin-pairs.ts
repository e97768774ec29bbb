/** Finds pairs of twins among the orders of a period: two payments of the same buyer and amount, one soon after the other. Pure. */

import { isSettled, type KnownTwin, twinSeconds } from './twins.ts';

/** Two payments that may be one purchase, the earlier one first. */
export interface TwinPair<T> {
  readonly first: T;
  readonly second: T;
  /** How many seconds lie between them. */
  readonly apart: number;
  /** All of one of them went back. */
  readonly isSettled: boolean;
}

/**
 * The pairs among these orders, the newest first: each payment and the next of its buyer and amount. A payment that went back is
 * in no pair but a settled one, so two others around it are a pair. An order that was read twice counts once.
 */
export function twinPairs<T extends KnownTwin & { readonly purchase: string }>(
  orders: readonly T[],
): readonly TwinPair<T>[] {
  const once = new Map(orders.filter(({ isPaid }) => isPaid).map((order) => [order.id, order]));
  const alike = Map.groupBy(once.values(), ({ purchase }) => purchase);
  return [...alike.values()]
    .flatMap((group) => {
      const sorted = group.toSorted(
        (one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
      );
      const kept = sorted.filter((order) => !isSettled(order));
      return [...neighbours(sorted).filter((pair) => pair.isSettled), ...neighbours(kept)];
    })
    .toSorted(
      (one, other) =>
        other.second.createdAt - one.second.createdAt || (one.second.id < other.second.id ? -1 : 1),
    );
}

function neighbours<T extends KnownTwin>(sorted: readonly T[]): readonly TwinPair<T>[] {
  return sorted.slice(1).flatMap((second, index): readonly TwinPair<T>[] => {
    const first = sorted[index];
    if (first === undefined) return [];
    const apart = second.createdAt - first.createdAt;
    return apart <= twinSeconds ? [{ first, second, apart, isSettled: [first, second].some(isSettled) }] : [];
  });
}
