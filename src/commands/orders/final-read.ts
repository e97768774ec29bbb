/** The order as read right before the sending, against the order as it was shown. */

import type { WireRecord } from '../../api/api.ts';
import { type ChargeMoney, readMoney } from '../../api/charges.ts';
import { CliError } from '../../errors.ts';
import type { Context } from '../command.ts';
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

const moneyFields = ['amount', 'amount_refunded', 'payment_status', 'is_refundable', 'currency'];

// What the order says itself counts even where its charges cannot be read; those are compared whole then.
function moneyLines({ value }: WireRecord): ReadonlyMap<string, string> {
  const reading = readMoney(value);
  return new Map([
    ...moneyFields.map((name): [string, string] => [name, told(value[name])]),
    ...('money' in reading
      ? reading.money.charges.flatMap(chargeLines)
      : [['charges', told(value.charges)] as const]),
  ]);
}

function chargeLines(charge: ChargeMoney): [string, string][] {
  return [
    [`charge ${charge.id}`, `${charge.amount} ${charge.status} ${charge.isRefundable}`],
    ...charge.refunds.map(({ id, amount }): [string, string] => [
      `refund ${id} of charge ${charge.id}`,
      String(amount),
    ]),
  ];
}

function moneyDifference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => {
      // A list of charges is no line to read.
      if (name === 'charges') return name;
      return `${name} ${before.get(name) ?? 'was not there'} -> ${after.get(name) ?? 'gone'}`;
    });
}

function changedFields(shown: WireRecord, fresh: WireRecord): string[] {
  const names = new Set([...Object.keys(shown.value), ...Object.keys(fresh.value)]);
  return [...names].filter((name) => plain(shown.value[name]) !== plain(fresh.value[name]));
}

function told(value: unknown): string {
  if (value === undefined || value === null) return 'absent';
  return typeof value === 'string' ? value : (plain(value) ?? '');
}

function plain(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
}
