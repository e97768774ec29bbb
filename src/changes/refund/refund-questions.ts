/** Asks a person for what the flags of a refund leave open: which charge, how much, why, and a note. */

import { amountProblem, bothWays, figureWords, placesOf, readAmount, typedForm } from '../../amounts.ts';
import { type ChargeMoney, type OrderMoney, paidBy } from '../../api/charges.ts';
import { type ReasonWords, type RefundReason, refundReasons, refundReasonValues } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { type AttemptRecord, attemptName } from '../../journal/journal.ts';
import { type KnownTwin, nameForAgain } from '../../orders/orders.ts';
import { aboutMoney, checkMode, commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Choice } from '../../terminal/terminal.ts';
import { missingIn, tooShort } from '../may-change.ts';
import type { OrderRead } from '../order-change.ts';
import { unshownWords } from '../unconfirmed-words.ts';
import { isOfDuplicate, provableMoney, twinsToName } from './refund-checks.ts';
import {
  canGoBackWhole,
  chargesInTheWay,
  chargesNamed,
  type NamedMoney,
  type RefundAsked,
} from './refund-plan.ts';
import { noteKept } from './refund-screens.ts';

/** The questions about one refund, in the order in which they are asked. Between them a caller can refuse the refund. */
interface RefundQuestions {
  /** Which charge and how much. An order that cannot be refunded is refused before this question. */
  readonly money: () => Promise<RefundAsked>;
  readonly reason: (asked: RefundAsked) => Promise<RefundAsked>;
  /**
   * Whether this order is refunded as well, although all of its twin went back. A yes names the refund of the twin. Throws CliError
   * 'cancelled' after a no.
   */
  readonly twins: (asked: RefundAsked, found: TwinsInWords) => Promise<RefundAsked>;
  readonly note: (asked: RefundAsked) => Promise<RefundAsked>;
}

/** The twins of the order, and each in a line. */
interface TwinsInWords {
  readonly found: readonly KnownTwin[];
  readonly line: (twin: KnownTwin) => string;
}

/** What the questions need to know besides the flags. */
interface Asking {
  /** The value of `--confirm`. */
  readonly confirm: string | undefined;
  /** The refunds of the order that somebody recorded as made, and that it does not show. */
  readonly unshown: readonly AttemptRecord[];
}

/** Asks for values that no flag gave, unless nobody is at the terminal or --yes was given. */
export function refundQuestions(
  ctx: Context,
  read: OrderRead,
  given: RefundAsked,
  { confirm, unshown }: Asking,
): RefundQuestions {
  const { reason, note, again, onlyConfirm = false, ...named } = given;
  const { profile } = read.service;
  const asks = ctx.ask.interactive && !ctx.options.dryRun;
  const asksOptional = asks && !onlyConfirm && !ctx.options.yes && confirm === undefined;
  const asksFor = (what: 'reason' | 'note') => asksOptional || (asks && requires(profile, what));
  return {
    async money() {
      checkMode(read.order, profile);
      const money = provableMoney(read.order, profile);
      if (!asksOptional) return { ...named, reason, note, again };
      // A refund of the same charge is refused unless --again names it, so it is said before anybody chooses.
      const stopping = unshown.filter((record) => !again.includes(attemptName(record)));
      for (const record of stopping)
        ctx.notes.warn({
          text: `${unshownWords(record, profile)}: a refund of the same charge needs --again ${attemptName(record)}`,
          style: 'warn',
        });
      const what = await askMoney(ctx, read, named, { money, stopping });
      return { ...what, reason, note, again };
    },
    reason: async (asked) =>
      reason === undefined && asksFor('reason') ? { ...asked, reason: await askReason(ctx, profile) } : asked,
    async twins(asked, { found, line }) {
      // Whoever says that the buyer was charged twice, and refunds both, is wrong about one of the two: that is refused.
      const unnamed = asksOptional && !isOfDuplicate(asked.reason) ? twinsToName(found, asked) : [];
      if (unnamed.length === 0) return asked;
      for (const twin of unnamed) ctx.notes.warn({ text: line(twin), style: 'warn' });
      const question = {
        message: aboutMoney(profile, 'Refund this order too?'),
        flag: `--again ${unnamed.map(nameForAgain).join(',')}`,
      };
      if (await ctx.ask.confirm(question))
        return { ...asked, twins: [...(asked.twins ?? []), ...unnamed.map(nameForAgain)] };
      throw new CliError('cancelled', 'not refunded as well', {
        certain: 'nothing was sent',
        now: unnamed.map(({ id }) => commandLine(profile, 'orders', 'show', id)),
      });
    },
    note: async (asked) =>
      note === undefined && asksFor('note') ? { ...asked, note: await askNote(ctx, profile) } : asked,
  };
}

/**
 * Whether a person would still be asked something before this refund of an order that is named by its id: the flags of a
 * command that repeats it must then say that nothing is asked.
 */
export function leavesQuestions({ charge, amount, reason, note }: RefundAsked, money: OrderMoney): boolean {
  const isWhole = money.charges.filter(({ counts }) => counts).length < 2 && canGoBackWhole(money);
  const isMoneyClear = isWhole || (charge !== undefined && amount !== undefined);
  return !isMoneyClear || reason === undefined || note === undefined;
}

// Asks which charge and how much, where the flags leave that open: of an order that was picked, was paid by several charges,
// or was refunded in part. If anything else is wrong with the order or the flags, the plan refuses it later.
async function askMoney(
  ctx: Context,
  { service: { profile }, isPicked }: OrderRead,
  given: NamedMoney,
  { money, stopping }: { readonly money: OrderMoney; readonly stopping: readonly AttemptRecord[] },
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
        : await askCharge(ctx, profile, { money, charges: meant, offersWhole: false, stopping });
    if (chosen === undefined) return given;
    const sure = another === undefined ? given : { ...given, charge: chosen.id };
    if (amount !== undefined || (isPlain && !isPicked)) return sure;
    return { ...sure, ...(await askAmount(ctx, profile, money, chosen.left)) };
  }
  if (only === undefined || offered.length === 0) return {};
  if (isPlain && !isPicked) return {};
  if (second === undefined) return askAmount(ctx, profile, money, only.left);
  const chosen = await askCharge(ctx, profile, {
    money,
    charges: offered,
    offersWhole: canGoBackWhole(money),
    stopping,
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
    readonly stopping: readonly AttemptRecord[];
  },
): Promise<ChargeMoney | undefined> {
  const { money, charges, offersWhole, stopping } = offer;
  const stopped = new Set(
    stopping.flatMap(({ sent }) => sent.proof.expected.map(({ chargeId }) => chargeId)),
  );
  const recorded = ', recorded as made: refused without --again';
  const inTheWay = chargesInTheWay(money);
  const numbers = inTheWay.map(({ number }) => `charge ${number}`).join(' and ');
  const whole = {
    value: undefined,
    label:
      inTheWay.length > 0
        ? `all of it, but the service will refuse that: ${numbers} cannot be refunded`
        : `all of it${stopped.size > 0 ? recorded : ''}`,
  };
  const parts = charges.map((charge) => ({
    value: charge,
    label: `charge ${charge.number}  ${paidBy(charge.value)}  ${figureWords(charge.left, money.currency, profile.settings)} left${stopped.has(charge.id) ? recorded : ''}`,
  }));
  const isWholeFirst = inTheWay.length === 0;
  return ctx.ask.choose<ChargeMoney | undefined>({
    message: aboutMoney(profile, 'Refund what?'),
    flag: '--charge CH',
    choices: !offersWhole ? parts : isWholeFirst ? [whole, ...parts] : [...parts, whole],
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
    enterAfterError: `type an amount; for all of it: ${typedForm(left, currency, settings)}`,
    check: (text) => {
      const typed = readAmount(text);
      if (text === '') return undefined;
      if (typed === undefined) return notAnAmount(placesOf(currency, settings));
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

function notAnAmount(places: number | undefined): string {
  return places === undefined || places === 0
    ? 'a whole number, no decimals or commas'
    : `an amount such as 300.${'0'.repeat(places)}, no commas`;
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

// Whoever types one of these believes to answer another question.
const answers = /^(?:y|n|yes|no)$/i;
const notANote = 'this asks for a note, and nothing is sent yet: yes or no is not a note';

async function askNote(ctx: Context, profile: Profile): Promise<string | undefined> {
  const required = requires(profile, 'note');
  const kept = noteKept((await ctx.journal.rules()) !== undefined);
  const note = await ctx.ask.text({
    message: aboutMoney(profile, `Note, ${kept}${required ? '' : ' (Enter: none)'}:`),
    flag: '--note TEXT',
    optional: !required,
    check: (text) => {
      if (answers.test(text)) return notANote;
      return required ? missingNote(text, profile) : undefined;
    },
  });
  return note === '' ? undefined : note;
}

function missingNote(note: string, { settings }: Profile): string | undefined {
  return missingIn(settings, { note }).includes('note') ? `this ${tooShort(settings)}` : undefined;
}

function requires(profile: Profile, what: 'reason' | 'note'): boolean {
  return profile.settings['refund.require'].includes(what);
}
