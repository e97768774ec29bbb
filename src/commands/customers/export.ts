/** `customers export`: writes every customer to stdout or into a file. */

import type { WireRecord } from '../../api/api.ts';
import { resources } from '../../api/resources.ts';
import { idOf } from '../../api/spec.ts';
import type { Days } from '../../context/context.ts';
import type { ExportRow } from '../../exports/exports.ts';
import { defineCommand } from '../command.ts';
import { daysOfFile, daysOfFlag, exportFlags } from '../export-flags.ts';
import { type ExportJob, runExport } from '../export-run.ts';

export const exportCustomers = defineCommand({
  description:
    'Reads every page and writes NDJSON, JSON or CSV as the pages come. With --to the file gets its name when it is complete, with a manifest beside it. --resume goes on with an export that was interrupted.',
  arguments: [],
  flags: exportFlags,
  examples: [
    'paydesk -p demo customers export --csv --columns id,name,email',
    'paydesk -p demo customers export --to customers.csv.gz',
  ],
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
