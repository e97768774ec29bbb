/** `orders find`: searches orders for words, at once if this machine has an index, else page by page up to --max orders. */

import { copiedId } from '../../api/resources.ts';
import { orderIdPattern } from '../../api/spec.ts';
import { flag, usage } from '../../flags/flags.ts';
import { withMeantOrder } from '../../orders/orders.ts';
import { defineCommand } from '../command.ts';
import { passing } from '../listing.ts';
import { isBlind, searchFlags, searchMax, textArgument } from '../walk.ts';
import { filterFlags, orderFilters } from './order-filters.ts';
import { observeOrders } from './order-observer.ts';
import { searchedIndex } from './search/find-indexed.ts';
import { findLive } from './search/find-live.ts';
import type { Search } from './search/find-search.ts';
import { createMatcher, type Matcher } from './search/order-matching.ts';

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
      (text) => copiedId('orders', text) ?? withoutKey(text, settings['reference.keys']),
    );
    const matchesOf = createMatcher(texts, isBlind(ctx));
    const matcher: Matcher = (order) => matchesOf(order, settings);
    const asked = orderFilters(ctx, flags, service);
    const { filters } = asked;
    const search: Search = {
      isLive: flags.live === true,
      matcher,
      found: (records) => passing(filters, records, (order) => matcher(order) !== undefined),
      profile: service.profile,
      texts,
      filters,
      max: flags.max ?? searchMax,
      paging: flags,
      observer: observeOrders(ctx, service.profile, asked),
      outputWords: ctx.options.outputWords,
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

// Screens write a reference as `shop_order=A-10023`.
function withoutKey(text: string, keys: readonly string[]): string {
  const key = keys.find((one) => text.startsWith(`${one}=`) && text.length > one.length + 1);
  return key === undefined ? text : text.slice(key.length + 1);
}
