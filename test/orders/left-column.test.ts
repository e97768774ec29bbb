/** The column `left`: how much of an order can still be refunded, in the list of orders, in the list of refunds, and in exports. */

import { expect, test } from 'vitest';
import { chargeOf, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { reset } from '../harness/server.ts';
import { clock, orderAt, startDated } from '../reports/refunded-orders.ts';

const at = '2040-11-21T12:00:00Z';
const created = '2040-11-21T10:00:00Z';
const part = { refunds: [{ amount: 3000, at }], amount_refunded: 3000, payment_status: 'partially_refunded' };

const orders = [
  orderAt('ord_part', created, part),
  orderAt('ord_locked', created, { ...part, is_refundable: false }),
  orderAt('ord_whole', created),
  orderAt('ord_waits', created, { payment_status: 'pre_authorized' }),
  orderAt('ord_doubt', created, { ...part, amount_refunded: 4000 }),
];

const linesOf = (text: string): readonly string[] => text.trim().split('\n').slice(1);

test('orders list and an export of orders say what is left, and nothing where nobody knows it', async () => {
  await using service = await startDated({ orders });
  const left = [
    'ord_part,7000',
    'ord_locked,0',
    'ord_whole,10000',
    'ord_waits,0',
    // Its figures contradict each other.
    'ord_doubt,',
  ];
  for (const verb of ['list', 'export']) {
    const words = ['orders', verb, '--csv', '--columns', 'id,left'];
    const ran = await service.run(words, { env: clock });
    expect([verb, linesOf(ran.stdout)]).toEqual([verb, left]);
  }
});

test('refunds list and an export of refunds say what is left of the order, one of charges what is left of the charge', async () => {
  await using service = await startDated({ orders: orders.slice(0, 2) });
  const left = ['-3000,7000', '-3000,0'];
  const ask = async (line: string) => linesOf((await service.run(line.split(' '), { env: clock })).stdout);
  expect(await ask('refunds list --csv --columns amount,left')).toEqual(left.toReversed());
  for (const name of ['left', 'order.left', 'LEFT'])
    expect(await ask(`orders export --rows refunds --csv --columns amount,${name}`)).toEqual(left);
  expect(await ask('orders export --rows charges --csv --columns amount,left')).toEqual([
    '10000,7000',
    '10000,0',
  ]);
});

test('what is left of each charge of an order is its own, and adds up to what is left of the order', async () => {
  const refunds = listOf(refundOf('rf_1', 2000, { created_at: Date.parse(at) / 1000 }));
  const charges = [chargeOf('ch_1', 9000, { refunds }), chargeOf('ch_2', 1000)];
  const split = orderOf('ord_1', charges, { amount_refunded: 2000, payment_status: 'partially_refunded' });
  await using service = await startDated({ orders: [split] });
  const line = 'orders export --rows charges --csv --columns id,left,order.left';
  const ran = await service.run(line.split(' '), { env: clock });
  expect(linesOf(ran.stdout), ran.stderr).toEqual(['ch_1,7000,8000', 'ch_2,1000,8000']);
});

test('what is left counts what a person recorded as made, and is not known while a refund is unconfirmed', async () => {
  await using service = await startDated({
    orders: [orderOf('ord_1', [chargeOf('ch_1', 10_000)])],
    sendsDate: false,
    onPost: () => reset,
  });
  const run = (line: string) => service.run(line.split(' '), { env: clock });
  const left = async () => linesOf((await run('orders list --csv --columns id,left')).stdout);
  const sent = await run('orders refund ord_1 --amount 4000 --yes');
  expect([sent.code, await left()]).toEqual([7, ['ord_1,']]);
  const [change = ''] = /i_\w+/.exec(sent.stderr) ?? [];
  const settled = await run(`journal settle ${change} --applied --note by-hand --confirm ord_1`);
  expect([settled.code, await left()]).toEqual([0, ['ord_1,6000']]);
});

test('an index does not know what is left, so the orders are read', async () => {
  await using service = await startDated({
    orders: [
      orderOf(
        'ord_1',
        [
          chargeOf('ch_1', 9000, {
            refunds: listOf(refundOf('rf_1', 2000, { created_at: Date.parse(at) / 1000 })),
          }),
        ],
        {
          created_at: Date.parse(created) / 1000,
          amount_refunded: 2000,
          payment_status: 'partially_refunded',
        },
      ),
    ],
  });
  const run = (line: string) => service.run(line.split(' '), { env: clock });
  expect((await run('index build --yes')).code).toBe(0);
  expect((await run('refunds list')).stderr).toContain('in the index of this machine');
  const ran = await run('refunds list --csv --columns amount,left');
  expect([ran.stdout, ran.stderr]).toEqual([
    'amount,left\n-2000,7000\n',
    expect.stringContaining('read from the service'),
  ]);
});

test('no other amount is suggested for what was paid for the order of a refund', async () => {
  await using service = await startDated({ orders: [] });
  const run = (name: string) => service.run(['refunds', 'list', '--columns', name], { env: clock });
  expect((await run('order.amount')).stderr).not.toContain('did you mean');
  expect((await run('order.left')).stderr).toContain('did you mean left?');
});
