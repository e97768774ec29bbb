/** The figures of a report for programs: the same that its sections show. Pure. */

import type { JsonObject } from '../../api/json-values.ts';
import { approvalFields } from '../../journal/journal.ts';
import {
  type Line,
  negated,
  type OrderSum,
  percentNumber,
  type RefundFact,
  type RefundSum,
} from '../../reports/reports.ts';
import type { ReportFigures, WaitingSum } from './report-figures.ts';
import { firstFields } from './report-rows.ts';
import type { ReportHow } from './report-sections.ts';

/** Amounts are the service's integers, times Unix seconds. */
export function figuresForPrograms(figures: ReportFigures, { source, names }: ReportHow): JsonObject {
  const { time, waits } = figures;
  return {
    sums: time.totals.map(sumsRow),
    before: figures.before.map(({ span: range, totals }) => ({
      ...firstFields({ range, zone: source.zone }),
      sums: totals.map(sumsRow),
    })),
    time_unit: figures.unit,
    by_time: refundRows(time.buckets),
    by_reason: refundRows(figures.reasons.buckets),
    by_operator: refundRows(figures.operators.buckets),
    by_card: refundRows(figures.cards.buckets),
    largest: figures.largest.map((refund) => largestRow(refund, names)),
    waiting: figures.waiting.buckets.map(waitingRow),
    not_captured: waits.notCaptured.map(waitingSumRow),
    unconfirmed: waits.unconfirmed.map(waitingSumRow),
    twins: figures.twins.map((pair) => twinsRow(pair, names)),
    settled_twins: figures.settledTwins,
    open_cases: figures.openCases.map(caseRow),
  };
}

function sumsRow({ currency, sums }: Line<RefundSum>): JsonObject {
  return {
    currency: currency ?? null,
    ...sums,
    rate_percent: percentNumber(sums.refunded, sums.paid) ?? null,
    refunded_of_paid_percent: percentNumber(sums.refunded_of_paid, sums.paid) ?? null,
  };
}

function refundRows(lines: readonly Line<RefundSum>[]): readonly JsonObject[] {
  return lines.map(({ bucket, currency, sums: { refunds, refunded, unsummed } }) => ({
    bucket,
    currency: currency ?? null,
    refunds,
    refunded,
    unsummed,
  }));
}

function waitingSumRow({ currency, count, amount }: WaitingSum): JsonObject {
  return { currency: currency ?? null, count, amount };
}

function waitingRow({ bucket, currency, sums: { orders, amount, unsummed } }: Line<OrderSum>): JsonObject {
  return { bucket, currency: currency ?? null, orders, amount, unsummed };
}

function largestRow(refund: RefundFact, names: boolean): JsonObject {
  return {
    id: refund.id ?? null,
    order_id: refund.orderId ?? null,
    amount: refund.amount === undefined ? null : negated(refund.amount),
    currency: refund.currency ?? null,
    refunded_at: refund.madeAt ?? null,
    card: refund.last4 === undefined ? null : `*${refund.last4}`,
    brand: refund.brand,
    operator: refund.operator,
    reason: refund.reason,
    ...(refund.approval ?? approvalFields()),
    origin: refund.origin,
    ...(names ? { buyer: refund.buyer ?? null, note: refund.note ?? null } : {}),
  };
}

function twinsRow({ first, second, apart }: ReportFigures['twins'][number], names: boolean): JsonObject {
  return {
    first: first.id,
    second: second.id,
    amount: first.amount,
    currency: first.currency ?? null,
    first_created_at: first.createdAt,
    seconds_apart: apart,
    first_status: first.status ?? null,
    second_status: second.status ?? null,
    ...(names ? { buyer: first.buyer ?? null } : {}),
  };
}

function caseRow(open: ReportFigures['openCases'][number]): JsonObject {
  return {
    order_id: open.orderId ?? null,
    kind: open.what,
    state: open.state,
    outcome: open.outcome,
    amount: open.amount ?? null,
    currency: open.currency ?? null,
    sent_at: open.sentAt ?? null,
    operator: open.operator ?? null,
  };
}
