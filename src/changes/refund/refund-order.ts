/** Refunds an order: takes the flags, asks a person for missing values, and plans the refund. */

import { type OrderMoney, paidBy } from '../../api/charges.ts';
import {
  parseAmount,
  paths,
  type ReasonWords,
  type RefundReason,
  refundReasons,
  refundReasonValues,
} from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import { aboutMoney, type Profile } from '../../profiles/profiles.ts';
import type { Choice } from '../../terminal/terminal.ts';
import { changeOrder, type OrderAsked, type OrderPlan, type OrderRead } from '../order-change.ts';
import { originsOf } from './known-refunds.ts';
import { refundableMoney, youngWarnings } from './refund-checks.ts';
import { canGoBackWhole, planRefund, type RefundAsked } from './refund-plan.ts';
import { refundPreview, refundResult } from './refund-screens.ts';
import type { Twin } from './twins.ts';

/**
 * Refunds an order, one of its charges, or part of a charge. Throws CliError for every outcome that is not a plain success.
 */
export function refundOrder(
  ctx: Context,
  order: OrderAsked,
  what: Omit<RefundAsked, 'again'>,
): Promise<void> {
  const { charge, amount, reason } = what;
  return changeOrder(ctx, order, {
    kind: 'refund',
    asked: { charge, amount, reason },
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
  const asked = await askForMissing(ctx, read, given, confirm);
  const planned = planRefund(asked, order, profile);
  const origins = await originsOf(ctx, profile, order);
  const young = youngWarnings(planned.money, ctx.clock.now(), origins);
  const plan = { ...planned, warnings: [...planned.warnings, ...young, ...twinWords(twin)] };
  const { body, expected, tolerated, amount, money, warnings } = plan;
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
      checks: warnings,
    },
    preview: refundPreview({ plan, order, profile, note, origins }),
    check: (fresh) => {
      planRefund(asked, fresh, profile);
    },
    result: (applied) => refundResult(plan, applied, profile),
  };
}

function twinWords(twin: Twin | undefined): readonly string[] {
  if (twin === undefined) return [];
  return [`a possible twin, the same buyer and amount within 10 minutes, may be meant: ${twin.id}`];
}

// Asks for values that no flag gave, unless nobody is at the terminal or --yes was given. An order that cannot be refunded is
// refused before the first question.
async function askForMissing(
  ctx: Context,
  { service: { profile }, order, isPicked }: OrderRead,
  given: RefundAsked,
  confirm: string | undefined,
): Promise<RefundAsked> {
  const { charge, amount, reason, note, again } = given;
  const asks = ctx.ask.interactive && !ctx.options.dryRun;
  const money = refundableMoney(order, profile);
  const asksOptional = asks && !ctx.options.yes && confirm === undefined;
  const what =
    asksOptional && isPicked && charge === undefined && amount === undefined
      ? await askWhat(ctx, profile, money)
      : { charge, amount };
  planRefund({ ...what, reason, note, again }, order, profile);
  const asksReason = asks && (asksOptional || requires(profile, 'reason'));
  return {
    ...what,
    reason: reason ?? (asksReason ? await askReason(ctx, profile) : undefined),
    note: note ?? (asks && requires(profile, 'note') ? await askNote(ctx, profile) : undefined),
    again,
  };
}

// Asks which charge to refund, or all of the order if that is possible, and then for the amount.
async function askWhat(
  ctx: Context,
  profile: Profile,
  money: OrderMoney,
): Promise<{ charge?: string; amount?: number }> {
  const charges = money.charges.filter(({ counts }) => counts);
  const [only, second] = charges;
  if (only === undefined) return {};
  if (second === undefined) return askAmount(ctx, profile, only.left);
  const charge = await ctx.ask.choose<string | undefined>({
    message: aboutMoney(profile, 'What of it?'),
    flag: '--charge CH',
    choices: [
      ...(canGoBackWhole(money) ? [{ value: undefined, label: 'all of it' }] : []),
      ...charges.map(({ number, value, left, id }) => ({
        value: id,
        label: `charge ${number}  ${paidBy(value)}  ${left} left`,
      })),
    ],
  });
  const chosen = charges.find(({ id }) => id === charge);
  return chosen === undefined ? {} : { charge: chosen.id, ...(await askAmount(ctx, profile, chosen.left)) };
}

async function askAmount(ctx: Context, profile: Profile, left: number): Promise<{ amount?: number }> {
  const typed = await ctx.ask.text({
    message: aboutMoney(profile, `How much? (Enter: all ${left})`),
    flag: '--amount N',
    optional: true,
    check: (text) => {
      const amount = parseAmount(text);
      if (text === '' || (amount !== undefined && amount <= left)) return undefined;
      return amount === undefined ? "digits only: the service's own integer" : `only ${left} is left`;
    },
  });
  const amount = parseAmount(typed);
  // A refund without an amount refunds everything that is left.
  return amount === undefined || amount === left ? {} : { amount };
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

function askNote(ctx: Context, profile: Profile): Promise<string> {
  return ctx.ask.text({
    message: aboutMoney(profile, 'Note (stays on this machine):'),
    flag: '--note TEXT',
    check: (text) => (text.trim() === '' ? 'a note is required' : undefined),
  });
}

function requires(profile: Profile, what: 'reason' | 'note'): boolean {
  return profile.settings['refund.require'].includes(what);
}
