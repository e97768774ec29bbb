/** The catalogue of conventions and faults: each has its claim, and a test that is there. `npm run catalogue` runs them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claims, problemOf } from '../tools/catalogue.ts';

const numbers = Array.from({ length: 80 }, (_, index) => index + 1);

test('80 conventions and 80 faults have a claim each, and a test with that title', () => {
  expect(Object.keys(claims)).toEqual(
    ['C', 'F'].flatMap((letter) => numbers.map((number) => letter + number)),
  );
  const without = Object.entries(claims).filter(
    ([, { claim, file, title }]) =>
      claim.length < 20 || !readFileSync(join(import.meta.dirname, '..', file), 'utf8').includes(title),
  );
  expect(without).toEqual([]);
});

test.each([
  ['passed', [{ fullName: 'pipes 5 MB of a list ends well', status: 'passed' }], undefined],
  ['is not there', [{ fullName: 'pipes another', status: 'passed' }], 'is missing, or did not run'],
  ['was skipped', [{ fullName: '5 MB of a list ends', status: 'skipped' }], 'is missing, or did not run'],
  [
    'asserts nothing in one of its cases',
    [
      { fullName: '5 MB of a list ends', status: 'passed' },
      { fullName: '5 MB of a plan ends', status: 'failed' },
    ],
    'fails, or asserts nothing',
  ],
  [
    'passed, beside one of its number that fails',
    [
      { fullName: '5 MB of a list ends', status: 'passed' },
      { fullName: 'a reader that goes away (C52, C53)', status: 'failed' },
    ],
    'fails, or asserts nothing',
  ],
])('a claim whose test %s', (_, ran, problem) => {
  expect(problemOf('C53', { claim: '', file: '', title: '5 MB of a %s ends' }, ran)).toBe(problem);
});
