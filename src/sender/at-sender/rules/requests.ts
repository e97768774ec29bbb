/** Makes and answers approval requests: who may make one, how many, and who may answer. */

import { dayMs } from '../../../api/spec.ts';
import { CliError, refused } from '../../../errors.ts';
import {
  type ApprovalRequest,
  type ApprovalRow,
  type AskedPlan,
  type AskedRefund,
  type AskedRow,
  approvalMaxMs,
  isWaiting,
  LimitRefusal,
  requestPattern,
} from '../../../journal/journal.ts';
import { needRole } from '../routes.ts';
import { isSameRefund, requestsIn, waitsMs } from './approval-requests.ts';
import {
  findingOf,
  isOf,
  isOfMode,
  momentFor,
  ofAccount,
  onOrderOf,
  type RuledAsker,
  type Run,
  requestsSince,
  withRowsLeft,
} from './check-refund.ts';

/** Returns a waiting request for the same thing if there is one. Throws CliError 'refused' or LimitRefusal. */
export async function ask(run: Run, id: string, what: AskedRefund | AskedPlan): Promise<ApprovalRow> {
  const { asker, account, store, asking } = run;
  needRole(asker, 'proposer', 'ask for approvals');
  if (!requestPattern.test(id))
    throw new CliError('refused', 'this cannot be the id of a request', { certain: 'nothing was asked for' });
  const moment = await momentFor(run);
  const { time } = moment;
  const wanted = ofAccount(what, run);
  const requests = await requestsSince(run, time - waitsMs - approvalMaxMs, time);
  const same = requests.findLast(
    (one) => one.asked.operator === asker.member && isWaiting(one) && isSame(one.asked, wanted),
  );
  if (same !== undefined) return same.asked;
  refuseMany(requests, asker, time);
  refuseMuch(requests, asker, time);
  const [taken] = requestsIn(await asking.approvals({ id }), [], time);
  if (taken !== undefined) throw already(taken, 'nothing was asked for');
  if ('proof' in wanted) {
    const finding = await findingOf(run, wanted, moment);
    if (finding?.problem !== undefined) throw new LimitRefusal(finding, account.service.profile.settings);
  }
  const row: AskedRow = {
    type: 'approval',
    requestId: id,
    time,
    operator: asker.member,
    step: 'asked',
    ...(asker.role === 'proposer' ? { byProposer: true } : {}),
    ...wanted,
  };
  await store.append(row);
  return row;
}

// The most new or waiting requests per member: others must read them, and the journal keeps them.
const requestsMax = 200;
const newMs = 60 * 60_000;

function refuseMany(requests: readonly ApprovalRequest[], { member }: RuledAsker, time: number): void {
  const own = requests.filter(
    (one) => one.asked.operator === member && (isWaiting(one) || one.asked.time > time - newMs),
  );
  if (own.length < requestsMax) return;
  throw refused(
    `${member} has ${requestsMax} requests for an approval that wait, or were made within the last hour, and there cannot be more`,
    [
      'paydesk approvals list',
      'wait until others have answered, or take back what is no longer needed: paydesk approvals reject REQUEST --note TEXT',
    ],
    { certain: 'nothing was asked for' },
  );
}

// The most that a member asks for within a day, in bytes: one request may have 100 KB.
const bytesMax = 1024 * 1024;

function refuseMuch(requests: readonly ApprovalRequest[], { member }: RuledAsker, time: number): void {
  const bytes = requests
    .filter((one) => one.asked.operator === member && (isWaiting(one) || one.asked.time > time - dayMs))
    .reduce((sum, { asked }) => sum + Buffer.byteLength(JSON.stringify(asked)), 0);
  if (bytes < bytesMax) return;
  throw refused(
    `what ${member} has asked for within a day has more than 1 MB, and no more can be asked for`,
    ['wait until others have answered, or ask with shorter notes tomorrow'],
    { certain: 'nothing was asked for' },
  );
}

function isSame(asked: AskedRow, wanted: AskedRefund | AskedPlan): boolean {
  if ('proof' in asked) return 'proof' in wanted && isSameRefund(asked, wanted);
  return 'digest' in wanted && asked.digest === wanted.digest && asked.account === wanted.account;
}

/**
 * Approves or rejects. Throws CliError 'not_found' for a request of another account, and 'refused' for the member's own request or
 * one that is over.
 */
export async function decide(
  run: Run,
  id: string,
  step: 'approved' | 'rejected',
  { validMs, note }: { readonly validMs: number; readonly note: string | undefined },
): Promise<ApprovalRow> {
  const { asker, account, store, asking } = run;
  const rows = await asking.approvals({ id });
  const { time } = await momentFor(run);
  const [asked] = rows;
  const orderId = asked !== undefined && 'proof' in asked ? asked.proof.orderId : undefined;
  const [request] = await withRowsLeft(run, requestsIn(rows, await onOrderOf(asking, orderId), time));
  if (request === undefined || !isOf(request.asked, account) || !isOfMode(request.asked, account))
    throw new CliError('not_found', `the journal of the team has no request ${id}`, {
      now: ['paydesk approvals list'],
    });
  const isOwn = request.asked.operator === asker.member;
  if (!isOwn || step === 'approved') needRole(asker, 'operator', 'answer requests');
  if (isOwn && step === 'approved')
    throw new CliError('refused', `${id} is your own request: somebody else must approve it`, {
      certain: 'nothing was approved',
      approval: id,
    });
  const { state, decided } = request;
  // The same answer again: the first reply was lost.
  if (state === step && decided?.operator === asker.member) return decided;
  if (state !== 'asked' && !(state === 'approved' && step === 'rejected'))
    throw already(request, step === 'approved' ? 'nothing was approved' : 'nothing was recorded');
  const until = step === 'approved' ? time + Math.min(Math.max(validMs, 0), approvalMaxMs) : null;
  const row: ApprovalRow = {
    type: 'approval',
    requestId: id,
    time,
    operator: asker.member,
    step,
    until,
    ...(note === undefined ? {} : { note }),
  };
  await store.append(row);
  return row;
}

function already({ id, state, decided }: ApprovalRequest, certain: string): CliError {
  const by = decided === undefined ? '' : ` by ${decided.operator}`;
  return refused(`${id} is ${state} already${by}`, [`paydesk approvals show ${id}`], {
    certain,
    approval: id,
  });
}
