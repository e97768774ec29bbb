/** What is read from one order, and what is said when it hides something. */

import { expect, test } from 'vitest';
import {
  elsewhere,
  factsOfCharge,
  factsOfOrder,
  factsOfRefundRow,
  noReason,
  notShown,
} from '../../src/reports/facts.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf, withCharge } from '../harness/orders.ts';

const notFromHere = { origin: elsewhere, reason: elsewhere, operator: elsewhere } as const;
const known = { makerOf: () => ({ ...notFromHere, state: undefined }), purchaseOf: () => 'ana 100' };
const facts = (order: Json) => factsOfOrder(order, known);

const order = orderOf(
  'ord_1',
  [
    chargeOf('ch_1', 100, {
      status: 'partially_refunded',
      refunds: listOf(refundOf('rf_1', 30), refundOf('rf_2', 10, { status: 'Failed' })),
    }),
    chargeOf('ch_2', 50, { payment_method: { type: 'debit', last4: '0005' } }),
  ],
  { amount_refunded: 30, payment_status: 'partially_refunded' },
);

test('an order of two cards: its payments, its refunds as positive figures, and the card of each', () => {
  const { order: own, payments, refunds, problem } = facts(order);
  expect(own).toMatchObject({
    id: 'ord_1',
    amount: 150,
    refunded: 30,
    brand: 'several brands',
    method: 'several methods',
    purchase: 'ana 100',
  });
  expect(payments.map(({ amount, brand, method }) => [amount, brand, method])).toEqual([
    [100, 'visa', 'credit'],
    [50, notShown, 'debit'],
  ]);
  expect(
    refunds.map(({ id, amount, chargeId, last4, meaning }) => [id, amount, chargeId, last4, meaning]),
  ).toEqual([
    ['rf_1', 30, 'ch_1', '4242', 'made'],
    ['rf_2', 10, 'ch_1', '4242', 'failed'],
  ]);
  expect(problem).toBeUndefined();
});

test.each<[string, Json, string | undefined]>([
  ['nothing hidden', order, undefined],
  [
    'more refunded than its records',
    { ...order, amount_refunded: 31 },
    'ord_1: its refunds add up to 30, although its amount_refunded is 31',
  ],
  ['less refunded than its records', { ...order, amount_refunded: 29 }, undefined],
  [
    'no records at all',
    { ...orderOf('ord_1', [chargeOf('ch_1', 9)]), amount_refunded: 5 },
    'ord_1: it shows no refund, although its amount_refunded is 5',
  ],
  ['no charges though it is paid', { ...order, charges: undefined }, 'ord_1: the charges are not shown'],
  [
    'charges that are no objects',
    { ...order, charges: { object: 'list', data: ['x'] } },
    'ord_1: a charge or a refund has no fields',
  ],
  [
    'refunds left out',
    withCharge({ ...order, charges: listOf(chargeOf('ch_1', 9)) }, { refunds: undefined }),
    'ord_1: the refunds of charge ch_1 are not shown',
  ],
  [
    'no name',
    { ...order, id: undefined, amount_refunded: 31 },
    'an order: its refunds add up to 30, although its amount_refunded is 31',
  ],
  ['no charges and never paid', { id: 'ord_1', amount_refunded: 0 }, undefined],
])('%s', (_, value, problem) => expect(facts(value).problem).toBe(problem));

test.each<[unknown, unknown, number]>([
  ['paid', 1_790_000_000, 1],
  ['paid', undefined, 1],
  ['refunded', 1_790_000_000, 1],
  ['charged_back', 1_790_000_000, 1],
  ['declined', 1_790_000_000, 0],
  ['pre_authorized', 1_790_000_000, 0],
  [undefined, 1_790_000_000, 1],
  [undefined, undefined, 0],
  ['a new word', 1_790_000_000, 1],
  ['constructor', undefined, 0],
])('a charge with the status %s and paid_at %s is %i payment', (status, paidAt, payments) => {
  const charge = chargeOf('ch_1', 9, { status, paid_at: paidAt });
  expect(factsOfCharge({ id: 'ord_1' }, charge, known).payments).toHaveLength(payments);
});

test('a declined card does not count where another one paid', () => {
  const declined = chargeOf('ch_2', 9, {
    status: 'declined',
    payment_method: { brand: 'amex', type: 'credit' },
  });
  expect(facts(orderOf('ord_1', [chargeOf('ch_1', 9), declined])).order?.brand).toBe('visa');
  expect(facts(orderOf('ord_1', [declined])).order?.brand).toBe('amex');
});

test('29 a row of an export says who made the refund, and never nothing', () => {
  const row = {
    id: 'rf_1',
    order_id: 'ord_1',
    amount: -7,
    currency: 'MXN',
    created_at: 5,
    operator: 'op7',
    reason: null,
  };
  expect(factsOfRefundRow(row).refunds).toMatchObject([
    { amount: 7, origin: 'this machine', operator: 'op7', reason: noReason, brand: notShown },
  ]);
  expect(factsOfRefundRow({ ...row, operator: null }).refunds).toMatchObject([notFromHere]);
  expect(factsOfRefundRow({ ...row, operator: '', reason: '' }).refunds).toMatchObject([notFromHere]);
  expect(
    factsOfRefundRow({ ...row, created_at: undefined, refunded_at: 6, amount: 'x' }).refunds,
  ).toMatchObject([{ madeAt: 6, amount: undefined }]);
});
