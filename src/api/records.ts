/** Lenient valibot schemas for the records in replies. A field of a wrong type counts as missing; unknown fields stay. */

import * as v from 'valibot';
import type { CliErrorParts } from '../errors.ts';
import type { ResourceName } from './resources.ts';
import { type JsonObject, valueAt } from './spec.ts';

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

/** A refund record. Its amount is negative (service: refund). */
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

/** The buyer of an order (service: customer_info). */
export const customerInfo = v.looseObject({
  customer_id: seenText,
  name: seenText,
  email: seenText,
  phone: seenText,
  corporate: seenFlag,
  antifraud_info: seenMap,
});

/** Where an order is sent, or who gets the invoice (service: shipping_contact, fiscal_entity). */
export const contact = v.looseObject({ id: seenText, created_at: seenNumber, address: seenMap });

/** An order (service: order). Only its id is required. */
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

/** A way to pay that the service keeps for a customer (service: payment_source). */
export const paymentSource = v.looseObject({
  id: seenText,
  object: seenText,
  type: seenText,
  reference: seenText,
  created_at: seenNumber,
  parent_id: seenText,
});

/** A customer (service: customer). Only the id is required. */
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

/** An error body (service: Errors). Only `object` is required. */
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

/** Reads an order from a parsed reply; undefined if it is not an object with an id. */
export function readOrder(value: unknown): Order | undefined {
  const result = v.safeParse(order, value);
  return result.success ? result.output : undefined;
}

/** Reads a customer from a parsed reply; undefined if it is not an object with an id. */
export function readCustomer(value: unknown): Customer | undefined {
  const result = v.safeParse(customer, value);
  return result.success ? result.output : undefined;
}

/** Reads an error body from a parsed reply; undefined if it is something else. */
export function readErrorBody(value: unknown): ErrorBody | undefined {
  const result = v.safeParse(errorBody, value);
  return result.success ? result.output : undefined;
}

/** The parts of a CliError for an error body (service: Errors). */
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

/**
 * What a reply says for itself, whatever its form: the error of the service, or the same fields of any other JSON. There is
 * always an HTTP status. `data` is left out.
 */
export function partsOfReply(value: unknown, httpStatus: number): CliErrorParts {
  const error = readErrorBody(value);
  if (error?.details !== undefined) {
    const { data: _, ...parts } = errorParts(error, httpStatus);
    return parts;
  }
  // A record is a buyer's data, so only the fields of an error are taken from it.
  const isRecord = error === undefined && typeof valueAt(value, ['object']) === 'string';
  const named = (name: string) => firstText(value, [[name], ['error', name]]);
  const message = isRecord ? named('message') : firstText(value, messagePlaces);
  const code = named('code');
  return {
    type: isRecord ? undefined : named('type'),
    code,
    logId: named('log_id'),
    httpStatus,
    details: message === undefined ? [] : [{ message: message.slice(0, longestMessage), code }],
  };
}

// Assumed: where other services put the text of an error; the document shows only `details`.
const messagePlaces = [
  ['message'],
  ['error', 'message'],
  ['error'],
  ['error_description'],
  ['detail'],
  ['title'],
];
const longestMessage = 500;

function firstText(value: unknown, places: readonly (readonly string[])[]): string | undefined {
  const texts = places.map((place) => valueAt(value, place));
  return texts.find((text): text is string => typeof text === 'string' && text !== '');
}

// The fields that a record is counted by. This check is strict: each field must be as documented, null or missing. Nobody
// reads the result, so unknown fields are not copied. That would take longer than the check itself.
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

/** Whether the id, money, times and statuses of a record have the documented types, so that the record can be counted. */
export function isCountable(resource: ResourceName, record: JsonObject): boolean {
  return v.is(countedFields[resource], record);
}
