/** What a refund still needs to know, asked of a person: what of the order, how much, why. */

import type { OrderMoney } from '../../api/charges.ts';
import {
  parseAmount,
  type ReasonWords,
  type RefundReason,
  refundReasons,
  refundReasonValues,
} from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Choice } from '../../terminal/terminal.ts';
import { aboutMoney } from '../account.ts';
import type { Context } from '../command.ts';
import { paidBy } from './card.ts';
import { canGoBackWhole } from './refund-target.ts';

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
