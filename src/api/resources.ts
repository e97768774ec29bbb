/** The resources that can be listed and shown by id, with their columns. A new line here is a new column everywhere. */

import {
  customerIdPattern,
  itemsOf,
  type JsonObject,
  orderIdPattern,
  paths,
  statuses,
  valueAt,
} from './spec.ts';

/** How a value is shown. Money is shown with the currency of its record. A time is in Unix seconds. */
export type ValueKind = 'id' | 'text' | 'status' | 'money' | 'integer' | 'time' | 'flag' | 'card';

/** A column of a listed resource. `value` may return anything, because the service may send anything. */
export interface Column {
  /** The service's name of the field, such as `customer_info.name`. `--columns` and the CSV header use this name. */
  readonly name: string;
  readonly title: string;
  readonly kind: ValueKind;
  readonly value: (record: JsonObject) => unknown;
  /** How wide a terminal must be for this column in the default table. Without it, only `--columns` shows the column. */
  readonly tableFrom?: number;
  /** The column stays in the table when a terminal is too narrow for all columns. */
  readonly stays?: true;
  /** The column is computed for people. CSV has it only if `--columns` names it. */
  readonly derived?: true;
}

/** A column for a field of a record, such as `a` or `a.b`. */
export function fieldColumn(name: string, title: string, kind: Column['kind'], tableFrom?: number): Column {
  return field(name, kind, { title, ...(tableFrom === undefined ? {} : { tableFrom }) });
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

/** `*4242`; `split` if several charges paid; or the type of the payment (service: order, payment_method). */
function cardOf(record: JsonObject): unknown {
  const [first, second] = payingCharges(record);
  const { split_payment: said } = record;
  if (typeof said === 'boolean' ? said : second !== undefined) return 'split';
  const last4 = valueAt(first, ['payment_method', 'last4']);
  return typeof last4 === 'string' && last4 !== '' ? `*${last4}` : valueAt(first, ['payment_method', 'type']);
}

// Assumed: a charge with a status that the document does not show, such as a declined one, paid nothing. If no charge paid,
// all of them are returned, so that a card is shown.
function payingCharges(record: JsonObject): readonly JsonObject[] {
  const charges = itemsOf(record.charges);
  const known: readonly unknown[] = [...Object.values(statuses), undefined, null];
  const paying = charges.filter(({ status }) => known.includes(status));
  return paying.length > 0 ? paying : charges;
}

/** What was refunded, as a negative number; undefined if nothing was. */
function refundedOf(record: JsonObject): unknown {
  const amount = record.amount_refunded;
  return typeof amount === 'number' ? (amount === 0 ? undefined : -amount) : amount;
}

/** The columns of orders, in the order in which they are printed. */
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

/** The columns of an export with one row per charge (service: charge). */
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

/** The columns of an export with one row per refund. The last ones come from the journal of this machine. */
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

/** The columns of customers. */
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
  /** The id of a pre-authorized order, for examples of capture. */
  readonly captureExample?: string;
  readonly columns: readonly Column[];
}

/** The resources that can be listed and shown by id. A new entry here is a new resource everywhere. */
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
export const resourceNames = Object.keys(resources) as ResourceName[];
