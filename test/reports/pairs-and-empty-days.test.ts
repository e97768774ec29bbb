/** Sums split by a pair, days without anything, and the sums of refunds in one state. */

import { expect, test } from 'vitest';
import type { Service } from '../harness/service.ts';
import { clock, orderAt, refundAs, rowsOf, startDated, startRefunding } from './refunded-orders.ts';

const ask = (service: Service, line: string) => service.run(line.split(' '), { env: clock });
const cells = (text: string, ...names: readonly string[]) =>
  rowsOf(text).map((row) => names.map((name) => row[name]));

async function startShop(): Promise<Service> {
  const service = await startRefunding(
    ['a', 'b', 'c'].map((name, at) =>
      orderAt(`ord_${name}`, '2040-11-20T10:00:00Z', { amount: 1000 * (at + 1) }),
    ),
  );
  await refundAs(service, 'ana', 'ord_a');
  await refundAs(service, 'ben', 'ord_b');
  await refundAs(service, 'ben', 'ord_c');
  return service;
}

test('--by with two words gives a row for each pair, and what has the same first word stands together', async () => {
  await using service = await startShop();
  const { stdout } = await ask(service, 'refunds summary --by reason,operator --ndjson');
  const names = ['by', 'bucket', 'by_2', 'bucket_2', 'refunds', 'refunded'];
  expect(cells(stdout, ...names)).toEqual([
    ['reason', 'requested_by_client', 'operator', 'ben', 2, 5000],
    ['reason', 'requested_by_client', 'operator', 'ana', 1, 1000],
  ]);
  const csv = (await ask(service, 'refunds summary --by operator,day --csv')).stdout.split('\n');
  expect(csv[0]).toContain(',by,bucket,by_2,bucket_2,currency,');
  expect(csv.slice(1, 3).map((line) => line.split(',').slice(3, 7))).toEqual([
    ['operator', 'ana', 'day', '2040-11-21'],
    ['operator', 'ben', 'day', '2040-11-21'],
  ]);
  const screen = (await ask(service, 'refunds summary --by operator,reason')).stdout;
  expect(screen).toContain('BY OPERATOR, REASON, MXN');
  expect(screen).toMatch(/^ {2}ben, requested_by_client +2 +5000/m);
  const orders = await ask(service, 'orders summary --by month,status --ndjson');
  expect(cells(orders.stdout, 'bucket', 'bucket_2', 'orders')).toEqual([['2040-11', 'refunded', 3]]);
});

test.each([
  ['--by reason,operator,day', '--by reason,operator,day: not one word, or two different ones'],
  ['--by day,day', '--by day,day: not one word, or two different ones'],
  ['--by day,nothing', '--by nothing: not one of day, week'],
  ['--by reason --by operator', 'several in one word: --by reason,operator'],
])('%s is refused, and says how', async (words, text) => {
  await using service = await startDated({ orders: [] });
  const ran = await ask(service, `refunds summary ${words}`);
  expect([ran.code, ran.stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(text)]);
});

test('a split by time has a row for every day, week and month of the period that has passed', async () => {
  await using service = await startShop();
  const rows = async (words: string) => {
    const { stdout } = await ask(service, `refunds summary ${words} --ndjson`);
    return cells(stdout, 'bucket', 'refunds', 'paid');
  };
  expect(await rows('--by month --period 2040-Q4')).toEqual([
    ['2040-10', 0, 0],
    ['2040-11', 3, 6000],
  ]);
  expect(await rows('--by day --period 2040-11-18..2040-11-22')).toEqual([
    ['2040-11-18', 0, 0],
    ['2040-11-19', 0, 0],
    ['2040-11-20', 0, 0],
    ['2040-11-21', 3, 6000],
  ]);
  const screen = (await ask(service, 'refunds summary --by month --period 2040-Q4')).stdout;
  expect(screen).toMatch(/^ {2}2040-10 +0 +0 /m);
  const orders = await ask(service, 'orders summary --by month --period 2040-Q4 --ndjson');
  expect(cells(orders.stdout, 'bucket', 'orders')).toEqual([
    ['2040-10', 0],
    ['2040-11', 3],
  ]);
});

test('--state failed shows how many failed and how much, and says why there is no rate', async () => {
  const at = '2040-11-21T12:00:00Z';
  await using service = await startDated({
    orders: [
      orderAt('ord_1', '2040-11-21T10:00:00Z', {
        refunds: [
          { amount: 1000, at },
          { amount: 300, at, changes: { status: 'failed' } },
          { amount: 20, at, changes: { status: 'pending' } },
        ],
        amount_refunded: 1000,
      }),
    ],
  });
  const screen = async (state: string) => (await ask(service, `refunds summary --state ${state}`)).stdout;
  const failed = await screen('failed');
  expect(failed).toMatch(/^ +FAILED +AMOUNT/m);
  expect(failed).toMatch(/^ {2}MXN +1 +300/m);
  expect(failed).toMatch(/^ {2}elsewhere +1 +300/m);
  expect(failed).not.toMatch(/REFUNDED|in no sum|there are no payments/);
  expect(failed.replaceAll(/\s+/g, ' ')).toContain('with a filter there is no rate');
  const two = await screen('failed,pending');
  expect(two).toMatch(/^ {2}MXN +1 +20 +1 +300/m);
  const both = await screen('elsewhere,failed');
  expect(both).toMatch(/^ +REFUNDS +REFUNDED +FAILED +AMOUNT/m);
  expect(both).toMatch(/^ {2}MXN +1 +1000 +1 +300/m);
});

test('--compare, which does not exist, is answered by what compares', async () => {
  await using service = await startDated({ orders: [] });
  const ran = await ask(service, 'refunds summary --compare last-month');
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/paydesk report.*--by month/s);
});
