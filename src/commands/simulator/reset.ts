/** `simulator reset`: puts the demo back into its first state. */

import { type Context, dryRunShown } from '../../context/context.ts';
import { isOpen, needsPerson } from '../../journal/journal.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';

export const simulatorReset = defineCommand({
  description:
    'Starts the built-in profile demo again with its first orders, and erases the index of its orders. Changes of the old demo in the journal are not mixed up with the new one.',
  arguments: [],
  flags: {},
  examples: ['paydesk simulator reset', 'paydesk simulator reset --json'],
  run: async (ctx) => {
    const would = 'would throw away what was done to demo; nothing was changed';
    if (await dryRunShown(ctx, { simulator: 'reset' }, would)) return undefined;
    const { account } = await closeOpen(ctx);
    await ctx.index.erase(account);
    const { instance, orders } = await ctx.simulator.reset();
    const record = { object: 'simulator', profile: 'demo', instance, orders };
    await ctx.out.own(record, () => [
      { line: `demo starts again, with ${orders} orders` },
      { line: `instance ${instance}` },
      { line: 'paydesk -p demo orders list', indent: 2 },
    ]);
    return undefined;
  },
});

// Reads unconfirmed changes of the demo again and settles them, because nothing can read them after the reset.
async function closeOpen(ctx: Context): Promise<Profile> {
  const { profile } = await ctx.service({ profile: 'demo' });
  const now = await ctx.journal.now();
  const attempts = await ctx.journal.attempts({ origin: profile.origin, open: now });
  for (const record of attempts.filter((one) => needsPerson(one, now))) {
    if (!isOpen(record, now)) {
      await ctx.journal.acknowledge(record, 'simulator reset');
      continue;
    }
    await ctx.journal.settle(record, { applied: false, note: 'simulator reset' }, async () => undefined);
    ctx.notes.note(`closed with the demo: ${record.sent.change}`);
  }
  return profile;
}
