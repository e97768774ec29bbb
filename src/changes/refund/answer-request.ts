/**
 * Lets a second person look at a request, and approve or reject it: with the same preview as the person who asked, from a new
 * read of the order, or with the preview of a plan.
 */

import { type OpenService, readOne } from '../../api/api.ts';
import type { Context } from '../../context/context.ts';
import { about, CliError, refused } from '../../errors.ts';
import { usage } from '../../flags/flags.ts';
import {
  type ApprovalRequest,
  type AskedPlanRow,
  approvalMaxMs,
  approveCommand,
  type PlanTold,
} from '../../journal/journal.ts';
import { type KnownTwin, twinLine, twinWords } from '../../orders/orders.ts';
import { digestShown, namesDigest } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { rowsAndSumsOf } from '../bulk/batch-words.ts';
import { byHandLines, unshownIn } from '../by-hand-words.ts';
import { requestLine, titleLine } from '../change-words.ts';
import { type ConfirmedOrder, checkApprovable, confirmChange } from '../confirm-change.ts';
import { decideRefund, type RefundAsked } from './decide-refund.ts';
import { madeWords, originsOf } from './known-refunds.ts';
import { lookForTwins, splitAgain } from './look-for-twins.ts';
import { checkTwins } from './refund-checks.ts';
import { countingAt } from './refund-limit.ts';
import { refundWarnings } from './refund-order.ts';
import { refundPreview } from './refund-screens.ts';
import {
  type ApprovedRefund,
  accountWords,
  findRequest,
  isOfRefund,
  refuseChanged,
  requestColumns,
  requestRecord,
  requestTitle,
  sendWords,
  stateWords,
} from './request-record.ts';
import { askedRefund, otherRequests } from './second-person.ts';
import { askedBy } from './send-approved.ts';

/** Shows a request, and the order as it is now while the request is not over. */
export async function showRequest(ctx: Context, id: string): Promise<void> {
  const request = await findRequest(ctx, id);
  const isOver = request.state !== 'asked' && request.state !== 'approved';
  const look = () =>
    isOfRefund(request) ? lookAtRefund(ctx, request).catch(orProblem) : lookAtPlan(ctx, request);
  const seen = isOver ? undefined : await look();
  if (seen === undefined) return await shown(ctx, request, []);
  if (seen instanceof CliError) return await shown(ctx, request, [problemLine(seen)]);
  await shown(ctx, request, [...seen.preview, ...seen.urgent.map(urgentLine)], seen.checks);
}

/** What was typed to approve a request. */
interface ApproveAsked {
  /** The id of the order, or the first characters of the digest of the plan. */
  readonly confirm: string | undefined;
  readonly hours: number | undefined;
  readonly note: string | undefined;
}

/** Approves a request for a while. Throws CliError 'refused' when the order changed since, or when the request is the person's own. */
export async function approveRequest(
  ctx: Context,
  id: string,
  { confirm, hours, note }: ApproveAsked,
): Promise<void> {
  const { request, rules } = await openRequest(ctx, id, ['asked'], 'nothing was approved');
  if (request.asked.operator === (await rules.member()))
    throw refused(
      `${id} is your own request: somebody else must approve it`,
      ['to take it back:', `paydesk approvals reject ${id} --note TEXT`],
      { ownCode: 'own_request', certain: 'nothing was approved', approval: id },
    );
  const seen = isOfRefund(request)
    ? await about({ certain: 'nothing was approved' }, () => lookAtRefund(ctx, request, toApprove))
    : await lookAtPlan(ctx, request, toApprove);
  if (!ctx.options.dryRun) {
    ctx.notes.show(seen.preview);
    for (const line of seen.urgent) ctx.notes.warn({ text: `WARNING: ${line}`, style: 'bad' });
  }
  const { profile, order } = seen;
  checkApprovable(ctx, { profile, confirm, id: order.id });
  await confirmChange(ctx, { profile, confirm, order, purpose: 'approve' });
  const would = `would approve ${requestTitle(request, profile.settings)}, asked for by ${request.asked.operator}`;
  if (ctx.options.dryRun)
    return await ctx.out.dryRun({ action: 'approve', approval: id, checks: [...seen.checks] }, () => [
      ...seen.preview,
      ...seen.urgent.map(urgentLine),
      { line: would },
    ]);
  const validMs = hours === undefined ? approvalMaxMs : hours * 3_600_000;
  await rules.decide(id, 'approved', { validMs, note });
  const now = await findRequest(ctx, id);
  await shown(ctx, now, []);
  if (now.state !== 'approved') return;
  ctx.notes.note(sendWords(request, profile).join(': '));
}

/** Rejects a request, also one that was approved and not sent yet. The person who asked can take it back this way, too. */
export async function rejectRequest(ctx: Context, id: string, note: string): Promise<void> {
  const { request, rules } = await openRequest(ctx, id, ['asked', 'approved'], 'nothing was recorded');
  const style = ctx.profiles.amountStyle(request.asked.profile);
  const isOwn = request.asked.operator === (await rules.member());
  const would = `would ${isOwn ? 'take back' : 'reject'} ${requestTitle(request, style)}, asked for by ${request.asked.operator}`;
  if (ctx.options.dryRun)
    return await ctx.out.dryRun({ action: 'reject', approval: id }, () => [{ line: would }]);
  await rules.decide(id, 'rejected', { validMs: 0, note });
  await shown(ctx, await findRequest(ctx, id), []);
}

async function openRequest(
  ctx: Context,
  id: string,
  states: readonly ApprovalRequest['state'][],
  certain: string,
) {
  const request = await findRequest(ctx, id);
  const rules = await ctx.journal.rules();
  if (states.includes(request.state) && rules !== undefined) return { request, rules };
  throw refused(`${id} ${stateWords(ctx, request)}`, [`paydesk approvals show ${id}`], {
    ownCode: 'approval_invalid',
    certain,
    approval: id,
  });
}

async function shown(
  ctx: Context,
  request: ApprovalRequest,
  more: readonly Block[],
  checks: readonly string[] = [],
): Promise<void> {
  const style = ctx.profiles.amountStyle(request.asked.profile);
  const { id, asked, decided } = request;
  const facts = [
    `${id} ${stateWords(ctx, request)}`,
    `asked by ${asked.operator}, ${ctx.days.full(asked.time)}: ${requestTitle(request, style)}`,
    ...(decided === undefined || decided.operator === asked.operator
      ? []
      : [`answered by ${decided.operator}, ${ctx.days.full(decided.time)}`]),
    ...(more.length === 0 && 'planned' in asked ? [`digest: ${asked.digest}`] : []),
    `account: ${accountWords(asked)}`,
    ...(asked.note === undefined ? [] : [`note: ${asked.note}`]),
  ];
  const view = () => [...more, ...facts.map((line): Block => ({ line, hang: 2 }))];
  const record = { ...requestRecord(request), ...(checks.length === 0 ? {} : { checks: [...checks] }) };
  await ctx.out.own(record, view, requestColumns);
}

function orProblem(error: unknown): CliError {
  if (error instanceof CliError && error.kind === 'refused') return error;
  throw error;
}

function urgentLine(line: string): Block {
  return { line: { text: `WARNING: ${line}`, style: 'bad' }, hang: 9 };
}

function problemLine({ message }: CliError): Block {
  return { line: { text: `it would be refused now: ${message}`, style: 'warn' }, hang: 2 };
}

type LookedHow = NonNullable<Parameters<Context['service']>[0]>;
// Somebody who approves causes the refund to be sent, also with `paydesk release`.
const toApprove: LookedHow = { kind: 'refund', command: approveCommand };

/** What somebody reads before they approve a request. */
interface Seen {
  readonly profile: Profile;
  /** What a person types in production: the amount or the id of the order, or the digest of the plan. */
  readonly order: ConfirmedOrder;
  readonly preview: readonly Block[];
  /** What is said right above the question. */
  readonly urgent: readonly string[];
  readonly checks: readonly string[];
}

/** Reads the order again, and plans the refund anew. Throws CliError 'refused' when the order would get another refund now, or none. */
async function lookAtRefund(ctx: Context, request: ApprovedRefund, how: LookedHow = {}): Promise<Seen> {
  const { asked } = request;
  const { orderId } = asked.proof;
  if (orderId === undefined) throw usage(`${request.id} is about no order`);
  const service: OpenService = await ctx.service({ ...how, shown: orderId });
  const { profile } = service;
  const given: RefundAsked = { ...askedBy(asked), again: asked.again ?? [] };
  await ctx.journal.refuseOpen({ service, kind: 'refund', orderId, again: given.again });
  const { value: order } = await readOne(ctx, service, 'orders', orderId, 'change');
  await ctx.journal.refuseDuplicate({ service, orderId, order });
  const [origins, twins] = [await originsOf(ctx, service, order), await lookForTwins(ctx, service, order)];
  const what = { ...given, ...(await splitAgain(ctx, { service, id: orderId, order }, given, twins)) };
  const made = madeWords(ctx, origins);
  const counting = countingAt(service, await unshownIn(ctx, service, order));
  const decided = decideRefund(what, order, profile, { counting, madeWords: made });
  const line = (one: KnownTwin) => twinLine(one, twinWords(ctx, profile, order, twins.own));
  checkTwins(decided, what, { found: twins.twins, line }, profile);
  const next = `${asked.operator} can take it back and ask again; or reject it:`;
  refuseChanged(request, askedRefund(profile, decided), `${asked.operator} asked`, next);
  const told = refundWarnings(ctx, { profile, order, origins }, decided, twins);
  const warnings = [...told.warnings, ...(await otherRequests(ctx, asked, request.id))];
  const urgent = [
    ...(await byHandLines(ctx, service, { ...order, id: orderId }, decided.change)),
    ...told.urgent,
  ];
  const shown = { ...decided, warnings };
  return {
    profile,
    order: { id: orderId, amount: asked.amount, currency: asked.currency },
    preview: [
      ...refundPreview({
        refund: shown,
        order,
        profile,
        note: asked.note,
        isOfTeam: true,
        origins,
        asides: told.asides,
      }),
      requestLine(decided.change.request.body),
      { line: `asked   by ${asked.operator}, ${ctx.days.full(asked.time)} (${request.id})`, hang: 8 },
    ],
    urgent,
    checks: [...warnings, ...urgent],
  };
}

/** What the request says about the plan. No order is read: each row is read again when it is sent. */
async function lookAtPlan(ctx: Context, request: ApprovalRequest, how: LookedHow = {}): Promise<Seen> {
  const { profile } = await ctx.service(how);
  const { planned, digest, told } = planIn(request);
  const line = (name: string, text: string): Block => ({ line: `${name.padEnd(8)}${text}`, hang: 8 });
  const notes = told === undefined ? [] : noteLines(told);
  const asShown = `the notes as ${request.asked.operator}'s desk showed them`;
  return {
    profile,
    order: {
      id: digest.slice(0, digestShown),
      amount: undefined,
      currency: undefined,
      idIs: 'the digest',
      isId: (text) => namesDigest(text, digest),
    },
    preview: [
      titleLine('APPROVE A PLAN OF REFUNDS', profile, 'strong'),
      line('plan', `${planned.id} of ${planned.file}, made ${ctx.days.full(planned.madeAt)}`),
      line('asked', `by ${request.asked.operator}, ${ctx.days.full(request.asked.time)}`),
      line('sends', rowsAndSumsOf(planned, profile.settings)),
      ...(told === undefined ? [] : [line('reasons', `${reasonWords(told)}; this and ${asShown}`)]),
      ...notes.map((text) => line('note', text)),
      line('digest', digest),
      line('rows', 'to see them, with the file of the plan: paydesk refunds status PLAN'),
    ],
    urgent: [],
    checks: notes,
  };
}

// The notes that the person who asked has read, from the first row to the last that the request has room for.
function noteLines({ notes, noted }: PlanTold): readonly string[] {
  const more = noted - notes.length;
  return [
    ...notes,
    ...(more > 0 ? [`${more === 1 ? '1 more row has' : `${more} more rows have`} notes`] : []),
  ];
}

// `20 fraudulent, 4 without a reason`
function reasonWords({ reasons }: PlanTold): string {
  return reasons
    .map(({ reason, rows }) => `${rows} ${reason === '' ? 'without a reason' : reason}`)
    .join(', ');
}

// What was asked for, once `isOfRefund` has said that it is a plan.
function planIn({ asked }: ApprovalRequest): AskedPlanRow {
  if ('planned' in asked) return asked;
  throw new Error('this request is about no plan');
}
