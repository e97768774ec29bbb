/** The orders that were read for a search, as far as they are kept, and which of them hold the typed words. */

import type { AmountStyle } from '../../../amounts.ts';
import type { WireRecord } from '../../../api/api.ts';
import { idOf, type JsonObject } from '../../../api/json-values.ts';
import type { ReadAgain } from '../../../index/index.ts';
import type { Twin } from '../../../orders/orders.ts';
import { createTwins } from '../order-observer.ts';
import { fold } from './fold-text.ts';
import type { NearBuyers } from './near-buyers.ts';
import { createSearch } from './order-matching.ts';
import { type Match, type SearchableOrder, searchable } from './order-texts.ts';

/** An order that was read; `T` is what its row shows. */
export interface KeptOrder<T> {
  readonly id: string;
  /** The id of the order before it in the list. */
  readonly neighbour: string | undefined;
  readonly shown: T;
  /** Whether the order is of the kind that can be chosen. */
  readonly fits: boolean;
  /** Whether the order would fit, but may not be changed now. */
  readonly isBlocked: boolean;
  /** Another order of the same buyer and amount within ten minutes. */
  readonly twin: Twin | undefined;
  readonly fields: SearchableOrder;
}

/** What is decided about an order when it is read. */
export interface KeptParts<T> {
  /** Is called with orders before they are kept, so that `show` can say what was looked up about them. */
  readonly beforeKept: (records: readonly WireRecord[]) => Promise<void>;
  readonly fits: (order: JsonObject) => boolean;
  readonly isBlocked: (shown: T) => boolean;
  readonly show: (order: JsonObject) => T;
  /** How amounts are shown: they are found as they are shown. */
  readonly amounts: AmountStyle;
}

/** The orders that hold some words, in the order of the list. Without words, those that fit. */
interface Matches<T> {
  readonly fitting: readonly KeptOrder<T>[];
  /** Orders that hold the words, but are not of the kind that can be chosen. */
  readonly others: readonly KeptOrder<T>[];
}

interface Kept<T> extends Omit<KeptOrder<T>, 'twin'> {
  twin: Twin | undefined;
}

interface Matched<T> {
  readonly words: string;
  /** How many orders were looked at. */
  seen: number;
  readonly fitting: Kept<T>[];
  readonly others: Kept<T>[];
}

export type KnownOrders<T> = ReturnType<typeof createKnownOrders<T>>;

/** Keeps nothing from an order but what its row shows and what a search looks at, since there may be many thousands. */
export function createKnownOrders<T>(parts: KeptParts<T>) {
  const known: Kept<T>[] = [];
  const ids = new Set<string>();
  const found = new Map<string, Kept<T>>();
  const twins = createTwins();
  let newest: number | undefined;
  let oldest: number | undefined;
  let matched: Matched<T> = { words: '', seen: 0, fitting: [], others: [] };

  const add = (record: WireRecord): void => {
    const one = keep(parts, record, known.at(-1)?.id);
    if (one === undefined) return;
    known.push(one);
    ids.add(one.id);
    const { created_at: at } = record.value;
    if (typeof at !== 'number') return;
    newest = Math.max(newest ?? at, at);
    oldest = Math.min(oldest ?? at, at);
  };
  return {
    /** How many were read. */
    get count() {
      return known.length;
    },
    /** `created_at` of the newest and the oldest, Unix seconds. */
    get newest() {
      return newest;
    },
    get oldest() {
      return oldest;
    },
    /** The id of the last order. */
    get last() {
      return known.at(-1)?.id;
    },
    /** Whether an order was on a page. */
    has: (id: string) => ids.has(id),
    /** Takes in the orders of a page. */
    add(records: readonly WireRecord[]) {
      twins.add(records.map(({ value }) => value));
      records.forEach(add);
      // The twin of an order may be on the page before.
      for (const one of known.slice(-2 * records.length)) one.twin ??= twins.of({ id: one.id });
    },
    /** Takes in orders that were found elsewhere in the list, each with the order before it. They come after all others. */
    addFound(orders: readonly ReadAgain[]) {
      twins.add(orders.map(({ record }) => record.value));
      for (const { record, neighbour } of orders) {
        const one = keep(parts, record, neighbour);
        if (one === undefined) continue;
        one.twin = twins.of({ id: one.id });
        found.set(one.id, one);
      }
    },
    /** Shows all of them to somebody who looks for a buyer. */
    lookAt(buyers: Pick<NearBuyers, 'see'>) {
      for (const { id, fields } of [...known, ...found.values()]) {
        const own = (label: string) => fields.find((field) => field.label === label)?.value;
        buyers.see(id, { name: own('name'), email: own('email'), amount: own('amount') });
      }
    },
    /** The newest order that is not of the kind that can be chosen. */
    unfit: () => known.find(({ fits }) => !fits),
    matches(words: string): Matches<T> {
      if (matched.words !== words) matched = { words, seen: 0, fitting: [], others: [] };
      const find = finderOf(words);
      for (const one of known.slice(matched.seen)) {
        if (find !== undefined && find(one.fields) === undefined) continue;
        if (one.fits) matched.fitting.push(one);
        else if (find !== undefined) matched.others.push(one);
      }
      matched.seen = known.length;
      if (find === undefined || found.size === 0) return matched;
      const more = [...found.values()].filter(({ id, fields }) => !ids.has(id) && find(fields) !== undefined);
      return {
        fitting: [...matched.fitting, ...more.filter(({ fits }) => fits)],
        others: [...matched.others, ...more.filter(({ fits }) => !fits)],
      };
    },
  };
}

/** The order that a record shows; undefined if it has no id. */
export function keep<T>(
  { fits, isBlocked, show, amounts }: Omit<KeptParts<T>, 'beforeKept'>,
  record: WireRecord,
  neighbour: string | undefined,
): Kept<T> | undefined {
  const id = idOf(record);
  if (id === undefined) return undefined;
  const { value } = record;
  const shown = show(value);
  return {
    id,
    neighbour,
    shown,
    fits: fits(value),
    isBlocked: isBlocked(shown),
    fields: searchable(value, amounts),
    twin: undefined,
  };
}

/** Where the words are in an order; nothing without words. */
export function foundIn({ fields }: Pick<KeptOrder<unknown>, 'fields'>, words: string): readonly Match[] {
  return finderOf(words)?.(fields) ?? [];
}

function finderOf(words: string): ReturnType<typeof createSearch> | undefined {
  // A lone accent is nothing to look for.
  return fold(words).trim() === '' ? undefined : createSearch([words]);
}
