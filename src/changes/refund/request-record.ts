/** Requests for the approval of a second person: how they are found, one as a flat record, in a list, and in words, and whether its refund is still the same. */

import { type AmountStyle, amountWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Column, fieldColumn } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import {
  type ApprovalRequest,
  type AskedRefund,
  type AskedRefundRow,
  asksForSameRefund,
  isWaiting,
  sameJson,
  type TeamRules,
} from '../../journal/journal.ts';
import { digestShown } from '../../plans/plans.ts';
import { modeOfAccount } from '../../profiles/profiles.ts';
import { rowsAndSumsOf } from '../bulk/batch-words.ts';

export const requestColumns: readonly Column[] = [
  { ...fieldColumn('id', 'REQUEST', 'id', 0), stays: true },
  fieldColumn('asked_at', 'ASKED', 'time', 0),
  // Whoever asked may not approve, so a lead looks for the name.
  { ...fieldColumn('asked_by', 'BY', 'text', 0), stays: true },
  { ...fieldColumn('order', 'ORDER OR PLAN', 'id', 0), value: ({ order, plan }) => order ?? plan },
  fieldColumn('amount', 'AMOUNT', 'money', 0),
  { ...fieldColumn('state', 'STATE', 'text', 0), stays: true },
  { ...fieldColumn('until', 'UNTIL', 'time', 0), below: () => 'until' },
  { ...fieldColumn('decided_by', 'ANSWERED BY', 'text', 0), below: () => 'answered by' },
  { ...fieldColumn('note', 'NOTE', 'text', 0), below: () => 'note' },
  fieldColumn('reason', 'REASON', 'text'),
  fieldColumn('currency', 'CURRENCY', 'text'),
  fieldColumn('decided_at', 'ANSWERED', 'time'),
  fieldColumn('decided_note', 'ANSWER', 'text'),
  fieldColumn('used_by', 'SENT AS', 'id'),
  fieldColumn('plan', 'PLAN', 'text'),
  {
    ...fieldColumn('digest', 'DIGEST', 'text', 0),
    below: () => 'digest',
    brief: { value: ({ digest }) => (typeof digest === 'string' ? digest.slice(0, digestShown) : digest) },
  },
  fieldColumn('rows', 'ROWS', 'integer'),
  fieldColumn('profile', 'PROFILE', 'text'),
  fieldColumn('mode', 'MODE', 'text'),
  fieldColumn('account', 'ACCOUNT', 'text'),
];

/** Times are Unix seconds. Of a plan with several currencies, `amount` and `currency` are those of the first. */
export function requestRecord(request: ApprovalRequest): JsonObject {
  const { id, state, asked, decided, usedBy } = request;
  const { operator, time, note, profile, account } = asked;
  return {
    object: 'approval_request',
    id,
    state,
    asked_by: operator,
    asked_at: seconds(time),
    note: note ?? null,
    ...whatOf(request),
    decided_by: decided?.operator ?? null,
    decided_at: decided === undefined ? null : seconds(decided.time),
    decided_note: decided?.note ?? null,
    until: typeof decided?.until === 'number' ? seconds(decided.until) : null,
    used_by: usedBy ?? null,
    profile,
    mode: modeOfAccount(account) ?? null,
    account,
  };
}

function whatOf(request: ApprovalRequest): JsonObject {
  if (isOfRefund(request)) {
    const { proof, amount, currency, reason, request: sent } = request.asked;
    const of = { order: proof.orderId ?? null, amount: amount ?? null, currency: currency ?? null };
    return { kind: 'refund', ...of, reason: reason ?? null, body: sent.body ?? null };
  }
  if (!('planned' in request.asked)) return {};
  const { planned, digest } = request.asked;
  const [first] = planned.sums;
  const sum = { amount: first?.amount ?? null, currency: first?.currency ?? null };
  const sums = planned.sums.map((one) => ({ ...one }));
  return { kind: 'plan', plan: planned.id, digest, rows: planned.rows, ...sum, sums };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** `the refund of 900 MXN on ord_…`, or `the plan p_7f3k, 12 refunds, 90000 MXN, digest 1f0c9a3e`. */
export function requestTitle(request: ApprovalRequest, style: AmountStyle): string {
  if (isOfRefund(request)) {
    const { proof, amount = 0, currency } = request.asked;
    return `the refund of ${amountWords(amount, currency, style)} on ${proof.orderId ?? 'an order'}`;
  }
  if (!('planned' in request.asked)) return 'nothing';
  const { planned, digest } = request.asked;
  return `the plan ${planned.id}, ${rowsAndSumsOf(planned, style)}, digest ${digest.slice(0, digestShown)}`;
}

/** What became of a request, behind its id: `was approved by ben, until 19:03`. */
export function stateWords(ctx: Pick<Context, 'days'>, { state, decided, usedBy }: ApprovalRequest): string {
  const by = decided?.operator ?? 'somebody else';
  switch (state) {
    case 'asked':
      return 'is not approved yet';
    case 'approved':
      return `was approved by ${by}, until ${ctx.days.full(decided?.until ?? 0)}`;
    case 'rejected':
      return `was rejected by ${by}${decided?.note === undefined ? '' : `: ${decided.note}`}`;
    case 'used':
      if (decided === undefined) return 'needs no answer any more: its plan was applied';
      return `was approved by ${by} and sent as ${usedBy ?? 'another change'}`;
    case 'expired':
      return decided === undefined ? 'expired: nobody answered it' : `was approved by ${by}, and has expired`;
  }
}

/**
 * A request by its id; the run then uses a profile of its account. Throws CliError 'not_found' if the account of this run has none of
 * that name, and 'refused' without a team.
 */
export async function findRequest(ctx: Context, id: string): Promise<ApprovalRequest> {
  const rules = await rulesOf(ctx);
  const known = (await rules.approvals()).find((request) => request.id === id);
  if (known !== undefined) {
    await ctx.useProfileOf(known.asked);
    return known;
  }
  throw new CliError('not_found', `the journal of the team has no request ${id}`, {
    now: ['paydesk approvals list'],
    approval: id,
  });
}

/** The requests of an account that wait for an answer or to be sent, and fit. None without a team, or if its journal cannot be read. */
export async function pendingRequests(
  ctx: Context,
  fits: (request: ApprovalRequest) => boolean = () => true,
): Promise<readonly ApprovalRequest[]> {
  try {
    const rules = await ctx.journal.rules();
    if (rules === undefined) return [];
    return (await rules.approvals()).filter((one) => isWaiting(one) && fits(one));
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

/** The account of a request: `production, profile live`. */
export function accountWords({ account, profile }: Pick<ApprovalRequest['asked'], 'account' | 'profile'>) {
  return `${modeOfAccount(account) ?? 'simulator'}, profile ${profile}`;
}

/** The requests of the account, oldest first. Throws CliError 'refused' if the account has no team. */
export async function requestsOf(ctx: Context): Promise<readonly ApprovalRequest[]> {
  return await (await rulesOf(ctx)).approvals();
}

/** The rules of the team. Throws CliError 'refused' if the account has no team. */
export async function rulesOf(ctx: Context): Promise<TeamRules> {
  const rules = await ctx.journal.rules();
  if (rules !== undefined) return rules;
  // Without a profile there is no account, so that is what is missing.
  await ctx.profiles.open();
  throw new CliError('refused', 'this account has no team, so nobody approves anything here', {
    ownCode: 'no_team',
    now: ['name a profile of an account with a team: -p NAME'],
  });
}

/** The open request of somebody for the approval of a plan; undefined if nobody has asked, or without a team. */
export async function requestOfPlan(ctx: Context, digest: string): Promise<ApprovalRequest | undefined> {
  const requests = (await (await ctx.journal.rules())?.approvals()) ?? [];
  return requests.find(
    ({ state, asked }) => state === 'asked' && 'planned' in asked && asked.digest === digest,
  );
}

/** A request for the approval of one refund. */
export interface ApprovedRefund extends ApprovalRequest {
  readonly asked: AskedRefundRow;
}

/** Whether a request is about one refund, not about a plan. What names a plan is approved as that plan. */
export function isOfRefund(request: ApprovalRequest): request is ApprovedRefund {
  return 'proof' in request.asked;
}

/**
 * The line of the preview that says who approved the refund. Throws CliError 'refused' when the order would now get another
 * refund than the one that was approved.
 */
export function approvedLine(ctx: Context, request: ApprovedRefund, now: AskedRefund): string {
  refuseChanged(request, now);
  const { decided } = request;
  const until = decided?.until ?? undefined;
  const time = until === undefined ? '' : `, until ${ctx.days.full(until)}`;
  return `approved by ${decided?.operator ?? 'somebody else'} (${request.id}${time})`;
}

/**
 * Throws CliError 'refused' when a refund that is planned now is not the one that was asked for. `next`: what whoever runs this does with
 * the request that is refused then.
 */
export function refuseChanged(
  { id, asked }: ApprovedRefund,
  now: AskedRefund,
  since = 'it was asked for',
  next = 'to ask again, take this request back, and run the refund without --approved:',
): void {
  const isOtherRefund = !asksForSameRefund(asked, now);
  // A refund of the same sum is another thing where other money went back meanwhile.
  if (!isOtherRefund && sameJson(asked.seen, now.seen)) return;
  const { orderId = 'the order' } = asked.proof;
  throw new CliError(
    'refused',
    `${orderId} changed since ${since}: ${isOtherRefund ? 'the refund would not be the same any more' : 'its money is not as it was then'}`,
    {
      ownCode: 'order_changed',
      now: [`paydesk approvals show ${id}`, next, `paydesk approvals reject ${id} --note TEXT`],
      approval: id,
    },
  );
}
