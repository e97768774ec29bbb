/**
 * Decides from the journal, before the order is read, whether a change may be sent: open attempts, repeats, idempotency keys. It
 * also has the type of a refusal. Pure.
 */

import { isNotSeen, isOpen, isUnproven, usesUp, verdictOf } from './attempt-state.ts';
import type { Change } from './change.ts';
import { isPaidTwice, refundsPaidTwice } from './questions/paid-twice.ts';
import { appearedVerdict } from './questions/verdicts-say.ts';
import { type AttemptRecord, attemptName, type Moment, type VerdictRow } from './rows/journal-rows.ts';
import type { AccountMarks } from './same-account.ts';
import { asksForSame, isEqual, isOtherMode, sameJson, type Typed } from './same-request.ts';

/** Whether a change may be sent, was answered by an earlier run, or is refused. */
export type Decision =
  | {
      readonly go: 'send';
      readonly change: string;
      readonly attempt: number;
      readonly doubtful: readonly AttemptRecord[];
    }
  | { readonly go: 'recorded'; readonly attempt: AttemptRecord }
  | { readonly go: 'refuse'; readonly refusal: Refusal };

/** Decides about a change before the final read. `known`: the attempts on its order and under its idempotency key. */
export function decide(asked: Asked, known: readonly AttemptRecord[], now: Moment): Decision {
  const own = known.filter(
    ({ sent }) => asked.idempotencyKey !== undefined && sent.idempotencyKey === asked.idempotencyKey,
  );
  const last = own.at(-1);
  if (last !== undefined) {
    if (!asksTheSame(asked, last)) return refuse({ why: 'other_parameters', attempt: last, now: asked });
    if (answersRepeat(last, asked.again, now)) return { go: 'recorded', attempt: last };
  }
  const open = known.find((record) => isOpen(record, now) && concerns(asked, record));
  if (open !== undefined) return refuse({ why: 'open', attempt: open, account: asked.account });
  const doubled = paidTwice(asked, known);
  if (doubled !== undefined) return refuse(doubled);
  const used = usedUp(asked.again, known);
  if (used !== undefined) return refuse(used);
  const named = namedBy(asked.again, known);
  const isNamed = (record: AttemptRecord) => named.has(attemptName(record));
  const made = known.find((record) => isMade(asked, record, now) && !isNamed(record));
  if (made !== undefined) return refuse({ why: 'made', attempt: made });
  // If the service refused a refund and no read has confirmed that, the refund may have been made.
  const doubtful = known.filter(
    (record) =>
      isUnproven(verdictOf(record)) &&
      (isNotSeen(record) || record.sent.proof.kind === 'refund') &&
      isEqual(asked, record),
  );
  const unnamed = doubtful.findLast((record) => isNotSeen(record) && !isNamed(record));
  if (unnamed !== undefined) return refuse({ why: 'not_seen', attempt: unnamed });
  return {
    go: 'send',
    change: last?.sent.change ?? asked.change,
    attempt: (last?.sent.attempt ?? 0) + 1,
    doubtful,
  };
}

/**
 * Refuses every refund of an order while one is known to have been made twice, or to have appeared although a person recorded
 * that it was not made: whoever sends the next one does not know yet how that ends. Only `journal acknowledge` lets it through.
 * Captures and other requests pay nothing back, and a new charge may be how somebody gets the money back, so they are not
 * refused.
 */
export function paidTwice(
  { kind, orderId }: Pick<Asked, 'kind' | 'orderId'>,
  known: readonly AttemptRecord[],
): Refusal | undefined {
  if (kind !== 'refund') return undefined;
  const own = known.filter(({ sent }) => sent.proof.orderId === orderId);
  const attempt = own.find(isPaidTwice);
  if (attempt !== undefined) return { why: 'paid_twice', attempt, refunds: refundsPaidTwice(attempt, known) };
  for (const late of own) {
    const verdict = appearedVerdict(late);
    if (verdict !== undefined) return { why: 'appeared', attempt: late, verdict };
  }
  return undefined;
}

/** Refuses a name in `--again` that an earlier sending has used up. So arrow-up and Enter never send a second time. */
export function usedUp(again: readonly string[], known: readonly AttemptRecord[]): Refusal | undefined {
  for (const name of again) {
    const attempt = known.findLast((record) => usesUp(record, name));
    if (attempt !== undefined) return { why: 'used_up', name, attempt };
  }
  return undefined;
}

/** Everything that `--again` names: whoever names a repeat also knows what that repeat repeated. */
export function namedBy(again: readonly string[], known: readonly AttemptRecord[]): ReadonlySet<string> {
  const named = new Set(again);
  // The loop also visits the names that it adds.
  for (const name of named)
    for (const record of known.filter((one) => attemptName(one) === name))
      for (const other of record.sent.again ?? []) named.add(other);
  return named;
}

/** Refuses a change when reads of this run found that it was made after all. Then not even --again sends it. */
export function appeared(asked: Asked, closed: readonly AttemptRecord[]): Refusal | undefined {
  for (const attempt of closed) {
    const verdict = verdictOf(attempt);
    const isOwn = asked.idempotencyKey !== undefined && attempt.sent.idempotencyKey === asked.idempotencyKey;
    if (verdict?.verdict === 'applied' && !isOwn && !isAnotherOrder(asked) && isEqual(asked, attempt))
      return { why: 'appeared', attempt, verdict };
  }
  return undefined;
}

// Two orders may be equal. A script that gives a new idempotency key wants another order.
function isAnotherOrder({ kind, idempotencyKey }: Asked): boolean {
  return kind === 'order' && idempotencyKey !== undefined;
}

/** For this long, nobody may know of an order that only a read found, after its reply was lost. */
export const unseenOrderMs = 24 * 60 * 60_000;

// When a read found an order after its reply was lost, nobody may know of that order. Refunds that the final read shows, or does
// not show, are judged in read-guards.ts. Other rows of the same plan do not count.
function isMade(asked: Asked, record: AttemptRecord, now: Moment): boolean {
  const last = verdictOf(record);
  const isUnseen =
    record.sent.proof.kind === 'order' &&
    last?.verdict === 'applied' &&
    last.by === 'read' &&
    now.time - record.sent.time < unseenOrderMs;
  return isUnseen && !isAnotherOrder(asked) && isEqual(asked, record) && !isOtherRow(asked, record);
}

/** Whether an attempt belongs to another row of the same plan. */
export function isOtherRow(asked: Pick<Asked, 'plan' | 'ref'>, { sent }: AttemptRecord): boolean {
  return asked.plan !== undefined && sent.plan === asked.plan && sent.ref !== asked.ref;
}

// An open attempt blocks every change of its order. If there is no order, it blocks the same request.
function concerns(asked: Asked, record: AttemptRecord): boolean {
  if (asked.orderId !== undefined) return true;
  const isOwn = asked.idempotencyKey !== undefined && record.sent.idempotencyKey === asked.idempotencyKey;
  return isOwn || asksForSame(record.sent, asked);
}

function asksTheSame(asked: Asked, last: AttemptRecord): boolean {
  const typed = last.sent.asked;
  if (asked.kind !== last.sent.proof.kind || isOtherMode(asked, last.sent)) return false;
  if (asked.asked === undefined || typed === undefined) return isEqual(asked, last);
  return sameJson(asked.asked, typed);
}

/**
 * Whether the last attempt under an idempotency key answers a second run with that key. If it provably was not sent, it is tried
 * again. If it was refused, or is unconfirmed after its horizon, it is tried again only when --again names it.
 */
export function answersRepeat(last: AttemptRecord, again: readonly string[], now: Moment): boolean {
  const verdict = verdictOf(last)?.verdict;
  if (verdict === 'not_sent') return false;
  return verdict === 'applied' || isOpen(last, now) || !again.includes(attemptName(last));
}

function refuse(refusal: Refusal): Decision {
  return { go: 'refuse', refusal };
}

/** The parts of a change that these rules look at. */
export type Asked = Pick<
  Change,
  'kind' | 'orderId' | 'request' | 'expected' | 'again' | 'asked' | 'plan' | 'ref'
> & {
  readonly change: string;
  readonly idempotencyKey?: string | undefined;
  readonly livemode?: boolean | undefined;
  /** The account of this change. A message names it if the open attempt went to another address. */
  readonly account?: AccountMarks | undefined;
};

/** Why nothing is sent. refusal-error.ts makes an error from it. */
export type Refusal =
  | {
      readonly why: 'busy';
      readonly owner:
        | { readonly operator: string; readonly command: string; readonly since: number }
        | undefined;
    }
  /** An attempt on the same order is unconfirmed. */
  | { readonly why: 'open'; readonly attempt: AttemptRecord; readonly account?: AccountMarks | undefined }
  /** A refund of the order was made twice, and nobody has acknowledged that. `refunds`: their ids. */
  | { readonly why: 'paid_twice'; readonly attempt: AttemptRecord; readonly refunds: readonly string[] }
  /** The same change was tried before, no read showed it, and its horizon has ended: a person must ask for it again. */
  | { readonly why: 'not_seen'; readonly attempt: AttemptRecord }
  /** The same change was made before, but people may not know it: a person stated it, or only a read found it. */
  | { readonly why: 'made'; readonly attempt: AttemptRecord }
  /** The final read shows that an earlier attempt was made after all. `sentAs`: the changes that sent it, if it was sent again. */
  | {
      readonly why: 'appeared';
      readonly attempt: AttemptRecord;
      readonly verdict: VerdictRow;
      readonly sentAs?: readonly string[] | undefined;
    }
  /**
   * A refund of the same amount on the same charge exists, and `again` does not name it. `charge`: its number in the order;
   * `createdAt`: Unix seconds; `maker`: the attempt that made it, if it was made here.
   */
  | ({
      readonly why: 'equal';
      readonly charge: number;
      readonly chargeId: string;
      readonly refundId: string;
      readonly amount: number;
      readonly createdAt: number | undefined;
      readonly maker: AttemptRecord | undefined;
    } & Pick<Asked, 'again' | 'orderId' | 'request'>)
  /**
   * A person recorded a refund of the same charge as made, and the order does not show it. `name`: what `--again` must name. The
   * other fields are those of the refund that was asked for.
   */
  | ({
      readonly why: 'unshown';
      readonly attempt: AttemptRecord;
      readonly name: string;
    } & Pick<Asked, 'again' | 'orderId' | 'request'>)
  /** `--again` names something that was repeated already. */
  | { readonly why: 'used_up'; readonly name: string; readonly attempt: AttemptRecord }
  /** `--again` names a change that was never made or tried here. */
  | { readonly why: 'nothing_to_repeat'; readonly name: string }
  /**
   * The request may still be on its way until the time `until` (Unix milliseconds), so nobody can know yet that it was not made.
   */
  | { readonly why: 'too_early'; readonly attempt: AttemptRecord; readonly until: number }
  /** The order cannot be read now, and a person must not decide without it. */
  | { readonly why: 'unread'; readonly problem: string }
  /** The idempotency key was used for another change. */
  | { readonly why: 'other_parameters'; readonly attempt: AttemptRecord; readonly now: Typed }
  | { readonly why: 'unprovable'; readonly problem: string }
  /** The journal cannot be written. `left`: the change whose SENT row may be in the journal all the same. */
  | { readonly why: 'journal'; readonly cause: unknown; readonly left?: string }
  /** The result of a read, or what a person stated, could not be written down. So the attempt has not changed. */
  | {
      readonly why: 'unwritten';
      readonly attempt: AttemptRecord;
      readonly row: VerdictRow;
      readonly cause: unknown;
    }
  /** The read or the approval stopped the change. */
  | { readonly why: 'stopped'; readonly cause: unknown };
