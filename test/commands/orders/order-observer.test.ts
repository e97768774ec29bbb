/** When a date ends a walk through orders. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stopAtDate } from '../../../src/commands/orders/order-observer.ts';

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
      stop.add(page.map((time, index) => record(`ord_${number}x${index}`, time)));
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
          // If nothing of the first page is new enough, one more page shows whether the promise holds.
          const first = pages[0]?.some((time) => time >= since) === true ? 1 : 2;
          expect(read).toBe(
            needed === -1 ? pages.length : Math.min(pages.length, Math.max(first, needed + 1)),
          );
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
        expect(stop.warning() !== undefined).toBe(broken);
        if (broken) expect(read).toBe(pages.length);
      }),
    );
    const stop = stopAtDate(true, 10_000);
    stop.add([record('ord_old', 5), record('ord_new', 50)]);
    expect(stop.reached).toBe(false);
    expect([stop.warning(), stop.warning()]).toEqual([
      'the list is not newest first, although orders.order says so: ord_new is newer than ord_old before it; reading on',
      undefined,
    ]);
    const noDate = stopAtDate(true, undefined);
    noDate.add([record('ord_old', 5), record('ord_new', 50)]);
    expect(noDate.warning()).toBeUndefined();
  });

  test('but not after a first page of old orders alone: the second page may have new ones', () => {
    expect(walk([[5], [500], [400]], 100, true)).toMatchObject({ passed: [500, 400], read: 3 });
    expect(walk([[5], [4], [3]], 100, true)).toMatchObject({ passed: [], read: 2 });
    // A walk that goes on has seen a page already.
    const resumed = stopAtDate(true, 100_000, { before: { id: 'o1', createdAt: 900 }, contradicted: false });
    resumed.add([record('ord_old', 5)]);
    expect(resumed.reached).toBe(true);
  });

  test('and what shows no time says nothing about the order', () => {
    const stop = stopAtDate(true, 10_000);
    stop.add([record('ord_1', 50), record('ord_2', undefined), record('ord_3', 'x'), record('ord_4', 40)]);
    expect(stop).toMatchObject({ reached: false, last: 'ord_4' });
    expect(stop.warning()).toBeUndefined();
  });
});
