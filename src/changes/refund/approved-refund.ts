/** A refund that somebody else of the team has approved, or is to approve: it is compared with the refund that would be sent now. */

import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import {
  type ApprovalRequest,
  type AskedRefund,
  type AskedRefundRow,
  asksForSameRefund,
  sameJson,
} from '../../journal/journal.ts';

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
  const time = until === undefined ? '' : `, until ${ctx.fullTime(until)}`;
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
