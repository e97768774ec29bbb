/**
 * Asks a person for what the flags of a refund leave open: one question at a time, each based on the answers before it, with a
 * way back.
 */

import { moneyOf, paidBy } from '../../api/charges.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { readOrder } from '../../api/records.ts';
import { type ReasonWords, type RefundReason, refundReasons, refundReasonValues } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { attemptName } from '../../journal/journal.ts';
import { type KnownTwin, nameForAgain } from '../../orders/orders.ts';
import { aboutMoney, checkMode, commandLine, type Profile } from '../../profiles/profiles.ts';
import { type Choice, GoBack } from '../../terminal/terminal.ts';
import { unshownWords } from '../first-block.ts';
import { missingIn, tooShort } from '../may-change.ts';
import type { OrderRead } from '../order-change.ts';
import { chargesNamed, type NamedMoney, type RefundAsked } from './decide-refund.ts';
import {
  type AskedHow,
  askAmount,
  askCharge,
  chargesToOffer,
  chargeWithoutAmount,
} from './money-questions.ts';
import { isOfDuplicate, type MadeWords, provableMoney, spreadRest, twinsToName } from './refund-checks.ts';
import type { Counting } from './refund-limit.ts';
import { noteKept } from './refund-screens.ts';

/**
 * The questions about one refund, in the order in which they are asked. Between them a caller can refuse the refund. Each returns
 * what it was given if it asks nothing.
 */
interface RefundQuestions {
  /** Which charge. An order that cannot be refunded is refused before this question. */
  readonly charge: Step<RefundAsked>;
  readonly amount: Step<RefundAsked>;
  readonly reason: Step<RefundAsked>;
  /**
   * Whether this order is refunded as well, although all of its twin went back. A yes names the refund of the twin. Throws CliError
   * 'cancelled' after a no.
   */
  readonly twins: (asked: RefundAsked, found: TwinsInWords, canGoBack: boolean) => Promise<RefundAsked>;
  readonly note: Step<RefundAsked>;
}

interface TwinsInWords {
  readonly found: readonly KnownTwin[];
  readonly line: (twin: KnownTwin) => string;
}

/** How a question is asked, and the answers that it led to before somebody went back to it. */
type AskedAgain = AskedHow & { readonly before: RefundAsked | undefined };

/** What the questions need to know besides the flags. */
interface Asking {
  readonly counting: Counting;
  readonly confirm: string | undefined;
  readonly madeWords: MadeWords;
}

/** Asks for values that no flag gave, unless nobody is at the terminal or --yes was given. */
export function refundQuestions(
  ctx: Context,
  read: OrderRead,
  given: RefundAsked,
  { confirm, counting, madeWords }: Asking,
): RefundQuestions {
  const { profile } = read.service;
  const { unshown } = counting;
  const asks = ctx.ask.interactive && !ctx.options.dryRun;
  const asksOptional = asks && given.onlyConfirm !== true && !ctx.options.yes && confirm === undefined;
  const asksFor = (what: 'reason' | 'note') => asksOptional || (asks && requires(profile, what));
  const currency = [readOrder(read.order)?.currency ?? []].flat();
  // Every question says whose money it is about, and on which card.
  const how = (asked: RefundAsked, canGoBack: boolean): AskedHow => ({
    about: aboutMoney(profile, [aboutRefund(read.order, asked), ...currency].join(', ')),
    canGoBack,
  });
  return {
    async charge(asked, canGoBack, before) {
      checkMode(read.order, profile);
      const money = provableMoney(read.order, profile, madeWords);
      if (!asksOptional) return asked;
      // A refund of the same charge is refused unless --again names it, so it is said before anybody chooses.
      const stopping = unshown.filter((record) => !asked.again.includes(attemptName(record)));
      for (const record of stopping)
        ctx.notes.warn({
          text: `${unshownWords(record, profile)}: a refund of the same charge needs --again ${attemptName(record)}`,
          style: 'warn',
        });
      const offer = chargesToOffer(asked, money, stopping, () => spreadRest(money, profile, asked, counting));
      if (offer === undefined) return asked;
      const chosen = await askCharge(ctx, profile, offer, { ...how(asked, canGoBack), before });
      return chosen === undefined ? { ...asked } : { ...asked, charge: chosen.id };
    },
    async amount(asked, canGoBack, before) {
      const money = provableMoney(read.order, profile);
      const charge = asksOptional ? chargeWithoutAmount(asked, money) : undefined;
      if (charge === undefined) return asked;
      const question = how({ ...asked, charge: charge.id }, canGoBack);
      const typed = before?.charge === asked.charge ? before?.typed?.text : undefined;
      return {
        ...asked,
        ...(await askAmount(ctx, profile, money, charge.left, { ...question, before: typed })),
      };
    },
    reason: async (asked, canGoBack, before) =>
      asked.reason === undefined && asksFor('reason')
        ? { ...asked, reason: await askReason(ctx, profile, { ...how(asked, canGoBack), before }) }
        : asked,
    async twins(asked, { found, line }, canGoBack) {
      // Somebody who says that the buyer was charged twice, and refunds both, is wrong about one of the two: that is refused.
      const unnamed = asksOptional && !isOfDuplicate(asked.reason) ? twinsToName(found, asked) : [];
      if (unnamed.length === 0) return asked;
      for (const twin of unnamed) ctx.notes.warn({ text: line(twin), style: 'warn' });
      const question = {
        ...how(asked, canGoBack),
        message: 'Refund this order too?',
        flag: `--again ${unnamed.map(nameForAgain).join(',')}`,
      };
      if (await ctx.ask.confirm(question))
        return { ...asked, twins: [...(asked.twins ?? []), ...unnamed.map(nameForAgain)] };
      throw new CliError('cancelled', 'this order was not refunded', {
        certain: 'nothing was sent',
        now: unnamed.map(({ id }) => commandLine(profile, 'orders', 'show', id)),
      });
    },
    note: async (asked, canGoBack, before) =>
      asked.note === undefined && asksFor('note')
        ? { ...asked, note: await askNote(ctx, profile, { ...how(asked, canGoBack), before }) }
        : asked,
  };
}

const longestName = 24;

/** Whose money it is: `Ana Torres, *4242`. */
export function aboutRefund(order: JsonObject, { charge }: NamedMoney): string {
  const { customer_info: buyer } = readOrder(order) ?? {};
  const name = buyer?.name || buyer?.email || 'buyer not shown';
  const money = moneyOf(order);
  const charges =
    money === undefined
      ? []
      : charge === undefined
        ? money.charges.filter(({ counts }) => counts)
        : chargesNamed(charge, money);
  const cards = [...new Set(charges.map(({ value }) => paidBy(value)))];
  const shown =
    cards.length > 2 ? [`${cards.length} cards`] : cards.length === 0 ? [] : [cards.join(' and ')];
  const cutName = name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
  return [cutName, ...shown].join(', ');
}

/**
 * Whether a person would still be asked something before this refund of an order that is named by its id: the flags of a
 * command that repeats it must then say that nothing is asked.
 */
export function leavesQuestions({ amount, reason, note }: RefundAsked): boolean {
  return amount === undefined || reason === undefined || note === undefined;
}

// Shows each reason in words and as the service writes it. "No reason" is a choice unless the profile requires one.
function askReason(
  ctx: Context,
  profile: Profile,
  { before, ...how }: AskedAgain,
): Promise<RefundReason | undefined> {
  const reasons = refundReasonValues.map((value): Choice<RefundReason | undefined> => {
    const { words }: ReasonWords = refundReasons[value];
    return { value, label: `${words}  ${value}` };
  });
  const none = requires(profile, 'reason') ? [] : [{ value: undefined, label: 'no reason is sent' }];
  return ctx.ask.choose({
    ...how,
    message: 'Why?',
    flag: '--reason R',
    choices: [...reasons, ...none],
    before: (value) => before !== undefined && value === before.reason,
  });
}

// Somebody who types one of these thinks that they are answering another question.
const answers = /^(?:y|n|yes|no)$/i;
const notANote = 'this is the note, not the yes; nothing has been sent';

async function askNote(
  ctx: Context,
  profile: Profile,
  { before, ...how }: AskedAgain,
): Promise<string | undefined> {
  const required = requires(profile, 'note');
  const kept = noteKept((await ctx.journal.rules()) !== undefined);
  const note = await ctx.ask.text({
    ...how,
    message: `Note, ${kept}${required ? '' : before?.note === undefined ? ' (Enter: none)' : ' (- for none)'}:`,
    before: before?.note,
    flag: '--note TEXT',
    optional: !required,
    check: (text) => {
      if (answers.test(text)) return notANote;
      return required ? missingNote(text, profile) : undefined;
    },
  });
  return note === '' || note === '-' ? undefined : note;
}

function missingNote(note: string, { settings }: Profile): string | undefined {
  return missingIn(settings, { note }).includes('note') ? `this ${tooShort(settings)}` : undefined;
}

function requires(profile: Profile, what: 'reason' | 'note'): boolean {
  return profile.settings['refund.require'].includes(what);
}

/**
 * Asks a question about the answers so far. `before`: the answers that the same question led to, if a person went back to it.
 * Returns the same object if it asked nothing.
 */
type Step<T> = (answers: T, canGoBack: boolean, before?: T) => Promise<T>;

interface Dialog<T> {
  /**
   * Asks the questions; called again, when a person went back from what comes after them, begins with the last one that was
   * asked. Returns all answers.
   */
  ask(): Promise<T>;
  /** Whether a question was asked, so that a person can go back to it. */
  readonly hasAsked: boolean;
}

/**
 * A dialog that begins with what is known without a question. `canLeave`: something was asked before it, so going back from its first
 * question throws GoBack.
 */
export function createDialog<T>(given: T, steps: readonly Step<T>[], canLeave = false): Dialog<T> {
  const asked: { readonly at: number; readonly from: T }[] = [];
  const answered = new Map<number, T>();
  return {
    async ask() {
      let next = asked.pop() ?? { at: 0, from: given };
      for (let step = steps[next.at]; step !== undefined; step = steps[next.at]) {
        const { at, from } = next;
        try {
          const answers = await step(from, canLeave || asked.length > 0, answered.get(at));
          if (answers !== from) {
            asked.push(next);
            answered.set(at, answers);
          }
          next = { at: at + 1, from: answers };
        } catch (error) {
          const before = asked.pop();
          if (!(error instanceof GoBack) || (before === undefined && canLeave)) throw error;
          next = before ?? next;
        }
      }
      return next.from;
    },
    get hasAsked() {
      return asked.length > 0;
    },
  };
}
