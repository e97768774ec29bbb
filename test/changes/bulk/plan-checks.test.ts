/** The limits of a profile for plans: what is over them, in words that name the setting. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planLimitProblems } from '../../../src/changes/bulk/plan-checks.ts';
import { isLimit, parseLimits, type SettingTexts } from '../../../src/profiles/limits.ts';
import { readSettings } from '../../../src/profiles/settings.ts';

const problems = (
  texts: SettingTexts,
  rows: number,
  sums: readonly (readonly [currency: string, amount: number])[] = [],
) =>
  planLimitProblems(
    { ...readSettings(without(texts), 'sandbox', 'shop'), ...parseLimits(texts) },
    {
      rows,
      sums: sums.map(([currency, amount]) => ({ currency, amount })),
    },
  );

/** The settings that are no limits. */
const without = (texts: SettingTexts): SettingTexts =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => !isLimit(name)));

test('a profile without limits lets every plan pass', () => {
  expect(
    problems({}, 100_000, [
      ['MXN', 9_007_199_254_740_991],
      ['?', 5],
    ]),
  ).toEqual([]);
  expect(
    problems({ 'refund.max_amount.MXN': '5' }, 2, [
      ['MXN', 900],
      ['USD', 5],
    ]),
  ).toEqual([]);
});

test('plan.max_count is the most rows that are sent', () => {
  expect(problems({ 'plan.max_count': '10' }, 10)).toEqual([]);
  expect(problems({ 'plan.max_count': '10' }, 11)).toEqual([
    'the plan would send 11 rows: plan.max_count is 10',
  ]);
});

test('plan.max_total is the most of one currency, and every currency that is over is named', () => {
  const limits = { 'plan.max_total.MXN': '500', 'plan.max_total.USD': '50', 'amounts.decimals.MXN': '2' };
  expect(
    problems(limits, 2, [
      ['MXN', 500],
      ['USD', 50],
    ]),
  ).toEqual([]);
  expect(
    problems(limits, 2, [
      ['MXN', 501],
      ['USD', 51],
    ]),
  ).toEqual([
    'the plan would refund 501 MXN (5.01): plan.max_total.MXN is 500 (5.00)',
    'the plan would refund 51 USD: plan.max_total.USD is 50',
  ]);
});

test('a currency without a limit is refused beside one with a limit, unless other currencies are allowed', () => {
  const limits = { 'plan.max_total.MXN': '500' };
  expect(problems(limits, 1, [['USD', 5]])).toEqual([
    'the plan would refund 5 USD: there is no plan.max_total.USD, and refund.other_currencies is refuse',
  ]);
  expect(
    problems({ ...limits, 'refund.other_currencies': 'allow' }, 2, [
      ['USD', 5],
      ['MXN', 501],
    ]),
  ).toEqual(['the plan would refund 501 MXN: plan.max_total.MXN is 500']);
});

test('an order that shows no currency is refused wherever there is a total, even if others are allowed', () => {
  const limits = { 'plan.max_total.MXN': '500', 'refund.other_currencies': 'allow' };
  expect(problems(limits, 1, [['?', 5]])).toEqual([
    'orders of the plan do not show their currency, and there is a plan.max_total',
  ]);
});

test('all problems are named at once', () => {
  expect(problems({ 'plan.max_count': '1', 'plan.max_total.MXN': '1' }, 2, [['MXN', 2]])).toHaveLength(2);
});

test('a currency that is constructor has no limit, and one in small letters has that of its capitals', () => {
  const limits = { 'plan.max_total.MXN': '500' };
  expect(problems(limits, 1, [['constructor', 5]])).toHaveLength(1);
  expect(
    problems(limits, 2, [
      ['mxn', 300],
      ['MXN', 201],
    ]),
  ).toEqual(['the plan would refund 501 MXN: plan.max_total.MXN is 500']);
});

test('a plan passes exactly if every total is within its limit', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('MXN', 'USD', 'EUR'), fc.integer({ min: 1, max: 9 })),
      fc.array(fc.tuple(fc.constantFrom('MXN', 'USD', 'EUR'), fc.integer({ min: 1, max: 9 })), {
        maxLength: 3,
      }),
      fc.constantFrom('refuse', 'allow'),
      (limits, sums, others) => {
        const texts = Object.fromEntries(
          Object.entries(limits).map(([currency, limit]) => [`plan.max_total.${currency}`, String(limit)]),
        );
        const otherwise =
          others === 'allow' || Object.keys(limits).length === 0 ? Number.POSITIVE_INFINITY : 0;
        const isWithin = sums.every(([currency]) => {
          const own = sums.filter(([one]) => one === currency).reduce((sum, [, amount]) => sum + amount, 0);
          return own <= (limits[currency] ?? otherwise);
        });
        const found = problems({ ...texts, 'refund.other_currencies': others }, sums.length, sums);
        expect(found.length === 0).toBe(isWithin);
      },
    ),
  );
});
