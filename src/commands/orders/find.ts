/** `orders find`: searches orders for words, at once if this machine has an index, else page by page up to --max orders. */

import { incomplete, longPages, type Page, type Service, upTo, type WireRecord } from '../../api/api.ts';
import { idOf } from '../../api/json-values.ts';
import { copiedId, resources } from '../../api/resources.ts';
import { orderIdPattern } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import { nameWithin, withMeantOrder } from '../../orders/orders.ts';
import { accountLabel, accountSpan } from '../../profiles/profiles.ts';
import { summariseOrders } from '../../reports/reports.ts';
import type { Cell } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { feedIndex } from '../index/index-walk.ts';
import { passing } from '../listing.ts';
import { isBlind, searchFlags, searchMax, textArgument } from '../search-flags.ts';
import { filterFlags, orderFilters } from './order-filters.ts';
import { type OrderObserver, observeOrders } from './order-observer.ts';
import { searchedIndex } from './search/find-indexed.ts';
import {
  askedFor,
  command,
  type FoundList,
  openList,
  otherMeanings,
  type Search,
  sumLines,
} from './search/find-search.ts';
import { buyerNamesOf, nearBuyers } from './search/near-buyers.ts';
import { amountHint, createMatcher, type Matcher } from './search/order-matching.ts';

export const find = defineCommand({
  description:
    "Looks through ids, names, e-mail, phone, the end of cards, the shop's own number, amounts, items and metadata. Every word must be there; capitals and accents do not matter. A status is not searched: paydesk orders list --status paid --all.",
  arguments: [textArgument(false)],
  flags: {
    ...filterFlags,
    ...searchFlags('orders'),
    live: flag.switch('search page by page, without the index of this machine'),
  },
  examples: [
    'paydesk -p demo orders find 4242 torres',
    'paydesk -p demo orders find A-99998 --json --no-input',
  ],
  exits: {
    5: 'no order matches',
    9: 'no order matches, but paydesk did not see all orders as they are now; or the output was lost',
  },
  async run(ctx, { args: [words], flags }): Promise<undefined> {
    const typed = words ?? [];
    if (typed.length === 0 && flags.customer === undefined)
      throw usage('missing TEXT: say what to look for, or whose orders with --customer');
    const service = await ctx.service();
    const { settings } = service.profile;
    const texts = typed.map(
      (text) =>
        copiedId('orders', text) ?? namedIn(ctx, text) ?? withoutKey(text, settings['reference.keys']),
    );
    const matchesOf = createMatcher(texts, isBlind(ctx));
    const matcher: Matcher = (order) => matchesOf(order, settings);
    const asked = orderFilters(ctx, flags, service);
    const { filters } = asked;
    const near = ctx.redaction.isOn()
      ? undefined
      : nearBuyers(texts.length > 0 ? texts : [flags.customer ?? '']);
    const search: Search = {
      isLive: flags.live === true,
      matcher,
      near,
      found: (records) => {
        for (const record of records) near?.see(idOf(record), buyerNamesOf(record.value));
        return passing(filters, records, (order) => matcher(order) !== undefined);
      },
      profile: service.profile,
      texts,
      filters,
      max: flags.max ?? searchMax,
      paging: flags,
      observer: observeOrders(ctx, service, asked),
      outputWords: ctx.options.outputWords,
      sums: texts.length > 0 ? undefined : summariseOrders(ofAnyTime),
    };
    try {
      if (!(await searchedIndex(ctx, service, search, flags.customer))) await findLive(ctx, service, search);
    } catch (error) {
      const [id = '', second] = texts;
      const isId = second === undefined && orderIdPattern.test(id);
      throw isId ? await withMeantOrder(ctx, service, error, id) : error;
    }
  },
});

// What a pasted text of a mail names is searched for alone.
function namedIn({ notes }: Context, text: string): string | undefined {
  const name = nameWithin(text);
  if (name !== undefined) notes.note(`searched for ${name}, which the text names`);
  return name;
}

const ofAnyTime = {
  span: { since: undefined, until: undefined },
  by: 'status',
  currency: undefined,
  rules: { dayOf: () => undefined, now: 0 },
} as const;

// Screens write a reference as `shop_order=A-10023`.
function withoutKey(text: string, keys: readonly string[]): string {
  const key = keys.find((one) => text.startsWith(`${one}=`) && text.length > one.length + 1);
  return key === undefined ? text : text.slice(key.length + 1);
}

/** Searches, shows, and says how it ended. Throws CliError if nothing was found. */
async function findLive(ctx: Context, service: Service, search: Search): Promise<void> {
  const list = await openList(ctx, service, search);
  const ending = await searchPages(ctx, service, search, list);
  for (const line of await search.observer.closingLines()) ctx.notes.note(line);
  if (list.found === 0) throw noMatch(ctx, search, ending);
  for (const line of [...sumLines(search), ...foundLines(ctx, search, list, ending)]) ctx.notes.note(line);
  const hint = list.amountHint();
  if (hint !== undefined) ctx.notes.note(hint);
}

/**
 * Why the search ended: no more orders, `--max` was reached, the rest is too old, the only order with this id was found, or
 * `--limit` orders were shown.
 */
type Ending = 'end' | 'bound' | 'date' | 'found' | 'shown';

async function searchPages(ctx: Context, service: Service, search: Search, list: FoundList): Promise<Ending> {
  const { observer, max, paging } = search;
  const endProgress = ctx.notes.progress(() =>
    observer.read === 0 ? '' : `${observer.read} orders read${daysWords(ctx, observer)}, ${list.found} found`,
  );
  let ending: Ending = 'end';
  const feed = feedIndex(ctx, service, paging.next);
  try {
    const query = { next: paging.next, limit: paging['page-size'] ?? (max < 250 ? max : undefined) };
    for await (const page of longPages(service, 'orders', query)) {
      const part = upTo(page, max - observer.read);
      observer.onPage(part);
      const hits = await search.found(part.records);
      feed.page(part);
      await list.show(hits);
      ending = list.fullAt === undefined ? endingAfter(search, part, hits) : 'shown';
      if (ending !== 'end') break;
    }
  } catch (error) {
    const certain = `${observer.read} orders were read and ${list.found} found; there may be more`;
    const now = () => ['go on from there:', furtherBack(search, 'bound')];
    const failed = incomplete(error, observer.read, certain, now);
    if (failed !== error) await list.end(true);
    throw failed;
  } finally {
    endProgress();
    await feed.end();
  }
  await list.end(ending === 'bound' || ending === 'shown');
  return ending;
}

function endingAfter({ texts, max, observer }: Search, page: Page, hits: readonly WireRecord[]): Ending {
  const [text, second] = texts;
  // Only one order can have this complete id, so the search can end.
  const isId = second === undefined && text !== undefined && resources.orders.idPattern.test(text.trim());
  if (isId && hits.some(({ value }) => value.id === text.trim())) return 'found';
  if (observer.isDone()) return 'date';
  return page.hasMore && observer.read >= max ? 'bound' : 'end';
}

// The error if nothing was found: exit 9 if there is more to read, 5 after a complete walk.
function noMatch(ctx: Context, search: Search, ending: Ending): CliError {
  const { texts, filters, paging, profile, observer } = search;
  const message = `${askedFor(search)} in ${readWords(ctx, observer)}`;
  const opening = 'no match for';
  const otherwise = otherMeanings(search);
  if (ending === 'end') {
    const after = paging.next === undefined ? '' : ` after ${paging.next}`;
    const isHinted = amountHint(texts, profile.settings) !== undefined;
    return new CliError('not_found', message, {
      opening,
      certain: `all orders of ${accountLabel(profile)}${after} were searched${isHinted ? ' for just this text' : ''}: ids, buyers, cards, amounts, auth codes, items, metadata`,
      now: [
        ...otherwise,
        "ask for the e-mail or the shop's own number",
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
      "ask for the e-mail or the shop's own number, or search older orders:",
      furtherBack(search, ending),
    ],
  });
}

function foundLines(
  ctx: Context,
  search: Search,
  { found, fullAt }: FoundList,
  ending: Ending,
): readonly Cell[] {
  const { observer, profile, filters } = search;
  if (ending === 'shown') {
    const next = command(search, { filters, next: fullAt });
    return [[`${found} shown, there may be more, `, accountSpan(profile)], `go on: ${next}`];
  }
  const asked = filters.flatMap(({ words }) => words).join(' ');
  const what = asked === '' ? 'found in' : `found with ${asked}; read:`;
  const head = [`${found} ${what} ${readWords(ctx, observer)}, `, accountSpan(profile)];
  if (ending === 'end') return [[...head, '. There are no more']];
  if (ending === 'found') return [[...head, '. Only one order has this id']];
  return [head, `older orders: ${furtherBack(search, ending)}`];
}

function readWords(ctx: Context, observer: OrderObserver): string {
  const { read } = observer;
  return `${counted(read, 'order')}${daysWords(ctx, observer)}`;
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
