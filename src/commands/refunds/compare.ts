/** `refunds compare`: its flags and help. changes/bulk/compare does the rest. */

import { compareFile } from '../../changes/changes.ts';
import { flag, listFileFlags } from '../../flags/flags.ts';
import { periodOf, timeFlags } from '../../flags/typed-period.ts';
import { anyTime, clockIn, rangeWords } from '../../flags/typed-time.ts';
import { defineCommand } from '../command.ts';
import { daysOfFlag } from '../export/export-flags.ts';
import { sourceFlags } from '../report/report-flags.ts';
import { errorsFlag, fileArgument, sheetFlag } from './input-arguments.ts';

export const compare = defineCommand({
  description:
    'Says of any list of orders which were refunded, when, how much and by whom; which only in part, which by more than the file says, which not. The columns are order_id (or reference), charge_id and amount, or those of refunds list --csv and orders export --rows refunds; without an amount the whole order is meant. With --period or --since it also finds refunds that are not in the file.',
  arguments: [fileArgument(true)],
  flags: {
    ...timeFlags('none: only the rows of the file', {
      since: 'also find refunds that are not in the file, made since',
      until: 'the same, made before this time',
    }),
    tz: sourceFlags.tz,
    sheet: sheetFlag,
    errors: errorsFlag,
    to: listFileFlags.to,
    force: flag.switch('replace the files of --errors and --to'),
  },
  examples: [
    'paydesk -p demo refunds compare refunds.csv',
    'paydesk -p shop-mx refunds compare october.csv --period 2026-10 --json',
  ],
  exits: {
    0: 'every row was refunded just as the file says',
    7: 'a person must look at a row',
    8: 'some rows are not refunded as the file says',
  },
  async run(ctx, { args: [file], flags }) {
    const service = await ctx.service();
    const days = daysOfFlag(ctx, flags.tz);
    const here = clockIn(days, ctx.clock.now());
    const range = periodOf(flags)?.range(here) ?? anyTime;
    const span = rangeWords('other refunds made', range, days.full);
    if (span !== undefined) ctx.notes.note(span);
    const code = await compareFile(ctx, service, {
      file,
      delimiter: ctx.options.csv.typedDelimiter,
      others: span === undefined ? undefined : range,
      sheet: flags.sheet,
      errors: flags.errors,
      to: flags.to,
      force: flags.force === true,
    });
    return code === 0 ? undefined : code;
  },
});
