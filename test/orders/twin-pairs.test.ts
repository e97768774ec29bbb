/** Which orders of a period are a pair of twins, and which pairs are settled. */

import { expect, test } from 'vitest';
import { type Twin, twinOf, twinPairs } from '../../src/orders/twins.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';

const order = (
  id: string,
  createdAt: number,
  purchase = 'ana 100',
  changes: Json = {},
): Twin & { readonly purchase: string } => {
  const twin = twinOf(orderOf(id, [chargeOf(`ch_${id}`, 100)], { ...changes, created_at: createdAt }));
  if (twin === undefined) throw new Error(`${id} is no twin`);
  return { ...twin, purchase };
};
const refunded = (amount: number, status?: string): Json => ({
  amount_refunded: status === undefined ? amount : 0,
  charges: listOf(chargeOf('ch_1', 100, { refunds: listOf(refundOf('rf_1', amount, { status })) })),
});
const declined: Json = { charges: listOf(chargeOf('ch_1', 100, { status: 'declined', paid_at: null })) };
const names = (orders: readonly ReturnType<typeof order>[]) =>
  twinPairs(orders).map(
    ({ first, second, apart, isSettled }) =>
      `${first.id} ${second.id} ${apart}${isSettled ? ' settled' : ''}`,
  );

test('two orders of one buyer and amount within ten minutes are a pair, the earlier one first, in whatever order they were read', () => {
  expect(names([order('b', 1600), order('a', 1000)])).toEqual(['a b 600']);
  expect(names([order('b', 1601), order('a', 1000)])).toEqual([]);
  expect(names([order('b', 1300, 'leo 100'), order('a', 1000)])).toEqual([]);
});

test('three in a row are two pairs, the newest first, and an order that was read twice counts once', () => {
  expect(names([order('a', 0), order('b', 100), order('b', 100), order('c', 150)])).toEqual([
    'b c 50',
    'a b 100',
  ]);
});

test('an order that was declined is in no pair', () => {
  expect(names([order('a', 0, undefined, declined), order('b', 100)])).toEqual([]);
  expect(names([order('a', 0), order('b', 50, undefined, declined), order('c', 100)])).toEqual(['a c 100']);
});

test.each([
  ['all of one went back', refunded(100), 'a b 100 settled'],
  ['a part of one went back', refunded(99), 'a b 100'],
  ['the refund of one failed', refunded(100, 'failed'), 'a b 100'],
  ['the refund of one is under way', refunded(100, 'pending'), 'a b 100'],
])('a pair is settled only once all of one payment went back: %s', (_, changes, expected) => {
  expect(names([order('a', 0, undefined, changes), order('b', 100)])).toEqual([expected]);
});

test('two payments around one that went back are a pair', () => {
  expect(names([order('a', 0), order('b', 50, undefined, refunded(100)), order('c', 100)])).toEqual([
    'b c 50 settled',
    'a c 100',
    'a b 50 settled',
  ]);
});
