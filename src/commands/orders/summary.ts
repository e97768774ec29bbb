/**
 * `orders summary`: how many orders were made in a period, what was paid for them and what went back, for each bucket and
 * currency.
 */

import type { Context } from '../../context/context.ts';
import { periodOf, timeFlags } from '../../flags/typed-period.ts';
import {
  type Line,
  type OrderDimension,
  type OrderSum,
  orderDimensions,
  type Split,
  type Summary,
  summariseOrders,
} from '../../reports/reports.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { byFlag, type Chart, chartFlag, sourceFlags, sumsExits } from '../report/report-flags.ts';
import { figure, showSums } from '../report/report-rows.ts';
import type { Source } from '../report/report-source.ts';
import { amountsOf, unsummedLines } from '../report/report-words.ts';
import { amountColumn, countColumn, type FigureColumn, summaryBlocks } from '../report/summary-blocks.ts';

const usualPeriod = 'this-month';

export const summary = defineCommand({
  description:
    'Counts the orders that were created in a period and adds up their amounts, for each currency. PAID is what was paid for these orders, REFUNDED what has gone back until now, and NET the difference; for the payments and refunds that were made in a period: paydesk refunds summary; for fees: paydesk help fees. If this machine has an index, the numbers come from there, unless --live is given.',
  flags: {
    ...timeFlags(usualPeriod),
    by: byFlag(orderDimensions, 'status in a table; rows for scripts are not split'),
    chart: chartFlag,
    ...sourceFlags,
  },
  examples: [
    'paydesk -p demo orders summary --period last-week --by day',
    'paydesk -p demo orders summary --period this-month --by status --csv --no-input',
  ],
  exits: sumsExits,
  async run(ctx, { flags }) {
    const by = flags.by ?? 'status';
    let oldest: number | undefined;
    let until: number | undefined;
    await showSums(ctx, {
      flags,
      period: periodOf(flags, usualPeriod),
      object: 'orders_summary',
      needs: { kind: 'orders', makers: false },
      by,
      isSplit: flags.by !== undefined,
      adding(query) {
        const sums = summariseOrders(query);
        until = query.span.until;
        return {
          ...sums,
          add(facts) {
            const at = facts.order?.createdAt;
            if (at !== undefined) oldest = Math.min(oldest ?? at, at);
            sums.add(facts);
          },
        };
      },
      figures,
      screen: (source, result) => screen(ctx, source, result, by, flags.chart),
      closing: (_, { totals }) => unsummedLines(totals),
      records: 'orders',
    });
    if (oldest !== undefined && until !== undefined && oldest * 1000 >= until)
      ctx.notes.note(`the oldest order is from ${ctx.days.full(oldest * 1000)}, after this period`);
    return undefined;
  },
});

const figures = [
  figure<OrderSum>('orders', 'integer', ({ sums }) => sums.orders),
  figure<OrderSum>('amount', 'sum', ({ sums }) => sums.amount),
  figure<OrderSum>('paid', 'sum', (line) => (isWhole(line) ? line.sums.paid : null)),
  figure<OrderSum>('refunded', 'sum', ({ sums }) => sums.refunded),
  figure<OrderSum>('net', 'sum', (line) => (isWhole(line) ? line.sums.net : null)),
  figure<OrderSum>('unsummed', 'integer', ({ sums }) => sums.unsummed),
];

// Without all charges of its orders, what was paid is not known.
function isWhole({ sums }: Line<OrderSum>): boolean {
  return Number(sums.hidden) === 0;
}

function ifWhole({ title, cell }: FigureColumn<OrderSum>): FigureColumn<OrderSum> {
  return { title, cell: (line) => (isWhole(line) ? cell(line) : '-') };
}

function screen(
  ctx: Context,
  source: Source,
  result: Summary<OrderSum>,
  by: Split<OrderDimension>,
  chart: Chart | undefined,
): readonly Block[] {
  const style = amountsOf(source);
  const figures = [
    countColumn<OrderSum>('ORDERS', 'orders'),
    amountColumn<OrderSum>('AMOUNT', 'amount', style),
    ifWhole(amountColumn('PAID', 'paid', style)),
    amountColumn<OrderSum>('REFUNDED', 'refunded', style),
    ifWhole(amountColumn('NET', 'net', style)),
  ];
  return summaryBlocks(ctx, source, { title: 'ORDERS', by, chart, columns: figures, bars: 'amount' }, result);
}
