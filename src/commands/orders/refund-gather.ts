/** What a refund was asked for: by flags, and by a person where flags are silent. */

import type { Service, WireRecord } from '../../api/api.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Context } from '../command.ts';
import { usage } from '../command.ts';
import { refundableMoney } from './refund-checks.ts';
import { planRefund, type RefundAsked } from './refund-plan.ts';
import { askNote, askReason, askWhat, requires } from './refund-questions.ts';

/** The flags that the profile requires and nobody gave, as they are typed. */
export function missingRequired(
  profile: Profile,
  flags: { readonly reason?: unknown; readonly note?: unknown },
): readonly string[] {
  return profile.settings['refund.require']
    .filter((name) => flags[name] === undefined)
    .map((name) => `--${name}`);
}

/** A script learns of them before any request. */
export function checkRequired(ctx: Context, profile: Profile, missing: readonly string[]): void {
  if (ctx.ask.interactive || missing.length === 0) return;
  throw usage(`missing ${missing.join(', ')}: required by profile ${profile.name} (refund.require)`, [
    'paydesk orders refund --help',
  ]);
}

/**
 * What was not given is asked, as far as somebody is there and did not say yes beforehand. Throws CliError 'refused' as
 * soon as that is certain: nobody is asked why something cannot be refunded.
 */
export async function gather(
  ctx: Context,
  { profile }: Service,
  order: WireRecord,
  given: RefundAsked & { readonly confirm?: string },
  nothingGiven: boolean,
): Promise<RefundAsked> {
  const { charge, amount, reason, note, again } = given;
  const asks = ctx.ask.interactive && !ctx.options.dryRun;
  const money = refundableMoney(order.value, profile);
  const answersOptional = asks && !ctx.options.yes && given.confirm === undefined;
  const what =
    answersOptional && nothingGiven && charge === undefined && amount === undefined
      ? await askWhat(ctx, profile, money)
      : { charge, amount };
  planRefund({ ...what, reason, note, again }, order.value, profile);
  const asksReason = asks && (answersOptional || requires(profile, 'reason'));
  return {
    ...what,
    reason: reason ?? (asksReason ? await askReason(ctx, profile) : undefined),
    note: note ?? (asks && requires(profile, 'note') ? await askNote(ctx, profile) : undefined),
    again,
  };
}
