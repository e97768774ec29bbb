/** The second person of a plan: whether somebody else of the team must approve it, has, or is asked to. */

import { type AmountStyle, amountWords, figureWords } from '../../amounts.ts';
import type { Context } from '../../context/context.ts';
import type { CliError } from '../../errors.ts';
import { type ApprovalRequest, type PlanSecond, type PlanTold, secondWords } from '../../journal/journal.ts';
import { type Plan, type PlanRow, planText, sumsOf } from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { requestOfPlan } from '../refund/request-record.ts';
import { requestApproval, yesAsks } from '../refund/second-person.ts';
import { notedOf, noteOf } from './batch-words.ts';
import { rowsToSend } from './plan-checks.ts';

/** A second person whom the team's limits want for a plan. */
export interface SecondPerson {
  /** Nobody has approved it yet, so a yes asks for that. */
  readonly asks: boolean;
  readonly line: string;
  /** Which sum reaches the limit: that of the plan, or of which of its orders. */
  readonly because: readonly string[];
  /** Somebody else has asked for it, and nobody has answered yet. */
  readonly asked?: ApprovalRequest;
}

/** Whether somebody else of the team must approve a plan, or has; undefined if nobody needs to. */
export async function secondPersonFor(
  ctx: Context,
  profile: Profile,
  plan: Plan,
): Promise<SecondPerson | undefined> {
  const { settings } = profile;
  const rules = await ctx.journal.rules();
  if (rules === undefined) return undefined;
  const { second, approvedBy } = await rules.checkPlan(planText(plan));
  if (approvedBy !== undefined) return { asks: false, line: `approved by ${approvedBy}`, because: [] };
  const isAgents = ctx.agent !== undefined && profile.mode === 'production';
  if (second === undefined && !isAgents) return undefined;
  const because = second === undefined ? [] : reasonsFor(second, plan, settings);
  const [why, asks] =
    second === undefined
      ? [
          'an agent started this run, so somebody else approves it',
          'an agent started this run: it asks for the approval, and sends nothing',
        ]
      : [secondWords(second.limit, settings), yesAsks(second.limit, settings)];
  const request = await requestOfPlan(ctx, plan.digest);
  // The same person asks again: the server answers with the request that is there.
  if (request === undefined || request.asked.operator === (await ctx.journal.member()))
    return { asks: true, line: asks, because };
  const line = `${why}: ${request.asked.operator} has asked for it, ${request.id}`;
  return { asks: true, line, because, asked: request };
}

// So many orders are named that reach the limit.
const ordersNamed = 4;

function reasonsFor(
  { limit: { currency }, total, orders }: PlanSecond,
  plan: Plan,
  style: AmountStyle,
): readonly string[] {
  const named = orders.slice(0, ordersNamed).map(({ row, planned, earlier }) => {
    const { line = row, orderId = 'an order' } = plan.rows.find(({ number }) => number === row) ?? {};
    const before =
      earlier === 0 ? '' : `, and ${figureWords(earlier, currency, style)} went back in the last 24 hours`;
    return `line ${line}, ${orderId}: the plan pays back ${amountWords(planned, currency, style)}${before}`;
  });
  return [
    ...(total === undefined ? [] : [`the plan pays back ${amountWords(total, currency, style)} in all`]),
    ...named,
    ...(orders.length > ordersNamed ? ['and further orders'] : []),
  ];
}

/** Asks for the approval of a plan, and returns the error that says so. `send`: the rows that the preview shows as sent. */
export function askForPlan(
  ctx: Context,
  profile: Profile,
  plan: Plan,
  path: string,
  send: readonly PlanRow[],
): Promise<CliError> {
  const { id, digest, file, madeAt, mode } = plan;
  const { origin, account, name } = profile;
  const rows = rowsToSend(plan.rows);
  const sums = sumsOf(rows).map(({ currency, amount }) => ({ currency, amount }));
  const planned = { id, file, madeAt, mode, rows: rows.length, sums };
  const told = toldOf(send);
  const what = { origin, account, profile: name, digest, planned, told };
  return requestApproval(ctx, profile, what, () => commandLine(profile, 'refunds', 'apply', path));
}

// So many notes are kept in a request.
const notesKept = 50;

// What the preview shows, for whoever approves it.
function toldOf(send: readonly PlanRow[]): PlanTold {
  const marked = notedOf(send);
  const reasons = Map.groupBy(send, ({ reason }) => reason ?? '');
  return {
    noted: marked.length,
    notes: marked.slice(0, notesKept).map(noteOf),
    reasons: [...reasons].map(([reason, rows]) => ({ reason, rows: rows.length })),
  };
}
