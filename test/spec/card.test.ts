import { expect, test } from 'vitest';
import { orderColumns } from '../../src/api/resources.ts';

const paid = { status: 'paid', payment_method: { type: 'credit', last4: '4242' } };
const declined = { status: 'declined', payment_method: { type: 'debit', last4: '5100' } };
const authorized = { status: 'pre_authorized', payment_method: { type: 'credit', last4: '0005' } };
const cash = { status: 'paid', payment_method: { type: 'oxxo' } };

test.each([
  ['a charge that was declined and one that paid', { charges: { data: [declined, paid] } }, '*4242'],
  ['two charges that paid', { charges: { data: [paid, cash] } }, 'split'],
  ['a paid and a refunded charge', { charges: { data: [paid, { ...cash, status: 'refunded' }] } }, 'split'],
  ['what the service calls split, and no charges', { split_payment: true }, 'split'],
  [
    'what the service calls split, and one charge that paid',
    { split_payment: true, charges: { data: [declined, paid] } },
    '*4242',
  ],
  [
    'two charges that paid, whatever the service calls it',
    { split_payment: false, charges: { data: [cash, paid] } },
    'split',
  ],
  ['a charge that paid and one to be captured', { charges: { data: [paid, authorized] } }, 'split'],
  [
    'five declined tries on one card',
    { charges: { data: Array.from({ length: 5 }, () => declined) } },
    '*5100',
  ],
  [
    'declined tries on several cards',
    { charges: { data: [declined, { ...paid, status: 'declined' }] } },
    undefined,
  ],
  [
    'five declined tries and one that paid',
    { charges: { data: [declined, declined, declined, declined, declined, paid] } },
    '*4242',
  ],
  [
    'a charge that was paid and then charged back',
    { charges: { data: [declined, { ...paid, status: 'charged_back', paid_at: 1_790_000_025 }] } },
    '*4242',
  ],
  ['a charge that shows no state', { charges: { data: [{ ...paid, status: null }] } }, '*4242'],
  ['nothing but a declined charge', { charges: { data: [declined] } }, '*5100'],
  ['no charge', { charges: { data: [] } }, undefined],
])('the card of an order with %s', (_what, order, shown) => {
  expect(orderColumns.find(({ name }) => name === 'card')?.value(order, [])).toBe(shown);
});
