/** How runs of orders fit into the list that is known: joins, gaps, moved and inserted orders; in all sequences that fast-check finds. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Learned } from '../../src/index/fit-run.ts';
import { chunked, learn, positionsBetween } from '../../src/index/known-list.ts';
import { isLong } from '../harness/long.ts';
import { entryOf, memorySegments } from './memory-segments.ts';

const fields = ['name'];

interface Order {
  readonly id: string;
  readonly at: number;
}

/** A service whose list a test changes, and an index that reads it. */
function desk(first: readonly Order[]) {
  let list = [...first];
  const segments = memorySegments();
  const ids = () => segments.all().flatMap((entries) => entries.map(({ id }) => id));
  const page = (after: string | undefined, limit: number): Learned => {
    const at = after === undefined ? 0 : list.findIndex(({ id }) => id === after) + 1;
    const orders = list.slice(at, at + limit);
    return learn(segments, {
      after,
      entries: orders.map(({ id, at: time }) => entryOf(id, time)),
      ends: at + limit >= list.length,
      fields,
    });
  };
  return {
    segments,
    ids,
    page,
    list: () => list.map(({ id }) => id),
    change(next: (orders: Order[]) => Order[]) {
      list = next([...list]);
    },
    /** Walks from the head until it joins what is known; with `toEnd` to the end. */
    walk(limit: number, toEnd = false): Learned | undefined {
      let after: string | undefined;
      for (let at = 0; at < list.length; at += limit) {
        const learned = page(after, limit);
        if (!toEnd && learned.joins) return learned;
        if (learned.ended === true) return learned;
        after = list[at + limit - 1]?.id;
      }
      return undefined;
    },
    gaps: () =>
      segments
        .edges()
        .slice(0, -1)
        .filter(({ isJoined }) => !isJoined).length,
  };
}

function orders(count: number, from = 0): readonly Order[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `o${from + index}`,
    at: 1_000_000 - (from + index) * 10,
  }));
}

describe('a run joins what is known', () => {
  test('new orders at the head come before all others, and are counted once', () => {
    const one = desk(orders(30));
    one.walk(10, true);
    one.change((list) => [{ id: 'n2', at: 1_000_020 }, { id: 'n1', at: 1_000_010 }, ...list]);
    expect(one.page(undefined, 5)).toMatchObject({ joins: true, added: 2, inserted: 0, moved: 0, gone: 0 });
    expect(one.ids()).toEqual(one.list());
    expect(one.gaps()).toBe(0);
  });

  test('a page that ends with the first known order joins, too', () => {
    const one = desk(orders(10));
    one.walk(10, true);
    one.change((list) => [{ id: 'n1', at: 1_000_010 }, ...list]);
    expect(one.page(undefined, 2)).toMatchObject({ joins: true, added: 1 });
    expect(one.ids()).toEqual(one.list());
  });

  test('so many new orders that a page does not reach the known ones leave a gap, which the next page closes', () => {
    const one = desk(orders(10));
    one.walk(10, true);
    one.change((list) => [
      ...orders(7, 100).map(({ id }, index) => ({ id, at: 2_000_000 - index })),
      ...list,
    ]);
    expect(one.page(undefined, 5)).toMatchObject({ joins: false, added: 5 });
    expect(one.gaps()).toBe(1);
    expect(one.page('o104', 5)).toMatchObject({ joins: true, added: 2 });
    expect(one.gaps()).toBe(0);
    expect(one.ids()).toEqual(one.list());
  });

  test('an order that moved to the head is no joint, and is counted once', () => {
    const one = desk(orders(30));
    one.walk(10, true);
    one.change((list) => {
      const [moved] = list.splice(20, 1);
      return moved === undefined ? list : [moved, ...list];
    });
    expect(one.page(undefined, 5)).toMatchObject({ joins: true, added: 0, moved: 1 });
    expect(one.ids()).toEqual(one.list());
  });

  test('an order between two known neighbours is noticed as inserted', () => {
    const one = desk(orders(30));
    one.walk(10, true);
    one.change((list) => list.toSpliced(15, 0, { id: 'between', at: 1_000_000 - 145 }));
    expect(one.page('o9', 10)).toMatchObject({ fits: true, inserted: 1 });
    expect(one.ids()).toEqual(one.list());
  });

  test('orders that are gone are gone', () => {
    const one = desk(orders(30));
    one.walk(10, true);
    one.change((list) => list.toSpliced(12, 3));
    expect(one.page('o9', 10)).toMatchObject({ gone: 3 });
    expect(one.ids()).toEqual(one.list());
  });
});

describe('what proves nothing changes nothing', () => {
  test('the first page, sent in place of a page after an order that the service does not know', () => {
    const one = desk(orders(30));
    one.walk(10, true);
    const before = one.ids();
    one.change((list) => list.toSpliced(9, 1));
    expect(one.page('o9', 10)).toMatchObject({ fits: false, contradicts: true });
    expect(one.ids()).toEqual(before);
  });

  test('the first page in place of what comes after the last order', () => {
    const one = desk(orders(30));
    one.walk(10, true);
    const before = one.ids();
    one.change((list) => list.toSpliced(29, 1));
    expect(one.page('o29', 10)).toMatchObject({ fits: false, contradicts: true });
    expect(one.ids()).toEqual(before);
  });

  test('a page after an order that is not known', () => {
    const one = desk(orders(30));
    one.page(undefined, 10);
    const before = one.ids();
    expect(one.page('o19', 5).fits).toBe(false);
    expect(one.ids()).toEqual(before);
  });

  test('an early end does not throw away what was known behind it', () => {
    const one = desk(orders(30));
    one.walk(10, true);
    one.change((list) => list.slice(0, 5));
    expect(one.page(undefined, 10)).toMatchObject({ ended: false });
    expect(one.ids()).toEqual(orders(30).map(({ id }) => id));
  });
});

test('the tail of a list that is oldest first is read like the head', () => {
  const one = desk(orders(10).toReversed());
  one.walk(4, true);
  one.change((list) => [...list, { id: 'new', at: 1_000_010 }]);
  expect(one.page('o0', 10)).toMatchObject({ fits: true, ended: true, added: 1 });
  expect(one.ids()).toEqual(one.list());
});

test('2,500 orders are three segments, and one more at the head is written into the first', () => {
  const one = desk(orders(2_500));
  one.walk(250, true);
  expect(one.segments.edges().map(({ count }) => count)).toEqual([1_000, 1_000, 500]);
  one.change((list) => [{ id: 'n', at: 2_000_000 }, ...list]);
  one.page(undefined, 50);
  expect(one.segments.edges().map(({ count }) => count)).toEqual([1, 1_000, 1_000, 500]);
  expect(one.ids()).toEqual(one.list());
});

test('positions lie between their neighbours, in order', () => {
  fc.assert(
    fc.property(
      fc.option(fc.integer(), { nil: undefined }),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(20),
      (lower, count, room) => {
        const upper = lower === undefined ? undefined : lower + 1 + room;
        const positions = [upper, ...positionsBetween(upper, lower, count), lower].filter(
          (pos) => pos !== undefined,
        );
        expect(positions).toEqual([...new Set(positions)].toSorted((one, other) => other - one));
      },
    ),
  );
});

test('chunks hold all entries in their order, and none is longer than a segment may be', () => {
  fc.assert(
    fc.property(fc.nat(4_000), fc.constantFrom('first' as const, 'last' as const), (length, short) => {
      const entries = orders(length).map(({ id, at }) => entryOf(id, at));
      const chunks = chunked(entries, short);
      expect(chunks.flat()).toEqual(entries);
      expect(Math.max(0, ...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(1_200);
    }),
    { numRuns: 20 },
  );
});

// What may happen to a list between two reads of an index.
const happening = fc.oneof(
  fc.record({ does: fc.constant('new' as const), count: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ does: fc.constant('gone' as const), at: fc.nat(60) }),
  fc.record({ does: fc.constant('moved' as const), at: fc.nat(60) }),
  fc.record({ does: fc.constant('inserted' as const), at: fc.nat(60) }),
  fc.record({ does: fc.constant('head' as const), limit: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ does: fc.constant('join' as const), limit: fc.integer({ min: 2, max: 20 }) }),
  fc.record({ does: fc.constant('page' as const), at: fc.nat(60), limit: fc.integer({ min: 1, max: 20 }) }),
);

test('whatever happened: no order is there twice, and a walk through the whole list makes the two equal', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 }), fc.array(happening, { maxLength: 25 }), (count, all) => {
      const one = desk(orders(count));
      let made = 0;
      for (const happened of all) {
        if (happened.does === 'new')
          for (let more = 0; more < happened.count; more += 1) {
            made += 1;
            const id = `n${made}`;
            const at = 1_000_000 + made * 10;
            one.change((list) => [{ id, at }, ...list]);
          }
        else if (happened.does === 'gone') one.change((list) => list.toSpliced(happened.at, 1));
        else if (happened.does === 'moved')
          one.change((list) => {
            const [moved] = list.splice(happened.at, 1);
            return moved === undefined ? list : [moved, ...list];
          });
        else if (happened.does === 'inserted') {
          made += 1;
          const id = `i${made}`;
          one.change((list) => list.toSpliced(happened.at, 0, { id, at: (list[happened.at]?.at ?? 0) + 5 }));
        } else if (happened.does === 'head') one.page(undefined, happened.limit);
        else if (happened.does === 'join') one.walk(happened.limit);
        else one.page(one.list()[happened.at], happened.limit);
        const ids = one.ids();
        expect(ids).toEqual([...new Set(ids)]);
      }
      for (let again = 0; again < 2; again += 1) one.walk(7, true);
      if (one.list().length > 0) expect(one.ids()).toEqual(one.list());
      expect(one.gaps()).toBe(0);
    }),
    { numRuns: isLong ? 3000 : 100 },
  );
});
