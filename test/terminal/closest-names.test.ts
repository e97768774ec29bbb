/** The name that somebody meant who typed another one. */

import { expect, test } from 'vitest';
import { closestNames } from '../../src/terminal/closest-names.ts';

const names = [
  'id',
  'amount',
  'payment_status',
  'buyer',
  'email',
  'refunded',
  'customer_info.email',
  'customer_info.phone',
  'charges.1.status',
  'order.is_refundable',
  'charge.is_refundable',
];

test.each([
  ['emial', ['email']],
  ['Email', ['email']],
  ['e-mail', ['email']],
  ['customer.phone', ['customer_info.phone']],
  ['phone', ['customer_info.phone']],
  ['customer_email', ['email']],
  ['status', ['payment_status']],
  ['paymentStatus', ['payment_status']],
  ['buyers', ['buyer']],
  ['amuont', ['amount']],
  ['refund', ['refunded']],
  ['is_refundable', ['order.is_refundable', 'charge.is_refundable']],
  ['nope', []],
  ['x', []],
  ['', []],
  ['a'.repeat(5000), []],
])('%j is like %j', (typed, meant) => {
  expect(closestNames(typed, names)).toEqual(meant);
});
