/** Faults: how they are asked for, and that a seed repeats them. */

import { describe, expect, test } from 'vitest';
import { createFaults, parseFaults } from '../../src/simulator/faults.ts';

test.each([
  ['drop', 1, ['drop']],
  ['drop,500,html', 1, ['drop', '500', 'html']],
  ['stall:0.25', 0.25, ['stall']],
  ['cut:.5', 0.5, ['cut']],
  ['429:0', 0, ['429']],
])('%s is one total rate of %d', (text, rate, endings) => {
  const plan = parseFaults(text, '--fault');
  expect(plan.rate).toBe(rate);
  expect(plan.faults).toEqual(endings.map((ending) => ({ ending, applied: false })));
});

test('a refund that fails later, and one that is pending, are faults of their own', () => {
  const { faults } = parseFaults('fails-later,pending', '--fault');
  expect(faults).toEqual([{ later: 'fails-later' }, { later: 'pending' }]);
});

test('apply-drop is carried out before the reply is lost', () => {
  expect(parseFaults('apply-drop', '--fault').faults).toEqual([{ ending: 'drop', applied: true }]);
});

test('all is every kind of reply, also as apply-…', () => {
  expect(parseFaults('all:0.1', '--fault').faults).toHaveLength(12);
});

test.each(['', 'nope', 'drop,', 'drop:2', 'drop:-1', 'drop:x', 'drop:0.1:0.2', 'apply-all'])(
  'refuses %j and says what is known',
  (text) => {
    expect(() => parseFaults(text, '--fault')).toThrow(/--fault/);
  },
);

describe('drawing', () => {
  const plan = parseFaults('all:0.5', '--fault');
  const draw = (seed: number) => {
    const next = createFaults(plan, { seed, reads: false });
    return Array.from({ length: 200 }, () => next('POST'));
  };

  test('repeats itself under the same seed, and differs under another', () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  test('meets about the share of changes that was asked for', () => {
    const met = draw(1).filter((fault) => fault !== undefined).length;
    expect(met).toBeGreaterThan(70);
    expect(met).toBeLessThan(130);
  });

  test('spares reads unless they are asked for', () => {
    expect(createFaults(parseFaults('drop', '--fault'), { seed: 1, reads: false })('GET')).toBeUndefined();
    expect(createFaults(parseFaults('drop', '--fault'), { seed: 1, reads: true })('GET')).toBeDefined();
  });
});
