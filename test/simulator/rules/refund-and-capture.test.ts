/** The rules of a refund and of a capture: what they may take, and what they leave. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { captureOrder, refundOrder } from '../../../src/simulator/rules/refund-and-capture.ts';
import { inputs, now, orderOf } from '../fixtures.ts';

describe('a full refund', () => {
  test('leaves the order and its charges as the document says', () => {
    expect(refundOrder(orderOf([{ amount: 300 }, { amount: 200 }]), {}, inputs)).toMatchObject({
      value: {
        payment_status: 'refunded',
        amount: 500,
        amount_refunded: 500,
        is_refundable: false,
        updated_at: now,
        charges: {
          object: 'list',
          has_more: false,
          total: 2,
          data: [
            {
              status: 'refunded',
              is_refundable: false,
              refunds: {
                total: 1,
                data: [{ object: 'refund', amount: -300, created_at: now, auth_code: '490210' }],
              },
            },
            { status: 'refunded', is_refundable: false, refunds: { total: 1, data: [{ amount: -200 }] } },
          ],
        },
      },
    });
  });

  test('is refused while one of the charges is not refundable, and changes none of them', () => {
    const order = orderOf([{ amount: 300 }, { amount: 200, is_refundable: false }]);
    expect(refundOrder(order, {}, inputs)).toMatchObject({
      failure: {
        kind: 'precondition',
        details: [{ code: 'precondition_required.combo.order.is_not_returnable', param: null }],
      },
    });
  });

  test('leaves a declined charge alone', () => {
    const order = orderOf([{ amount: 500, status: 'declined', is_refundable: false }, { amount: 500 }]);
    expect(refundOrder(order, { reason: 'other' }, inputs)).toMatchObject({
      value: {
        payment_status: 'refunded',
        amount_refunded: 500,
        charges: { data: [{ status: 'declined', refunds: null }, { status: 'refunded' }] },
      },
    });
  });

  test.each([
    [
      'that is only authorized',
      orderOf([{ amount: 5, status: 'pre_authorized' }], { payment_status: 'pre_authorized' }),
    ],
    ['that is refunded', orderOf([{ amount: 5, status: 'refunded', is_refundable: false }])],
    ['with nothing paid', orderOf([])],
  ])('of an order %s is refused', (_name, order) => {
    expect(refundOrder(order, {}, inputs)).toMatchObject({ failure: { kind: 'precondition' } });
  });

  test('after a part gives back the rest', () => {
    const part = refundOrder(
      orderOf([{ amount: 300 }, { amount: 200 }]),
      { charge_id: 'charge1', amount: 120 },
      inputs,
    );
    expect(part).toMatchObject({ value: { payment_status: 'partially_refunded' } });
    const order = 'value' in part ? part.value : orderOf([]);
    expect(refundOrder(order, {}, inputs)).toMatchObject({
      value: {
        payment_status: 'refunded',
        amount_refunded: 500,
        charges: { data: [{ refunds: { data: [{ amount: -120 }, { amount: -180 }] } }, {}] },
      },
    });
  });
});

describe('a partial refund', () => {
  test('of a charge without an amount takes all of that charge', () => {
    const order = orderOf([{ amount: 300 }, { amount: 200 }]);
    expect(refundOrder(order, { charge_id: 'charge2' }, inputs)).toMatchObject({
      value: {
        payment_status: 'partially_refunded',
        amount: 500,
        amount_refunded: 200,
        is_refundable: true,
        charges: {
          data: [
            { status: 'paid', refunds: null },
            { status: 'refunded', is_refundable: false },
          ],
        },
      },
    });
  });

  test('by amount alone on a split order gets the documented error with the order as it is', () => {
    const order = orderOf([{ amount: 300 }, { amount: 200 }]);
    expect(refundOrder(order, { amount: 499 }, inputs)).toEqual({
      failure: {
        kind: 'processing',
        data: order,
        details: [
          expect.objectContaining({
            code: 'processing.charge_operations.refund.split_payment.charge_id_is_required',
          }),
        ],
      },
    });
  });

  test.each([
    ['more than is left', { charge_id: 'charge1', amount: 301 }, 'validation'],
    ['a charge of another order', { charge_id: 'charge9' }, 'notFound'],
    ['more than the order', { amount: 501 }, 'validation'],
  ])('of %s is refused', (_name, request, kind) => {
    const order = orderOf([{ amount: 300 }, { amount: 200 }]);
    expect(refundOrder(order, request, inputs)).toMatchObject({ failure: { kind } });
  });

  test('by amount alone takes it from the only charge', () => {
    expect(refundOrder(orderOf([{ amount: 300 }]), { amount: 100 }, inputs)).toMatchObject({
      value: { amount_refunded: 100, payment_status: 'partially_refunded' },
    });
  });
});

const charge = fc.record({
  amount: fc.integer({ min: 1, max: 10_000 }),
  status: fc.constantFrom('paid', 'paid', 'declined'),
  is_refundable: fc.boolean(),
});
const request = fc.record(
  {
    charge_id: fc.constantFrom('charge1', 'charge2', 'charge3'),
    amount: fc.integer({ min: 1, max: 12_000 }),
  },
  { requiredKeys: [] },
);

test('whatever is asked for, in whatever order, no charge gives back more than was paid and the sums agree', () => {
  fc.assert(
    fc.property(
      fc.array(charge, { minLength: 1, maxLength: 3 }),
      fc.array(request, { maxLength: 12 }),
      (charges, requests) => {
        let order = orderOf(charges);
        for (const asked of requests) {
          const result = refundOrder(order, asked, inputs);
          if ('value' in result) order = result.value;
          const sums = (order.charges?.data ?? []).map(({ amount, status, refunds }) => {
            const refunded = -(refunds?.data ?? []).reduce((sum, record) => sum + record.amount, 0);
            expect(refunded).toBeLessThanOrEqual(status === 'declined' ? 0 : amount);
            expect((refunds?.data ?? []).every((record) => record.amount < 0)).toBe(true);
            return refunded;
          });
          expect(order.amount_refunded).toBe(sums.reduce((a, b) => a + b, 0));
          expect(order.payment_status === 'refunded').toBe(
            order.amount_refunded === order.amount && order.amount > 0,
          );
        }
      },
    ),
  );
});

test('a refused refund changes nothing, not even the order it was given', () => {
  fc.assert(
    fc.property(fc.array(charge, { minLength: 1, maxLength: 3 }), request, (charges, asked) => {
      const order = orderOf(charges);
      const before = JSON.stringify(order);
      refundOrder(order, asked, inputs);
      expect(JSON.stringify(order)).toBe(before);
    }),
  );
});

describe('a capture', () => {
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
});
