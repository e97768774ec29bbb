/** `orders summary`: how many orders were created in a period and how much they are, split by status, day or card. */

import type { Context } from '../../context/context.ts';
import { flag } from '../../flags/flags.ts';
import { parsePeriod, periodFlag } from '../../flags/typed-period.ts';
import { type OrderSum, orderDimensions, type Summary, summariseOrders } from '../../reports/reports.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import {
  type Chart,
  chartFlag,
  openSource,
  sourceFlags,
  sumsExits,
  wordsForBrand,
} from '../report/report-flags.ts';
import { amountColumn, countColumn, summaryBlocks } from '../report/report-grids.ts';
import {
  firstColumns,
  firstFields,
  lastColumns,
  lastFields,
  rowColumn,
  showReport,
} from '../report/report-rows.ts';
import { amountsOf, closingBlocks, isComplete, refuseGaps, unsummedLines } from '../report/report-screen.ts';
import type { Source } from '../report/report-source.ts';

const usualPeriod = 'this-month';

export const summary = defineCommand({
  description:
    'Counts the orders that were created in a period and adds up their amounts, for each currency. REFUNDED is what went back of these orders until now; for the refunds that were made in a period: paydesk refunds summary. If this machine has an index, the numbers come from there, unless --live is given.',
  arguments: [],
  flags: {
    period: periodFlag(usualPeriod),
    by: flag.choice(orderDimensions, {
      value: 'WHAT',
      summary: 'split the sums by this; brand is that of the card',
      otherWords: wordsForBrand,
      defaultText: 'status in a table; rows for scripts are not split',
    }),
    chart: chartFlag,
    ...sourceFlags,
  },
  examples: [
    'paydesk -p demo orders summary --period last-week --by day',
    'paydesk -p demo orders summary --period this-month --by status --csv --no-input',
  ],
  exits: sumsExits,
  async run(ctx, { flags }) {
    ctx.out.checkColumns(columns);
    const by = flags.by ?? 'status';
    const period = flags.period ?? parsePeriod(usualPeriod, '--period');
    const source = await openSource(ctx, { flags, period, needs: { kind: 'orders', makers: false, by } });
    const adding = summariseOrders({
      span: source.range,
      by,
      currency: flags.currency,
      rules: { dayOf: (at) => source.days.day(at), now: ctx.clock.now() / 1000 },
    });
    for await (const facts of source.facts) adding.add(facts);
    const result = adding.result();
    const lines = flags.by === undefined ? result.totals : result.buckets;
    const rows = lines.map(({ bucket, currency, sums }) => ({
      object: 'orders_summary',
      ...firstFields(source),
      by: flags.by ?? null,
      bucket: flags.by === undefined ? null : bucket,
      currency: currency ?? null,
      ...sums,
      ...lastFields(source, isComplete(result.gaps)),
    }));
    await showReport(ctx, columns, rows, source, () => screen(ctx, source, result, by, flags.chart));
    refuseGaps(result.gaps, 'orders');
    return undefined;
  },
});

const columns = [
  ...firstColumns,
  rowColumn('by', 'text'),
  rowColumn('bucket', 'text'),
  rowColumn('currency', 'text'),
  rowColumn('orders', 'integer'),
  rowColumn('amount', 'sum'),
  rowColumn('refunded', 'sum'),
  rowColumn('unsummed', 'integer'),
  ...lastColumns,
];

function screen(
  ctx: Context,
  source: Source,
  result: Summary<OrderSum>,
  by: (typeof orderDimensions)[number],
  chart: Chart | undefined,
): readonly Block[] {
  const style = amountsOf(source);
  const figures = [
    countColumn<OrderSum>('ORDERS', 'orders'),
    amountColumn<OrderSum>('AMOUNT', 'amount', style),
    amountColumn<OrderSum>('REFUNDED', 'refunded', style),
  ];
  return [
    ...summaryBlocks(ctx, source, { title: 'ORDERS', by, chart, columns: figures, bars: 'amount' }, result),
    ...closingBlocks(source, unsummedLines(result.totals)),
  ];
}
