/** `customers export`: writes every customer to stdout or into a file. */

import type { WireRecord } from '../../api/api.ts';
import { resources } from '../../api/resources.ts';
import { idOf } from '../../api/spec.ts';
import type { ExportRow } from '../../exports/exports.ts';
import { type Days, defineCommand } from '../command.ts';
import { daysOfFile, daysOfFlag, exportFlags } from '../export-flags.ts';
import { type ExportJob, runExport } from '../export-run.ts';

export const exportCustomers = defineCommand({
  description:
    'Reads every page and writes NDJSON (or -o json, csv) as the pages come. With --to the file appears only when it is complete, with a manifest beside it; --resume goes on with an interrupted export.',
  arguments: [],
  flags: exportFlags,
  examples: [
    'paydesk -p demo customers export --no-input',
    'paydesk -p demo customers export --csv --columns id,name,email',
    'paydesk -p demo customers export --to customers.csv.gz',
  ],
  exits: [0, 1, 2, 3, 4, 5, 6, 9],
  run: (ctx, { flags }) =>
    runExport(ctx, flags, async () => {
      const zoned = daysOfFlag(ctx, flags.tz);
      return {
        resource: 'customers',
        rowsWord: 'customers',
        columns: resources.customers.columns,
        words: flags.tz === undefined ? [] : ['--tz', flags.tz],
        query: () => ({ resource: 'customers', zone: flags.tz ?? ctx.zone() }),
        rows: (query) => {
          const days = query === undefined ? zoned : daysOfFile(ctx, query.zone);
          return { rowsOf: (record) => [rowOf(days, record)], leftOut: () => 0, closingLines: () => [] };
        },
      } satisfies ExportJob;
    }),
});

function rowOf(days: Days, record: WireRecord): ExportRow {
  return {
    record,
    id: idOf(record),
    currency: undefined,
    status: undefined,
    day: () => days.day(record.value.created_at),
    amount: null,
  };
}
