/** What can be listed and shown by id, and the columns of each: one more line here is one more column everywhere. */

import {
  chargeFields,
  customerFields,
  type Fields,
  fieldAt,
  kindAt,
  orderFields,
  pathsOf,
  refundFields,
} from './documented-fields.ts';
import {
  customerIdPattern,
  itemsOf,
  type JsonObject,
  orderIdPattern,
  paths,
  statuses,
  valueAt,
} from './spec.ts';

/**
 * How a value is shown: money carries its record's currency, times are Unix seconds on the wire; a `localTime` is one of
 * these as clocks in the zone of the run or export show it, ISO 8601 with its offset.
 */
export type ValueKind =
  | 'id'
  | 'text'
  | 'status'
  | 'money'
  | 'integer'
  | 'time'
  | 'localTime'
  | 'flag'
  | 'card';

/** A column of a listed resource. `value` may return anything the service sent; rendering copes. */
export interface Column {
  /** The service's name of the field, dotted where nested; what `--columns` and the CSV header say. */
  readonly name: string;
  readonly title: string;
  readonly kind: ValueKind;
  /** `referenceKeys`: the setting `reference.keys` of the profile. */
  readonly value: (record: JsonObject, referenceKeys: readonly string[]) => unknown;
  /** In the default table from this terminal width on; absent: only by `--columns`. */
  readonly tableFrom?: number;
  /** Stays when a terminal is too narrow for all columns, whatever its kind. */
  readonly stays?: true;
  /** Absent from CSV and `-o list` unless named: it is worked out from others. */
  readonly derived?: true;
  /** Has no local time beside it in an export with `--tz`, since another column has. */
  readonly local?: false;
  /** This is no column of its own: it stands for all columns that can be named besides the others of its list. */
  readonly family?: ColumnFamily;
}

/** Columns that only --columns shows: `customer_info.phone`, `metadata.KEY`. */
export interface ColumnFamily {
  /** The column of this name; undefined if there is none, or if the name is that of several. */
  readonly named: (name: string) => Column | undefined;
  /** Names to suggest where somebody mistyped one. */
  readonly names: readonly string[];
}

/** A column that shows a field, or `a.b` inside one; `tableFrom` as in `Column`. */
export function fieldColumn(name: string, title: string, kind: Column['kind'], tableFrom?: number): Column {
  const from = tableFrom === undefined ? {} : { tableFrom };
  return { name, title, kind, value: (record) => valueAt(record, name.split('.')), ...from };
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

// The records that a row belongs to, by the name under which the row carries them.
type Around = Readonly<Record<string, Fields>>;

// Every documented path of a row, and of the records around it: `order.amount` with the name of the record in front, or
// without it where only one of them has that path.
function pathColumns(own: Fields, around: Around = {}): Column {
  const column = (name: string, kind: ValueKind, path: readonly string[]): Column => ({
    name,
    title: name.toUpperCase(),
    kind,
    value: (record) => fieldAt(record, path),
    derived: true,
  });
  const names = Object.entries(around).flatMap(([outer, fields]) =>
    pathsOf(fields).map((path) => `${outer}.${path}`),
  );
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
      return inherited === undefined ? [] : [column(name, inherited, [where, ...path])];
    });
    return second === undefined ? found : undefined;
  };
  return {
    name: '',
    title: '',
    kind: 'text',
    value: () => undefined,
    derived: true,
    family: { named, names: [...pathsOf(own), ...names] },
  };
}

/** The shop's own number of an order: the first of these metadata keys that it has (setting `reference.keys`). */
export function referenceOf(order: unknown, referenceKeys: readonly string[]): unknown {
  return referenceKeys
    .map((key) => fieldAt(order, ['metadata', key]))
    .find((value) => value !== undefined && value !== null && value !== '');
}

// What people call an order by. `orderIn`: where a row carries its order.
function peopleColumns(orderIn: readonly string[], tableFrom?: number): readonly Column[] {
  const buyer = (name: string) => (record: JsonObject) =>
    valueAt(record, [...orderIn, 'customer_info', name]);
  const from = tableFrom === undefined ? {} : { tableFrom };
  return [
    field('buyer', 'text', { derived: true, value: buyer('name'), ...from }),
    field('email', 'text', { derived: true, value: buyer('email') }),
    field('reference', 'text', {
      derived: true,
      value: (record, keys) => referenceOf(valueAt(record, orderIn), keys),
    }),
  ];
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
  ...peopleColumns([], 100),
  field('customer_info.name', 'text', { title: 'BUYER' }),
  field('customer_info.email', 'text'),
  field('customer_info.phone', 'text'),
  field('customer_info.customer_id', 'id'),
  field('is_refundable', 'flag'),
  field('split_payment', 'flag'),
  field('livemode', 'flag'),
  field('channel', 'text'),
  field('updated_at', 'time'),
  pathColumns(orderFields),
];

/** Columns of charges, where an export has one row per charge (service: charge); the row carries its `order`. */
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
  ...peopleColumns(['order']),
  pathColumns(chargeFields, { order: orderFields }),
];

/**
 * Columns of refunds, where an export has one row per refund: the service's, what the journal of this machine adds, and
 * whose order it is; the row carries its `charge` and `order`.
 */
export const refundColumns: readonly Column[] = [
  field('id', 'id'),
  field('order_id', 'id'),
  field('charge_id', 'id'),
  field('amount', 'money'),
  field('currency', 'text'),
  // The service's name of it; `refunded_at` is the same time by the name that people use.
  field('created_at', 'time', { local: false }),
  field('auth_code', 'text'),
  field('reason', 'text'),
  field('note', 'text'),
  field('operator', 'text'),
  field('intent', 'text'),
  field('known_by', 'text'),
  field('refunded_at', 'time'),
  field('buyer', 'text'),
  field('email', 'text'),
  field('reference', 'text'),
  // Assumed: a refund may show a status of its own; the document shows none.
  pathColumns({ ...refundFields, status: 'status' }, { charge: chargeFields, order: orderFields }),
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
  field('buyer', 'text', { derived: true, value: ({ name }) => name }),
  field('reference', 'text', { derived: true, value: customerReference }),
  pathColumns(customerFields),
];

// An empty text stands for a missing one (service: customer).
function customerReference(record: JsonObject, keys: readonly string[]): unknown {
  return record.custom_reference || referenceOf(record, keys);
}

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
