/** Refunds an order: plans the refund from the flags and the answers of a person, and hands it to the change of an order. */

import { typedForm } from '../../amounts.ts';
import type { WireRecord } from '../../api/api.ts';
import { moneyOf, type OrderMoney } from '../../api/charges.ts';
import { orderColumns } from '../../api/resources.ts';
import { type JsonObject, paths } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { checkDecimals } from '../../flags/flags.ts';
import { type AskedRefund, attemptName } from '../../journal/journal.ts';
import {
  isPaidBack,
  type KnownTwin,
  nameForAgain,
  twinLine,
  twinWords,
  warnsOfTwin,
} from '../../orders/orders.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { unshownIn } from '../by-hand-words.ts';
import type { PlannedChange } from '../change.ts';
import { checkNote, missingIn } from '../may-change.ts';
import { changeOrder, type OrderAsked, type OrderRead, orderConfirmation } from '../order-change.ts';
import { type ApprovedRefund, approvedLine, refuseChanged } from './approved-refund.ts';
import { failedTimes, madeWords, originsOf, type RefundOrigins } from './known-refunds.ts';
import { type FoundTwins, lookForTwins } from './look-for-twins.ts';
import { type Counting, chargeCommands, checkTwins, countingAt, refused } from './refund-checks.ts';
import { chargesInTheWay, flagsOf, planRefund, type RefundAsked, type RefundPlan } from './refund-plan.ts';
import { leavesQuestions, refundQuestions } from './refund-questions.ts';
import { refundPreview, refundResult } from './refund-screens.ts';
import { youngWarnings } from './refund-warnings.ts';
import {
  askedRefund,
  askForApproval,
  otherRequests,
  othersAtOrder,
  refuseOverLimits,
  secondLine,
} from './second-person.ts';

/**
 * Refunds an order, one of its charges, or part of a charge. Throws CliError for every outcome that is not a plain success.
 */
export function refundOrder(
  ctx: Context,
  order: OrderAsked,
  what: Omit<RefundAsked, 'again'>,
  approved?: ApprovedRefund,
): Promise<void> {
  const { charge, amount, typed, reason } = what;
  return changeOrder(ctx, order, {
    kind: 'refund',
    asked: { charge, amount, reason },
    typedAmount: typed?.text,
    check: (profile) => {
      if (typed !== undefined) checkDecimals('--amount', typed, profile);
      checkNote(what.note, profile);
    },
    missing: ({ settings }) => missingIn(settings, what).map((name) => `--${name}`),
    plan: (read) => planOrder(ctx, read, { ...what, again: order.again }, approved),
  });
}

async function planOrder(
  ctx: Context,
  read: OrderRead,
  given: RefundAsked,
  approved: ApprovedRefund | undefined,
): Promise<PlannedChange> {
  const { id, order, twin, asked: typed } = read;
  const { profile } = read.service;
  const { settings } = profile;
  for (const line of await othersAtOrder(ctx, id)) ctx.notes.warn(line);
  const origins = await originsOf(ctx, read.service, order);
  const made = madeWords(ctx, origins);
  const failedWords = await failedTimes(ctx, read.service, order);
  const unshown = await unshownIn(ctx, read.service, order);
  const planNow = (asked: RefundAsked, now = order, byHand = unshown) =>
    planRefund(asked, now, profile, {
      counting: countingAt(read.service, byHand),
      madeWords: made,
      failedWords,
    });
  const questions = refundQuestions(ctx, read, given, { confirm: typed.confirm, unshown });
  const answers = await questions.money();
  // What is refused anyway is refused before the next question.
  await refusePlanned(ctx, read, planNow(answers), answers);
  const asRefund = (plan: RefundPlan, from: RefundAsked) => refundForTeam(profile, id, plan, from);
  const limited = await refuseOverLimits(ctx, asRefund(planNow(answers), answers), settings, [
    'reason',
    'note',
  ]);
  const withReason = await questions.reason(answers);
  const twins = await lookForTwins(ctx, read.service, order, twin);
  const named = { ...withReason, ...(await splitAgain(ctx, read, withReason, twins)) };
  const line = (one: KnownTwin) => twinLine(one, twinWords(ctx, profile, order, twins.own));
  const found = { found: twins.twins, line };
  const withAgain = await questions.twins(named, found);
  checkTwins(planNow(withAgain), withAgain, found, profile);
  const asked = await questions.note(withAgain);
  const planned = planNow(asked);
  const told = refundWarnings(ctx, { profile, order, origins }, planned, twins);
  const refund = asRefund(planned, asked);
  const finding = limited && (await refuseOverLimits(ctx, refund, settings));
  const second = approved === undefined ? secondLine(finding, settings) : approvedLine(ctx, approved, refund);
  const others = second === undefined ? [] : await otherRequests(ctx, refund, approved?.id);
  const warnings = [...told.warnings, ...others, ...(second === undefined ? [] : [second])];
  const plan = { ...planned, warnings };
  const { money } = plan;
  const { note } = asked;
  const isOfTeam = (await ctx.journal.rules()) !== undefined;
  const change = {
    ...changeOfRow(id, plan, asked),
    approval: approved?.id,
    twins: asked.twins === undefined || asked.twins.length === 0 ? undefined : asked.twins,
    checks: [...plan.warnings, ...told.urgent],
    async checkFresh({ value }: WireRecord) {
      const last = planNow(asked, value, await unshownIn(ctx, read.service, value));
      if (approved !== undefined) refuseChanged(approved, asRefund(last, asked), 'it was asked for');
    },
  };
  const asks = approved === undefined && second !== undefined;
  const confirmation = orderConfirmation(read, {
    change,
    typed: asked.typed,
    instead: insteadOf(plan, asked, profile, countingAt(read.service, unshown)),
    words:
      approved === undefined
        ? [...wordsOf(asked, money, profile), ...(leavesQuestions(asked, money) ? ['--only-confirm'] : [])]
        : ['--approved', approved.id],
    names: [...asked.again, ...(asked.twins ?? [])],
  });
  return {
    change,
    confirmation: asks ? { ...confirmation, purpose: 'ask' } : confirmation,
    ...(asks ? { ask: () => askForApproval(ctx, profile, refund) } : {}),
    preview: refundPreview({ plan, order, profile, note, isOfTeam, origins, asides: told.asides }),
    urgent: told.urgent,
    show: (applied) =>
      ctx.out.record(applied.record, orderColumns, () => refundResult(plan, applied, profile)),
  };
}

/** What stands in a preview besides the refund. */
interface RefundNotes {
  readonly warnings: readonly string[];
  /** Lines about orders that look like twins and were never paid: they warn of nothing. */
  readonly asides: readonly string[];
  /** Warnings right above the question. */
  readonly urgent: readonly string[];
}

/** What a preview says besides the refund. */
export function refundWarnings(
  ctx: Context,
  {
    profile,
    order,
    origins,
  }: { readonly profile: Profile; readonly order: JsonObject; readonly origins: RefundOrigins },
  { warnings, money }: RefundPlan,
  { twins, own, gaps }: FoundTwins,
): RefundNotes {
  const young = youngWarnings(money, profile, ctx.clock.now(), origins);
  const words = twinWords(ctx, profile, order, own);
  const inWords = (which: (twin: KnownTwin) => boolean) =>
    twins.filter((twin) => warnsOfTwin(twin, words) && which(twin)).map((twin) => twinLine(twin, words));
  return {
    warnings: [...warnings, ...young, ...inWords((twin) => !isPaidBack(twin)), ...gaps],
    asides: twins.filter((twin) => !warnsOfTwin(twin, words)).map((twin) => twinLine(twin, words)),
    // To pay both back is the mistake that costs most.
    urgent: inWords(isPaidBack),
  };
}

// The refund as it is sent.
function changeOfRow(
  orderId: string,
  { body, expected, tolerated, amount, money }: RefundPlan,
  { reason, note, again }: RefundAsked,
) {
  const request = { method: 'POST', path: paths.refunds(orderId), body: { ...body } } as const;
  return { orderId, request, expected, tolerated, amount, currency: money.currency, reason, note, again };
}

/** The refund in the form in which the team compares it. `--again` names those of twins too. */
export function refundForTeam(
  profile: Profile,
  orderId: string,
  plan: RefundPlan,
  asked: RefundAsked,
): AskedRefund {
  const again = [...asked.again, ...(asked.twins ?? [])];
  return askedRefund(profile, { ...changeOfRow(orderId, plan, asked), again }, plan.money);
}

// The service will refuse the whole order, so the same command is none for later.
function insteadOf(
  { charge, money }: RefundPlan,
  { reason, note }: RefundAsked,
  profile: Profile,
  counting: Counting,
): readonly string[] | undefined {
  if (charge !== undefined || chargesInTheWay(money).length === 0) return undefined;
  const others = money.charges.filter(({ counts, isRefundable }) => counts && isRefundable !== false);
  return [
    'the service would refuse that; the other charges, for later:',
    ...chargeCommands(money, others, profile, { reason, note }, counting),
  ];
}

// Throws the CliError with which the journal would refuse this refund.
function refusePlanned(
  ctx: Context,
  { service, id, order }: OrderRead,
  plan: RefundPlan,
  asked: RefundAsked,
): Promise<void> {
  return ctx.journal.refusePlanned({ service, change: changeOfRow(id, plan, asked), order });
}

// The flags that ask for the same without a question.
function wordsOf(asked: RefundAsked, { currency }: OrderMoney, { settings }: Profile): readonly string[] {
  const { amount } = asked;
  return flagsOf(asked, amount === undefined ? undefined : typedForm(amount, currency, settings));
}

/**
 * `--again` may name refunds of twins besides refunds and attempts of this order. The journal uses up only those of this order.
 * Throws CliError 'refused' for a name that is neither, if the twins could not be read: it may be a refund of a twin.
 */
export async function splitAgain(
  ctx: Context,
  { service, id, order }: Pick<OrderRead, 'service' | 'id' | 'order'>,
  { again }: RefundAsked,
  { twins: found, gaps, failed }: FoundTwins,
): Promise<Pick<RefundAsked, 'again' | 'twins'>> {
  if (again.length === 0) return { again };
  const ofTwins = new Set(found.filter(isPaidBack).map(nameForAgain));
  const isTwins = (name: string) => ofTwins.has(name);
  const split = { again: again.filter((name) => !isTwins(name)), twins: again.filter(isTwins) };
  if (!failed) return split;
  const refunds = moneyOf(order)?.charges.flatMap((charge) => charge.refunds) ?? [];
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
