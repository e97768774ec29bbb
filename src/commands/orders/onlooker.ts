/** What looks on while orders are walked: possible twins, a date that ends the walk, and what was left out. */

import type { Page, WireRecord } from '../../api/api.ts';
import { idOf } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { commandLine } from '../account.ts';
import type { Context } from '../command.ts';
import type { Onlooker } from '../listing.ts';
import { stopAtDate } from './date-stop.ts';
import type { OrderFilters } from './filters.ts';
import { createTwins, type Twins, twinPairs } from './twins.ts';

// A walk that a promised order would have cut short is worth a hint when it was this long.
const longWalk = 500;

/** Oldest and newest `created_at` of orders, Unix seconds. */
interface TimeSpread {
  readonly first: number;
  readonly last: number;
}

/** An onlooker over orders, and what it saw. */
export interface OrderOnlooker extends Onlooker {
  readonly twins: Pick<Twins, 'of'>;
  /** Orders read so far. */
  readonly read: number;
  /** When those orders were created. */
  readonly days: TimeSpread | undefined;
  /** The id of the last order read; where a date ended the walk, of the last one before that date. */
  readonly last: string | undefined;
}

/** Looks on for one run. */
export function orderOnlooker(
  ctx: Context,
  profile: Profile,
  { filters, range, left }: OrderFilters,
): OrderOnlooker {
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
