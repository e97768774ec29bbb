/** `orders refund --approved`: sends the refund that somebody else of the team has approved. */

import { refundReasonValues } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { usage } from '../../flags/flags.ts';
import type { AskedRefundRow } from '../../journal/journal.ts';
import type { OrderAsked } from '../order-change.ts';
import type { RefundAsked } from './decide-refund.ts';
import { refundOrder } from './refund-order.ts';
import { findRequest, isOfRefund, stateWords } from './request-record.ts';

/**
 * Sends an approved refund: the order is read and shown again, and the refund must be the very one that was asked for. Throws
 * CliError for every outcome that is not a plain success.
 */
export async function sendApproved(
  ctx: Context,
  requestId: string,
  { id, ...how }: Pick<OrderAsked, 'id' | 'confirm' | 'idempotencyKey' | 'noHold'>,
): Promise<void> {
  const request = await findRequest(ctx, requestId);
  if (!isOfRefund(request))
    throw usage(`${requestId} is about a plan: run the same paydesk refunds apply again`);
  const { asked, state } = request;
  const { orderId } = asked.proof;
  if (id !== undefined && id !== orderId) throw usage(`${requestId} is about ${orderId}, not ${id}`);
  const member = await ctx.journal.member();
  if (asked.operator !== member && asked.byProposer !== true)
    throw new CliError(
      'refused',
      `${requestId} is a request of ${asked.operator}: ${asked.operator} sends it`,
      {
        ownCode: 'approval_invalid',
        now: ['to ask for an approval of your own, run the refund without --approved'],
        approval: requestId,
      },
    );
  if (state !== 'approved')
    throw new CliError('refused', `${requestId} ${stateWords(ctx, request)}`, {
      ownCode: 'approval_invalid',
      now: [`paydesk approvals show ${requestId}`],
      approval: requestId,
    });
  const pick = () => Promise.reject(new Error('the request names the order'));
  await refundOrder(
    ctx,
    { id: orderId, again: asked.again ?? [], pick, ...how },
    { ...askedBy(asked), onlyConfirm: true },
    request,
  );
}

/** What was asked for in a request, as the flags of a refund. */
export function askedBy({ request: { body = {} }, note }: AskedRefundRow): Omit<RefundAsked, 'again'> {
  const { charge_id: charge, amount, reason } = body;
  return {
    charge: typeof charge === 'string' ? charge : undefined,
    amount: typeof amount === 'number' ? amount : undefined,
    reason: refundReasonValues.find((value) => value === reason),
    note,
  };
}
