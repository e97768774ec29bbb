/** `orders find`: searches orders for words and shows the matches page by page, up to --max orders. */

import { longPages, type Page, type Service, type WireRecord } from '../../api/api.ts';
import { type Column, orderColumns, resources } from '../../api/resources.ts';
import type { JsonObject } from '../../api/spec.ts';
import { isRefunded } from '../../changes/changes.ts';
import { CliError, withParts } from '../../errors.ts';
import type { OrderIndex } from '../../index/index.ts';
import { accountLabel, accountSpan, commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Cell } from '../../terminal/terminal.ts';
import { type Context, defineCommand } from '../command.ts';
import { flag, usage } from '../flags.ts';
import { type Filter, joinColumns } from '../listing.ts';
import { brokeOff } from '../walk.ts';
import { feedIndex } from './feed-index.ts';
import { findInIndex, type IndexFound } from './find-in-index.ts';
import { fold } from './fold-text.ts';
import { certainWords, count, doubtsOf } from './index-words.ts';
import { fieldsOfText } from './indexed-text.ts';
import { statusColumn } from './open-status.ts';
import { filterFlags, orderFilters } from './order-filters.ts';
import {
  amountHint,
  createMatcher,
  createSearch,
  type Match,
  type Matcher,
  needlesOf,
} from './order-matching.ts';
import { type OrderObserver, observeOrders } from './order-observer.ts';

const defaultMax = 5_000;

export const find = defineCommand({
  description: [
    'Looks through id, email, phone, names, last4, reference, amount, auth code and metadata of each order, and shows matches as the pages come. Every word must be there; capitals and accents do not matter.',
    'Four characters of an id are enough, but four digits must be its end: they are mostly the last digits of a card. Type auth codes and amounts in full: 16000, or 160.00 where the profile declares decimals.',
    'The search stops after --max orders and prints the command that goes on with older ones.',
    'With an index (paydesk index build) all orders are searched at once, and what is found is read again before it is shown; --live searches without it.',
  ].join(' '),
  arguments: [
    {
      name: 'text',
      summary: 'words to look for; put quotes around a name or phone number to keep its words together',
      required: false,
      variadic: true,
      parse: (text: string): string => text,
    },
  ],
  flags: {
    ...filterFlags,
    max: flag.integer(1, Number.MAX_SAFE_INTEGER, {
      value: 'N',
      summary: 'read at most this many orders',
      defaultText: String(defaultMax),
    }),
    next: flag.id('orders', { value: 'ID', summary: 'start the search after this order' }),
    limit: flag.integer(1, 1000, { value: 'N', summary: 'orders per page' }),
    live: flag.switch({ summary: 'search page by page, without the index of this machine' }),
  },
  examples: [
    'paydesk -p demo orders find 4242 torres',
    'paydesk -p demo orders find buyer1@example.com --refundable',
    'paydesk -p demo orders find A-99998 --json --no-input',
  ],
  exits: [0, 1, 2, 3, 4, 5, 6, 9],
  async run(ctx, { args: [words], flags }) {
    const texts = words ?? [];
    if (texts.length === 0 && flags.customer === undefined)
      throw usage('missing TEXT: say what to look for, or whose orders with --customer');
    const matchesOf = createMatcher(texts);
    const service = await ctx.service();
    const { settings } = service.profile;
    const matcher: Matcher = (order) => matchesOf(order, settings);
    const asked = orderFilters(ctx, flags, service.profile);
    const { filters } = asked;
    const search: Search = {
      isLive: flags.live === true,
      profile: service.profile,
      texts,
      filters,
      max: flags.max ?? defaultMax,
      paging: flags,
      observer: observeOrders(ctx, service.profile, asked),
      outputWords: ctx.options.outputWords,
    };
    const accepts = ({ value }: WireRecord): boolean =>
      filters.every((filter) => filter.accepts(value)) && matcher(value) !== undefined;
    const index = flags.live === true ? undefined : await openIndex(ctx, search);
    const isPlaced = search.paging.next === undefined || index?.placeOf(search.paging.next) !== undefined;
    if (index !== undefined && isPlaced) {
      const groups = [...needlesOf(texts), ...customerNeedles(flags.customer)];
      return await searchIndex(ctx, service, index, { ...search, matcher, accepts, groups });
    }
    const { found, ending } = await searchPages(ctx, service, search, matcher, accepts);
    const { observer } = search;
    for (const line of observer.closingLines()) ctx.notes.note(line);
    if (found === 0) throw noMatch(ctx, search, ending);
    for (const line of foundLines(ctx, search, found, ending)) ctx.notes.note(line);
    return undefined;
  },
});

// A person with a buyer on the phone is not stopped by an index that does not open: the error says how to search without it.
async function openIndex(ctx: Context, search: Search): Promise<OrderIndex | undefined> {
  try {
    return await ctx.index.open(search.profile);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const now = ['search without it:', command({ ...search, isLive: true }, { filters: search.filters })];
    throw withParts(error, { now: [...now, ...(error.parts.now ?? [])] });
  }
}

// An e-mail or an id that must be in the order.
function customerNeedles(customer: string | undefined): readonly (readonly string[])[] {
  return customer === undefined ? [] : [[fold(customer)]];
}

interface InIndex extends Search {
  readonly matcher: Matcher;
  readonly accepts: (record: WireRecord) => boolean;
  readonly groups: readonly (readonly string[])[];
}

async function searchIndex(
  ctx: Context,
  service: Service,
  index: OrderIndex,
  search: InIndex,
): Promise<undefined> {
  const { observer, texts, profile, matcher, accepts, groups } = search;
  const find = createSearch(texts);
  const columns = columnsOf(ctx, matcher, observer, await statusColumn(ctx, service));
  const sink = ctx.out.list(columns, { pages: 'many' });
  const result = await findInIndex(ctx, service, index, {
    wanted: {
      groups,
      accepts: (text, id) => text !== '' && find(fieldsOfText(text, id, profile.settings)) !== undefined,
    },
    accepts,
    after: search.paging.next,
    max: search.max,
    onRead: (records) => observer.twins.add(records.map(({ value }) => value)),
    async show(records) {
      await sink.page(records);
      observer.onShown(records);
    },
  });
  await sink.end(result.stoppedAt !== undefined);
  for (const line of observer.closingLines()) ctx.notes.note(line);
  sayFound(ctx, search, result);
  return undefined;
}

/** What to search for, and how far. */
interface Search {
  readonly isLive: boolean;
  readonly profile: Profile;
  readonly texts: readonly string[];
  readonly filters: readonly Filter[];
  /** Orders to read at most. */
  readonly max: number;
  readonly paging: {
    readonly max?: number | undefined;
    readonly limit?: number | undefined;
    readonly next?: string | undefined;
  };
  readonly observer: OrderObserver;
  /** The typed output options. */
  readonly outputWords: readonly string[];
}

/** Why the search ended: no more orders, `--max` was reached, the rest is too old, or the one order of an id was found. */
type Ending = 'end' | 'bound' | 'date' | 'found';

interface SearchResult {
  readonly found: number;
  readonly ending: Ending;
}

async function searchPages(
  ctx: Context,
  service: Service,
  search: Search,
  matcher: Matcher,
  accepts: (record: WireRecord) => boolean,
): Promise<SearchResult> {
  const { observer, max, paging } = search;
  const columns = columnsOf(ctx, matcher, observer, await statusColumn(ctx, service));
  const sink = ctx.out.list(columns, { pages: 'many' });
  let found = 0;
  const endProgress = ctx.notes.progress(() =>
    observer.read === 0 ? '' : `${observer.read} orders read${daysWords(ctx, observer)}, ${found} found`,
  );
  let ending: Ending = 'end';
  const feed = feedIndex(ctx, service, paging.next);
  try {
    const query = { next: paging.next, limit: paging.limit ?? (max < 250 ? max : undefined) };
    for await (const page of longPages(service, 'orders', query)) {
      const part = upTo(page, max - observer.read);
      observer.onPage(part);
      const hits = part.records.filter(accepts);
      feed.page(part);
      if (hits.length > 0) await sink.page(hits);
      observer.onShown(hits);
      found += hits.length;
      ending = endingAfter(search, part, hits);
      if (ending !== 'end') break;
    }
  } catch (error) {
    if (observer.read === 0 || !(error instanceof CliError) || !brokeOff(error)) throw error;
    await sink.end(true);
    throw brokenOff(error, search, found);
  } finally {
    endProgress();
    await feed.end();
  }
  await sink.end(ending === 'bound');
  return { found, ending };
}

// Says what was found, what is certain, and what is not. Throws CliError if nothing was found.
function sayFound(ctx: Context, search: Search, result: IndexFound): void {
  const { profile, filters, texts } = search;
  const { found, status, headAt, requests, tookMs, stoppedAt } = result;
  const doubts = doubtsOf(ctx, status, profile, result);
  const live = command({ ...search, isLive: true }, { filters });
  if (found === 0) throw notInIndex(ctx, search, result, live);
  const cost = `${count(requests, 'request')}, ${(tookMs / 1000).toFixed(1)} s`;
  ctx.notes.note([`${found} found, `, accountSpan(profile), `; all read just now (${cost})`]);
  if (stoppedAt !== undefined)
    ctx.notes.note(`older orders: ${command(search, { filters, next: stoppedAt })}`);
  else if (doubts.length === 0) ctx.notes.note(`certain: ${certainWords(ctx, status, headAt)}`);
  else {
    for (const { why, command: fix } of doubts)
      ctx.notes.note(`not certain that there are no others: ${why}${fix === undefined ? '' : `: ${fix}`}`);
    ctx.notes.note(`page by page: ${live}`);
  }
  if (texts.length > 1 && stoppedAt !== undefined) ctx.notes.note(together(texts)[0] ?? '');
}

// Exit 5 if nothing speaks against it, else 9.
function notInIndex(ctx: Context, search: Search, result: IndexFound, live: string): CliError {
  const { texts, filters, profile } = search;
  const { status, headAt } = result;
  const doubts = doubtsOf(ctx, status, profile, result);
  const filterWords = filters.flatMap(({ words }) => words).join(' ');
  const what = [
    ...(texts.length === 0 ? [] : [`"${texts.join(' ')}"`]),
    ...(filterWords === '' ? [] : [filterWords]),
  ].join(' with ');
  const between =
    status.oldest === undefined ? '' : `, ${ctx.days.between(status.oldest, Math.floor(headAt / 1000))}`;
  const hint = amountHint(texts, profile.settings);
  const otherwise = [
    ...(hint === undefined ? [] : [hint]),
    ...together(texts),
    "ask for the e-mail or the shop's order number",
  ];
  const message = `${what} in ${count(status.orders, 'order')}${between}`;
  if (doubts.length === 0)
    return new CliError('not_found', message, {
      opening: 'no match for',
      certain: certainWords(ctx, status, headAt),
      now: [...otherwise, 'or search page by page:', live],
    });
  return new CliError('incomplete', message, {
    opening: 'no match for',
    certain: `not that there is none: ${doubts.map(({ why }) => why).join('; ')}`,
    now: [
      ...otherwise,
      ...new Set(doubts.flatMap(({ command: fix }) => fix ?? [])),
      'or search page by page:',
      live,
    ],
  });
}

// Cuts a page down to `most` records.
function upTo(page: Page, most: number): Page {
  return {
    ...page,
    records: page.records.slice(0, most),
    hasMore: page.hasMore || page.records.length > most,
  };
}

function endingAfter({ texts, max, observer }: Search, page: Page, hits: readonly WireRecord[]): Ending {
  const [text, second] = texts;
  // Only one order can have this complete id, so the search can end.
  const isId = second === undefined && text !== undefined && resources.orders.idPattern.test(text.trim());
  if (isId && hits.some(({ value }) => value.id === text.trim())) return 'found';
  if (observer.isDone()) return 'date';
  return page.hasMore && observer.read >= max ? 'bound' : 'end';
}

// The MATCHED column needs room, so two other columns show only on wider screens. In a table it begins with what was found,
// because its end may be cut.
function columnsOf(
  { out }: Context,
  matcher: Matcher,
  { columns, twins }: OrderObserver,
  status: readonly Column[],
): readonly Column[] {
  const told = (order: JsonObject, write: (match: Match) => string): string => {
    const words = (matcher(order) ?? []).map(write);
    const twin = twins.of(order);
    const twinWords = twin === undefined ? [] : [isRefunded(twin) ? 'twin refunded' : 'twin'];
    return [...twinWords, ...words].join(', ');
  };
  const matched: Column = {
    name: 'matched',
    title: 'MATCHED',
    kind: 'text',
    tableFrom: 0,
    value: (order) =>
      told(order, ({ label, value }) =>
        out.format === 'table'
          ? `${shortened(value)} (${shortened(label)})`
          : `${shortened(label)} ${shortened(value)}`,
      ),
    brief: { value: (order) => told(order, ({ value }) => shortened(value)) },
  };
  const later = new Map([
    ['refunded', 120],
    ['card', 100],
  ]);
  const own = joinColumns(orderColumns, status).map((column): Column => {
    const tableFrom = later.get(column.name) ?? column.tableFrom;
    return tableFrom === undefined ? column : { ...column, tableFrom };
  });
  return [...own, matched, ...columns];
}

// Metadata may be very long.
function shortened(value: string): string {
  return value.length > 80 ? `${value.slice(0, 79)}…` : value;
}

// Exit 9 if there is more to read, 5 after a complete walk.
function noMatch(ctx: Context, search: Search, ending: Ending): CliError {
  const { texts, filters, paging, profile, observer } = search;
  const filterWords = filters.flatMap(({ words }) => words).join(' ');
  const what = `"${texts.join(' ')}"${filterWords === '' ? '' : ` with ${filterWords}`}`;
  const message = `${what} in ${readWords(ctx, observer)}`;
  const opening = 'no match for';
  const hint = amountHint(texts, profile.settings);
  const otherwise = hint === undefined ? [] : [hint];
  if (ending === 'end') {
    const after = paging.next === undefined ? '' : ` after ${paging.next}`;
    return new CliError('not_found', message, {
      opening,
      certain: `all orders of ${accountLabel(profile)}${after} were searched${hint === undefined ? '' : ' for just this text'}`,
      now: [
        ...otherwise,
        ...together(texts),
        "ask for the e-mail or the shop's order number",
        ...(paging.next === undefined ? [] : ['or search all orders:', command(search, { filters })]),
      ],
    });
  }
  return new CliError('incomplete', message, {
    opening,
    certain:
      ending === 'date'
        ? 'all orders since that time were read; older ones were not'
        : `all ${observer.read} were read; the account has more`,
    now: [
      ...otherwise,
      ...together(texts),
      "ask for the e-mail or the shop's order number, or search older orders:",
      furtherBack(search, ending),
    ],
  });
}

// Somebody may have typed the ids of several orders.
function together(texts: readonly string[]): readonly string[] {
  return texts.length < 2
    ? []
    : ['all words must be in one and the same order; search for several orders one at a time'];
}

function foundLines(ctx: Context, search: Search, found: number, ending: Ending): readonly Cell[] {
  const { observer, profile } = search;
  const head = [`${found} found in ${readWords(ctx, observer)}, `, accountSpan(profile)];
  if (ending === 'end') return [[...head, '. There are no more']];
  if (ending === 'found') return [[...head, '. Only one order has this id']];
  return [head, `older orders: ${furtherBack(search, ending)}`];
}

function brokenOff(error: CliError, search: Search, found: number): CliError {
  const { observer } = search;
  return new CliError('incomplete', error.message, {
    ...error.parts,
    certain: `${observer.read} orders were read and ${found} found; there may be more`,
    now: ['go on from there:', furtherBack(search, 'bound')],
    cause: error,
  });
}

function readWords(ctx: Context, observer: OrderObserver): string {
  const { read } = observer;
  return `${read} ${read === 1 ? 'order' : 'orders'}${daysWords(ctx, observer)}`;
}

function daysWords(ctx: Context, { days }: OrderObserver): string {
  return days === undefined ? '' : `, ${ctx.days.between(days.first, days.last)}`;
}

// Leaves out --since when it ended this search, because it would end the next one at once.
function furtherBack(search: Search, ending: Ending): string {
  const { filters, observer } = search;
  const kept =
    ending === 'date' ? filters.map((filter) => ({ ...filter, words: withoutSince(filter.words) })) : filters;
  return command(search, { filters: kept, next: observer.last ?? search.paging.next });
}

function withoutSince(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--since');
  return at === -1 ? words : words.toSpliced(at, 2);
}

function command(
  { profile, texts, paging, outputWords, isLive }: Search,
  { filters, next }: { readonly filters: readonly Filter[]; readonly next?: string | undefined },
): string {
  const options = [
    ...(isLive ? ['--live'] : []),
    ...filters.flatMap(({ words }) => words),
    ...(paging.max === undefined ? [] : ['--max', String(paging.max)]),
    ...(paging.limit === undefined ? [] : ['--limit', String(paging.limit)]),
    ...outputWords,
    ...(next === undefined ? [] : ['--next', next]),
  ];
  // A text that begins like an option must come after `--`.
  const dashed = texts.some((text) => text.startsWith('-'));
  const words = dashed ? [...options, '--', ...texts] : [...texts, ...options];
  return commandLine(profile, 'orders', 'find', ...words);
}
