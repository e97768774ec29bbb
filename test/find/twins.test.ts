/** Possible twins, and the date that ends a walk. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stopAtDate } from '../../src/commands/orders/order-observer.ts';
import { createTwins, twinPairs } from '../../src/commands/orders/order-twins.ts';

interface Bought {
  readonly id: string;
  readonly at: number;
  readonly buyer?: string | null;
  readonly email?: string;
  readonly amount?: number;
  readonly currency?: string;
}

function order({
  id,
  at,
  buyer = 'cus_A',
  email = 'a@example.com',
  amount = 5000,
  currency = 'MXN',
}: Bought) {
  return { id, created_at: at, amount, currency, customer_info: { customer_id: buyer, email } };
}

function twinsOf(...bought: readonly Bought[]): readonly (string | undefined)[] {
  const twins = createTwins();
  const orders = bought.map(order);
  for (const one of orders) twins.see([one]);
  return orders.map((one) => twins.of(one));
}

describe('two orders are possible twins', () => {
  test('when buyer and amount are the same within ten minutes, whichever was read first', () => {
    expect(twinsOf({ id: 'ord_2', at: 1600 }, { id: 'ord_1', at: 1000 })).toEqual(['ord_1', 'ord_2']);
    expect(twinsOf({ id: 'ord_1', at: 1000 }, { id: 'ord_2', at: 1600 })).toEqual(['ord_2', 'ord_1']);
  });

  test('also where one of them shows no customer id, by the e-mail in whatever case', () => {
    expect(
      twinsOf({ id: 'ord_2', at: 1100, buyer: null, email: 'A@Example.com' }, { id: 'ord_1', at: 1000 }),
    ).toEqual(['ord_1', 'ord_2']);
  });

  test.each([
    ['a second more than ten minutes apart', { at: 1601 }],
    ['another amount', { at: 1000, amount: 5001 }],
    ['another currency', { at: 1000, currency: 'USD' }],
    ['another buyer', { at: 1000, buyer: 'cus_B', email: 'b@example.com' }],
    ['the same order read twice', { at: 1000, id: 'ord_1' }],
  ])('but not with %s', (_, other) => {
    expect(twinsOf({ id: 'ord_1', at: 1000 }, { id: 'ord_2', ...other })).toEqual([undefined, undefined]);
  });

  test('but not where neither shows its buyer', () => {
    const twins = createTwins();
    const bare = (id: string) => ({ id, created_at: 1000, amount: 5000 });
    twins.see([bare('ord_1'), bare('ord_2')]);
    expect(twins.of(bare('ord_1'))).toBeUndefined();
  });

  test('and a pair is named once, the first five pairs with their ids', () => {
    const twins = createTwins();
    const pairs = twinPairs(twins);
    const orders = Array.from({ length: 14 }, (_, index) =>
      order({ id: `ord_${index}`, at: 1000, email: `b${Math.floor(index / 2)}@example.com` }),
    );
    twins.see(orders);
    pairs.add(orders);
    const words = pairs.words();
    expect(words).toHaveLength(6);
    expect(words[0]).toBe('possible twins, same buyer and amount within 10 minutes: ord_0 and ord_1');
    expect(words[5]).toContain('2 more possible twins');
  });
});

describe('a date ends a walk', () => {
  const record = (id: string, createdAt: unknown) => ({
    value: { id, created_at: createdAt },
    bytes: new Uint8Array(),
  });
  const times = fc.array(fc.array(fc.nat(1000), { maxLength: 6 }), { maxLength: 8 });

  // Walks as the commands do, and gives what passed.
  function walk(pages: readonly (readonly number[])[], since: number, promised: boolean) {
    const stop = stopAtDate(promised, since * 1000);
    const passed: number[] = [];
    let read = 0;
    for (const [number, page] of pages.entries()) {
      stop.see(page.map((time, index) => record(`ord_${number}x${index}`, time)));
      passed.push(...page.filter((time) => time >= since));
      read += 1;
      if (stop.reached) break;
    }
    return { passed, read, stop };
  }

  test('only where newest first is promised', () => {
    fc.assert(
      fc.property(times, fc.nat(1000), (pages, since) => walk(pages, since, false).read === pages.length),
    );
  });

  test('without losing an order of a list that keeps the promise', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1000), { maxLength: 40 }),
        fc.nat(1000),
        fc.integer({ min: 1, max: 7 }),
        (all, since, size) => {
          const sorted = all.toSorted((a, b) => b - a);
          const pages: number[][] = [];
          for (let start = 0; start < sorted.length; start += size)
            pages.push(sorted.slice(start, start + size));
          const { passed, read } = walk(pages, since, true);
          expect(passed).toEqual(sorted.filter((time) => time >= since));
          const needed = pages.findIndex((page) => page.some((time) => time < since));
          expect(read).toBe(needed === -1 ? pages.length : needed + 1);
        },
      ),
    );
  });

  test('no longer once a page contradicts it, which is named', () => {
    fc.assert(
      fc.property(times, fc.nat(1000), (pages, since) => {
        const { stop, read } = walk(pages, since, true);
        const flat = pages.slice(0, read).flat();
        const broken = flat.some((time, index) => index > 0 && time > (flat[index - 1] ?? 0));
        expect(stop.surprise() !== undefined).toBe(broken);
        if (broken) expect(read).toBe(pages.length);
      }),
    );
    const stop = stopAtDate(true, 10_000);
    stop.see([record('ord_old', 5), record('ord_new', 50)]);
    expect(stop.reached).toBe(false);
    expect([stop.surprise(), stop.surprise()]).toEqual([
      'the list is not newest first, although orders.order says so: ord_new is newer than ord_old before it; walking on',
      undefined,
    ]);
    const noDate = stopAtDate(true, undefined);
    noDate.see([record('ord_old', 5), record('ord_new', 50)]);
    expect(noDate.surprise()).toBeUndefined();
  });

  test('and what shows no time says nothing about the order', () => {
    const stop = stopAtDate(true, 10_000);
    stop.see([record('ord_1', 50), record('ord_2', undefined), record('ord_3', 'x'), record('ord_4', 40)]);
    expect(stop).toMatchObject({ reached: false, last: 'ord_4' });
    expect(stop.surprise()).toBeUndefined();
  });
});
