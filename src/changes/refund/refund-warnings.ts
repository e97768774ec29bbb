/** What a person should know before a refund is sent, although nothing refuses it. Pure. */

import { figuresIn } from '../../amounts.ts';
import type { OrderMoney } from '../../api/charges.ts';
import { statuses } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { isKnown, type RefundOrigins } from './known-refunds.ts';

const youngMs = 15 * 60_000;

/**
 * Warns about refunds of the last 15 minutes that this machine did not send: somebody else may be refunding the same order.
 */
export function youngWarnings(
  money: OrderMoney,
  { settings }: Profile,
  nowMs: number,
  origins: RefundOrigins,
): string[] {
  const figure = figuresIn(money.currency, settings);
  return money.charges.flatMap(({ number, refunds }) =>
    refunds.flatMap(({ id, amount, createdAt = 0 }) => {
      const ageMs = nowMs - createdAt * 1000;
      if (ageMs > youngMs || isKnown(origins, id)) return [];
      const ago = ageMs < 60_000 ? 'just now' : `${Math.floor(ageMs / 60_000)} min ago`;
      return [
        `${id} refunded ${figure(-amount)} of charge ${number} ${ago}: somebody may be refunding this order now`,
      ];
    }),
  );
}

/** Warns when the order lacks a field that the refund depends on, or when its state or its sums are unusual. */
export function generalWarnings(money: OrderMoney, { settings }: Profile): string[] {
  const figure = figuresIn(money.currency, settings);
  const shown = money.charges.reduce((sum, charge) => sum + charge.refunded, 0);
  return [
    ...statusWarnings(money),
    ...(money.amountRefunded !== undefined && money.amountRefunded > shown
      ? [
          `the order says ${figure(money.amountRefunded)} refunded, but its refunds add up to ${figure(shown)}`,
        ]
      : []),
  ];
}

// Assumed: the word for a payment that the buyer's bank took back; the document shows none.
const chargedBack = 'charged_back';

function statusWarnings({ status, isRefundable, charges }: OrderMoney): string[] {
  const known: readonly string[] = [...Object.values(statuses), chargedBack];
  const back = charges
    .filter((charge) => charge.status === chargedBack)
    .map(({ number }) => `charge ${number}`);
  const who = status === chargedBack ? ['this order'] : back;
  return [
    ...(who.length === 0
      ? []
      : [
          `${who.join(' and ')} was charged back: the bank has paid the buyer, and a refund pays a second time`,
        ]),
    ...(status === undefined
      ? ['the order shows no payment_status; the service decides whether it can be refunded']
      : known.includes(status)
        ? []
        : [
            `paydesk does not know the payment_status ${status}; the service decides whether it can be refunded`,
          ]),
    ...(isRefundable === undefined
      ? ['the order does not show is_refundable; the service decides whether it can be refunded']
      : []),
  ];
}
