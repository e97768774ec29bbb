/** Watches a walk through orders: finds possible twins, and ends the walk at --since. */

import type { Page, WireRecord } from '../../api/api.ts';
import { idOf, isTime } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import type { WalkObserver } from '../listing.ts';
import type { OrderFilters } from './order-filters.ts';
import { createTwins, type Twins, twinPairs } from './order-twins.ts';

// After a longer walk a hint says how orders.order makes it shorter.
const longWalk = 500;

/** Oldest and newest `created_at` of orders, Unix seconds. */
interface TimeSpread {
  readonly first: number;
  readonly last: number;
}

export interface OrderObserver extends WalkObserver {
  readonly twins: Twins;
  /** Orders read so far. */
  readonly read: number;
  readonly days: TimeSpread | undefined;
  /** The id of the last order that was read. If --since ended the walk, it is the last order that is new enough. */
  readonly last: string | undefined;
}

export function observeOrders(
  ctx: Context,
  profile: Profile,
  { filters, range, leftOut }: OrderFilters,
): OrderObserver {
  const promised = profile.settings['orders.order'] === 'newest-first';
  const twins = createTwins();
  const pairs = twinPairs(twins);
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
    closingLines: () => [
      ...pairs.words(),
      ...leftOut(),
      ...(range.since !== undefined && !promised && read > longWalk && profile.kind === 'stored'
        ? [
            `all ${read} orders were read; if this account lists its newest orders first, --since is faster with: ${commandLine(profile, 'profile', 'set', profile.name, 'orders.order', 'newest-first')}`,
          ]
        : []),
    ],
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

/** Decides when a walk can end because all later orders are too old. */
interface DateStop {
  /** Looks at a page as it was read. */
  add(records: readonly WireRecord[]): void;
  /** Whether every order that follows is too old. */
  readonly reached: boolean;
  /** A warning that the list is not newest first. It comes once, and only when a date could have ended the walk. */
  warning(): string | undefined;
  /** The id of the last order that is new enough. */
  readonly last: string | undefined;
  readonly state: DateState;
}

/** `promised`: the profile says that lists are newest first. `since`: Unix milliseconds; without it no date ends the walk. */
export function stopAtDate(promised: boolean, since: number | undefined, from?: DateState): DateStop {
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
    add(records) {
      if (records.length > 0) pages += 1;
      // After one contradiction, dates no longer prove anything.
      if (promised && contradiction === undefined && !contradicted)
        for (const record of records) look(record);
    },
    get reached() {
      // If nothing of the first page is new enough, orders.order may be wrong. The next page shows whether it is.
      const isTried = last !== undefined || pages > 1 || from?.before !== undefined;
      return promised && tooOld && isTried && contradiction === undefined && !contradicted;
    },
    warning() {
      if (contradiction === undefined || since === undefined || warned) return undefined;
      warned = true;
      const { earlier, later } = contradiction;
      return `the list is not newest first, although orders.order says so: ${later} is newer than ${earlier} before it; reading on`;
    },
    get last() {
      return last;
    },
    get state() {
      return { before, contradicted: contradicted || contradiction !== undefined };
    },
  };
}
