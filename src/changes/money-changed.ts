/**
 * Keeps the money of an order as it was read, and says whether it changed since then, apart from refunds that paydesk itself has
 * made. Pure.
 */

import { figuresIn } from '../amounts.ts';
import {
  type ChargeMoney,
  isRefundSum,
  moneyOf,
  type OrderMoney,
  readMoney,
  refundSums,
} from '../api/charges.ts';
import type { JsonObject } from '../api/json-values.ts';
import { statuses } from '../api/spec.ts';
import { type AttemptRecord, madeRefunds } from '../journal/journal.ts';
import type { MoneyBefore } from '../plans/plans.ts';
import type { Profile } from '../profiles/profiles.ts';

/** The money of an order in the form in which it is compared later; undefined if the order does not show all of it. */
export function moneyBefore(order: JsonObject | undefined): MoneyBefore | undefined {
  const money = moneyOf(order);
  if (money === undefined) return undefined;
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
 * What changed, in words; undefined if nothing did. `own`: the attempts at the order that were meant to change it, such as those of a
 * plan, and were made. A refund that the order did not show before must be one of theirs.
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
  const charges = chargesChanged(before, money, figure);
  if (charges !== undefined) return charges;
  const [foreign] = foreignOf(before, money, own);
  if (foreign !== undefined) return `it has a new refund of ${figure(-foreign.amount)}, ${foreign.id}`;
  const isOwn = own.some((record) => !isInSnapshot(before, record));
  return stateChanged(before, money, isOwn);
}

function chargesChanged(
  before: MoneyBefore,
  { charges }: OrderMoney,
  figure: (amount: number) => string,
): string | undefined {
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).join(' ');
  if (ids(before.charges) !== ids(charges)) return 'it has other charges';
  const other = charges.find(({ amount }, index) => amount !== before.charges[index]?.amount);
  if (other !== undefined) return `the amount of charge ${other.number} changed`;
  for (const [index, charge] of before.charges.entries()) {
    const shown = new Map(charges[index]?.refunds.map(({ id, amount }) => [id, amount]));
    for (const { id, amount } of charge.refunds) {
      const now = shown.get(id);
      if (now === undefined) return `refund ${id} is not shown any more`;
      if (now !== amount) return `refund ${id} was ${figure(-amount)} and is ${figure(-now)}`;
    }
  }
  return undefined;
}

/** A refund that is not one of ours, and its charge. */
type ForeignRefund = ChargeMoney['refunds'][number] & { readonly chargeId: string };

/**
 * The refunds of an order that were not there before, did not fail, and do not belong to these attempts; none if the order does
 * not show them.
 */
export function foreignRefunds(
  before: MoneyBefore,
  order: JsonObject,
  own: readonly AttemptRecord[],
): readonly ForeignRefund[] {
  const money = moneyOf(order);
  return money === undefined
    ? []
    : foreignOf(before, money, own).filter(({ meaning }) => meaning !== 'failed');
}

// A refund is recognised as ours by its id. If the journal has no id, since a person recorded the refund, it is recognised by
// charge and amount.
function foreignOf(
  before: MoneyBefore,
  { charges }: OrderMoney,
  own: readonly AttemptRecord[],
): readonly ForeignRefund[] {
  const ids = new Set(own.flatMap(idsOf));
  const unnamed = own
    .filter((record) => idsOf(record).length === 0)
    .flatMap(({ sent }) => sent.proof.expected.map(({ chargeId, amount }) => `${chargeId} ${amount}`));
  const known = new Set(before.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  const foreign: ForeignRefund[] = [];
  for (const { id: chargeId, refunds } of charges) {
    for (const refund of refunds) {
      if (known.has(refund.id) || ids.has(refund.id)) continue;
      const at = unnamed.indexOf(`${chargeId} ${refund.amount}`);
      if (at === -1) foreign.push({ ...refund, chargeId });
      else unnamed.splice(at, 1);
    }
  }
  return foreign;
}

function idsOf(record: AttemptRecord): readonly string[] {
  return madeRefunds(record).flatMap(({ id }) => id ?? []);
}

function isInSnapshot({ charges }: MoneyBefore, record: AttemptRecord): boolean {
  const ids = idsOf(record);
  return (
    ids.length > 0 && ids.every((id) => charges.some(({ refunds }) => refunds.some((one) => one.id === id)))
  );
}

type Fact = string | number | boolean | undefined;

// `isOwn`: refunds of ours were made since. They explain a status which says that money went back, on the order and on their
// charges, and that these can no longer be refunded. A chargeback, for example, is still a change.
function stateChanged(before: MoneyBefore, money: OrderMoney, isOwn: boolean): string | undefined {
  const fact = (name: string, was: Fact, is: Fact, isExplained: boolean): readonly string[] =>
    was === is || isExplained
      ? []
      : [`${name} was ${String(was ?? 'absent')} and is ${String(is ?? 'absent')}`];
  const [first] = [
    ...fact('payment_status', before.status, money.status, isOwn && isAfterRefund(money.status)),
    ...fact('is_refundable', before.isRefundable, money.isRefundable, isOwn && money.isRefundable === false),
    ...sumChanged(before, money),
    ...money.charges.flatMap((charge, index) => {
      const was = before.charges[index];
      const isOfOwn = charge.refunds.length > (was?.refunds.length ?? 0);
      return [
        ...fact(
          `the status of charge ${charge.number}`,
          was?.status,
          charge.status,
          isOfOwn && isAfterRefund(charge.status),
        ),
        ...fact(
          `is_refundable of charge ${charge.number}`,
          was?.isRefundable,
          charge.isRefundable,
          isOfOwn && charge.isRefundable === false,
        ),
      ];
    }),
  ];
  return first;
}

function isAfterRefund(status: string | undefined): boolean {
  return status === statuses.refunded || status === statuses.partiallyRefunded;
}

// Our own refunds change `amount_refunded` by just their sum.
function sumChanged({ amountRefunded: was, charges }: MoneyBefore, money: OrderMoney): readonly string[] {
  const is = money.amountRefunded;
  const known = new Set(charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  const since = money.charges.flatMap(({ refunds }) => refunds.filter(({ id }) => !known.has(id)));
  const sums = refundSums(since);
  if (
    was === undefined ? is === undefined || sums.taken > 0 : is !== undefined && isRefundSum(is - was, sums)
  )
    return [];
  const shown = `amount_refunded was ${was ?? 'absent'} and is ${is ?? 'absent'}`;
  return [sums.refunded === 0 ? shown : `${shown}, and the refunds since then are ${sums.refunded}`];
}
