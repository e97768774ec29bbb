/** `orders show`: one order by id. */

import { readOne } from '../../api/read-one.ts';
import { orderColumns, resources } from '../../api/spec.ts';
import { originsOf } from '../../changes/refund/known-refunds.ts';
import { defineCommand, idArgument } from '../command.ts';
import { orderView } from './order-view.ts';

const { idExample } = resources.orders;

export const show = defineCommand({
  description:
    'The service documents no way to get one order, so it is found through its paging. -o list shows every field the service sent.',
  arguments: [idArgument('orders', true)],
  flags: {},
  examples: [
    `paydesk -p demo orders show ${idExample}`,
    `paydesk -p demo orders show ${idExample} --json --no-input`,
  ],
  exits: [0, 1, 2, 4, 5, 6, 9],
  async run(ctx, { args: [id] }) {
    ctx.out.checkColumns(orderColumns);
    const service = await ctx.service();
    const { profile } = service;
    const record = await readOne(ctx, service, 'orders', id, 'show');
    const origins = ctx.out.format === 'table' ? await originsOf(ctx, profile, record.value) : new Map();
    const readAt = ctx.clock.now();
    await ctx.out.record(record, orderColumns, () => orderView({ record, profile, readAt, origins }));
    return undefined;
  },
});
