/** What a reply says of a change, against the order as it was before. Pure. */

import {
  documentedErrorOf,
  type ErrorBody,
  errorParts,
  isObject,
  readErrorBody,
  valueAt,
} from '../api/spec.ts';
import type { CliErrorParts } from '../errors.ts';
import type { FoundRefund } from './journal.ts';
import type { Proof } from './journal-rows.ts';
import { judgeRead, notThisOrder } from './judge-read.ts';
import type { Heard } from './reply.ts';

/** What a reply says of the change. */
export type Answer =
  | { readonly says: 'applied'; readonly refunds: readonly FoundRefund[]; readonly created?: string }
  | { readonly says: 'rejected'; readonly error: CliErrorParts; readonly contradicts: boolean }
  /** An order that is not what was asked for: an alarm, whatever a read shows later. */
  | { readonly says: 'contradiction'; readonly why: string }
  | { readonly says: 'nothing'; readonly why: string };

// Assumed: with one of these statuses and an error in its own form, the service never started on the request; the
// document names no status. With any other status a bank, a queue or another request may still work on it.
const notTakenUp = [400, 401, 403, 404, 406, 422];

/**
 * What a reply says: the body decides before the status, since statuses are not documented (service: Errors). `earliest`
 * (Unix milliseconds, the service's clock): what was made before it is not of this attempt.
 */
export function judgeReply(proof: Proof, heard: Heard, earliest = Number.NEGATIVE_INFINITY): Answer {
  const { status, body, redirectTo } = heard;
  const redirect = redirectTo === undefined ? undefined : `a redirect to ${redirectTo}`;
  if ('problem' in body) return { says: 'nothing', why: `HTTP ${status}, ${redirect ?? body.problem}` };
  const error = readErrorBody(body.value);
  if (error !== undefined) return judgeError(proof, status, error);
  if (status < 200 || status > 299)
    return { says: 'nothing', why: `HTTP ${status}, ${redirect ?? 'without an error of the service'}` };
  if (proof.kind === 'refund' || proof.kind === 'capture')
    return judgeOrderReply(proof, status, body.value, earliest);
  return judgeOtherReply(proof, status, body.value);
}

function judgeError(proof: Proof, status: number, error: ErrorBody): Answer {
  const { type, details } = error;
  const documented = documentedErrorOf(error) !== undefined;
  const refused = type !== undefined && notTakenUp.includes(status);
  if (details === undefined || !(documented || refused))
    return {
      says: 'nothing',
      why: `HTTP ${status}, ${errorWords(error)}: it does not say what became of it`,
    };
  return { says: 'rejected', contradicts: dataContradicts(proof, error), error: errorParts(error, status) };
}

// The people who run the service find the request by its code and log id.
function errorWords(error: ErrorBody): string {
  const { type, code, logId } = errorParts(error, 0);
  const log = logId === undefined ? '' : ` (log_id ${logId})`;
  return `${code ?? type ?? 'an error of the service'}${log}`;
}

// A reply to this very request shows what it did; what others did meanwhile makes it contradict.
const unclaimed: ReadonlySet<string> = new Set();

// `data` of a refusal is the unchanged order (service: Errors); one that moved contradicts the refusal.
function dataContradicts(proof: Proof, error: ErrorBody): boolean {
  if (proof.kind !== 'refund' || error.data === undefined || error.data === null) return false;
  const sight = judgeRead(proof, error.data, unclaimed);
  if (sight.shows === 'unreadable') return valueAt(error.data, ['id']) !== proof.orderId;
  const { amountRefunded, status } = proof.before;
  return (
    sight.refunds.length > 0 ||
    changed(amountRefunded, valueAt(error.data, ['amount_refunded'])) ||
    changed(status, valueAt(error.data, ['payment_status']))
  );
}

// What an error leaves out of the order contradicts nothing.
function changed(before: number | string | undefined, now: unknown): boolean {
  return before !== undefined && now !== undefined && now !== null && now !== before;
}

function judgeOrderReply(proof: Proof, status: number, value: unknown, earliest: number): Answer {
  if (valueAt(value, ['object']) !== 'order')
    return { says: 'nothing', why: `HTTP ${status}, a body that is no order` };
  const stranger = notThisOrder(proof, value);
  if (stranger !== undefined)
    return { says: 'contradiction', why: `HTTP ${status}, an order, but ${stranger}` };
  const sight = judgeRead(proof, value, unclaimed, earliest);
  if (sight.shows === 'unreadable')
    return { says: 'nothing', why: `HTTP ${status}, an order, but ${sight.problem}` };
  if (valueAt(value, ['livemode']) !== proof.livemode) {
    return { says: 'nothing', why: `HTTP ${status}, an order that does not show its livemode` };
  }
  if (sight.shows === 'disagreement')
    return { says: 'contradiction', why: `HTTP ${status}, an order, but ${sight.problem}` };
  if (sight.shows === 'expected') {
    if (sight.contradicts !== undefined)
      return { says: 'contradiction', why: `HTTP ${status}, an order that shows ${sight.contradicts}` };
    if (!sight.others) return { says: 'applied', refunds: sight.refunds };
  }
  const missing = sight.shows === 'nothing' || sight.shows === 'partial';
  return {
    says: 'contradiction',
    why: `HTTP ${status}, an order that shows ${missing ? 'less' : 'more'} than was asked for`,
  };
}

// An order that was created, or any object for what has no documented reply (service: Endpoints 4 to 6).
function judgeOtherReply(proof: Proof, status: number, value: unknown): Answer {
  const id = valueAt(value, ['id']);
  if (valueAt(value, ['livemode']) === !proof.livemode) {
    const what = proof.kind === 'order' ? 'an order' : 'an object';
    return { says: 'contradiction', why: `HTTP ${status}, ${what}, but its livemode is of the other mode` };
  }
  if (proof.kind !== 'order') {
    return isObject(value)
      ? { says: 'applied', refunds: [] }
      : { says: 'nothing', why: `HTTP ${status}, a body that is no object` };
  }
  if (valueAt(value, ['object']) !== 'order' || typeof id !== 'string') {
    return { says: 'nothing', why: `HTTP ${status}, a body that is no order` };
  }
  return { says: 'applied', refunds: [], created: id };
}
