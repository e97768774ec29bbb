/**
 * Lets a person pick the order of a change: by searching the newest orders as `orders find` does, in the index if there is one,
 * or by a whole id.
 */

import type { Service } from '../../../api/api.ts';
import type { JsonObject } from '../../../api/json-values.ts';
import { orderIdPattern } from '../../../api/spec.ts';
import type { nothingAllowed, PickedOrder } from '../../../changes/changes.ts';
import type { Context } from '../../../context/context.ts';
import { counted } from '../../../counted.ts';
import { CliError } from '../../../errors.ts';
import { recordId, usage } from '../../../flags/flags.ts';
import {
  type KnownOrder,
  knownOrder,
  mayNameOrder,
  nameWithin,
  orderByName,
  shownOrders,
  stopsRefund,
} from '../../../orders/orders.ts';
import { aboutMoney, commandLine } from '../../../profiles/profiles.ts';
import type { SearchedList } from '../../../terminal/terminal.ts';
import { nearBuyers } from './near-buyers.ts';
import { amountHint } from './order-matching.ts';
import { type IndexAnswer, type OrderSearch, openPickIndex, searchOrders } from './order-search.ts';
import {
  type OrderShown,
  orderRow,
  type RowParts,
  rowColumns,
  rowTitles,
  shownOf,
  stopText,
} from './pick-rows.ts';
import type { KeptOrder, KeptParts } from './searched-orders.ts';

export interface Pickable {
  /** What messages call them: `refundable`. */
  readonly kind: string;
  readonly accepts: (known: KnownOrder) => boolean;
  /** Why an order is not accepted; absent where its status says it all. */
  readonly whyNot?: (known: KnownOrder) => string | undefined;
  /** Why the limits of the account allow nothing for it. */
  readonly limit?: typeof nothingAllowed;
  /** The flags of `orders list` that show the same orders. */
  readonly listFlags: readonly string[];
  /** The orders are only looked at, so an open case stops nobody. */
  readonly isLook?: true;
}

type Search = OrderSearch<OrderShown>;

/**
 * The order that was typed: `id` if it is one, else `pick` finds it. A person picks it; if nobody can be asked, the typed text
 * must be the shop's own number, a part of the id, or a text with such a name (`isName`). Throws CliError 'usage' for other words if nobody can be asked.
 */
export function namedOrder(ctx: Context, typed: string | undefined, offer: Pickable) {
  const isName = typed !== undefined && !ctx.ask.interactive && mayNameOrder(typed);
  const isId = typed !== undefined && !isName && (orderIdPattern.test(typed) || !ctx.ask.interactive);
  // Somebody who comes back to the list finds the search there that led to the order.
  let words = (typed && nameWithin(typed)) ?? typed;
  return {
    id: isId ? recordId('orders', typed, 'ID') : undefined,
    isName,
    async pick(service: Service, command?: (id: string) => string): Promise<PickedOrder> {
      if (isName) return { id: await orderByName(ctx, service, typed, command), twin: undefined };
      const picked = await pickOrder(ctx, service, offer, words);
      words = picked.words;
      return picked;
    },
  };
}

/** Lets a person pick one order of a kind. `typed`: the first words. */
async function pickOrder(
  ctx: Context,
  service: Service,
  offer: Pickable,
  typed: string | undefined,
): Promise<ListedOrder> {
  const { profile } = service;
  if (!ctx.ask.interactive)
    throw usage('missing ID: say which order', [commandLine(profile, 'orders', 'list', ...offer.listFlags)]);
  const { list, stop } = await openOrders(ctx, service, offer);
  try {
    const message = aboutMoney(profile, 'Which order?');
    return await ctx.ask.search({ message, flag: 'ID', list: { ...list, typed } });
  } finally {
    stop();
  }
}

/** An order of the list that a person looks through, and what is known about it. */
export interface ListedOrder extends PickedOrder {
  /** The words that it was found with. */
  readonly words: string;
  readonly known: KnownOrder | undefined;
  /** Its open case in words, if it has one that stops a refund. */
  readonly stop: string | undefined;
}

/** Opens the list of the newest orders. Pages are read while the person types, and only where that helps. Call `stop` at its end. */
export async function openOrders(ctx: Context, service: Service, offer: Pickable) {
  const { profile } = service;
  // What is known about the orders that were read is kept, because rows are drawn while a person types.
  const read = new Map<unknown, KnownOrder>();
  const now = await ctx.journal.now();
  const knownOf = (order: JsonObject) => read.get(order.id) ?? knownOrder(order, [], now, profile.mode);
  const limitOf = (known: KnownOrder) => offer.limit?.(known, { service, nowMs: now.wall });
  const index = await openPickIndex(ctx, service);
  const kept: KeptParts<OrderShown> = {
    async beforeKept(records) {
      const orders = records.map(({ value }) => value);
      for (const known of await shownOrders(ctx, service, orders)) read.set(known.order.id, known);
    },
    fits: (order) => offer.accepts(knownOf(order)) && limitOf(knownOf(order)) === undefined,
    isBlocked: ({ cases }) => offer.isLook !== true && cases.some(({ is }) => stopsRefund(is)),
    amounts: profile.settings,
    show(order) {
      const known = knownOf(order);
      return shownOf(order, profile, {
        whyNot: offer.whyNot?.(known) ?? limitOf(known),
        cases: known.cases,
        first: known.first,
      });
    },
  };
  const search = searchOrders(service, kept, index);
  try {
    await readFirst(ctx, search, offer);
  } catch (error) {
    search.stop();
    throw error;
  }
  const parts = { ctx, profile, kind: offer.kind, now, read };
  return { list: searchedList(ctx, search, parts), stop: () => search.stop() };
}

async function readFirst(ctx: Context, search: Search, { kind }: Pickable): Promise<void> {
  const endProgress = ctx.notes.progress(() => 'reading the newest orders');
  try {
    await search.begin();
  } finally {
    endProgress();
  }
  if (search.known.matches('').fitting.length > 0 || search.state.is !== 'end') return;
  const newest = search.known.unfit();
  const why = newest === undefined ? [] : [`the newest, ${newest.id}: ${newest.shown.whyNot}`];
  throw new CliError('refused', `there is no ${kind} order`, {
    ownCode: 'no_such_order',
    now: [...why, 'paydesk orders list'],
  });
}

function searchedList(ctx: Context, search: Search, parts: RowParts): SearchedList<ListedOrder> {
  const { known } = search;
  const shown = (words: string): readonly KeptOrder<OrderShown>[] => {
    const { fitting, others } = known.matches(words);
    // The orders that do not fit go below those that do, and only when no more of those can come: no row moves while a person looks
    // at it.
    return search.state.is === 'reading' ? fitting : [...fitting, ...others];
  };
  const row = (one: KeptOrder<OrderShown>, words: string) => {
    const { id, twin, neighbour } = one;
    const stop = stopText(one, parts);
    return orderRow(one, { id, twin, neighbour, words, known: parts.read.get(id), stop }, words, parts);
  };
  // Drawing asks again with every key, and there may be thousands of orders.
  let looked: { readonly at: string; readonly meant: MeantBuyers | undefined } | undefined;
  const meant = (words: string): MeantBuyers | undefined => {
    const at = `${known.count} ${words}`;
    if (looked?.at !== at)
      looked = { at, meant: ctx.redaction.isOn() ? undefined : meantBuyers(known, words) };
    return looked.meant;
  };
  return {
    ...rowColumns,
    titles: rowTitles(ctx.days.offset(known.newest ?? Math.floor(ctx.clock.now() / 1000))),
    count: (words) => shown(words).length,
    row(words, index) {
      const one = shown(words)[index];
      return one === undefined ? undefined : row(one, words);
    },
    // A text of a mail is searched for what it names, as in `orders find`.
    wordsOf: (pasted) => nameWithin(pasted) ?? pasted,
    want: (words, rows, further) => search.want(words, rows, further),
    looked: (words) => lookedWords(ctx, search, words, { ...parts, meant: (typed) => meant(typed)?.asked }),
    offered: (words) =>
      shown(words).length > 0 || search.state.is === 'reading' ? undefined : meant(words)?.words,
    lookUp: (words) => (search.isId(words) ? lookedUp(search, words.trim(), row) : undefined),
    watch: (listener) => search.watch(listener),
  };
}

/** The buyers who may be meant: a question, and the words that find the first of them. */
interface MeantBuyers {
  readonly asked: string;
  readonly words: string;
}

function meantBuyers(known: Search['known'], words: string): MeantBuyers | undefined {
  const buyers = nearBuyers([words]);
  known.lookAt(buyers);
  const offers = buyers.offers();
  const [first, second] = offers;
  if (first === undefined) return undefined;
  const asked = `did you mean ${offers.map(({ who }) => who).join(' or ')}?`;
  const taken = second === undefined ? 'Enter searches for it' : 'Enter searches for the first';
  return { asked: `${asked} ${taken}`, words: first.words.join(' ') };
}

async function lookedUp<R>(
  search: Search,
  id: string,
  row: (one: KeptOrder<OrderShown>, words: string) => R,
): Promise<R | string> {
  const found = await search.lookUp(id);
  return typeof found === 'string' ? found : row(found, '');
}

// Which orders were searched, how many of the found ones do not fit, and what Enter or reading on would do.
function lookedWords(
  ctx: Context,
  search: Search,
  words: string,
  { kind, profile, meant }: RowParts & { readonly meant: (words: string) => string | undefined },
): string {
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
  const asked = count === 0 && state.is !== 'reading' ? meant(words) : undefined;
  const hint = count === 0 ? (asked ?? amountHint([words], profile.settings)) : undefined;
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
