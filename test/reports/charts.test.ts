/** Bars, sparklines and calendars: nothing above 0 is invisible, and exact figures of any size can be drawn. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bar, calendar, type Signs, sparkline, sparklineOf } from '../../src/reports/charts.ts';
import { largestOf } from '../../src/reports/exact-sum.ts';

const signs = fc.constantFrom<Signs>('blocks', 'plain');
const amount = fc.oneof(fc.nat(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }));

test('a bar is never wider than its room, never invisible above 0, and longer for a larger figure', () => {
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 1, max: 60 }), signs, (one, other, room, drawn) => {
      const largest = largestOf([one, other]);
      const [a, b] = [bar(one, largest, room, drawn), bar(other, largest, room, drawn)];
      for (const text of [a, b]) expect(text.length).toBeLessThanOrEqual(room);
      expect(a === '').toBe(one === 0);
      if (one > other) expect(a.length).toBeGreaterThanOrEqual(b.length);
      if (largest === one && one > 0) expect(a.length).toBe(room);
    }),
  );
});

test.each<[number, number, Signs, string]>([
  [5_210_300, 11_694_057, 'blocks', '███████▏'],
  [11_694_057, 11_694_057, 'blocks', '████████████████'],
  [1, 11_694_057, 'blocks', '▏'],
  [0, 5, 'blocks', ''],
  [5_210_300, 11_694_057, 'plain', '#######'],
  [1, 11_694_057, 'plain', '#'],
])('%s of %s in %s is %s', (figure, largest, drawn, text) =>
  expect(bar(figure, largest, 16, drawn)).toBe(text),
);

test('a sparkline has one sign for each figure; 0 is a dot, the largest the highest, and none above 0 a dot', () => {
  expect(sparkline([0, 1, 4, 8, 0, 2n ** 3n], 'blocks')).toBe('·▁▄█·█');
  expect(sparkline([0, 1, 4, 5, 8, 10, 12], 'plain')).toBe('.:-=+*#');
  expect(sparkline([0, 0], 'blocks')).toBe('··');
  fc.assert(
    fc.property(fc.array(amount), signs, (figures, drawn) => {
      const text = sparkline(figures, drawn).split('');
      expect(text.length).toBe(figures.length);
      expect(text.map((sign) => sign === '·' || sign === '.')).toEqual(figures.map((one) => one === 0));
    }),
  );
});

const november = {
  first: '2026-11-01',
  last: '2026-11-21',
  figures: new Map([
    ['2026-11-02', 4],
    ['2026-11-20', 8],
  ]),
};

test('where the days do not fit, a sparkline has a sign for each week, and then for each month', () => {
  expect(sparklineOf(november, 21, 'plain')).toEqual({ unit: 'day', text: '.=.................#.' });
  expect(sparklineOf(november, 20, 'plain')).toEqual({ unit: 'week', text: '.=.#' });
  expect(sparklineOf(november, 3, 'plain')).toEqual({ unit: 'month', text: '#' });
  expect(sparklineOf(november, 0, 'plain')).toBeUndefined();
});

test('a calendar has a line for each week, and blanks for the days before and after', () => {
  expect(calendar(november, 'plain').map(({ week, days }) => `${week} ${days.join('')}`)).toEqual([
    '2026-W44       .',
    '2026-W45 =......',
    '2026-W46 .......',
    '2026-W47 ....#. ',
  ]);
});
