/** What looks on while orders are walked: possible twins, a date that ends the walk, and what was left out. */

import type { Page, WireRecord } from '../../api/api.ts';
import { idOf } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { commandLine } from '../../profiles/profiles.ts';
import type { Context } from '../command.ts';
import type { WalkObserver } from '../listing.ts';
import type { OrderFilters } from './order-filters.ts';
import { createTwins, type Twins, twinPairs } from './order-twins.ts';

// A walk that a promised order would have cut short is worth a hint when it was this long.
const longWalk = 500;

/** Oldest and newest `created_at` of orders, Unix seconds. */
interface TimeSpread {
  readonly first: number;
  readonly last: number;
}

/** An observer over orders, and what it saw. */
export interface OrderObserver extends WalkObserver {
  readonly twins: Pick<Twins, 'of'>;
  /** Orders read so far. */
  readonly read: number;
  /** When those orders were created. */
  readonly days: TimeSpread | undefined;
  /** The id of the last order read; where a date ended the walk, of the last one before that date. */
  readonly last: string | undefined;
}

/** Looks on for one run. */
export function observeOrders(
  ctx: Context,
  profile: Profile,
  { filters, range, left }: OrderFilters,
): OrderObserver {
  const promised = profile.settings['orders.order'] === 'newest-first';
  const twins = createTwins();
  const pairs = twinPairs(twins);
  const dates = stopAtDate(promised, range.since);
  let read = 0;
  let days: TimeSpread | undefined;
  let last: string | undefined;
  return {
    columns: [{ name: 'twin', title: 'TWIN', kind: 'id', derived: true, value: (order) => twins.of(order) }],
    twins,
    wide: filters.some(({ few }) => few),
    see({ records }: Page) {
      twins.see(records.map(({ value }) => value));
      dates.see(records);
      const surprise = dates.surprise();
      if (surprise !== undefined) ctx.notes.warn(surprise);
      read += records.length;
      days = records.reduce(widened, days);
      last = idOf(records.at(-1)) ?? last;
    },
    shown: (records) => pairs.add(records.map(({ value }) => value)),
    over: () => dates.reached,
    closing: () => [
      ...pairs.words(),
      ...left(),
      ...(range.since !== undefined && !promised && read > longWalk && profile.kind === 'stored'
        ? [
            `all ${read} orders were read; where lists are newest first, this ends such a walk at --since: ${commandLine(profile, 'profile', 'set', profile.name, 'orders.order', 'newest-first')}`,
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
  if (typeof at !== 'number') return days;
  return { first: Math.min(days?.first ?? at, at), last: Math.max(days?.last ?? at, at) };
}

/** Two orders that stand the wrong way round: the later one is the newer one. */
interface Contradiction {
  readonly earlier: string;
  readonly later: string;
}

/** What a walk that goes on has to know of the pages before: the last order, and whether they kept the promise. */
export interface DateState {
  readonly before: { readonly id: string; readonly createdAt: number } | undefined;
  readonly contradicted: boolean;
}

/** What is known of the end of a walk, page by page. */
interface DateStop {
  /** Looks at a page as it was read. */
  see(records: readonly WireRecord[]): void;
  /** Whether no order that is new enough can follow. */
  readonly reached: boolean;
  /** What there is to say of a page that contradicts the promise, once; nothing where no date would have ended the walk. */
  surprise(): string | undefined;
  /** The last order before the first one that is too old. */
  readonly last: string | undefined;
  readonly state: DateState;
}

/** `promised`: the profile says `newest-first`; `since`: Unix milliseconds, undefined where no date ends the walk. */
export function stopAtDate(promised: boolean, since: number | undefined, from?: DateState): DateStop {
  let before = from?.before;
  const contradicted = from?.contradicted === true;
  let contradiction: Contradiction | undefined;
  let said = false;
  let tooOld = false;
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
    see(records) {
      // Pages after the contradiction cannot add to it.
      if (promised && contradiction === undefined && !contradicted)
        for (const record of records) look(record);
    },
    get reached() {
      return promised && tooOld && contradiction === undefined && !contradicted;
    },
    surprise() {
      if (contradiction === undefined || since === undefined || said) return undefined;
      said = true;
      const { earlier, later } = contradiction;
      return `the list is not newest first, although orders.order says so: ${later} is newer than ${earlier} before it; walking on`;
    },
    get last() {
      return last;
    },
    get state() {
      return { before, contradicted: contradicted || contradiction !== undefined };
    },
  };
}
