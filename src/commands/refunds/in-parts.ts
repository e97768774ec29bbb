/** `orders refund --allocate`: makes a plan of one amount, and applies it if somebody says yes. */

import {
  applyPlan,
  checkNote,
  controlFigures,
  isUnsentPlanOf,
  missingIn,
  planOrder,
  type RefundAsked,
  requiredBy,
  showPlan,
} from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { CliError, refused, systemCode, withParts } from '../../errors.ts';
import { checkDecimals } from '../../flags/amount-flag.ts';
import { usage } from '../../flags/flags.ts';
import { type AllocateWay, digestShown, type Plan } from '../../plans/plans.ts';
import { commandLine, flagWords, type Profile } from '../../profiles/profiles.ts';
import type { TypedAmount } from '../../typed-amounts.ts';

/** What `orders refund --allocate` was asked for. */
interface InParts extends Pick<RefundAsked, 'reason' | 'note' | 'again'> {
  readonly id: string | undefined;
  readonly typed: TypedAmount | undefined;
  readonly allocate: AllocateWay;
  readonly to: string | undefined;
  readonly noHold: boolean | undefined;
}

/** Several charges are several refunds, so they are sent as a plan: one row for each, and each at most once. */
export async function refundInParts(
  ctx: Context,
  { id, typed, again, allocate, to: named, noHold, reason, note }: InParts,
): Promise<void> {
  if (id === undefined || typed === undefined)
    throw usage(
      `missing ${id === undefined ? 'ID' : '--amount'}: --allocate spreads an amount over the charges of an order`,
    );
  const service = await ctx.service({ purpose: 'change', kind: 'refund' });
  const { profile } = service;
  const { ask, options } = ctx;
  const isProduction = profile.mode === 'production';
  checkDecimals('--amount', typed, profile);
  checkNote(note, profile);
  const missing = missingIn(profile.settings, { reason, note });
  if (missing.length > 0) throw usage(`missing --${missing.join(', --')}: ${requiredBy(missing, profile)}`);
  const expected = { count: undefined, totals: [] };
  const row = { orderId: id, amount: typed.amount, reason, note };
  const to = named ?? `${id}.plan`;
  const words = { amount: typed.text, allocate, reason, note, to: named, 'no-hold': noHold };
  const made = await planOrder(
    ctx,
    service,
    row,
    { to, force: false, allocation: allocate, allowed: [], again, expected },
    (names) => commandLine(profile, 'orders', 'refund', id, ...flagWords({ ...words, again: names })),
  ).catch(async (error: unknown) => {
    throw await orNameAnother(ctx, error, { ...row, to, profile });
  });
  const applies = !options.dryRun && (ask.interactive || (options.yes && !isProduction));
  await showPlan(ctx, made, to, profile, { applies });
  if (options.dryRun) return;
  if (!applies) throw notConfirmed(made, to, profile);
  await applyPlan(ctx, {
    path: to,
    confirm: undefined,
    noHold,
    expected,
    concurrency: undefined,
    maxFailures: undefined,
    maxPerSecond: undefined,
  });
}

// After a No the file of the plan stays, and the same command would always be refused because of it.
async function orNameAnother(
  ctx: Context,
  error: unknown,
  { to, profile, ...row }: Parameters<typeof isUnsentPlanOf>[2] & { to: string; profile: Profile },
): Promise<unknown> {
  if (!(error instanceof CliError) || systemCode(error.cause) !== 'EEXIST') return error;
  const isSame = await isUnsentPlanOf(ctx, to, row).catch(() => false);
  return withParts(error, {
    now: isSame
      ? [
          'it asks for the same, and nothing of it was sent; to look at it and send it:',
          commandLine(profile, 'refunds', 'apply', to),
        ]
      : [
          'name another file with --to; what became of the plan that is there:',
          commandLine(profile, 'refunds', 'status', to),
        ],
  });
}

// Nobody can be asked. In production a script confirms the digest, which is known only now.
function notConfirmed(plan: Plan, to: string, profile: Profile): CliError {
  const isProduction = profile.mode === 'production';
  const why = isProduction
    ? 'in production --yes alone is not enough'
    : 'no terminal to ask on, and no --yes';
  return refused(
    `not confirmed: ${why}`,
    [
      'look at the plan; if it is what you mean:',
      commandLine(profile, 'refunds', 'apply', to, ...(isProduction ? confirmation(plan) : ['--yes'])),
    ],
    { certain: `nothing was sent; the plan is in ${to}`, ownCode: 'not_confirmed' },
  );
}

function confirmation({ digest, rows }: Plan): readonly string[] {
  const { rows: count, sums } = controlFigures(rows);
  const totals = sums.flatMap(({ currency, amount }) => ['--expect-total', `${currency}=${amount}`]);
  return ['--confirm', digest.slice(0, digestShown), '--expect-count', String(count), ...totals];
}
