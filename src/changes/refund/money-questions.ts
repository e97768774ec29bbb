/** Asks a person which charge of an order is refunded, and how much of it; and decides whether the flags leave that open. */

import { amountWords, figureWords, placesOf, typedForm } from '../../amounts.ts';
import {
  type ChargeMoney,
  lockedCharges,
  type OrderMoney,
  paidBy,
  refundableCharges,
} from '../../api/charges.ts';
import type { Context } from '../../context/context.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import { chargesLeft } from '../../orders/orders.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Choice, Question } from '../../terminal/terminal.ts';
import {
  amountMistake,
  amountProblem,
  bothWays,
  decimalsOrThousands,
  readAmount,
} from '../../typed-amounts.ts';
import { canGoBackWhole, chargesNamed, type NamedMoney, type RefundAsked } from './decide-refund.ts';
import type { spreadRest } from './refund-checks.ts';

/** What a question carries besides its words. */
export type AskedHow = Pick<Question, 'about' | 'canGoBack'>;
/** What a person can choose to refund, and what cannot be chosen. */
interface Offer {
  readonly money: OrderMoney;
  readonly charges: readonly ChargeMoney[];
  readonly offersWhole: boolean;
  /** All that is left, and the command that refunds it, if one refund cannot. */
  readonly rest?: ReturnType<typeof spreadRest>;
  /** What was recorded as made: its charges are refused without `--again`. */
  readonly stopping: readonly AttemptRecord[];
}

/** Which charges to ask about, if the flags leave that open. Undefined: it is clear, or something is wrong that the plan refuses later. */
export function chargesToOffer(
  { charge, amount }: RefundAsked,
  money: OrderMoney,
  stopping: readonly AttemptRecord[],
  spread: () => Offer['rest'],
): Offer | undefined {
  const counting = money.charges.filter(({ counts }) => counts);
  const offered = refundableCharges(money);
  if (charge !== undefined || amount !== undefined) {
    const named = charge === undefined ? money.charges : chargesNamed(charge, money);
    const meant = offered.filter((one) => named.includes(one));
    return meant.length < 2 ? undefined : { money, charges: meant, offersWhole: false, stopping };
  }
  if (counting.length < 2 || offered.length === 0) return undefined;
  return { money, charges: money.charges, offersWhole: canGoBackWhole(money), rest: spread(), stopping };
}

/** The charge whose amount is asked for. Undefined: the amount is given, all of a split order is meant, or the plan refuses it later. */
export function chargeWithoutAmount(
  { charge, amount }: RefundAsked,
  money: OrderMoney,
): ChargeMoney | undefined {
  if (amount !== undefined) return undefined;
  const offered = refundableCharges(money);
  const [, second] = money.charges.filter(({ counts }) => counts);
  if (charge === undefined) return second === undefined ? offered[0] : undefined;
  const [meant, another] = chargesNamed(charge, money).filter((one) => offered.includes(one));
  return another === undefined ? meant : undefined;
}

/**
 * Asks which charge to refund. The charges come first, and all of them last: whoever presses Enter too early sends no more than
 * was asked. Returns undefined for all of the order.
 */
export function askCharge(
  ctx: Context,
  profile: Profile,
  { money, charges, offersWhole, rest, stopping }: Offer,
  { before, ...how }: AskedHow & { readonly before: RefundAsked | undefined },
): Promise<ChargeMoney | undefined> {
  const { settings } = profile;
  const stopped = new Set(
    stopping.flatMap(({ sent }) => sent.proof.expected.map(({ chargeId }) => chargeId)),
  );
  const leftOf = (charge: ChargeMoney) =>
    chargesLeft({ charges: [charge] }, stopping).charges[0]?.left ?? charge.left;
  const counting = money.charges.filter(({ counts }) => counts);
  const offered = refundableCharges(money);
  const isOnlyStopped = offered.filter((one) => charges.includes(one)).every(({ id }) => stopped.has(id));
  // If --again is needed for each of them, the refusal says the whole command.
  const recorded = (isStopped: boolean) =>
    isStopped && !isOnlyStopped ? 'recorded as made, so refused without --again' : undefined;
  const inTheWay = lockedCharges(money).map(({ number }) => `charge ${number}`);
  const cards = new Set(counting.map(({ value }) => paidBy(value)));
  const over = cards.size === counting.length ? `${cards.size} cards` : `${counting.length} charges`;
  const sum = counting.reduce((total, { left }) => total + left, 0);
  const whole: Choice<ChargeMoney | undefined> = {
    value: undefined,
    label: `all of it, ${amountWords(sum, money.currency, settings)} over ${over}`,
    refusal:
      inTheWay.length > 0
        ? `the service will refuse that, since ${inTheWay.join(' and ')} cannot be refunded`
        : recorded(stopped.size > 0),
  };
  const spread: readonly Choice<undefined>[] =
    rest === undefined
      ? []
      : [
          {
            value: undefined,
            label: `all that is left, ${amountWords(rest.amount, money.currency, settings)} over ${over}`,
            refusal: `an order that was refunded in part needs more than one refund: ${rest.command}`,
          },
        ];
  const parts = charges.map(
    (charge): Choice<ChargeMoney | undefined> => ({
      value: charge,
      label: `charge ${charge.number}  ${paidBy(charge.value)}  ${figureWords(leftOf(charge), money.currency, settings)} left`,
      refusal: (offered.includes(charge) ? undefined : refusalOf(charge)) ?? recorded(stopped.has(charge.id)),
    }),
  );
  return ctx.ask.choose({
    ...how,
    message: 'Refund what?',
    flag: '--charge CH',
    choices: offersWhole ? [...parts, whole] : [...parts, ...spread],
    before: (value) => before !== undefined && value?.id === before.charge,
  });
}

function refusalOf(charge: ChargeMoney): string {
  if (charge.isRefundable === false && charge.counts) return 'the service says that it is not refundable';
  return charge.taken > 0
    ? 'refunded already'
    : `${charge.status ?? 'not paid'}, so there is nothing to refund`;
}

/** Asks until the amount fits the order's currency and is not more than is left. */
export async function askAmount(
  ctx: Context,
  profile: Profile,
  { currency }: OrderMoney,
  left: number,
  how: AskedHow & { readonly before: string | undefined },
): Promise<NamedMoney> {
  const { settings } = profile;
  const all = figureWords(left, currency, settings);
  const answer = await ctx.ask.text({
    ...how,
    message: `How much? (${how.before === undefined ? 'Enter: all' : 'all is'} ${all})`,
    flag: '--amount N',
    optional: true,
    enterAfterError: `type an amount; for all of it: ${typedForm(left, currency, settings)}`,
    check: (text) => {
      const typed = readAmount(text);
      if (text === '') return undefined;
      if (typed === undefined) return notAnAmount(text, placesOf(currency, settings) ?? 0);
      const problem = amountProblem(typed, currency, settings);
      const ways = bothWays(typed, currency, settings);
      if (problem === undefined && ways !== undefined)
        return `${text} is ${ways.is} ${currency} in the service's units; type ${ways.is}, or ${ways.meant} if you mean that`;
      return problem ?? (typed.amount <= left ? undefined : `only ${all} is left`);
    },
  });
  const typed = readAmount(answer);
  // A refund without an amount refunds everything that is left.
  return typed === undefined || typed.amount === left ? {} : { amount: typed.amount, typed };
}

function notAnAmount(text: string, places: number): string {
  const ways = decimalsOrThousands({ text }, [places]);
  if (ways.length > 0) return `${text} can be read in two ways; type ${ways.join(' or ')}`;
  const likely =
    places === 0
      ? 'a whole number, no decimals or commas'
      : `an amount such as 300.${'0'.repeat(places)}, no commas`;
  return amountMistake(text, 'press Enter for all of it') ?? likely;
}
