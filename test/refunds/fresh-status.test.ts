/** `refunds status` and a repeated `apply` read again what may still change, and say as of when they know the rest. */

import { expect, it } from 'vitest';
import { inOneLine } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { orders, recordsIn, startRefunds } from './refund-service.ts';

const file = ['order_id,amount', 'ord_1,5000', 'ord_2,5000'];

it('a refund that the service makes twice after the plan was applied: status and apply end with 7', async () => {
  await using service = await startRefunds(orders(2));
  await service.plan(file);
  expect((await service.apply()).code).toBe(0);
  service.refund('ord_1', 'ch_ord_1', 5000);

  const offline = await service.run(['refunds', 'status', 'refunds.plan', '--offline']);
  const status = await service.run(['refunds', 'status', 'refunds.plan', '--json']);
  const again = await service.apply();

  expect([offline.code, status.code, again.code, service.posts.length]).toEqual([0, 7, 7, 2]);
  expect(inOneLine(offline.stderr)).toMatch(/of 2 rows 2 made \(10000 MXN\) the orders were read: /);
  expect(recordsIn(status).map(({ verdict, state }) => [verdict, state])).toEqual([
    ['made_twice', 'made twice'],
    ['made', 'made'],
  ]);
  expect(recordsIn(status)[1]?.read_at).toEqual(expect.any(Number));
  expect(inOneLine(status.stderr)).toContain('of 2 rows 1 made (5000 MXN), 1 made twice (10000 MXN)');
  expect(inOneLine(status.stderr)).toMatch(
    /line 2, ord_1, is made twice: MADE TWICE: paydesk journal show i_/,
  );
  expect(inOneLine(again.stderr)).toContain('1 row is made twice');
});

it('a dry run reads the orders again as the run would, and writes nothing down', async () => {
  await using service = await startRefunds(orders(2));
  await service.plan(file);
  expect((await service.apply()).code).toBe(0);
  service.refund('ord_1', 'ch_ord_1', 5000);

  const dry = await service.run(['refunds', 'apply', 'refunds.plan', '--dry-run', '--json']);
  const offline = await service.run(['refunds', 'status', 'refunds.plan', '--offline', '--json']);

  expect([dry.code, offline.code, service.posts.length]).toEqual([7, 0, 2]);
  expect(recordsIn(dry).map(({ state }) => state)).toEqual(['made twice', 'made']);
  expect(recordsIn(offline).map(({ state }) => state)).toEqual(['made', 'made']);
});

it('once somebody has dealt with it, the row still says that it was made twice, with both refunds and both sums', async () => {
  await using service = await startRefunds(orders(2));
  await service.plan(file);
  expect((await service.apply()).code).toBe(0);
  service.refund('ord_1', 'ch_ord_1', 5000);
  const alarmed = await service.run(['refunds', 'status', 'refunds.plan', '--json']);
  expect(alarmed.code).toBe(7);
  const change = String(recordsIn(alarmed)[0]?.change);
  const words = ['journal', 'acknowledge', change, '--note', 'the buyer pays it back'];
  const acknowledged = await service.run([...words, '--yes']);
  expect(acknowledged.code, acknowledged.stderr).toBe(0);

  const status = await service.run(['refunds', 'status', 'refunds.plan', '--json']);
  const compared = await service.run(['refunds', 'compare', 'refunds.csv', '--json']);

  expect([status.code, compared.code]).toEqual([0, 8]);
  const [row] = recordsIn(status);
  expect(row).toMatchObject({ verdict: 'made_twice', state: 'made twice', after: 10000 });
  expect(String(row?.why)).toMatch(/^the second payment was acknowledged by /);
  expect(String(row?.refund_id).split(' ')).toHaveLength(2);
  expect(inOneLine(status.stderr)).toContain('of 2 rows 1 made (5000 MXN), 1 made twice (10000 MXN)');
  expect(recordsIn(compared)[0]).toMatchObject({ verdict: 'more', state: 'made twice', refunded: 10000 });
});

it('orders that cannot be read again are named, with the time of what is known', async () => {
  let away = false;
  await using service = await startRefunds(orders(2), { onPage: () => (away ? json({}, 503) : undefined) });
  await service.plan(file);
  expect((await service.apply()).code).toBe(0);
  away = true;

  const status = await service.run(['refunds', 'status', 'refunds.plan']);

  expect(status.code).toBe(0);
  expect(inOneLine(status.stderr)).toMatch(
    /2 orders could not be read again: .*503.* the orders were read: (?:between )?\d/,
  );
});
