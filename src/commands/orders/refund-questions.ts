/** What a refund still needs to know, asked of a person: which order, what of it, how much, why. */

import type { OrderMoney } from '../../api/charges.ts';
import {
  parseAmount,
  type ReasonWords,
  type RefundReason,
  readOrder,
  refundReasons,
  refundReasonValues,
} from '../../api/spec.ts';
import { usage } from '../../command.ts';
import type { Choice, Context, Profile, Service, WireRecord } from '../../ports.ts';
import { aboutMoney, commandLine } from '../account.ts';
import { idOf, walkForwards } from '../walk.ts';
import { payedBy } from './card.ts';
import { refused } from './refund-checks.ts';
import { canGoBackWhole } from './refund-target.ts';
import { canBeRefunded, countingCharges } from './refundable.ts';
import { createTwins } from './twins.ts';

const offered = 100;

/** The order a person picked. */
export interface Picked {
  readonly id: string;
  /** The order that may be meant instead: the same buyer and amount, minutes apart. */
  readonly twin: string | undefined;
}

/** Lets a person pick one of the newest 100 refundable orders, by typing any part of it. */
export async function pickOrder(ctx: Context, service: Service): Promise<Picked> {
  if (!ctx.ask.interactive)
    throw usage('missing ID: say which order', [
      commandLine(service.profile, 'orders', 'list', '--refundable'),
    ]);
  const read: WireRecord[] = [];
  const over = ctx.notes.progress(() => `${read.length} refundable orders`);
  try {
    const walk = { query: { limit: offered }, all: false, max: offered, filter: canBeRefunded };
    for await (const { records } of walkForwards(service, 'orders', walk)) read.push(...records);
  } finally {
    over();
  }
  if (read.length === 0) throw refused('there is no refundable order');
  const message = aboutMoney(service.profile, 'Which order?');
  const id = await ctx.ask.search({ message, flag: 'ID', choices: read.map(orderChoice) });
  const twins = createTwins();
  twins.see(read.map(({ value }) => value));
  return { id, twin: twins.of({ id }) };
}

// Strangers' text first and cut where it is long; card, amount and id last and whole.
function orderChoice(record: WireRecord): Choice<string> {
  const order = readOrder(record.value);
  const charges = countingCharges(record.value);
  const [first] = charges;
  const card = charges.length > 1 ? 'split' : first === undefined ? '' : payedBy(first.value);
  const id = idOf(record) ?? '';
  const { name, email } = order?.customer_info ?? {};
  const money = `${order?.amount ?? '-'} ${order?.currency ?? ''}`.trim();
  return { value: id, label: joined([name, email]), tail: joined([card, money, id]) };
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}

/** All of the order, where that can go back, or what is left of one of its charges; and how much of that. */
export async function askWhat(
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
        label: `charge ${number}  ${payedBy(value)}  ${left} left`,
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
  // All that is left is what a refund without amount means.
  return amount === undefined || amount === left ? {} : { amount };
}

/** The reason, in words with the wire value shown; none is possible unless the profile requires one. */
export function askReason(ctx: Context, profile: Profile): Promise<RefundReason | undefined> {
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

/** The note a profile requires. */
export function askNote(ctx: Context, profile: Profile): Promise<string> {
  return ctx.ask.text({
    message: aboutMoney(profile, 'Note (stays on this machine):'),
    flag: '--note TEXT',
    check: (text) => (text.trim() === '' ? 'a note is required' : undefined),
  });
}

/** Whether the profile's `refund.require` names it. */
export function requires(profile: Profile, what: 'reason' | 'note'): boolean {
  return profile.settings['refund.require'].includes(what);
}
