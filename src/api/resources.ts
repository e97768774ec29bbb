/** The resources that can be listed and shown by id, with their columns. A new line here is a new column everywhere. */

import type { AmountStyle } from '../amounts.ts';
import {
  chargeFields,
  customerFields,
  fieldAt,
  orderFields,
  pathColumns,
  refundFields,
} from './documented-fields.ts';
import { itemsOf, type JsonObject, textIn, valueAt } from './json-values.ts';
import { wentBack } from './payment.ts';
import { customerIdPattern, meaningOfRefund, orderIdPattern, paths, statuses } from './spec.ts';

/**
 * How a value is shown. Money is shown with the currency of its record, a figure is an amount without its currency, a sum is a
 * figure that paydesk added up and that may be beyond 2^53-1. A time is in Unix seconds. A local time is shown as ISO 8601 in the zone of the run or export.
 */
export type ValueKind =
  | 'id'
  | 'text'
  | 'status'
  | 'money'
  | 'figure'
  | 'sum'
  | 'integer'
  | 'percent'
  | 'time'
  | 'localTime'
  | 'flag'
  | 'card'
  | 'link';

/** A column of a listed resource. `value` may return anything, because the service may send anything. */
export interface Column {
  /** The service's name of the field, such as `customer_info.name`. `--columns` and the CSV header use this name. */
  readonly name: string;
  readonly title: string;
  readonly kind: ValueKind;
  /** `referenceKeys` is the setting `reference.keys` of the profile. */
  readonly value: (record: JsonObject, referenceKeys: readonly string[]) => unknown;
  /** What a sum adds up of a record, and its name, if that is not the value of the column by its own name. */
  readonly summed?: (record: JsonObject) => readonly [name: string, amount: unknown];
  /** Of an amount: it is written with the decimals that the profile declares, as people write money, and blank where it declares none. */
  readonly inDecimals?: true;
  /** How the amounts of a record are shown, if not as the profile of the run says. */
  readonly amountsOf?: (record: JsonObject) => AmountStyle;
  /** How wide a terminal must be for this column in the default table. Without it, only `--columns` shows the column. */
  readonly tableFrom?: number;
  /** People look for this column. A terminal narrower than `tableFrom` says that it has no room for it. */
  readonly isMissed?: true;
  /** The column stays in the table when a terminal is too narrow for all columns, and other texts are cut before it. */
  readonly stays?: true;
  /** If not all columns fit, this one comes in before ids, amounts and times. It takes no room from columns that stay. */
  readonly early?: true;
  /** A text is not cut below this width if a column that matters less can be left out for it. */
  readonly least?: number;
  /** What the text of a record ends in. If the text is cut, the part before this is cut, and in its middle. */
  readonly ending?: (record: JsonObject) => string;
  /** Whether the cell of a record is a warning: it is never cut, and a status is red. */
  readonly warns?: (record: JsonObject) => boolean;
  /**
   * The short form, for a terminal without room for the full title or value. A time that has a short title may lose its clock
   * or its day: today's times keep the clock alone, all others the day alone.
   */
  readonly brief?: { readonly title?: string; readonly value?: (record: JsonObject) => unknown };
  /** If a terminal has no room for the column, its value stands on a line below the row, after this word. */
  readonly below?: (record: JsonObject) => string;
  /** `--columns` names it: it is never left out, and stands below the row after its title if there is no room. */
  readonly isAsked?: boolean;
  /** The column is computed for people. CSV and `-o list` have it only if `--columns` names it. */
  readonly derived?: true;
  /** A workbook and a CSV for a spreadsheet have the column in any case. */
  readonly inSheets?: true;
  /** Has no local time beside it in an export with `--tz`, since another column has. */
  readonly local?: false;
  /** This is no column of its own: it stands for all columns that can be named besides the others of its list. */
  readonly family?: ColumnFamily;
}

/** Columns that only --columns shows: `customer_info.phone`, `metadata.KEY`. */
interface ColumnFamily {
  /** The column of this name; undefined if there is none, or if the name is that of several. */
  readonly named: (name: string) => Column | undefined;
  /** Names to suggest where somebody mistyped one. */
  readonly names: () => readonly string[];
}

/** A column for a field of a record, such as `a` or `a.b`. */
export function fieldColumn(name: string, title: string, kind: Column['kind'], tableFrom?: number): Column {
  return field(name, kind, { title, ...(tableFrom === undefined ? {} : { tableFrom }) });
}

function field(name: string, kind: ValueKind, more: Partial<Column> = {}): Column {
  const path = name.split('.');
  return {
    name,
    title: name.toUpperCase(),
    kind,
    value: (record) => fieldAt(record, path),
    ...more,
  };
}

/** The shop's own number of an order: the first of these metadata keys that it has (setting `reference.keys`). */
export function referenceOf(order: unknown, referenceKeys: readonly string[]): unknown {
  return referenceKeys
    .map((key) => fieldAt(order, ['metadata', key]))
    .find((value) => value !== undefined && value !== null && value !== '');
}

/** The shop's own number without the `#` that people, and some shops, write before it: it tells no two orders apart. */
export function bareReference(reference: string): string {
  return reference.replace(/^#(?=.)/, '');
}

// What people call an order by. `orderIn`: where a row carries its order.
function peopleColumns(orderIn: readonly string[], tableFrom?: number): readonly Column[] {
  const buyer = (name: string) => (record: JsonObject) =>
    valueAt(record, [...orderIn, 'customer_info', name]);
  // People tell orders apart by their buyer, so a table keeps room for a name that can be read.
  const inTable =
    tableFrom === undefined ? {} : { tableFrom, isMissed: true as const, early: true as const, least: 8 };
  return [
    field('buyer', 'text', { derived: true, value: buyer('name'), ...inTable }),
    field('email', 'text', { derived: true, value: buyer('email') }),
    field('reference', 'text', {
      derived: true,
      inSheets: true,
      value: (record, keys) => referenceOf(valueAt(record, orderIn), keys),
    }),
  ];
}

/**
 * `*4242`; `split` if several charges were paid or can be captured; or the type of the payment (service: order,
 * payment_method). If none was, it is the card of all tries, or undefined if they used several.
 */
function cardOf(record: JsonObject): unknown {
  const tries = itemsOf(record.charges);
  const paying = tries.filter(paysOrWill);
  if (paying.length > 1 || (tries.length === 0 && record.split_payment === true)) return 'split';
  const cards = new Set((paying.length > 0 ? paying : tries).map(paidWith));
  return cards.size === 1 ? [...cards][0] : undefined;
}

// Assumed: a charge with a status that the document does not show, such as a declined one, paid nothing unless it has a
// `paid_at`. A charge without a status counts.
function paysOrWill({ status, paid_at: paidAt }: JsonObject): boolean {
  const known: readonly unknown[] = [...Object.values(statuses), undefined, null];
  return known.includes(status) || typeof paidAt === 'number';
}

function paidWith(charge: JsonObject): unknown {
  const last4 = valueAt(charge, ['payment_method', 'last4']);
  return typeof last4 === 'string' && last4 !== ''
    ? `*${last4}`
    : valueAt(charge, ['payment_method', 'type']);
}

/** What was refunded, as a negative number; undefined if nothing was. */
function refundedOf(record: JsonObject): unknown {
  const back = wentBack(record);
  return back === undefined ? record.amount_refunded : Number(back) === 0 ? undefined : -back;
}

// One sum of what was paid, what was declined and what is only authorized would say nothing.
function summedByStatus(status: string): NonNullable<Column['summed']> {
  return (record) => [`amount, ${textIn(record[status]) ?? 'no status'}`, record.amount];
}

/** The columns of orders, in the order in which they are printed. */
export const orderColumns: readonly Column[] = [
  field('id', 'id', { title: 'ID', tableFrom: 0 }),
  field('created_at', 'time', { title: 'CREATED', brief: { title: 'AT' }, tableFrom: 0 }),
  field('payment_status', 'status', { title: 'STATUS', tableFrom: 0 }),
  field('amount', 'money', { title: 'AMOUNT', tableFrom: 0, summed: summedByStatus('payment_status') }),
  field('refunded', 'figure', {
    title: 'REFUNDED',
    brief: { title: 'REFUND' },
    tableFrom: 0,
    derived: true,
    value: refundedOf,
  }),
  field('card', 'card', { title: 'CARD', tableFrom: 0, derived: true, value: cardOf }),
  field('amount_refunded', 'figure'),
  field('currency', 'text'),
  ...peopleColumns([], 80),
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

/** The columns of an export with one row per charge (service: charge). A row carries its `order` too. */
export const chargeColumns: readonly Column[] = [
  field('id', 'id'),
  field('order_id', 'id'),
  field('status', 'status'),
  field('amount', 'money', { summed: summedByStatus('status') }),
  field('currency', 'text'),
  field('fee', 'figure', { summed: ({ fee }) => ['fee', fee] }),
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
 * The columns of an export with one row per refund. Some come from the journal of this machine. A row carries its `charge`
 * and its `order` too.
 */
export const refundColumns: readonly Column[] = [
  field('id', 'id'),
  field('order_id', 'id'),
  field('charge_id', 'id'),
  // As in every report, what did not go back is in no sum of what did, and a sum is positive.
  field('amount', 'money', {
    summed({ amount, status }) {
      const meaning = meaningOfRefund(status);
      const isWhole = typeof amount === 'bigint' || Number.isSafeInteger(amount);
      return [meaning === 'made' ? 'refunded' : meaning, isWhole ? -BigInt(String(amount)) : undefined];
    },
  }),
  field('currency', 'text'),
  // The service's name of it; `refunded_at` is the same time by the name that people use.
  field('created_at', 'time', { local: false }),
  field('auth_code', 'text'),
  field('reason', 'text'),
  field('note', 'text'),
  field('operator', 'text'),
  field('change', 'text'),
  field('known_by', 'text'),
  field('refunded_at', 'time'),
  field('buyer', 'text'),
  field('email', 'text'),
  field('reference', 'text'),
  field('state', 'text'),
  field('asked_by', 'text'),
  field('approved_by', 'text'),
  field('approved_at', 'time', { local: false }),
  field('request', 'text'),
  field('ticket', 'text'),
  pathColumns(refundFields, { charge: chargeFields, order: orderFields }),
];

/** The columns of customers. */
export const customerColumns: readonly Column[] = [
  field('id', 'id', { title: 'ID', tableFrom: 0 }),
  field('created_at', 'time', { title: 'CREATED', tableFrom: 0 }),
  field('name', 'text', { title: 'NAME', tableFrom: 0, stays: true }),
  // With fewer letters it cannot be copied.
  field('email', 'text', { title: 'EMAIL', tableFrom: 0, least: 30, below: () => 'email' }),
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
interface Resource {
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

/** Blanks of any kind, characters without width, and quotes: what stands around a word that was copied, and is no part of it. */
export const blankOrQuote = /[\s\u200b\u200e\u200f\u2060"'`´‘’“”„«»]/;
/** The same, with brackets and what stands between words. */
export const aroundWord = new RegExp(`${blankOrQuote.source}|[<>()[\\]{},;:]`);
// An id does not end in a full stop, and the beginning of an address may.
const aroundId = new RegExp(`${aroundWord.source}|\\.`);

/** The text without these characters at its start and end. Takes no longer than the text is long. */
export function withoutAround(text: string, character: RegExp): string {
  let [from, to] = [0, text.length];
  while (from < to && character.test(text.charAt(from))) from += 1;
  while (to > from && character.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** The id in what people copied: with what stands around it, `id=`, or the address of a page. Undefined if it has none, or several. */
export function copiedId(resource: ResourceName, text: string): string | undefined {
  const { idPattern } = resources[resource];
  const isAddress = /^[\s<("']*(?:https?:\/\/|(?:order|id|order_id) ?[:=])/i.test(text);
  const words = isAddress ? text.split(/[^A-Za-z0-9_]+/) : [withoutAround(text, aroundId)];
  const [id, ...others] = new Set(words.filter((word) => idPattern.test(word)));
  return others.length === 0 ? id : undefined;
}
