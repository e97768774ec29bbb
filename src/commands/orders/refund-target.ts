/** Which money a refund is about: the whole order, or the one charge that was named or is the only one. Pure. */

import type { ChargeMoney, OrderMoney } from '../../api/charges.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { paidBy } from './card.ts';
import { chargeCommands } from './charge-commands.ts';
import { refused, showOrder } from './refund-checks.ts';

/** What names the money: a charge, an amount, both, or neither for the whole order. */
export interface Named {
  /** A charge's id, its number in `orders show`, or `*4242`. */
  readonly charge?: string | undefined;
  readonly amount?: number | undefined;
}

/** Throws CliError 'refused', with the command for each charge, when it is not clear (service: Endpoints 1, rules 1 to 4). */
export function chooseTarget(asked: Named, money: OrderMoney, profile: Profile): 'whole' | ChargeMoney {
  const counting = money.charges.filter((charge) => charge.counts);
  if (asked.charge !== undefined) return namedCharge(asked.charge, money, profile);
  const [only] = counting;
  if (only === undefined)
    throw refused(`${money.id} has nothing left to refund: no charge of it is paid and has something left`, [
      showOrder(money, profile),
    ]);
  const touched = wasTouched(money);
  if (counting.length === 1 && (touched || asked.amount !== undefined)) {
    checkCharge(only, money, profile);
    return only;
  }
  if (asked.amount !== undefined) {
    throw refused(
      `${money.id} has ${counting.length} charges: say which one --amount is for`,
      chargeCommands(money, counting, profile, asked.amount),
    );
  }
  if (touched) {
    throw refused(
      `${money.id} was refunded in part before: say which charge to refund the rest of`,
      chargeCommands(money, counting, profile),
    );
  }
  return 'whole';
}

/** Whether all of the order can go back at once: nothing of it did before, and the service does not say no. */
export function canGoBackWhole(money: OrderMoney): boolean {
  return !wasTouched(money) && money.isRefundable !== false;
}

function wasTouched({ charges }: OrderMoney): boolean {
  return charges.some((charge) => charge.refunds.length > 0);
}

function namedCharge(name: string, money: OrderMoney, profile: Profile): ChargeMoney {
  const found = money.charges.filter(
    (charge) => charge.id === name || String(charge.number) === name || paidBy(charge.value) === name,
  );
  const exact = found.find((charge) => charge.id === name);
  const [charge] = exact === undefined ? found : [exact];
  if (charge === undefined || (exact === undefined && found.length > 1)) {
    const problem = charge === undefined ? `has no charge ${name}` : `has ${found.length} charges ${name}`;
    throw refused(
      `${money.id} ${problem}`,
      chargeCommands(
        money,
        money.charges.filter(({ counts }) => counts),
        profile,
      ),
    );
  }
  checkCharge(charge, money, profile);
  return charge;
}

function checkCharge(charge: ChargeMoney, money: OrderMoney, profile: Profile): void {
  const name = `charge ${charge.number} (${paidBy(charge.value)}) of ${money.id}`;
  const now = [showOrder(money, profile)];
  if (charge.left <= 0)
    throw refused(`${name} is refunded already: ${charge.refunded} of ${charge.amount} went back`, now);
  if (charge.isRefundable === false)
    throw refused(`the service says that ${name} is not refundable (is_refundable false)`, now);
  if (!charge.counts)
    throw refused(`${name} is ${charge.status ?? 'not paid'}: there is nothing to refund on it`, now);
}
