/** The orders of a plan are read with few requests, wherever they stand in the list. */

import { expect, it } from 'vitest';
import { order, orders, recordsIn, startRefunds } from '../../refunds/refund-service.ts';

const pageSize = 250;

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

  const states = recordsIn(ran).map(({ order_id, state }) => [order_id, state]);
  expect(states).toEqual(ids.map((id) => [id, id === 'ord_x' ? 'impossible' : 'ready']));
  expect(service.requests.length).toBeLessThanOrEqual(most);
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

  expect(recordsIn(ran).map(({ order_id, state }) => [order_id, state])).toEqual([
    ['ord_last', 'ready'],
    ['ord_400', 'ready'],
  ]);
  expect(service.requests).toHaveLength(3);
});
