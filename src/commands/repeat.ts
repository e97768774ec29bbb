/** `--intent`: a script's own id of what it wants once. A repeat gives the recorded outcome and sends nothing. */

import { readMoney } from '../api/charges.ts';
import type { JsonObject } from '../api/spec.ts';
import { flag, usage } from '../command.ts';
import type { Block, Context, Intent, Profile } from '../ports.ts';
import { accountLabel } from './account.ts';
import { changeWords } from './kind-words.ts';
import { refundedSum } from './orders/money-view.ts';
import { type Applied, appliedOrThrow, isDryRun } from './outcome.ts';

const intentIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The flag of every change that can be repeated safely. */
export const intentFlag = flag.of<string>({
  value: 'ID',
  summary: "a script's own id of this change: the same ID again gives the recorded outcome",
  parse: (text, name) => {
    if (intentIdPattern.test(text)) return text;
    throw usage(`${name} ${text}: letters, digits and . _ : - only, 128 at most`);
  },
});

/** What is compared when the same id comes again; absent values are left out. */
export function askedFor(values: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Throws CliError 'usage' for an `--intent` without an order: the same order under the same id, or it is something else. */
export function checkOrderNamed(orderId: string | undefined, intentId: string | undefined): void {
  if (intentId !== undefined && orderId === undefined) throw usage('missing ID: --intent repeats one order');
}

/**
 * Shows the recorded outcome of an earlier run under the same id; false when a new attempt is due. Throws as the
 * outcome says: 'rejected', or 'unknown' while it is open; 'refused' when the id was used for something else.
 */
export async function showRecorded(
  ctx: Context,
  profile: Profile,
  intent: Pick<Intent, 'kind' | 'intentId' | 'asked' | 'again'>,
): Promise<boolean> {
  const { kind, intentId, asked = {}, again } = intent;
  if (intentId === undefined || ctx.options.dryRun) return false;
  const recorded = await ctx.journal.recorded(intentId, { kind, asked, again, origin: profile.origin });
  if (recorded === undefined || isDryRun(recorded.outcome)) return false;
  const { outcome, change } = recorded;
  const applied = appliedOrThrow(ctx, profile, change, outcome);
  ctx.notes.note(`${intentId} was applied before, journal ${applied.intent ?? ''}; nothing was sent now`);
  await ctx.out.record(applied.record, [], () => [
    { line: [`applied before: ${changeWords(change)}   `, accountLabel(profile)] },
    ...moneyLines(applied),
  ]);
  return true;
}

// What went back, and what is left now.
function moneyLines({ record, refunds = [] }: Applied): readonly Block[] {
  const reading = readMoney(record.value);
  if (refunds.length === 0) return [];
  const lines = refunds.map(({ id, amount, chargeId }) => ({
    line: `refund   ${id ?? 'no id shown'}   ${amount} on charge ${chargeId}`,
    hang: 9,
  }));
  if (!('money' in reading)) return lines;
  const { money } = reading;
  const refunded = refundedSum(money);
  return [
    ...lines,
    { line: `money    ${refunded} refunded of ${money.amount}; ${money.amount - refunded} left` },
  ];
}
