/** `orders waiting`: the authorized orders that nobody has captured yet, by their age. */

import { statuses } from '../../api/spec.ts';
import { flag } from '../../flags/flags.ts';
import { periodFlag } from '../../flags/typed-period.ts';
import { type OrderSum, summariseOrders, waitingDimensions } from '../../reports/reports.ts';
import { defineCommand } from '../command.ts';
import { chartFlag, openSource, sourceFlags, sumsExits, wordsForBrand } from '../report/report-flags.ts';
import { amountColumn, countColumn, summaryBlocks } from '../report/report-grids.ts';
import {
  firstColumns,
  firstFields,
  lastColumns,
  lastFields,
  rowColumn,
  showReport,
} from '../report/report-rows.ts';
import { amountsOf, closingBlocks, isComplete, refuseGaps } from '../report/report-screen.ts';

export const waiting = defineCommand({
  description:
    'Counts the orders whose money is authorized, and that nobody has captured yet. The oldest may lapse; the service does not say when. To see them: paydesk orders list --status pre_authorized --all.',
  arguments: [],
  flags: {
    period: periodFlag('all orders, whenever they were created'),
    by: flag.choice(waitingDimensions, {
      value: 'WHAT',
      summary: 'split the sums by this; brand is that of the card',
      otherWords: wordsForBrand,
      defaultText: 'age',
    }),
    chart: chartFlag,
    ...sourceFlags,
  },
  examples: ['paydesk -p demo orders waiting', 'paydesk -p demo orders waiting --json --no-input'],
  exits: sumsExits,
  async run(ctx, { flags }) {
    ctx.out.checkColumns(columns);
    const by = flags.by ?? 'age';
    const source = await openSource(ctx, {
      flags,
      period: flags.period,
      needs: { kind: 'orders', makers: false, by, waiting: 'only' },
    });
    const adding = summariseOrders({
      span: source.range,
      by,
      currency: flags.currency,
      rules: { dayOf: (at) => source.days.day(at), now: source.reachesTo / 1000 },
      counts: ({ status }) => status === statuses.preAuthorized,
    });
    for await (const facts of source.facts) adding.add(facts);
    const { totals, buckets, gaps } = adding.result();
    const rows = buckets.map(({ bucket, currency, sums: { orders, amount, unsummed } }) => ({
      object: 'orders_waiting',
      ...firstFields(source),
      by,
      bucket,
      currency: currency ?? null,
      orders,
      amount,
      unsummed,
      ...lastFields(source, isComplete(gaps)),
    }));
    const figures = [
      countColumn<OrderSum>('ORDERS', 'orders'),
      amountColumn<OrderSum>('AMOUNT', 'amount', amountsOf(source)),
    ];
    const shown = {
      title: 'WAITING FOR CAPTURE',
      by,
      chart: flags.chart,
      columns: figures,
      bars: 'amount',
    } as const;
    await showReport(ctx, columns, rows, source, () => [
      ...summaryBlocks<OrderSum>(ctx, source, shown, { totals, buckets }),
      ...closingBlocks(source, [['note', 'the service does not say when an authorization lapses']]),
    ]);
    refuseGaps(gaps, 'orders');
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
  rowColumn('unsummed', 'integer'),
  ...lastColumns,
];
