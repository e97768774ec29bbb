/** The plans that desks have given, as the sender has read them: a change is a row of an approved plan only if it is one. */

import { hash } from 'node:crypto';
import { paths } from '../../api/spec.ts';
import { paidOnOrders, rowsToSend } from '../../changes/changes.ts';
import { CliError } from '../../errors.ts';
import { isSameOrigin } from '../../journal/journal.ts';
import { type Plan, readPlan, sumsOf } from '../../plans/plans.ts';
import type { HandOver } from '../change-wire.ts';
import { hopPaths, maxBytes } from '../wire.ts';
import { bodyIn, type Hop, needRole, type SenderAccount } from './routes.ts';
import type { ApprovablePlan } from './rules/plan-limits.ts';
import type { Rules } from './rules/rules.ts';

/** What is kept of a plan: for each row that is sent, by its key, the digest of what it sends. */
export interface GivenPlan extends ApprovablePlan {
  readonly rows: ReadonlyMap<string, string>;
}

/** The plans that were given last. */
export interface GivenPlans {
  find(account: string, digest: string): GivenPlan | undefined;
}

// A desk gives a plan again that is not there any more.
const keptMax = 8;

/** Adds the route by which desks give plans. Its answer is what the limits say to the plan. */
export function addPlans(app: Hop, rules: Pick<Rules, 'of'>): GivenPlans {
  const kept = new Map<string, GivenPlan>();
  const keep = (name: string, plan: GivenPlan) => {
    // The last one used is the last one to go.
    kept.delete(name);
    kept.set(name, plan);
    for (const first of kept.keys()) if (kept.size > keptMax) kept.delete(first);
  };
  app.post(hopPaths.plans(':account'), async (context) => {
    needRole(context, 'viewer', 'check plans');
    const { asker, account } = context.var;
    const plan = await readPlan('the plan', bodyIn(context, maxBytes.plan));
    refuseOtherAccount(plan, account);
    const rows = rowsToSend(plan.rows);
    const { id, digest } = plan;
    const answer = await rules.of(asker, account).checkPlan({ plan: id, digest, orders: paidOnOrders(rows) });
    keep(`${account.name} ${digest}`, {
      digest,
      sums: sumsOf(rows),
      rows: new Map(rows.map((row) => [row.key, digestOf(row.orderId, row.body, row.sum)])),
    });
    return context.json({ answer });
  });
  return {
    find(account, digest) {
      const name = `${account} ${digest}`;
      const plan = kept.get(name);
      if (plan !== undefined) keep(name, plan);
      return plan;
    },
  };
}

/** Whether a change is a row of a plan: with its key, its order, its request and its amount. */
export function isRowOf({ rows }: GivenPlan, what: HandOver['what']): boolean {
  const { kind, idempotencyKey = '', orderId = '', request, amount } = what;
  const isRefund = kind === 'refund' && request.method === 'POST' && request.path === paths.refunds(orderId);
  return isRefund && rows.get(idempotencyKey) === digestOf(orderId, request.body, amount);
}

function digestOf(orderId: string, body: object | undefined, amount: number | undefined): string {
  return hash('sha256', JSON.stringify([orderId, body, amount]));
}

function refuseOtherAccount({ origin, account, mode }: Plan, { service: { profile } }: SenderAccount): void {
  if (isSameOrigin(origin, profile.origin) && account === profile.account && mode === profile.mode) return;
  throw new CliError('refused', 'the plan is for another account than that of this desk', {
    certain: 'nothing was sent',
  });
}
