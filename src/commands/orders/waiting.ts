/** `orders waiting`: the authorized orders that nobody has captured yet, by their age. */

import { statuses } from '../../api/spec.ts';
import { flag } from '../../flags/flags.ts';
import { periodFlag } from '../../flags/typed-period.ts';
import { type OrderSum, summariseOrders, waitingDimensions } from '../../reports/reports.ts';
import { defineCommand } from '../command.ts';
import { chartFlag, sourceFlags, sumsExits, wordsForBrand } from '../report/report-flags.ts';
import { amountColumn, countColumn, summaryBlocks } from '../report/report-grids.ts';
import { rowColumn, showSums, sumColumns } from '../report/report-rows.ts';
import { amountsOf, closingBlocks } from '../report/report-screen.ts';
import type { Source } from '../report/report-source.ts';

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
    const by = flags.by ?? 'age';
    const { chart } = flags;
    await showSums(ctx, {
      flags,
      period: flags.period,
      object: 'orders_waiting',
      columns,
      needs: { kind: 'orders', makers: false, waiting: 'only' },
      by,
      isSplit: true,
      adding: (query, { reachesTo }) =>
        summariseOrders({
          ...query,
          rules: { ...query.rules, now: reachesTo / 1000 },
          counts: ({ status }) => status === statuses.preAuthorized,
        }),
      figures: ({ sums: { orders, amount, unsummed } }) => ({ orders, amount, unsummed }),
      // Without its days: an order waits on every day until it is captured.
      screen: (source, { totals, buckets }) => [
        ...summaryBlocks<OrderSum>(
          ctx,
          source,
          { title: 'WAITING FOR CAPTURE', by, chart, columns: figuresOn(source), bars: 'amount' },
          { totals, buckets },
        ),
        ...closingBlocks(source, [['note', 'the service does not say when an authorization lapses']]),
      ],
      records: 'orders',
    });
    return undefined;
  },
});

function figuresOn(source: Source) {
  return [
    countColumn<OrderSum>('ORDERS', 'orders'),
    amountColumn<OrderSum>('AMOUNT', 'amount', amountsOf(source)),
  ];
}

const columns = sumColumns(rowColumn('orders', 'integer'), rowColumn('amount', 'sum'));
