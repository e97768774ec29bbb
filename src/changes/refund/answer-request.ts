/** How a second person looks at a request, approves it or rejects it: with the preview of whoever asked, from a read of their own. */

import type { Context } from '../../context/context.ts';
import { about, CliError } from '../../errors.ts';
import { type ApprovalRequest, approvalMaxMs, type TeamRules } from '../../journal/journal.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { checkApprovable, confirmChange } from '../confirm-change.ts';
import { isOfRefund } from './approved-refund.ts';
import { accountWords, findRequest } from './find-requests.ts';
import { lookAtPlan, lookAtRefund } from './look-at-request.ts';
import { requestColumns, requestRecord, requestTitle, stateWords } from './request-record.ts';

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

/** Approves a request for a while. Throws CliError 'refused' when the order changed since, or when it is an own request. */
export async function approveRequest(
  ctx: Context,
  id: string,
  { confirm, hours, note }: ApproveAsked,
): Promise<void> {
  const { request, rules } = await openRequest(ctx, id, ['asked']);
  if (request.asked.operator === (await rules.member()))
    throw new CliError('refused', `${id} is your own request: somebody else must approve it`, {
      certain: 'nothing was approved',
      now: ['to take it back:', `paydesk approvals reject ${id} --note TEXT`],
      approval: id,
    });
  const seen = isOfRefund(request)
    ? await about({ certain: 'nothing was approved' }, () => lookAtRefund(ctx, request))
    : await lookAtPlan(ctx, request);
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
  ctx.notes.note(sendWords(request, profile));
}

/** Rejects a request, also one that was approved and not sent yet. Whoever asked can take it back so, too. */
export async function rejectRequest(ctx: Context, id: string, note: string): Promise<void> {
  const { request, rules } = await openRequest(ctx, id, ['asked', 'approved']);
  const style = ctx.profiles.amountStyle(request.asked.profile);
  const would = `would reject ${requestTitle(request, style)}, asked for by ${request.asked.operator}`;
  if (ctx.options.dryRun)
    return await ctx.out.dryRun({ action: 'reject', approval: id }, () => [{ line: would }]);
  await rules.decide(id, 'rejected', { validMs: 0, note });
  await shown(ctx, await findRequest(ctx, id), []);
}

async function openRequest(
  ctx: Context,
  id: string,
  states: readonly ApprovalRequest['state'][],
): Promise<{ readonly request: ApprovalRequest; readonly rules: TeamRules }> {
  const request = await findRequest(ctx, id);
  const rules = await ctx.journal.rules();
  if (states.includes(request.state) && rules !== undefined) return { request, rules };
  throw new CliError('refused', `${id} ${stateWords(ctx, request)}`, {
    certain: 'nothing was approved',
    now: [`paydesk approvals show ${id}`],
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
  const { id, asked } = request;
  const facts = [
    `${id} ${stateWords(ctx, request)}`,
    `asked by ${asked.operator}, ${ctx.fullTime(asked.time)}: ${requestTitle(request, style)}`,
    ...(more.length === 0 && 'planned' in asked ? [`digest: ${asked.digest}`] : []),
    `account: ${accountWords(asked)}`,
    ...(asked.note === undefined ? [] : [`note: ${asked.note}`]),
  ];
  const view = () => [...more, ...facts.map((line): Block => ({ line, hang: 2 }))];
  const record = { ...requestRecord(request), ...(checks.length === 0 ? {} : { checks: [...checks] }) };
  await ctx.out.own(record, view, requestColumns);
}

function sendWords(request: ApprovalRequest, profile: Profile): string {
  return isOfRefund(request)
    ? `${request.asked.byProposer === true ? 'any operator' : request.asked.operator} can send it now: ${commandLine(profile, 'orders', 'refund', '--approved', request.id)}`
    : `any member can apply it now: ${commandLine(profile, 'refunds', 'apply', 'PLAN')}`;
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
