/** Every documented field can be named in --columns, and has one kind everywhere. */

import { expect, test } from 'vitest';
import {
  chargeFields,
  customerFields,
  type Fields,
  fieldAt,
  orderFields,
  refundFields,
} from '../../src/api/documented-fields.ts';
import {
  type Column,
  chargeColumns,
  customerColumns,
  orderColumns,
  referenceOf,
  refundColumns,
} from '../../src/api/resources.ts';

const named = (columns: readonly Column[], name: string) =>
  columns.flatMap(({ family }) => family?.named(name) ?? [])[0];

test.each([
  ['orders', orderColumns],
  ['charges', chargeColumns],
  ['refunds', refundColumns],
  ['customers', customerColumns],
] as const)('a column of %s has the same kind as the field that it shows', (_, columns) => {
  const differ = columns.filter(({ name, kind, derived }) => {
    const field = named(columns, name);
    return derived === undefined && field !== undefined && field.kind !== kind;
  });
  expect(differ.map(({ name }) => name)).toEqual([]);
});

test.each<[Fields, readonly string[]]>([
  [orderFields, ['charges', 'line_items', 'customer_info', 'metadata']],
  [chargeFields, ['payment_method', 'refunds']],
  [refundFields, ['amount']],
  [customerFields, ['payment_sources']],
])('the document’s fields are there', (fields, names) => {
  expect(Object.keys(fields)).toEqual(expect.arrayContaining([...names]));
});

test.each([
  ['customer_info.nme'],
  ['customer_info.name.first'],
  ['charges.0.amount'],
  ['charges.x.amount'],
  ['charges.1.'],
  ['metadata.'],
  ['metadata..x'],
  ['__proto__'],
  ['constructor.name'],
  ['order.amount'],
  [''],
])('%j is no column of an order', (name) => {
  expect(named(orderColumns, name)).toBeUndefined();
});

test.each([
  ['amount', -500],
  ['order.amount', 9000],
  ['charge.amount', 7000],
  ['order.charges.1.amount', 7000],
  ['payment_status', 'paid'],
  ['charge.fee', 90],
  // It would count once for each refund of the charge.
  ['fee', undefined],
  ['metadata.ticket', 'T-1'],
  ['status', undefined],
])('%s of a row of refunds is %j', (name, value) => {
  const ofCharge = { amount: 7000, fee: 90, status: 'paid' };
  const ofOrder = {
    amount: 9000,
    payment_status: 'paid',
    metadata: { ticket: 'T-1' },
    charges: { object: 'list', data: [ofCharge] },
  };
  const row = { id: 'rf_1', amount: -500, charge: ofCharge, order: ofOrder };
  expect(named(refundColumns, name)?.value(row, [])).toBe(value);
});

test.each(['is_refundable', 'channel', 'livemode'])(
  '%s is in the charge and in the order, so a row of refunds needs to know which',
  (name) => {
    expect(named(refundColumns, name)).toBeUndefined();
    expect(named(refundColumns, `order.${name}`)?.name).toBe(`order.${name}`);
    expect(named(refundColumns, `charge.${name}`)?.name).toBe(`charge.${name}`);
  },
);

test.each([
  [['a'], { a: 1 }, 1],
  [['a', 'b'], { 'a.b': 1, a: { b: 2 } }, 1],
  [['a', 'b', 'c'], { 'a.b': { d: 1 }, a: { b: { c: 2 } } }, 2],
  [['list', '2', 'id'], { list: { object: 'list', data: [{ id: 'x' }, { id: 'y' }] } }, 'y'],
  [['tags', '1'], { tags: ['new'] }, 'new'],
  [['tags', '0'], { tags: ['new'] }, undefined],
  [['tags', '2'], { tags: ['new'] }, undefined],
  [['m', '1'], { m: { data: ['x'], 1: 'own' } }, 'own'],
  [['__proto__', 'x'], {}, undefined],
  [['toString'], {}, undefined],
  [['a', 'b'], { a: null }, undefined],
  [['a', 'b'], null, undefined],
])('the value at %j of %j is %j', (path, record, value) => {
  expect(fieldAt(record, path)).toEqual(value);
});

test.each([
  [{ metadata: { ticket: 'T-1', shop_order: 'A-1' } }, 'A-1'],
  [{ metadata: { ticket: 'T-1', shop_order: '' } }, 'T-1'],
  [{ metadata: { ticket: 0, shop_order: null } }, 0],
  [{ metadata: { other: 'x' } }, undefined],
  [{ metadata: null }, undefined],
  [{}, undefined],
])('the reference of %j is the first key that it has: %j', (value, reference) => {
  expect(referenceOf(value, ['shop_order', 'ticket'])).toBe(reference);
});
