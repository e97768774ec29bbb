/** An amount spread over the charges of an order. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from '../../../src/changes/bulk/plan/spread-row.ts';

const charges = [
  { id: 'a', left: 200 },
  { id: 'b', left: 500 },
  { id: 'c', left: 0 },
  { id: 'd', left: 500 },
];

const order = fc
  .array(fc.nat({ max: 2 ** 45 }), { maxLength: 30 })
  .map((all) => all.map((left, index) => ({ id: `ch_${index}`, left })));
const way = fc.constantFrom('in-order' as const, 'largest-first' as const);

describe('allocate', () => {
  it('takes from the first charge on', () => {
    expect(allocate(300, charges, 'in-order')).toEqual([
      { id: 'a', amount: 200 },
      { id: 'b', amount: 100 },
    ]);
  });

  it('takes from the charge with most left on, and of two alike from the first', () => {
    expect(allocate(1100, charges, 'largest-first')).toEqual([
      { id: 'b', amount: 500 },
      { id: 'd', amount: 500 },
      { id: 'a', amount: 100 },
    ]);
  });

  it('needs no second charge if one has just enough', () => {
    expect(allocate(200, charges, 'in-order')).toEqual([{ id: 'a', amount: 200 }]);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53, 1201])('has no parts for %d', (amount) => {
    expect(allocate(amount, charges, 'in-order')).toBeUndefined();
    expect(allocate(amount, charges, 'largest-first')).toBeUndefined();
  });

  it('takes nothing from a charge without a safe figure', () => {
    const odd = [-5, 1.5, Number.NaN, Number.POSITIVE_INFINITY].map((left, index) => ({
      id: `ch_${index}`,
      left,
    }));
    expect(allocate(1, odd, 'in-order')).toBeUndefined();
    expect(allocate(1, [...odd, { id: 'ch_9', left: 1 }], 'largest-first')).toEqual([
      { id: 'ch_9', amount: 1 },
    ]);
  });

  it('parts are positive, none is above what is left, and they add up exactly', () => {
    fc.assert(
      fc.property(order, fc.integer({ min: 1, max: 2 ** 50 }), way, (all, amount, how) => {
        const parts = allocate(amount, all, how);
        const total = all.reduce((sum, { left }) => sum + left, 0);
        expect(parts === undefined).toBe(amount > total);
        const left = new Map(all.map((charge) => [charge.id, charge.left]));
        expect(
          (parts ?? []).filter((part) => part.amount < 1 || part.amount > (left.get(part.id) ?? 0)),
        ).toEqual([]);
        expect(new Set(parts?.map(({ id }) => id)).size).toBe(parts?.length ?? 0);
        expect(parts?.reduce((sum, part) => sum + part.amount, 0)).toBe(amount > total ? undefined : amount);
      }),
    );
  });

  it('all of what is left is every charge with something left, and the same again the next time', () => {
    fc.assert(
      fc.property(order, way, (all, how) => {
        const total = all.reduce((sum, { left }) => sum + left, 0);
        fc.pre(total > 0);
        const parts = allocate(total, all, how);
        expect(allocate(total, all, how)).toEqual(parts);
        const used = all.filter(({ left }) => left > 0).map(({ id, left }) => ({ id, amount: left }));
        expect(parts).toEqual(how === 'in-order' ? used : used.toSorted((a, b) => b.amount - a.amount));
      }),
    );
  });

  it('uses as few charges as possible with the largest first', () => {
    fc.assert(
      fc.property(order, fc.integer({ min: 1, max: 2 ** 46 }), (all, amount) => {
        const largest = allocate(amount, all, 'largest-first')?.length ?? 0;
        expect(largest).toBeLessThanOrEqual(allocate(amount, all, 'in-order')?.length ?? 0);
      }),
    );
  });
});
