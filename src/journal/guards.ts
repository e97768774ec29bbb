/** Whether the journal lets a change be sent: open attempts, repeats, a script's own ids, equal refunds. Pure. */

import { newestEqual } from '../api/charges.ts';
import { isOpen, verdictOf } from './attempt-state.ts';
import type { Intent } from './intent.ts';
import type { AttemptRecord, Moment, PreImage, VerdictRow } from './journal-rows.ts';
import { attemptName } from './journal-rows.ts';
import { isPaidTwice, refundsPaidTwice } from './paid-twice.ts';
import { appearedVerdict } from './said-by-hand.ts';
import type { AccountMarks } from './same-account.ts';
import { asksForSame, isEqual, isOtherMode, sameJson, type Typed } from './same-request.ts';

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
  /** A refund of the order was paid back twice, and nobody has acknowledged that. `refunds`: their ids. */
  | { readonly why: 'paid_twice'; readonly attempt: AttemptRecord; readonly refunds: readonly string[] }
  /** The same change was tried before, no read showed it, and its horizon has ended: a person must ask for it again. */
  | { readonly why: 'not_seen'; readonly attempt: AttemptRecord }
  /** The same change was made before, but people may not know it: a person stated it, or only a read found it. */
  | { readonly why: 'made'; readonly attempt: AttemptRecord }
  /**
   * The final read shows an earlier attempt's refund: it was made after all. `sentAs`: the intents that sent it, if it was sent
   * again in between.
   */
  | {
      readonly why: 'appeared';
      readonly attempt: AttemptRecord;
      readonly verdict: VerdictRow;
      readonly sentAs?: readonly string[] | undefined;
    }
  /** A refund of the same amount on the same charge exists, and `again` does not name it. */
  | {
      readonly why: 'equal';
      readonly chargeId: string;
      readonly refundId: string;
      readonly amount: number;
      readonly again: readonly string[];
    }
  /**
   * A person recorded a refund of the same charge as made, and the order does not show it. `name`: what `--again` must name.
   * The rest is that of the refund that was asked for.
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
  /** The request may still be on its way until then (Unix milliseconds), so nobody can know yet that it was not made. */
  | { readonly why: 'too_early'; readonly attempt: AttemptRecord; readonly until: number }
  /** The order cannot be read now, and a person must not decide without it. */
  | { readonly why: 'unread'; readonly problem: string }
  /** The script's id was used for another change. */
  | { readonly why: 'other_parameters'; readonly attempt: AttemptRecord; readonly now: Typed }
  | { readonly why: 'unprovable'; readonly problem: string }
  /** The journal cannot be written. `left`: the intent whose SENT row may be in the journal all the same. */
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

/** Whether an intent may be sent, was answered by an earlier run, or is refused. */
export type Decision =
  | {
      readonly go: 'send';
      readonly intent: string;
      readonly attempt: number;
      readonly doubtful: readonly AttemptRecord[];
    }
  | { readonly go: 'recorded'; readonly attempt: AttemptRecord }
  | { readonly go: 'refuse'; readonly refusal: Refusal };

/** The parts of a change that these rules look at. */
export type Asked = Pick<
  Intent,
  'kind' | 'orderId' | 'request' | 'expected' | 'again' | 'asked' | 'plan' | 'ref'
> & {
  readonly intent: string;
  readonly given?: string | undefined;
  readonly livemode?: boolean | undefined;
  /** The account of this change. A message names it if the open attempt went to another address. */
  readonly account?: AccountMarks | undefined;
};

/** Decides about a change before the final read. `known`: the attempts on its order and under its script's id. */
export function decide(asked: Asked, known: readonly AttemptRecord[], now: Moment): Decision {
  const own = known.filter(({ sent }) => asked.given !== undefined && sent.given === asked.given);
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
  const doubtful = known.filter(
    (record) => verdictOf(record)?.verdict === 'not_seen' && isEqual(asked, record),
  );
  const unnamed = doubtful.findLast((record) => !isNamed(record));
  if (unnamed !== undefined) return refuse({ why: 'not_seen', attempt: unnamed });
  return {
    go: 'send',
    intent: last?.sent.intent ?? asked.intent,
    attempt: (last?.sent.attempt ?? 0) + 1,
    doubtful,
  };
}

/**
 * Refuses every refund of an order while one is known to have been paid back twice, or to have appeared although a person recorded
 * that it was not made: whoever sends the next one does not know yet how that ends. Nothing but `journal acknowledge` lets it through. Captures and other requests pay nothing back, and a new
 * charge may be how somebody gets the money back, so they are not refused.
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
    const attempt = known.findLast(
      (record) => record.sent.again?.includes(name) === true && verdictOf(record)?.verdict !== 'not_sent',
    );
    if (attempt !== undefined) return { why: 'used_up', name, attempt };
  }
  return undefined;
}

/** Everything that `--again` names: whoever names a repeat also knows what that one repeated. */
function namedBy(again: readonly string[], known: readonly AttemptRecord[]): ReadonlySet<string> {
  const named = new Set(again);
  for (const record of known.toReversed())
    if (named.has(attemptName(record))) for (const name of record.sent.again ?? []) named.add(name);
  return named;
}

/** Refuses a change when reads of this run found that it was made after all. Then not even --again sends it. */
export function appeared(asked: Asked, closed: readonly AttemptRecord[]): Refusal | undefined {
  for (const attempt of closed) {
    const verdict = verdictOf(attempt);
    const isOwn = asked.given !== undefined && attempt.sent.given === asked.given;
    if (verdict?.verdict === 'applied' && !isOwn && !isAnotherOrder(asked) && isEqual(asked, attempt))
      return { why: 'appeared', attempt, verdict };
  }
  return undefined;
}

// Two orders may be equal. A script that gives a new id wants another one.
function isAnotherOrder({ kind, given }: Asked): boolean {
  return kind === 'order' && given !== undefined;
}

const dayMs = 24 * 60 * 60_000;

// No record shows a refund that a person stated. And when a read found an order after its reply was lost, nobody may
// know of that order. Other rows of the same plan do not count.
function isMade(asked: Asked, record: AttemptRecord, now: Moment): boolean {
  const last = verdictOf(record);
  if (last?.verdict !== 'applied') return false;
  const { kind } = record.sent.proof;
  const unseen =
    (kind === 'refund' && last.by === 'person') ||
    (kind === 'order' && last.by === 'read' && now.time - record.sent.time < dayMs);
  return unseen && !isAnotherOrder(asked) && isEqual(asked, record) && !isOtherRow(asked, record);
}

/** Whether an attempt belongs to another row of the same plan. */
function isOtherRow(asked: Pick<Asked, 'plan' | 'ref'>, { sent }: AttemptRecord): boolean {
  return asked.plan !== undefined && sent.plan === asked.plan && sent.ref !== asked.ref;
}

// An open attempt blocks every change of its order. If there is no order, it blocks the same request.
function concerns(asked: Asked, record: AttemptRecord): boolean {
  if (asked.orderId !== undefined) return true;
  const isOwn = asked.given !== undefined && record.sent.given === asked.given;
  return isOwn || asksForSame(record.sent, asked);
}

function asksTheSame(asked: Asked, last: AttemptRecord): boolean {
  const typed = last.sent.asked;
  if (asked.kind !== last.sent.proof.kind || isOtherMode(asked, last.sent)) return false;
  if (asked.asked === undefined || typed === undefined) return isEqual(asked, last);
  return sameJson(asked.asked, typed);
}

/**
 * Whether the last attempt under a script's id answers a second run with that id. If it provably was not sent, it is
 * tried again. If it was refused, or is unconfirmed after its horizon, it is tried again only when --again names it.
 */
export function answersRepeat(last: AttemptRecord, again: readonly string[], now: Moment): boolean {
  const verdict = verdictOf(last)?.verdict;
  if (verdict === 'not_sent') return false;
  return verdict === 'applied' || isOpen(last, now) || !again.includes(attemptName(last));
}

function refuse(refusal: Refusal): Decision {
  return { go: 'refuse', refusal };
}

// ── The refunds that somebody recorded by hand ──────────────────────────────────────────────────

/**
 * Refuses a refund of a charge while the order does not show another refund of it that a person recorded as made. Whatever
 * its amount, that money counts as paid back, so `--again` must name that refund, or the last one that was sent knowing of
 * it. Another row of the same plan was meant to be paid besides. `unshown`: what `unshownRefunds` found.
 */
export function unshownRefund(
  asked: Asked,
  unshown: readonly AttemptRecord[],
  known: readonly AttemptRecord[],
): Refusal | undefined {
  const named = namedBy(asked.again, known);
  const attempt = unshown.find(
    (record) => touches(asked, record) && !isOtherRow(asked, record) && !named.has(attemptName(record)),
  );
  if (attempt === undefined) return undefined;
  const { again, orderId, request } = asked;
  return { why: 'unshown', attempt, name: lastNamed(attempt, known), again, orderId, request };
}

function touches({ expected = [] }: Asked, { sent }: AttemptRecord): boolean {
  return sent.proof.expected.some((one) => expected.some(({ chargeId }) => chargeId === one.chargeId));
}

// Each name works for one sending only. After that, the name of that sending stands for both.
function lastNamed(attempt: AttemptRecord, known: readonly AttemptRecord[]): string {
  let name = attemptName(attempt);
  for (const record of known)
    if (record.sent.again?.includes(name) === true && verdictOf(record)?.verdict !== 'not_sent')
      name = attemptName(record);
  return name;
}

// ── The refunds that the final read shows ───────────────────────────────────────────────────────

/**
 * Refuses a refund if the charge already has one of the same amount, whoever made it and however long ago, and --again
 * does not name it. If there are several, --again must name the newest; if the times do not show which one that is, all
 * of them. A refund does not count when another row of the same plan made it, or when another equal refund was made to
 * repeat it.
 */
export function equalRefund(
  asked: Asked,
  before: PreImage,
  known: readonly AttemptRecord[],
): Refusal | undefined {
  const named = namedBy(asked.again, known);
  const excused = refundsOf(known.filter((record) => isOtherRow(asked, record)));
  for (const { chargeId, amount } of asked.expected ?? []) {
    const refunds = before.charges.find(({ id }) => id === chargeId)?.refunds ?? [];
    const all = refunds.filter((one) => one.amount === amount);
    const equal = all.filter(({ id }) => !excused.has(id));
    const meant = equal.filter(({ id }) => named.has(id));
    const unnamed = equal.filter(
      (one) =>
        !named.has(one.id) &&
        !meant.some((other) => isOlder(one, other)) &&
        !all.some((other) => repeats(known, one, other)),
    );
    const newest = newestEqual(unnamed, amount);
    if (newest !== undefined)
      return { why: 'equal', chargeId, refundId: newest.id, amount, again: asked.again };
  }
  return undefined;
}

type Made = PreImage['charges'][number]['refunds'][number];

// A time that is not shown is neither before nor after another one.
function isOlder({ createdAt: one = Number.NaN }: Made, { createdAt: other = Number.NaN }: Made): boolean {
  return one < other;
}

// Whether the other one was made by --again with the id of this one, or with an attempt that repeated it.
function repeats(known: readonly AttemptRecord[], one: Made, other: Made): boolean {
  const repeating = known.filter(({ sent }) => namedBy(sent.again ?? [], known).has(one.id));
  return refundsOf(repeating).has(other.id);
}

/**
 * Refuses a name in `--again` that fits no change like this one, say a typing error. It would be used up for nothing.
 */
export function nothingToRepeat(
  asked: Asked,
  before: PreImage,
  known: readonly AttemptRecord[],
  unshown: readonly AttemptRecord[],
): Refusal | undefined {
  const isMeant = (chargeId: string, amount: number) =>
    (asked.expected ?? []).some((one) => one.chargeId === chargeId && one.amount === amount);
  const there = new Set([
    ...before.charges.flatMap(({ id, refunds }) =>
      refunds.filter(({ amount }) => isMeant(id, amount)).map((refund) => refund.id),
    ),
    ...known.filter((record) => isEqual(asked, record)).map(attemptName),
    ...unshown.filter((record) => touches(asked, record)).map((record) => lastNamed(record, known)),
  ]);
  const name = asked.again.find((one) => !there.has(one));
  return name === undefined ? undefined : { why: 'nothing_to_repeat', name };
}

/**
 * The problem when the final read lacks a refund that the journal has, because it shows an old copy of the order. If the order
 * shows its `livemode`, refunds of the other mode were made on another order.
 */
export function oldRead(
  { orderId, livemode }: { readonly orderId: string | undefined; readonly livemode?: unknown },
  before: PreImage,
  known: readonly AttemptRecord[],
): string | undefined {
  const shown = new Set(before.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  const made = refundsOf(
    known.filter(({ sent }) => sent.proof.orderId === orderId && !isOtherMode({ livemode }, sent)),
  );
  const missing = [...made].find((id) => !shown.has(id));
  return missing === undefined ? undefined : `refund ${missing} was made, and the order does not show it yet`;
}

function refundsOf(records: readonly AttemptRecord[]): ReadonlySet<string> {
  const made = records
    .map(verdictOf)
    .flatMap((row) => (row?.verdict === 'applied' ? (row.refunds ?? []) : []));
  return new Set(made.map(({ id }) => id).filter((id) => id !== undefined));
}
