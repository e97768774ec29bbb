/** Which orders are a pair of possible twins. */

import { expect, test } from 'vitest';
import { type DatedOrder, isDated, twinPairs } from '../../src/reports/twin-pairs.ts';

const order = (id: string, createdAt: number, purchase = 'ana 100'): DatedOrder => ({
  id,
  createdAt,
  purchase,
  currency: 'MXN',
  status: 'paid',
  amount: 100,
  refunded: 0,
  brand: 'visa',
  method: 'credit',
  buyer: 'Ana',
});
const names = (orders: readonly DatedOrder[]) =>
  twinPairs(orders, 600).map(({ first, second, apart }) => `${first.id} ${second.id} ${apart}`);

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

test('an order without a time, an id or a buyer can be no twin', () => {
  const whole = order('a', 1);
  expect(isDated(whole)).toBe(true);
  expect(isDated({ ...whole, createdAt: undefined })).toBe(false);
  expect(isDated({ ...whole, id: undefined })).toBe(false);
  expect(isDated({ ...whole, purchase: undefined })).toBe(false);
});
