/**
 * The facts of the service's document: words, ids, versions, paths, error codes, and how to look into its JSON. The forms of
 * its bodies are in request-bodies.ts and records.ts.
 */

/** A JSON object that the service sends or receives: fields by name, any value. */
export type JsonObject = { readonly [key: string]: unknown };

// ── Enumerations ────────────────────────────────────────────────────────────────────────────────

/** What a refund reason is called: in words for people, with a warning where one is due. */
export interface ReasonWords {
  readonly words: string;
  readonly warning?: string;
}

/** Reasons of a refund, wire value → words (service: Endpoints 1). One more line here is one more reason everywhere. */
export const refundReasons = {
  requested_by_client: { words: 'the buyer asked for it' },
  cannot_be_fulfilled: { words: 'the order cannot be fulfilled' },
  duplicated_transaction: { words: 'the buyer was charged twice' },
  suspected_fraud: {
    words: 'fraud is suspected',
    warning: 'paydesk cannot see disputes: a refund and a chargeback together pay twice',
  },
  other: { words: 'another reason' },
} as const satisfies Readonly<Record<string, ReasonWords>>;
export type RefundReason = keyof typeof refundReasons;
/** The wire values of the reasons, in the order people are offered them. */
export const refundReasonValues = Object.keys(refundReasons) as [RefundReason, ...RefundReason[]];

/** States seen on orders and charges (service: States and transitions). An open set: others pass through. */
export const statuses = {
  preAuthorized: 'pre_authorized',
  paid: 'paid',
  refunded: 'refunded',
  // Assumed: the state after a partial refund; the document shows none.
  partiallyRefunded: 'partially_refunded',
} as const;

/** Statuses of a refund record that did not move money (lower case). */
// Assumed: the document shows no status of a refund; other words, `pending` too, say nothing against it.
export const failedWords: readonly string[] = [
  'failed',
  'declined',
  'rejected',
  'cancelled',
  'canceled',
  'voided',
  'reversed',
  'error',
];

/** Ways to pay that a checkout may offer (service: Endpoints 4). */
export const paymentMethodValues = ['cash', 'card', 'bank_transfer'] as const;

/** The kind of checkout that has a page of its own (service: Endpoints 4). */
export const hostedPayment = 'HostedPayment';
/** Kinds of checkout inside an order (service: Endpoints 4). */
export const checkoutTypes = ['Integration', hostedPayment] as const;
/** The kind of checkout that belongs to no order (service: Endpoints 5). */
export const paymentLinkType = 'PaymentLink';

/** What a key is for: practice or real money (service: Authentication 5). */
export const modes = ['sandbox', 'production'] as const;
export type Mode = (typeof modes)[number];
/** `livemode` of a mode's records (service: Authentication 5). */
export const livemodeOf: Readonly<Record<Mode, boolean>> = { sandbox: false, production: true };

/** Whether a record is of the other mode than its profile says: then so is the key (service: Authentication 5). */
// Assumed: a record that does not show its livemode contradicts nothing.
export function contradictsMode(record: JsonObject, mode: Mode): boolean {
  return record.livemode === !livemodeOf[mode];
}

/** Ways to send the key (service: Authentication 3 and 4). */
export const authSchemes = ['bearer', 'basic'] as const;
export type AuthScheme = (typeof authSchemes)[number];
/** The way to send the key unless a profile says otherwise. */
export const defaultAuth = 'bearer' satisfies AuthScheme;
/** What a key is made of: what a header can carry, visible ASCII. */
export const keyPattern = /^[\x21-\x7e]+$/;
// Assumed: no key is shorter; one that is a word could not be told from what people type and print.
export const shortestKey = 8;

// ── Versioning and headers ──────────────────────────────────────────────────────────────────────

/** Versions that occur (service: Versioning 2). Any X.Y.Z is sent. */
export const apiVersions = ['2.0.0', '2.1.0', '2.3.0'] as const;
/** The version that is asked for unless a profile says otherwise. */
export const defaultApiVersion = '2.3.0';
/** The vendor segment of the media type unless a profile says otherwise. */
export const defaultVendor = 'service';
/** `X.Y.Z`, of figures only: it goes into a header. */
export const apiVersionPattern = /^\d{1,4}\.\d{1,4}\.\d{1,4}$/;
/** A vendor segment that is safe in a header. */
export const vendorPattern = /^[a-z0-9][a-z0-9_-]{0,62}$/i;
/** `es`, `es-MX`: what Accept-Language takes (service: Authentication 7). */
export const langPattern = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,8}$/;

/** The vendor media type that selects a version (service: Versioning 1). */
export function mediaType(vendor: string, version: string): string {
  return `application/vnd.${vendor}-v${version}+json`;
}

// ── Ids and amounts ─────────────────────────────────────────────────────────────────────────────

/** Matches ids of orders; rejects every character that could change a path. */
export const orderIdPattern = /^ord_[A-Za-z0-9]{1,64}$/;
/** Matches ids of customers; rejects every character that could change a path. */
export const customerIdPattern = /^cus_[A-Za-z0-9]{1,64}$/;
/** Ids of charges: no form of them is documented, so only what could change a path or a line is refused. */
export const chargeIdPattern = /^[^\s/?#%\p{C}]{1,255}$/u;

/** A currency code such as MXN, in small letters too. */
export const currencyPattern = /^[A-Za-z]{3}$/;

const amountPattern = /^[1-9][0-9]{0,15}$/;

/** Reads an amount as typed: the service's integer, 1 to 2^53-1; undefined when it is anything else. */
export function parseAmount(text: string): number | undefined {
  const value = amountPattern.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** The last moment a checkout can expire: a 32-bit Unix timestamp in seconds (service: Limits 2). */
export const lastExpiry = 2 ** 31 - 1;
/** What is wrong with a time beyond 32 bits; milliseconds are the usual mistake. */
export function tooLateWords(time: number): string {
  return time >= 1e11
    ? `looks like milliseconds: it is Unix seconds, ${Math.floor(time / 1000)}`
    : `after ${lastExpiry}, the end of 32-bit Unix seconds`;
}

// ── Error codes ─────────────────────────────────────────────────────────────────────────────────

/** The documented pairs of type and code (service: Errors); codes as they follow `<brand>.errors.`. */
export const documentedErrors = {
  /** A full refund was asked for and a charge of the order is not refundable. No `data`. */
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

/** A code without its brand: what follows `.errors.`, since the first segment is a brand word. */
export function codeWithoutBrand(code: string): string {
  const at = code.indexOf('.errors.');
  return at === -1 ? code : code.slice(at + '.errors.'.length);
}

/** The fields that say which error it is; an error body and a CliError both have them. */
interface Coded {
  readonly type?: string | undefined;
  readonly details?: readonly { readonly code?: string | undefined }[] | undefined;
}

/** Which documented error it is, by type and the code of any detail together; undefined when it is none of them. */
export function documentedErrorOf({ type, details = [] }: Coded): DocumentedError | undefined {
  const codes = details.map(({ code = '' }) => codeWithoutBrand(code));
  const found = Object.entries(documentedErrors).find(
    ([, pair]) => pair.type === type && codes.includes(pair.code),
  );
  return found?.[0] as DocumentedError | undefined;
}

/** Whether a status refuses the key. */
// Assumed: 401 and 403 are about the key; the document shows no status.
export function isKeyRefusal(status: number | undefined): boolean {
  return status === 401 || status === 403;
}

// ── Endpoints ───────────────────────────────────────────────────────────────────────────────────

/** Paths relative to the base URL, without a leading slash; every id is one encoded segment (service: Endpoints). */
export const paths = {
  orders: 'orders',
  customers: 'customers',
  refunds: (orderId: string) => `orders/${encodeURIComponent(orderId)}/refunds`,
  capture: (orderId: string) => `orders/${encodeURIComponent(orderId)}/capture`,
  orderCharges: (orderId: string) => `orders/${encodeURIComponent(orderId)}/charges`,
  charges: 'charges',
  // Assumed: the document shows no path of checkout creation; a profile may set another.
  checkouts: 'checkouts',
} as const;

/** Methods that occur (service: Authentication 8). */
export const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
export type Method = (typeof methods)[number];

// ── JSON ─────────────────────────────────────────────────────────────────────────────────────────

/** An object, as JSON means it: no array, no null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of own keys; undefined when anything on the way is missing. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  let value: unknown = record;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The id of a record; undefined when it has none. */
export function idOf(record: { readonly value: JsonObject } | undefined): string | undefined {
  const id = valueAt(record?.value, ['id']);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The items of a nested list, or none. */
export function itemsOf(list: unknown): readonly JsonObject[] {
  const data = valueAt(list, ['data']);
  return Array.isArray(data) ? data.filter(isObject) : [];
}

/** All the items of a nested list, or that it does not show them: `the charges are not all shown`. */
export type CompleteItems = { readonly items: readonly unknown[] } | { readonly problem: string };

/** The items of a nested list that shows all of them (service: List envelope). `what`: `the charges`. */
export function completeItems(list: unknown, what: string): CompleteItems {
  const data = valueAt(list, ['data']);
  if (!isObject(list) || !Array.isArray(data)) return { problem: `${what} are not shown` };
  // A `has_more` or `total` of another type is not understood, so it proves nothing.
  const whole = (list.has_more ?? false) === false && (list.total ?? data.length) === data.length;
  return !whole ? { problem: `${what} are not all shown` } : { items: data };
}
