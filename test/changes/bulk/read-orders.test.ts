/** The orders of a plan are read with few requests, wherever they stand in the list. */

import { expect, it } from 'vitest';
import { errorBody } from '../../harness/orders.ts';
import { json } from '../../harness/server.ts';
import { order, orders, type RefundService, recordsIn, startRefunds } from '../../refunds/refund-service.ts';

const pageSize = 250;

// Without the looks at the neighbours of few orders, which are about their twins.
function readsOf({ requests }: RefundService): number {
  return requests.filter(({ url }) => !url.includes('limit=50')).length;
}

// At most twenty orders whose neighbours were not read are looked at, on either side.
function mostLooks({ length }: readonly string[]): number {
  return 2 * Math.min(20, length);
}

it.each([
  ['one order is located by its neighbour', 2000, ['ord_1900'], 2],
  ['two orders of the first page take one page', 2000, ['ord_3', 'ord_9'], 1],
  ['all orders of a page take one page', 2000, Array.from({ length: 200 }, (_, at) => `ord_${at + 1}`), 1],
  ['two orders far back are located after a few pages', 4000, ['ord_3900', 'ord_3990'], 9],
  [
    'many orders far back are found by the walk',
    1500,
    Array.from({ length: 30 }, (_, at) => `ord_${1240 + at}`),
    6,
  ],
  ['the walk ends with the last order that is wanted', 4000, ['ord_1', 'ord_260'], 2],
  ['an order that does not exist takes no more than the list', 600, ['ord_1', 'ord_x'], 3],
])('%s', async (_, count, ids, most) => {
  await using service = await startRefunds(orders(count));

  const ran = await service.plan(['order_id,amount', ...ids.map((id) => `${id},full`)], '--json');

  const states = recordsIn(ran).map(({ order_id, verdict }) => [order_id, verdict]);
  expect(states).toEqual(ids.map((id) => [id, id === 'ord_x' ? 'impossible' : 'ready']));
  expect(readsOf(service)).toBeLessThanOrEqual(most);
  expect(service.requests.length).toBeLessThanOrEqual(most + mostLooks(ids));
});

it('the neighbour that located an order is kept, so that each row takes one read when it is applied', async () => {
  await using service = await startRefunds(orders(600));
  await service.plan(['order_id,amount', 'ord_3,full', 'ord_400,full', 'ord_500,full']);
  const before = service.requests.length;

  const ran = await service.apply();

  expect(ran.code).toBe(0);
  expect(service.requests.slice(before).filter(({ method }) => method === 'GET')).toHaveLength(3);
});

it('references need the whole list, and order ids in the same file cost nothing more', async () => {
  const some = [...orders(2 * pageSize), order('ord_last', { metadata: { shop_order: 'A-1' } })];
  await using service = await startRefunds(some);

  const ran = await service.plan(['order_id,reference,amount', ',A-1,full', 'ord_400,,full'], '--json');

  expect(recordsIn(ran).map(({ order_id, verdict }) => [order_id, verdict])).toEqual([
    ['ord_last', 'ready'],
    ['ord_400', 'ready'],
  ]);
  expect(service.requests).toHaveLength(3);
});

// Every `step`th number, in an order that is the same in every run but looks like none.
function scattered(from: number, count: number, step = 1): readonly string[] {
  return Array.from({ length: count }, (_, at) => `ord_${from + ((at * 7919) % count) * step}`);
}

// Which of four replies comes first is up to the machine, and makes it a few more or less.
it.each([
  ['1,000 neighbours far back, the newest first', scattered(3000, 1000).toSorted(byNumber), 40],
  ['1,000 neighbours far back, the oldest first', scattered(3000, 1000).toSorted(byNumber).toReversed(), 40],
  ['1,000 neighbours far back in any order', scattered(3000, 1000), 40],
  ['100 orders all over the list', scattered(7, 100, 59), 45],
])('%s take few requests, and never more than four at once', async (_, ids, most) => {
  await using service = await startRefunds(orders(6000));

  const ran = await service.plan(['order_id,amount', ...ids.map((id) => `${id},full`)], '--json');

  expect(recordsIn(ran).map(({ order_id, verdict }) => [order_id, verdict])).toEqual(
    ids.map((id) => [id, 'ready']),
  );
  expect(readsOf(service)).toBeLessThanOrEqual(most);
  expect(service.requests.length).toBeLessThanOrEqual(most + mostLooks(ids));
  expect(service.server.connections).toBeGreaterThan(1);
  expect(service.server.connections).toBeLessThanOrEqual(4);
});

function byNumber(one: string, other: string): number {
  return Number(one.slice(4)) - Number(other.slice(4));
}

it('a service that gives no pages backwards is walked through once, for all orders', async () => {
  const refused = json(errorBody({ type: 'parameter_validation_error' }), 422);
  await using service = await startRefunds(orders(3000), {
    onPage: ({ url }) => (url.includes('previous=') ? refused : undefined),
  });
  const ids = scattered(1500, 20);

  const ran = await service.plan(
    ['order_id,amount', ...ids.map((id) => `${id},full`), 'ord_x,full'],
    '--json',
  );

  expect(recordsIn(ran).map(({ order_id, verdict }) => [order_id, verdict])).toEqual([
    ...ids.map((id) => [id, 'ready']),
    ['ord_x', 'impossible'],
  ]);
  expect(service.requests.filter(({ url }) => url.includes('limit=250'))).toHaveLength(3000 / pageSize);
  expect(service.requests.length).toBeLessThanOrEqual(3000 / pageSize + 16);
});

it('orders of an index are read where they are, neighbours with one request', async () => {
  await using service = await startRefunds(orders(3000));
  await service.run(['index', 'build', '--yes']);
  const before = service.requests.length;

  const ran = await service.plan(
    ['order_id,amount', 'ord_2000,full', 'ord_2003,full', 'ord_900,full'],
    '--json',
  );

  expect(recordsIn(ran).map(({ order_id, verdict }) => [order_id, verdict])).toEqual([
    ['ord_2000', 'ready'],
    ['ord_2003', 'ready'],
    ['ord_900', 'ready'],
  ]);
  const urls = service.requests.slice(before).map(({ url }) => url);
  const asked = urls.filter((url) => !url.includes('limit=50'));
  expect(asked.toSorted()).toEqual(['/orders?limit=1&next=ord_899', '/orders?limit=4&next=ord_1999']);
});
