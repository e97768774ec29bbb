/** Plans that a program wrote, with a digest that fits: no row may send anything else than what it shows. */

import { expect, it } from 'vitest';
import type { Json } from '../harness/orders.ts';
import { testKey } from '../harness/service.ts';
import { forge } from './forge.ts';
import { order, startRefunds } from './refund-service.ts';

const titles = 'order_id,charge_id,amount,ref';

const rowWith =
  (change: (row: Json) => Json) =>
  ([head = '', ...rows]: string[]): string[] => [
    head,
    ...rows.slice(0, -1),
    JSON.stringify(change(JSON.parse(rows.at(-1) ?? ''))),
  ];

const to = (amount: number) => [{ charge_id: 'ch_ord_2', amount }];
const shown10 = { amount: 10, refunds: 10, expected: to(-10) };

it.each<[string, Json]>([
  ['a body of more', shown10],
  ['the body of a whole order', { ...shown10, body: {} }],
  ['the body of a whole charge', { ...shown10, body: { charge_id: 'ch_ord_2' } }],
  ['the body of another charge', { ...shown10, body: { charge_id: 'ch_ord_1', amount: 10 } }],
  ['no body', { ...shown10, body: undefined }],
  ['an amount without a charge', { ...shown10, body: { amount: 10 } }],
  ['a typed amount of less', { amount: 10 }],
  ['a sum of less', { refunds: 10 }],
  ['nothing expected', { expected: [] }],
  ['a body of less than is expected', { body: { charge_id: 'ch_ord_2', amount: 5 } }],
  ['another reason', { body: { charge_id: 'ch_ord_2', amount: 30_000, reason: 'other' } }],
  ['another charge', { charge_id: 'ch_ord_1' }],
  ['a sum that takes money', { amount: 'full', refunds: -9000, expected: to(9000), body: {} }],
  ['records that cancel out', { refunds: 10, expected: [...to(-9000), ...to(8990)] }],
  ['a done row that takes money', { state: 'done', refunds: -9000, expected: to(9000) }],
  ['another key', { key: `row/${'0'.repeat(32)}` }],
  ['the number of another row', { number: 1 }],
])('a row with %s is refused, and nothing is sent', async (_, changes) => {
  await using service = await startRefunds([order('ord_1'), order('ord_2')]);
  await service.plan([titles, 'ord_1,any,10000,a', 'ord_2,any,30000,b']);
  forge(
    service,
    rowWith((row) => ({ ...row, ...changes })),
  );

  const status = await service.run(['refunds', 'status', 'refunds.plan']);
  const tried = await service.run(['refunds', 'apply', 'refunds.plan', '--dry-run']);
  const applied = await service.apply();

  expect([status.code, tried.code, applied.code]).toEqual([3, 3, 3]);
  expect(applied.stderr).toMatch(/refused: refunds\.plan was changed after it was made: line 3 /);
  expect(service.posts).toEqual([]);
});

// Only the order says how much a whole charge is, so this is found in the last look at it.
it.each<[string, Json]>([
  ['ready', { amount: 'full', body: { charge_id: 'ch_ord_1' } }],
  ['unconfirmed', { body: { charge_id: 'ch_ord_1' } }],
  ['unconfirmed', { body: { charge_id: 'ch_ord_1', amount: 30_000 } }],
  ['unconfirmed', { body: {} }],
  ['unconfirmed', { body: undefined }],
])(
  'a row that is %s and would send more than it shows is refused when it is sent',
  async (state, changes) => {
    await using service = await startRefunds([order('ord_1')]);
    const expected = [{ charge_id: 'ch_ord_1', amount: -10 }];
    await service.plan([titles, `ord_1,any,${changes.amount === 'full' ? 'full' : 10},a`]);
    forge(
      service,
      rowWith((row) => ({ ...row, state, refunds: 10, expected, ...changes })),
    );

    const applied = await service.apply('--expect-count', '1', '--expect-total', 'MXN=10');

    expect(applied.code, applied.stderr).toBe(8);
    expect(`${applied.stdout}${applied.stderr}`).toContain('the refund would not be the same any more');
    expect(service.posts).toEqual([]);
  },
);

it('a row that is unconfirmed and shows a smaller sum than it sends is refused when it is sent', async () => {
  await using service = await startRefunds([order('ord_1')]);
  await service.plan([titles, 'ord_1,any,30000,a']);
  forge(
    service,
    rowWith((row) => ({ ...row, state: 'unconfirmed', refunds: 10 })),
  );

  const applied = await service.apply('--expect-count', '1', '--expect-total', 'MXN=10');

  expect(applied.code, applied.stderr).toBe(8);
  expect(service.posts).toEqual([]);
});

it.each<[string, (line: string) => string]>([
  ['two names of a file', (line) => line.replace('"file":"', '"file":"other.csv","file":"')],
  ['blanks between its fields', (line) => line.replace(',', ', ')],
  ['a number in other digits', (line) => line.replace(/"made_at":(\d+)/, '"made_at":$1.0')],
])('F53 a first line with %s is refused', async (_, change) => {
  await using service = await startRefunds([order('ord_1')]);
  await service.plan([titles, 'ord_1,any,100,a']);
  forge(service, ([head = '', ...rows]) => [change(head), ...rows]);

  const applied = await service.apply();

  expect(applied.code).toBe(3);
  expect(applied.stderr).toContain('line 1 is not written as paydesk writes it');
  expect(service.posts).toEqual([]);
});

it('a plan of a file with an API key in a ref is applied: the key is masked there, and no row counts as another one', async () => {
  await using service = await startRefunds([order('ord_1')]);
  await service.plan([titles, `ord_1,any,100,x${testKey}`]);

  const applied = await service.apply();

  expect(applied.code, applied.stderr).toBe(0);
  expect(service.read('refunds.plan')).not.toContain(testKey);
  expect(service.made).toHaveLength(1);
});
