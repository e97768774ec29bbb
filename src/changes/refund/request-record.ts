/**
 * Requests for the approval of a second person: finds them, shows them as records, lists and words, and
 * checks whether the refund of one is still the same.
 */

import { type AmountStyle, amountWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Column, column, type Field, field, recordFrom } from '../../api/resources.ts';
import { dayMs, secondsOf } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError, orElse } from '../../errors.ts';
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
import { commandLine, modeOfAccount, type Profile } from '../../profiles/profiles.ts';
import { rowsAndSumsOf } from '../bulk/batch-words.ts';

/** Times are Unix seconds. For a plan with several currencies, `amount` and `currency` are those of the first. */
export const requestColumns: readonly (Column | Field<ApprovalRequest>)[] = [
  field('id', 'id', ({ id }) => id, { title: 'REQUEST', tableFrom: 0, stays: true }),
  field('asked_at', 'time', ({ asked }) => secondsOf(asked.time), { title: 'ASKED', tableFrom: 0 }),
  // The person who asked may not approve, so a lead looks for the name.
  field('asked_by', 'text', ({ asked }) => asked.operator, { tableFrom: 0, stays: true }),
  column('order', 'id', {
    title: 'ORDER OR PLAN',
    tableFrom: 0,
    value: ({ order, plan }) => order ?? plan,
  }),
  column('amount', 'money', { tableFrom: 0 }),
  field('state', 'text', requestState, { tableFrom: 0, stays: true }),
  field('until', 'time', ({ decided }) => secondsOf(decided?.until), { tableFrom: 0, below: () => 'until' }),
  field('decided_by', 'text', ({ decided }) => decided?.operator, {
    title: 'ANSWERED BY',
    tableFrom: 0,
    below: () => 'answered by',
  }),
  field('decided_at', 'time', ({ decided }) => secondsOf(decided?.time), {
    title: 'ANSWERED',
    tableFrom: 0,
    below: () => 'answered',
  }),
  field('note', 'text', ({ asked }) => asked.note, { tableFrom: 0, below: () => 'note' }),
  column('reason', 'text'),
  column('currency', 'text'),
  field('decided_note', 'text', ({ decided }) => decided?.note, {
    title: 'ANSWER',
    tableFrom: 0,
    below: () => 'answer',
  }),
  field('used_by', 'id', ({ usedBy }) => usedBy, { title: 'SENT AS' }),
  column('plan', 'text'),
  column('digest', 'text', {
    tableFrom: 0,
    below: () => 'digest',
    brief: { value: ({ digest }) => (typeof digest === 'string' ? digest.slice(0, digestShown) : digest) },
  }),
  column('rows', 'integer'),
  field('rows_left', 'integer', ({ rowsLeft }) => rowsLeft, { tableFrom: 0, below: () => 'rows left' }),
  field('profile', 'text', ({ asked }) => asked.profile),
  field('mode', 'text', ({ asked }) => modeOfAccount(asked.account)),
  field('account', 'text', ({ asked }) => asked.account),
];

// A person rejects what somebody else asked for, and takes back what they asked for themselves.
function requestState({ state, asked, decided }: ApprovalRequest): string {
  return state === 'rejected' && decided?.operator === asked.operator ? 'taken back' : state;
}

export function requestRecord(request: ApprovalRequest): JsonObject {
  return { ...recordFrom('approval_request', requestColumns, request), ...whatOf(request) };
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

/** What became of a request, in words that follow its id: `was approved by ben, until 19:03`. */
export function stateWords(
  ctx: Pick<Context, 'days'>,
  { state, asked, decided, usedBy, rowsLeft }: ApprovalRequest,
): string {
  const by = decided?.operator ?? 'somebody else';
  switch (state) {
    case 'asked':
      return 'is not approved yet';
    case 'approved':
      return `was approved by ${by}, until ${ctx.days.full(decided?.until ?? 0)}${rowsLeft === undefined ? '' : `; rows left to send: ${rowsLeft}`}`;
    case 'rejected':
      return `was ${decided?.operator === asked.operator ? 'taken back' : 'rejected'} by ${by}${decided?.note === undefined ? '' : `: ${decided.note}`}`;
    case 'used':
      return `was approved by ${by} and sent${'planned' in asked ? ', each of its rows' : ` as ${usedBy ?? 'another change'}`}`;
    case 'expired':
      return decided === undefined ? 'expired: nobody answered it' : `was approved by ${by}, and has expired`;
  }
}

/** Who can send what was approved, and by which command. */
export function sendWords(
  request: ApprovalRequest,
  profile: Profile,
): readonly [who: string, command: string] {
  if (!isOfRefund(request))
    return ['any member can apply it now', commandLine(profile, 'refunds', 'apply', 'PLAN')];
  const { byProposer, operator } = request.asked;
  const who = byProposer === true ? 'any operator' : profile.sender?.member === operator ? 'you' : operator;
  return [`${who} can send it now`, commandLine(profile, 'orders', 'refund', '--approved', request.id)];
}

/** A request as the screen of its order shows it. */
export interface WaitingRequest {
  /** `APPROVED  refund of 900 MXN, asked for by ana on …` */
  readonly line: string;
  /** The same in the first line of the screen. */
  readonly word: 'approved, not sent yet' | 'waits for approval';
  /** Who goes on with it, and by which command. */
  readonly next: readonly [who: string, command: string];
}

/** A request that waits for somebody, as the screen of its order shows it: who asked, and who goes on with it. */
export function waitingRequest(
  ctx: Pick<Context, 'days'>,
  profile: Profile,
  request: ApprovedRefund,
): WaitingRequest {
  const { id, asked, state } = request;
  const { operator, amount = 0, currency } = asked;
  const what = `refund of ${amountWords(amount, currency, profile.settings)}, asked for by ${operator} on ${ctx.days.full(asked.time)} (${id})`;
  if (state === 'approved')
    return {
      line: `APPROVED  ${what}; it ${stateWords(ctx, request)}`,
      word: 'approved, not sent yet',
      next: sendWords(request, profile),
    };
  const isOwn = profile.sender?.member === operator;
  return {
    line: `WAITS FOR APPROVAL  ${what}; nothing was sent`,
    word: 'waits for approval',
    next: [
      isOwn
        ? 'you asked for it, so somebody else must approve it; the command for them'
        : `anybody but ${operator} who may refund can approve it`,
      commandLine(profile, 'approvals', 'approve', id),
    ],
  };
}

/**
 * A request by its id; the run then uses a profile of its account. Throws CliError 'not_found' if the account of this run has no
 * such request, and 'refused' without a team.
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

/**
 * The requests of an account that wait for an answer or to be sent, and that `fits` accepts. None without a team, or if its
 * journal cannot be read.
 */
export async function pendingRequests(
  ctx: Context,
  fits: (request: ApprovalRequest) => boolean = () => true,
): Promise<readonly ApprovalRequest[]> {
  return (await knownRequests(ctx)).filter((one) => isWaiting(one) && fits(one));
}

async function knownRequests(ctx: Context): Promise<readonly ApprovalRequest[]> {
  const rules = await ctx.journal.rules().catch(orElse(() => undefined));
  return (await rules?.approvals().catch(orElse(() => undefined))) ?? [];
}

/** What somebody else rejected of the person's own requests within a day, in words: nobody tells them otherwise. */
export async function rejectedWords(ctx: Context, { sender }: Profile): Promise<readonly string[]> {
  const since = ctx.clock.now() - dayMs;
  const own = (await knownRequests(ctx)).filter(({ asked }) => asked.operator === sender?.member);
  return own
    .filter((one) => requestState(one) === 'rejected' && (one.decided?.time ?? 0) > since)
    .map((one) => `your request ${one.id} ${stateWords(ctx, one)}`);
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
async function rulesOf(ctx: Context): Promise<TeamRules> {
  const rules = await ctx.journal.rules();
  if (rules !== undefined) return rules;
  // Without a profile there is no account, so that is what is missing.
  await ctx.profiles.open();
  throw new CliError('refused', 'this account has no team, so nobody approves anything here', {
    ownCode: 'no_team',
    now: ['name a profile of an account with a team: -p NAME', 'how a team begins: paydesk help team'],
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

/** Whether a request is about one refund, not about a plan. A request that names a plan is approved as that plan. */
export function isOfRefund(request: ApprovalRequest): request is ApprovedRefund {
  return 'proof' in request.asked;
}

/**
 * The line of the preview that says who approved the refund. Throws CliError 'refused' when the order would now get a refund
 * other than the one that was approved.
 */
export function approvedLine(ctx: Context, request: ApprovedRefund, now: AskedRefund): string {
  refuseChanged(request, now);
  const { decided } = request;
  const until = decided?.until ?? undefined;
  const time = until === undefined ? '' : `, until ${ctx.days.full(until)}`;
  return `approved by ${decided?.operator ?? 'somebody else'} (${request.id}${time})`;
}

/**
 * Throws CliError 'refused' when a refund that is planned now is not the one that was asked for. `next`: what the person who runs
 * this can then do with the request.
 */
export function refuseChanged(
  { id, asked }: ApprovedRefund,
  now: AskedRefund,
  since = 'it was asked for',
  next = 'to ask again, take this request back, and run the refund without --approved:',
): void {
  const isOtherRefund = !asksForSameRefund(asked, now);
  // A refund of the same sum is not the same thing any more if other money went back meanwhile.
  if (!isOtherRefund && sameJson(asked.seen, now.seen)) return;
  const { orderId = 'the order' } = asked.proof;
  throw new CliError(
    'refused',
    `${orderId} has changed since ${since}: ${isOtherRefund ? 'the refund would not be the same any more' : 'its money is not as it was then'}`,
    {
      ownCode: 'order_changed',
      now: [`paydesk approvals show ${id}`, next, `paydesk approvals reject ${id} --note TEXT`],
      approval: id,
    },
  );
}
