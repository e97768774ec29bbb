/**
 * Checks what must be right about a whole plan, when it is made and again before it is sent: its account, its totals, its limits,
 * and the second person of a team.
 */

import { type AmountStyle, amountWords, figureWords } from '../../amounts.ts';
import type { OpenService } from '../../api/api.ts';
import type { Context } from '../../context/context.ts';
import { namedUpTo } from '../../counted.ts';
import { CliError, refused } from '../../errors.ts';
import {
  type ApprovalRequest,
  type PlannedRefunds,
  type PlanSecond,
  type PlanTold,
  secondWords,
} from '../../journal/journal.ts';
import {
  type ControlTotals,
  controlTotalProblems,
  type HandedPlan,
  type Plan,
  type PlanRow,
  planText,
  sumsOf,
} from '../../plans/plans.ts';
import { commandLine, type Profile, type Settings } from '../../profiles/profiles.ts';
import { ownerOfLimit } from '../may-change.ts';
import { requestOfPlan } from '../refund/request-record.ts';
import { requestApproval, yesAsks } from '../refund/second-person.ts';
import { notedOf, noteOf } from './batch-words.ts';

/** A plan that may be sent: where it was read, and the account that it is for. */
export interface OpenedPlan {
  readonly ctx: Context;
  readonly service: OpenService;
  readonly profile: Profile;
  readonly plan: Plan;
  readonly path: string;
}

/** Opens a plan and the account that it is for. Throws CliError 'refused' if that is not the account of this run. */
export async function openPlan(ctx: Context, path: string, maxPerSecond?: number): Promise<OpenedPlan> {
  const plan = await ctx.plans.open(path);
  await ctx.useProfileOf(plan);
  const service = await ctx.service({ purpose: 'change', kind: 'refund', maxPerSecond });
  checkAccount(plan, service.profile, path);
  return { ctx, service, profile: service.profile, plan, path };
}

/** Throws CliError 'refused' when a plan is for another account, or for the other mode. */
export function checkAccount(plan: Plan, profile: Profile, path: string): void {
  if (plan.origin === profile.origin && plan.account === profile.account && plan.mode === profile.mode)
    return;
  throw refused(
    `${path} is a plan for ${plan.mode} ${plan.profile} (${plan.account}), and profile ${profile.name} is ${profile.mode} (${profile.account})`,
    [commandLine({ kind: 'stored', name: plan.profile }, 'refunds', 'apply', path)],
    'other_account',
  );
}

/** The rows of a plan that `refunds apply` sends. */
export function rowsToSend(rows: readonly PlanRow[]): readonly PlanRow[] {
  return rows.filter(({ state }) => state === 'ready' || state === 'unconfirmed');
}

/** What rows pay back on each order. */
export function paidOnOrders(rows: readonly PlanRow[]): PlannedRefunds['orders'] {
  const byOrder = Map.groupBy(rows, ({ orderId }) => orderId);
  return [...byOrder].flatMap(([orderId, own]) => {
    const [first] = own;
    if (first === undefined) return [];
    const { number: row, currency = '' } = first;
    return [{ orderId, row, currency, amount: own.reduce((sum, one) => sum + one.sum, 0) }];
  });
}

/**
 * What a person would count in the file: how many refunds, and their sums. Every row in the file counts, even one that cannot be
 * sent; a spread row counts once.
 */
export function controlFigures(rows: readonly PlanRow[]): Parameters<typeof controlTotalProblems>[1] {
  const lines = new Set(rows.map(({ line }) => line));
  // Nobody knows the currency of an order that is not there.
  const known = rows.filter(
    ({ state, currency, sum }) => state !== 'impossible' || (currency !== undefined && sum > 0),
  );
  const sums = sumsOf(known).map((sum) => ({ ...sum, rows: linesIn(known, sum.currency) }));
  return { rows: lines.size, sums };
}

/** Throws CliError 'usage' when the rows of the file are not as many, or not as much in all, as a person expects. */
export function checkControlTotals(rows: readonly PlanRow[], expected: ControlTotals, certain: string): void {
  const problems = controlTotalProblems(expected, controlFigures(rows));
  if (problems.length === 0) return;
  throw new CliError('usage', problems.join('; '), {
    certain,
    now: [
      ...impossibleWords(rows),
      'find out which is right, the file or the total; then run the command again',
    ],
  });
}

function linesIn(rows: readonly PlanRow[], code: string): number {
  return new Set(rows.filter(({ currency = '?' }) => currency === code).map(({ line }) => line)).size;
}

// The rows that cannot be sent. They count with what the file asks for, if that is known, and often they are the difference.
function impossibleWords(rows: readonly PlanRow[]): readonly string[] {
  const whyOf = new Map(
    rows.flatMap(({ state, line, why = '' }) => (state === 'impossible' ? [[line, why]] : [])),
  );
  const lines = [...whyOf.keys()];
  if (lines.length === 0) return [];
  return [
    `impossible ${lines.length === 1 ? 'row: line' : 'rows: lines'} ${namedUpTo(shownLines, lines)}`,
    ...[...whyOf].slice(0, shownReasons).map(([line, why]) => `line ${line}: ${why}`),
  ];
}

const shownLines = 20;
const shownReasons = 3;

/** Throws CliError 'refused' when the plan is over a limit of the profile. */
export function checkPlanLimits(rows: readonly PlanRow[], profile: Profile): void {
  const sent = rowsToSend(rows);
  const totals = { rows: sent.length, sums: sumsOf(sent) };
  const problems = planLimitProblems(profile.settings, totals);
  if (problems.length === 0) return;
  const { owner, ask } = ownerOfLimit(
    profile,
    (limits) => planLimitProblems({ ...profile.settings, ...limits }, totals).length > 0,
  );
  throw refused(`${problems.join('; ')} (a limit of ${owner})`, [`split the file, or ${ask}`], 'over_limit');
}

type PlanLimits = Pick<
  Settings,
  'plan.max_total' | 'plan.max_count' | 'refund.other_currencies' | 'amounts.decimals' | 'amounts.grouping'
>;

/** What a plan would refund. A currency that no order shows is `?`. */
type PlanTotals = Pick<HandedPlan, 'rows' | 'sums'>;

/** A sentence for each limit that the plan is over, which names the setting. Empty if the plan may be sent. */
export function planLimitProblems(settings: PlanLimits, { rows, sums }: PlanTotals): string[] {
  const most = settings['plan.max_count'];
  const count =
    most !== undefined && rows > most ? [`the plan would send ${rows} rows: plan.max_count is ${most}`] : [];
  const isLimited = Object.keys(settings['plan.max_total']).length > 0;
  return isLimited ? [...count, ...totalProblems(settings, sums)] : count;
}

function totalProblems(settings: PlanLimits, sums: PlanTotals['sums']): string[] {
  const totals = new Map<string, number>();
  for (const { currency, amount } of sums) {
    // A service may write one currency as `mxn` and as `MXN`. Both count for the same limit.
    const code = currency.toUpperCase();
    totals.set(code, (totals.get(code) ?? 0) + amount);
  }
  return [...totals].flatMap(([currency, total]) => totalProblem(settings, currency, total) ?? []);
}

function totalProblem(settings: PlanLimits, currency: string, total: number): string | undefined {
  if (currency === '?') return 'orders of the plan do not show their currency, and there is a plan.max_total';
  const limit = settings['plan.max_total'][currency];
  const sum = amountWords(total, currency, settings);
  if (limit !== undefined && total > limit)
    return `the plan would refund ${sum}: plan.max_total.${currency} is ${figureWords(limit, currency, settings)}`;
  if (limit === undefined && settings['refund.other_currencies'] === 'refuse')
    return `the plan would refund ${sum}: there is no plan.max_total.${currency}, and refund.other_currencies is refuse`;
  return undefined;
}

// ── The second person ───────────────────────────────────────────────────────────────────────────

/** A second person whom the team's limits want for a plan. */
export interface SecondPerson {
  /** Nobody has approved it yet, so a yes asks for approval. */
  readonly asks: boolean;
  readonly line: string;
  /** What reaches the limit, in words: the sum of the plan, or which of its orders. */
  readonly because: readonly string[];
  /** Somebody else has asked for it, and nobody has answered yet. */
  readonly asked?: ApprovalRequest;
}

/** Whether somebody else of the team must approve a plan, or has; undefined if nobody needs to. */
export async function secondPersonFor({ ctx, profile, plan }: OpenedPlan): Promise<SecondPerson | undefined> {
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

// The most orders to name that reach the limit.
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
  { ctx, profile, plan, path }: OpenedPlan,
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

// The most notes that a request keeps.
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
