/** Requests for the approval of a second person, as their rows and the changes that used them say. Pure. */

import {
  type ApprovalRequest,
  type ApprovalRow,
  type AskedRefundRow,
  type AttemptRecord,
  asksForSameRefund,
  type SentRow,
  sameJson,
} from '../../../journal/journal.ts';

const dayMs = 24 * 60 * 60_000;
/** Nobody answers a request any more after this time. */
export const waitsMs = 7 * dayMs;
/** Requests are listed for so long. */
export const listedMs = 30 * dayMs;

/** The requests that rows make up, oldest first, at a time (Unix milliseconds). `users`: the changes on their orders. */
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

// A change that certainly did not leave has not used its approval. One of a plan is for all its rows.
function userOf({ id, asked }: ApprovalRequest, users: readonly AttemptRecord[]): string | undefined {
  if ('planned' in asked) return undefined;
  return users.find(({ sent, verdicts }) => sent.approval === id && verdicts.at(-1)?.verdict !== 'not_sent')
    ?.sent.change;
}

type AskedWhat = Pick<AskedRefundRow, 'origin' | 'request' | 'proof' | 'currency' | 'seen'>;

/** Whether two requests are about the very same refund, with the same money before it. Notes and `again` move no money. */
export function isSameRefund(one: AskedWhat, other: AskedWhat): boolean {
  return asksForSameRefund(one, other) && sameJson(one.seen, other.seen);
}

/** Whether what is about to be sent is the very refund that was asked for, on an order with the same money. */
function isRefundAsked(asked: AskedWhat, sent: SentRow): boolean {
  return asksForSameRefund(asked, sent) && isSeen(asked, sent);
}

// A refund of the same sum is another thing where other money went back meanwhile.
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

/** Why an approval does not count for what a member is about to send; undefined if it does. */
export function approvalProblem(
  request: ApprovalRequest | undefined,
  sent: SentRow,
  member: string,
): string | undefined {
  if (request === undefined) return 'unknown';
  const { asked, state } = request;
  if (!('proof' in asked)) return 'for something else';
  // Who proposes sends nothing, so others send it.
  if (asked.operator !== member && asked.byProposer !== true) return 'of somebody else';
  if (!isRefundAsked(asked, sent)) return 'for something else';
  return state === 'approved' ? undefined : state;
}
