/** Paging by key: walking covers everything once, and going back shows the page before. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/simulator/random.ts';
import { openStore } from '../../src/simulator/store.ts';
import { now } from './fixtures.ts';

const store = (orders: number) =>
  openStore({ file: undefined, mode: 'sandbox', orders, now, random: seededRandom('store') });

const idsOf = (bodies: readonly string[] = []) =>
  bodies.map((body) => /"id":"(ord_[A-Za-z0-9]+)"/.exec(body)?.[1]);

test('any page size walks every order once, in the same order', () => {
  const filled = store(40);
  const all = idsOf(filled.page('orders', { limit: 250 })?.bodies);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 45 }), (limit) => {
      const seen: unknown[] = [];
      let page = filled.page('orders', { limit });
      while (page !== undefined && page.bodies.length > 0) {
        seen.push(...idsOf(page.bodies));
        page = page.after ? filled.page('orders', { limit, next: page.lastId }) : undefined;
      }
      expect(seen).toEqual(all);
    }),
  );
});

test('the page before a record is what stands immediately before it, however long', () => {
  const filled = store(40);
  const all = idsOf(filled.page('orders', { limit: 250 })?.bodies);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 39 }), fc.integer({ min: 1, max: 45 }), (place, limit) => {
      const page = filled.page('orders', { limit, previous: all[place] });
      expect(idsOf(page?.bodies)).toEqual(all.slice(Math.max(0, place - limit), place));
      expect(page?.before).toBe(place > limit);
      expect(page?.after).toBe(true);
    }),
  );
});

test('a refused change leaves what is kept as it was', () => {
  const filled = store(3);
  const [body = ''] = filled.page('orders', { limit: 1 })?.bodies ?? [];
  const [id = ''] = idsOf([body]);
  const failure = { kind: 'validation', details: [] } as const;
  expect(filled.changeOrder(id, () => ({ failure }))).toEqual({ failure });
  expect(() =>
    filled.changeOrder(id, () => {
      throw new Error('broken');
    }),
  ).toThrow('broken');
  expect(filled.get('orders', id)).toBe(body);
});

test('two simulators have keys of their own', () => {
  const open = (seed: string) =>
    openStore({ file: undefined, mode: 'sandbox', orders: 0, now, random: seededRandom(seed) }).identity()
      .key;
  expect(open('one')).not.toBe(open('two'));
});
