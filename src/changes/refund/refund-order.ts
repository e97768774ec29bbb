/** Refunds an order: takes the flags, asks a person for missing values, and plans the refund. */

import {
  amountProblem,
  declaresPlaces,
  figureWords,
  fullDecimals,
  placesOf,
  readAmount,
} from '../../amounts.ts';
import { type ChargeMoney, type OrderMoney, paidBy, readMoney } from '../../api/charges.ts';
import {
  paths,
  type ReasonWords,
  type RefundReason,
  refundReasons,
  refundReasonValues,
} from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import { usage } from '../../commands/flags.ts';
import { attemptName } from '../../journal/journal.ts';
import { aboutMoney, type Profile } from '../../profiles/profiles.ts';
import type { Choice } from '../../terminal/terminal.ts';
import { changeOrder, type OrderAsked, type OrderPlan, type OrderRead } from '../order-change.ts';
import { originsOf } from './known-refunds.ts';
import { type FoundTwins, lookForTwins } from './look-for-twins.ts';
import { checkTwins, refundableMoney, refused, youngWarnings } from './refund-checks.ts';
import {
  canGoBackWhole,
  chargesNamed,
  type NamedMoney,
  planRefund,
  type RefundAsked,
} from './refund-plan.ts';
import { refundPreview, refundResult } from './refund-screens.ts';
import { isPaidBack, type KnownTwin, nameForAgain, twinLine, twinWords } from './twins.ts';

/**
 * Refunds an order, one of its charges, or part of a charge. Throws CliError for every outcome that is not a plain success.
 */
export function refundOrder(
  ctx: Context,
  order: OrderAsked,
  what: Omit<RefundAsked, 'again'>,
): Promise<void> {
  const { charge, amount, typed, reason } = what;
  return changeOrder(ctx, order, {
    kind: 'refund',
    asked: { charge, amount, reason },
    check: ({ name, settings }) => {
      if (typed?.places === undefined || declaresPlaces(typed.places, settings)) return;
      const full = fullDecimals(typed, settings);
      throw usage(
        `--amount ${typed.text}: not an amount here; profile ${name} declares no currency with ${typed.places} ${typed.places === 1 ? 'decimal' : 'decimals'}`,
        full.length > 0
          ? [`type ${full.join(' or ')}`]
          : [
              "type a whole number, in the service's units",
              `a lead can declare decimals: paydesk profile set ${name} amounts.decimals.CUR N`,
            ],
      );
    },
    missing: ({ settings }) =>
      settings['refund.require'].filter((name) => what[name] === undefined).map((name) => `--${name}`),
    plan: (read) => planOrder(ctx, read, { ...what, again: order.again }, order.confirm),
  });
}

async function planOrder(
  ctx: Context,
  read: OrderRead,
  given: RefundAsked,
  confirm: string | undefined,
): Promise<OrderPlan> {
  const { profile } = read.service;
  const { id, order, twin } = read;
  const answers = await askForMissing(ctx, read, given, confirm);
  const twins = await lookForTwins(ctx, read.service, order, twin);
  const asked = { ...answers, ...(await splitAgain(ctx, read, answers, twins)) };
  const planned = planRefund(asked, order, profile);
  const line = (one: KnownTwin) => twinLine(one, twinWords(ctx, profile, order));
  checkTwins(planned, asked, { found: twins.twins, line }, profile);
  const origins = await originsOf(ctx, read.service, order);
  const young = youngWarnings(planned.money, profile, ctx.clock.now(), origins);
  const plan = {
    ...planned,
    warnings: [
      ...planned.warnings,
      ...young,
      ...twins.twins.filter((one) => !isPaidBack(one)).map(line),
      ...twins.gaps,
    ],
  };
  // To pay both back is the mistake that costs most, so not even --quiet hides it.
  const paidBack = twins.twins.filter(isPaidBack).map(line);
  if (!ctx.options.dryRun) for (const text of paidBack) ctx.notes.warn({ text, style: 'warn' });
  const { body, expected, tolerated, amount, money } = plan;
  const { reason, note } = asked;
  return {
    intent: {
      request: { method: 'POST', path: paths.refunds(id), body: { ...body } },
      expected,
      tolerated,
      amount,
      currency: money.currency,
      reason,
      note,
      twins: asked.twins === undefined || asked.twins.length === 0 ? undefined : asked.twins,
      checks: [...plan.warnings, ...paidBack],
      again: asked.again,
    },
    words: wordsOf(asked),
    preview: refundPreview({ plan, order, profile, note, origins }),
    check: (fresh) => {
      planRefund(asked, fresh, profile);
    },
    result: (applied) => refundResult(plan, applied, profile),
  };
}

// The flags that ask for the same without a question.
function wordsOf({ charge, amount, reason, note }: RefundAsked): readonly string[] {
  return Object.entries({ charge, amount, reason, note }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
}

// `--again` may name refunds of twins besides refunds and attempts of this order. The journal uses up only those of this order.
// Throws CliError 'refused' for a name of neither when the twins could not be read: nobody knows what it names.
async function splitAgain(
  ctx: Context,
  { service, id, order }: OrderRead,
  { again }: RefundAsked,
  { twins: found, gaps, failed }: FoundTwins,
): Promise<Pick<RefundAsked, 'again' | 'twins'>> {
  if (again.length === 0) return { again };
  const ofTwins = new Set(found.filter(isPaidBack).map(nameForAgain));
  const isTwins = (name: string) => ofTwins.has(name);
  const split = { again: again.filter((name) => !isTwins(name)), twins: again.filter(isTwins) };
  if (!failed) return split;
  const reading = readMoney(order);
  const refunds = 'money' in reading ? reading.money.charges.flatMap((charge) => charge.refunds) : [];
  const ofOrder = new Set([
    ...refunds.map((refund) => refund.id),
    ...(await ctx.journal.attemptsOf(service, id)).map(attemptName),
  ]);
  const unknown = split.again.find((name) => !ofOrder.has(name));
  if (unknown === undefined) return split;
  throw refused(
    `--again ${unknown} cannot be checked: ${id} has no such refund, and ${gaps[0] ?? 'the orders next to it could not be read'}`,
    ['run the same command again when those orders can be read'],
  );
}

// Asks for values that no flag gave, unless nobody is at the terminal or --yes was given. An order that cannot be refunded is
// refused before the first question.
async function askForMissing(
  ctx: Context,
  read: OrderRead,
  given: RefundAsked,
  confirm: string | undefined,
): Promise<RefundAsked> {
  const { reason, note, again, ...named } = given;
  const { profile } = read.service;
  const { order } = read;
  const asks = ctx.ask.interactive && !ctx.options.dryRun;
  const money = refundableMoney(order, profile);
  const asksOptional = asks && !ctx.options.yes && confirm === undefined;
  const what = asksOptional ? await askMoney(ctx, read, named, money) : named;
  planRefund({ ...what, reason, note, again }, order, profile);
  const asksReason = asks && (asksOptional || requires(profile, 'reason'));
  return {
    ...what,
    reason: reason ?? (asksReason ? await askReason(ctx, profile) : undefined),
    note:
      note ?? (asksOptional || (asks && requires(profile, 'note')) ? await askNote(ctx, profile) : undefined),
    again,
  };
}

// Asks which charge and how much, where the flags leave that open: of an order that was picked, was paid by several charges,
// or was refunded in part. Whatever else is wrong with the order or the flags is for the plan to refuse.
async function askMoney(
  ctx: Context,
  { service: { profile }, isPicked }: OrderRead,
  given: NamedMoney,
  money: OrderMoney,
): Promise<NamedMoney> {
  const { charge, amount } = given;
  const counting = money.charges.filter(({ counts }) => counts);
  const offered = counting.filter(({ isRefundable }) => isRefundable !== false);
  const [only, second] = counting;
  const isPlain = second === undefined && canGoBackWhole(money);
  if (charge !== undefined || amount !== undefined) {
    const named = charge === undefined ? [] : chargesNamed(charge, money);
    const meant = charge === undefined ? offered : offered.filter((one) => named.includes(one));
    const [first, another] = meant;
    const chosen =
      another === undefined
        ? first
        : await askCharge(ctx, profile, { money, charges: meant, offersWhole: false });
    if (chosen === undefined) return given;
    const sure = another === undefined ? given : { ...given, charge: chosen.id };
    if (amount !== undefined || (isPlain && !isPicked)) return sure;
    return { ...sure, ...(await askAmount(ctx, profile, money, chosen.left)) };
  }
  if (only === undefined || offered.length === 0 || money.isRefundable === false) return {};
  if (isPlain && !isPicked) return {};
  if (second === undefined) return askAmount(ctx, profile, money, only.left);
  const chosen = await askCharge(ctx, profile, {
    money,
    charges: offered,
    offersWhole: canGoBackWhole(money),
  });
  return chosen === undefined
    ? {}
    : { charge: chosen.id, ...(await askAmount(ctx, profile, money, chosen.left)) };
}

// Undefined: all of the order.
function askCharge(
  ctx: Context,
  profile: Profile,
  offer: {
    readonly money: OrderMoney;
    readonly charges: readonly ChargeMoney[];
    readonly offersWhole: boolean;
  },
): Promise<ChargeMoney | undefined> {
  const { money, charges, offersWhole } = offer;
  return ctx.ask.choose<ChargeMoney | undefined>({
    message: aboutMoney(profile, 'Refund what?'),
    flag: '--charge CH',
    choices: [
      ...(offersWhole ? [{ value: undefined, label: 'all of it' }] : []),
      ...charges.map((charge) => ({
        value: charge,
        label: `charge ${charge.number}  ${paidBy(charge.value)}  ${figureWords(charge.left, money.currency, profile.settings)} left`,
      })),
    ],
  });
}

// Asks until the amount is one of the order's currency and not more than is left.
async function askAmount(
  ctx: Context,
  profile: Profile,
  { currency }: OrderMoney,
  left: number,
): Promise<NamedMoney> {
  const { settings } = profile;
  const all = figureWords(left, currency, settings);
  const answer = await ctx.ask.text({
    message: aboutMoney(profile, `How much? (Enter: all ${all})`),
    flag: '--amount N',
    optional: true,
    check: (text) => {
      const typed = readAmount(text);
      if (text === '') return undefined;
      if (typed === undefined) return notAnAmount(placesOf(currency, settings));
      const problem = amountProblem(typed, currency, settings);
      return problem ?? (typed.amount <= left ? undefined : `only ${all} is left`);
    },
  });
  const typed = readAmount(answer);
  // A refund without an amount refunds everything that is left.
  return typed === undefined || typed.amount === left ? {} : { amount: typed.amount, typed };
}

function notAnAmount(places: number | undefined): string {
  return places === undefined || places === 0
    ? 'a whole number, no decimals or commas'
    : `an amount such as 300 or 3.${'0'.repeat(places)}, no commas`;
}

// Shows each reason in words and as the service writes it. "No reason" is a choice unless the profile requires one.
function askReason(ctx: Context, profile: Profile): Promise<RefundReason | undefined> {
  const reasons = refundReasonValues.map((value): Choice<RefundReason | undefined> => {
    const { words }: ReasonWords = refundReasons[value];
    return { value, label: `${words}  ${value}` };
  });
  const none = requires(profile, 'reason') ? [] : [{ value: undefined, label: 'no reason is sent' }];
  return ctx.ask.choose({
    message: aboutMoney(profile, 'Why?'),
    flag: '--reason R',
    choices: [...reasons, ...none],
  });
}

async function askNote(ctx: Context, profile: Profile): Promise<string | undefined> {
  const required = requires(profile, 'note');
  const note = await ctx.ask.text({
    message: aboutMoney(profile, `Note, kept only on this computer${required ? '' : ' (Enter: none)'}:`),
    flag: '--note TEXT',
    optional: !required,
  });
  return note === '' ? undefined : note;
}

function requires(profile: Profile, what: 'reason' | 'note'): boolean {
  return profile.settings['refund.require'].includes(what);
}
