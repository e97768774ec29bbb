/** The resources to list and to show by id, with their columns. A new line here is a new column everywhere. */

import type { AmountStyle } from '../amounts.ts';
import { cardOrType } from './charges.ts';
import {
  chargeFields,
  customerFields,
  type Fields,
  fieldAt,
  kindAt,
  orderFields,
  pathColumns,
  refundFields,
} from './documented-fields.ts';
import { isObject, isWholeNumber, itemsOf, type JsonObject, textIn, valueAt } from './json-values.ts';
import { shownRefunds, wentBack, wentBackOfCharge } from './payment.ts';
import { customerIdPattern, orderIdPattern, paths, statuses } from './spec.ts';

/**
 * How to show a value. Money has its record's currency, a figure is an amount without currency, a sum is a figure that paydesk
 * added up, perhaps beyond 2^53-1. Times are in Unix seconds. A local time is ISO 8601 in the zone of the run or export.
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

/** `value` may return anything, because the service may send anything. */
export interface Column {
  /** The service's name of the field, such as `customer_info.name`, for `--columns` and the CSV header. */
  readonly name: string;
  readonly title: string;
  readonly kind: ValueKind;
  /** `referenceKeys`: the profile's setting `reference.keys`. */
  readonly value: (record: JsonObject, referenceKeys: readonly string[]) => unknown;
  /** What a sum adds up, and its name, if not the column's own value and name. */
  readonly summed?: (record: JsonObject) => readonly [name: string, amount: unknown];
  /** For an amount: written with the profile's decimals, as people write money; blank if the profile declares none. */
  readonly inDecimals?: true;
  /** The field with the currency of this amount, if not `currency`. If they differ, a screen says it. */
  readonly currencyIn?: string;
  /** How to show a record's amounts, if not as the run's profile says. */
  readonly amountsOf?: (record: JsonObject) => AmountStyle;
  /** The narrowest terminal with this column in the default table. Absent: only `--columns` shows it. */
  readonly tableFrom?: number;
  /** People look for this column. A terminal narrower than `tableFrom` says that it has no room for it. */
  readonly isMissed?: true;
  /** The column stays if the terminal is too narrow for all, and other texts are cut first. */
  readonly stays?: true;
  /** If not all columns fit, this one comes before ids, amounts and times, without taking room from columns that stay. */
  readonly early?: true;
  /** A text is not cut below this width while a less important column can be left out. */
  readonly least?: number;
  /** A name, which may differ from another in its end alone: it is cut in its middle. */
  readonly isCutInMiddle?: true;
  /** If a record's cell is a warning: the style of a status that is one. The cell is never cut. */
  readonly warning?: (record: JsonObject) => 'bad' | 'warn' | undefined;
  /**
   * A short form, if there is no room for the full title or value. A time with a short title may lose its clock or its day:
   * today's times keep the clock, others the day.
   */
  readonly brief?: { readonly title?: string; readonly value?: (record: JsonObject) => unknown };
  /** Without room for the column, its value goes on a line below the row, after this word. */
  readonly below?: (record: JsonObject) => string;
  /** `--columns` names it: it is never left out. Without room it goes below the row, after its title. */
  readonly isAsked?: boolean;
  /** The column is computed for people. CSV and `-o list` have it only if `--columns` names it. */
  readonly derived?: true;
  /** A workbook and a CSV for a spreadsheet always have the column. */
  readonly inSheets?: true;
  /** Has no local time beside it in an export with `--tz`, since another column has. */
  readonly local?: false;
  /** Not a column itself: it stands for all other columns that can be named. */
  readonly family?: ColumnFamily;
}

/** Columns that only --columns shows: `customer_info.phone`, `metadata.KEY`. */
interface ColumnFamily {
  /** The column with this name; undefined if there is none, or several share the name. */
  readonly named: (name: string) => Column | undefined;
  /** Names to suggest after a typing mistake. */
  readonly names: () => readonly string[];
}

/** A column for a record's field, such as `a` or `a.b`. */
export function column(name: string, kind: ValueKind, more: Partial<Column> = {}): Column {
  const path = name.split('.');
  return { name, title: name.toUpperCase(), kind, value: (record) => fieldAt(record, path), ...more };
}

/** A column of a list of our own, with the value that its records have under that name. */
export interface Field<Row> extends Column {
  /** `row`: what a record is made from. Undefined is written as null. */
  readonly of: (row: Row) => unknown;
}

/** One line of the table of a list: its field in JSON, in CSV and on a screen. */
export function field<Row>(
  name: string,
  kind: ValueKind,
  of: Field<Row>['of'],
  more: Partial<Column> = {},
): Field<Row> {
  return { ...column(name, kind, { title: name.replaceAll('_', ' ').toUpperCase(), ...more }), of };
}

/** The record of a row: its fields in the order of the table. Columns that are only shown are not in it. */
export function recordFrom<Row>(
  object: string,
  columns: readonly (Column | Field<Row>)[],
  row: Row,
): JsonObject {
  const own = columns.flatMap((one) => ('of' in one ? [[one.name, one.of(row) ?? null] as const] : []));
  return { object, ...Object.fromEntries(own) };
}

// Columns of documented fields, in this order.
function documented(fields: Fields, names: string): readonly Column[] {
  return names.split(' ').map((name) => column(name, kindAt(fields, name.split('.')) ?? 'text'));
}

/** The shop's own number of an order: the first of these metadata keys that has a value (setting `reference.keys`). */
export function referenceOf(order: unknown, referenceKeys: readonly string[]): unknown {
  return referenceKeys
    .map((key) => fieldAt(order, ['metadata', key]))
    .find((value) => value !== undefined && value !== null && value !== '');
}

/** The shop's own number without the `#` that people and some shops put before it: two orders never differ only by it. */
export function bareReference(reference: string): string {
  return reference.replace(/^#(?=.)/, '');
}

// What people leave out of a number, or type as another sign: `A99998` and `A_99998` for `A-99998`.
const insideNumber = /[\p{Pd}\s_./]/gu;

/** A number of the shop as it is told over the telephone: in small letters, without `#`, dashes and the like. */
export function spokenReference(reference: string): string {
  return bareReference(reference).replace(insideNumber, '').toLowerCase();
}

// The columns by which people recognise an order. `orderIn`: where the row has its order.
function peopleColumns(orderIn: readonly string[], tableFrom?: number): readonly Column[] {
  const buyer = (name: string) => (record: JsonObject) =>
    valueAt(record, [...orderIn, 'customer_info', name]);
  // People recognise orders by buyer, so a table keeps room for a readable name.
  const inTable =
    tableFrom === undefined ? {} : { tableFrom, isMissed: true as const, early: true as const, least: 8 };
  return [
    column('buyer', 'text', { derived: true, value: buyer('name'), ...inTable }),
    column('email', 'text', { derived: true, value: buyer('email') }),
    column('reference', 'text', {
      derived: true,
      inSheets: true,
      value: (record, keys) => referenceOf(valueAt(record, orderIn), keys),
    }),
  ];
}

/**
 * `*4242`; `split` if several charges were paid or can be captured; or the type of payment (service: order, payment_method). If
 * there is no such charge, the card of all tries, or undefined if they used several.
 */
function cardOf(record: JsonObject): unknown {
  const tries = itemsOf(record.charges);
  const paying = tries.filter(paysOrWill);
  if (paying.length > 1 || (tries.length === 0 && record.split_payment === true)) return 'split';
  const cards = new Set((paying.length > 0 ? paying : tries).map(cardOrType));
  return cards.size === 1 ? [...cards][0] : undefined;
}

// Assumed: a charge with an undocumented status, such as declined, paid nothing unless it has a `paid_at`. A charge without a status counts.
function paysOrWill({ status, paid_at: paidAt }: JsonObject): boolean {
  const known: readonly unknown[] = [...Object.values(statuses), undefined, null];
  return known.includes(status) || typeof paidAt === 'number';
}

/** Positive; undefined if nothing was refunded. */
function refundedOf(record: JsonObject): unknown {
  const back = wentBack(record) ?? record.amount_refunded;
  return back === 0 || back === 0n ? undefined : back;
}

// Blank for a charge that does not show all its refunds.
function refundedOfCharge({ order, ...charge }: JsonObject): unknown {
  const refunds = shownRefunds(isObject(order) ? order : {}, charge);
  return refunds.problem === undefined ? wentBackOfCharge(charge) : undefined;
}

// A single sum of what was paid, what was declined and what is only authorized would mean nothing.
function summedByStatus(status: string): NonNullable<Column['summed']> {
  return (record) => [`amount, ${textIn(record[status]) ?? 'no status'}`, record.amount];
}

/** In the order in which they are printed. */
export const orderColumns: readonly Column[] = [
  column('id', 'id', { title: 'ID', tableFrom: 0 }),
  column('created_at', 'time', { title: 'CREATED', brief: { title: 'AT' }, tableFrom: 0 }),
  column('payment_status', 'status', { title: 'STATUS', tableFrom: 0 }),
  column('amount', 'money', { title: 'AMOUNT', tableFrom: 0, summed: summedByStatus('payment_status') }),
  column('refunded', 'figure', {
    title: 'REFUNDED',
    brief: { title: 'REFUND' },
    tableFrom: 0,
    derived: true,
    value: refundedOf,
  }),
  column('card', 'card', { title: 'CARD', tableFrom: 0, derived: true, value: cardOf }),
  ...documented(orderFields, 'amount_refunded currency'),
  ...peopleColumns([], 56),
  column('customer_info.name', 'text', { title: 'BUYER' }),
  ...documented(orderFields, 'customer_info.email customer_info.phone customer_info.customer_id'),
  ...documented(orderFields, 'is_refundable split_payment livemode channel updated_at'),
  pathColumns(orderFields),
];

/** For exports with one row per charge (service: charge). A row also has its `order`. */
export const chargeColumns: readonly Column[] = [
  ...documented(chargeFields, 'id order_id status'),
  column('amount', 'money', { summed: summedByStatus('status') }),
  column('refunded', 'figure', {
    value: refundedOfCharge,
    summed: (charge) => ['refunded', refundedOfCharge(charge)],
  }),
  column('currency', 'text'),
  column('fee', 'figure', { summed: ({ fee }) => ['fee', fee] }),
  ...documented(chargeFields, 'created_at paid_at is_refundable payment_method.type payment_method.brand'),
  ...documented(chargeFields, 'payment_method.last4 payment_method.auth_code reference_id customer_id'),
  ...documented(chargeFields, 'monthly_installments failure_code failure_message description livemode'),
  ...peopleColumns(['order']),
  pathColumns(chargeFields, { order: orderFields }),
];

/** Who asked for a refund, who approved it and when, and under which ticket, in every list of refunds or changes. */
export const approvalColumns: readonly Column[] = [
  column('asked_by', 'text', { title: 'ASKED BY' }),
  column('asked_at', 'time', { title: 'ASKED' }),
  column('approved_by', 'text', { title: 'APPROVED BY' }),
  column('approved_at', 'time', { title: 'APPROVED' }),
  column('request', 'id'),
  column('ticket', 'text'),
];

/**
 * For exports with one row per refund: first what `refunds list` has too, in the same order, as an accountant looks for it: when, which
 * order, whose, how much, what became of it, why and by whom; behind it the ids and the rest. A row also has its `charge` and `order`.
 */
export const refundColumns: readonly Column[] = [
  column('refunded_at', 'time'),
  column('order_id', 'id'),
  column('reference', 'text'),
  column('buyer', 'text'),
  // As in every report, sums of refunds exclude what did not go back, and are positive.
  column('amount', 'money', {
    summed: ({ amount, state, went_back: back }) => [
      back === 0 ? String(state) : 'refunded',
      isWholeNumber(amount) ? -BigInt(amount) : undefined,
    ],
  }),
  column('went_back', 'figure'),
  column('currency', 'text'),
  column('state', 'text'),
  column('reason', 'text'),
  column('operator', 'text'),
  ...approvalColumns,
  column('note', 'text'),
  column('id', 'id'),
  column('charge_id', 'id'),
  column('email', 'text'),
  // The service's name; `refunded_at` is the same time under the name that people use.
  column('created_at', 'time', { local: false }),
  column('auth_code', 'text'),
  column('change', 'text'),
  column('known_by', 'text'),
  pathColumns(refundFields, { charge: chargeFields, order: orderFields }),
];

export const customerColumns: readonly Column[] = [
  column('id', 'id', { title: 'ID', tableFrom: 0 }),
  column('created_at', 'time', { title: 'CREATED', tableFrom: 0 }),
  column('name', 'text', { title: 'NAME', tableFrom: 0, stays: true }),
  // Below this width it cannot be copied.
  column('email', 'text', { title: 'EMAIL', tableFrom: 0, least: 30, below: () => 'email' }),
  column('phone', 'text', { title: 'PHONE', tableFrom: 100 }),
  column('corporate', 'flag'),
  column('custom_reference', 'text', { title: 'REFERENCE', tableFrom: 120 }),
  column('livemode', 'flag'),
  column('buyer', 'text', { derived: true, value: ({ name }) => name }),
  // An empty text counts as missing (service: customer).
  column('reference', 'text', {
    derived: true,
    value: (record, keys) => record.custom_reference || referenceOf(record, keys),
  }),
  pathColumns(customerFields),
];

/** A resource to list and to show by id (service: Endpoints 2). */
interface Resource {
  readonly path: string;
  readonly one: string;
  readonly many: string;
  readonly idPattern: RegExp;
  readonly idExample: string;
  /** A pre-authorized order, for examples of capture. */
  readonly captureExample?: string;
  readonly columns: readonly Column[];
}

/** A new entry here is a new resource everywhere. */
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

/** Blanks of any kind, zero-width characters, and quotes: often copied along with a word. */
export const blankOrQuote = /[\s\u200b\u200e\u200f\u2060"'`´‘’“”„«»]/;
/** The same, with brackets and separators. */
export const aroundWord = new RegExp(`${blankOrQuote.source}|[<>()[\\]{},;:]`);
// An id does not end in a full stop, but a search for the beginning of an address may.
const aroundId = new RegExp(`${aroundWord.source}|\\.`);

/** The text without these characters at either end, in linear time. */
export function withoutAround(text: string, character: RegExp): string {
  let [from, to] = [0, text.length];
  while (from < to && character.test(text.charAt(from))) from += 1;
  while (to > from && character.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** The id in a copied text, which may have `id=`, a page's address, or other characters around it. Undefined if it has none or several. */
export function copiedId(resource: ResourceName, text: string): string | undefined {
  const { idPattern } = resources[resource];
  const isAddress = /^[\s<("']*(?:https?:\/\/|(?:order|id|order_id) ?[:=] ?)\S+\s*$/i.test(text);
  const words = isAddress ? text.split(/[^A-Za-z0-9_]+/) : [withoutAround(text, aroundId)];
  const [id, ...others] = new Set(words.filter((word) => idPattern.test(word)));
  return others.length === 0 ? id : undefined;
}
