/** `orders list`: a page of orders, newest first where the service lists them so. */

import { defineCommand, flag } from '../../command.ts';
import type { Context } from '../../ports.ts';
import { type Filter, pagingFlags, showList } from '../listing.ts';
import { canBeRefunded } from './refundable.ts';

export const list = defineCommand({
  description:
    'One command shows one page and ends with the command for the next. Filters are applied here while walking, until a page of matches.',
  arguments: [],
  flags: {
    ...pagingFlags('orders'),
    status: flag.text({
      value: 'WORD',
      summary: 'only orders with this payment_status, as the service writes it',
    }),
    refundable: flag.switch({ summary: 'only orders that can be refunded' }),
  },
  examples: [
    'paydesk -p demo orders list --limit 5',
    'paydesk -p demo orders list --refundable --limit 5',
    'paydesk -p demo orders list --all --json --no-input',
    'paydesk -p demo orders list --max 50 --csv --columns id,amount,currency,payment_status',
  ],
  exits: [0, 1, 2, 4, 6, 9],
  async run(ctx, { flags: { status, refundable, ...paging } }) {
    return showList(ctx, 'orders', paging, [
      ...(await statusFilter(ctx, status)),
      ...(refundable === true ? [{ words: ['--refundable'], accepts: canBeRefunded }] : []),
    ]);
  },
});

// A default filter out of the profile is always said, so that nobody takes a part for the whole.
async function statusFilter(ctx: Context, given: string | undefined): Promise<readonly Filter[]> {
  const { profile } = await ctx.service();
  const status = given ?? profile.settings['orders.status'];
  if (status === undefined) return [];
  if (given === undefined)
    ctx.notes.warn(`only orders with payment_status ${status}: the profile's orders.status says so`);
  return [{ words: ['--status', status], accepts: (order) => order.payment_status === status }];
}
