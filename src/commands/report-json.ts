/** The figures of the HTML report as JSON for programs. Pure. */

import type { JsonObject } from '../api/spec.ts';
import { type Line, type OrderSum, percent, type RefundSum } from '../reports/reports.ts';
import type { ReportFigures } from './report-figures.ts';
import type { ReportHow } from './report-sections.ts';

/** The same figures that the sections show. Amounts are the service's integers, times Unix seconds. */
export function figuresForPrograms(figures: ReportFigures, { names }: ReportHow): JsonObject {
  const { unit, time, reasons, operators, cards, waiting, largest, twins, openCases } = figures;
  return {
    sums: time.totals.map(({ currency, sums }) => ({
      currency: currency ?? null,
      ...sums,
      rate_percent: percent(sums.refunded, sums.paid) ?? null,
      refunded_of_paid_percent: percent(sums.refunded_of_paid, sums.paid) ?? null,
    })),
    time_unit: unit,
    by_time: refundRows(time.buckets),
    by_reason: refundRows(reasons.buckets),
    by_operator: refundRows(operators.buckets),
    by_card: refundRows(cards.buckets),
    largest: largest.map(
      ({ id, orderId, amount, currency, madeAt, operator, reason, origin, ...refund }) => ({
        id: id ?? null,
        order_id: orderId ?? null,
        amount: amount ?? null,
        currency: currency ?? null,
        made_at: madeAt ?? null,
        card: refund.last4 === undefined ? null : `*${refund.last4}`,
        brand: refund.brand,
        operator,
        reason,
        origin,
        ...(names ? { buyer: refund.buyer ?? null, note: refund.note ?? null } : {}),
      }),
    ),
    waiting: waiting.buckets.map(waitingRow),
    twins: twins.map(({ first, second, apart }) => ({
      first: first.id,
      second: second.id,
      amount: first.amount,
      currency: first.currency ?? null,
      first_created_at: first.createdAt,
      seconds_apart: apart,
      first_status: first.status ?? null,
      second_status: second.status ?? null,
      ...(names ? { buyer: first.buyer ?? null } : {}),
    })),
    open_cases: openCases.map(({ orderId, what, state, outcome, amount, currency, sentAt, operator }) => ({
      order_id: orderId ?? null,
      kind: what,
      state,
      outcome,
      amount: amount ?? null,
      currency: currency ?? null,
      sent_at: sentAt ?? null,
      operator: operator ?? null,
    })),
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

function waitingRow({ bucket, currency, sums: { orders, amount, unsummed } }: Line<OrderSum>): JsonObject {
  return { bucket, currency: currency ?? null, orders, amount, unsummed };
}
