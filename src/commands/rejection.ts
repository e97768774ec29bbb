/** The documented refusals of the service, explained from what the error or a read shows. Pure. */

import { type ChargeMoney, type OrderMoney, readMoney } from '../api/charges.ts';
import { codeWithoutBrand, documentedErrors } from '../api/spec.ts';
import type { CliErrorParts } from '../errors.ts';
import type { Profile } from '../ports.ts';
import { commandLine } from './account.ts';
import { chargeCommands } from './orders/charge-commands.ts';

/** What an explained refusal adds to the service's own words. */
export interface Explained {
  readonly message?: string;
  readonly certain?: string;
  readonly now?: readonly string[];
}

/** Explains a refusal by its code, matched after the brand (service: Errors); empty for any other. */
export function explainRejection(
  profile: Profile,
  parts: CliErrorParts,
  order: unknown,
  orderId: string | undefined,
): Explained {
  const code = codeWithoutBrand(parts.code ?? '');
  if (code === documentedErrors.notReturnable.code) return notReturnable(profile, moneyOf(order), orderId);
  if (code === documentedErrors.chargeIdRequired.code)
    return chargeIdRequired(profile, moneyOf(parts.data) ?? moneyOf(order), orderId);
  return {};
}

function moneyOf(order: unknown): OrderMoney | undefined {
  const reading = readMoney(order);
  return 'money' in reading ? reading.money : undefined;
}

// Which charge is not refundable, and what went back already, as far as a read shows it.
function notReturnable(
  profile: Profile,
  money: OrderMoney | undefined,
  orderId: string | undefined,
): Explained {
  const id = orderId ?? money?.id ?? '';
  const show = commandLine(profile, 'orders', 'show', id);
  if (money === undefined) return { message: `order ${id} is not refundable`, now: [show] };
  const refunds = money.charges.flatMap((charge) => charge.refunds);
  const refunded = money.charges.reduce((sum, charge) => sum + charge.refunded, 0);
  const blocked = money.charges.filter((charge) => charge.isRefundable === false);
  const open = money.charges.filter((charge) => charge.counts && charge.isRefundable !== false);
  return {
    message: `order ${id} is not refundable as a whole${blocked.length === 0 ? '' : `: ${blocked.map(nameOf).join(' and ')} cannot be refunded`}`,
    certain: `${refunded} of ${money.amount} ${money.currency ?? ''} went back before${refunds.length === 0 ? '' : ` (${refunds.map((refund) => refund.id).join(', ')})`}`,
    now: [...chargeCommands(money, open, profile), show],
  };
}

function chargeIdRequired(
  profile: Profile,
  money: OrderMoney | undefined,
  orderId: string | undefined,
): Explained {
  const charges = money?.charges ?? [];
  return {
    message: `order ${orderId ?? money?.id ?? ''} was paid by ${charges.length === 0 ? 'several' : charges.length} charges: a part of it needs a charge`,
    now: money === undefined ? [] : chargeCommands(money, charges, profile),
  };
}

function nameOf(charge: ChargeMoney): string {
  return `charge ${charge.number} (${charge.id})`;
}
