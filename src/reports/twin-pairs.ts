/** Finds pairs of possible twins: orders of the same buyer and amount, one soon after the other. Pure. */

import type { OrderFact } from './facts.ts';

/** An order that can be one of a pair. */
export interface DatedOrder extends OrderFact {
  readonly id: string;
  readonly createdAt: number;
  readonly purchase: string;
}

/** Two orders that may be one purchase, the earlier one first. */
export interface TwinPair {
  readonly first: DatedOrder;
  readonly second: DatedOrder;
  /** How many seconds lie between them. */
  readonly apart: number;
}

/** Whether an order shows what a twin is found by. */
export function isDated(order: OrderFact): order is DatedOrder {
  return order.id !== undefined && order.createdAt !== undefined && order.purchase !== undefined;
}

/**
 * The pairs among these orders, the newest first: each order and the next of its buyer and amount, at most `within` seconds
 * later. An order that was read twice counts once.
 */
export function twinPairs(orders: readonly DatedOrder[], within: number): readonly TwinPair[] {
  const once = new Map(orders.map((order) => [order.id, order]));
  const alike = Map.groupBy(once.values(), ({ purchase }) => purchase);
  return [...alike.values()]
    .flatMap((group) => {
      const sorted = group.toSorted(
        (one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
      );
      return sorted.slice(1).flatMap((second, index): readonly TwinPair[] => {
        const first = sorted[index];
        if (first === undefined) return [];
        const apart = second.createdAt - first.createdAt;
        return apart <= within ? [{ first, second, apart }] : [];
      });
    })
    .toSorted(
      (one, other) =>
        other.second.createdAt - one.second.createdAt || (one.second.id < other.second.id ? -1 : 1),
    );
}
