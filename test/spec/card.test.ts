import { expect, test } from 'vitest';
import { orderColumns } from '../../src/api/resources.ts';

const paid = { status: 'paid', payment_method: { type: 'credit', last4: '4242' } };
const declined = { status: 'declined', payment_method: { type: 'debit', last4: '5100' } };
const cash = { status: 'paid', payment_method: { type: 'oxxo' } };

test.each([
  ['a charge that was declined and one that paid', { charges: { data: [declined, paid] } }, '*4242'],
  ['two charges that paid', { charges: { data: [paid, cash] } }, 'split'],
  ['a paid and a refunded charge', { charges: { data: [paid, { ...cash, status: 'refunded' }] } }, 'split'],
  ['what the service calls split', { split_payment: true, charges: { data: [paid] } }, 'split'],
  ['what the service calls no split', { split_payment: false, charges: { data: [cash, paid] } }, 'oxxo'],
  ['a charge that shows no state', { charges: { data: [{ ...paid, status: null }] } }, '*4242'],
  ['nothing but a declined charge', { charges: { data: [declined] } }, '*5100'],
  ['no charge', { charges: { data: [] } }, undefined],
])('the card of an order with %s', (_what, order, shown) => {
  expect(orderColumns.find(({ name }) => name === 'card')?.value(order, [])).toBe(shown);
});
