/** Judges what a reply says about a change: its bytes are read strictly and compared with the order before. Pure. */

import { hash } from 'node:crypto';
import { type RawReply, scan, tooMuchJson } from '../api/api.ts';
import { isObject, valueAt } from '../api/json-values.ts';
import { type ErrorBody, errorParts, partsOfReply, readErrorBody } from '../api/records.ts';
import { type DocumentedError, documentedErrorOf, statuses } from '../api/spec.ts';
import type { CliErrorParts } from '../errors.ts';
import type { ChangeKind, FoundRefund } from './change.ts';
import { madeIn } from './created-order.ts';
import { type Evidence, judgeRead, notThisOrder } from './judge-read.ts';
import type { Proof, VerdictRow } from './rows/journal-rows.ts';

/** A reply: its status, and the value of its body. With a `problem` the value proves nothing, and mostly there is none. */
export interface ParsedReply {
  readonly status: number;
  readonly body: { readonly value: unknown } | { readonly problem: string; readonly value?: unknown };
  /** The host that a redirect names. The request is never sent there. */
  readonly redirectTo?: string | undefined;
  readonly received?: VerdictRow['received'];
}

/** Reads the bytes of a reply strictly: JSON in UTF-8 with every key once. `problem` says in words what is wrong. */
export function parseReply(reply: RawReply): ParsedReply {
  const { status, redirectTo, body } = reply;
  const received = { httpStatus: status, bytes: body.length, sha256: hash('sha256', body) };
  return { status, body: bodyOf(reply), redirectTo, received };
}

function bodyOf({ body, contentType }: RawReply): ParsedReply['body'] {
  if (body.length === 0) return { problem: 'an empty body' };
  try {
    const tooMuch = tooMuchJson(scan(body));
    if (tooMuch !== undefined) return { problem: `a body of ${tooMuch}` };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = JSON.parse(text);
    return repeatsKey(text) ? { problem: 'a body that has the same key twice', value } : { value };
  } catch {
    const html = contentType === 'text/html' || body[0] === 0x3c;
    return { problem: html ? 'an HTML page' : 'a body that is not JSON' };
  }
}

const strings = /"[^"\\]*(?:\\.[^"\\]*)*"(?=(\s*:)?)|[{}]/gs;

/** Whether a JSON text has a key twice in one object. It proves nothing: readers differ in which value they keep. */
export function repeatsKey(text: string): boolean {
  // A key is known by where its object begins.
  const open: number[] = [];
  const seen = new Set<string>();
  for (const { 0: token, 1: colon, index } of text.matchAll(strings)) {
    if (token === '{') open.push(index);
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const key = `${open.at(-1)} ${JSON.parse(token)}`;
      if (seen.has(key)) return true;
      seen.add(key);
    }
  }
  return false;
}

/** What a reply says about the change. */
type Answer =
  | {
      readonly says: 'applied';
      readonly refunds: readonly FoundRefund[];
      readonly created?: string | undefined;
      readonly link?: string | undefined;
    }
  | { readonly says: 'rejected'; readonly error: CliErrorParts; readonly contradicts: boolean }
  /** An order that shows what was asked for, all of it or a part, as failed. */
  | { readonly says: 'failed'; readonly evidence: Extract<Evidence, { readonly shows: 'failed' }> }
  /** An order that is not what was asked for. It stays an alarm, even if a later read shows something else. */
  | { readonly says: 'contradiction'; readonly why: string }
  | { readonly says: 'nothing'; readonly why: string };

// Assumed: with one of these statuses and an error in the service's own form, the service never started on the request;
// the document names no status. With any other status, a bank, a queue or another request may still work on it.
const notTakenUp = [400, 401, 403, 404, 406, 422];

// Whether a documented error proves that the service did nothing. Words that help a person with the error are elsewhere
// and decide nothing here. A newly documented error does not compile until somebody decides what it proves.
const provesRefusal: Readonly<Record<DocumentedError, boolean>> = {
  notReturnable: true,
  chargeIdRequired: true,
};

// Judges the reply to each kind of change.
const judges: Readonly<Record<ChangeKind, (reply: OwnReply) => Answer>> = {
  refund: judgeOrderReply,
  capture: judgeOrderReply,
  order: judgeNewOrder,
  checkout: judgeNewCheckout,
  api: judgeAnyObject,
};

interface OwnReply {
  readonly proof: Proof;
  readonly status: number;
  readonly value: unknown;
  readonly earliest: number;
}

/**
 * Judges a reply. The body decides before the status, because statuses are not documented (service: Errors). `earliest`
 * (Unix milliseconds, the service's clock): what was made before it is not this attempt's.
 */
export function judgeReply(proof: Proof, parsed: ParsedReply, earliest = Number.NEGATIVE_INFINITY): Answer {
  const { status, body, redirectTo } = parsed;
  const redirect = redirectTo === undefined ? undefined : `a redirect to ${redirectTo}`;
  if ('problem' in body) return { says: 'nothing', why: `HTTP ${status}, ${redirect ?? body.problem}` };
  const error = readErrorBody(body.value);
  if (error !== undefined) return judgeError(proof, status, error);
  if (status < 200 || status > 299)
    return { says: 'nothing', why: `HTTP ${status}, ${redirect ?? 'not in the error form of the service'}` };
  return judges[proof.kind]({ proof, status, value: body.value, earliest });
}

/** What a reply that is not trusted itself says: its message, code, type, log id and HTTP status. */
export function saidIn({ status, body }: ParsedReply): VerdictRow['error'] {
  return partsOfReply(body.value, status);
}

function judgeError(proof: Proof, status: number, error: ErrorBody): Answer {
  const { type, details } = error;
  const known = documentedErrorOf(error);
  const documented = known !== undefined && provesRefusal[known];
  const refused = type !== undefined && notTakenUp.includes(status);
  if (details === undefined || !(documented || refused))
    return {
      says: 'nothing',
      why: `HTTP ${status}, ${errorWords(error)}: it does not say whether the change was made`,
    };
  return { says: 'rejected', contradicts: dataContradicts(proof, error), error: errorParts(error, status) };
}

// With its code and log id, the people who run the service find the request.
function errorWords(error: ErrorBody): string {
  const { type, code, logId } = errorParts(error, 0);
  const log = logId === undefined ? '' : ` (log_id ${logId})`;
  return `${code ?? type ?? 'an error of the service'}${log}`;
}

// No refund counts as another attempt's here: if a reply shows more than its request asked for, it contradicts the request.
const unclaimed: ReadonlySet<string> = new Set();

// `data` of a refusal is the unchanged order (service: Errors). If that order has changed, it contradicts the refusal.
function dataContradicts(proof: Proof, error: ErrorBody): boolean {
  if (proof.kind !== 'refund' || error.data === undefined || error.data === null) return false;
  const evidence = judgeRead(proof, error.data, unclaimed);
  if (evidence.shows === 'unreadable') return valueAt(error.data, ['id']) !== proof.orderId;
  const { amountRefunded, status } = proof.before;
  return (
    evidence.refunds.length > 0 ||
    changed(amountRefunded, valueAt(error.data, ['amount_refunded'])) ||
    changed(status, valueAt(error.data, ['payment_status']))
  );
}

// A figure that the error does not show contradicts nothing.
function changed(before: number | string | undefined, now: unknown): boolean {
  return before !== undefined && now !== undefined && now !== null && now !== before;
}

function judgeOrderReply({ proof, status, value, earliest }: OwnReply): Answer {
  if (valueAt(value, ['object']) !== 'order')
    return { says: 'nothing', why: `HTTP ${status}, a body that is not an order` };
  const stranger = notThisOrder(proof, value);
  if (stranger !== undefined)
    return { says: 'contradiction', why: `HTTP ${status}, an order, but ${stranger}` };
  const evidence = judgeRead(proof, value, unclaimed, earliest);
  if (evidence.shows === 'unreadable')
    return { says: 'nothing', why: `HTTP ${status}, an order, but ${evidence.problem}` };
  if (valueAt(value, ['livemode']) !== proof.livemode) {
    return { says: 'nothing', why: `HTTP ${status}, an order that does not show its livemode` };
  }
  if (evidence.shows === 'disagreement')
    return { says: 'contradiction', why: `HTTP ${status}, an order, but ${evidence.problem}` };
  if (evidence.shows === 'failed') return { says: 'failed', evidence };
  if (evidence.shows === 'expected') {
    if (evidence.contradicts !== undefined)
      return { says: 'contradiction', why: `HTTP ${status}, an order that shows ${evidence.contradicts}` };
    if (!evidence.others) return { says: 'applied', refunds: evidence.refunds };
  }
  // For a capture, only one case is left: the order still has its old status.
  if (proof.kind === 'capture')
    return { says: 'contradiction', why: `HTTP ${status}, an order that is still ${statuses.preAuthorized}` };
  const missing = evidence.shows === 'nothing' || evidence.shows === 'partial';
  return {
    says: 'contradiction',
    why: `HTTP ${status}, an order that shows ${missing ? 'less' : 'more'} than was asked for`,
  };
}

function judgeNewOrder({ proof, status, value }: OwnReply): Answer {
  if (isOfOtherMode(proof, value)) return { says: 'contradiction', why: otherMode(status, 'an order') };
  if (valueAt(value, ['object']) !== 'order' || typeof valueAt(value, ['id']) !== 'string')
    return { says: 'nothing', why: `HTTP ${status}, a body that is not an order` };
  return { says: 'applied', refunds: [], ...madeIn(value) };
}

// The reply is not documented (service: Endpoints 5), so any object will do.
function judgeNewCheckout(reply: OwnReply): Answer {
  const answer = judgeAnyObject(reply);
  return answer.says === 'applied' ? { ...answer, ...madeIn(reply.value) } : answer;
}

// The reply to these requests is not documented (service: Endpoints 4 to 6), so any object will do.
function judgeAnyObject({ proof, status, value }: OwnReply): Answer {
  if (isOfOtherMode(proof, value)) return { says: 'contradiction', why: otherMode(status, 'an object') };
  return isObject(value)
    ? { says: 'applied', refunds: [] }
    : { says: 'nothing', why: `HTTP ${status}, a body that is not an object` };
}

function isOfOtherMode(proof: Proof, value: unknown): boolean {
  return valueAt(value, ['livemode']) === !proof.livemode;
}

function otherMode(status: number, what: string): string {
  return `HTTP ${status}, ${what}, but its livemode says the other mode`;
}
