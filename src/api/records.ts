/** Lenient valibot schemas for the records in replies. A field of a wrong type counts as missing; unknown fields stay. */

import * as v from 'valibot';
import type { CliErrorParts } from '../errors.ts';
import {
  customerFields,
  type DocumentedField,
  type Fields,
  isList,
  orderFields,
} from './documented-fields.ts';
import { type JsonObject, valueAt } from './json-values.ts';
import type { ResourceName } from './resources.ts';

// On every field, so that one wrong field does not make the whole record unreadable.
const seen = <const T extends v.GenericSchema>(schema: T) =>
  v.fallback(v.optional(schema), undefined as v.InferOutput<T> | undefined);
const seenText = seen(v.string());

/** A record's documented fields as shown in a reply, each or undefined. */
type Shown<Of> = JsonObject & { readonly [Name in keyof Of]?: Value<Of[Name]> | undefined };
type Value<Of> = Of extends 'flag'
  ? boolean
  : Of extends 'money' | 'figure' | 'integer' | 'time'
    ? number
    : Of extends 'free'
      ? unknown
      : Of extends string
        ? string
        : Of extends readonly [infer Item]
          ? Shown<{ has_more: 'flag'; total: 'integer' }> & {
              readonly data?: readonly Shown<Item>[] | undefined;
            }
          : Shown<Of>;

function entriesOf(fields: Fields): v.ObjectEntries {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, seen(schemaOf(field))]));
}

function schemaOf(field: DocumentedField): v.GenericSchema {
  if (typeof field === 'string') return schemaOfKind(field);
  if (!isList(field)) return v.looseObject(entriesOf(field));
  // A nested list (service: List envelope).
  const data = seen(v.array(schemaOf(field[0])));
  return v.looseObject({ ...entriesOf({ has_more: 'flag', total: 'integer' }), data });
}

function schemaOfKind(kind: Extract<DocumentedField, string>): v.GenericSchema {
  if (kind === 'free') return v.unknown();
  if (kind === 'flag') return v.boolean();
  return ['money', 'figure', 'integer', 'time'].includes(kind) ? v.number() : v.string();
}

const order = v.looseObject({ ...entriesOf(orderFields), id: v.string() });
/** An order (service: order). Only its id is required. */
export type Order = Shown<Omit<typeof orderFields, 'id'>> & { readonly id: string };

const customer = v.looseObject({ ...entriesOf(customerFields), id: v.string() });
/** A customer (service: customer). Only the id is required. */
export type Customer = Shown<Omit<typeof customerFields, 'id'>> & { readonly id: string };

/** An error body (service: Errors). Only `object` is required. */
const errorBody = v.looseObject({
  object: v.literal('error'),
  type: seenText,
  log_id: seenText,
  details: seen(
    v.array(v.looseObject({ debug_message: seenText, message: seenText, param: seenText, code: seenText })),
  ),
  data: seen(v.unknown()),
});
export type ErrorBody = v.InferOutput<typeof errorBody>;

/** Undefined if it is not an object with an id. */
export function readOrder(value: unknown): Order | undefined {
  const result = v.safeParse(order, value);
  return result.success ? (result.output as Order) : undefined;
}

/** Undefined if it is not an object with an id. */
export function readCustomer(value: unknown): Customer | undefined {
  const result = v.safeParse(customer, value);
  return result.success ? (result.output as Customer) : undefined;
}

/** Undefined if it is something else. */
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

/** What a reply says, whatever its form: the service's error, or the same fields of other JSON. Always has an HTTP status, never `data`. */
export function partsOfReply(value: unknown, httpStatus: number): CliErrorParts {
  const error = readErrorBody(value);
  if (error?.details !== undefined) {
    const { data: _, ...parts } = errorParts(error, httpStatus);
    return parts;
  }
  // A record is a buyer's data, so only an error's fields are taken from it.
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

// Assumed: where other services put an error's text; the document shows only `details`.
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

// The fields that decide whether a record counts. This check is strict: each field must be as documented, null or missing. Nobody
// reads the result, so unknown fields are not copied: that would take longer than the check.
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

/** Whether a record's id, money, times and statuses have the documented types, so that it can be counted. */
export function isCountable(resource: ResourceName, record: JsonObject): boolean {
  return v.is(countedFields[resource], record);
}
