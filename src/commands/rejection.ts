/** The refusals of the service, explained from what the error or a read shows. Pure. */

import { type ChargeMoney, type OrderMoney, readMoney } from '../api/charges.ts';
import { documentedErrorOf } from '../api/spec.ts';
import type { CliErrorParts } from '../errors.ts';
import type { FoundRefund } from '../journal/journal.ts';
import type { Profile } from '../profiles/profiles.ts';
import { commandLine } from './account.ts';
import { chargeCommands } from './orders/charge-commands.ts';

/** What an explained refusal adds to the service's own words. */
export interface Explained {
  readonly message?: string;
  readonly certain?: string;
  readonly now?: readonly string[];
}

/** What a refusal is explained from. */
export interface Refusal {
  readonly profile: Profile;
  readonly parts: CliErrorParts;
  /** The order as the confirming read gave it, when there was one. */
  readonly order: unknown;
  readonly orderId: string | undefined;
  /** Refunds that appeared since the order was read for the last time before the sending: others made them. */
  readonly others: readonly FoundRefund[];
  /** A time (Unix seconds) in full. */
  readonly time: (seconds: number) => string;
}

/** Explains a refusal that is documented (service: Errors); empty for any other. */
export function explainRejection(refusal: Refusal): Explained {
  const { parts, order } = refusal;
  switch (documentedErrorOf(parts)) {
    case 'notReturnable':
      return notReturnable(refusal, moneyOf(order));
    case 'chargeIdRequired':
      return chargeIdRequired(refusal, moneyOf(parts.data) ?? moneyOf(order));
    default:
      return {};
  }
}

function moneyOf(order: unknown): OrderMoney | undefined {
  const reading = readMoney(order);
  return 'money' in reading ? reading.money : undefined;
}

// Which charge is not refundable, and what went back already, as far as a read shows it.
function notReturnable(refusal: Refusal, money: OrderMoney | undefined): Explained {
  const { profile, orderId } = refusal;
  const id = orderId ?? money?.id ?? '';
  const show = commandLine(profile, 'orders', 'show', id);
  if (money === undefined) return { message: `order ${id} is not refundable`, now: [show] };
  const blocked = money.charges.filter((charge) => charge.isRefundable === false);
  const open =
    money.isRefundable === false
      ? []
      : money.charges.filter((charge) => charge.counts && charge.isRefundable !== false);
  const whole = blocked.length === 0 || open.length === 0 ? '' : ' as a whole';
  const which = open.length === 0 ? '' : `: ${blocked.map(nameOf).join(' and ')} cannot be refunded`;
  return {
    message: `order ${id} is not refundable${whole}${blocked.length === 0 ? '' : which}`,
    certain: wentBack(money, refusal),
    now: [...bankWords(money), ...chargeCommands(money, open, profile), show],
  };
}

function wentBack(money: OrderMoney, { others, time }: Refusal): string {
  const records = money.charges.flatMap(({ refunds }) => refunds);
  const sum = records.reduce((total, { amount }) => total + Math.abs(amount), 0);
  if (sum === 0) return 'nothing of this order went back before';
  const last = Math.max(...records.map(({ createdAt }) => createdAt ?? 0));
  const when = last === 0 ? 'before' : `on ${time(last)}`;
  const whose = others.length === 0 ? '' : ', not from this machine';
  return `${sum} of ${money.amount} ${money.currency ?? ''} went back ${when}${whose}`;
}

// What a bank finds a refund by.
function bankWords({ charges }: OrderMoney): readonly string[] {
  const refunds = charges.flatMap((charge) => charge.refunds);
  const codes = [
    ...new Set(refunds.map(({ authCode }) => authCode).filter((code) => code !== undefined && code !== '')),
  ];
  if (codes.length === 0) return [];
  return [
    `give the buyer that time and the bank's auth ${codes.length === 1 ? 'code' : 'codes,'} ${codes.join(' and ')}`,
  ];
}

function chargeIdRequired({ profile, orderId }: Refusal, money: OrderMoney | undefined): Explained {
  const charges = money?.charges ?? [];
  return {
    message: `order ${orderId ?? money?.id ?? ''} was paid by ${charges.length === 0 ? 'several' : charges.length} charges: a part of it needs a charge`,
    now: money === undefined ? [] : chargeCommands(money, charges, profile),
  };
}

function nameOf(charge: ChargeMoney): string {
  return `charge ${charge.number} (${charge.id})`;
}
