/** Whether everything that an order shows moved as its refund records say. Pure. */

import type { ChargeMoney, OrderMoney } from '../api/charges.ts';
import { valueAt } from '../api/spec.ts';
import type { FoundRefund } from '../ports.ts';
import type { ChargeImage, PreImage } from './rows.ts';

type Shown = string | number | boolean | undefined;

/**
 * What speaks against these new refund records being all that was refunded since; undefined when nothing does. The sums
 * must move by what the records say. Where there is no record, nothing may have moved: neither a status, nor
 * `is_refundable`, nor `updated_at` (service: order, charge).
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

/** What an order shows that did not stay as it was; undefined when all of it did, and when nothing was shown before. */
export function moved(name: string, before: Shown, now: Shown): string | undefined {
  if (before === undefined || now === before) return undefined;
  return `${name} was ${String(before)} and is ${now === undefined ? 'not shown' : String(now)}`;
}

// Not documented; some services show it on a charge as well.
/** `amount_refunded` of a charge. */
export function refundedOf({ value }: Pick<ChargeMoney, 'value'>): number | undefined {
  const refunded = valueAt(value, ['amount_refunded']);
  return typeof refunded === 'number' && Number.isSafeInteger(refunded) ? refunded : undefined;
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

// A figure that was not shown before must be the sum of all records that there are.
function sumMoved(
  name: string,
  before: number | undefined,
  now: number | undefined,
  all: readonly { readonly amount: number }[],
  records: readonly FoundRefund[],
): string | undefined {
  if (now === undefined) {
    // Absent is "not shown": it takes nothing away from records that are there.
    return records.length > 0 ? undefined : moved(name, before, now);
  }
  const [was, since] = before === undefined ? [0, all] : [before, records];
  const expected = was - since.reduce((sum, { amount }) => sum + amount, 0);
  if (now === expected) return undefined;
  const from = before === undefined ? 'is' : `went from ${before} to`;
  const many = since.length === 0 ? 'no refund shows for it' : `the refunds shown come to ${expected - was}`;
  return `${name} ${from} ${now}, but ${many}`;
}

function allOf({ charges }: OrderMoney): readonly { readonly amount: number }[] {
  return charges.flatMap(({ refunds }) => refunds);
}

function pairs(before: PreImage, money: OrderMoney): (readonly [ChargeImage, ChargeMoney])[] {
  return before.charges.flatMap((was) => {
    const now = money.charges.find(({ id }) => id === was.id);
    return now === undefined ? [] : [[was, now] as const];
  });
}
