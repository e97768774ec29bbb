/** Refunds an order: plans the refund from the flags and the answers of a person, and hands it to the change of an order. */

import { typedForm } from '../../amounts.ts';
import type { OrderMoney } from '../../api/charges.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { orderColumns } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { checkDecimals } from '../../flags/amount-flag.ts';
import type { AttemptRecord, LimitFinding } from '../../journal/journal.ts';
import { isPaidBack, type KnownTwin, twinLine, twinWords, warnsOfTwin } from '../../orders/orders.ts';
import { flagWords, type Profile } from '../../profiles/profiles.ts';
import { attemptsOn, unshownIn } from '../by-hand-words.ts';
import type { PlannedChange } from '../change.ts';
import { checkNoHold, hold, skippedHold } from '../hold.ts';
import { checkNote, missingIn } from '../may-change.ts';
import { changeOrder, type OrderAsked, type OrderRead, orderConfirmation } from '../order-change.ts';
import { type DecidedRefund, decideRefund, type RefundAsked } from './decide-refund.ts';
import { madeWords, originsOf, type RefundOrigins } from './known-refunds.ts';
import { type FoundTwins, lookForTwins, splitAgain } from './look-for-twins.ts';
import { checkTwins, type MadeWords } from './refund-checks.ts';
import { type Counting, countingAt } from './refund-limit.ts';
import { aboutRefund, createDialog, leavesQuestions, refundQuestions } from './refund-questions.ts';
import { type Previewed, refundPreview, refundResult } from './refund-screens.ts';
import { youngWarnings } from './refund-warnings.ts';
import { type ApprovedRefund, approvedLine, refuseChanged } from './request-record.ts';
import {
  askedRefund,
  askForApproval,
  otherRequests,
  othersAtOrder,
  refuseOverLimits,
  secondLine,
} from './second-person.ts';

/** Refunds an order, one of its charges, or part of a charge. Throws CliError for every outcome that is not a plain success. */
export function refundOrder(
  ctx: Context,
  order: OrderAsked,
  what: Omit<RefundAsked, 'again'>,
  approved?: ApprovedRefund,
): Promise<void> {
  const { charge, amount, typed, reason, note } = what;
  return changeOrder(ctx, order, {
    kind: 'refund',
    asked: { charge, amount, reason },
    typed: { charge, amount: typed?.text ?? amount, reason, note },
    check: (profile) => {
      if (typed !== undefined) checkDecimals('--amount', typed, profile);
      checkNote(what.note, profile);
      checkNoHold(ctx, profile, order.noHold);
    },
    missing: ({ settings }) => missingIn(settings, what),
    plan: (read) => planOrder(ctx, read, { ...what, again: order.again }, approved),
  });
}

interface Planning extends Pick<Counting, 'unshown'> {
  /**
   * Plans the refund for the order as it was read, or as it was read again later. `byHand`: refunds that were recorded as made
   * and that the order does not show.
   */
  readonly decideNow: (
    asked: RefundAsked,
    now?: JsonObject,
    byHand?: readonly AttemptRecord[],
  ) => DecidedRefund;
  readonly origins: RefundOrigins;
  readonly approved: ApprovedRefund | undefined;
}

async function planOrder(
  ctx: Context,
  read: OrderRead,
  given: RefundAsked,
  approved: ApprovedRefund | undefined,
): Promise<PlannedChange> {
  const { id, order } = read;
  const { profile } = read.service;
  for (const line of await othersAtOrder(ctx, id)) ctx.notes.warn(line);
  const origins = await originsOf(ctx, read.service, order);
  const made = madeWords(ctx, origins);
  const attempts = await attemptsOn(ctx, read.service, order);
  const unshown = await unshownIn(ctx, read.service, order);
  const decideNow: Planning['decideNow'] = (asked, now = order, byHand = unshown) =>
    decideRefund(asked, now, profile, {
      counting: countingAt(read.service, byHand),
      madeWords: made,
      failures: { attempts, shortTime: (ms) => ctx.shortTime(ms) },
    });
  const dialog = await refundDialog(ctx, read, given, { decideNow, unshown, madeWords: made });
  const planAnswers = async (): Promise<PlannedChange> => {
    const planned = await planAnswered(ctx, read, await dialog.ask(), {
      decideNow,
      unshown,
      origins,
      approved,
    });
    return dialog.hasAsked() ? { ...planned, replan: planAnswers } : planned;
  };
  return planAnswers();
}

/** What is known once all questions are answered. */
interface Answered {
  readonly asked: RefundAsked;
  /** What the limits of the team say; undefined if it has none. */
  readonly limited: LimitFinding | undefined;
  readonly twins: FoundTwins;
}

async function refundDialog(
  ctx: Context,
  read: OrderRead,
  given: RefundAsked,
  planning: Pick<Planning, 'decideNow' | 'unshown'> & { readonly madeWords: MadeWords },
) {
  const { decideNow, unshown, madeWords: made } = planning;
  const { service, order, twin } = read;
  const { profile } = service;
  const questions = refundQuestions(ctx, read, given, {
    confirm: read.asked.confirm,
    counting: countingAt(service, unshown),
    madeWords: made,
  });
  let limited: LimitFinding | undefined;
  let split: Pick<RefundAsked, 'again' | 'twins'> = { again: given.again };
  let looking: Promise<FoundTwins> | undefined;
  const twinsOf = () => {
    looking ??= lookForTwins(ctx, service, order, twin);
    return looking;
  };
  const dialog = createDialog<RefundAsked>(
    given,
    [
      questions.charge,
      async (from, canGoBack, before) => {
        const asked = await questions.amount(from, canGoBack, before);
        // What is refused anyway is refused before the next question.
        const decided = decideNow(asked);
        await ctx.journal.refusePlanned({ service, change: decided.change, order });
        if (profile.sender !== undefined) twinsOf().catch(() => undefined);
        limited = await refuseOverLimits(ctx, askedRefund(profile, decided), profile.settings, [
          'reason',
          'note',
        ]);
        return asked;
      },
      questions.reason,
      async (from, canGoBack) => {
        const { twins, own, ...more } = await twinsOf();
        split = await splitAgain(ctx, read, from, { twins, own, ...more });
        const named = { ...from, ...split };
        const found = {
          found: twins,
          line: (one: KnownTwin) => twinLine(one, twinWords(ctx, profile, order, own)),
        };
        const asked = await questions.twins(named, found, canGoBack);
        checkTwins(decideNow(asked), asked, found, profile);
        return asked === named ? from : asked;
      },
      questions.note,
    ],
    read.isPicked,
  );
  return {
    hasAsked: () => dialog.hasAsked,
    async ask(): Promise<Answered> {
      const answers = await dialog.ask();
      const asked = answers.twins === undefined ? { ...answers, ...split } : answers;
      return { asked, limited, twins: await twinsOf() };
    },
  };
}

async function planAnswered(
  ctx: Context,
  read: OrderRead,
  { asked, limited, twins }: Answered,
  { decideNow, origins, approved }: Planning,
): Promise<PlannedChange> {
  const { order } = read;
  const { profile } = read.service;
  const { settings } = profile;
  const planned = decideNow(asked);
  const told = refundWarnings(ctx, { profile, order, origins }, planned, twins);
  const refund = askedRefund(profile, planned);
  const [finding, waiting] = await Promise.all([
    limited && refuseOverLimits(ctx, refund, settings),
    otherRequests(ctx, refund, approved?.id),
  ]);
  const second = approved === undefined ? secondLine(finding, settings) : approvedLine(ctx, approved, refund);
  const asks = approved === undefined && second !== undefined;
  // What was asked for is approved only while the order shows the same money.
  const others = asks ? waiting : waiting.map((line) => `${line}; this refund ends it`);
  const warnings = [...told.warnings, ...others, ...(second === undefined ? [] : [second])];
  const decided = { ...planned, warnings };
  const { money } = decided;
  const { note } = asked;
  const isOfTeam = (await ctx.journal.rules()) !== undefined;
  const change = {
    ...decided.change,
    approval: approved?.id,
    skippedHoldMs: skippedHold(profile, read.asked.noHold),
  };
  const confirmation = orderConfirmation(read, {
    change,
    typed: asked.typed,
    about: aboutRefund(order, asked),
    words:
      approved === undefined
        ? [...wordsOf(asked, money, profile), ...(leavesQuestions(asked) ? ['--only-confirm'] : [])]
        : ['--approved', approved.id],
    names: [...asked.again, ...(asked.twins ?? [])],
  });
  return {
    change,
    checks: [...warnings, ...told.urgent],
    async checkFresh({ value }) {
      const last = decideNow(asked, value, await unshownIn(ctx, read.service, value));
      if (approved !== undefined) refuseChanged(approved, askedRefund(profile, last));
    },
    confirmation: asks ? { ...confirmation, purpose: 'ask' } : confirmation,
    ...(asks ? { ask: () => askForApproval(ctx, profile, refund) } : {}),
    preview: refundPreview({ refund: decided, order, profile, note, isOfTeam, origins, asides: told.asides }),
    urgent: told.urgent,
    hold: () => hold(ctx, profile, read.asked.noHold),
    show: (applied) =>
      ctx.out.record(applied.record, orderColumns, () => refundResult(decided, applied, profile)),
  };
}

/** What a preview says besides the refund. */
export function refundWarnings(
  ctx: Context,
  { profile, order, origins }: Pick<Previewed, 'profile' | 'order' | 'origins'>,
  { warnings, money }: DecidedRefund,
  { twins, own, gaps }: FoundTwins,
) {
  const young = youngWarnings(money, profile, ctx.clock.now(), origins);
  const words = twinWords(ctx, profile, order, own);
  const inWords = (which: (twin: KnownTwin) => boolean) =>
    twins.filter((twin) => warnsOfTwin(twin, words) && which(twin)).map((twin) => twinLine(twin, words));
  return {
    warnings: [...warnings, ...young, ...inWords((twin) => !isPaidBack(twin)), ...gaps],
    /** Lines about orders that look like twins and were never paid: they warn of nothing. */
    asides: twins.filter((twin) => !warnsOfTwin(twin, words)).map((twin) => twinLine(twin, words)),
    // Paying both back is the mistake that costs the most.
    urgent: inWords(isPaidBack),
  };
}

// The flags that ask for the same without a question.
function wordsOf(
  { charge, amount, reason, note }: RefundAsked,
  { currency }: OrderMoney,
  { settings }: Profile,
): readonly string[] {
  const typed = amount === undefined ? undefined : typedForm(amount, currency, settings);
  return flagWords({ charge, amount: typed, reason, note });
}
