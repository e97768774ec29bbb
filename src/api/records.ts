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
import { filledText, type JsonObject, valueAt } from './json-values.ts';
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

// Each schema is made when something is first read with it: few runs need any, and to make them takes a fifth of what paydesk itself
// does before it reads the command line.
function onDemand<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const order = onDemand(() => v.looseObject({ ...entriesOf(orderFields), id: v.string() }));
/** An order (service: order). Only its id is required. */
export type Order = Shown<Omit<typeof orderFields, 'id'>> & { readonly id: string };

const customer = onDemand(() => v.looseObject({ ...entriesOf(customerFields), id: v.string() }));
/** A customer (service: customer). Only the id is required. */
export type Customer = Shown<Omit<typeof customerFields, 'id'>> & { readonly id: string };

/** An error body (service: Errors). Only `object` is required. */
const errorBody = onDemand(() =>
  v.looseObject({
    object: v.literal('error'),
    type: seenText,
    log_id: seenText,
    details: seen(
      v.array(v.looseObject({ debug_message: seenText, message: seenText, param: seenText, code: seenText })),
    ),
    data: seen(v.unknown()),
  }),
);
export type ErrorBody = v.InferOutput<ReturnType<typeof errorBody>>;

/** Undefined if it is not an object with an id. */
export function readOrder(value: unknown): Order | undefined {
  const result = v.safeParse(order(), value);
  return result.success ? (result.output as Order) : undefined;
}

/** Undefined if it is not an object with an id. */
export function readCustomer(value: unknown): Customer | undefined {
  const result = v.safeParse(customer(), value);
  return result.success ? (result.output as Customer) : undefined;
}

/** Undefined if it is something else. */
export function readErrorBody(value: unknown): ErrorBody | undefined {
  const result = v.safeParse(errorBody(), value);
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

// The fields that decide whether a record counts. This check is strict: each field must be as documented, null or missing. Every record
// of an export goes through it, so it is made of plain functions: a schema takes several times as long.
type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isWhole: Check = (value) => Number.isInteger(value);
const isWholeOrBig: Check = (value) => Number.isInteger(value) || typeof value === 'bigint';
const isThing = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;
const hasFields = (fields: Readonly<Record<string, Check>>): Check => {
  const checks = Object.entries(fields);
  const passes = (field: unknown, check: Check) => field === undefined || field === null || check(field);
  return (value) => isThing(value) && checks.every(([name, check]) => passes(value[name], check));
};
const isListOf = (isItem: Check): Check =>
  hasFields({ has_more: isFlag, data: (items) => Array.isArray(items) && items.every(isItem) });
const isRecordWith = (fields: Readonly<Record<string, Check>>): Check => {
  const isRecord = hasFields({ livemode: isFlag, created_at: isWhole, ...fields });
  return (value) => isRecord(value) && filledText(valueAt(value, ['id'])) !== undefined;
};
const money = { amount: isWholeOrBig, currency: isText };
const isCharge = isRecordWith({
  ...money,
  status: isText,
  paid_at: isWhole,
  refunds: isListOf(isRecordWith(money)),
});
const countable: Readonly<Record<ResourceName, Check>> = {
  orders: isRecordWith({
    ...money,
    object: (value) => value === 'order',
    amount_refunded: isWholeOrBig,
    payment_status: isText,
    is_refundable: isFlag,
    charges: isListOf(isCharge),
  }),
  customers: isRecordWith({ object: (value) => value === 'customer', email: isText, name: isText }),
};

/** Whether a record's id, money, times and statuses have the documented types, so that it can be counted. */
export function isCountable(resource: ResourceName, record: JsonObject): boolean {
  return countable[resource](record);
}
