/**
 * The documented fields of the service's records, with their kinds of values. Replies are read by them (records.ts), and each path
 * to one can be a column.
 */

import { isObject } from './json-values.ts';
import type { Column, ValueKind } from './resources.ts';

/** A value, an object of fields, a list of records, or anything that a shop put there (`free`). */
export type DocumentedField = ValueKind | 'free' | Fields | readonly [Fields];

/** The fields of a record by name. */
export interface Fields {
  readonly [name: string]: DocumentedField;
}

const postal = { object: 'text', street1: 'text', city: 'text', state: 'text', country: 'text' } as const;

/** Fields of a refund (service: refund). */
export const refundFields = {
  id: 'id',
  object: 'text',
  amount: 'money',
  created_at: 'time',
  auth_code: 'text',
  // Assumed: a refund may have a status; the document shows none.
  status: 'status',
} as const satisfies Fields;

const paymentMethodFields = {
  object: 'text',
  type: 'text',
  name: 'text',
  exp_month: 'text',
  exp_year: 'text',
  auth_code: 'text',
  last4: 'text',
  brand: 'text',
  issuer: 'text',
  account_type: 'text',
  country: 'text',
  fraud_score: 'text',
  fraud_indicators: 'free',
  antifraud_flag: 'text',
  normalized_device_fingerprint: 'text',
  address: { ...postal, zip: 'text' },
} as const satisfies Fields;

/** Fields of a charge (service: charge). */
export const chargeFields = {
  id: 'id',
  object: 'text',
  livemode: 'flag',
  created_at: 'time',
  paid_at: 'time',
  currency: 'text',
  amount: 'money',
  fee: 'figure',
  status: 'status',
  is_refundable: 'flag',
  description: 'text',
  reference_id: 'text',
  customer_id: 'text',
  order_id: 'id',
  failure_code: 'text',
  failure_message: 'text',
  monthly_installments: 'integer',
  device_fingerprint: 'text',
  channel: 'text',
  payment_method: paymentMethodFields,
  refunds: [refundFields],
} as const satisfies Fields;

const lineItemFields = {
  id: 'id',
  object: 'text',
  parent_id: 'id',
  name: 'text',
  description: 'text',
  unit_price: 'money',
  quantity: 'integer',
  sku: 'text',
  tags: 'free',
  brand: 'text',
  type: 'text',
  metadata: 'free',
  antifraud_info: 'free',
} as const satisfies Fields;

/** Fields of an order (service: order). */
export const orderFields = {
  id: 'id',
  object: 'text',
  livemode: 'flag',
  amount: 'money',
  amount_refunded: 'figure',
  currency: 'text',
  payment_status: 'status',
  split_payment: 'flag',
  is_refundable: 'flag',
  customer_info: {
    object: 'text',
    customer_id: 'id',
    name: 'text',
    email: 'text',
    phone: 'text',
    corporate: 'flag',
    antifraud_info: { account_created_at: 'time', first_paid_at: 'time', paid_transactions: 'integer' },
  },
  shipping_contact: {
    id: 'id',
    object: 'text',
    created_at: 'time',
    // Documented only in requests.
    phone: 'text',
    receiver: 'text',
    address: { ...postal, postal_code: 'text', residential: 'flag' },
  },
  fiscal_entity: {
    id: 'id',
    object: 'text',
    created_at: 'time',
    address: { ...postal, postal_code: 'text' },
  },
  channel: 'text',
  metadata: 'free',
  created_at: 'time',
  updated_at: 'time',
  line_items: [lineItemFields],
  shipping_lines: 'free',
  tax_lines: 'free',
  discount_lines: 'free',
  charges: [chargeFields],
} as const satisfies Fields;

/** Fields of a customer (service: customer). */
export const customerFields = {
  id: 'id',
  object: 'text',
  livemode: 'flag',
  name: 'text',
  email: 'text',
  phone: 'text',
  corporate: 'flag',
  custom_reference: 'text',
  created_at: 'time',
  // Assumed: a customer may have metadata like an order; the document shows none.
  metadata: 'free',
  payment_sources: [
    { id: 'id', object: 'text', type: 'text', reference: 'text', created_at: 'time', parent_id: 'id' },
  ],
} as const satisfies Fields;

/** The records around a row, by their names in the row. */
type Around = Readonly<Record<string, Fields>>;

/**
 * The columns that only --columns shows: every documented path of a row and the records around it. Such a path begins with the
 * record's name, `order.amount`, which may be omitted if only one of the records has that path and it is no amount.
 */
export function pathColumns(own: Fields, around: Around = {}): Column {
  const column = (name: string, kind: ValueKind, path: readonly string[]): Column => ({
    name,
    title: name.toUpperCase(),
    kind,
    value: (record) => fieldAt(record, path),
    derived: true,
  });
  // Listed only after a typing mistake: this file is loaded at every start.
  const names = (): readonly string[] => [
    ...pathsOf(own),
    ...Object.entries(around).flatMap(([outer, fields]) => pathsOf(fields).map((path) => `${outer}.${path}`)),
  ];
  const named = (name: string): Column | undefined => {
    const path = name.split('.');
    const kind = kindAt(own, path);
    if (kind !== undefined) return column(name, kind, path);
    const [first = '', ...rest] = path;
    const outer = Object.hasOwn(around, first) ? around[first] : undefined;
    const outerKind = outer === undefined ? undefined : kindAt(outer, rest);
    if (outerKind !== undefined) return column(name, outerKind, path);
    const [found, second] = Object.entries(around).flatMap(([where, fields]) => {
      const inherited = kindAt(fields, path);
      // An amount of the order on the row of each charge would count several times in a sum.
      return inherited === undefined || inherited === 'money' || inherited === 'figure'
        ? []
        : [column(name, inherited, [where, ...path])];
    });
    return second === undefined ? found : undefined;
  };
  return {
    name: '',
    title: '',
    kind: 'text',
    value: () => undefined,
    derived: true,
    family: { named, names },
  };
}

/** The kind of the value at a path; list items count from 1. Undefined if the document shows no such field. */
export function kindAt(fields: Fields, [name = '', ...rest]: readonly string[]): ValueKind | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) return undefined;
  // Objects and lists are columns too, shown as JSON.
  if (typeof field !== 'string') return rest.length === 0 ? 'text' : kindInside(field, rest);
  if (field === 'free') return rest.includes('') ? undefined : 'text';
  return rest.length === 0 ? field : undefined;
}

function kindInside(field: Fields | readonly [Fields], rest: readonly string[]): ValueKind | undefined {
  if (!isList(field)) return kindAt(field, rest);
  const [place = '', ...inner] = rest;
  if (!/^[1-9]\d{0,3}$/.test(place)) return undefined;
  return inner.length === 0 ? 'text' : kindAt(field[0], inner);
}

/** Whether a field is a list of records. */
export function isList(field: Fields | readonly [Fields]): field is readonly [Fields] {
  return Array.isArray(field);
}

// Every documented path, for suggestions. For lists, the paths of the first item.
function pathsOf(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]): readonly string[] => {
    if (field === 'free') return [name, `${name}.KEY`];
    if (typeof field === 'string') return [name];
    const inside = isList(field) ? pathsOf(field[0]).map((path) => `1.${path}`) : pathsOf(field);
    return [name, ...inside.map((path) => `${name}.${path}`)];
  });
}

/** The value at a path as `-o list` names it: list items count from 1, a key may hold dots. Undefined if anything is missing. */
export function fieldAt(value: unknown, path: readonly string[]): unknown {
  if (path.length === 0) return value;
  if (Array.isArray(value)) return itemAt(value, path);
  if (!isObject(value)) return undefined;
  // Longest key first: `shop.order` may be one key of the metadata.
  for (let end = path.length; end > 0; end -= 1) {
    const key = path.slice(0, end).join('.');
    const found = Object.hasOwn(value, key) ? fieldAt(value[key], path.slice(end)) : undefined;
    if (found !== undefined) return found;
  }
  // A nested list has an envelope (service: List envelope).
  return Array.isArray(value.data) ? itemAt(value.data, path) : undefined;
}

function itemAt(items: readonly unknown[], [place = '', ...rest]: readonly string[]): unknown {
  return /^[1-9]\d*$/.test(place) ? fieldAt(items[Number(place) - 1], rest) : undefined;
}
