/** Which orders are taken for possible twins. */

import { describe, expect, test } from 'vitest';
import { createTwins, namePairs } from '../../../src/commands/orders/order-observer.ts';
import { chargeOf, listOf, refundOf } from '../../harness/orders.ts';

interface Bought {
  readonly id: string;
  readonly at: number;
  readonly buyer?: string | null;
  readonly email?: string;
  readonly amount?: number;
  readonly currency?: string;
}

function order({
  id,
  at,
  buyer = 'cus_A',
  email = 'a@example.com',
  amount = 5000,
  currency = 'MXN',
}: Bought) {
  return {
    id,
    created_at: at,
    amount,
    currency,
    payment_status: 'paid',
    customer_info: { customer_id: buyer, email },
  };
}

const partlyRefunded = {
  amount_refunded: 2000,
  charges: listOf(
    chargeOf('ch_1', 5000, {
      refunds: listOf(
        refundOf('rf_2', 500, { created_at: 1900 }),
        refundOf('rf_1', 1500, { created_at: 1800 }),
      ),
    }),
  ),
};

function twinsOf(...bought: readonly Bought[]): readonly (string | undefined)[] {
  const twins = createTwins();
  const orders = bought.map(order);
  for (const one of orders) twins.add([one]);
  return orders.map((one) => twins.of(one)?.id);
}

describe('two orders are possible twins', () => {
  test('when buyer and amount are the same within ten minutes, whichever was read first', () => {
    expect(twinsOf({ id: 'ord_2', at: 1600 }, { id: 'ord_1', at: 1000 })).toEqual(['ord_1', 'ord_2']);
    expect(twinsOf({ id: 'ord_1', at: 1000 }, { id: 'ord_2', at: 1600 })).toEqual(['ord_2', 'ord_1']);
  });

  test('also where one of them shows no customer id, by the e-mail in whatever case', () => {
    expect(
      twinsOf({ id: 'ord_2', at: 1100, buyer: null, email: 'A@Example.com' }, { id: 'ord_1', at: 1000 }),
    ).toEqual(['ord_1', 'ord_2']);
  });

  test.each([
    ['a second more than ten minutes apart', { at: 1601 }],
    ['another amount', { at: 1000, amount: 5001 }],
    ['another currency', { at: 1000, currency: 'USD' }],
    ['another buyer', { at: 1000, buyer: 'cus_B', email: 'b@example.com' }],
    ['the same order read twice', { at: 1000, id: 'ord_1' }],
  ])('but not with %s', (_, other) => {
    expect(twinsOf({ id: 'ord_1', at: 1000 }, { id: 'ord_2', ...other })).toEqual([undefined, undefined]);
  });

  test('but not where one of them was declined', () => {
    const twins = createTwins();
    const paid = order({ id: 'ord_2', at: 1000 });
    const declined = {
      ...order({ id: 'ord_1', at: 900 }),
      payment_status: 'declined',
      charges: listOf(chargeOf('ch_1', 5000, { status: 'declined', paid_at: null })),
    };
    twins.add([paid, declined]);
    expect([twins.of(paid), twins.of(declined)]).toEqual([undefined, undefined]);
  });

  test('but not where neither shows its buyer', () => {
    const twins = createTwins();
    const bare = (id: string) => ({ id, created_at: 1000, amount: 5000, payment_status: 'paid' });
    twins.add([bare('ord_1'), bare('ord_2')]);
    expect(twins.of(bare('ord_1'))).toBeUndefined();
  });

  test.each([
    ['nothing', { amount_refunded: 0 }, { refunded: 0, refund: undefined }],
    ['a part', partlyRefunded, { refunded: 2000, refund: { id: 'rf_2' } }],
    ['all, by the status alone', { payment_status: 'refunded' }, { refunded: 5000, refund: undefined }],
    ['it is not shown', {}, { refunded: undefined, refund: undefined }],
  ])('and it is known how much of the twin went back: %s', (_, shown, expected) => {
    const twins = createTwins();
    const own = order({ id: 'ord_2', at: 1000 });
    twins.add([own, { ...order({ id: 'ord_1', at: 900 }), ...shown }]);
    expect(twins.of(own)).toMatchObject({ id: 'ord_1', createdAt: 900, amount: 5000, ...expected });
  });

  test('and a pair is named once, the first five pairs with their ids', () => {
    const twins = createTwins();
    const pairs = namePairs(twins);
    const orders = Array.from({ length: 14 }, (_, index) =>
      order({ id: `ord_${index}`, at: 1000, email: `b${Math.floor(index / 2)}@example.com` }),
    );
    twins.add(orders);
    pairs.add(orders);
    const words = pairs.words();
    expect(words).toHaveLength(6);
    expect(words[0]).toBe('possible twins, same buyer and amount within 10 minutes: ord_0 and ord_1');
    expect(words[5]).toContain('2 more pairs of twins');
  });
});
