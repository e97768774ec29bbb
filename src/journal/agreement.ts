/** Decides whether an order's figures fit its refund records, and whether anything contradicts them: the rule of evidence. Pure. */

import { type ChargeMoney, moneyOf, type OrderMoney } from '../api/charges.ts';
import { valueAt } from '../api/json-values.ts';
import { meaningOfRefund, type RefundMeaning } from '../api/spec.ts';
import type { FoundRefund } from './change.ts';
import type { ChargeImage, PreImage, Proof } from './rows/journal-rows.ts';

/** A refund record that an order shows. It has an id: without one, the money of the order is not read at all. */
export type ShownRefund = FoundRefund & { readonly id: string };

type Shown = string | number | boolean | undefined;

/** What the status of a refund that was found means. */
export function meaningOf({ status }: Pick<FoundRefund, 'status'>): RefundMeaning {
  return meaningOfRefund(status);
}

/** Whether the service has taken this refund, and its money did not go back. */
export function isFailed(refund: Pick<FoundRefund, 'status'>): boolean {
  return meaningOf(refund) === 'failed';
}

/** Whether the service has taken this refund, and has not made it yet. */
export function isPending(refund: Pick<FoundRefund, 'status'>): boolean {
  return meaningOf(refund) === 'pending';
}

/**
 * The first figure that does not fit the new refund records, in words that name both; undefined when all figures fit. Every sum
 * must have moved by the amounts of the new records, and of older ones whose status has changed since then. If there are neither,
 * nothing may have moved: no status, no `is_refundable`, no `updated_at` (service: order, charge).
 */
export function disagreement(
  before: PreImage,
  money: OrderMoney,
  records: readonly FoundRefund[],
): string | undefined {
  const older = pairs(before, money).flatMap(([was, now]) => changedSince(was, now));
  const all = money.charges.flatMap(({ refunds }) => refunds);
  const figures = [
    sumMoved('amount_refunded', before.amountRefunded, money.amountRefunded, { all, records, older }),
    ...pairs(before, money).map(([was, now]) =>
      sumMoved(`amount_refunded of charge ${was.id}`, was.amountRefunded, refundedOf(now), {
        all: now.refunds,
        records: records.filter(({ chargeId }) => chargeId === was.id),
        older: changedSince(was, now),
      }),
    ),
  ];
  const moved =
    records.length > 0 || older.length > 0
      ? []
      : [...orderMoved(before, money), ...pairs(before, money).flatMap(chargeMoved)];
  return [...figures, ...moved].find((words) => words !== undefined);
}

/** The same proof as if the refunds that the order does not show any more had never been made, and their money never gone back. */
export function withoutGone(proof: Proof, order: unknown): Proof {
  const shown = new Set(moneyOf(order)?.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  const { before } = proof;
  const charges = before.charges.map((charge) => {
    const refunds = charge.refunds.filter(({ id }) => shown.has(id));
    return { ...charge, refunds, amountRefunded: without(charge.amountRefunded, [charge], shown) };
  });
  const amountRefunded = without(before.amountRefunded, before.charges, shown);
  return { ...proof, before: { ...before, charges, amountRefunded } };
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

// Amounts of records are negative (service: refund).
function without(
  sum: number | undefined,
  charges: PreImage['charges'],
  shown: ReadonlySet<string>,
): number | undefined {
  const gone = charges
    .flatMap(({ refunds }) => refunds)
    .filter((refund) => !shown.has(refund.id) && meaningOf(refund) === 'made');
  return sum === undefined ? undefined : gone.reduce((left, { amount }) => left + amount, sum);
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

/** A record with its amount (negative, service: refund) and its status. */
type Counted = Pick<FoundRefund, 'amount' | 'status'> & { readonly id?: string | undefined };

/** A refund from before, whose status has changed since then. */
interface Changed {
  readonly was: Counted;
  readonly now: Counted;
}

interface Listed {
  readonly all: readonly Counted[];
  readonly records: readonly Counted[];
  readonly older: readonly Changed[];
}

function changedSince({ refunds }: ChargeImage, now: ChargeMoney): readonly Changed[] {
  return refunds.flatMap((was) => {
    const shown = now.refunds.find(({ id }) => id === was.id);
    return shown === undefined || meaningOf(shown) === meaningOf(was) ? [] : [{ was, now: shown }];
  });
}

// A sum that was not shown before must be the sum of all records. Assumed: a failed refund is in no sum, and a sum has either all
// refunds in it that are not made yet, or none of them.
function sumMoved(
  name: string,
  before: number | undefined,
  now: number | undefined,
  { all, records, older }: Listed,
): string | undefined {
  if (now === undefined) {
    // A sum that is missing does not contradict the records that are shown.
    return records.length > 0 ? undefined : moved(name, before, now);
  }
  const was = before ?? 0;
  const since = before === undefined ? all : records;
  const changed = before === undefined ? [] : older;
  const expected = (withPending: boolean) =>
    was +
    since.reduce((sum, one) => sum + countedOf(one, withPending), 0) +
    changed.reduce((sum, one) => sum + countedOf(one.now, withPending) - countedOf(one.was, withPending), 0);
  if (now === expected(true) || now === expected(false)) return undefined;
  const from = before === undefined ? 'is' : `went from ${before} to`;
  const failed = [...since, ...changed.map((one) => one.now)].filter(isFailed);
  const names = failed.map(({ id, status }) => `${id} (status ${status})`);
  const without = names.length === 0 ? '' : ` without ${names.join(' and ')}`;
  const recorded =
    since.length + changed.length === 0
      ? 'no refund is listed for it'
      : `the refunds listed add up to ${expected(true) - was}${without}`;
  return `${name} ${from} ${now}, but ${recorded}`;
}

function countedOf(refund: Counted, withPending: boolean): number {
  const meaning = meaningOf(refund);
  return meaning === 'made' || (withPending && meaning !== 'failed') ? -refund.amount : 0;
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

/**
 * What contradicts a capture that an order shows: another amount or currency than the order had before. Undefined when nothing
 * does.
 */
export function otherCapture(before: Before, value: unknown): string | undefined {
  return (
    differs('amount', before.amount, valueAt(value, ['amount'])) ??
    differs('currency', before.currency, valueAt(value, ['currency']))
  );
}

/** What contradicts these refunds: another currency than before. Undefined when nothing does. */
export function otherRefund(
  before: Before,
  money: OrderMoney,
  refunds: readonly ShownRefund[],
): string | undefined {
  const own = pairs(before, money)
    .filter(([{ id }]) => refunds.some(({ chargeId }) => chargeId === id))
    .map(([was, now]) => differs(`currency of charge ${was.id}`, was.currency, now.value.currency));
  return [differs('currency', before.currency, money.currency), ...own].find((words) => words !== undefined);
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
