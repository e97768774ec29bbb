/** Sums are exact at any size, and a share reads as all or as nothing only if it is. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percent } from '../../src/counted.ts';
import {
  type Figure,
  largestFirst,
  largestOf,
  magnitude,
  negated,
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
  [19_684_507, 442_401_900, '4.4'],
  [2_963_786, 57_906_900, '5.1'],
  [9_889, 10_000, '98.9'],
  [1_293, 10_000, '12.9'],
  [1, 3, '33.3'],
  [2, 3, '66.7'],
  [1, 800, '0.1'],
  [144_277n, 100_000n, '144.3'],
  [1, 2_000, '0.1'],
  [1, 2_001, '<0.1'],
  [1_999, 2_001, '99.9'],
  [2_000, 2_001, '>99.9'],
  [2_002, 2_001, '>100.0'],
  [0, 5, '0.0'],
  [5, 5, '100.0'],
  [7, 5, '140.0'],
  [5, 0, undefined],
  [-5, 5, undefined],
  [2n ** 60n, 2n ** 61n, '50.0'],
])('%s of %s is %s percent', (part, whole, wanted) => expect(percent(part, whole)).toBe(wanted));

test('the largest comes first, also among numbers and bigints', () => {
  const figures: Figure[] = [3, 2n ** 60n, 3, -1, 2n ** 61n];
  expect(figures.toSorted(largestFirst)).toEqual([2n ** 61n, 2n ** 60n, 3, 3, -1]);
  expect(largestOf(figures)).toBe(2n ** 61n);
  expect(largestOf([-5])).toBe(0);
});
