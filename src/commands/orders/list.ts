/** `orders list`: shows orders page by page, with filters, and why orders were refunded. */

import type { Context } from '../../context/context.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { feedIndex } from '../index/index-walk.ts';
import { pagingFlags, showList } from '../listing.ts';
import { knownColumns } from './known-columns.ts';
import { filterFlags, orderFilters } from './order-filters.ts';
import { observeOrders } from './order-observer.ts';

export const list = defineCommand({
  description:
    'Shows one page and prints the command for the next one; --all reads every page. --status takes the word of the service, such as paid, pre_authorized or refunded, and none for orders without a status; for attempts to pay that failed: --charge-status declined. A time without a zone is in time.zone; --since is included, --until is not.',
  flags: { ...pagingFlags('orders'), ...filterFlags },
  examples: [
    'paydesk -p demo orders list --refundable --limit 5',
    'paydesk -p demo orders list --max 50 --csv --columns id,amount,currency,payment_status',
  ],
  async run(ctx, { flags }) {
    const service = await ctx.service();
    const { profile } = service;
    const only = flags.status ?? defaultStatus(ctx, profile);
    const asked = orderFilters(ctx, { ...flags, status: only }, service);
    const known = await knownColumns(ctx, service);
    const { columns, ...observer } = observeOrders(ctx, service, asked);
    // A walk backwards does not say what comes before its pages.
    const feed = flags.previous === undefined ? feedIndex(ctx, service, flags.next) : undefined;
    try {
      return await showList(ctx, 'orders', flags, asked.filters, {
        ...observer,
        columns: [...known.others, ...columns, ...known.status],
        onPage(page) {
          observer.onPage(page);
          feed?.page(page);
        },
        beforeShown: known.lookUp,
      });
    } finally {
      await feed?.end();
    }
  },
});

// Always mentions a filter that comes from the profile, so that nobody takes the filtered list for the complete one.
function defaultStatus(ctx: Context, { settings }: Profile): string | undefined {
  const status = settings['orders.status'];
  if (status !== undefined)
    ctx.notes.warn(`only orders with payment_status ${status}: the profile's orders.status says so`);
  return status;
}
