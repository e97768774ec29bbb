/** Rows of an export of orders: orders, their charges or their refunds, by the date that was asked about. Pure. */

import { idOf, isObject, type JsonObject, statuses, valueAt } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { ExportRow, WireRecord } from '../../ports.ts';
import { isWithin, type TimeRange } from '../time-range.ts';
import type { RefundFacts } from './refund-facts.ts';

/** What a row is. */
export const rowKinds = ['orders', 'charges', 'refunds'] as const;
export type RowKind = (typeof rowKinds)[number];

/** Which date a range is about: when the order was created, when a charge was paid, when a refund was made. */
export const rowDates = ['created', 'paid', 'refunded'] as const;
export type RowDate = (typeof rowDates)[number];

/** What rows are made by. */
export interface RowQuery {
  readonly rows: RowKind;
  readonly by: RowDate;
  readonly range: TimeRange;
  readonly day: (seconds: unknown) => string | undefined;
  readonly factsOf: (refundId: unknown) => RefundFacts | undefined;
}

/** The rows of an order, and how many of it show no date although a range asks for one. */
export interface OrderRows {
  readonly rows: readonly ExportRow[];
  readonly undated: number;
}

/** Makes the rows of one order. Throws CliError 'incomplete' where it does not show all charges or refunds that they need. */
export function orderRows(record: WireRecord, query: RowQuery): OrderRows {
  const order = record.value;
  const { rows: kind, by } = query;
  if (kind === 'orders' && by === 'created') return chosen([whole(record, [order.created_at])], query);
  const charges = chargesOf(order);
  const paid = charges.filter(isPaid).map(({ paid_at: at }) => at);
  const refunds = (charge: JsonObject) => refundsOf(order, charge);
  if (kind === 'refunds' || by === 'refunded') refuseHidden(order, charges.flatMap(refunds));
  if (kind === 'orders') {
    const dates = by === 'paid' ? paid : charges.flatMap(refunds).map(({ created_at: at }) => at);
    return chosen([whole(record, dates)], query);
  }
  const datesOf = (charge: JsonObject, made: readonly JsonObject[]): readonly unknown[] => {
    if (by === 'created') return [order.created_at];
    return by === 'paid'
      ? [charge].filter(isPaid).map(({ paid_at: at }) => at)
      : made.map(({ created_at: at }) => at);
  };
  if (kind === 'charges')
    return chosen(
      charges.map((charge) => chargeRow(order, charge, datesOf(charge, refunds(charge)))),
      query,
    );
  return chosen(
    charges.flatMap((charge) =>
      refunds(charge).map((refund) =>
        refundRow(order, charge, refund, datesOf(charge, [refund]), query.factsOf(refund.id)),
      ),
    ),
    query,
  );
}

/** A row before it is chosen, with the dates that it has. */
interface Candidate {
  readonly row: Omit<ExportRow, 'day'>;
  readonly dates: readonly unknown[];
}

// Without a range every row is one; with it those that have a date in it, and that date is the row's day.
function chosen(candidates: readonly Candidate[], { range, day }: RowQuery): OrderRows {
  const open = range.since === undefined && range.until === undefined;
  let undated = 0;
  const rows = candidates.flatMap(({ row, dates }): readonly ExportRow[] => {
    if (open) return [{ ...row, day: () => dates.map(day).find((one) => one !== undefined) }];
    const shown = dates.filter((date) => day(date) !== undefined);
    if (shown.length < dates.length) undated += 1;
    const found = shown.find((date) => isWithin(range, Number(date)));
    return found === undefined ? [] : [{ ...row, day: () => day(found) }];
  });
  return { rows, undated };
}

function whole(record: WireRecord, dates: readonly unknown[]): Candidate {
  const { amount, currency, payment_status: status } = record.value;
  return {
    row: { record, id: idOf(record), currency: text(currency), status: text(status), amount },
    dates,
  };
}

function chargeRow(order: JsonObject, charge: JsonObject, dates: readonly unknown[]): Candidate {
  const value = { ...charge, order_id: charge.order_id ?? order.id };
  const { id, amount, currency, status } = charge;
  return {
    row: {
      record: { value },
      id: text(id),
      currency: text(currency ?? order.currency),
      status: text(status),
      amount,
    },
    dates,
  };
}

// The service's record with what it belongs to, and what the journal of this machine knows of it.
function refundRow(
  order: JsonObject,
  charge: JsonObject,
  refund: JsonObject,
  dates: readonly unknown[],
  facts: RefundFacts | undefined,
): Candidate {
  const currency = charge.currency ?? order.currency;
  const value = {
    ...refund,
    order_id: order.id,
    charge_id: charge.id,
    currency,
    reason: facts?.reason ?? null,
    note: facts?.note ?? null,
    operator: facts?.operator ?? null,
    intent: facts?.intent ?? null,
    known_by: facts?.knownBy ?? null,
  };
  return {
    row: {
      record: { value },
      id: text(refund.id),
      currency: text(currency),
      status: text(order.payment_status),
      amount: refund.amount,
    },
    dates,
  };
}

// A charge that was never paid has no such date, and none is missing.
function isPaid({ status, paid_at: at }: JsonObject): boolean {
  const taken: readonly unknown[] = [statuses.paid, statuses.refunded, statuses.partiallyRefunded];
  return typeof at === 'number' || taken.includes(status);
}

const withCharges: readonly unknown[] = Object.values(statuses);

function chargesOf(order: JsonObject): readonly JsonObject[] {
  const { charges, payment_status: status } = order;
  if ((charges === undefined || charges === null) && !withCharges.includes(status)) return [];
  return all(charges, `the charges of ${text(order.id) ?? 'an order'}`);
}

// `refunds` is null where there are none (service: charge).
function refundsOf(order: JsonObject, charge: JsonObject): readonly JsonObject[] {
  const { refunds } = charge;
  const { amount_refunded: refunded } = order;
  if (refunds === null || (refunds === undefined && !(Number(refunded) > 0))) return [];
  return all(refunds, `the refunds of ${text(charge.id) ?? 'a charge'} (${text(order.id) ?? 'an order'})`);
}

// Money that went back without a record of it would be missing from every sum (service: amount_refunded).
function refuseHidden({ id, amount_refunded: refunded }: JsonObject, shown: readonly JsonObject[]): void {
  if (shown.length > 0 || !(Number(refunded) > 0)) return;
  throw new CliError(
    'incomplete',
    `the service shows no refund of ${text(id) ?? 'an order'}, although its amount_refunded is ${String(refunded)}`,
  );
}

// A nested list that shows all its items (service: List envelope).
function all(list: unknown, what: string): readonly JsonObject[] {
  const data = valueAt(list, ['data']);
  const total = valueAt(list, ['total']);
  const complete =
    valueAt(list, ['has_more']) !== true && (typeof total !== 'number' || total === Object(data).length);
  if (Array.isArray(data) && data.every(isObject) && complete) return data;
  throw new CliError('incomplete', `the service does not show all of ${what}`);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
