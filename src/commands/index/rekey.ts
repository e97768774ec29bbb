/** `index rekey`: seals the index with a new key, and throws the old one away. */

import { dryRunShown } from '../../context/context.ts';
import { accountLabel } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { alone, existingIndex } from './index-walk.ts';

export const rekey = defineCommand({
  description:
    'Do this when somebody may have seen the key. A copy of the index that was made before still opens with the old key. It sends no request.',
  arguments: [],
  flags: {},
  examples: ['paydesk -p shop-mx index rekey', 'paydesk -p shop-mx index rekey --json'],
  async run(ctx) {
    const { profile } = await ctx.profiles.open();
    const index = await existingIndex(ctx, profile);
    const would = `would seal the index of ${accountLabel(profile)} with a new key; nothing was changed`;
    if (await dryRunShown(ctx, { index: 'rekey' }, would)) return undefined;
    const { orders } = index.status();
    await alone(ctx, profile, () => index.rekey());
    const record = { object: 'index', profile: profile.name, rekeyed: true, orders };
    await ctx.out.own(record, () => [
      { line: `sealed the index of ${accountLabel(profile)} with a new key: ${orders} orders` },
    ]);
    return undefined;
  },
});
