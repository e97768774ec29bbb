/**
 * The facts in the service's document: words, ids, versions, paths and error codes. The forms of bodies are in request-bodies.ts
 * and records.ts.
 */

import { exactly, itemsOf, type JsonObject } from './json-values.ts';

// ── Enumerations ────────────────────────────────────────────────────────────────────────────────

/** A refund reason in words for people, and a warning if it needs one. */
export interface ReasonWords {
  readonly words: string;
  /** What people type who mean it. It is suggested, never taken. */
  readonly also?: readonly string[];
  readonly warning?: string;
  /** The buyer paid twice: no reason to refund this order if its twin was already refunded. */
  readonly oneOfTwins?: true;
}

/** A new line here is a new reason everywhere (service: Endpoints 1). */
export const refundReasons = {
  requested_by_client: {
    words: 'the buyer asked for it',
    also: ['customer asked', 'customer request', 'customer', 'buyer', 'cliente', 'comprador'],
  },
  cannot_be_fulfilled: {
    words: 'the order cannot be fulfilled',
    also: ['out of stock', 'agotado', 'sin existencias'],
  },
  duplicated_transaction: {
    words: 'the buyer was charged twice',
    also: ['charged twice', 'paid twice', 'duplicate', 'duplicado', 'doble'],
    oneOfTwins: true,
  },
  suspected_fraud: {
    words: 'fraud is suspected',
    also: ['fraud', 'fraude', 'estafa'],
    warning: 'paydesk cannot see disputes: a refund and a chargeback together pay twice',
  },
  other: { words: 'another reason', also: ['otro', 'otra', 'outro'] },
} as const satisfies Readonly<Record<string, ReasonWords>>;
export type RefundReason = keyof typeof refundReasons;
/** The reasons as sent, in the order of choices. */
export const refundReasonValues = Object.keys(refundReasons) as [RefundReason, ...RefundReason[]];

/** The service may send others too (service: States and transitions). */
export const statuses = {
  preAuthorized: 'pre_authorized',
  paid: 'paid',
  refunded: 'refunded',
  // Assumed: the status after a partial refund. The document shows none.
  partiallyRefunded: 'partially_refunded',
} as const;

/** For an order without payment_status, in sums and in `--status`. */
export const noStatus = 'none';

/** What the status of an order or charge says about its money: it came in, is awaited, went back, or never came. */
export type StatusMeaning = 'in' | 'awaited' | 'back' | 'none';

/** The statuses that are known, with their meaning. */
// Assumed: the document shows pre_authorized, paid and refunded. The others were seen at services of this family.
export const statusMeanings: Readonly<Record<string, StatusMeaning>> = {
  [statuses.paid]: 'in',
  [statuses.preAuthorized]: 'awaited',
  [statuses.refunded]: 'back',
  [statuses.partiallyRefunded]: 'back',
  pending_payment: 'awaited',
  partially_paid: 'awaited',
  charged_back: 'back',
  declined: 'none',
  expired: 'none',
  canceled: 'none',
  voided: 'none',
};

/** Short words for narrow tables. Cutting to `partial…` would not tell two statuses apart. */
export const shortStatuses: ReadonlyMap<string, string> = new Map([
  [statuses.preAuthorized, 'pre_auth'],
  [statuses.partiallyRefunded, 'part_ref'],
  ['partially_paid', 'part_pay'],
  ['pending_payment', 'pend_pay'],
]);

/** What a status says about the money; undefined if it is unknown or missing. */
export function meaningOfStatus(status: unknown): StatusMeaning | undefined {
  return typeof status === 'string' && Object.hasOwn(statusMeanings, status)
    ? statusMeanings[status]
    : undefined;
}

/** What the status of a refund record says; `unconfirmed`: the word is unknown. */
export type RefundMeaning = 'made' | 'pending' | 'failed' | 'unconfirmed';

// Assumed: the document shows no status of a refund. These words, in lower case, were seen at services of this family.
const refundWords = {
  made: [
    'succeeded',
    'success',
    'successful',
    'completed',
    'complete',
    'processed',
    'approved',
    'refunded',
    'paid',
    'settled',
  ],
  pending: [
    'pending',
    'processing',
    'in_progress',
    'in_process',
    'submitted',
    'requested',
    'queued',
    'created',
  ],
  failed: [
    'failed',
    'failure',
    'declined',
    'rejected',
    'cancelled',
    'canceled',
    'voided',
    'reversed',
    'error',
  ],
} as const satisfies Partial<Record<RefundMeaning, readonly string[]>>;

/** A refund record without a status is made (service: refund). */
export function meaningOfRefund(status: unknown): RefundMeaning {
  if (typeof status !== 'string') return 'made';
  const says = (words: readonly string[]) => words.includes(status.toLowerCase());
  if (says(refundWords.made)) return 'made';
  if (says(refundWords.pending)) return 'pending';
  return says(refundWords.failed) ? 'failed' : 'unconfirmed';
}

/** Ways to pay in a checkout (service: Endpoints 4). */
export const paymentMethodValues = ['cash', 'card', 'bank_transfer'] as const;

/** The kind of checkout with its own page (service: Endpoints 4). */
export const hostedPayment = 'HostedPayment';
/** The spellings of a payment link's expiry (service: Endpoints 4 and 5). */
export const expiryFields = ['expired_at', 'expires_at'] as const;
/** Kinds of checkout inside an order (service: Endpoints 4). */
export const checkoutTypes = ['Integration', hostedPayment] as const;
/** The kind of checkout without an order (service: Endpoints 5). */
export const paymentLinkType = 'PaymentLink';

/** The mode of a key: for practice or for real money (service: Authentication 5). */
export const modes = ['sandbox', 'production'] as const;
export type Mode = (typeof modes)[number];
/** `livemode` of a mode's records (service: Authentication 5). */
export const livemodeOf: Readonly<Record<Mode, boolean>> = { sandbox: false, production: true };

/**
 * An order's mode, by its `livemode`; undefined if that is not a boolean, or if one of its charges disagrees. Then nobody can tell
 * whether real money moves (service: Authentication 5).
 */
export function modeOfOrder(order: JsonObject): Mode | undefined {
  const { livemode } = order;
  if (typeof livemode !== 'boolean' || otherChargeAt(order) >= 0) return undefined;
  return livemode ? 'production' : 'sandbox';
}

/** Why an order has no mode: `its livemode is not shown`. Only if `modeOfOrder` is undefined. */
export function noModeWords(order: JsonObject): string {
  const { livemode } = order;
  if (livemode === undefined || livemode === null) return 'its livemode is not shown';
  if (typeof livemode !== 'boolean') return `its livemode is ${shortJson(livemode)}`;
  const at = otherChargeAt(order);
  const other = itemsOf(order.charges)[at];
  return `its livemode is ${livemode}, and that of its charge ${at + 1} is ${shortJson(other?.livemode)}`;
}

function shortJson(value: unknown): string {
  return String(JSON.stringify(value, exactly)).slice(0, 40);
}

// Assumed: a charge without livemode contradicts nothing.
function otherChargeAt({ livemode, charges }: JsonObject): number {
  return itemsOf(charges).findIndex((charge) => (charge.livemode ?? livemode) !== livemode);
}

/** Whether a record, and so the key, is not of the mode that the profile says (service: Authentication 5). */
// Assumed: a record without livemode contradicts nothing.
export function contradictsMode(record: JsonObject, mode: Mode): boolean {
  return record.livemode === !livemodeOf[mode];
}

/** Ways to send the key (service: Authentication 3 and 4). */
export const authSchemes = ['bearer', 'basic'] as const;
export type AuthScheme = (typeof authSchemes)[number];
/** The way to send the key unless a profile says otherwise. */
export const defaultAuth = 'bearer' satisfies AuthScheme;
/** Visible ASCII characters only, to fit into a header. */
export const keyPattern = /^[\x21-\x7e]+$/;
// Assumed: no key is shorter. A shorter one could be an ordinary word.
export const shortestKey = 8;

// ── Versioning and headers ──────────────────────────────────────────────────────────────────────

/** The versions in the document (service: Versioning 2). A profile may set any other X.Y.Z. */
export const apiVersions = ['2.0.0', '2.1.0', '2.3.0'] as const;
/** The default version. */
export const defaultApiVersion = '2.3.0';
/** The default vendor segment of the media type. */
export const defaultVendor = 'service';
/** `X.Y.Z`, digits only, because it goes into a header. */
export const apiVersionPattern = /^\d{1,4}\.\d{1,4}\.\d{1,4}$/;
/** Vendor segments that are safe in a header. */
export const vendorPattern = /^[a-z0-9][a-z0-9_-]{0,62}$/i;
/** Languages for Accept-Language, such as `es` and `es-MX` (service: Authentication 7). */
export const langPattern = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,8}$/;

/** The vendor media type that selects a version (service: Versioning 1). */
export function mediaType(vendor: string, version: string): string {
  return `application/vnd.${vendor}-v${version}+json`;
}

// ── Ids and amounts ─────────────────────────────────────────────────────────────────────────────

/** Rejects every character that could change a path. */
export const orderIdPattern = /^ord_[A-Za-z0-9]{1,64}$/;
/** Rejects every character that could change a path. */
export const customerIdPattern = /^cus_[A-Za-z0-9]{1,64}$/;
/** The document shows no form of charge ids, so only characters that could change a path or a line are rejected. */
export const chargeIdPattern = /^[^\s/?#%\p{C}]{1,255}$/u;

export const currencyPattern = /^[A-Za-z]{3}$/;

const amountPattern = /^[1-9][0-9]{0,15}$/;

/** Reads a typed amount: a whole number from 1 to 2^53-1. Undefined for other texts. */
export function parseAmount(text: string): number | undefined {
  const value = amountPattern.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

const endOfYear9999 = 253_402_300_800;
/**
 * Whether this is a possible time of the service: whole Unix seconds between 1970 and 9999 (service: order). Milliseconds and
 * microseconds are not, and nothing is guessed.
 */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < endOfYear9999;
}

/** 24 hours. A calendar day of a zone may be an hour longer or shorter. */
export const dayMs = 24 * 60 * 60_000;

/** A time of ours (Unix milliseconds) as the service writes times (Unix seconds); undefined if there is none. */
export function secondsOf(ms: number): number;
export function secondsOf(ms: number | null | undefined): number | undefined;
export function secondsOf(ms: number | null | undefined): number | undefined {
  return typeof ms === 'number' ? Math.floor(ms / 1000) : undefined;
}

/** From `since` on, and before `until`; Unix milliseconds. */
export interface TimeRange {
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** Whether a time from the service (Unix seconds) is within a range. */
export function isWithin({ since, until }: TimeRange, seconds: number): boolean {
  const ms = seconds * 1000;
  return (since === undefined || ms >= since) && (until === undefined || ms < until);
}

/** The latest expiry of a checkout: a 32-bit Unix time in seconds (service: Limits 2). */
export const lastExpiry = 2 ** 31 - 1;
/** What is wrong with a time beyond 32 bits. Usually it is in milliseconds. */
export function tooLateWords(time: number): string {
  return time >= 1e11
    ? `looks like milliseconds; in Unix seconds it is ${Math.floor(time / 1000)}`
    : `too late: the service takes Unix seconds up to ${lastExpiry}`;
}

// ── Error codes ─────────────────────────────────────────────────────────────────────────────────

/** The documented errors (service: Errors), without the leading `<brand>.errors.`. */
export const documentedErrors = {
  /** A full refund of an order with a charge that is not refundable. No `data`. */
  notReturnable: {
    type: 'precondition_required_error',
    code: 'precondition_required.combo.order.is_not_returnable',
  },
  /** `amount` below the total on a split order, without `charge_id`. `data` holds the order. */
  chargeIdRequired: {
    type: 'processing_error',
    code: 'processing.charge_operations.refund.split_payment.charge_id_is_required',
  },
} as const;
export type DocumentedError = keyof typeof documentedErrors;

/** The part of a code after `<brand>.errors.`. */
export function codeWithoutBrand(code: string): string {
  const at = code.indexOf('.errors.');
  return at === -1 ? code : code.slice(at + '.errors.'.length);
}

/** The fields that identify an error, both in an error body and a CliError. */
interface Coded {
  readonly type?: string | undefined;
  readonly details?: readonly { readonly code?: string | undefined }[] | undefined;
}

/** The documented error with this type and one of these codes, if any. */
export function documentedErrorOf({ type, details = [] }: Coded): DocumentedError | undefined {
  const codes = details.map(({ code = '' }) => codeWithoutBrand(code));
  const found = Object.entries(documentedErrors).find(
    ([, pair]) => pair.type === type && codes.includes(pair.code),
  );
  return found?.[0] as DocumentedError | undefined;
}

/** Whether this status means that the service does not accept the key. */
// Assumed: 401 and 403 are about the key. The document shows no status.
export function isKeyRefusal(status: number | undefined): boolean {
  return status === 401 || status === 403;
}

// ── Endpoints ───────────────────────────────────────────────────────────────────────────────────

/** Relative to the base URL, without a leading slash. Every id is one encoded segment (service: Endpoints). */
export const paths = {
  orders: 'orders',
  customers: 'customers',
  refunds: (orderId: string) => `orders/${encodeURIComponent(orderId)}/refunds`,
  capture: (orderId: string) => `orders/${encodeURIComponent(orderId)}/capture`,
  charges: 'charges',
  // Assumed: the document shows no path for new checkouts. A profile may set one.
  checkouts: 'checkouts',
} as const;

/** The methods in use (service: Authentication 8). */
export const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
export type Method = (typeof methods)[number];
