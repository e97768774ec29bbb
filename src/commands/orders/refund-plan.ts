/** The plan of a refund: what was asked for and the order as read become a request body, or a refusal. Pure. */

import { type ChargeMoney, type OrderMoney, readMoney } from '../../api/charges.ts';
import {
  type JsonObject,
  livemodeOf,
  type RefundReason,
  type RefundRequest,
  statuses,
} from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { ExpectedRefund, Profile } from '../../ports.ts';
import { commandLine } from '../account.ts';
import { payedBy } from './order-view.ts';

/** What a person asked for. Neither charge nor amount: the whole order. */
export interface RefundAsked {
  /** A charge's id, its number in `orders show`, or `*4242`. */
  readonly charge?: string | undefined;
  readonly amount?: number | undefined;
  readonly reason?: RefundReason | undefined;
  readonly note?: string | undefined;
  /** A repeat of an equal refund is meant. */
  readonly again: boolean;
}

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
  const money = provableMoney(order);
  checkMode(order, profile);
  checkState(money, asked);
  const target = chooseTarget(asked, money, profile);
  const plan = target === 'whole' ? wholePlan(asked, money) : chargePlan(asked, money, target, profile);
  checkRepeat(plan, asked, profile);
  checkLimit(plan, profile);
  return { ...plan, warnings: [...plan.warnings, ...generalWarnings(money, order)] };
}

function refused(message: string, now: readonly string[] = []): CliError {
  return new CliError('refused', message, { certain: 'nothing was sent', now });
}

/** An order of the wrong mode is refused before anything else is looked at (service: Authentication 5). */
export function checkMode(order: JsonObject, profile: Profile): void {
  const { livemode, id } = order;
  if (typeof livemode !== 'boolean' || livemode === livemodeOf[profile.mode]) return;
  throw refused(
    `profile ${profile.name} says ${profile.mode}, but ${String(id)} is ${livemode ? 'real money' : 'practice'} (livemode ${livemode})`,
    [
      `this profile holds a ${livemode ? 'production' : 'sandbox'} key; do not use it for ${livemode ? 'practice' : 'real money'}:`,
      `paydesk profile check ${profile.name}`,
    ],
  );
}

function provableMoney(order: JsonObject): OrderMoney {
  const reading = readMoney(order);
  if ('money' in reading) return reading.money;
  throw refused(`${String(order.id)} cannot be refunded safely: ${reading.problem}`, [
    'its outcome could not be proved afterwards; ask who runs the service',
  ]);
}

function checkState(money: OrderMoney, asked: RefundAsked): void {
  if (money.status === statuses.preAuthorized) {
    throw refused(`${money.id} is not charged yet (${money.status})`, [
      'paydesk has no documented way to release it; do not capture in order to refund',
    ]);
  }
  if (money.status === statuses.refunded) throw refused(`${money.id} is refunded already: ${sumLine(money)}`);
  if (money.isRefundable === false && asked.charge === undefined) {
    throw refused(
      `the service says that ${money.id} is not refundable (is_refundable false): ${sumLine(money)}`,
    );
  }
}

function sumLine(money: OrderMoney): string {
  const refunded = money.charges.reduce((sum, charge) => sum + charge.refunded, 0);
  return `${refunded} of ${money.amount} ${money.currency ?? ''} went back`.trim();
}

/** A line a charge, with the command that refunds it. */
function chargeCommands(
  money: OrderMoney,
  charges: readonly ChargeMoney[],
  profile: Profile,
  amount?: number,
): string[] {
  return charges.flatMap((charge) => [
    `charge ${charge.number} ${payedBy(charge.value)}: ${charge.left} of ${charge.amount} ${money.currency ?? ''} left`,
    `  ${commandLine(profile, 'orders', 'refund', money.id, '--charge', String(charge.number), ...(amount === undefined ? [] : ['--amount', String(amount)]))}`,
  ]);
}

function chooseTarget(asked: RefundAsked, money: OrderMoney, profile: Profile): 'whole' | ChargeMoney {
  const counting = money.charges.filter((charge) => charge.counts);
  if (asked.charge !== undefined) return namedCharge(asked.charge, money, profile);
  const [only] = counting;
  if (only === undefined)
    throw refused(`${money.id} has nothing left to refund: no charge of it is paid and has something left`);
  const touched = money.charges.some((charge) => charge.refunds.length > 0);
  if (counting.length === 1 && (touched || asked.amount !== undefined)) return only;
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

function namedCharge(name: string, money: OrderMoney, profile: Profile): ChargeMoney {
  const found = money.charges.filter(
    (charge) => charge.id === name || String(charge.number) === name || payedBy(charge.value) === name,
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
  checkCharge(charge, money);
  return charge;
}

function checkCharge(charge: ChargeMoney, money: OrderMoney): void {
  const name = `charge ${charge.number} (${payedBy(charge.value)}) of ${money.id}`;
  if (charge.left <= 0)
    throw refused(`${name} is refunded already: ${charge.refunded} of ${charge.amount} went back`);
  if (charge.isRefundable === false)
    throw refused(`the service says that ${name} is not refundable (is_refundable false)`);
  if (!charge.counts)
    throw refused(`${name} is ${charge.status ?? 'not paid'}: there is nothing to refund on it`);
}

type Draft = Omit<RefundPlan, 'warnings'> & { readonly warnings: readonly string[] };

function wholePlan(asked: RefundAsked, money: OrderMoney): Draft {
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
          `the service says that charge ${charge.number} (${payedBy(charge.value)}) is not refundable; it may refuse the whole order`,
      ),
  };
}

function chargePlan(asked: RefundAsked, money: OrderMoney, charge: ChargeMoney, profile: Profile): Draft {
  const amount = asked.amount ?? charge.left;
  if (amount > charge.left) {
    throw refused(
      `${amount} is more than is left on charge ${charge.number} (${payedBy(charge.value)}) of ${money.id}: ${charge.amount} paid, ${charge.refunded} refunded, ${charge.left} left`,
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

// The same amount on the same charge, by anyone, at any age, may be the refund that was meant.
function checkRepeat(plan: Draft, { again }: RefundAsked, profile: Profile): void {
  if (again) return;
  for (const { chargeId, amount } of plan.expected) {
    const charge = plan.money.charges.find(({ id }) => id === chargeId);
    const equal = charge?.refunds.find((refund) => refund.amount === amount);
    if (equal === undefined) continue;
    throw refused(
      `charge ${charge?.number ?? chargeId} of ${plan.money.id} has a refund of ${-amount} already, ${equal.id}`,
      [
        'if the buyer is to get the same amount once more, add --again',
        commandLine(profile, 'orders', 'show', plan.money.id),
      ],
    );
  }
}

function checkLimit({ amount, money }: Draft, profile: Profile): void {
  const limit =
    money.currency === undefined
      ? undefined
      : profile.settings['refund.max_amount'][money.currency.toUpperCase()];
  if (limit === undefined || amount <= limit) return;
  throw refused(
    `${amount} ${money.currency} is over the limit of profile ${profile.name}: refund.max_amount.${money.currency} is ${limit}`,
    ['ask your lead'],
  );
}

function generalWarnings(money: OrderMoney, order: JsonObject): string[] {
  const known: readonly (string | undefined)[] = Object.values(statuses);
  const vague =
    money.isRefundable === undefined && !(money.status !== undefined && known.includes(money.status));
  return [
    ...(vague ? ['the service does not show whether this order can be refunded; it decides'] : []),
    ...(typeof order.livemode === 'boolean' ? [] : ['the order does not show its livemode']),
  ];
}
