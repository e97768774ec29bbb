/** `refunds summary`: how many refunds were made in a period, how much, why and by whom, next to the payments of that period. */

import { isWithin } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { percent } from '../../counted.ts';
import { periodOf, timeFlags } from '../../flags/typed-period.ts';
import { type RefundState, stateWord } from '../../orders/orders.ts';
import {
  type Dimension,
  dimensions,
  type Facts,
  isTimeUnit,
  type Line,
  percentNumber,
  type RefundSum,
  type Split,
  type Summary,
  summariseRefunds,
} from '../../reports/reports.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { byFlag, type Chart, chartFlag, sourceFlags, sumsExits } from '../report/report-flags.ts';
import { figure, showSums } from '../report/report-rows.ts';
import type { AsOfLine, Source } from '../report/report-source.ts';
import {
  type ApartState,
  amountsOf,
  apartLines,
  apartStates,
  isComplete,
  ratesOfPaid,
  unsummedLines,
} from '../report/report-words.ts';
import { amountColumn, countColumn, type FigureColumn, summaryBlocks } from '../report/summary-blocks.ts';
import { isPartOfRefunds, refundFilter, refundFilterFlags, refuseNobody } from './refund-filter.ts';

const usualPeriod = 'this-month';

export const summary = defineCommand({
  description:
    'Counts the refunds that were made in a period, whenever their orders were made, for each currency. The rate compares them with the payments of the same period. If this machine has an index, the sums come from there, and the last lines say how old they are; --live reads every order.',
  flags: {
    ...timeFlags(usualPeriod),
    by: byFlag(dimensions, 'reason in a table; rows for scripts are not split'),
    chart: chartFlag,
    ...refundFilterFlags,
    ...sourceFlags,
  },
  examples: [
    'paydesk -p demo refunds summary --period today --by operator',
    'paydesk -p demo refunds summary --period 2026-11 --by reason --csv --no-input',
  ],
  exits: sumsExits,
  async run(ctx, { flags }): Promise<undefined> {
    await refuseNobody(ctx, flags);
    const by = flags.by ?? 'reason';
    // Payments next to only some of the refunds would give a rate that means nothing.
    const isPart = isPartOfRefunds(flags);
    const told = (source: Source): Source => (isPart ? { ...source, knowsPayments: false } : source);
    const isShownSplit = flags.by !== undefined || ctx.out.format === 'table';
    const needsMakers = isPart || (isShownSplit && [by].flat().some((one) => makerDimensions.has(one)));
    const some = summariseSome(ctx, flags);
    await showSums(ctx, {
      flags,
      period: flags.customer === undefined ? periodOf(flags, usualPeriod) : periodOf(flags),
      object: 'refunds_summary',
      needs: {
        kind: 'refunds',
        makers: needsMakers,
        unshown: true,
        names: flags.customer !== undefined,
      },
      by,
      isSplit: flags.by !== undefined,
      adding: isPart ? some.adding : summariseRefunds,
      figures: figuresFor(!isPart && hasPayments(flags.by)),
      screen: (source, result) => screen(ctx, told(source), result, by, flags),
      closing: (source, result) => closing(told(source), result, isPart, apartOf(flags.state)),
      records: 'refunds and payments',
    });
    for (const line of await some.lines()) ctx.notes.note(line);
  },
});

// Only the refunds that pass are added up. `lines`: what there is to say about the filter at the end.
function summariseSome(ctx: Context, flags: Parameters<typeof refundFilter>[1]) {
  let filter: ReturnType<typeof refundFilter> | undefined;
  return {
    adding: (how: Parameters<typeof summariseRefunds>[0], source: Source) => {
      const chosen = refundFilter(ctx, flags, source);
      filter = chosen;
      const sums = summariseRefunds(how);
      return {
        ...sums,
        add(facts: Facts) {
          chosen.see(facts.order);
          const refunds = facts.refunds.filter(
            (one) => one.madeAt === undefined || (isWithin(source.range, one.madeAt) && chosen.accepts(one)),
          );
          sums.add({ ...facts, payments: [], refunds });
        },
      };
    },
    lines: async () =>
      filter === undefined
        ? []
        : [`only with ${filter.words()}: ${filter.countWords()}`, ...(await filter.lines())],
  };
}

const makerDimensions: ReadonlySet<Dimension> = new Set(['reason', 'operator', 'approver', 'origin']);

// A payment has no reason, no operator and no age, so buckets by these have no payments to compare with.
function hasPayments(by: Split | undefined): boolean {
  return [by ?? []].flat().every((one) => isTimeUnit(one) || one === 'brand' || one === 'method');
}

// The figures of a row; what compares refunds with payments is null where there are none beside them.
function figuresFor(withPayments: boolean) {
  const sum = (name: RefundSum, kind: 'sum' | 'integer' = 'sum') =>
    figure<RefundSum>(name, kind, ({ sums }) => sums[name]);
  const beside = (name: string, kind: 'sum' | 'integer' | 'percent', of: (sums: Sums) => unknown) =>
    figure<RefundSum>(name, kind, (line) => (withPayments && line.knowsPayments ? of(line.sums) : null));
  return [
    sum('refunds', 'integer'),
    sum('refunded'),
    sum('pending'),
    sum('failed'),
    sum('unconfirmed'),
    sum('recorded_made'),
    sum('recorded_not_made'),
    beside('payments', 'integer', (sums) => sums.payments),
    beside('paid', 'sum', (sums) => sums.paid),
    beside('net', 'sum', (sums) => sums.net),
    beside('rate_percent', 'percent', (sums) => percentNumber(sums.refunded, sums.paid)),
    beside('refunded_of_paid', 'sum', (sums) => sums.refunded_of_paid),
    beside('refunded_of_paid_percent', 'percent', (sums) => percentNumber(sums.refunded_of_paid, sums.paid)),
    sum('unsummed', 'integer'),
  ];
}

type Sums = Line<RefundSum>['sums'];

// The sums of the states that were asked for, and that are in no sum of what went back.
function apartOf(states: readonly RefundState[] = []): readonly ApartState[] {
  return apartStates.flatMap(([name]) => (states.some((one) => stateWord(one) === name) ? name : []));
}

function screen(
  ctx: Context,
  source: Source,
  result: Summary<RefundSum>,
  by: Split,
  { chart, state = [] }: { readonly chart?: Chart; readonly state?: readonly RefundState[] },
): readonly Block[] {
  const style = amountsOf(source);
  const count = countColumn<RefundSum>('REFUNDS', 'refunds');
  const refunded = amountColumn<RefundSum>('REFUNDED', 'refunded', style);
  const rate: FigureColumn<RefundSum> = { title: 'OF PAID', cell: ({ sums }) => rateWords(sums) };
  const paid = amountColumn<RefundSum>('PAID', 'paid', style);
  const net = amountColumn<RefundSum>('NET', 'net', style);
  const beside = [count, refunded, rate, paid, net];
  const apart = apartOf(state);
  const isApart = apart.length > 0 && apart.length === state.length;
  const some = [
    ...(isApart ? [] : [count, refunded]),
    ...apart.flatMap((name) => [
      countColumn<RefundSum>(name.replaceAll('_', ' ').toUpperCase(), `${name}_refunds`),
      amountColumn<RefundSum>('AMOUNT', name, style),
    ]),
  ];
  const figures = source.knowsPayments ? beside : some;
  const split = hasPayments(by) ? figures : some;
  const [bars = 'refunded'] = isApart ? apart : [];
  const isShown = ({ sums }: Line<RefundSum>) =>
    isTimeUnit(by) ||
    // What never moved money stands below the screen: a line of the split would look like refunds of 0.
    sums.refunds > 0 ||
    sums.unsummed > 0 ||
    apart.some((name) => sums[`${name}_refunds`] > 0) ||
    (hasPayments(by) && sums.payments > 0);
  return summaryBlocks(
    ctx,
    source,
    { title: 'REFUNDS', by, chart, columns: figures, split, bars },
    { ...result, buckets: result.buckets.filter(isShown) },
  );
}

function closing(
  source: Source,
  { totals, gaps }: Summary<RefundSum>,
  isPart: boolean,
  apart: readonly ApartState[],
): readonly AsOfLine[] {
  const why = isPart ? withFilter : 'there are no payments beside these refunds, so there is no rate';
  return [
    ...(source.knowsPayments
      ? [
          ['rate', 'refunds made in this period, of the payments of this period (OF PAID)'] as const,
          ['net', 'the payments of this period, less the refunds made in it'] as const,
          ...wentBack(totals).map((words) => ['so far', words] as const),
        ]
      : [['note', why] as const]),
    // Where they have columns, they are in sums.
    ...(apart.length > 0 ? [] : apartLines(totals, amountsOf(source))),
    ...unsummedLines(totals),
    ...(isComplete(gaps) ? [] : [['note', 'NOT COMPLETE: see below'] as const]),
  ];
}

const withFilter =
  'with a filter there is no rate: the payments of the period are not those of these refunds alone';

// This second rate has no column: next to the first one, people would take it for the same.
function wentBack(totals: readonly Line<RefundSum>[]): readonly string[] {
  const rates = ratesOfPaid(totals);
  return rates === undefined ? [] : [`${rates} of the payments of this period went back`];
}

function rateWords(sums: Sums): string {
  const rate = percent(sums.refunded, sums.paid);
  return rate === undefined ? '-' : `${rate} %`;
}
