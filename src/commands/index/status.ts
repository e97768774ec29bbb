/** `index status`: what the index of the account knows, how old that is, and where it is kept. */

import { defineCommand } from '../command.ts';
import { indexColumns, indexRecord, indexView } from './index-record.ts';
import { existingIndex } from './index-walk.ts';

export const status = defineCommand({
  description:
    'Sends no request. Shows when the orders were read, and every reason why the index may miss an order.',
  arguments: [],
  flags: {},
  examples: ['paydesk -p shop-mx index status', 'paydesk -p shop-mx index status --json'],
  async run(ctx) {
    const { profile } = await ctx.profiles.open();
    const index = await existingIndex(ctx, profile);
    const known = index.status();
    await ctx.out.own(
      indexRecord(profile, index, known),
      () => indexView(ctx, profile, index, known),
      indexColumns,
    );
    return undefined;
  },
});
