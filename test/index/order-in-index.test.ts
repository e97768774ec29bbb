/** The figures of orders in the index: exact, whole, and the same after they were written and read. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readColumns, writeColumns } from '../../src/index/fact-columns.ts';
import {
  type ChargeInIndex,
  hidesMoney,
  numberOf,
  type OrderInIndex,
  orderInIndex,
  orderOf,
  type RefundInIndex,
} from '../../src/index/order-in-index.ts';
import { factsOfOrder, summariseRefunds } from '../../src/reports/reports.ts';
import {
  chargeOf,
  type Json,
  listBeforeMore,
  listOf,
  orderOf as orderWith,
  refundOf,
} from '../harness/orders.ts';

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const figure = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt(-(2n ** 80n), 2n ** 80n).filter((value) => !Number.isSafeInteger(Number(value))),
);
const word = fc.constantFrom('MXN', 'USD', 'paid', 'refunded', 'constructor', '__proto__', 'ñ "x"');
const time = fc.nat(2 ** 33);

const refund: fc.Arbitrary<RefundInIndex> = fc.record({
  id: maybe(fc.string({ minLength: 1 })),
  amount: maybe(figure),
  createdAt: maybe(time),
  status: maybe(word),
});
const charge: fc.Arbitrary<ChargeInIndex> = fc
  .record({
    id: maybe(fc.string({ minLength: 1 })),
    last4: maybe(fc.constantFrom('4242', '0005')),
    amount: maybe(figure),
    currency: maybe(word),
    status: maybe(word),
    paidAt: maybe(time),
    method: maybe(word),
    brand: maybe(word),
    refunds: fc.array(refund, { maxLength: 3 }),
  })
  .map((one) => (one.refunds.length > 0 ? one : { ...one, id: undefined, last4: undefined }));
const facts: fc.Arbitrary<OrderInIndex> = fc.record({
  createdAt: maybe(time),
  amount: maybe(figure),
  refunded: maybe(figure),
  currency: maybe(word),
  status: maybe(word),
  purchase: maybe(fc.maxSafeInteger()),
  charges: maybe(fc.array(charge, { maxLength: 3 })),
  isPartial: fc.boolean(),
});

test('what is written is read again, in any mixture', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ facts: maybe(facts), readAt: time }), { maxLength: 20 }), (orders) => {
      expect(readColumns(writeColumns(orders))).toEqual(orders);
    }),
  );
});

describe('the order of the facts', () => {
  const order = orderWith(
    'ord_1',
    [
      chargeOf('ch_1', 35_000, { refunds: listOf(refundOf('rf_1', 5_000, { status: 'pending' })) }),
      chargeOf('ch_2', 17_000, {
        currency: 'USD',
        payment_method: { type: 'debit', brand: 'mastercard', last4: '5100' },
      }),
    ],
    { amount_refunded: 5_000, payment_status: 'partially_refunded' },
  );

  test('has the figures of the service, in its own form, and no text of a person', () => {
    expect(orderOf('ord_1', orderInIndex(order, undefined))).toEqual({
      id: 'ord_1',
      object: 'order',
      created_at: 1_790_000_000,
      amount: 52_000,
      amount_refunded: 5_000,
      currency: 'MXN',
      payment_status: 'partially_refunded',
      charges: {
        object: 'list',
        has_more: false,
        total: 2,
        data: [
          {
            id: 'ch_1',
            object: 'charge',
            amount: 35_000,
            status: 'paid',
            paid_at: 1_790_000_025,
            payment_method: { type: 'credit', brand: 'visa', last4: '4242' },
            refunds: {
              object: 'list',
              has_more: false,
              total: 1,
              data: [
                {
                  id: 'rf_1',
                  object: 'refund',
                  amount: -5_000,
                  created_at: 1_790_003_600,
                  status: 'pending',
                },
              ],
            },
          },
          {
            object: 'charge',
            amount: 17_000,
            currency: 'USD',
            status: 'paid',
            paid_at: 1_790_000_025,
            payment_method: { type: 'debit', brand: 'mastercard' },
            refunds: null,
          },
        ],
      },
    });
  });

  test('says that charges or refunds are not all shown', () => {
    const hidden = (changes: Json) => {
      const { charges } = orderOf('ord_1', orderInIndex({ ...order, ...changes }, undefined));
      return (charges as Json).has_more;
    };
    expect(hidden({})).toBe(false);
    expect(hidden({ charges: listBeforeMore(chargeOf('ch_1', 1)) })).toBe(true);
    expect(
      hidden({ charges: listOf(chargeOf('ch_1', 1, { refunds: listBeforeMore(refundOf('rf', 1)) })) }),
    ).toBe(true);
    expect(hidden({ charges: { object: 'list', total: 3, data: [chargeOf('ch_1', 1)] } })).toBe(true);
    expect(hidden({ charges: { object: 'list', data: ['no charge'] } })).toBe(true);
    expect(orderOf('ord_1', orderInIndex({ ...order, charges: null }, undefined)).charges).toBeUndefined();
  });

  test('keeps integers beyond 2^53, and no number that is not whole', () => {
    const read = (changes: Json): Json => {
      const [one] = readColumns(
        writeColumns([{ facts: orderInIndex({ ...order, ...changes }, undefined), readAt: 1 }]),
      );
      return one?.facts === undefined ? {} : orderOf('ord_1', one.facts);
    };
    expect(read({ amount: 9_007_199_254_740_993n }).amount).toBe(9_007_199_254_740_993n);
    expect(read({ amount: 10.5 }).amount).toBeUndefined();
    expect(read({ amount: '10' }).amount).toBeUndefined();
  });
});

test('the number of a purchase is the same for the same text, and another one for another', () => {
  const texts = Array.from(
    { length: 20_000 },
    (_, index) => `["buyer${index}@example.com",${index % 7},"MXN"]`,
  );
  expect(new Set(texts.map(numberOf)).size).toBe(texts.length);
  expect(numberOf('a')).toBe(numberOf('a'));
  expect(Number.isSafeInteger(numberOf('é'.repeat(1_000)))).toBe(true);
});

describe('an order that hides some of its money', () => {
  const known = {
    makerOf: () => ({ state: undefined, origin: 'this machine', reason: 'other', operator: 'op7' }) as const,
    purchaseOf: () => undefined,
  };

  test('is known by its figures whenever a summary would miss something of it', () => {
    let hiding = 0;
    fc.assert(
      fc.property(facts, (one) => {
        const span = { since: undefined, until: undefined };
        const rules = { dayOf: () => '2026-11-20', now: 0 };
        const summary = summariseRefunds({ span, by: 'day', currency: undefined, rules });
        summary.add(factsOfOrder(orderOf('o1', one), known));
        const { hidden, undated } = summary.result().gaps;
        const gaps = [...hidden, ...undated];
        if (gaps.length > 0) expect(hidesMoney(one)).toBe(true);
        hiding += gaps.length;
      }),
    );
    expect(hiding).toBeGreaterThan(0);
  });

  test('is not one that was paid, refunded in part, or declined, and shows all of it', () => {
    const paid = chargeOf('c1', 900, { status: 'paid', paid_at: 5, refunds: null });
    const declined = chargeOf('c1', 900, { status: 'declined', paid_at: null, refunds: null });
    const part = { ...paid, refunds: listOf(refundOf('r1', 400, { created_at: 6 })) };
    const hides = (order: Json) => hidesMoney(orderInIndex(order as never, undefined));
    expect(hides(orderWith('o1', [paid], { amount_refunded: 0 }))).toBe(false);
    expect(hides(orderWith('o1', [declined], { amount_refunded: 0 }))).toBe(false);
    expect(hides(orderWith('o1', [part], { amount_refunded: 400 }))).toBe(false);
    expect(hides(orderWith('o1', [part], { amount_refunded: 401 }))).toBe(true);
    const { refunds: _refunds, ...unsaid } = paid;
    expect(hides(orderWith('o1', [unsaid], { amount_refunded: null }))).toBe(true);
    expect(hides(orderWith('o1', [unsaid], { amount_refunded: 0 }))).toBe(false);
  });
});
