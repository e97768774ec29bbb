/**
 * Finds possible twins, orders of the same buyer and amount within ten minutes. It needs little memory even on a long walk.
 */

import { type JsonObject, valueAt } from '../../api/spec.ts';
import { fold } from './fold-text.ts';

/** The twins among the orders that were read. */
export interface Twins {
  /** Adds orders, in any sequence. */
  add(orders: readonly JsonObject[]): void;
  /** The id of an order that may be this one's twin; undefined when none was read. */
  of(order: JsonObject): string | undefined;
}

// Seconds between the two orders, at most.
const mostApart = 600;
// Twins are near each other in a list, so older orders are forgotten and memory stays small.
const remembered = 1_000;

interface Seen {
  readonly id: string;
  readonly createdAt: number;
}

export function createTwins(): Twins {
  const seen = recently<Seen[]>();
  const twins = recently<string>();
  return {
    add(orders) {
      for (const order of orders) {
        const { id, created_at: createdAt } = order;
        const bought = purchase(order);
        if (typeof id !== 'string' || typeof createdAt !== 'number' || bought === undefined) continue;
        const others = seen.get(bought) ?? [];
        const other = others.find((one) => one.id !== id && Math.abs(one.createdAt - createdAt) <= mostApart);
        if (other !== undefined) {
          twins.set(id, other.id);
          if (twins.get(other.id) === undefined) twins.set(other.id, id);
        }
        // Some buyers buy the same thing all day; the newest few are enough.
        seen.set(bought, [...others.filter((one) => one.id !== id), { id, createdAt }].slice(-8));
      }
    },
    of: ({ id }) => (typeof id === 'string' ? twins.get(id) : undefined),
  };
}

// The buyer and the amount as one key; undefined if the order does not show them.
function purchase(order: JsonObject): string | undefined {
  const { amount, currency } = order;
  const customerId = valueAt(order, ['customer_info', 'customer_id']);
  const email = valueAt(order, ['customer_info', 'email']);
  // The e-mail comes first, because one of two twins may have been bought without an account.
  const buyer = [email, customerId].find((value) => typeof value === 'string' && value !== '');
  if (typeof buyer !== 'string' || typeof amount !== 'number') return undefined;
  return JSON.stringify([fold(buyer), amount, typeof currency === 'string' ? currency.toUpperCase() : '']);
}

// A map that keeps the newest entries. When `young` is full it becomes `old`, and the previous `old` is dropped.
function recently<T>(): { get(key: string): T | undefined; set(key: string, value: T): void } {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  return {
    get: (key) => young.get(key) ?? old.get(key),
    set(key, value) {
      if (young.size >= remembered && !young.has(key)) [old, young] = [young, new Map()];
      young.set(key, value);
    },
  };
}

// Each pair is found twice, once from each order. Recent pairs are remembered, so that each one counts once.
const rememberedPairs = 64;
const namedPairs = 5;

/** Collects the pairs of twins among the shown orders, and names them at the end. */
export function twinPairs(twins: Pick<Twins, 'of'>): {
  add(orders: readonly JsonObject[]): void;
  words(): readonly string[];
} {
  const recent: string[] = [];
  const named: string[] = [];
  let count = 0;
  const add = (order: JsonObject): void => {
    const twin = twins.of(order);
    if (twin === undefined) return;
    const pair = [String(order.id), twin].toSorted().join(' and ');
    if (recent.includes(pair)) return;
    recent.push(pair);
    if (recent.length > rememberedPairs) recent.shift();
    count += 1;
    if (named.length < namedPairs) named.push(pair);
  };
  return {
    add: (orders) => orders.forEach(add),
    words: () => [
      ...named.map((pair) => `possible twins, same buyer and amount within 10 minutes: ${pair}`),
      ...(count > named.length
        ? [`${count - named.length} more possible twins: --columns id,created_at,amount,twin shows them`]
        : []),
    ],
  };
}
