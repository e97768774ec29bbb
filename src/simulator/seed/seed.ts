/** The data that a new simulator holds, oldest first: the same places give the same records, whatever their number. */

import type { JsonObject } from '../../api/spec.ts';
import type { StoredOrder } from '../records.ts';
import { buyersCount, buyersOf, customerAt } from './customers.ts';
import { orderAt } from './orders.ts';

/** How many orders a new simulator holds unless told otherwise. */
export const defaultOrders = 120;

/** How much data, and of what time. */
export interface SeedOptions {
  /** Unix seconds; the newest order is an hour old or two. */
  readonly now: number;
  readonly livemode: boolean;
  /** How many orders; one customer for every two of them, and never less than 60. */
  readonly orders: number;
}

/** Orders about an hour apart, closer together where so many would reach back more than ten years. */
export function* seedOrders({ orders, ...place }: SeedOptions): Generator<StoredOrder> {
  const spacing = Math.min(3600, Math.floor((10 * 365 * 86_400) / Math.max(1, orders)));
  const buyers = buyersOf(place);
  for (let index = orders - 1; index >= 0; index -= 1) yield orderAt({ ...place, index, spacing, buyers });
}

/** Customers, oldest first: one for every two orders, and never less than 60. */
export function* seedCustomers({ orders, ...place }: SeedOptions): Generator<JsonObject> {
  for (let index = Math.max(buyersCount, Math.floor(orders / 2)) - 1; index >= 0; index -= 1) {
    yield customerAt({ ...place, index });
  }
}
