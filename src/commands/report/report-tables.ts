/** The tables of a report for programs: their columns, the same rows in the JSON of a page and in the sheets of a workbook. Pure. */

import type { JsonObject } from '../../api/json-values.ts';
import { approvalColumns, type Field, field } from '../../api/resources.ts';
import { approvalFields } from '../../journal/journal.ts';
import {
  type Line,
  negated,
  type OrderSum,
  percentNumber,
  type RefundFact,
  type RefundSum,
  refundNames,
  sentHere,
} from '../../reports/reports.ts';
import type { ListSheet } from '../../terminal/terminal.ts';
import type { ReportFigures, WaitingSum } from './report-figures.ts';
import { firstColumns, firstFields, rowColumn } from './report-rows.ts';
import type { ReportHow } from './report-sections.ts';

/** Amounts are the service's integers, times Unix seconds. */
export function figuresForPrograms(figures: ReportFigures, { source, names }: ReportHow): JsonObject {
  const { time, waits } = figures;
  return {
    sums: rowsOf(sumFields, time.totals),
    before: figures.before.map(({ span: range, totals }) => ({
      ...firstFields({ range, zone: source.zone }),
      sums: rowsOf(sumFields, totals),
    })),
    time_unit: figures.unit,
    by_time: rowsOf(bucketFields, time.buckets),
    by_reason: rowsOf(bucketFields, figures.reasons.buckets),
    by_operator: rowsOf(bucketFields, figures.operators.buckets),
    by_approver: rowsOf(bucketFields, figures.approvers.buckets),
    by_card: rowsOf(bucketFields, figures.cards.buckets),
    largest: rowsOf(largestFields(names), figures.largest),
    waiting: rowsOf(waitingFields, figures.waiting.buckets),
    not_captured: waits.notCaptured.map(waitingSumRow),
    unconfirmed: waits.unconfirmed.map(waitingSumRow),
    twins: rowsOf(twinFields(names), figures.twins),
    settled_twins: figures.settledTwins,
    open_cases: rowsOf(caseFields, figures.openCases),
    recorded: rowsOf(caseFields, figures.recorded),
    acknowledged: rowsOf(caseFields, figures.acknowledged),
  };
}

/** The same tables as sheets of a workbook. A sheet is there also without rows, so that a formula finds it every month. */
export function sheetsOf(figures: ReportFigures, { source, names }: ReportHow): readonly ListSheet[] {
  const { time, unit } = figures;
  const times = [{ words: 'this period', span: source.range, totals: time.totals }, ...figures.before];
  const sums = times.flatMap(({ words, span: range, totals }) =>
    rowsOf(sumFields, totals).map((row) => ({
      time: words,
      ...firstFields({ range, zone: source.zone }),
      ...row,
    })),
  );
  const split = (name: string, lines: readonly Line<RefundSum>[]) =>
    sheetOf(`by_${name}`, bucketFields, lines);
  return [
    { name: 'sums', columns: [rowColumn('time', 'text'), ...firstColumns, ...sumFields], rows: sums },
    split(unit, time.buckets),
    split('reason', figures.reasons.buckets),
    split('operator', figures.operators.buckets),
    split('approver', figures.approvers.buckets),
    split('card', figures.cards.buckets),
    sheetOf('largest', largestFields(names), figures.largest),
    sheetOf('waiting', waitingFields, figures.waiting.buckets),
    sheetOf('twins', twinFields(names), figures.twins),
    sheetOf('open_cases', caseFields, figures.openCases),
    sheetOf('recorded', caseFields, figures.recorded),
    sheetOf('acknowledged', caseFields, figures.acknowledged),
  ];
}

function sheetOf<Row>(name: string, fields: readonly Field<Row>[], all: readonly Row[]): ListSheet {
  return { name, columns: fields, rows: rowsOf(fields, all) };
}

function rowsOf<Row>(fields: readonly Field<Row>[], all: readonly Row[]): readonly JsonObject[] {
  return all.map((one) => Object.fromEntries(fields.map(({ name, of }) => [name, of(one) ?? null])));
}

const counts = /refunds$|^payments$|^unsummed$/;

const sumFields: readonly Field<Line<RefundSum>>[] = [
  field('currency', 'text', ({ currency }) => currency),
  ...refundNames.map((name) =>
    field<Line<RefundSum>>(name, counts.test(name) ? 'integer' : 'sum', ({ sums }) => sums[name]),
  ),
  field('rate_percent', 'percent', ({ sums }) => percentNumber(sums.refunded, sums.paid)),
  field('refunded_of_paid_percent', 'percent', ({ sums }) => percentNumber(sums.refunded_of_paid, sums.paid)),
];

const bucketFields: readonly Field<Line<RefundSum>>[] = [
  field('bucket', 'text', ({ bucket }) => bucket),
  field('currency', 'text', ({ currency }) => currency),
  field('refunds', 'integer', ({ sums }) => sums.refunds),
  field('refunded', 'sum', ({ sums }) => sums.refunded),
  field('unsummed', 'integer', ({ sums }) => sums.unsummed),
];

const waitingFields: readonly Field<Line<OrderSum>>[] = [
  field('bucket', 'text', ({ bucket }) => bucket),
  field('currency', 'text', ({ currency }) => currency),
  field('orders', 'integer', ({ sums }) => sums.orders),
  field('amount', 'sum', ({ sums }) => sums.amount),
  field('unsummed', 'integer', ({ sums }) => sums.unsummed),
];

function waitingSumRow({ currency, count, amount }: WaitingSum): JsonObject {
  return { currency: currency ?? null, count, amount };
}

const approvalOf = ({ approval = approvalFields() }: RefundFact): JsonObject => ({ ...approval });

function largestFields(names: boolean): readonly Field<RefundFact>[] {
  return [
    field('id', 'id', ({ id }) => id),
    field('order_id', 'id', ({ orderId }) => orderId),
    field('amount', 'money', ({ amount }) => (amount === undefined ? null : negated(amount))),
    field('currency', 'text', ({ currency }) => currency),
    field('refunded_at', 'time', ({ madeAt }) => madeAt),
    field('card', 'card', ({ last4 }) => last4 && `*${last4}`),
    field('brand', 'text', ({ brand }) => brand),
    field('operator', 'text', (refund) => sentHere(refund).operator),
    field('reason', 'text', (refund) => sentHere(refund).reason),
    ...approvalColumns.map((one) => ({ ...one, of: (refund: RefundFact) => approvalOf(refund)[one.name] })),
    field('origin', 'text', ({ origin }) => origin),
    field('reference', 'text', ({ reference }) => reference),
    ...(names
      ? [
          field<RefundFact>('buyer', 'text', ({ buyer }) => buyer),
          field<RefundFact>('note', 'text', ({ note }) => note),
        ]
      : []),
  ];
}

type Twins = ReportFigures['twins'][number];

function twinFields(names: boolean): readonly Field<Twins>[] {
  return [
    field('first', 'id', ({ first }) => first.id),
    field('second', 'id', ({ second }) => second.id),
    field('amount', 'money', ({ first }) => first.amount),
    field('currency', 'text', ({ first }) => first.currency),
    field('first_created_at', 'time', ({ first }) => first.createdAt),
    field('seconds_apart', 'integer', ({ apart }) => apart),
    field('first_status', 'status', ({ first }) => first.status),
    field('second_status', 'status', ({ second }) => second.status),
    ...(names ? [field<Twins>('buyer', 'text', ({ first }) => first.buyer)] : []),
  ];
}

const caseFields: readonly Field<ReportFigures['openCases'][number]>[] = [
  field('order_id', 'id', ({ orderId }) => orderId),
  field('kind', 'text', ({ what }) => what),
  field('state', 'text', ({ state }) => state),
  field('outcome', 'text', ({ outcome }) => outcome),
  field('amount', 'money', ({ amount }) => amount),
  field('currency', 'text', ({ currency }) => currency),
  field('sent_at', 'time', ({ sentAt }) => sentAt),
  field('operator', 'text', ({ operator }) => operator),
];
