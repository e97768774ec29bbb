/** Derives approval requests from their rows and the changes that used them. Pure. */

import { dayMs } from '../../../api/spec.ts';
import {
  type ApprovalRequest,
  type ApprovalRow,
  type AskedRefundRow,
  type AttemptRecord,
  asksForSameRefund,
  type SentRow,
  sameJson,
} from '../../../journal/journal.ts';

/** After this time a request can no longer be answered. */
export const waitsMs = 7 * dayMs;
/** How long requests are listed. */
export const listedMs = 30 * dayMs;

/** The requests in these rows, oldest first, at a time (Unix milliseconds). `users`: the changes on their orders. */
export function requestsIn(
  rows: readonly ApprovalRow[],
  users: readonly AttemptRecord[],
  now: number,
): readonly ApprovalRequest[] {
  const requests = new Map<string, ApprovalRequest>();
  for (const row of rows) {
    const before = requests.get(row.requestId);
    if (row.step === 'asked')
      requests.set(row.requestId, {
        id: row.requestId,
        state: 'asked',
        asked: row,
        decided: undefined,
        usedBy: undefined,
      });
    else if (before !== undefined) requests.set(row.requestId, { ...before, state: row.step, decided: row });
  }
  return [...requests.values()].map((request) => stateAt(request, userOf(request, users), now));
}

function stateAt(request: ApprovalRequest, usedBy: string | undefined, now: number): ApprovalRequest {
  const { state, asked, decided } = request;
  if (state === 'approved' && usedBy !== undefined) return { ...request, state: 'used', usedBy };
  const isOver =
    (state === 'asked' && asked.time + waitsMs <= now) ||
    (state === 'approved' && (decided?.until ?? now) <= now);
  return isOver ? { ...request, state: 'expired' } : request;
}

// A change that certainly did not leave has not used its approval. A plan's approval is for all its rows.
function userOf({ id, asked }: ApprovalRequest, users: readonly AttemptRecord[]): string | undefined {
  if ('planned' in asked) return undefined;
  return users.find(({ sent, verdicts }) => sent.approval === id && verdicts.at(-1)?.verdict !== 'not_sent')
    ?.sent.change;
}

type AskedWhat = Pick<AskedRefundRow, 'origin' | 'request' | 'proof' | 'currency' | 'seen'>;

/** Whether two requests are for exactly the same refund, with the same money before it. Notes and `again` move no money. */
export function isSameRefund(one: AskedWhat, other: AskedWhat): boolean {
  return asksForSameRefund(one, other) && sameJson(one.seen, other.seen);
}

// The same sum is a different refund if other money went back since.
function isSeen({ seen }: AskedWhat, { proof: { before } }: SentRow): boolean {
  if (seen === undefined) return true;
  const charges = (from: typeof seen.charges | typeof before.charges) =>
    from.map(({ id, status, amount }) => ({ id, status, amount }));
  return sameJson(
    { status: seen.status, amount: seen.amount, refunded: seen.refunded, charges: charges(seen.charges) },
    {
      status: before.status,
      amount: before.amount,
      refunded: before.amountRefunded,
      charges: charges(before.charges),
    },
  );
}

/** Why an approval does not cover what a member is about to send; undefined if it does. */
export function approvalProblem(
  request: ApprovalRequest | undefined,
  sent: SentRow,
  member: string,
): string | undefined {
  if (request === undefined) return 'unknown';
  const { asked, state } = request;
  if (!('proof' in asked)) return 'for something else';
  // A proposer sends nothing, so others send it.
  if (asked.operator !== member && asked.byProposer !== true) return 'of somebody else';
  // The refund to be sent must be exactly the one asked for, with the same money on the order.
  if (!asksForSameRefund(asked, sent) || !isSeen(asked, sent)) return 'for something else';
  return state === 'approved' ? undefined : state;
}
