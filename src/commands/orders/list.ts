/** `orders list`: a page of orders, newest first where the service lists them so. */

import type { Profile } from '../../profiles/profiles.ts';
import type { Context } from '../command.ts';
import { defineCommand } from '../command.ts';
import { showList } from '../listing.ts';
import { pagingFlags } from '../paging.ts';
import { filterFlags, orderFilters } from './filters.ts';
import { orderOnlooker } from './onlooker.ts';
import { reasonColumns } from './refund-reasons.ts';

export const list = defineCommand({
  description:
    'One command shows one page and ends with the command for the next. Filters are applied here while walking, until a page of matches. A date ends the walk early only where the profile says orders.order newest-first. Times without an offset are in time.zone; --since is included, --until is not.',
  arguments: [],
  flags: { ...pagingFlags('orders'), ...filterFlags },
  examples: [
    'paydesk -p demo orders list --limit 5',
    'paydesk -p demo orders list --refundable --limit 5',
    'paydesk -p demo orders list --since 7d --min-amount 30000',
    'paydesk -p demo orders list --all --json --no-input',
    'paydesk -p demo orders list --max 50 --csv --columns id,amount,currency,payment_status',
  ],
  exits: [0, 1, 2, 4, 5, 6, 9],
  async run(ctx, { flags }) {
    const { profile } = await ctx.service();
    const status = flags.status ?? defaultStatus(ctx, profile);
    const asked = orderFilters(ctx, { ...flags, status });
    const reasons = reasonColumns(ctx, profile);
    const { columns, ...onlooker } = orderOnlooker(ctx, profile, asked);
    return showList(ctx, 'orders', flags, asked.filters, {
      ...onlooker,
      columns: [...reasons.columns, ...columns],
      ready: reasons.ready,
    });
  },
});

// A default filter out of the profile is always said, so that nobody takes a part for the whole.
function defaultStatus(ctx: Context, { settings }: Profile): string | undefined {
  const status = settings['orders.status'];
  if (status !== undefined)
    ctx.notes.warn(`only orders with payment_status ${status}: the profile's orders.status says so`);
  return status;
}
