/** The command that refunds each charge, for when a refund has to name one. Pure. */

import type { ChargeMoney, OrderMoney } from '../../api/charges.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { commandLine } from '../account.ts';
import { paidBy } from './card.ts';

/** A line a charge with what is left of it, and under it the command, on a line of its own so that it can be copied. */
export function chargeCommands(
  money: OrderMoney,
  charges: readonly ChargeMoney[],
  profile: Profile,
  amount?: number,
): string[] {
  return charges.flatMap((charge) => [
    `charge ${charge.number} ${paidBy(charge.value)}: ${charge.left} of ${charge.amount} ${money.currency ?? ''} left`,
    `  ${commandLine(profile, 'orders', 'refund', money.id, '--charge', String(charge.number), ...(amount === undefined ? [] : ['--amount', String(amount)]))}`,
  ]);
}
