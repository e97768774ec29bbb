/** What a refund was asked for: by flags, and by a person where flags are silent. */

import { CliError } from '../../errors.ts';
import type { Context, Service, WireRecord } from '../../ports.ts';
import { refundableMoney } from './refund-checks.ts';
import { planRefund, type RefundAsked } from './refund-plan.ts';
import { askNote, askReason, askWhat, requires } from './refund-questions.ts';

/** A script learns of a missing flag before any request. */
export function checkRequired(
  ctx: Context,
  { profile }: Service,
  flags: { readonly reason?: unknown; readonly note?: unknown },
): void {
  if (ctx.ask.interactive) return;
  for (const name of profile.settings['refund.require']) {
    if (flags[name] === undefined) {
      throw new CliError('usage', `missing --${name}: profile ${profile.name} requires it (refund.require)`, {
        certain: 'nothing was sent',
      });
    }
  }
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
  planRefund({ ...what, again }, order.value, profile);
  const asksReason = asks && (answersOptional || requires(profile, 'reason'));
  return {
    ...what,
    reason: reason ?? (asksReason ? await askReason(ctx, profile) : undefined),
    note: note ?? (asks && requires(profile, 'note') ? await askNote(ctx, profile) : undefined),
    again,
  };
}
