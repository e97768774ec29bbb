/** The service, once: every resource with its columns, field, reason and status, endpoint, header and error of its document. */

import * as v from 'valibot';
import type { CliErrorParts } from '../errors.ts';

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

// ── Requests: strict, closed sets ───────────────────────────────────────────────────────────────

const text = v.pipe(v.string('not a text'), v.minLength(1, 'empty'));
const note = v.string('not a text');
const yesOrNo = v.boolean('not true or false');
const safeAmount = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const wholeNumber = (min: number) => {
  const words = `not a whole number of ${min} or more`;
  return v.pipe(v.number(words), v.safeInteger(words), v.minValue(min, words));
};
const listOf = <const T extends v.GenericSchema>(item: T) => v.array(item, 'not a list');
const customerId = v.pipe(note, v.regex(customerIdPattern, 'not the id of a customer, cus_…'));
const currencyCode = v.pipe(note, v.regex(currencyPattern, 'not a currency code such as MXN'));
const payBy = v.picklist(paymentMethodValues, `not one of ${paymentMethodValues.join(', ')}`);
const months = listOf(wholeNumber(1));
const pageUrl = v.pipe(note, v.url('not a URL'));

/** The last moment a checkout can expire: a 32-bit Unix timestamp in seconds (service: Limits 2). */
export const lastExpiry = 2 ** 31 - 1;
const notSeconds = 'not a time in whole Unix seconds';
const expiry = v.pipe(
  v.number(notSeconds),
  v.integer(notSeconds),
  v.minValue(1, notSeconds),
  v.maxValue(lastExpiry, ({ input }) => tooLateWords(input)),
);

/** What is wrong with a time beyond 32 bits; milliseconds are the usual mistake. */
export function tooLateWords(time: number): string {
  return time >= 1e11
    ? `looks like milliseconds: it is Unix seconds, ${Math.floor(time / 1000)}`
    : `after ${lastExpiry}, the end of 32-bit Unix seconds`;
}

/** Body of a refund (service: Endpoints 1). Whole order: at most `reason`. `amount` only with `charge_id` (rule 4). */
export const refundRequest = v.pipe(
  v.strictObject({
    reason: v.optional(v.picklist(refundReasonValues)),
    charge_id: v.optional(v.pipe(v.string(), v.regex(chargeIdPattern))),
    amount: v.optional(safeAmount),
  }),
  v.check((body) => body.amount === undefined || body.charge_id !== undefined, 'amount needs charge_id'),
);
export type RefundRequest = v.InferOutput<typeof refundRequest>;

const notObject = 'not an object';
const anyObject = v.custom<JsonObject>(isObject, notObject);
// With one, a field named constructor would pass as a known one.
const withoutPrototype = <const E extends object>(entries: E): E =>
  Object.setPrototypeOf({ ...entries }, null);
// A list has keys too, so the check for an object comes first.
const closed = <const E extends v.ObjectEntries>(entries: E) =>
  v.pipe(anyObject, v.strictObject(withoutPrototype(entries), notObject));
const itemBasics = { name: text, unit_price: wholeNumber(0), quantity: wholeNumber(1) };

const lineItemRequest = closed({
  ...itemBasics,
  description: v.optional(note),
  sku: v.optional(note),
  category: v.optional(note),
  tags: v.optional(listOf(note)),
});

const hostedOnly = `applies to ${hostedPayment} only`;

const checkoutRequest = v.pipe(
  closed({
    name: v.optional(text),
    type: v.picklist(checkoutTypes, `not one of ${checkoutTypes.join(', ')}`),
    success_url: v.optional(pageUrl),
    failure_url: v.optional(pageUrl),
    expires_at: v.optional(expiry),
    allowed_payment_methods: v.optional(listOf(payBy)),
    needs_shipping_contact: v.optional(yesOrNo),
    monthly_installments_enabled: v.optional(yesOrNo),
    monthly_installments_options: v.optional(months),
    on_demand_enabled: v.optional(yesOrNo),
    planId: v.optional(text),
  }),
  // Only a HostedPayment has pages to come back to (service: Endpoints 4).
  v.forward(
    v.partialCheck(
      [['type'], ['success_url']],
      (checkout) => checkout.type === hostedPayment || checkout.success_url === undefined,
      hostedOnly,
    ),
    ['success_url'],
  ),
  v.forward(
    v.partialCheck(
      [['type'], ['failure_url']],
      (checkout) => checkout.type === hostedPayment || checkout.failure_url === undefined,
      hostedOnly,
    ),
    ['failure_url'],
  ),
);

/** Body of an order with checkout options (service: Endpoints 4). */
export const orderRequest = closed({
  currency: currencyCode,
  customer_info: v.optional(closed({ customer_id: customerId })),
  line_items: v.pipe(listOf(lineItemRequest), v.minLength(1, 'empty: an order has an item')),
  shipping_lines: v.optional(listOf(closed({ amount: wholeNumber(0) }))),
  shipping_contact: v.optional(
    closed({
      phone: v.optional(text),
      receiver: v.optional(text),
      address: closed({ street1: text, country: text, postal_code: text }),
    }),
  ),
  metadata: v.optional(anyObject),
  checkout: v.optional(checkoutRequest),
});
export type OrderRequest = v.InferOutput<typeof orderRequest>;

/** Body of a payment link (service: Endpoints 5). */
export const checkoutCreateRequest = closed({
  name: text,
  type: v.literal(paymentLinkType, `not ${paymentLinkType}`),
  recurrent: v.optional(yesOrNo),
  expired_at: v.optional(expiry),
  allowed_payment_methods: v.optional(listOf(payBy)),
  needs_shipping_contact: v.optional(yesOrNo),
  monthly_installments_enabled: v.optional(yesOrNo),
  monthly_installments_options: v.optional(months),
  plan_id: v.optional(text),
  order_template: closed({
    line_items: v.pipe(listOf(closed(itemBasics)), v.minLength(1, 'empty: a payment link has an item')),
    currency: currencyCode,
    customer_info: v.optional(
      closed({
        customer_id: v.optional(customerId),
        name: v.optional(text),
        email: v.optional(text),
        phone: v.optional(text),
      }),
    ),
  }),
});
export type CheckoutCreateRequest = v.InferOutput<typeof checkoutCreateRequest>;

/** One fault of a request body; `param` is its place, `line_items[0][name]`, null for the body as a whole. */
export interface BodyFault {
  readonly kind: 'missing' | 'unknown' | 'invalid';
  readonly param: string | null;
  readonly message: string;
}

/** A schema of a request body, and the body that it lets through. */
export type RequestSchema = v.GenericSchema;
export type RequestOf<T extends RequestSchema> = v.InferOutput<T>;

/** Checks a request body against its schema: the body as it may be sent, or every fault of it. */
export function checkRequest<const T extends RequestSchema>(
  schema: T,
  value: unknown,
): { readonly body: RequestOf<T> } | { readonly faults: readonly BodyFault[] } {
  const result = v.safeParse(schema, value);
  if (result.success) return { body: result.output };
  return { faults: allIssues(schema, value, result.issues).map(faultOf) };
}

type Issue = v.BaseIssue<unknown>;

// An object's schema names only its first unknown field: they are taken away one by one, until none is left.
function allIssues(schema: v.GenericSchema, value: unknown, first: readonly Issue[]): readonly Issue[] {
  const rest: unknown = structuredClone(value);
  const unknown: Issue[] = [];
  let issues = first;
  for (;;) {
    const found = issues.filter(({ expected }) => expected === 'never');
    if (found.length === 0) break;
    unknown.push(...found);
    for (const issue of found) removeAt(rest, keysOf(issue));
    issues = v.safeParse(schema, rest).issues ?? [];
  }
  const all = [...issues, ...unknown];
  const names = all.map((issue) => `${paramOf(issue) ?? ''} ${issue.message}`);
  return all.filter((_, index) => names.indexOf(names[index] ?? '') === index);
}

function keysOf(issue: Issue): readonly string[] {
  return (issue.path ?? []).map(({ key }) => String(key));
}

function removeAt(value: unknown, [key, ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null || key === undefined) return;
  if (rest.length === 0) Reflect.deleteProperty(value, key);
  else removeAt(Reflect.get(value, key), rest);
}

function paramOf(issue: Issue): string | null {
  const [first, ...rest] = keysOf(issue);
  return first === undefined ? null : [first, ...rest.map((key) => `[${key}]`)].join('');
}

function faultOf(issue: Issue): BodyFault {
  const param = paramOf(issue);
  if (issue.expected === 'never')
    return { kind: 'unknown', param, message: unknownWords(keysOf(issue).at(-1)) };
  if (issue.received === 'undefined') return { kind: 'missing', param, message: 'missing' };
  return { kind: 'invalid', param, message: issue.message };
}

// Names that the document writes in two ways (service: Endpoints 4 and 5).
const otherSpellings: Readonly<Record<string, string>> = {
  plan_id: 'planId',
  planId: 'plan_id',
  expired_at: 'expires_at',
  expires_at: 'expired_at',
};

function unknownWords(name = ''): string {
  const other = Object.hasOwn(otherSpellings, name) ? otherSpellings[name] : undefined;
  return `not a documented field${other === undefined ? '' : `: here it is ${other}`}`;
}

// ── Replies: lenient. A field that is missing, null or of another type reads as absent; unknown fields stay. ──

// Every field goes through this, so that one wrong field does not make the whole record unreadable.
const seen = <const T extends v.GenericSchema>(schema: T) =>
  v.fallback(v.optional(schema), undefined as v.InferOutput<T> | undefined);
const seenText = seen(v.string());
const seenFlag = seen(v.boolean());
const seenNumber = seen(v.number());
const seenMap = seen(v.looseObject({}));

// A nested list (service: List envelope). One bad item does not hide the others.
const nested = <const T extends v.GenericSchema>(item: T) =>
  seen(v.looseObject({ has_more: seenFlag, total: seenNumber, data: seen(v.array(item)) }));

/** A refund record; its amount is negative (service: refund). */
export const refund = v.looseObject({
  id: seenText,
  object: seenText,
  amount: seenNumber,
  created_at: seenNumber,
  auth_code: seenText,
});
export type Refund = v.InferOutput<typeof refund>;

/** How a charge was paid (service: payment_method). */
export const paymentMethod = v.looseObject({
  object: seenText,
  type: seenText,
  name: seenText,
  exp_month: seenText,
  exp_year: seenText,
  auth_code: seenText,
  last4: seenText,
  brand: seenText,
  issuer: seenText,
  account_type: seenText,
  country: seenText,
  antifraud_flag: seenText,
});

/** One payment attempt against an order (service: charge). */
export const charge = v.looseObject({
  id: seenText,
  object: seenText,
  livemode: seenFlag,
  created_at: seenNumber,
  paid_at: seenNumber,
  currency: seenText,
  amount: seenNumber,
  fee: seenNumber,
  status: seenText,
  is_refundable: seenFlag,
  description: seenText,
  reference_id: seenText,
  customer_id: seenText,
  order_id: seenText,
  failure_code: seenText,
  failure_message: seenText,
  monthly_installments: seenNumber,
  device_fingerprint: seenText,
  channel: seen(v.unknown()),
  payment_method: seen(paymentMethod),
  refunds: nested(refund),
});

/** A line of an order (service: line_item). */
export const lineItem = v.looseObject({
  id: seenText,
  object: seenText,
  parent_id: seenText,
  name: seenText,
  description: seenText,
  unit_price: seenNumber,
  quantity: seenNumber,
  sku: seenText,
  brand: seenText,
  type: seenText,
  metadata: seenMap,
  antifraud_info: seenMap,
});

/** Who buys (service: customer_info). */
export const customerInfo = v.looseObject({
  customer_id: seenText,
  name: seenText,
  email: seenText,
  phone: seenText,
  corporate: seenFlag,
  antifraud_info: seenMap,
});

/** Where an order goes, or who is invoiced (service: shipping_contact, fiscal_entity). */
export const contact = v.looseObject({ id: seenText, created_at: seenNumber, address: seenMap });

/** An order (service: order). Only its id is needed for a record to be one. */
export const order = v.looseObject({
  id: v.string(),
  object: seenText,
  livemode: seenFlag,
  amount: seenNumber,
  amount_refunded: seenNumber,
  currency: seenText,
  payment_status: seenText,
  split_payment: seenFlag,
  is_refundable: seenFlag,
  customer_info: seen(customerInfo),
  shipping_contact: seen(contact),
  fiscal_entity: seen(contact),
  channel: seen(v.unknown()),
  metadata: seenMap,
  created_at: seenNumber,
  updated_at: seenNumber,
  line_items: nested(lineItem),
  shipping_lines: seen(v.unknown()),
  tax_lines: seen(v.unknown()),
  discount_lines: seen(v.unknown()),
  charges: nested(charge),
});
export type Order = v.InferOutput<typeof order>;

/** A way to pay kept for a customer (service: payment_source). */
export const paymentSource = v.looseObject({
  id: seenText,
  object: seenText,
  type: seenText,
  reference: seenText,
  created_at: seenNumber,
  parent_id: seenText,
});

/** A customer as listed (service: customer). */
export const customer = v.looseObject({
  id: v.string(),
  object: seenText,
  livemode: seenFlag,
  name: seenText,
  email: seenText,
  phone: seenText,
  corporate: seenFlag,
  custom_reference: seenText,
  created_at: seenNumber,
  payment_sources: nested(paymentSource),
});
export type Customer = v.InferOutput<typeof customer>;

/** An error body (service: Errors). `object` alone makes it one; everything else may be missing. */
export const errorBody = v.looseObject({
  object: v.literal('error'),
  type: seenText,
  log_id: seenText,
  details: seen(
    v.array(v.looseObject({ debug_message: seenText, message: seenText, param: seenText, code: seenText })),
  ),
  data: seen(v.unknown()),
});
export type ErrorBody = v.InferOutput<typeof errorBody>;

/** Reads an order out of a parsed reply; undefined when it is not an object with an id. */
export function readOrder(value: unknown): Order | undefined {
  const result = v.safeParse(order, value);
  return result.success ? result.output : undefined;
}

/** Reads a customer out of a parsed reply; undefined when it is not an object with an id. */
export function readCustomer(value: unknown): Customer | undefined {
  const result = v.safeParse(customer, value);
  return result.success ? result.output : undefined;
}

/** Reads an error body out of a parsed reply; undefined when it is not an error body. */
export function readErrorBody(value: unknown): ErrorBody | undefined {
  const result = v.safeParse(errorBody, value);
  return result.success ? result.output : undefined;
}

// Fields that records are counted by, without leniency: what is there must be as documented, or null. Closed objects,
// since they are checked only, never read from, and copying unknown fields would cost more than all of the check.
const nullable = <const T extends v.GenericSchema>(schema: T) => v.nullish(schema);
const listed = (entries: v.ObjectEntries) =>
  nullable(v.object({ has_more: nullable(v.boolean()), data: nullable(v.array(v.object(entries))) }));
const wholeOrBig = v.union([v.pipe(v.number(), v.integer()), v.bigint()]);
const counted = {
  id: v.pipe(v.string(), v.minLength(1)),
  livemode: nullable(v.boolean()),
  created_at: nullable(v.pipe(v.number(), v.integer())),
};
const countedMoney = {
  ...counted,
  amount: nullable(wholeOrBig),
  currency: nullable(v.string()),
};
const countedFields = {
  orders: v.object({
    ...countedMoney,
    object: nullable(v.literal('order')),
    amount_refunded: nullable(wholeOrBig),
    payment_status: nullable(v.string()),
    is_refundable: nullable(v.boolean()),
    charges: listed({
      ...countedMoney,
      status: nullable(v.string()),
      paid_at: nullable(v.pipe(v.number(), v.integer())),
      refunds: listed(countedMoney),
    }),
  }),
  customers: v.object({
    ...counted,
    object: nullable(v.literal('customer')),
    email: nullable(v.string()),
    name: nullable(v.string()),
  }),
} as const;

/** Whether a record shows what it is counted by as the document types it: id, money, times, states. */
export function isCountable(resource: ResourceName, record: JsonObject): boolean {
  return v.is(countedFields[resource], record);
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

/** An error body as the parts of a CliError: details, type, first code, `log_id`, order (service: Errors). */
export function errorParts(error: ErrorBody, httpStatus: number): CliErrorParts {
  const details = (error.details ?? []).map(({ message, debug_message, code, param }) => ({
    message,
    debugMessage: debug_message,
    code,
    param,
  }));
  return {
    type: error.type,
    code: details.find(({ code }) => code !== undefined)?.code,
    logId: error.log_id,
    httpStatus,
    details,
    data: error.data,
  };
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

// ── Listable resources and their columns ────────────────────────────────────────────────────────

/** How a value is shown: money carries its record's currency, times are Unix seconds on the wire. */
export type ValueKind = 'id' | 'text' | 'status' | 'money' | 'integer' | 'time' | 'flag' | 'card';

/** A column of a listed resource. `value` may return anything the service sent; rendering copes. */
export interface Column {
  /** The service's name of the field, dotted where nested; what `--columns` and the CSV header say. */
  readonly name: string;
  readonly title: string;
  readonly kind: ValueKind;
  readonly value: (record: JsonObject) => unknown;
  /** In the default table from this terminal width on; absent: only by `--columns`. */
  readonly tableFrom?: number;
  /** Stays when a terminal is too narrow for all columns, whatever its kind. */
  readonly stays?: true;
  /** Absent from CSV unless named; a derived column for people. */
  readonly derived?: true;
}

/** A column that shows a field, or `a.b` inside one; `tableFrom` as in `Column`. */
export function fieldColumn(name: string, title: string, kind: Column['kind'], tableFrom?: number): Column {
  const from = tableFrom === undefined ? {} : { tableFrom };
  return { name, title, kind, value: (record) => valueAt(record, name.split('.')), ...from };
}

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

function field(name: string, kind: ValueKind, more: Partial<Column> = {}): Column {
  return {
    name,
    title: name.toUpperCase(),
    kind,
    value: (record) => valueAt(record, name.split('.')),
    ...more,
  };
}

/** `*4242`, `split` where several charges paid, else the type of the payment (service: order, payment_method). */
function cardOf(record: JsonObject): unknown {
  const [first, second] = payingCharges(record);
  const { split_payment: said } = record;
  if (typeof said === 'boolean' ? said : second !== undefined) return 'split';
  const last4 = valueAt(first, ['payment_method', 'last4']);
  return typeof last4 === 'string' && last4 !== '' ? `*${last4}` : valueAt(first, ['payment_method', 'type']);
}

// Assumed: a charge in a state that the document does not show, such as a declined one, paid nothing. All of them where
// none paid, so that a card is seen.
function payingCharges(record: JsonObject): readonly JsonObject[] {
  const charges = itemsOf(record.charges);
  const known: readonly unknown[] = [...Object.values(statuses), undefined, null];
  const paying = charges.filter(({ status }) => known.includes(status));
  return paying.length > 0 ? paying : charges;
}

/** What was refunded as people read it: negative, absent when nothing was. */
function refundedOf(record: JsonObject): unknown {
  const amount = record.amount_refunded;
  return typeof amount === 'number' ? (amount === 0 ? undefined : -amount) : amount;
}

/** Columns of orders, in the order they are printed in; `tableFrom` says which of them a table shows. */
export const orderColumns: readonly Column[] = [
  field('id', 'id', { title: 'ID', tableFrom: 0 }),
  field('created_at', 'time', { title: 'CREATED', tableFrom: 0 }),
  field('payment_status', 'status', { title: 'STATUS', tableFrom: 0 }),
  field('amount', 'money', { title: 'AMOUNT', tableFrom: 0 }),
  field('refunded', 'integer', { title: 'REFUNDED', tableFrom: 0, derived: true, value: refundedOf }),
  field('card', 'card', { title: 'CARD', tableFrom: 0, derived: true, value: cardOf }),
  field('amount_refunded', 'integer'),
  field('currency', 'text'),
  field('customer_info.name', 'text', { title: 'BUYER', tableFrom: 100 }),
  field('customer_info.email', 'text'),
  field('customer_info.phone', 'text'),
  field('customer_info.customer_id', 'id'),
  field('is_refundable', 'flag'),
  field('split_payment', 'flag'),
  field('livemode', 'flag'),
  field('channel', 'text'),
  field('updated_at', 'time'),
];

/** Columns of charges, where an export has one row per charge (service: charge). */
export const chargeColumns: readonly Column[] = [
  field('id', 'id'),
  field('order_id', 'id'),
  field('status', 'status'),
  field('amount', 'money'),
  field('currency', 'text'),
  field('fee', 'integer'),
  field('created_at', 'time'),
  field('paid_at', 'time'),
  field('is_refundable', 'flag'),
  field('payment_method.type', 'text'),
  field('payment_method.brand', 'text'),
  field('payment_method.last4', 'text'),
  field('payment_method.auth_code', 'text'),
  field('reference_id', 'text'),
  field('customer_id', 'text'),
  field('monthly_installments', 'integer'),
  field('failure_code', 'text'),
  field('failure_message', 'text'),
  field('description', 'text'),
  field('livemode', 'flag'),
];

/** Columns of refunds, where an export has one row per refund: the service's, and what the journal of this machine adds. */
export const refundColumns: readonly Column[] = [
  field('id', 'id'),
  field('order_id', 'id'),
  field('charge_id', 'id'),
  field('amount', 'money'),
  field('currency', 'text'),
  field('created_at', 'time'),
  field('auth_code', 'text'),
  field('reason', 'text'),
  field('note', 'text'),
  field('operator', 'text'),
  field('intent', 'text'),
  field('known_by', 'text'),
];

/** Columns of customers. */
export const customerColumns: readonly Column[] = [
  field('id', 'id', { title: 'ID', tableFrom: 0 }),
  field('created_at', 'time', { title: 'CREATED', tableFrom: 0 }),
  field('name', 'text', { title: 'NAME', tableFrom: 0 }),
  field('email', 'text', { title: 'EMAIL', tableFrom: 0 }),
  field('phone', 'text', { title: 'PHONE', tableFrom: 100 }),
  field('corporate', 'flag'),
  field('custom_reference', 'text', { title: 'REFERENCE', tableFrom: 120 }),
  field('livemode', 'flag'),
];

/** A resource that can be listed and shown by id (service: Endpoints 2). */
export interface Resource {
  readonly path: string;
  readonly one: string;
  readonly many: string;
  readonly idPattern: RegExp;
  readonly idExample: string;
  /** The id of a pre-authorized one, for examples of capture. */
  readonly captureExample?: string;
  readonly columns: readonly Column[];
}

/** What can be listed and shown by id; one more entry here is one more resource everywhere. */
export const resources = {
  orders: {
    path: paths.orders,
    one: 'order',
    many: 'orders',
    idPattern: orderIdPattern,
    idExample: 'ord_2tQ7zRk9PwE5xNvAm',
    captureExample: 'ord_2tQ7sLf1DtX6kPjQr',
    columns: orderColumns,
  },
  customers: {
    path: paths.customers,
    one: 'customer',
    many: 'customers',
    idPattern: customerIdPattern,
    idExample: 'cus_2sZp8LmQ4tVx',
    columns: customerColumns,
  },
} as const satisfies Readonly<Record<string, Resource>>;
export type ResourceName = keyof typeof resources;
/** The names of what can be listed. */
export const resourceNames = Object.keys(resources) as ResourceName[];
