/** What can be said of a search in the index: what is certain, and what is not. */

import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import type { IndexStatus } from '../../index/index.ts';
import { commandLine, indexFields, type Profile } from '../../profiles/profiles.ts';

/** Why it is not certain that no other order has the words: a sentence, and what helps. */
export interface Doubt {
  readonly why: string;
  readonly command?: string;
}

/** Everything that speaks against certainty; nothing means that the sentence of `certainWords` holds. */
export function doubtsOf(
  ctx: Pick<Context, 'days'>,
  status: IndexStatus,
  profile: Profile,
  { headJoined, unread }: { readonly headJoined: boolean; readonly unread: number },
): readonly Doubt[] {
  const command = (...words: readonly string[]) => commandLine(profile, 'index', ...words);
  const day = (seconds: number) => ctx.days.show(seconds, 'date');
  const { goesOnAfter, gaps, orders, oldest, floor, forgotten, fields, inserted } = status;
  const lacking = orders === 0 ? [] : indexFields.filter((field) => !fields.includes(field));
  const doubts: readonly (Doubt | undefined)[] = [
    goesOnAfter === undefined || status.isComplete
      ? undefined
      : {
          why: `the index knows ${orders} orders${oldest === undefined ? '' : `, back to ${day(oldest)}`}; older ones were not searched`,
          command: command('build', '--resume'),
        },
    headJoined ? undefined : { why: 'not all of the newest orders were read', command: command('refresh') },
    gaps.length > 0
      ? { why: 'between the orders that the index knows, there may be others', command: command('refresh') }
      : undefined,
    status.isNewestFirst
      ? undefined
      : { why: 'this list is not newest first, so a new order may stand anywhere in it' },
    inserted > 0
      ? {
          why: `${counted(inserted, 'order')} appeared between older ones in this list, so a new one may stand anywhere in it`,
        }
      : undefined,
    floor === undefined ? undefined : { why: `orders made before ${day(floor)} are not in the index` },
    forgotten > 0
      ? { why: `${counted(forgotten, 'order')} in the index ${forgotten === 1 ? 'was' : 'were'} forgotten` }
      : undefined,
    lacking.length === 0
      ? undefined
      : { why: `the index does not hold: ${lacking.join(', ')} (index.fields)` },
    unread > 0 ? { why: `${counted(unread, 'order')} could not be read again` } : undefined,
  ];
  return doubts.filter((doubt) => doubt !== undefined);
}

/** What is certain if nothing speaks against it. `headAt`: when the newest page was asked for, Unix milliseconds. */
export function certainWords(
  ctx: Pick<Context, 'days' | 'clock'>,
  status: IndexStatus,
  headAt: number,
): string {
  const made = ctx.days.show(Math.floor(headAt / 1000), 'day');
  return `no other order made before ${made} shows these words, unless it changed after paydesk last read it: ${readWords(ctx, status)}`;
}

/** When the orders were read, by their age: `newest 3 days 09:02, 90 days 06:02, older ones 24 Oct or later`. */
export function readWords(
  { days, clock }: Pick<Context, 'days' | 'clock'>,
  { reads }: Pick<IndexStatus, 'reads'>,
): string {
  const now = Math.floor(clock.now() / 1000);
  return reads
    .map(({ words, readAt }) => {
      if (now - readAt >= longAgo) return `${words} ${days.show(readAt, 'date')} or later`;
      const shown = days.show(readAt, 'day');
      const isToday = days.day(readAt) === days.day(now);
      return `${words} ${isToday ? shown.slice(-clockLength) : shown}`;
    })
    .join(', ');
}

const longAgo = 86_400 * 2;
// `09:02`
const clockLength = 5;
