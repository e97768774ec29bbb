/** `journal forget`: erases bodies, notes and links of settled entries, because they may name people. */

import { confirmFirst, dryRunShown } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import { clockAndZoneOf, whenFlag } from '../../flags/typed-time.ts';
import { defineCommand } from '../command.ts';

export const forget = defineCommand({
  description:
    'The journal still knows which order was changed, when, by whom and with what result, and journal verify still finds it whole. The journal of a team is at its sender: type it there.',
  arguments: [],
  flags: { before: whenFlag('changes sent before: 30d, a date, ISO 8601') },
  examples: ['paydesk journal forget --before 400d', 'paydesk journal forget --before 2025-01-01 --yes'],
  async run(ctx, { flags }) {
    if (flags.before === undefined)
      throw new CliError('usage', 'missing --before', {
        certain: 'nothing was erased',
        now: ['paydesk journal forget --before 400d'],
      });
    const before = flags.before.at(clockAndZoneOf(ctx));
    const day = new Date(before).toISOString();
    const would = `would erase bodies, notes and links of settled changes sent before ${day}`;
    if (await dryRunShown(ctx, { action: 'forget', before: day }, would)) return undefined;
    const message = `erase bodies, notes and links of settled changes sent before ${day}? It cannot be undone`;
    await confirmFirst(ctx, message, 'nothing was erased');
    const count = await ctx.journal.forget(before);
    const record = { object: 'journal_forget', before: day, entries: count };
    await ctx.out.own(record, () => [{ line: `erased in ${counted(count, 'change')}` }]);
    return undefined;
  },
});
