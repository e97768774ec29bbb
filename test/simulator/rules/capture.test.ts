/** The rule of a capture. */

import { expect, test } from 'vitest';
import { captureOrder } from '../../../src/simulator/rules/capture.ts';
import { refundOrder } from '../../../src/simulator/rules/refund.ts';
import { inputs, now, orderOf } from '../fixtures.ts';

const authorized = orderOf([{ amount: 300, status: 'pre_authorized', is_refundable: false }], {
  payment_status: 'pre_authorized',
  is_refundable: false,
});

test('makes an authorized order and its charges paid', () => {
  expect(captureOrder(authorized, now)).toMatchObject({
    value: {
      payment_status: 'paid',
      amount_refunded: 0,
      updated_at: now,
      charges: { data: [{ status: 'paid', paid_at: now, refunds: null }] },
    },
  });
});

test('makes the order refundable', () => {
  const captured = captureOrder(authorized, now);
  const order = 'value' in captured ? captured.value : authorized;
  expect(refundOrder(order, {}, inputs)).toMatchObject({ value: { payment_status: 'refunded' } });
});

test.each(['paid', 'refunded', 'partially_refunded'])('refuses an order that is %s', (status) => {
  const order = orderOf([{ amount: 300, status }], { payment_status: status });
  expect(captureOrder(order, now)).toMatchObject({ failure: { kind: 'precondition' } });
});

test('refuses an order with nothing paid', () => {
  const { payment_status: _, ...order } = orderOf([]);
  expect(captureOrder(order, now)).toMatchObject({ failure: { kind: 'precondition' } });
});
