/** `orders find`: searches orders for words and shows the matches page by page, up to --max orders. */

import { longPages, type Page, type Service, type WireRecord } from '../../api/api.ts';
import { type Column, orderColumns, resources } from '../../api/resources.ts';
import { type JsonObject, statusMeanings } from '../../api/spec.ts';
import { isRefunded } from '../../changes/changes.ts';
import { CliError } from '../../errors.ts';
import { accountLabel, accountSpan, commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Cell } from '../../terminal/terminal.ts';
import { type Context, defineCommand } from '../command.ts';
import { flag } from '../flags.ts';
import { type Filter, joinColumns } from '../listing.ts';
import { brokeOff } from '../walk.ts';
import { statusColumn } from './open-status.ts';
import { filterFlags, orderFilters } from './order-filters.ts';
import { amountHint, createMatcher, type Match, type Matcher } from './order-matching.ts';
import { type OrderObserver, observeOrders } from './order-observer.ts';

const defaultMax = 5_000;

export const find = defineCommand({
  description: [
    'Looks through id, email, phone, names, last4, reference, amount, auth code and metadata of each order, and shows matches as the pages come. Every word must be there; capitals and accents do not matter.',
    'A status is no text of an order: paydesk orders list --status declined --all lists the orders with that payment_status.',
    'Four characters of an id are enough, but four digits must be its end: they are mostly the last digits of a card. Type auth codes and amounts in full: 16000, or 160.00 where the profile declares decimals.',
    'The search stops after --max orders and prints the command that goes on with older ones.',
  ].join(' '),
  arguments: [
    {
      name: 'text',
      summary: 'words to look for; put quotes around a name or phone number to keep its words together',
      required: true,
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
  },
  examples: [
    'paydesk -p demo orders find 4242 torres',
    'paydesk -p demo orders find buyer1@example.com --refundable',
    'paydesk -p demo orders find A-99998 --json --no-input',
  ],
  exits: [0, 1, 2, 4, 5, 6, 9],
  async run(ctx, { args: [texts], flags }) {
    const matchesOf = createMatcher(texts);
    const service = await ctx.service();
    const { settings } = service.profile;
    const matcher: Matcher = (order) => matchesOf(order, settings);
    const asked = orderFilters(ctx, flags, service.profile);
    const { filters } = asked;
    const search: Search = {
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
    const { found, ending } = await searchPages(ctx, service, search, matcher, accepts);
    const { observer } = search;
    for (const line of observer.closingLines()) ctx.notes.note(line);
    if (found === 0) throw noMatch(ctx, search, ending);
    for (const line of foundLines(ctx, search, found, ending)) ctx.notes.note(line);
    return undefined;
  },
});

/** What to search for, and how far. */
interface Search {
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
  const status = await statusColumn(ctx, service);
  const columns = columnsOf(ctx, matcher, observer, status.columns);
  const sink = ctx.out.list(columns, { pages: 'many' });
  let found = 0;
  const endProgress = ctx.notes.progress(() =>
    observer.read === 0 ? '' : `${observer.read} orders read${daysWords(ctx, observer)}, ${found} found`,
  );
  let ending: Ending = 'end';
  try {
    const query = { next: paging.next, limit: paging.limit ?? (max < 250 ? max : undefined) };
    for await (const page of longPages(service, 'orders', query)) {
      const part = upTo(page, max - observer.read);
      observer.onPage(part);
      const hits = part.records.filter(accepts);
      if (hits.length > 0) {
        await status.lookUp(hits);
        await sink.page(hits);
      }
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
  }
  await sink.end(ending === 'bound');
  return { found, ending };
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
        ...statusHint(profile, texts),
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
      ...statusHint(profile, texts),
      ...together(texts),
      "ask for the e-mail or the shop's order number, or search older orders:",
      furtherBack(search, ending),
    ],
  });
}

// Somebody may look for all orders of a status, which is no text of an order.
function statusHint(profile: Profile, texts: readonly string[]): readonly string[] {
  const status = texts.find((text) => Object.hasOwn(statusMeanings, text.toLowerCase()));
  if (status === undefined) return [];
  const line = commandLine(profile, 'orders', 'list', '--status', status.toLowerCase(), '--all');
  return [`for the orders with this status: ${line}`];
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
  { profile, texts, paging, outputWords }: Search,
  { filters, next }: { readonly filters: readonly Filter[]; readonly next?: string | undefined },
): string {
  const options = [
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
