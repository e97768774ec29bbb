/** Checks a refund before it is sent: every reason to refuse it, with the commands that would work. Pure. */

import { figureWords, partWords, typedForm } from '../../amounts.ts';
import {
  type ChargeMoney,
  equalRefund,
  leftToRefund,
  moneyOf,
  newestOf,
  type OrderMoney,
  paidBy,
  type RefundRecord,
  refundableCharges,
  refundedSum,
  restOverCharges,
  takenSum,
} from '../../api/charges.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type ReasonWords, refundReasons } from '../../api/spec.ts';
import { type CliError, refused } from '../../errors.ts';
import { hasEqualWords, onceMoreWords, refundToName } from '../../journal/journal.ts';
import {
  chargesLeft,
  isPaidBack,
  isSettled,
  type KnownTwin,
  nameForAgain,
  type Unfit,
  unfitOf,
} from '../../orders/orders.ts';
import { commandLine, flagWords, type Profile } from '../../profiles/profiles.ts';
import type { DecidedRefund, RefundAsked } from './decide-refund.ts';
import { type Counting, overLimit, showOrder } from './refund-limit.ts';

// What is refused elsewhere: the check of a charge says what is wrong with that charge, and what the mode forbids was refused
// before.
const saidLater: readonly (Unfit['is'] | undefined)[] = ['nothing left', 'no mode', 'other mode', undefined];

/**
 * Reads the money of an order. Throws CliError 'refused' when the order cannot be refunded, whatever its mode is. `madeWords`: when a
 * refund was made and by whom.
 */
export function provableMoney(order: JsonObject, profile: Profile, madeWords?: MadeWords): OrderMoney {
  const unfit = unfitOf(order);
  const money = moneyOf(order);
  // If the order itself is refundable, the check of its charge says why that is not.
  const isOfCharge = unfit?.is === 'not allowed' && order.is_refundable !== false;
  if (money !== undefined && (isOfCharge || saidLater.includes(unfit?.is))) return money;
  const id = String(order.id);
  const show = commandLine(profile, 'orders', 'show', id);
  const sums =
    money === undefined ? '' : `: ${sumLine(money, profile)}${newestWords(money.charges, madeWords)}`;
  switch (unfit?.is) {
    case 'authorized':
      throw refused(
        `${id} is ${unfit.why}`,
        ['only the shop can release it at the bank; paydesk cannot. Do not capture it just to refund it'],
        'not_charged',
      );
    case 'not paid':
      throw refused(`there is nothing to refund on ${id}: no charges on this order yet`, [show], 'not_paid');
    case 'in doubt':
      throw refused(
        `${id} cannot be refunded now: ${unfit.why}`,
        ['ask whoever runs the service; this shows the order:', show],
        'figures_in_doubt',
      );
    case 'refunded':
      throw refused(`${id} is ${unfit.why}${sums}`, [show], 'refunded_already');
    case 'not allowed':
      // Then none of its charges is refundable either (service: order).
      throw refused(
        `the service says that ${id} is not refundable (is_refundable false)${sums}`,
        [show],
        'not_refundable',
      );
    default:
      // The outcome can be proved later only if the order shows every charge and every refund.
      throw refused(
        `${id} cannot be refunded safely: ${unfit?.why ?? ''}`,
        ['paydesk could not tell afterwards whether the refund was made; ask whoever runs the service'],
        'unprovable',
      );
  }
}

function sumLine(money: OrderMoney, { settings }: Profile): string {
  const refunded = refundedSum(money);
  const pending = takenSum(money) - refunded;
  const more = pending === 0 ? '' : `, ${figureWords(pending, money.currency, settings)} is pending`;
  return `${partWords(refunded, money.amount, money.currency, settings)} went back${more}`;
}

/** The newest refund of these charges, when it was made and by whom: `; the last one is re_1, made at 05:05:12 by op7`. */
export function newestWords(charges: readonly ChargeMoney[], madeWords: MadeWords | undefined): string {
  const made = charges.flatMap((charge) => charge.refunds).filter(({ meaning }) => meaning === 'made');
  const newest = newestOf(made);
  return newest === undefined || madeWords === undefined
    ? ''
    : `; the last one is ${newest.id}${madeWords(newest)}`;
}

/** Says when a refund was made and by whom: `, made at 05:05:12 by op7: ticket 8812`. */
export type MadeWords = (refund: Pick<RefundRecord, 'id' | 'createdAt'>) => string;

/**
 * Throws CliError 'refused' when a charge already has a refund of the same amount, unless `again` names the newest one. It
 * does not matter who made that refund or when. One that failed does not count. A name in `again` that is not a refund of this
 * order may be an attempt; the journal checks that later, under the order's lock. `madeWords`: when the refund was made and by
 * whom; `over`: the limit that the refund is over.
 */
export function checkRepeat(
  { change: { expected, request }, money }: Pick<DecidedRefund, 'change' | 'money'>,
  asked: Pick<RefundAsked, 'again' | 'twins' | 'reason' | 'note'>,
  profile: Profile,
  how: { readonly madeWords?: MadeWords | undefined; readonly over: CliError | undefined },
): void {
  const { madeWords = () => '', over } = how;
  const { again, twins = [] } = asked;
  const shown = new Set(money.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  if (again.some((name) => !shown.has(name))) return;
  const equal = refundToName({ expected, again }, money.charges, [], new Set());
  if (equal === undefined) return;
  const { chargeId, refundId, amount } = equal;
  const charge = money.charges.find(({ id }) => id === chargeId);
  const { createdAt } = charge?.refunds.find(({ id }) => id === refundId) ?? {};
  // If two equal refunds were made in the same second, the journal knows whether one was made to repeat the other.
  const isAsNew = charge?.refunds.some(
    (one) => again.includes(one.id) && one.amount === amount && one.createdAt === createdAt,
  );
  if (isAsNew === true) return;
  const number = charge?.number ?? chargeId;
  throw refused(
    hasEqualWords(
      { number, orderId: money.id },
      {
        id: refundId,
        figure: figureWords(-amount, money.currency, profile.settings),
        made: madeWords({ id: refundId, createdAt }),
      },
    ),
    [
      showOrder(money, profile),
      ...sameAgain(
        over,
        commandAgain(profile, { money, request }, number, asked, [...twins, ...again, refundId]),
      ),
    ],
    'repeat',
  );
}

// paydesk does not print a command that a limit would refuse.
function sameAgain(over: CliError | undefined, command: string): readonly string[] {
  if (over !== undefined) return [`the same amount once more would be refused: ${over.message}`];
  return [onceMoreWords, command];
}

/**
 * The twins whose refund `--again` must name before this order is refunded as well: those that went back as a whole and, for a
 * refund of a duplicate, also those that were refunded in part, or may have been. `twins`: the names that were given.
 */
export function twinsToName(
  found: readonly KnownTwin[],
  { reason, twins = [] }: Pick<RefundAsked, 'twins' | 'reason'>,
): readonly KnownTwin[] {
  const needsName = isOfDuplicate(reason) ? isPaidBack : isSettled;
  return found.filter((twin) => twin.isPaid && needsName(twin) && !twins.includes(nameForAgain(twin)));
}

/** Whether a reason says that the order is one of two equal ones. */
export function isOfDuplicate(reason: RefundAsked['reason']): boolean {
  const words: ReasonWords | undefined = reason === undefined ? undefined : refundReasons[reason];
  return words?.oneOfTwins === true;
}

/** Throws CliError 'refused' while `--again` does not name the refund of a twin (`twinsToName`). `line`: a twin in words. */
export function checkTwins(
  { charge, change, money }: DecidedRefund,
  asked: Pick<RefundAsked, 'again' | 'twins' | 'reason' | 'note'>,
  { found, line }: { readonly found: readonly KnownTwin[]; readonly line: (twin: KnownTwin) => string },
  profile: Profile,
): void {
  const { again, twins = [] } = asked;
  const unnamed = twinsToName(found, asked);
  const [first] = unnamed;
  if (first === undefined) return;
  const names = [...twins, ...again, ...unnamed.map(nameForAgain)];
  const { unconfirmed } = first;
  throw refused(
    line(first),
    [
      ...(unconfirmed === undefined
        ? []
        : ['first find out whether it was made:', `paydesk journal reconcile ${unconfirmed.change}`]),
      commandLine(profile, 'orders', 'show', first.id),
      `if the buyer should get both back, name its twin in --again, ${unnamed.map(nameForAgain).join(' and ')}:`,
      commandAgain(profile, { money, request: change.request }, charge?.number, asked, names),
    ],
    'twin_refunded',
  );
}

/** The command that refunds this order, with these flags. */
export function refundCommand(profile: Profile, { id }: OrderMoney, words: readonly string[]): string {
  return commandLine(profile, 'orders', 'refund', id, ...words);
}

// The command with the flags as they were typed or answered, and what --again must name.
function commandAgain(
  profile: Profile,
  { money, request }: Pick<DecidedRefund, 'money'> & Pick<DecidedRefund['change'], 'request'>,
  charge: number | string | undefined,
  { reason, note }: Pick<RefundAsked, 'reason' | 'note'>,
  again: readonly string[],
): string {
  const amount = typedAmount(request.body.amount, money, profile);
  return refundCommand(profile, money, flagWords({ charge, amount, reason, note, again }));
}

function typedAmount(
  amount: number | undefined,
  { currency }: OrderMoney,
  { settings }: Profile,
): string | undefined {
  return amount === undefined ? undefined : typedForm(amount, currency, settings);
}

/** What was asked for besides the charge. The commands of the hints keep it. */
type AskedBesides = Partial<Pick<RefundAsked, 'amount' | 'reason' | 'note'>>;

/**
 * Two lines for each charge: what is left of it, and the command that refunds it, ready to be copied. A charge that the service
 * calls not refundable has only a line that says so. A command that would be refused is left out: if less is left than the amount
 * that was asked for, or if it is over a limit of the profile. The command of a repeat names what it repeats.
 */
export function chargeCommands(
  money: OrderMoney,
  charges: readonly ChargeMoney[],
  profile: Profile,
  { amount, reason, note }: AskedBesides,
  counting: Counting,
): string[] {
  const typed = typedAmount(amount, money, profile);
  const isSpread =
    amount !== undefined &&
    isMoreThanEach(charges, amount) &&
    overLimit(amount, money, profile, counting) === undefined;
  const rest = amount === undefined ? spreadRest(money, profile, { reason, note }, counting) : undefined;
  const spread = isSpread ? flagWords({ amount: typed, reason, note, allocate: 'in-order' }) : undefined;
  const each = charges.flatMap((charge) => {
    const name = `charge ${charge.number} ${nameOfCharge(charge, money)}`;
    if (charge.isRefundable === false) return [`${name}: the service says that it is not refundable`];
    const [left = charge] = chargesLeft({ charges: [charge] }, counting.unshown).charges;
    const line = `${name}: ${partWords(left.left, charge.amount, money.currency, profile.settings)} left`;
    const made = counting.unshown.find(({ sent }) =>
      sent.proof.expected.some(({ chargeId }) => chargeId === charge.id),
    );
    if (made !== undefined)
      return [
        `${line}; a refund of it was recorded as made by hand:`,
        `  paydesk journal show ${made.sent.change}`,
      ];
    const refund = amount ?? charge.left;
    if (charge.left < refund) return [line];
    const over = overLimit(refund, money, profile, counting);
    if (over !== undefined) return [line, `  ${over.message}`];
    const equal = equalRefund(charge, refund);
    const words = flagWords({ charge: charge.number, amount: typed, reason, note, again: equal?.id });
    if (equal === undefined) return [line, `  ${refundCommand(profile, money, words)}`];
    return [
      line,
      `  it has a refund of ${figureWords(refund, money.currency, profile.settings)} already, ${equal.id}; if the buyer should get the same once more:`,
      `  ${refundCommand(profile, money, words)}`,
    ];
  });
  if (rest !== undefined)
    return [
      ...each,
      `all that is left, ${figureWords(rest.amount, money.currency, profile.settings)}, from one charge after the other:`,
      `  ${rest.command}`,
    ];
  if (spread === undefined) return each;
  return [...each, 'from one charge after the other:', `  ${refundCommand(profile, money, spread)}`];
}

/** What is left of an order that was refunded in part, and the command that refunds it. Undefined if no one command would. */
export function spreadRest(
  money: OrderMoney,
  profile: Profile,
  { reason, note }: Pick<AskedBesides, 'reason' | 'note'>,
  counting: Counting,
): { readonly amount: number; readonly command: string } | undefined {
  const amount = restOverCharges(money);
  if (amount === undefined || counting.unshown.length > 0) return undefined;
  if (overLimit(amount, money, profile, counting) !== undefined) return undefined;
  const words = flagWords({
    amount: typedAmount(amount, money, profile),
    reason,
    note,
    allocate: 'in-order',
  });
  return { amount, command: refundCommand(profile, money, words) };
}

// Whether no charge has this much left, but all that can be refunded have it together.
function isMoreThanEach(charges: readonly ChargeMoney[], amount: number): boolean {
  const open = refundableCharges({ charges });
  return open.every(({ left }) => left < amount) && leftToRefund({ charges }) >= amount;
}

// The card, and the id too if another card looks the same.
function nameOfCharge(charge: ChargeMoney, { charges }: OrderMoney): string {
  const card = paidBy(charge.value);
  const alike = charges.filter(({ value }) => paidBy(value) === card);
  return alike.length > 1 ? `${card} ${charge.id}` : card;
}
