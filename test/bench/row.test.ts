/** The bench's table: what a ratio is made of, and what is said where nothing could be measured. */

import { expect, test } from 'vitest';
import { median, tableOf } from '../../tools/bench/row.ts';

test('a row shows the ratio of the medians, the range of the rounds, and whether the goal is met', () => {
  const row = { name: 'a ÷ b', goal: 1.1, samplesA: [100, 130, 90], samplesB: [100, 100, 100] };
  expect(tableOf([row, { ...row, name: 'b ÷ a', goal: 0.9 }])).toMatchInlineSnapshot(`
    "| row   | ratio | min … max   | A      | B      | rounds | goal  |        |
    |-------|-------|-------------|--------|--------|--------|-------|--------|
    | a ÷ b | 1.00  | 0.90 … 1.30 | 100 ms | 100 ms | 3      | ≤ 1.1 | met    |
    | b ÷ a | 1.00  | 0.90 … 1.30 | 100 ms | 100 ms | 3      | ≤ 0.9 | missed |
    "
  `);
});

test('a row that could not be run says why', () => {
  expect(tableOf([{ name: 'a', goal: 1, notRun: 'npm could not install axios' }])).toContain(
    'not run: npm could not install axios',
  );
});

test('of an even number of samples the median is between the two in the middle', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
});
