/** Lets a person pick the order of a change: by searching the newest orders as `orders find` does, in the index if there is one, or by a whole id. */

import type { Page, Service } from '../../../api/api.ts';
import { type JsonObject, orderIdPattern } from '../../../api/spec.ts';
import type { PickedOrder } from '../../../changes/changes.ts';
import type { Context } from '../../../context/context.ts';
import { counted } from '../../../counted.ts';
import { CliError } from '../../../errors.ts';
import { recordId, usage } from '../../../flags/flags.ts';
import { type OrderIndex, type ReadAgain, readHits } from '../../../index/index.ts';
import {
  idByPart,
  type KnownOrder,
  knownOrder,
  maybePartOfId,
  shownOrders,
  stopsRefund,
} from '../../../orders/orders.ts';
import { aboutMoney, commandLine } from '../../../profiles/profiles.ts';
import type { SearchedList } from '../../../terminal/terminal.ts';
import { feedIndex } from '../feed-index.ts';
import { doubtsOf } from './find-indexed.ts';
import { wantedOrders } from './indexed-text.ts';
import type { KeptOrder, KeptParts } from './known-orders.ts';
import { amountHint } from './order-matching.ts';
import { type OrderSearch, searchOrders } from './order-search.ts';
import { type OrderShown, orderRow, type RowParts, rowColumns, rowTitles, shownOf } from './pick-rows.ts';

export interface Pickable {
  /** What messages call them: `refundable`. */
  readonly kind: string;
  readonly accepts: (known: KnownOrder) => boolean;
  /** Why an order is not accepted; absent where its status says it all. */
  readonly whyNot?: (known: KnownOrder) => string | undefined;
  /** The flags of `orders list` that show the same orders. */
  readonly listFlags: readonly string[];
  /** They are only looked at, so an open case stops nobody. */
  readonly isLook?: true;
}

type Search = OrderSearch<OrderShown>;

/**
 * What was typed for an order: its id, or how it is found: by a person, or, where nobody can be asked, by the part of an id that was
 * typed (`isPart`). Throws CliError 'usage' for other words where nobody can be asked.
 */
export function namedOrder(ctx: Context, typed: string | undefined, offer: Pickable) {
  const isPart = typed !== undefined && !ctx.ask.interactive && maybePartOfId(typed);
  const isId = typed !== undefined && !isPart && (orderIdPattern.test(typed) || !ctx.ask.interactive);
  return {
    id: isId ? recordId('orders', typed, 'ID') : undefined,
    isPart,
    pick: async (service: Service): Promise<PickedOrder> =>
      isPart
        ? { id: await idByPart(ctx, service, typed), twin: undefined }
        : await pickOrder(ctx, service, offer, typed),
  };
}

/** Lets a person pick one order of a kind. Pages are read while the person types, and only where that helps. `typed`: the first words. */
async function pickOrder(
  ctx: Context,
  service: Service,
  offer: Pickable,
  typed: string | undefined,
): Promise<PickedOrder> {
  const { profile } = service;
  if (!ctx.ask.interactive)
    throw usage('missing ID: say which order', [commandLine(profile, 'orders', 'list', ...offer.listFlags)]);
  // Of the orders that were read: rows are drawn while a person types.
  const read = new Map<unknown, KnownOrder>();
  const now = await ctx.journal.now();
  const knownOf = (order: JsonObject) => read.get(order.id) ?? knownOrder(order, [], now, profile.mode);
  const index = await openPickIndex(ctx, service);
  const kept: KeptParts<OrderShown> = {
    async beforeKept(records) {
      const orders = records.map(({ value }) => value);
      for (const known of await shownOrders(ctx, service, orders)) read.set(known.order.id, known);
    },
    fits: (order) => offer.accepts(knownOf(order)),
    isBlocked: ({ cases }) => offer.isLook !== true && cases.some(({ is }) => stopsRefund(is)),
    amounts: profile.settings,
    show(order) {
      const known = knownOf(order);
      return shownOf(order, profile, {
        whyNot: offer.whyNot?.(known),
        cases: known.cases,
        first: known.first,
      });
    },
  };
  const search = searchOrders(service, kept, index);
  try {
    await readFirst(ctx, search, offer);
    const message = aboutMoney(profile, 'Which order?');
    const parts = { ctx, profile, kind: offer.kind, now, read };
    const list = { ...searchedList(ctx, search, parts), typed };
    return await ctx.ask.search({ message, flag: 'ID', list });
  } finally {
    search.stop();
  }
}

async function readFirst(ctx: Context, search: Search, { kind }: Pickable): Promise<void> {
  const endProgress = ctx.notes.progress(() => 'reading the newest orders');
  try {
    await search.begin();
  } finally {
    endProgress();
  }
  if (search.known.matches('').fitting.length > 0 || search.state.is !== 'end') return;
  throw new CliError('refused', `there is no ${kind} order`, {
    now: ['paydesk orders list'],
  });
}

function searchedList(ctx: Context, search: Search, parts: RowParts): SearchedList<PickedOrder> {
  const { known } = search;
  const shown = (words: string): readonly KeptOrder<OrderShown>[] => {
    const { fitting, others } = known.matches(words);
    // Below the others, and only when no more of those can come: no row moves while a person looks at it.
    return search.state.is === 'reading' ? fitting : [...fitting, ...others];
  };
  const row = (one: KeptOrder<OrderShown>, words: string) => {
    const { id, twin, neighbour } = one;
    return orderRow(one, { id, twin, neighbour }, words, parts);
  };
  return {
    ...rowColumns,
    titles: rowTitles(ctx.days.offset(known.newest ?? Math.floor(ctx.clock.now() / 1000))),
    count: (words) => shown(words).length,
    row(words, index) {
      const one = shown(words)[index];
      return one === undefined ? undefined : row(one, words);
    },
    want: (words, rows, further) => search.want(words, rows, further),
    looked: (words) => lookedWords(ctx, search, words, parts),
    lookUp: (words) => (search.isId(words) ? lookedUp(search, words.trim(), row) : undefined),
    watch: (listener) => search.watch(listener),
  };
}

async function lookedUp<R>(
  search: Search,
  id: string,
  row: (one: KeptOrder<OrderShown>, words: string) => R,
): Promise<R | string> {
  const found = await search.lookUp(id);
  return typeof found === 'string' ? found : row(found, '');
}

// What was looked through, what it holds besides, and what Enter or going on does.
function lookedWords(ctx: Context, search: Search, words: string, { kind, profile }: RowParts): string {
  const { known, state } = search;
  const { fitting, others } = known.matches(words);
  const back = known.oldest === undefined ? '' : `, back to ${ctx.days.show(known.oldest, 'date')}`;
  const all = `${state.is === 'end' ? 'all' : 'the newest'} ${counted(known.count, 'order')}${back}`;
  const isTyped = words.trim() !== '';
  if (isTyped && fitting.length + others.length === 0 && search.isId(words))
    return `not among ${all}; Enter looks it up by its id`;
  const count = fitting.length + others.length;
  const inIndex = isTyped ? search.inIndex(words) : undefined;
  if (inIndex?.isCertain === true && state.is !== 'reading')
    return indexWords(inIndex, count, unfitWords(others.length, count, kind));
  const head = isTyped ? `${count} found in ${all}` : all;
  const unfit = unfitWords(others.length, count, kind);
  const hint = count === 0 ? amountHint([words], profile.settings) : undefined;
  return `${head}${unfit}${stateWords(state, count)}${hint === undefined ? '' : `; ${hint}`}`;
}

function unfitWords(others: number, count: number, kind: string): string {
  return others === 0 ? '' : `, ${others === count ? '' : `${others} of them `}not ${kind}`;
}

// All orders were searched, and only the newest of those that were found are read.
function indexWords({ total, orders, known }: IndexAnswer, count: number, unfit: string): string {
  const more = total - orders.length;
  const rest = more <= 0 ? '' : `; ${more} older ones: more words, or moving past the last row`;
  return `${count + more} found in all ${known} orders${unfit}${rest}`;
}

function stateWords(state: Search['state'], count: number): string {
  const how = count === 0 ? 'Enter' : 'moving past the last row';
  if (state.is === 'reading') return '; reading on';
  if (state.is === 'bound') return `; ${how} reads older orders`;
  return state.is === 'failed' ? `; the next page was not read (${state.why}); ${how} tries again` : '';
}

/** What the index says of some words. */
export interface IndexAnswer {
  /** Orders that hold the words and are not among the pages that were read; the newest of them, as many as were asked for. */
  readonly orders: readonly ReadAgain[];
  /** How many of them there are. */
  readonly total: number;
  /** How many orders the index knows. */
  readonly known: number;
  /** Nothing speaks against these being all. */
  readonly isCertain: boolean;
}

/** The index, for somebody who picks an order. */
export interface PickIndex {
  /** Hands it a page at the head of the list. */
  onPage(page: Page): void;
  /** `isRead`: whether an order is on a page that was read. Undefined if the index cannot be used. */
  search(words: string, most: number, isRead: (id: string) => boolean): Promise<IndexAnswer | undefined>;
  /** Nobody waits for an answer any more. */
  stop(): void;
}

/** Undefined if the account has no index, or if it does not open: then a person picks as without one. */
async function openPickIndex(ctx: Context, service: Service): Promise<PickIndex | undefined> {
  const index = await tried(ctx, () => ctx.index.open(service.profile));
  if (index === undefined) return undefined;
  const feed = feedIndex(ctx, service, undefined);
  const startedAt = Math.floor(ctx.clock.now() / 1000);
  let isHeadLearned = false;
  const learnHead = async (): Promise<void> => {
    if (!isHeadLearned) await feed.end();
    isHeadLearned = true;
  };
  // One search after the other: they share the connection to the file.
  let before: Promise<unknown> = Promise.resolve();
  let isOver = false;
  const answerOf = async (what: Searched): Promise<IndexAnswer | undefined> => {
    try {
      return await tried(ctx, async () => {
        if (isOver) return undefined;
        await learnHead();
        return await searched(ctx, service, index, what);
      });
    } catch (error) {
      // The run may be closing its files already.
      if (isOver) return undefined;
      throw error;
    }
  };
  return {
    onPage(page) {
      if (!isHeadLearned) feed.page(page);
    },
    search(words, most, isRead) {
      const answer = before.then(() => answerOf({ words, most, isRead, startedAt }));
      before = answer.catch(() => undefined);
      return answer;
    },
    stop() {
      isOver = true;
    },
  };
}

interface Searched {
  readonly words: string;
  readonly most: number;
  readonly isRead: (id: string) => boolean;
  /** Unix seconds. */
  readonly startedAt: number;
}

async function searched(
  ctx: Context,
  service: Service,
  index: OrderIndex,
  { words, most, isRead, startedAt }: Searched,
): Promise<IndexAnswer> {
  const { profile } = service;
  const hits = await index.scan(wantedOrders([words], profile.settings));
  const wanted = hits.filter(({ id }) => !isRead(id));
  const reading = readHits(service, wanted.slice(0, most));
  const orders: ReadAgain[] = [];
  for await (const some of reading.orders) orders.push(...some);
  const status = index.status();
  const headJoined = (status.headReadAt ?? 0) >= startedAt;
  const doubts = doubtsOf(ctx, status, profile, { headJoined, unread: reading.unread });
  return { orders, total: wanted.length, known: status.orders, isCertain: doubts.length === 0 };
}

// A refund does not wait for the index.
async function tried<T>({ notes }: Context, act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    notes.warn(`the index is not used: ${error.message}`);
    return undefined;
  }
}
