/** What a reply or a read proves about a change, against the order as it was before. Pure. */

import { type OrderMoney, readMoney } from '../api/charges.ts';
import {
  documentedErrorOf,
  type ErrorBody,
  errorParts,
  readErrorBody,
  statuses,
  valueAt,
} from '../api/spec.ts';
import type { CliErrorParts } from '../errors.ts';
import type { ExpectedRefund, FoundRefund, Intent } from '../ports.ts';
import { createdIn, newestIds } from './created.ts';
import type { Heard } from './reply.ts';
import type { Moment, PreImage, Proof, SentRow, VerdictRow } from './rows.ts';

/** What a look at the order shows of the change. */
export type Sight =
  /** Just what was asked for, and `others`: new records that nobody asked for here. */
  | {
      readonly shows: 'expected';
      readonly refunds: readonly FoundRefund[];
      readonly others: boolean;
      readonly created?: string;
    }
  /** What was asked for, and the same once more. */
  | { readonly shows: 'duplicate'; readonly refunds: readonly FoundRefund[] }
  /** A part of what was asked for. */
  | { readonly shows: 'partial'; readonly refunds: readonly FoundRefund[] }
  /** Nothing of it; `refunds` are others'. */
  | { readonly shows: 'nothing'; readonly refunds: readonly FoundRefund[] }
  /** No evidence either way. */
  | { readonly shows: 'unreadable'; readonly problem: string };

/** What a reply says of the change. */
export type Answer =
  | { readonly says: 'applied'; readonly refunds: readonly FoundRefund[]; readonly created?: string }
  | { readonly says: 'rejected'; readonly error: CliErrorParts; readonly contradicts: boolean }
  /** An order that is not what was asked for: an alarm, whatever a read shows later. */
  | { readonly says: 'contradiction'; readonly why: string }
  | { readonly says: 'nothing'; readonly why: string };

/** Kinds of change whose outcome a read can show. */
export function provable(kind: Intent['kind']): boolean {
  return kind === 'refund' || kind === 'capture' || kind === 'order';
}

/** The order as it is before the sending, or the problem that would make the outcome unprovable. */
export function preImage(
  kind: Intent['kind'],
  value: unknown,
): { readonly before: PreImage } | { readonly problem: string } {
  if (kind === 'order') return { before: { charges: [], newest: newestIds(value) } };
  const reading = readMoney(value);
  if ('money' in reading) return { before: imageOf(reading.money) };
  // Only a refund is proved by its charges; a capture by the order's status, the rest by the reply alone.
  if (kind === 'refund') return reading;
  const status = valueAt(value, ['payment_status']);
  return { before: { status: typeof status === 'string' ? status : undefined, charges: [] } };
}

function imageOf(money: OrderMoney): PreImage {
  return {
    status: money.status,
    amountRefunded: money.amountRefunded,
    isRefundable: money.isRefundable,
    updatedAt: money.updatedAt,
    charges: money.charges.map(({ id, refunds }) => ({
      id,
      refunds: refunds.map((record) => ({ id: record.id, amount: record.amount })),
    })),
  };
}

/** What a read shows. `claimed`: ids of refunds and created orders that other attempts account for. */
export function judgeRead(proof: Proof, value: unknown, claimed: ReadonlySet<string>): Sight {
  if (proof.kind === 'order') {
    const created = createdIn(proof, value, claimed);
    return created === undefined
      ? { shows: 'nothing', refunds: [] }
      : { shows: 'expected', refunds: [], others: false, created };
  }
  if (!provable(proof.kind)) return { shows: 'unreadable', problem: 'a read cannot show it' };
  const stranger = notThisOrder(proof, value);
  if (stranger !== undefined) return { shows: 'unreadable', problem: stranger };
  return proof.kind === 'capture' ? judgeCapture(value) : judgeRefund(proof, value, claimed);
}

function notThisOrder(proof: Proof, value: unknown): string | undefined {
  if (valueAt(value, ['object']) !== 'order') return 'it is no order';
  if (valueAt(value, ['id']) !== proof.orderId) return 'it is another order';
  // Absent is "not shown"; the opposite is another account (service: Authentication 5).
  if (valueAt(value, ['livemode']) === !proof.livemode) return 'its livemode is of the other mode';
  return undefined;
}

// A capture shows in the order's status alone (service: Endpoints 3).
function judgeCapture(value: unknown): Sight {
  const status = valueAt(value, ['payment_status']);
  if (status === statuses.paid) return { shows: 'expected', refunds: [], others: false };
  if (status === statuses.preAuthorized) return { shows: 'nothing', refunds: [] };
  const words = typeof status === 'string' ? status : 'not shown';
  return { shows: 'unreadable', problem: `its payment_status is ${words}` };
}

function judgeRefund(proof: Proof, value: unknown, claimed: ReadonlySet<string>): Sight {
  const reading = readMoney(value);
  if ('problem' in reading) return { shows: 'unreadable', problem: reading.problem };
  const lost = lostRecord(proof.before, reading.money);
  if (lost !== undefined) return { shows: 'unreadable', problem: lost };
  const refunds = newRecords(proof.before, reading.money, claimed);
  const { matched, rest } = match(proof.expected, refunds);
  if (matched === 0) return { shows: 'nothing', refunds };
  if (matched < proof.expected.length) return { shows: 'partial', refunds };
  if (rest.some((record) => proof.expected.some((expected) => same(expected, record)))) {
    return { shows: 'duplicate', refunds };
  }
  return { shows: 'expected', refunds, others: withoutTolerated(proof.tolerated, rest).length > 0 };
}

// Records never go away: an order that shows fewer than before is an old copy, or not the whole of it.
function lostRecord(before: PreImage, money: OrderMoney): string | undefined {
  for (const charge of before.charges) {
    const now = money.charges.find(({ id }) => id === charge.id);
    if (now === undefined) return `charge ${charge.id} is not shown any more`;
    const lost = charge.refunds.find(
      (old) => !now.refunds.some(({ id, amount }) => id === old.id && amount === old.amount),
    );
    if (lost !== undefined) return `refund ${lost.id} is not shown as before`;
  }
  return undefined;
}

function newRecords(before: PreImage, money: OrderMoney, claimed: ReadonlySet<string>): FoundRefund[] {
  const known = new Set(before.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  return money.charges.flatMap((charge) =>
    charge.refunds
      .filter(({ id }) => !known.has(id) && !claimed.has(id))
      .map((record) => ({ chargeId: charge.id, ...record })),
  );
}

function same(expected: ExpectedRefund, record: FoundRefund): boolean {
  return expected.chargeId === record.chargeId && expected.amount === record.amount;
}

function match(expected: readonly ExpectedRefund[], refunds: readonly FoundRefund[]) {
  const rest = [...refunds];
  let matched = 0;
  for (const one of expected) {
    const at = rest.findIndex((record) => same(one, record));
    if (at === -1) continue;
    rest.splice(at, 1);
    matched += 1;
  }
  return { matched, rest };
}

// Each tolerated charge may have one new record.
function withoutTolerated(tolerated: readonly string[], records: readonly FoundRefund[]): FoundRefund[] {
  const left = new Set(tolerated);
  return records.filter((record) => !left.delete(record.chargeId));
}

/** A verdict before it has its time and attempt. */
export type Ruling = Omit<VerdictRow, 'type' | 'intent' | 'attempt' | 'time'>;

/** The verdict of a sight; `none` is what it means that nothing was done. */
export function rulingOf(
  sight: Exclude<Sight, { shows: 'unreadable' }>,
  none: 'not_seen' | 'rejected',
): Ruling {
  const { refunds } = sight;
  switch (sight.shows) {
    case 'expected': {
      const alarm = none === 'rejected' ? 'applied_though_rejected' : undefined;
      const why = 'a read shows it: ours or identical';
      return { verdict: 'applied', by: 'read', why, alarm, refunds, created: sight.created };
    }
    case 'duplicate':
      return {
        verdict: 'applied',
        by: 'read',
        why: 'a read shows it more than once',
        alarm: 'duplicate',
        refunds,
      };
    case 'partial':
      return { verdict: 'unknown', by: 'read', why: 'a read shows a part of it', alarm: 'partial', refunds };
    case 'nothing': {
      const why = none === 'rejected' ? 'the service refused it' : 'no read shows it';
      return { verdict: none, by: 'read', why, confirmed: none === 'rejected' ? true : undefined, refunds };
    }
  }
}

/** The row of a verdict. */
export function ruling(sent: SentRow, now: Moment, words: Ruling): VerdictRow {
  return { type: 'verdict', intent: sent.intent, attempt: sent.attempt, time: now.time, ...words };
}

// ── Replies ─────────────────────────────────────────────────────────────────────────────────────

// A 4xx of these says nothing final about a change: time-outs, conflicts, locks, throttles.
const indecisive = [408, 409, 421, 423, 425, 429];

/** What a reply says: the body decides before the status, since statuses are not documented (service: Errors). */
export function judgeReply(proof: Proof, heard: Heard): Answer {
  const { status, body, redirectTo } = heard;
  const redirect = redirectTo === undefined ? undefined : `a redirect to ${redirectTo}`;
  if ('problem' in body) return { says: 'nothing', why: `HTTP ${status}, ${redirect ?? body.problem}` };
  const error = readErrorBody(body.value);
  if (error !== undefined) return judgeError(proof, status, error);
  if (status < 200 || status > 299)
    return { says: 'nothing', why: `HTTP ${status}, ${redirect ?? 'without an error of the service'}` };
  if (proof.kind === 'refund' || proof.kind === 'capture') return judgeOrderReply(proof, status, body.value);
  return judgeOtherReply(proof, status, body.value);
}

function judgeError(proof: Proof, status: number, error: ErrorBody): Answer {
  const { type, details } = error;
  const documented = documentedErrorOf(error) !== undefined;
  const decisive = status >= 400 && status <= 499 && !indecisive.includes(status);
  if (details === undefined || !(documented || (type !== undefined && decisive))) {
    return {
      says: 'nothing',
      why: `HTTP ${status}, an error of the service that does not say what became of it`,
    };
  }
  return { says: 'rejected', contradicts: dataContradicts(proof, error), error: errorParts(error, status) };
}

// A reply to this very request shows what it did; what others did meanwhile makes it contradict.
const unclaimed: ReadonlySet<string> = new Set();

// `data` of a refusal is the unchanged order (service: Errors); one that moved contradicts the refusal.
function dataContradicts(proof: Proof, error: ErrorBody): boolean {
  if (proof.kind !== 'refund' || error.data === undefined || error.data === null) return false;
  const sight = judgeRead(proof, error.data, unclaimed);
  if (sight.shows === 'unreadable') return valueAt(error.data, ['id']) !== proof.orderId;
  const refunded = valueAt(error.data, ['amount_refunded']);
  return sight.refunds.length > 0 || changed(proof.before.amountRefunded, refunded);
}

function changed(before: number | undefined, now: unknown): boolean {
  return before !== undefined && typeof now === 'number' && now !== before;
}

function judgeOrderReply(proof: Proof, status: number, value: unknown): Answer {
  if (valueAt(value, ['object']) !== 'order')
    return { says: 'nothing', why: `HTTP ${status}, a body that is no order` };
  const stranger = notThisOrder(proof, value);
  if (stranger !== undefined)
    return { says: 'contradiction', why: `HTTP ${status}, an order, but ${stranger}` };
  const sight = judgeRead(proof, value, unclaimed);
  if (sight.shows === 'unreadable')
    return { says: 'nothing', why: `HTTP ${status}, an order, but ${sight.problem}` };
  if (valueAt(value, ['livemode']) !== proof.livemode) {
    return { says: 'nothing', why: `HTTP ${status}, an order that does not show its livemode` };
  }
  if (sight.shows === 'expected' && !sight.others) return { says: 'applied', refunds: sight.refunds };
  const missing = sight.shows === 'nothing' || sight.shows === 'partial';
  return {
    says: 'contradiction',
    why: `HTTP ${status}, an order that shows ${missing ? 'less' : 'more'} than was asked for`,
  };
}

// An order that was created, or any object for what has no documented reply (service: Endpoints 4 to 6).
function judgeOtherReply(proof: Proof, status: number, value: unknown): Answer {
  const id = valueAt(value, ['id']);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (valueAt(value, ['livemode']) === !proof.livemode) {
    const what = proof.kind === 'order' ? 'an order' : 'an object';
    return { says: 'contradiction', why: `HTTP ${status}, ${what}, but its livemode is of the other mode` };
  }
  if (proof.kind !== 'order') {
    return isObject
      ? { says: 'applied', refunds: [] }
      : { says: 'nothing', why: `HTTP ${status}, a body that is no object` };
  }
  if (valueAt(value, ['object']) !== 'order' || typeof id !== 'string') {
    return { says: 'nothing', why: `HTTP ${status}, a body that is no order` };
  }
  return { says: 'applied', refunds: [], created: id };
}
