/** The money of an order as a plan keeps it, and whether it changed since, apart from the refunds of the plan itself. Pure. */

import { figuresIn } from '../../amounts.ts';
import { type ChargeMoney, type OrderMoney, readMoney } from '../../api/charges.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import type { MoneyBefore } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';

/** The money of an order as a plan keeps it; undefined if the order does not show all of it. */
export function moneyBefore(order: JsonObject | undefined): MoneyBefore | undefined {
  const reading = order && readMoney(order);
  if (reading === undefined || 'problem' in reading) return undefined;
  const { money } = reading;
  const { amount, currency, amountRefunded, status, isRefundable } = money;
  const charges = money.charges.map((charge) => ({
    id: charge.id,
    amount: charge.amount,
    status: charge.status,
    isRefundable: charge.isRefundable,
    refunds: charge.refunds.map((refund) => ({ id: refund.id, amount: refund.amount })),
  }));
  return { amount, currency, amountRefunded, status, isRefundable, charges };
}

/**
 * What changed, in words; undefined if nothing did. `own`: the attempts of this plan at the order that were made. A refund that
 * the order shows besides those of the plan's snapshot must be one of theirs.
 */
export function driftOf(
  before: MoneyBefore,
  order: JsonObject,
  own: readonly AttemptRecord[],
  { settings }: Pick<Profile, 'settings'>,
): string | undefined {
  const reading = readMoney(order);
  if ('problem' in reading) return reading.problem;
  const { money } = reading;
  const figure = figuresIn(before.currency, settings);
  if (money.currency !== before.currency)
    return `its currency was ${before.currency ?? 'absent'} and is ${money.currency ?? 'absent'}`;
  if (money.amount !== before.amount)
    return `its amount was ${figure(before.amount)} and is ${figure(money.amount)}`;
  const charges = chargesChanged(before, money);
  if (charges !== undefined) return charges;
  const foreign = foreignRefund(before, money, own);
  if (foreign !== undefined)
    return `it has a refund of ${figure(-foreign.amount)} that is not of this plan, ${foreign.id}`;
  const isOwn = own.some((record) => !isInSnapshot(before, record));
  return isOwn ? undefined : stateChanged(before, money);
}

function chargesChanged(before: MoneyBefore, { charges }: OrderMoney): string | undefined {
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).join(' ');
  if (ids(before.charges) !== ids(charges)) return 'it has other charges';
  const other = charges.find(({ amount }, index) => amount !== before.charges[index]?.amount);
  if (other !== undefined) return `the amount of charge ${other.number} changed`;
  for (const [index, charge] of before.charges.entries()) {
    const shown = new Set(charges[index]?.refunds.map(({ id }) => id));
    const gone = charge.refunds.find(({ id }) => !shown.has(id));
    if (gone !== undefined) return `refund ${gone.id} is not shown any more`;
  }
  return undefined;
}

// A refund is the plan's own by its id. If the journal has no id, since a person recorded the refund, by charge and amount.
function foreignRefund(
  before: MoneyBefore,
  { charges }: OrderMoney,
  own: readonly AttemptRecord[],
): ChargeMoney['refunds'][number] | undefined {
  const ids = new Set(own.flatMap(idsOf));
  const unnamed = own
    .filter((record) => idsOf(record).length === 0)
    .flatMap(({ sent }) => sent.proof.expected.map(({ chargeId, amount }) => `${chargeId} ${amount}`));
  for (const [index, charge] of charges.entries()) {
    const known = new Set(before.charges[index]?.refunds.map(({ id }) => id));
    for (const refund of charge.refunds) {
      if (known.has(refund.id) || ids.has(refund.id)) continue;
      const at = unnamed.indexOf(`${charge.id} ${refund.amount}`);
      if (at === -1) return refund;
      unnamed.splice(at, 1);
    }
  }
  return undefined;
}

function idsOf({ verdicts }: AttemptRecord): readonly string[] {
  return (verdicts.at(-1)?.refunds ?? []).flatMap(({ id }) => id ?? []);
}

function isInSnapshot({ charges }: MoneyBefore, record: AttemptRecord): boolean {
  const ids = idsOf(record);
  return (
    ids.length > 0 && ids.every((id) => charges.some(({ refunds }) => refunds.some((one) => one.id === id)))
  );
}

// The plan's own refunds change these, so they are compared only as long as it made none.
function stateChanged(before: MoneyBefore, money: OrderMoney): string | undefined {
  type Fact = string | number | boolean | undefined;
  const facts: readonly (readonly [string, Fact, Fact])[] = [
    ['payment_status', before.status, money.status],
    ['is_refundable', before.isRefundable, money.isRefundable],
    ['amount_refunded', before.amountRefunded, money.amountRefunded],
    ...money.charges.flatMap((charge, index) => {
      const was = before.charges[index];
      return [
        [`the status of charge ${charge.number}`, was?.status, charge.status],
        [`is_refundable of charge ${charge.number}`, was?.isRefundable, charge.isRefundable],
      ] as const;
    }),
  ];
  const changed = facts.find(([, was, is]) => was !== is);
  if (changed === undefined) return undefined;
  const [name, was, is] = changed;
  return `${name} was ${String(was ?? 'absent')} and is ${String(is ?? 'absent')}`;
}
