/** `orders export`: every order, charge or refund of a range, complete or not claimed. */

import { type Column, chargeColumns, orderColumns, refundColumns } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Context } from '../command.ts';
import { defineCommand, flag } from '../command.ts';
import { daysOfFlag } from '../export/days.ts';
import { exportFlags } from '../export/flags.ts';
import type { Export } from '../export/rows.ts';
import { runExport } from '../export/run.ts';
import { type Reckoning, timeRange, type When, whenFlag } from '../time-range.ts';
import { rowMaker, spanOf } from './export-maker.ts';
import { type RowDate, type RowKind, rowDates, rowKinds } from './export-rows.ts';
import { type FilterInput, filterFlags, orderFilters } from './filters.ts';
import { type RefundFacts, refundFacts } from './refund-facts.ts';

const columnsOf: Readonly<Record<RowKind, readonly Column[]>> = {
  orders: orderColumns,
  charges: chargeColumns,
  refunds: refundColumns,
};

export const exportOrders = defineCommand({
  description: [
    'Walks every page and writes NDJSON (or -o json, csv) as it comes: the service’s own bytes of each order. Orders made or changed while it walks may be missing, or be there as they were.',
    'With --to a finished file is always a complete one, with a manifest beside it: what was asked for, when the walk began and ended, sums a currency, status and day, SHA-256. An interrupted one goes on with --resume.',
    '--by says which date --since and --until are about: when the order was created, when a charge of it was paid, or when a refund of it was made. In rows of refunds, reason, note and operator are those of this machine’s journal; empty: not sent from here.',
  ].join('\n'),
  arguments: [],
  flags: {
    ...exportFlags,
    rows: flag.choice(rowKinds, { value: 'KIND', summary: 'what a row is', defaultText: 'orders' }),
    by: flag.choice(rowDates, {
      value: 'DATE',
      summary: 'the date of --since and --until',
      defaultText: 'created; refunded with --rows refunds',
    }),
    tz: flag.text({
      value: 'ZONE',
      summary: 'the zone of days without an offset, such as America/Mexico_City',
      defaultText: "the profile's time.zone, or this machine's",
    }),
    ...filterFlags,
    since: whenFlag('only rows of this time (--by) or later: 30d, 2026-11-20, ISO 8601'),
    until: whenFlag('only rows before this time'),
  },
  examples: [
    'paydesk -p demo orders export --no-input',
    'paydesk -p demo orders export --since 30d --csv --columns id,created_at,amount,currency',
    'paydesk -p demo orders export --to orders.ndjson.gz',
    'paydesk -p demo orders export --rows refunds --since 2026-11-01 --until 2026-12-01 --tz America/Mexico_City --to refunds.csv',
  ],
  exits: [0, 1, 2, 3, 4, 5, 6, 9],
  run: (ctx, { flags }) =>
    runExport(ctx, flags, async ({ profile }) => {
      const rows = flags.rows ?? 'orders';
      const by = flags.by ?? defaultDate(rows);
      const { since, until, ...rest } = flags;
      const days = daysOfFlag(ctx, flags.tz);
      const reckoning: Reckoning = { now: ctx.clock.now(), zoned: (shown) => days.moment(shown) };
      const range = timeRange({ since, until }, reckoning);
      warnOfFuture(ctx, until, reckoning);
      const { filters, left } = orderFilters(ctx, rest);
      const facts = rows === 'refunds' ? await factsOf(ctx, profile) : new Map<string, RefundFacts>();
      return {
        resource: 'orders',
        rowsWord: rows,
        columns: columnsOf[rows],
        words: wordsOf(
          { ...flags, rows, by },
          filters.flatMap(({ words }) => words),
        ),
        query: () => ({
          resource: 'orders',
          rows,
          by,
          zone: flags.tz ?? ctx.zone(),
          since: seconds(range.since),
          until: seconds(range.until),
          filters: filters.map(({ words }) => words.join(' ')),
        }),
        rows: (query, state) =>
          rowMaker(
            ctx,
            profile,
            { rows, by, filters, left },
            facts,
            query === undefined ? { range, days } : spanOf(ctx, query),
            state,
          ),
      } satisfies Export;
    }),
});

function defaultDate(rows: RowKind): RowDate {
  return rows === 'refunds' ? 'refunded' : 'created';
}

function warnOfFuture(ctx: Context, until: When | undefined, reckoning: Reckoning): void {
  if (until === undefined || until.at(reckoning) <= reckoning.now) return;
  ctx.notes.warn(`--until ${until.text} is still to come: what happens from now on is not in this export`);
}

interface WordsInput extends FilterInput {
  readonly rows: RowKind;
  readonly by: RowDate;
  readonly tz?: string | undefined;
}

function wordsOf({ rows, by, tz, since, until }: WordsInput, filters: readonly string[]): readonly string[] {
  return [
    ...(rows === 'orders' ? [] : ['--rows', rows]),
    ...(by === defaultDate(rows) ? [] : ['--by', by]),
    ...(since === undefined ? [] : ['--since', since.text]),
    ...(until === undefined ? [] : ['--until', until.text]),
    ...(tz === undefined ? [] : ['--tz', tz]),
    ...filters,
  ];
}

async function factsOf(ctx: Context, { origin }: Profile): Promise<ReadonlyMap<string, RefundFacts>> {
  try {
    return refundFacts(await ctx.journal.attempts({ origin }), ctx.journal);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // A file that leaves out what is known would say that others made these refunds.
    throw new CliError('refused', `who made the refunds cannot be said: ${error.message}`, {
      ...error.parts,
      cause: error,
    });
  }
}

// Whole seconds are in the range from the first one on that is not before its start.
function seconds(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.ceil(ms / 1000);
}
