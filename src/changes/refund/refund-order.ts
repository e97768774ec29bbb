/** Refunds an order: plans the refund from the flags and the answers of a person, and hands it to the change of an order. */

import { typedForm } from '../../amounts.ts';
import { type OrderMoney, readMoney } from '../../api/charges.ts';
import { paths } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import { checkDecimals } from '../../commands/flags.ts';
import { attemptName } from '../../journal/journal.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { unshownIn } from '../by-hand-words.ts';
import { changeOrder, type OrderAsked, type OrderPlan, type OrderRead } from '../order-change.ts';
import { madeWords, originsOf } from './known-refunds.ts';
import { type FoundTwins, lookForTwins } from './look-for-twins.ts';
import { chargeCommands, checkTwins, refused, youngWarnings } from './refund-checks.ts';
import { chargesInTheWay, flagsOf, planRefund, type RefundAsked, type RefundPlan } from './refund-plan.ts';
import { leavesQuestions, refundQuestions } from './refund-questions.ts';
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
    typedAmount: typed?.text,
    check: (profile) => {
      if (typed !== undefined) checkDecimals('--amount', typed, profile);
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
  const origins = await originsOf(ctx, read.service, order);
  const made = madeWords(ctx, origins);
  const planNow = (asked: RefundAsked, now = order) =>
    planRefund(asked, now, profile, { nowMs: ctx.clock.now(), madeWords: made });
  const unshown = await unshownIn(ctx, read.service, order);
  const questions = refundQuestions(ctx, read, given, { confirm, unshown });
  const answers = await questions.money();
  // What is refused anyway is refused before the next question.
  await refusePlanned(ctx, read, planNow(answers), answers);
  const withReason = await questions.reason(answers);
  const twins = await lookForTwins(ctx, read.service, order, twin);
  const withAgain = { ...withReason, ...(await splitAgain(ctx, read, withReason, twins)) };
  const line = (one: KnownTwin) => twinLine(one, twinWords(ctx, profile, order));
  const found = { found: twins.twins, line };
  checkTwins(planNow(withAgain), withAgain, found, profile);
  const asked = await questions.note(withAgain);
  const planned = planNow(asked);
  const young = youngWarnings(planned.money, profile, ctx.clock.now(), origins);
  const otherTwins = twins.twins.filter((one) => !isPaidBack(one)).map(line);
  const plan = { ...planned, warnings: [...planned.warnings, ...young, ...otherTwins, ...twins.gaps] };
  // To pay both back is the mistake that costs most, so it stands right above the question.
  const paidBack = twins.twins.filter(isPaidBack).map(line);
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
    typed: asked.typed,
    instead: insteadOf(plan, asked, profile),
    words: [...wordsOf(asked, money, profile), ...(leavesQuestions(asked, money) ? ['--only-confirm'] : [])],
    preview: refundPreview({ plan, order, profile, note, origins }),
    urgent: paidBack,
    check: (fresh) => {
      planNow(asked, fresh);
    },
    result: (applied) => refundResult(plan, applied, profile),
  };
}

// The service will refuse the whole order, so the same command is none for later.
function insteadOf(
  { charge, money }: RefundPlan,
  { reason, note }: RefundAsked,
  profile: Profile,
): readonly string[] | undefined {
  if (charge !== undefined || chargesInTheWay(money).length === 0) return undefined;
  const others = money.charges.filter(({ counts, isRefundable }) => counts && isRefundable !== false);
  return [
    'the service would refuse that; the other charges, for later:',
    ...chargeCommands(money, others, profile, { reason, note }),
  ];
}

// Throws the CliError with which the journal would refuse this refund.
function refusePlanned(
  ctx: Context,
  { service, id, order }: OrderRead,
  { body, expected, money }: RefundPlan,
  { again, note }: RefundAsked,
): Promise<void> {
  const request = { method: 'POST', path: paths.refunds(id), body: { ...body } } as const;
  const intent = { orderId: id, request, expected, again, note, currency: money.currency };
  return ctx.journal.refusePlanned({ service, intent, order });
}

// The flags that ask for the same without a question.
function wordsOf(asked: RefundAsked, { currency }: OrderMoney, { settings }: Profile): readonly string[] {
  const { amount } = asked;
  return flagsOf(asked, amount === undefined ? undefined : typedForm(amount, currency, settings));
}

// `--again` may name refunds of twins besides refunds and attempts of this order. The journal uses up only those of this order.
// Throws CliError 'refused' for a name that is neither, if the twins could not be read: it may be a refund of a twin.
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
