/** `orders refund --allocate`: makes a plan of one amount, and applies it if somebody says yes. */

import type { TypedAmount } from '../../amounts.ts';
import type { RefundReason } from '../../api/spec.ts';
import { applyPlan, planOrder } from '../../changes/changes.ts';
import type { AllocateWay } from '../../plans/plans.ts';
import type { Context } from '../command.ts';
import { checkDecimals, usage } from '../flags.ts';
import { showPlan } from './show-plan.ts';

/** What `orders refund --allocate` was asked for. */
interface InParts {
  readonly id: string | undefined;
  readonly typed: TypedAmount | undefined;
  readonly again: readonly string[];
  readonly allocate: AllocateWay;
  readonly to: string | undefined;
  readonly reason?: RefundReason | undefined;
  readonly note?: string | undefined;
}

/** Several charges are several refunds, so they go the way of a plan: one row for each, and each at most once. */
export async function refundInParts(
  ctx: Context,
  { id, typed, again, allocate, to = `${id}.plan`, reason, note }: InParts,
): Promise<void> {
  if (id === undefined || typed === undefined)
    throw usage(
      `missing ${id === undefined ? 'ID' : '--amount'}: --allocate spreads an amount over the charges of an order`,
    );
  const service = await ctx.service({ purpose: 'change' });
  const { profile } = service;
  checkDecimals('--amount', typed, profile);
  const missing = profile.settings['refund.require'].filter((name) => ({ reason, note })[name] === undefined);
  if (missing.length > 0)
    throw usage(`missing --${missing.join(', --')}: required by profile ${profile.name} (refund.require)`);
  const expected = { count: undefined, totals: [] };
  const row = { orderId: id, amount: typed.amount, reason, note };
  const made = await planOrder(ctx, service, row, {
    to,
    force: false,
    allocation: allocate,
    allowed: [],
    again,
    expected,
  });
  await showPlan(ctx, made, to, profile);
  if (!ctx.ask.interactive || ctx.options.dryRun) return;
  await applyPlan(ctx, {
    path: to,
    confirm: undefined,
    expected,
    concurrency: 1,
    maxFailures: undefined,
    maxPerSecond: undefined,
  });
}
