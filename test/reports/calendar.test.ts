/** Days, ISO weeks and months. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { daysFrom, mondayOf, unitOf, unitsFrom, weekdayOf, weekOf } from '../../src/reports/buckets.ts';

test.each([
  ['2026-11-20', '2026-W47'],
  ['2026-01-01', '2026-W01'],
  ['2027-01-01', '2026-W53'],
  ['2024-12-30', '2025-W01'],
  ['2021-01-03', '2020-W53'],
  ['2023-01-01', '2022-W52'],
])('%s is in week %s', (day, week) => expect(weekOf(day)).toBe(week));

const anyDay = fc
  .integer({ min: 0, max: 60_000 })
  .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));

test('every day is in the week that begins with its Monday', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const [year = '', week = ''] = weekOf(day).split('-W');
      const monday = mondayOf(Number(year), Number(week)) ?? Number.NaN;
      expect(Date.parse(day) - monday).toBe(weekdayOf(day) * 86_400_000);
      expect(weekdayOf(day)).toBe((new Date(day).getUTCDay() + 6) % 7);
    }),
  );
});

test('a year of 52 weeks has no week 53, and no year a week 0', () => {
  expect([mondayOf(2026, 53), mondayOf(2025, 53), mondayOf(2025, 0)]).toEqual([
    Date.UTC(2026, 11, 28),
    undefined,
    undefined,
  ]);
});

test('the days, weeks and months from one day to another, each once', () => {
  expect(daysFrom('2026-02-27', '2026-03-02')).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ]);
  expect(daysFrom('2026-03-02', '2026-02-27')).toEqual([]);
  expect(unitsFrom('2026-02-27', '2026-03-02', 'week')).toEqual(['2026-W09', '2026-W10']);
  expect(unitsFrom('2026-02-27', '2026-03-02', 'month')).toEqual(['2026-02', '2026-03']);
  expect(unitOf('2026-02-27', 'day')).toBe('2026-02-27');
});
