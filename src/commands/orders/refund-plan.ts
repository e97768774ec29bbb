/** The plan of a refund: what was asked for and the order as read become a request body, or a refusal. Pure. */

import type { ChargeMoney, OrderMoney } from '../../api/charges.ts';
import type { JsonObject, RefundReason, RefundRequest } from '../../api/spec.ts';
import type { ExpectedRefund } from '../../journal/journal.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { commandLine } from '../account.ts';
import { paidBy } from './card.ts';
import {
  checkLimit,
  checkRepeat,
  checkWhole,
  generalWarnings,
  refundableMoney,
  refused,
} from './refund-checks.ts';
import { chooseTarget, type Named } from './refund-target.ts';

/** What a person asked for. Neither charge nor amount: the whole order. */
export interface RefundAsked extends Named {
  readonly reason?: RefundReason | undefined;
  readonly note?: string | undefined;
  /** What this repeats, as `--again` names it. */
  readonly again: readonly string[];
}

/** A refund that may be sent: its body, what it must bring about, and what to warn of. */
export interface RefundPlan {
  readonly money: OrderMoney;
  /** The charge the money comes from; absent for a whole order. */
  readonly charge: ChargeMoney | undefined;
  readonly body: RefundRequest;
  readonly expected: readonly ExpectedRefund[];
  /** Charges that may get a record or none: those that do not count, of a whole order. */
  readonly tolerated: readonly string[];
  /** The sum of it, positive. */
  readonly amount: number;
  /** It is all that is left of its charge. */
  readonly rest: boolean;
  readonly warnings: readonly string[];
}

/** Plans a refund of an order as read. Throws CliError 'refused' with the reason; nothing was sent (service: Endpoints 1). */
export function planRefund(asked: RefundAsked, order: JsonObject, profile: Profile): RefundPlan {
  const money = refundableMoney(order, profile);
  if (asked.charge === undefined) checkWhole(money, profile);
  const target = chooseTarget(asked, money, profile);
  const plan = target === 'whole' ? wholePlan(asked, money) : chargePlan(asked, money, target, profile);
  checkRepeat(plan, asked, profile);
  checkLimit(plan.amount, money, profile);
  return { ...plan, warnings: [...plan.warnings, ...generalWarnings(money, order)] };
}

function wholePlan(asked: RefundAsked, money: OrderMoney): RefundPlan {
  const counting = money.charges.filter((charge) => charge.counts);
  return {
    money,
    charge: undefined,
    body: withReason({}, asked),
    expected: counting.map((charge) => ({ chargeId: charge.id, amount: -charge.amount })),
    tolerated: money.charges.filter((charge) => !charge.counts).map((charge) => charge.id),
    amount: counting.reduce((sum, charge) => sum + charge.amount, 0),
    rest: false,
    warnings: money.charges
      .filter((charge) => charge.isRefundable === false)
      .map(
        (charge) =>
          `the service says that charge ${charge.number} (${paidBy(charge.value)}) is not refundable; it may refuse the whole order`,
      ),
  };
}

function chargePlan(
  asked: RefundAsked,
  money: OrderMoney,
  charge: ChargeMoney,
  profile: Profile,
): RefundPlan {
  const amount = asked.amount ?? charge.left;
  if (amount > charge.left) {
    throw refused(
      `${amount} is more than is left on charge ${charge.number} (${paidBy(charge.value)}) of ${money.id}: ${charge.amount} paid, ${charge.refunded} refunded, ${charge.left} left`,
      [commandLine(profile, 'orders', 'refund', money.id, '--charge', String(charge.number))],
    );
  }
  // Without amount the service refunds the whole charge (service: Endpoints 1, rule 3), so a rest is always said.
  const sendsAmount = asked.amount !== undefined || charge.refunds.length > 0;
  return {
    money,
    charge,
    body: withReason(sendsAmount ? { charge_id: charge.id, amount } : { charge_id: charge.id }, asked),
    expected: [{ chargeId: charge.id, amount: -amount }],
    tolerated: [],
    amount,
    rest: charge.refunds.length > 0 && amount === charge.left,
    warnings:
      charge.refunds.length === 0 ? [] : ['this charge was refunded before; the buyer may mean that refund'],
  };
}

function withReason(body: RefundRequest, { reason }: RefundAsked): RefundRequest {
  return reason === undefined ? body : { ...body, reason };
}
