/** 22 The figures of a period, as reports read them: exact, whole, and only out of the segments that may hold them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../bin/process-io.ts';
import type { JsonObject } from '../../src/api/json-values.ts';
import { writeColumns } from '../../src/index/fact-columns.ts';
import { createIndexes } from '../../src/index/index.ts';
import { newState } from '../../src/index/index-file.ts';
import { factsIn } from '../../src/index/look-ups.ts';
import type { SealedSegments } from '../../src/index/sealed-segments.ts';
import { chargesOf, type Json } from '../harness/orders.ts';
import { createTestUser } from '../profiles/test-user.ts';
import { entryOf, memorySegments } from './memory-segments.ts';
import { newestTime, ordersOf, startShop } from './shop.ts';

interface Sums {
  orders: number;
  amount: bigint;
  refunded: bigint;
}

function sumsOf(orders: Iterable<Json>): Sums {
  const sums: Sums = { orders: 0, amount: 0n, refunded: 0n };
  for (const order of orders) {
    sums.orders += 1;
    sums.amount += BigInt(order.amount as number | bigint);
    for (const charge of chargesOf(order))
      for (const refund of (charge.refunds as { readonly data: readonly Json[] } | null)?.data ?? [])
        sums.refunded += BigInt(refund.amount as number | bigint);
  }
  return sums;
}

test('the sums of the index are those of the service, also beyond 2^53', async () => {
  const large = 9_007_199_254_740_993n;
  const orders = ordersOf(1_300, { apart: 3_600 });
  await using shop = await startShop(orders);
  const [first = {}] = shop.orders;
  const user = createTestUser(shop.home.path).run({ env: shop.env });
  const indexes = createIndexes({
    folder: join(shop.home.path, '.local/state/paydesk/index'),
    profiles: user,
    rules: { uid: process.getuid?.(), notice: () => undefined },
    clock: systemClock,
  });
  const { profile } = await user.open();
  const index = await indexes.open(profile);
  if (index === undefined) throw new Error('there is no index');
  const exact = { ...first, id: 'ord_large1', amount: large, created_at: newestTime() + 60 };
  index.learn({
    after: undefined,
    orders: [exact, ...orders.slice(0, 5)].map((order) => ({
      id: String(order.id),
      order: order as JsonObject,
      text: '$mxn',
      purchase: undefined,
      buyer: [],
    })),
    ends: false,
    readAt: newestTime(),
    fields: ['name'],
  });
  const read = [...index.facts()].map(({ order }) => order);
  indexes.close();
  expect(sumsOf(read)).toEqual(sumsOf([exact, ...orders]));
  expect(sumsOf(read).amount).toBeGreaterThan(large);
  expect(readFileSync(index.path).includes('ord_large1')).toBe(false);
});

test('a month is read out of the segments that may hold it, and of no others', () => {
  const segments = memorySegments();
  const opened: number[] = [];
  const day = 86_400;
  const months = Array.from({ length: 12 }, (_, month) => ({
    pos: -month,
    newest: 1_790_000_000 - month * 30 * day,
  }));
  segments.replace(
    [],
    months.map(({ pos, newest }) => ({
      pos,
      isJoined: true,
      fields: [],
      entries: Array.from({ length: 10 }, (_, index) => ({
        id: `o${-pos}_${index}`,
        text: '$mxn',
        readAt: 1,
        facts: {
          createdAt: newest - index * day,
          amount: 1,
          refunded: 0,
          currency: 'MXN',
          status: 'paid',
          purchase: undefined,
          isPartial: false,
          // An order of the seventh month was refunded in the last days.
          charges: [
            {
              id: 'c',
              last4: undefined,
              amount: 1,
              currency: undefined,
              status: 'paid',
              paidAt: newest - index * day,
              method: undefined,
              brand: undefined,
              refunds:
                pos === -7 && index === 0
                  ? [{ id: 'r', amount: -1, createdAt: 1_790_000_000 - day, status: undefined }]
                  : [],
            },
          ],
        },
      })),
    })),
  );
  const facts = segments.all();
  const sealed = {
    ...segments,
    edges: () => segments.edges().map((edge) => ({ ...edge, writing: 0 })),
    facts: (segment: { readonly pos: number }) => {
      opened.push(segment.pos === 0 ? 0 : -segment.pos);
      return writeColumns(facts[-segment.pos] ?? []);
    },
    snapshot: () => () => undefined,
    state: () => newState('salt'),
  } as unknown as SealedSegments;
  const read = [...factsIn(sealed, { since: 1_790_000_000 - 30 * day })];
  expect(opened).toEqual([0, 1, 7]);
  expect(read).toHaveLength(30);
  // Nothing of a younger segment can be of an older month.
  opened.length = 0;
  const month = { since: 1_790_000_000 - 95 * day, until: 1_790_000_000 - 71 * day };
  expect([...factsIn(sealed, month)]).toHaveLength(20);
  expect(opened).toEqual([3, 7]);
  // Of the other segments only orders with the status come.
  expect([...factsIn(sealed, { ...month, status: 'pre_authorized' })]).toHaveLength(20);
  expect([...factsIn(sealed, { ...month, status: 'paid' })]).toHaveLength(120);
});

test('6 an order that is kept twice comes once, as it was read last, until a refresh removes the other', () => {
  const segments = memorySegments();
  const old = entryOf('o1', 1_790_000_000, 100);
  const moved = {
    ...entryOf('o1', 1_790_000_000, 200),
    facts: old.facts && { ...old.facts, status: 'refunded' },
  };
  const rest = ['o2', 'o3'].map((id) => entryOf(id, 1_790_000_000, 100));
  segments.replace(
    [],
    [
      { pos: 0, isJoined: true, fields: [], entries: [moved, ...rest.slice(0, 1)] },
      { pos: -1, isJoined: true, fields: [], entries: [...rest.slice(1), old] },
    ],
  );
  const facts = segments.all();
  const sealed = {
    ...segments,
    facts: ({ pos }: { readonly pos: number }) => writeColumns(facts[-pos] ?? []),
    snapshot: () => () => undefined,
    state: () => ({ ...newState('salt'), mayRepeat: true }),
  } as unknown as SealedSegments;
  const read = [...factsIn(sealed, {})].map(({ order }) => [order.id, order.payment_status]);
  expect(read).toEqual([
    ['o1', 'refunded'],
    ['o2', 'paid'],
    ['o3', 'paid'],
  ]);
});
