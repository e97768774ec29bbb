/** `orders find` with an index: shows what was found, and says what is certain and what is not. */

import type { Service } from '../../../api/api.ts';
import { secondsOf } from '../../../api/spec.ts';
import type { Context } from '../../../context/context.ts';
import { counted } from '../../../counted.ts';
import { CliError, withParts } from '../../../errors.ts';
import type { IndexStatus, OrderIndex } from '../../../index/index.ts';
import { accountSpan, commandLine, indexFields, type Profile } from '../../../profiles/profiles.ts';
import { findInIndex, type IndexFound } from './find-in-index.ts';
import {
  askedFor,
  command,
  type FoundList,
  openList,
  otherMeanings,
  type Search,
  sumLines,
} from './find-search.ts';
import { fold } from './fold-text.ts';
import { buyerNamesIn, wantedOrders } from './indexed-text.ts';

/**
 * Searches with the index. Returns false if there is none, or if it does not know the order to begin after: then nothing was
 * searched. Throws CliError 'refused' if it does not open, and says how to search without it.
 */
export async function searchedIndex(
  ctx: Context,
  service: Service,
  search: Search,
  customer: string | undefined,
): Promise<boolean> {
  const { isLive, profile, paging, filters } = search;
  if (isLive) return false;
  try {
    const index = await ctx.index.open(profile);
    if (index === undefined) return false;
    if (paging.next !== undefined && index.placeOf(paging.next) === undefined) return false;
    await findIndexed(ctx, service, index, search, customer);
    return true;
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'refused') throw error;
    const now = ['search without it:', command({ ...search, isLive: true }, { filters })];
    throw withParts(error, { now: [...now, ...(error.parts.now ?? [])] });
  }
}

// Shows what was found, and says what is certain. Throws CliError if nothing was found.
async function findIndexed(
  ctx: Context,
  service: Service,
  index: OrderIndex,
  search: Search,
  customer: string | undefined,
): Promise<void> {
  const { observer, texts, profile, found } = search;
  const wanted = wantedOrders(texts, profile.settings);
  const list = await openList(ctx, service, search);
  const result = await findInIndex(ctx, service, index, {
    wanted: { ...wanted, groups: [...wanted.groups, ...customerNeedles(customer)] },
    found,
    after: search.paging.next,
    max: search.max,
    onRead: (records) => observer.twins.add(records.map(({ value }) => value)),
    show: (records) => list.show(records),
    isFull: () => list.fullAt !== undefined,
  });
  const stoppedAt = list.fullAt ?? result.stoppedAt;
  if (list.found === 0)
    await index.scan({
      groups: [],
      accepts(text, id) {
        search.near?.see(id, buyerNamesIn(text));
        return false;
      },
    });
  await list.end(stoppedAt !== undefined);
  for (const line of await observer.closingLines()) ctx.notes.note(line);
  sayFound(ctx, search, { ...result, found: list.found, stoppedAt }, list);
}

// An e-mail or an id that must be in the order.
function customerNeedles(customer: string | undefined): readonly (readonly string[])[] {
  return customer === undefined ? [] : [[fold(customer)]];
}

// The width of `certain: `.
const hang = 9;

// Says what was found, what is certain, and what is not. Throws CliError if nothing was found.
function sayFound(ctx: Context, search: Search, result: IndexFound, list: FoundList): void {
  const { profile, filters } = search;
  const { found, status, headAt, requests, tookMs, stoppedAt } = result;
  const doubts = doubtsOf(ctx, status, profile, result);
  const live = command({ ...search, isLive: true }, { filters });
  if (found === 0) throw notInIndex(ctx, search, result, live);
  const cost = `${counted(requests, 'request')}, ${(tookMs / 1000).toFixed(1)} s`;
  ctx.notes.note([`${found} found, `, accountSpan(profile), `; all read just now (${cost})`]);
  for (const line of sumLines(search)) ctx.notes.note(line);
  const hint = list.amountHint();
  if (hint !== undefined) ctx.notes.note(hint);
  if (stoppedAt !== undefined)
    ctx.notes.note(`older orders: ${command(search, { filters, next: stoppedAt })}`);
  else if (doubts.length === 0) ctx.notes.note(`certain: ${certainWords(ctx, status, headAt)}`, hang);
  else {
    for (const { why, command: fix } of doubts)
      ctx.notes.note(`there may be others: ${why}${fix === undefined ? '' : `: ${fix}`}`);
    ctx.notes.note(`page by page: ${live}`);
  }
}

// The error if nothing was found: exit 5 if that is certain, else 9.
function notInIndex(ctx: Context, search: Search, result: IndexFound, live: string): CliError {
  const { profile } = search;
  const { status, headAt } = result;
  const doubts = doubtsOf(ctx, status, profile, result);
  const between =
    status.oldest === undefined ? '' : `, ${ctx.days.between(status.oldest, secondsOf(headAt))}`;
  const otherwise = [...otherMeanings(search), "ask for the e-mail or the shop's own number"];
  const message = `${askedFor(search)} in ${counted(status.orders, 'order')}${between}`;
  if (doubts.length === 0)
    return new CliError('not_found', message, {
      opening: 'no match for',
      certain: certainWords(ctx, status, headAt),
      now: [...otherwise, 'or search page by page:', live],
    });
  return new CliError('incomplete', message, {
    opening: 'no match for',
    certain: `the index has no match, but there may be one: ${doubts.map(({ why }) => why).join('; ')}`,
    now: [
      ...otherwise,
      ...new Set(doubts.flatMap(({ command: fix }) => fix ?? [])),
      'or search page by page:',
      live,
    ],
  });
}

/** Why it is not certain that no other order has the words: a sentence, and what helps. */
interface Doubt {
  readonly why: string;
  readonly command?: string;
}

/** Every reason for doubt. If there is none, the sentence of `certainWords` is true. */
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
      : { why: 'this list is not newest first, so a new order may be anywhere in it' },
    inserted > 0
      ? {
          why: `${counted(inserted, 'order')} appeared between older ones in this list, so a new one may be anywhere in it`,
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
function certainWords(ctx: Pick<Context, 'days' | 'clock'>, status: IndexStatus, headAt: number): string {
  const made = ctx.days.show(secondsOf(headAt), 'day');
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
