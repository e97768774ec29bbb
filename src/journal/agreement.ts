/** The rule of evidence: do an order's figures fit its refund records, and does anything contradict them? Pure. */

import type { ChargeMoney, OrderMoney } from '../api/charges.ts';
import { meaningOfRefund, valueAt } from '../api/spec.ts';
import type { FoundRefund } from './intent.ts';
import type { ChargeImage, PreImage } from './journal-rows.ts';

/** A refund record that an order shows. It has an id: without one, the money of the order is not read at all. */
export type ShownRefund = FoundRefund & { readonly id: string };

type Shown = string | number | boolean | undefined;

/**
 * The first figure that does not fit the new refund records, in words that name both; undefined when all figures fit.
 * Every sum must have moved by the amounts of the new records. Without a new record nothing may have moved: no status,
 * no `is_refundable`, no `updated_at` (service: order, charge).
 */
export function disagreement(
  before: PreImage,
  money: OrderMoney,
  records: readonly FoundRefund[],
): string | undefined {
  const figures = [
    sumMoved('amount_refunded', before.amountRefunded, money.amountRefunded, allOf(money), records),
    ...pairs(before, money).map(([was, now]) =>
      sumMoved(
        `amount_refunded of charge ${was.id}`,
        was.amountRefunded,
        refundedOf(now),
        now.refunds,
        records.filter(({ chargeId }) => chargeId === was.id),
      ),
    ),
  ];
  const moved =
    records.length > 0 ? [] : [...orderMoved(before, money), ...pairs(before, money).flatMap(chargeMoved)];
  return [...figures, ...moved].find((words) => words !== undefined);
}

/** `updated_at was 1 and is 2`; undefined when the value did not change, or was not shown before. */
export function moved(name: string, before: Shown, now: Shown): string | undefined {
  if (before === undefined || now === before) return undefined;
  return `${name} was ${String(before)} and is ${now === undefined ? 'not shown' : String(now)}`;
}

/** `amount_refunded` of a charge; undefined when the charge does not show it. */
export function refundedOf({ value }: Pick<ChargeMoney, 'value'>): number | undefined {
  // Assumed: some services show it on a charge too; the document has it on the order only.
  const refunded = valueAt(value, ['amount_refunded']);
  return Number.isSafeInteger(refunded) ? Number(refunded) : undefined;
}

function orderMoved(before: PreImage, now: OrderMoney): (string | undefined)[] {
  return [
    moved('amount', before.amount, now.amount),
    moved('payment_status', before.status, now.status),
    moved('is_refundable', before.isRefundable, now.isRefundable),
    moved('updated_at', before.updatedAt, now.updatedAt),
  ];
}

function chargeMoved([was, now]: readonly [ChargeImage, ChargeMoney]): (string | undefined)[] {
  return [
    moved(`the amount of charge ${was.id}`, was.amount, now.amount),
    moved(`the status of charge ${was.id}`, was.status, now.status),
    moved(`is_refundable of charge ${was.id}`, was.isRefundable, now.isRefundable),
  ];
}

// A sum that was not shown before must be the sum of all records.
function sumMoved(
  name: string,
  before: number | undefined,
  now: number | undefined,
  all: readonly { readonly amount: number }[],
  records: readonly FoundRefund[],
): string | undefined {
  if (now === undefined) {
    // A sum that is missing does not contradict the records that are shown.
    return records.length > 0 ? undefined : moved(name, before, now);
  }
  const [was, since] = before === undefined ? [0, all] : [before, records];
  const expected = was - since.reduce((sum, { amount }) => sum + amount, 0);
  if (now === expected) return undefined;
  const from = before === undefined ? 'is' : `went from ${before} to`;
  const recorded =
    since.length === 0 ? 'no refund is listed for it' : `the refunds listed add up to ${expected - was}`;
  return `${name} ${from} ${now}, but ${recorded}`;
}

function allOf({ charges }: OrderMoney): readonly { readonly amount: number }[] {
  return charges.flatMap(({ refunds }) => refunds);
}

// Charges that are shown before and now. Their ids are unique (readMoney).
function pairs(
  before: Pick<PreImage, 'charges'>,
  money: Pick<OrderMoney, 'charges'>,
): (readonly [ChargeImage, ChargeMoney])[] {
  return before.charges.flatMap((was) =>
    money.charges.filter(({ id }) => id === was.id).map((now) => [was, now] as const),
  );
}

// Rows of an older paydesk lack amount and currency.
type Before = Pick<PreImage, 'amount' | 'currency' | 'charges'>;

/** Why an order shows a capture of other money than the order had before; undefined when nothing contradicts it. */
export function otherCapture(before: Before, value: unknown): string | undefined {
  return (
    differs('amount', before.amount, valueAt(value, ['amount'])) ??
    differs('currency', before.currency, valueAt(value, ['currency']))
  );
}

/**
 * What contradicts these refunds: another currency than before, or a refund that failed. Undefined when nothing does.
 */
export function otherRefund(
  before: Before,
  money: OrderMoney,
  refunds: readonly ShownRefund[],
): string | undefined {
  const own = pairs(before, money)
    .filter(([{ id }]) => refunds.some(({ chargeId }) => chargeId === id))
    .map(([was, now]) => differs(`currency of charge ${was.id}`, was.currency, now.value.currency));
  return [differs('currency', before.currency, money.currency), ...own, ...refunds.map(failed)].find(
    (words) => words !== undefined,
  );
}

// A value that is not shown contradicts nothing.
function differs(name: string, before: number | string | undefined, now: unknown): string | undefined {
  if (before === undefined || now === undefined || now === null) return undefined;
  const shown = shownAs(now);
  if (shown.toUpperCase() === shownAs(before).toUpperCase()) return undefined;
  return `${name} ${shown} instead of ${before}`;
}

function shownAs(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : `a ${typeof value}`;
}

function failed({ id, status }: ShownRefund): string | undefined {
  if (meaningOfRefund(status) !== 'failed') return undefined;
  return `the status ${status} of refund ${id}`;
}
