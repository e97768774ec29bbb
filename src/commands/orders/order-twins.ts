/** Finds possible twins among the orders that a list or a search reads. It needs little memory even on a long walk. */

import type { JsonObject } from '../../api/spec.ts';
import { isRefunded, isSettled, purchaseOf, type Twin, twinOf, twinSeconds } from '../../orders/orders.ts';

/** The twins among the orders that were read. */
export interface Twins {
  /** Adds orders, in any sequence. */
  add(orders: readonly JsonObject[]): void;
  /** An order that may be this one's twin, and whether it was refunded when it was read; undefined when none was read. */
  of(order: JsonObject): Twin | undefined;
}

// Twins are near each other in a list, so older orders are forgotten and memory stays small.
const remembered = 1_000;

export function createTwins(): Twins {
  const seen = recently<readonly Twin[]>();
  const twins = recently<Twin>();
  return {
    add(orders) {
      for (const order of orders) {
        const own = twinOf(order);
        const bought = purchaseOf(order);
        // Without a payment an order is no twin: somebody tried again, and paid once.
        if (own === undefined || bought === undefined || !own.isPaid) continue;
        const { id, createdAt } = own;
        const others = (seen.get(bought) ?? []).filter((one) => one.id !== id);
        const other = others.find((one) => Math.abs(one.createdAt - createdAt) <= twinSeconds);
        if (other !== undefined) {
          twins.set(id, other);
          if (twins.get(other.id) === undefined) twins.set(other.id, own);
        }
        // Some buyers buy the same thing all day; the newest few are enough.
        seen.set(bought, [...others, own].slice(-8));
      }
    },
    of: ({ id }) => (typeof id === 'string' ? twins.get(id) : undefined),
  };
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

// Somebody with the buyer on the phone must see whether one of the two orders, or both, were refunded already.
function pairWords(both: readonly Twin[]): string {
  const isBoth = both.every(isRefunded);
  const names = both.map((twin) => `${twin.id}${isRefunded(twin) && !isBoth ? ' (already refunded)' : ''}`);
  return `${names.join(' and ')}${isBoth ? ': both already refunded' : both.some(isSettled) ? ': settled' : ''}`;
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
    const own = twinOf(order);
    const both = [...(own === undefined ? [] : [own]), twin].toSorted((one, other) =>
      one.id < other.id ? -1 : 1,
    );
    const pair = both.map(({ id }) => id).join(' and ');
    if (recent.includes(pair)) return;
    recent.push(pair);
    if (recent.length > rememberedPairs) recent.shift();
    count += 1;
    if (named.length < namedPairs) named.push(pairWords(both));
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
