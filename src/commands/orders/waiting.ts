/** `orders waiting`: lists the authorized orders that nobody has captured yet, by their age. */

import { amountWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Field, field, recordFrom } from '../../api/resources.ts';
import { isWithin, statuses, type TimeRange } from '../../api/spec.ts';
import { counted } from '../../counted.ts';
import { periodOf, timeFlags } from '../../flags/typed-period.ts';
import { commandLine } from '../../profiles/profiles.ts';
import {
  notShown,
  type OrderFact,
  type OrderSum,
  summariseOrders,
  waitingDimensions,
  waitsForCapture,
} from '../../reports/reports.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { byFlag, chartFlag, sourceFlags, sumsExits } from '../report/report-flags.ts';
import { figure, lastColumnsOfList, lastFieldsOfList, showSums } from '../report/report-rows.ts';
import type { Source } from '../report/report-source.ts';
import { amountsOf } from '../report/report-words.ts';
import { amountColumn, countColumn, summaryBlocks } from '../report/summary-blocks.ts';

export const waiting = defineCommand({
  description:
    'Lists the orders whose money is authorized, and that nobody has captured yet, the oldest first, with the command that captures one; then their sums. The oldest may lapse; the service does not say when. Scripts and files get the orders, or the sums with --by.',
  flags: {
    ...timeFlags('all orders, whenever they were created'),
    by: byFlag(waitingDimensions, 'age'),
    chart: chartFlag,
    ...sourceFlags,
  },
  examples: ['paydesk -p demo orders waiting', 'paydesk -p demo orders waiting --json --no-input'],
  exits: sumsExits,
  async run(ctx, { flags }) {
    const by = flags.by ?? 'age';
    const rows = (source: Source, isComplete: boolean): readonly JsonObject[] =>
      oldestFirst(orders).map((order) => rowOf(order, source, isComplete));
    const { chart } = flags;
    const orders: OrderFact[] = [];
    await showSums(ctx, {
      flags,
      period: periodOf(flags),
      object: 'orders_waiting',
      needs: { kind: 'orders', makers: false, waiting: 'only' },
      by,
      isSplit: true,
      adding: (query, { reachesTo }) =>
        summariseOrders({
          ...query,
          rules: { ...query.rules, now: reachesTo / 1000 },
          counts(order) {
            const waits = waitsForCapture(order);
            if (waits && isOfQuery(order, query)) orders.push(order);
            return waits;
          },
        }),
      figures,
      // Draws no days, because an order waits on every day until it is captured.
      screen(source, { totals, buckets }) {
        const [title = 'blank', ...sums] = summaryBlocks<OrderSum>(
          ctx,
          source,
          { title: 'WAITING FOR CAPTURE', by, chart, columns: figuresOn(source), bars: 'amount' },
          { totals, buckets },
        );
        return [title, ...ordersBlocks(source, orders), ...sums];
      },
      closing: () => [['note', 'the service does not say when an authorization lapses']],
      records: 'orders',
      listed:
        flags.by === undefined ? { columns: [...listedColumns, ...lastColumnsOfList], rows } : undefined,
    });
    return undefined;
  },
});

// Whether an order belongs to the period. One without a date belongs only to a period without a beginning and an end.
function isOfQuery({ createdAt }: OrderFact, { span }: { readonly span: TimeRange }): boolean {
  return createdAt === undefined
    ? span.since === undefined && span.until === undefined
    : isWithin(span, createdAt);
}

// At most this many orders are on the screen: the oldest.
const mostListed = 20;

function ordersBlocks(source: Source, orders: readonly OrderFact[]): readonly Block[] {
  const { profile, reachesTo } = source;
  const shown = oldestFirst(orders).slice(0, mostListed);
  const [first] = shown;
  if (first === undefined) return [];
  const command = (...words: readonly string[]) =>
    profile === undefined ? `paydesk ${words.join(' ')}` : commandLine(profile, ...words);
  const rows = shown.map(({ id, createdAt, buyer, amount, currency }) => [
    id ?? notShown,
    createdAt === undefined ? notShown : ageWords(reachesTo / 1000 - createdAt),
    amount === undefined ? notShown : amountWords(amount, currency, amountsOf(source)),
    buyer ?? notShown,
  ]);
  const more = orders.length - shown.length;
  const all = command('orders', 'list', '--status', statuses.preAuthorized, '--all');
  return [
    { grid: [['ORDER', 'AGE', 'AMOUNT', 'BUYER'], ...rows], right: [2] },
    ...(more === 0 ? [] : [{ line: `and ${counted(more, 'order')} that are younger: ${all}` }]),
    { line: `to capture the oldest: ${command('orders', 'capture', first.id ?? 'ORDER')}` },
    'blank',
  ];
}

function ageWords(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  if (hours < 1) return 'under 1 hour';
  return hours < 48 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day');
}

function figuresOn(source: Source) {
  return [
    countColumn<OrderSum>('ORDERS', 'orders'),
    amountColumn<OrderSum>('AMOUNT', 'amount', amountsOf(source)),
  ];
}

function oldestFirst(orders: readonly OrderFact[]): readonly OrderFact[] {
  return orders.toSorted((one, other) => (one.createdAt ?? 0) - (other.createdAt ?? 0));
}

const listedColumns: readonly Field<OrderFact & { readonly ageSeconds: number | undefined }>[] = [
  field('id', 'id', ({ id }) => id, { tableFrom: 0 }),
  field('created_at', 'time', ({ createdAt }) => createdAt, { title: 'CREATED', tableFrom: 0 }),
  field('age_seconds', 'integer', ({ ageSeconds }) => ageSeconds, { tableFrom: 160 }),
  field('amount', 'money', ({ amount }) => amount, { tableFrom: 0 }),
  field('currency', 'text', ({ currency }) => currency),
  field('buyer', 'text', ({ buyer }) => buyer, { tableFrom: 0 }),
];

function rowOf(order: OrderFact, source: Source, isComplete: boolean): JsonObject {
  const { createdAt } = order;
  const ageSeconds = createdAt === undefined ? undefined : Math.floor(source.reachesTo / 1000 - createdAt);
  return {
    ...recordFrom('order_waiting', listedColumns, { ...order, ageSeconds }),
    ...lastFieldsOfList(source, isComplete),
  };
}

const figures = [
  figure<OrderSum>('orders', 'integer', ({ sums }) => sums.orders),
  figure<OrderSum>('amount', 'sum', ({ sums }) => sums.amount),
  figure<OrderSum>('unsummed', 'integer', ({ sums }) => sums.unsummed),
];
