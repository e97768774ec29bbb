/** Strict valibot schemas for request bodies, so that nothing undocumented is sent. */

import * as v from 'valibot';
import { isObject, type JsonObject } from './json-values.ts';
import {
  chargeIdPattern,
  checkoutTypes,
  currencyPattern,
  customerIdPattern,
  hostedPayment,
  lastExpiry,
  paymentLinkType,
  paymentMethodValues,
  refundReasonValues,
  tooLateWords,
} from './spec.ts';

const text = v.pipe(v.string('not text'), v.minLength(1, 'empty'));
const note = v.string('not text');
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

const notSeconds = 'not a time in whole Unix seconds';
const expiry = v.pipe(
  v.number(notSeconds),
  v.integer(notSeconds),
  v.minValue(1, notSeconds),
  v.maxValue(lastExpiry, ({ input }) => tooLateWords(input)),
);

/** The body of a refund (service: Endpoints 1). For a whole order: at most `reason`. `amount` needs `charge_id` (rule 4). */
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
// With a prototype, an unknown field `constructor` would count as known.
const withoutPrototype = <const E extends object>(entries: E): E =>
  Object.setPrototypeOf({ ...entries }, null);
// `strictObject` accepts an array as an object, so `anyObject` comes first.
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
  // Only a HostedPayment has pages to return to (service: Endpoints 4).
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

/** The body of a new order, with or without a checkout (service: Endpoints 4). */
export const orderRequest = closed({
  currency: currencyCode,
  customer_info: v.optional(closed({ customer_id: customerId })),
  line_items: v.pipe(listOf(lineItemRequest), v.minLength(1, 'empty: an order needs at least one item')),
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

/** The body of a new payment link (service: Endpoints 5). */
export const checkoutCreateRequest = v.pipe(
  closed({
    name: text,
    type: v.literal(paymentLinkType, `not ${paymentLinkType}`),
    recurrent: v.optional(yesOrNo),
    // The document has both spellings (service: Endpoints 4 and 5).
    expired_at: v.optional(expiry),
    expires_at: v.optional(expiry),
    allowed_payment_methods: v.optional(listOf(payBy)),
    needs_shipping_contact: v.optional(yesOrNo),
    monthly_installments_enabled: v.optional(yesOrNo),
    monthly_installments_options: v.optional(months),
    plan_id: v.optional(text),
    order_template: closed({
      line_items: v.pipe(
        listOf(closed(itemBasics)),
        v.minLength(1, 'empty: a payment link needs at least one item'),
      ),
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
  }),
  v.forward(
    v.partialCheck(
      [['expired_at'], ['expires_at']],
      (link) => link.expired_at === undefined || link.expires_at === undefined,
      'given together with expired_at: give only one of the two',
    ),
    ['expires_at'],
  ),
);
export type CheckoutCreateRequest = v.InferOutput<typeof checkoutCreateRequest>;

/** A fault of a request body. `param` is its place, such as `line_items[0][name]`; null for the whole body. */
export interface BodyFault {
  readonly kind: 'missing' | 'unknown' | 'invalid';
  readonly param: string | null;
  readonly message: string;
}

/** The body that may be sent, or all its faults. */
export function checkRequest<const T extends v.GenericSchema>(
  schema: T,
  value: unknown,
): { readonly body: v.InferOutput<T> } | { readonly faults: readonly BodyFault[] } {
  const result = v.safeParse(schema, value);
  if (result.success) return { body: result.output };
  return { faults: allIssues(schema, value, result.issues).map(faultOf) };
}

type Issue = v.BaseIssue<unknown>;

// A schema names only an object's first unknown field. So that field is removed and the body checked again, until none is left.
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

// The document has two spellings of these names (service: Endpoints 4 and 5).
const otherSpellings: Readonly<Record<string, string>> = {
  plan_id: 'planId',
  planId: 'plan_id',
  expired_at: 'expires_at',
};

function unknownWords(name = ''): string {
  const other = Object.hasOwn(otherSpellings, name) ? otherSpellings[name] : undefined;
  return `not a documented field${other === undefined ? '' : `: here it is ${other}`}`;
}
