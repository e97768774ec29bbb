/** The data of a new simulator: the cases that a newcomer, and every test, can count on. */

import { describe, expect, test } from 'vitest';
import { seedCustomers, seedOrders } from '../../../src/simulator/seed/seed.ts';

const place = { now: 1_790_000_000, livemode: false, orders: 120 };
const orders = [...seedOrders(place)].reverse();
const customers = [...seedCustomers(place)].reverse();

const charges = (order: (typeof orders)[number]) => order.charges?.data ?? [];
const statuses = (order: (typeof orders)[number]) => charges(order).map(({ status }) => status);

test('holds 120 orders and 60 customers', () => {
  expect(orders).toHaveLength(120);
  expect(customers).toHaveLength(60);
});

test('is the same every time', () => {
  expect([...seedOrders(place)].reverse()).toEqual(orders);
});

test('has the same newest orders however many there are', () => {
  const fewer = [...seedOrders({ ...place, orders: 30 })].reverse();
  expect(fewer).toEqual(orders.slice(0, 30));
});

test('is newest first, up to an hour or two before now', () => {
  const times = orders.map(({ created_at: createdAt }) => createdAt);
  expect(times).toEqual([...times].sort((a, b) => b - a));
  expect(place.now - (times[0] ?? 0)).toBeGreaterThan(0);
  expect(place.now - (times[0] ?? 0)).toBeLessThan(3 * 3600);
});

test('has ids in the forms of the document', () => {
  expect(orders.every(({ id }) => /^ord_[A-Za-z0-9]{17}$/.test(id))).toBe(true);
  expect(customers.every(({ id }) => /^cus_[A-Za-z0-9]{12,17}$/.test(String(id)))).toBe(true);
  expect(new Set(orders.map(({ id }) => id)).size).toBe(120);
});

test('adds up: charges to the order, refunds to amount_refunded', () => {
  for (const order of orders.filter(({ charges: list }) => list !== undefined)) {
    const accepted = charges(order).filter(({ status }) => status !== 'declined');
    expect(accepted.reduce((sum, { amount }) => sum + amount, 0)).toBe(order.amount);
    const refunds = charges(order).flatMap((charge) => charge.refunds?.data ?? []);
    expect(order.amount_refunded).toBe(0 - refunds.reduce((sum, { amount }) => sum + amount, 0));
  }
});

describe('holds an order', () => {
  test.each<[string, (order: (typeof orders)[number]) => boolean]>([
    ['that is paid', (order) => order.payment_status === 'paid' && charges(order).length === 1],
    ['split in two', (order) => order.split_payment === true && statuses(order).join() === 'paid,paid'],
    [
      'split in three',
      (order) => order.split_payment === true && statuses(order).join() === 'paid,paid,paid',
    ],
    ['with a declined charge beside a paid one', (order) => statuses(order).join() === 'declined,paid'],
    ['that is pre-authorized', (order) => order.payment_status === 'pre_authorized'],
    ['that is refunded', (order) => order.payment_status === 'refunded' && !order.is_refundable],
    [
      'that is partly refunded',
      (order) => order.payment_status === 'partially_refunded' && order.is_refundable,
    ],
    [
      'with one charge of two that is not refundable',
      (order) =>
        charges(order)
          .map(({ is_refundable: refundable }) => refundable)
          .join() === 'true,false',
    ],
    [
      'with nothing paid, which shows no payment_status and no charges',
      (order) => !('payment_status' in order) && !('charges' in order),
    ],
    [
      'with null wherever the document allows it',
      (order) =>
        [
          'shipping_contact',
          'fiscal_entity',
          'channel',
          'shipping_lines',
          'tax_lines',
          'discount_lines',
        ].every((name) => order[name] === null) && JSON.stringify(order).includes('"customer_id":null'),
    ],
    ['with a shop order number', (order) => /"shop_order":"A-\d+"/.test(JSON.stringify(order.metadata))],
    ['of a buyer in Han characters', (order) => /\p{Script=Han}/u.test(JSON.stringify(order.customer_info))],
    [
      'of a buyer in Arabic letters',
      (order) => /\p{Script=Arabic}/u.test(JSON.stringify(order.customer_info)),
    ],
    ['of a buyer in Thai letters', (order) => /\p{Script=Thai}/u.test(JSON.stringify(order.customer_info))],
    [
      'of a buyer with an emoji',
      (order) => /\p{Extended_Pictographic}/u.test(JSON.stringify(order.customer_info)),
    ],
    ['of a buyer with accents', (order) => /[ñíéÅø]/.test(JSON.stringify(order.customer_info))],
  ])('%s', (_name, claim) => {
    expect(orders.some(claim)).toBe(true);
  });

  test('and its twin: the same buyer and amount within ten minutes', () => {
    const [newer, older] = orders;
    expect(newer?.amount).toBe(older?.amount);
    expect(newer?.customer_info).toMatchObject({ email: expect.stringMatching(/^buyer\d+@example\.com$/) });
    expect(JSON.stringify(newer?.customer_info)).toBe(JSON.stringify(older?.customer_info));
    expect((newer?.created_at ?? 0) - (older?.created_at ?? 0)).toBeLessThan(600);
  });
});
