/** Sums are exact at any size, and a rate is never rounded up. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Figure,
  largestFirst,
  largestOf,
  magnitude,
  negated,
  percent,
  plus,
  wholeNumber,
} from '../../src/reports/exact-sum.ts';

const figure = fc
  .oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))
  .map((value) => wholeNumber(value) ?? 0);

test('28 a sum of any amounts is what bigints give, in any order, and a number whenever it is safe', () => {
  fc.assert(
    fc.property(fc.array(figure), (figures) => {
      const wanted = figures.reduce((sum: bigint, one) => sum + BigInt(one), 0n);
      const sum = figures.reduce(plus, 0);
      const other = figures.toReversed().reduce(plus, 0);
      expect(BigInt(sum)).toBe(wanted);
      expect(other).toBe(sum);
      expect(typeof sum).toBe(Number.isSafeInteger(Number(wanted)) ? 'number' : 'bigint');
    }),
  );
});

test('28 200,000 amounts near 2^53 add up exactly, where doubles are off', () => {
  const amounts = Array.from({ length: 200_000 }, (_, index) => Number.MAX_SAFE_INTEGER - index * 7);
  const wanted = amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);
  expect(amounts.reduce((sum: Figure, amount) => plus(sum, amount), 0)).toBe(wanted);
  expect(BigInt(amounts.reduce((sum, amount) => sum + amount, 0))).not.toBe(wanted);
});

test('a sign is turned without a minus before zero, and a figure is as large without it', () => {
  fc.assert(
    fc.property(figure, (one) => {
      expect(BigInt(negated(one))).toBe(-BigInt(one));
      expect(magnitude(one) >= 0).toBe(true);
    }),
  );
  expect(Object.is(negated(0), 0)).toBe(true);
});

test.each([
  [12, 12],
  [-0, 0],
  [5n, 5],
  [2n ** 60n, 2n ** 60n],
  [1.5, undefined],
  [2 ** 53, undefined],
  ['12', undefined],
  [null, undefined],
])('%s of the service is the figure %s', (value, wanted) => expect(wholeNumber(value)).toBe(wanted));

test.each<[Figure, Figure, string | undefined]>([
  [19_684_507, 442_401_900, '4.45'],
  [2_963_786, 57_906_900, '5.12'],
  [1, 3, '33.33'],
  [2, 3, '66.67'],
  [1, 800, '0.13'],
  [124_999, 100_000_000, '0.12'],
  [144_277n, 100_000n, '144.28'],
  [1, 20_000, '0.01'],
  [1, 20_001, '<0.01'],
  [1, 1_000_000, '<0.01'],
  [0, 5, '0.00'],
  [5, 5, '100.00'],
  [7, 5, '140.00'],
  [5, 0, undefined],
  [-5, 5, undefined],
  [2n ** 60n, 2n ** 61n, '50.00'],
])('%s of %s is %s percent', (part, whole, wanted) => expect(percent(part, whole)).toBe(wanted));

test('the largest comes first, also among numbers and bigints', () => {
  const figures: Figure[] = [3, 2n ** 60n, 3, -1, 2n ** 61n];
  expect(figures.toSorted(largestFirst)).toEqual([2n ** 61n, 2n ** 60n, 3, 3, -1]);
  expect(largestOf(figures)).toBe(2n ** 61n);
  expect(largestOf([-5])).toBe(0);
});
