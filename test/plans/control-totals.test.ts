/** What a person counted beside what the rows are. */

import { describe, expect, it } from 'vitest';
import { controlTotalProblems, readExpectedTotal } from '../../src/plans/control-totals.ts';

const mxn = { currency: 'MXN', rows: 39, amount: 23000 };
const usd = { currency: 'USD', rows: 1, amount: 500 };
const found = { rows: 40, sums: [mxn, usd] };
const totals = [
  { currency: 'MXN', amount: 23000 },
  { currency: 'USD', amount: 500 },
];

describe('F52 control totals', () => {
  it.each([
    ['MXN=23000', { currency: 'MXN', amount: 23000 }],
    ['mxn=1', { currency: 'MXN', amount: 1 }],
    ['MXN=9007199254740991', { currency: 'MXN', amount: 9007199254740991 }],
  ])('reads %s', (text, total) => {
    expect(readExpectedTotal(text)).toEqual(total);
  });

  it.each([
    '',
    'MXN',
    '23000',
    'MXN=',
    'MXN=0',
    'MXN=-5',
    'MXN=1,000',
    'MXN=230.00',
    'MXN=5=5',
    'PESO=5',
    '=5',
    'MXN= 5',
    '__proto__=5',
    'MXN=9007199254740993',
  ])('does not read %s', (text) => {
    expect(readExpectedTotal(text)).toBeUndefined();
  });

  it('have nothing to say if all agrees, in any order', () => {
    expect(controlTotalProblems({ count: 40, totals: totals.toReversed() }, found)).toEqual([]);
  });

  it('have nothing to say if nothing was counted', () => {
    expect(controlTotalProblems({ count: undefined, totals: [] }, found)).toEqual([]);
  });

  it('name the count and each sum that differs', () => {
    const typed = [
      { currency: 'MXN', amount: 23001 },
      { currency: 'EUR', amount: 7 },
      { currency: 'USD', amount: 500 },
    ];
    expect(controlTotalProblems({ count: 41, totals: typed }, found)).toEqual([
      '--expect-count 41: there are 40 rows',
      '--expect-total MXN=23001: the rows add up to 23000 MXN',
      '--expect-total EUR=7: the rows add up to 0 EUR',
    ]);
  });

  it('name a currency that nobody expected', () => {
    expect(controlTotalProblems({ count: undefined, totals: totals.slice(0, 1) }, found)).toEqual([
      'there is 1 row in USD too, 500 in all: --expect-total USD=500 is missing',
    ]);
    const unknown = { rows: 2, sums: [{ currency: '?', rows: 2, amount: 10 }] };
    expect(controlTotalProblems({ count: 1, totals: totals.slice(0, 1) }, unknown)).toEqual([
      '--expect-count 1: there are 2 rows',
      '--expect-total MXN=23000: the rows add up to 0 MXN',
      'there are 2 rows without a currency, 10 in all',
    ]);
  });

  it('take two totals of one currency for two claims', () => {
    const typed = [...totals, { currency: 'MXN', amount: 1 }];
    expect(controlTotalProblems({ count: undefined, totals: typed }, found)).toEqual([
      '--expect-total MXN=1: the rows add up to 23000 MXN',
    ]);
  });
});
