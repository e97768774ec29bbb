/** `journal export`: every attempt as flat records, for a spreadsheet or an audit. */

import { defineCommand, flag } from '../../command.ts';
import { reckoningOf, whenFlag } from '../time-range.ts';
import { originOf, showAttempts } from './attempts.ts';

export const exportJournal = defineCommand({
  description:
    'Every attempt with its last verdict, oldest first, in the format of -o. Reads no order again.',
  arguments: [],
  flags: {
    since: whenFlag('only what was sent since: 30d, a date, ISO 8601'),
    'all-profiles': flag.switch({ summary: 'every account' }),
  },
  examples: [
    'paydesk journal export --csv > journal.csv',
    'paydesk journal export --ndjson --all-profiles | wc -l',
  ],
  exits: [0, 2, 3, 9],
  async run(ctx, { flags }) {
    const origin = await originOf(ctx, flags['all-profiles'] === true);
    await showAttempts(ctx, await ctx.journal.attempts({ origin, since: flags.since?.at(reckoningOf(ctx)) }));
    return undefined;
  },
});
