/** The bench's table: what a ratio is made of, and what is said where nothing could be measured. */

import { expect, test } from 'vitest';
import { median, tableOf, timesRow } from '../../tools/bench/row.ts';

test('a row shows the ratio of the medians, the range of the rounds, and whether the goal is met', () => {
  const row = { name: 'a ÷ b', goal: 1.1, samplesA: [100, 130, 90], samplesB: [100, 100, 100] };
  const memory = { ...row, name: 'a | b', unit: 'MB', goal: undefined } as const;
  expect(tableOf([row, { ...row, name: 'b ÷ a', goal: 0.9 }, memory])).toMatchInlineSnapshot(`
    "| row    | ratio | min … max   | goal         | CPU | goal | A      | B      |
    | ------ | ----- | ----------- | ------------ | --- | ---- | ------ | ------ |
    | a ÷ b  | 1.00  | 0.90 … 1.30 | ≤ 1.1 met    |     |      | 100 ms | 100 ms |
    | b ÷ a  | 1.00  | 0.90 … 1.30 | ≤ 0.9 missed |     |      | 100 ms | 100 ms |
    | a \\| b | 1.00  | 0.90 … 1.30 |              |     |      | 100 MB | 100 MB |
    "
  `);
});

test('a row of times shows the clock and the processors, each with its goal', () => {
  const [a, b] = [
    [
      { wall: 60, cpu: 90 },
      { wall: 80, cpu: 92 },
    ],
    [
      { wall: 50, cpu: 60 },
      { wall: 50, cpu: 60 },
    ],
  ];
  expect(tableOf([timesRow('a ÷ b', { wall: 1.4, cpu: 1.5 }, a, b)])).toMatchInlineSnapshot(`
    "| row   | ratio | min … max   | goal      | CPU  | goal         | A       | B       |
    | ----- | ----- | ----------- | --------- | ---- | ------------ | ------- | ------- |
    | a ÷ b | 1.40  | 1.20 … 1.60 | ≤ 1.4 met | 1.52 | ≤ 1.5 missed | 70.0 ms | 50.0 ms |
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
