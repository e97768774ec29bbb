/** Watches a walk through orders: finds possible twins, and ends the walk at --since. */

import type { Page, Service, WireRecord } from '../../api/api.ts';
import { idOf, type JsonObject } from '../../api/json-values.ts';
import { isTime } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { orElse } from '../../errors.ts';
import {
  backWord,
  isNear,
  isSettledPair,
  type KnownTwin,
  knownTwins,
  mayGoBack,
  purchaseOf,
  type Twin,
  twinOf,
  twinSpan,
} from '../../orders/orders.ts';
import { commandLine } from '../../profiles/profiles.ts';
import type { WalkObserver } from '../listing.ts';
import type { OrderFilters } from './order-filters.ts';

// After a walk longer than this, a hint says how the setting orders.order makes it shorter.
const longWalk = 500;

/** Oldest and newest `created_at` of orders, Unix seconds. */
interface TimeSpread {
  readonly first: number;
  readonly last: number;
}

export interface OrderObserver extends WalkObserver {
  readonly twins: ReturnType<typeof createTwins>;
  readonly read: number;
  readonly days: TimeSpread | undefined;
  /** The id of the last order that was read. If --since ended the walk, it is the last order that is new enough. */
  readonly last: string | undefined;
}

export function observeOrders(
  ctx: Context,
  service: Service,
  { filters, range, leftOut, checkStatuses }: OrderFilters,
): OrderObserver {
  const { profile } = service;
  const promised = profile.settings['orders.order'] === 'newest-first';
  const twins = createTwins();
  const pairs = namePairs(twins);
  const dates = stopAtDate(promised, range.since);
  let read = 0;
  let days: TimeSpread | undefined;
  let last: string | undefined;
  return {
    columns: [
      { name: 'twin', title: 'TWIN', kind: 'id', derived: true, value: (order) => twins.of(order)?.id },
    ],
    twins,
    readsLongPages: filters.some(({ passesFew }) => passesFew),
    onPage({ records }: Page) {
      twins.add(records.map(({ value }) => value));
      dates.add(records);
      const warning = dates.warning();
      if (warning !== undefined) ctx.notes.warn(warning);
      read += records.length;
      days = records.reduce(widened, days);
      last = idOf(records.at(-1)) ?? last;
    },
    onShown: (records) => pairs.add(records.map(({ value }) => value)),
    isDone: () => dates.reached,
    linesAbout(records) {
      const own = namePairs(twins);
      own.add(records.map(({ value }) => value));
      return own.words();
    },
    async closingLines() {
      checkStatuses();
      const twinsKnown = await knownTwins(ctx, service, pairs.named.flat()).catch(orElse(() => []));
      const known = new Map(twinsKnown.map((twin) => [twin.id, twin]));
      return [
        ...pairs.words((twin) => known.get(twin.id) ?? twin),
        ...leftOut(),
        ...(range.since !== undefined && !promised && read > longWalk && profile.kind === 'stored'
          ? [
              `all ${read} orders were read; if this account lists its newest orders first, --since is faster with: ${commandLine(profile, 'profile', 'set', profile.name, 'orders.order', 'newest-first')}`,
            ]
          : []),
      ];
    },
    get read() {
      return read;
    },
    get days() {
      return days;
    },
    get last() {
      return dates.reached ? dates.last : last;
    },
  };
}

function widened(
  days: TimeSpread | undefined,
  { value: { created_at: at } }: WireRecord,
): TimeSpread | undefined {
  if (!isTime(at)) return days;
  return { first: Math.min(days?.first ?? at, at), last: Math.max(days?.last ?? at, at) };
}

/** Two orders that contradict "newest first": the later one in the list is newer. */
interface Contradiction {
  readonly earlier: string;
  readonly later: string;
}

/**
 * What a resumed walk must know about the earlier pages: their last order, and whether the list contradicted "newest first".
 */
export interface DateState {
  readonly before: { readonly id: string; readonly createdAt: number } | undefined;
  readonly contradicted: boolean;
}

/**
 * Decides when a walk can end because all later orders are too old. `promised`: the profile says that lists are newest first. `since`: Unix milliseconds; without
 * it no date ends the walk.
 */
export function stopAtDate(promised: boolean, since: number | undefined, from?: DateState) {
  let before = from?.before;
  const contradicted = from?.contradicted === true;
  let contradiction: Contradiction | undefined;
  let warned = false;
  let tooOld = false;
  let pages = 0;
  let last: string | undefined;
  const look = (record: WireRecord): void => {
    const { created_at: createdAt } = record.value;
    const id = idOf(record);
    if (typeof createdAt !== 'number' || id === undefined) return;
    if (before !== undefined && createdAt > before.createdAt)
      contradiction ??= { earlier: before.id, later: id };
    before = { id, createdAt };
    tooOld ||= since !== undefined && createdAt * 1000 < since;
    if (!tooOld) last = id;
  };
  return {
    /** Looks at a page as it was read. */
    add(records: readonly WireRecord[]) {
      if (records.length > 0) pages += 1;
      // After one contradiction, dates no longer prove anything.
      if (promised && contradiction === undefined && !contradicted)
        for (const record of records) look(record);
    },
    /** Whether every order that follows is too old. */
    get reached() {
      // If nothing on the first page is new enough, orders.order may be wrong. The next page shows whether it is.
      const isTried = last !== undefined || pages > 1 || from?.before !== undefined;
      return promised && tooOld && isTried && contradiction === undefined && !contradicted;
    },
    /** A warning that the list is not newest first. It comes once, and only when a date could have ended the walk. */
    warning() {
      if (contradiction === undefined || since === undefined || warned) return undefined;
      warned = true;
      const { earlier, later } = contradiction;
      return `the list is not newest first, although orders.order says so: ${later} is newer than ${earlier} before it; reading on`;
    },
    /** The id of the last order that is new enough. */
    get last() {
      return last;
    },
    get state() {
      return { before, contradicted: contradicted || contradiction !== undefined };
    },
  };
}

// Twins are near each other in a list, so older orders are forgotten and memory stays small.
const remembered = 1_000;

/** The twins among the orders that were read. */
export function createTwins() {
  const seen = recently<readonly Twin[]>();
  const twins = recently<Twin>();
  return {
    add(orders: readonly JsonObject[]) {
      for (const order of orders) {
        const own = twinOf(order);
        const bought = purchaseOf(order);
        // An order without a payment is not a twin: somebody tried again, and paid once.
        if (own === undefined || bought === undefined || !own.isPaid) continue;
        const { id, createdAt } = own;
        const others = (seen.get(bought) ?? []).filter((one) => one.id !== id);
        const other = others.find((one) => isNear(one.createdAt, createdAt));
        if (other !== undefined) {
          twins.set(id, other);
          if (twins.get(other.id) === undefined) twins.set(other.id, own);
        }
        // Some buyers buy the same thing all day; the newest few are enough.
        seen.set(bought, [...others, own].slice(-8));
      }
    },
    /** An order that may be this one's twin, and whether it was refunded when it was read; undefined when none was read. */
    of: ({ id }: JsonObject) => (typeof id === 'string' ? twins.get(id) : undefined),
  };
}

// A map that keeps the newest entries. When `young` is full it becomes `old`, and the previous `old` is dropped.
function recently<T>() {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  return {
    get: (key: string) => young.get(key) ?? old.get(key),
    set(key: string, value: T) {
      if (young.size >= remembered && !young.has(key)) [old, young] = [young, new Map()];
      young.set(key, value);
    },
  };
}

// Somebody with the buyer on the phone must see whether one of the two orders, or both, were already refunded.
function pairWords(both: readonly KnownTwin[]): string {
  const isBoth = both.every((twin) => backWord(twin) === 'refunded');
  const names = both.map((twin) => {
    const words = isBoth ? [] : becameOf(twin);
    return `${twin.id}${words.length === 0 ? '' : ` (${words.join(', ')})`}`;
  });
  const pair = names.join(' and ');
  if (isBoth) return `twins, both already refunded: ${pair}`;
  return isSettledPair(both)
    ? `twins, settled: ${pair}`
    : `possible twins, same buyer and amount within ${twinSpan}: ${pair}`;
}

function becameOf(twin: KnownTwin): readonly string[] {
  const back = backWord(twin);
  return [
    ...(back === undefined ? [] : [`already ${back}`]),
    ...((twin.byHand ?? []).length === 0 ? [] : ['recorded as refunded']),
    ...(mayGoBack(twin) && !twin.isBack ? ['a refund may go through'] : []),
  ];
}

// Each pair is found twice, once from each order. Recent pairs are remembered, so that each one counts once.
const rememberedPairs = 64;
const namedPairs = 5;

/** Collects the pairs of twins among the shown orders, and names them at the end. */
export function namePairs(twins: Pick<ReturnType<typeof createTwins>, 'of'>) {
  const recent: string[] = [];
  const named: (readonly Twin[])[] = [];
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
    if (named.length < namedPairs) named.push(both);
  };
  return {
    add: (orders: readonly JsonObject[]) => orders.forEach(add),
    named,
    /** `known`: a twin with what the journal knows about it. */
    words: (known = (twin: Twin): KnownTwin => twin) => [
      ...named.map((both) => pairWords(both.map(known))),
      ...(count > named.length
        ? [
            `${counted(count - named.length, 'more pair')} of twins: --columns id,created_at,amount,twin shows them`,
          ]
        : []),
    ],
  };
}
