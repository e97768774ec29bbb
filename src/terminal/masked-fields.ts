/** Says what stays visible under redaction: the documented fields, if their texts have the form of the field. */

import {
  chargeFields,
  customerFields,
  type DocumentedField,
  type Fields,
  isList,
  orderFields,
  refundFields,
} from '../api/documented-fields.ts';
import type { JsonObject } from '../api/json-values.ts';
import {
  checkoutTypes,
  codeWithoutBrand,
  documentedErrors,
  meaningOfRefund,
  meaningOfStatus,
  paymentLinkType,
  paymentMethodValues,
  refundReasonValues,
} from '../api/spec.ts';
import type { PrintedRecord } from './terminal.ts';

/**
 * What kind of value is at a place in a record: a documented field; `record`: a record of the service, as its `object` says;
 * `own`: paydesk's own record, or a field of it whose text must have a form; `said`: what paydesk says; `input`: a row of
 * somebody's file; `reference`: the shop's own number. Undefined: a field that is not documented.
 */
export type Place = DocumentedField | 'record' | 'own' | 'said' | 'input' | 'reference' | undefined;

type Places = Readonly<Record<string, Place>>;
type Form = (text: string) => boolean;

const matches =
  (pattern: RegExp): Form =>
  (text) =>
    pattern.test(text);
const oneOf = (words: string): Form => {
  const known = new Set(words.split(' '));
  return (text) => known.has(text.toLowerCase());
};

// An id has a prefix or is long, and is not a word: it has a digit, or mixes small letters and capitals as no name does.
const idForm = matches(
  /^(?:(?:[a-z]{2,4}_){1,3}|(?=.{12})(?=.*[a-z]))(?=.*\d|(?:[A-Z]*[a-z]+[A-Z]+){3})[A-Za-z0-9]{1,64}(?:_\d{1,4})?$/,
);
const ids: Form = (text) => text.split(' ').every(idForm);
const chargeName: Form = (text) => /^(?:any|full|\d{1,3})$/.test(text) || ids(text);
const anyId: Form = (text) => /^[ir]_[a-z0-9]{8}$/.test(text) || idForm(text);
const status: Form = (text) =>
  meaningOfStatus(text) !== undefined || meaningOfRefund(text) !== 'unconfirmed' || text === 'none';
const ways = [...paymentMethodValues, ...checkoutTypes, paymentLinkType].join(' ').toLowerCase();
const paidWith = oneOf(`credit debit prepaid spei spei_recurrent ${ways}`);
const brands = oneOf('visa mastercard american_express amex carnet discover diners jcb maestro elo');
// Also the words that reports use for several brands and for none.
const brand: Form = (text) => brands(text) || text === 'not shown' || text === 'several';
const country = matches(/^[A-Za-z]{2}$/);
// The form of the shop's own number. A longer figure may be a telephone number, and a longer word a name.
const referenceForm = /^(?:[A-Z]{1,4}-|[A-Z]{1,3}|#)?\d{1,6}$/;
// Made once, because an export needs it for each amount.
const currencies = new Set(Intl.supportedValuesOf('currency'));
const currency: Form = (text) => currencies.has(text.toUpperCase());

// A code that is not documented may have any words in it.
const documented = Object.values(documentedErrors);
const errorType: Form = (text) => documented.some(({ type }) => type === text);
const errorCode: Form = (text) =>
  /^[a-z]+\.errors\./.test(text) && documented.some(({ code }) => code === codeWithoutBrand(text));

// The form of each text that may stay visible, by the name of its field. No other text of the service may.
const forms: Readonly<Record<string, Form>> = {
  object: oneOf(
    'order customer_info line_item charge card_payment refund customer payment_source shipping_contact shipping_address ' +
      'fiscal_entity fiscal_entity_address address list error',
  ),
  id: anyId,
  order_id: idForm,
  order: idForm,
  first: idForm,
  second: idForm,
  largest_order: idForm,
  parent_id: idForm,
  customer_id: idForm,
  charge_id: ids,
  charge: chargeName,
  charges: ids,
  refund_id: ids,
  refunds: ids,
  created: ids,
  request: anyId,
  payment_status: status,
  order_status: status,
  first_status: status,
  second_status: status,
  status,
  currency,
  only_currency: currency,
  country,
  type: (text) => paidWith(text) || errorType(text),
  account_type: paidWith,
  brand,
  exp_month: matches(/^(?:0[1-9]|1[0-2])$/),
  exp_year: matches(/^(?:20)?\d\d$/),
  allowed_payment_methods: paidWith,
  reason: oneOf(refundReasonValues.join(' ')),
  code: errorCode,
  log_id: matches(/^(?=.*\d)(?=.*[a-z])[0-9a-f-]{6,64}$/),
  param: (text) => text.split('.').every((part) => /^\d{1,3}$/.test(part) || Object.hasOwn(sent, part)),
  amount: matches(/^[-+]?[\d., ]{1,14}$/),
  bucket: (text) => status(text) || brand(text) || paidWith(text),
  'content-type': matches(/^application\/(?:vnd\.[a-z]+-v[\d.]+\+)?json(?:; ?charset=utf-8)?$/i),
  'content-length': matches(/^\d{1,9}$/),
  date: matches(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/),
};

// Assumed: lines are read by their amount.
const lines = [{ amount: 'money' }] as const;
const orderShown: Fields = {
  ...orderFields,
  shipping_lines: lines,
  tax_lines: lines,
  discount_lines: lines,
};
// What is sent (service: Endpoints 1, 4 and 5), besides the fields of an order.
const sent: Fields = {
  ...orderShown,
  reason: 'text',
  charge_id: 'id',
  customer_id: 'id',
  amount: 'money',
  unit_price: 'money',
  quantity: 'integer',
  expires_at: 'time',
  expired_at: 'time',
  recurrent: 'flag',
  type: 'text',
  allowed_payment_methods: 'text',
  monthly_installments_options: 'integer',
};
const body: Fields = { ...sent, checkout: sent, order_template: sent };
const list: Places = { object: 'text', has_more: 'flag', total: 'integer', data: 'record' };
const detail: Fields = { message: 'text', debug_message: 'text', param: 'text', code: 'text' };
const ofService: Readonly<Record<string, Places>> = {
  order: orderShown,
  charge: chargeFields,
  refund: refundFields,
  customer: customerFields,
  list,
  error: { object: 'text', type: 'text', log_id: 'text', details: [detail], data: 'record' },
};
const said = (names: string): Places => Object.fromEntries(names.split(' ').map((name) => [name, 'said']));
// Rows that paydesk makes from records of the service.
const rows: Readonly<Record<string, Places>> = {
  charge: { ...chargeFields, order: orderShown },
  refund: {
    ...refundFields,
    ...said('operator asked_by approved_by change known_by reason state ticket'),
    order_id: 'id',
    charge_id: 'id',
    currency: 'text',
    request: 'id',
    reference: 'reference',
    charge: chargeFields,
    order: orderShown,
  },
};
// What paydesk's own records say.
const own: Places = {
  ...said(
    'object account acknowledged_by action alarm approval approved_by asked_by bucket by certain change change_state changes checks columns ' +
      'command commands decided_by desk digest expected file filter format fields from from_state head history how idempotency_key index ' +
      'kind known_by limit line link meaning member method mode next notes now operator origin outcome outcome_before path period ' +
      'plan previous problem problems profile reason released_by released_with report sent source state stated_by steps summary sums terms ' +
      'ticket time title to twins unit used_by verdict what why words zone',
  ),
  reference: 'reference',
  ref: 'reference',
  order: orderShown,
  charge: chargeFields,
  data: 'record',
  body,
  headers: { 'content-type': 'text', 'content-length': 'text', date: 'text' },
  input: 'input',
};
// If a summary is split by one of these, the names of its buckets are words of the service.
const ofBuyers: ReadonlySet<unknown> = new Set(['brand', 'method', 'status']);
const input: Places = {
  order_id: 'id',
  charge_id: 'id',
  currency: 'text',
  reason: 'text',
  reference: 'reference',
  amount: 'own',
};

// Records about paydesk itself and this machine.
const ofMachine =
  /^(?:profile|policy|simulator|drill|index|sender|member|team|journal|setting|export_|proof_|report_file|paydesk)/;

const figures: ReadonlySet<Place> = new Set(['own', 'money', 'figure', 'sum', 'integer', 'time'] as const);

/**
 * Whether nothing in a record is about a buyer. Never true for a reply of the service, whatever the reply calls itself.
 */
export function isMachines({ value, bytes }: PrintedRecord): boolean {
  const { object } = value;
  if (bytes !== undefined || typeof object !== 'string') return false;
  return ofMachine.test(object) || (object === 'dry_run' && value.path === undefined);
}

/** What is in an object at a place: its known fields, and the others. */
export function fieldsIn(
  value: JsonObject,
  place: Place,
): { readonly known: Places; readonly others: Place } {
  const object = typeof value.object === 'string' ? value.object : '';
  const from = (table: Readonly<Record<string, Places>>) =>
    Object.hasOwn(table, object) ? table[object] : undefined;
  const others = undefined;
  if (place === 'record') return { known: from(ofService) ?? {}, others };
  if (place === 'input') return { known: input, others };
  if (place === 'own' || place === 'said') {
    const known = from(rows) ?? from(ofService);
    // A record of paydesk may have figures and ids under any name.
    if (known !== undefined) return { known, others };
    return { known: ofBuyers.has(value.by) ? { ...own, bucket: 'own' } : own, others: 'own' };
  }
  if (typeof place === 'string' || place === undefined) return { known: {}, others };
  return { known: isList(place) ? { ...list, data: place } : place, others };
}

/** What the items of an array are. */
export function placeOfItems(place: Place): Place {
  return typeof place === 'object' && isList(place) ? place[0] : place;
}

/** Whether a value at its place stays visible; `name`: that of its field. */
export function passes(value: string | number | bigint, name: string, place: Place): boolean {
  if (value === '' || place === 'said') return true;
  if (place === 'reference') return referenceForm.test(String(value));
  if (place === undefined || place === 'free' || place === 'input') return false;
  if (typeof value === 'string') return Object.hasOwn(forms, name) && forms[name]?.(value) === true;
  return name === 'fraud_score' || figures.has(place);
}
