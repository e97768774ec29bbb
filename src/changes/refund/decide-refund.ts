/** Decides what one refund will send: turns the typed flags and the order into a request body, or refuses. Pure. */

import { figuresIn, partWords } from '../../amounts.ts';
import type { ChangeRequest } from '../../api/api.ts';
import {
  type ChargeMoney,
  lockedCharges,
  mayGoBackToo,
  type OrderMoney,
  paidBy,
  refundableCharges,
  standingRefunds,
} from '../../api/charges.ts';
import type { JsonObject } from '../../api/json-values.ts';
import type { RefundRequest } from '../../api/request-bodies.ts';
import { paths, type RefundReason } from '../../api/spec.ts';
import { type CliError, refused, withParts } from '../../errors.ts';
import type { AttemptRecord, Change, ExpectedRefund } from '../../journal/journal.ts';
import { checkMode, flagWords, type Profile } from '../../profiles/profiles.ts';
import { amountProblem, type TypedAmount, unitsWarning } from '../../typed-amounts.ts';
import {
  chargeCommands,
  checkRepeat,
  type MadeWords,
  newestWords,
  provableMoney,
  refundCommand,
} from './refund-checks.ts';
import { type Counting, overLimit, showOrder, tooOld } from './refund-limit.ts';
import { type FailuresSeen, followsWarnings, statusWarnings } from './refund-warnings.ts';

/** Which money is refunded. Without a charge and an amount it is the whole order. */
export interface NamedMoney {
  /** A charge's id, its number in `orders show`, or `*4242`. */
  readonly charge?: string | undefined;
  readonly amount?: number | undefined;
  /** The amount as it was typed, perhaps with decimals or a currency. The currency of the order decides whether it fits. */
  readonly typed?: TypedAmount | undefined;
}

/** The refund that a person asked for. */
export interface RefundAsked extends NamedMoney {
  readonly reason?: RefundReason | undefined;
  readonly note?: string | undefined;
  /** Nothing is asked but the confirmation (`--only-confirm`). */
  readonly onlyConfirm?: boolean | undefined;
  /** Refunds or attempts that this refund repeats (`--again`). */
  readonly again: readonly string[];
  /** What `--again` names besides: refunds of twins. A printed command must name them too. */
  readonly twins?: readonly string[] | undefined;
}

/** A refund that may be sent, with what its screens show. */
export interface DecidedRefund {
  readonly change: RefundChange;
  readonly money: OrderMoney;
  /** The charge that is refunded; undefined for a whole order. */
  readonly charge: ChargeMoney | undefined;
  /** True when the charge was refunded in part before, and this refund takes all that is left. */
  readonly rest: boolean;
  readonly warnings: readonly string[];
  /** What a person recorded as made, and the order does not show. */
  readonly byHand: readonly AttemptRecord[];
}

interface RefundChange extends Change {
  readonly kind: 'refund';
  readonly orderId: string;
  readonly request: ChangeRequest & { readonly body: RefundRequest };
  readonly expected: readonly ExpectedRefund[];
  /** Charges that do not count. When the whole order is refunded, they may get a refund record or none. */
  readonly tolerated: readonly string[];
  /** The sum of the refund, positive. */
  readonly amount: number;
}

/** What is known besides the order. */
interface BesideOrder {
  /** What the limits of the account count. */
  readonly counting: Counting;
  /** When an earlier refund was made and by whom. */
  readonly madeWords?: MadeWords | undefined;
  /** An order of another mode is not refused: a person looks at such a row of a plan first. */
  readonly anyMode?: boolean | undefined;
  /** What the journal knows about refunds that failed; nothing if this is missing. */
  readonly failures?: FailuresSeen | undefined;
}

/** Decides the refund of an order as it was read. Throws CliError 'refused' with the reason (service: Endpoints 1). */
export function decideRefund(
  asked: RefundAsked,
  order: JsonObject,
  profile: Profile,
  { counting, madeWords, failures, anyMode = false }: BesideOrder,
): DecidedRefund {
  if (!anyMode) checkMode(order, profile);
  const money = provableMoney(order, profile, madeWords);
  checkTyped(asked, money, profile);
  const target = chooseTarget(asked, money, profile, { counting, madeWords });
  const chosen = target === 'whole' ? wholeOrder(asked, money) : ofCharge(asked, money, target, profile);
  const decided: DecidedRefund = { ...chosen, byHand: counting.unshown };
  const over = tooOld(money, profile, counting) ?? overWith(decided, asked, profile, counting);
  checkRepeat(decided, asked, profile, { madeWords, over });
  if (over !== undefined) throw over;
  const units =
    asked.typed === undefined
      ? undefined
      : unitsWarning(asked.typed, money.currency, profile.settings, (amount) => {
          const { charge, reason, note, again } = asked;
          return refundCommand(profile, money, flagWords({ charge, amount, reason, note, again }));
        });
  const warnings = [
    ...(units === undefined ? [] : [units]),
    ...decided.warnings,
    ...followsWarnings(decided, failures),
    ...statusWarnings(money),
  ];
  return { ...decided, warnings };
}

// The error of the limit that a refund is over, or would be over if the service pays back more than the paid charges hold: the
// body of a whole order names no charges.
function overWith(
  { change: { amount }, charge, money }: DecidedRefund,
  asked: RefundAsked,
  profile: Profile,
  counting: Counting,
): CliError | undefined {
  const open = charge === undefined ? money.charges.filter((one) => mayGoBackToo(one) && one.left > 0) : [];
  const over = overLimit(amount, money, profile, counting);
  if (over !== undefined || open.length === 0) return over;
  const most = open.reduce((sum, { left }) => sum + left, amount);
  const more = overLimit(most, money, profile, counting);
  const names = open.map(({ number, status }) => `charge ${number} is ${status}`).join(', and ');
  const counts = money.charges.filter((one) => one.counts);
  return (
    more &&
    withParts(refused(`${names}, and may go back with the whole order: ${more.message}`, [], 'over_limit'), {
      roomAt: more.parts.roomAt,
      now: [
        'refund the paid charges one by one:',
        ...chargeCommands(money, counts, profile, asked, counting),
      ],
    })
  );
}

// The digits of `230.00` are sent only if the profile declares just this many decimals for the order's currency.
function checkTyped({ typed }: NamedMoney, money: OrderMoney, profile: Profile): void {
  const problem = typed === undefined ? undefined : amountProblem(typed, money.currency, profile.settings);
  if (problem !== undefined)
    throw refused(`--amount ${typed?.text}: ${problem}`, [showOrder(money, profile)], 'amount');
}

// Chooses the whole order or one charge. When it is not clear which charge is meant, it throws CliError 'refused' with a
// command for each charge (service: Endpoints 1, rules 1 to 4).
function chooseTarget(
  asked: RefundAsked,
  money: OrderMoney,
  profile: Profile,
  { counting, madeWords }: Pick<BesideOrder, 'counting' | 'madeWords'>,
): 'whole' | ChargeMoney {
  const open = refundableCharges(money);
  if (asked.charge !== undefined)
    return namedCharge(asked.charge, asked, money, profile, { counting, madeWords });
  const [only] = open;
  const [closed] = lockedCharges(money);
  if (only === undefined && closed !== undefined) checkCharge(closed, money, profile, madeWords);
  if (only === undefined)
    throw refused(
      `${money.id} has nothing left to refund: no paid charge has money left`,
      [showOrder(money, profile)],
      'nothing_left',
    );
  if (closed !== undefined && asked.amount === undefined)
    throw refused(
      `charge ${closed.number} (${paidBy(closed.value)}) is not refundable, so the service refuses to refund the whole order: refund the other charges one by one`,
      chargeCommands(money, open, profile, asked, counting),
      'not_refundable',
    );
  const touched = !canGoBackWhole(money);
  if (open.length === 1 && (touched || asked.amount !== undefined)) {
    checkCharge(only, money, profile, madeWords);
    return only;
  }
  if (asked.amount !== undefined) {
    throw refused(
      `${money.id} has ${open.length} charges: say which one --amount is for`,
      chargeCommands(money, open, profile, asked, counting),
      'charge_needed',
    );
  }
  if (touched) {
    throw refused(
      `${money.id} was refunded in part before: say which charge to refund the rest of`,
      chargeCommands(money, open, profile, { ...asked, amount: undefined }, counting),
      'charge_needed',
    );
  }
  return 'whole';
}

/** Whether a refund of all that is left must name a charge: it would be of several, and there were refunds before. */
export function needsCharge(money: OrderMoney): boolean {
  return refundableCharges(money).length > 1 && !canGoBackWhole(money);
}

/** Whether the whole order can be refunded at once: there were no refunds before, or all of them failed. */
export function canGoBackWhole({ charges }: OrderMoney): boolean {
  return charges.every((charge) => standingRefunds(charge).length === 0);
}

/** The charges that a name may mean: one by its id or its number, several by the same card, `*4242` or `4242`. */
export function chargesNamed(name: string, { charges }: OrderMoney): readonly ChargeMoney[] {
  const exact = charges.filter(({ id }) => id === name);
  if (exact.length > 0) return exact;
  const card = /^\d{4}$/.test(name) ? `*${name}` : name;
  return charges.filter(({ number, value }) => String(number) === name || paidBy(value) === card);
}

/** Why a name does not say which charge it means. `found`: those that it may mean. */
export function notOneCharge(name: string, found: readonly ChargeMoney[]): string {
  if (found.length === 0) return `has no charge ${name}`;
  const each = found.map(({ number, id }) => `${number} (${id})`).join(' and ');
  return `has ${found.length} charges ${name}: ${each}; name one`;
}

function namedCharge(
  name: string,
  asked: RefundAsked,
  money: OrderMoney,
  profile: Profile,
  { counting, madeWords }: Pick<BesideOrder, 'counting' | 'madeWords'>,
): ChargeMoney {
  const found = chargesNamed(name, money);
  const [charge, second] = found;
  if (charge === undefined || second !== undefined)
    throw refused(
      `${money.id} ${notOneCharge(name, found)}`,
      chargeCommands(
        money,
        money.charges.filter(({ counts }) => counts),
        profile,
        asked,
        counting,
      ),
      'no_such_charge',
    );
  checkCharge(charge, money, profile, madeWords);
  return charge;
}

function checkCharge(
  charge: ChargeMoney,
  money: OrderMoney,
  profile: Profile,
  madeWords: MadeWords | undefined,
): void {
  const name = `charge ${charge.number} (${paidBy(charge.value)}) of ${money.id}`;
  const now = [showOrder(money, profile)];
  if (charge.left <= 0)
    throw refused(
      `${name} is refunded already: ${partWords(charge.refunded, charge.amount, money.currency, profile.settings)} went back${newestWords([charge], madeWords)}`,
      now,
      'refunded_already',
    );
  if (!charge.counts)
    throw refused(
      `${name} is ${charge.status ?? 'not paid'}: there is nothing to refund on it`,
      now,
      'charge_not_paid',
    );
  if (charge.isRefundable === false)
    throw refused(
      `the service says that ${name} is not refundable (is_refundable false)`,
      now,
      'not_refundable',
    );
}

function wholeOrder(asked: RefundAsked, money: OrderMoney): Omit<DecidedRefund, 'byHand'> {
  const counting = money.charges.filter((charge) => charge.counts);
  const tolerated = money.charges.filter((charge) => !charge.counts).map((charge) => charge.id);
  return {
    change: changeOf({}, asked, money, counting, tolerated),
    money,
    charge: undefined,
    rest: false,
    warnings: money.charges
      .filter(({ counts, isRefundable }) => !counts && isRefundable === false)
      .map(notRefundable),
  };
}

// The document does not show charges that were never paid, and services of this family refund the others.
function notRefundable({ number, value, status }: ChargeMoney): string {
  return `charge ${number} (${paidBy(value)}) is ${status ?? 'not paid'}: nothing goes back to it. If the service refuses the whole order for that, refund the other charges one by one`;
}

function ofCharge(
  asked: RefundAsked,
  money: OrderMoney,
  charge: ChargeMoney,
  profile: Profile,
): Omit<DecidedRefund, 'byHand'> {
  const amount = asked.amount ?? charge.left;
  if (amount > charge.left) {
    const figure = figuresIn(money.currency, profile.settings);
    throw refused(
      `${figure(amount)} is more than is left on charge ${charge.number} (${paidBy(charge.value)}) of ${money.id}: ${figure(charge.amount)} paid, ${figure(charge.refunded)} refunded, ${figure(charge.left)} left`,
      // A command without the amount would pay back all that is left: nobody asked for that.
      [showOrder(money, profile)],
      'more_than_left',
    );
  }
  // Without an amount the service refunds the whole charge (service: Endpoints 1, rule 3). So the rest of a charge is always
  // sent as an amount.
  const wasRefunded = standingRefunds(charge).length > 0;
  const sendsAmount = asked.amount !== undefined || wasRefunded;
  const body = sendsAmount ? { charge_id: charge.id, amount } : { charge_id: charge.id };
  return {
    change: changeOf(body, asked, money, [{ id: charge.id, amount }]),
    money,
    charge,
    rest: wasRefunded && amount === charge.left,
    warnings: wasRefunded ? [refundedBefore] : [],
  };
}

/** The warning about a charge that has refunds. */
export const refundedBefore = 'this charge was refunded before; the buyer may mean that refund';

// `from`: which charges pay how much of it back.
function changeOf(
  body: RefundRequest,
  { reason, note, again, twins = [] }: RefundAsked,
  { id, currency }: OrderMoney,
  from: readonly Pick<ChargeMoney, 'id' | 'amount'>[],
  tolerated: readonly string[] = [],
): RefundChange {
  const whole = reason === undefined ? body : { ...body, reason };
  return {
    kind: 'refund',
    orderId: id,
    request: { method: 'POST', path: paths.refunds(id), body: whole },
    expected: from.map((charge) => ({ chargeId: charge.id, amount: -charge.amount })),
    tolerated,
    amount: from.reduce((sum, { amount }) => sum + amount, 0),
    currency,
    reason,
    note,
    again,
    twins: twins.length === 0 ? undefined : twins,
  };
}
