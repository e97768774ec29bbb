/** The order as read right before the sending, against the order as it was shown. */

import { type OrderMoney, readMoney } from '../../api/charges.ts';
import { CliError } from '../../errors.ts';
import type { Context, WireRecord } from '../../ports.ts';
import { type Confirmable, confirmAgain } from '../confirm.ts';

/**
 * Money changed since it was shown: refuses with the difference. Only other fields changed: shows them and asks again.
 * Throws CliError 'refused' or 'cancelled'; nothing was sent.
 */
export async function checkUnchanged(
  ctx: Context,
  shown: WireRecord,
  fresh: WireRecord,
  confirmable: Confirmable,
): Promise<void> {
  const difference = moneyDifference(moneyLines(shown), moneyLines(fresh));
  if (difference.length > 0) {
    throw new CliError('refused', `${confirmable.id} changed since it was shown: ${difference.join('; ')}`, {
      certain: 'nothing was sent',
      now: ['look at it again, then decide anew'],
    });
  }
  const fields = changedFields(shown, fresh);
  if (fields.length === 0) return;
  ctx.notes.warn(
    `since it was shown, other fields of ${confirmable.id} changed (${fields.join(', ')}); its money did not`,
  );
  await confirmAgain(ctx, confirmable);
}

function moneyLines({ value }: WireRecord): ReadonlyMap<string, string> {
  const reading = readMoney(value);
  return new Map('money' in reading ? facts(reading.money) : [['money', reading.problem]]);
}

function facts(money: OrderMoney): [string, string][] {
  return [
    ['amount', String(money.amount)],
    ['amount_refunded', String(money.amountRefunded)],
    ['payment_status', String(money.status)],
    ['is_refundable', String(money.isRefundable)],
    ['currency', String(money.currency)],
    ...money.charges.flatMap((charge): [string, string][] => [
      [`charge ${charge.id}`, `${charge.amount} ${charge.status} ${charge.isRefundable}`],
      ...charge.refunds.map((refund): [string, string] => [`refund ${refund.id}`, String(refund.amount)]),
    ]),
  ];
}

function moneyDifference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name} ${before.get(name) ?? 'was not there'} -> ${after.get(name) ?? 'gone'}`);
}

function changedFields(shown: WireRecord, fresh: WireRecord): string[] {
  const names = new Set([...Object.keys(shown.value), ...Object.keys(fresh.value)]);
  return [...names].filter((name) => plain(shown.value[name]) !== plain(fresh.value[name]));
}

function plain(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
}
