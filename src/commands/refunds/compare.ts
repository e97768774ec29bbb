/** `refunds compare`: its flags and help. changes/bulk/compare-file.ts does the rest. */

import { compareFile } from '../../changes/changes.ts';
import { flag } from '../../flags/flags.ts';
import { clockAndZoneOf, rangeWords, whenFlag } from '../../flags/typed-time.ts';
import { defineCommand } from '../command.ts';
import { delimiterFlag, delimiterOf, fileArgument } from './bulk-flags.ts';

export const compare = defineCommand({
  description:
    'Says of any list of orders which were refunded, when, how much and by whom; which only in part, which by more than the file says, which not. The columns are order_id (or reference), charge_id and amount; without an amount the whole order is meant. With --since it also finds refunds that are not in the file.',
  arguments: [fileArgument(true)],
  flags: {
    since: whenFlag('also find refunds that are not in the file, made since: today, monday, 30d, a date'),
    delimiter: delimiterFlag,
    errors: flag.text({
      value: 'FILE',
      summary: 'if the file has errors: write its rows with the errors beside them, to correct them there',
    }),
    force: flag.switch({ summary: 'replace the file of --errors' }),
  },
  examples: [
    'paydesk -p demo refunds compare refunds.csv',
    'paydesk -p shop-mx refunds compare refunds.csv --since today --json',
  ],
  exits: {
    0: 'every row was refunded just as the file says',
    7: 'a person must look at a row',
    8: 'some rows are not refunded as the file says',
  },
  async run(ctx, { args: [file], flags }) {
    const service = await ctx.service();
    const since = flags.since?.at(clockAndZoneOf(ctx));
    const span = rangeWords('other refunds made', { since, until: undefined }, ctx.days.full);
    if (span !== undefined) ctx.notes.note(span);
    const code = await compareFile(ctx, service, {
      file,
      delimiter: flags.delimiter === undefined ? undefined : delimiterOf[flags.delimiter],
      since,
      errors: flags.errors,
      force: flags.force === true,
    });
    return code === 0 ? undefined : code;
  },
});
