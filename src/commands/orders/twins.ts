/** `orders twins`: pairs of orders of a period that may be one purchase, paid twice. */

import type { Column } from '../../api/resources.ts';
import { type JsonObject, statuses } from '../../api/spec.ts';
import { twinSeconds } from '../../orders/orders.ts';
import {
  hasCurrency,
  isDated,
  isInSpan,
  type OrderFact,
  type Span,
  type TwinPair,
  twinPairs,
} from '../../reports/reports.ts';
import { defineCommand } from '../command.ts';
import { openSource } from '../open-report-source.ts';
import { sourceFlags, sourceHelp } from '../report-flags.ts';
import { lastColumnsOfList, lastFieldsOfList, rowColumn, sayAsOf } from '../report-rows.ts';
import { inCurrency } from '../report-screen.ts';
import type { Source } from '../report-source.ts';
import { parsePeriod, periodFlag } from '../typed-period.ts';

const usualPeriod = 'today';

export const twins = defineCommand({
  description: [
    'Lists pairs of orders of the same buyer and amount that were created within 10 minutes of each other: somebody may have paid twice. Both statuses are shown, so that you see whether one of them was refunded already.',
    'Without an index, or with --live, every order is read; with orders.order = newest-first only those back to the start of the period. --from-file takes an export instead.',
    ...sourceHelp,
  ].join('\n'),
  arguments: [],
  flags: { period: periodFlag(usualPeriod), ...sourceFlags },
  examples: [
    'paydesk -p demo orders twins --period this-month',
    'paydesk -p demo orders twins --period yesterday --json --no-input',
  ],
  exits: [0, 1, 2, 3, 4, 6, 9],
  async run(ctx, { flags }) {
    ctx.out.checkColumns(columns);
    const period = flags.period ?? parsePeriod(usualPeriod, '--period');
    const source = await openSource(ctx, {
      flags,
      period,
      needs: { kind: 'orders', makers: false, marginSeconds: twinSeconds },
    });
    const orders: OrderFact[] = [];
    for await (const { order } of source.facts) {
      if (order !== undefined && isNear(source.range, order) && hasCurrency(flags.currency, order.currency))
        orders.push(order);
    }
    const pairs = pairsIn(orders, source.range);
    await ctx.out.ownList(
      columns,
      pairs.map((pair) => rowOf(pair, source)),
      { zone: source.zone },
    );
    ctx.notes.note(
      pairs.length === 0
        ? `no possible twins${inCurrency(source)} in this period`
        : `${pairs.length} possible ${pairs.length === 1 ? 'pair' : 'pairs'} of twins${inCurrency(source)}: same buyer and amount within 10 minutes`,
    );
    sayAsOf(ctx, source);
    return undefined;
  },
});

/** The pairs of which at least one order was created in the period. */
export function pairsIn(orders: readonly OrderFact[], span: Span): readonly TwinPair[] {
  return twinPairs(orders.filter(isDated), twinSeconds).filter(({ first, second }) =>
    [first, second].some(({ createdAt }) => isInSpan(span, createdAt)),
  );
}

/** Whether an order was created in the period, or so near to it that it may be the twin of one that was. */
export function isNear({ since, until }: Span, { createdAt }: OrderFact): boolean {
  const margin = twinSeconds * 1000;
  const wider = {
    since: since === undefined ? undefined : since - margin,
    until: until === undefined ? undefined : until + margin,
  };
  return createdAt !== undefined && isInSpan(wider, createdAt);
}

const columns: readonly Column[] = [
  { ...rowColumn('first_created_at', 'time'), title: 'CREATED', below: () => 'created' },
  rowColumn('first', 'id'),
  { ...rowColumn('second', 'id'), below: () => 'second' },
  { ...rowColumn('amount', 'money'), title: 'AMOUNT' },
  { ...rowColumn('currency', 'text'), tableFrom: 10_000 },
  {
    ...rowColumn('status', 'text'),
    derived: true,
    // Which of them was refunded is the question, so this is never cut.
    least: `${statuses.partiallyRefunded}, ${statuses.partiallyRefunded}`.length,
    below: () => 'status',
    value: ({ first_status: one, second_status: other }: JsonObject) =>
      `${statusWord(one)}, ${statusWord(other)}`,
  },
  { ...rowColumn('first_status', 'status'), tableFrom: 10_000 },
  { ...rowColumn('second_status', 'status'), tableFrom: 10_000 },
  { ...rowColumn('seconds_apart', 'integer'), title: 'SECONDS APART', tableFrom: 120 },
  { ...rowColumn('first_refunded', 'sum'), tableFrom: 160 },
  { ...rowColumn('second_refunded', 'sum'), tableFrom: 160 },
  ...lastColumnsOfList,
];

function statusWord(status: unknown): string {
  return typeof status === 'string' ? status : 'not shown';
}

function rowOf({ first, second, apart }: TwinPair, source: Source): JsonObject {
  return {
    object: 'possible_twins',
    first_created_at: first.createdAt,
    first: first.id,
    second: second.id,
    amount: first.amount ?? null,
    currency: first.currency ?? null,
    first_status: first.status ?? null,
    second_status: second.status ?? null,
    seconds_apart: apart,
    first_refunded: first.refunded ?? null,
    second_refunded: second.refunded ?? null,
    ...lastFieldsOfList(source, true),
  };
}
