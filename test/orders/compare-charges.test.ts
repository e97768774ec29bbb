/** `orders compare`: an invoice list beside what was charged. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chargeOf, type Json, listBeforeMore, orderOf } from '../harness/orders.ts';
import { paydesk } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';
import { recordsIn, sumsIn } from '../refunds/refund-service.ts';

const october = 1_790_812_800; // 1 October 2026, UTC
const paid = (name: string, amount: number, at = october, code = `4${name}`): Json =>
  chargeOf(`ch_${name}`, amount, {
    paid_at: at,
    payment_method: { object: 'card_payment', auth_code: code, last4: '4242' },
  });
const order = (name: string, charges: readonly Json[], changes: Json = {}): Json =>
  orderOf(`ord_${name}`, charges, { metadata: { number: `SO-${name}` }, ...changes });

const orders = [
  order('whole', [paid('whole', 1000)]),
  order('less', [paid('less', 900)]),
  order('twice', [paid('twice1', 1000), paid('twice2', 1000)], { amount: 1000 }),
  order('parts', [paid('part1', 400), paid('part2', 600)]),
  order('declined', [chargeOf('ch_declined', 1000, { status: 'declined', paid_at: null })], {
    payment_status: 'declined',
  }),
  order('hidden', [], { amount: 1000, charges: listBeforeMore(paid('hidden', 400)) }),
  order('other', [paid('other', 77)]),
  order('later', [paid('later', 78, october + 40 * 86_400)]),
];

async function startStored(some = orders): Promise<Service> {
  const service = await startService({ orders: some });
  await storeShop(service.home, service, { 'reference.keys': 'number' });
  return service;
}

async function compare(service: Service, lines: readonly string[], ...more: readonly string[]) {
  writeFileSync(join(service.home.path, 'invoices.csv'), `${lines.join('\n')}\n`);
  const words = ['-p', 'shop', 'orders', 'compare', 'invoices.csv', '--json', ...more];
  const ran = await paydesk(words, { home: service.home, env: { TZ: 'UTC' } });
  const data = recordsIn({ ...ran, stdout: ran.stdout || '{"data":[]}' });
  return { ...ran, said: data.map(({ line, verdict, charged }) => [line, verdict, charged]) };
}

test('each row is paid, paid less, twice, in parts, not paid, not shown or not found', async () => {
  await using service = await startStored();
  const ids = ['whole', 'less', 'twice', 'parts', 'declined', 'hidden', 'nobody'];
  const ran = await compare(service, ['order_id,amount', ...ids.map((id) => `ord_${id},1000`)]);
  expect(ran.code, ran.stderr).toBe(8);
  expect(ran.said).toEqual([
    [2, 'paid', 1000],
    [3, 'paid_less', 900],
    [4, 'paid_twice', 2000],
    [5, 'paid', 1000],
    [6, 'not_paid', 0],
    [7, 'not_shown', 400],
    [8, 'not_found', 0],
  ]);
  expect(ran.stderr).toContain('2 paid as the file says (2000 MXN)');
  expect(sumsIn(ran)).toEqual([
    ['MXN', 6, 6000, 5300, 700, 0],
    [null, 1, 1000, 0, 1000, 0],
  ]);
});

test.each([
  ['order_id', 'ord_whole'],
  ['reference', 'SO-whole'],
  ['charge_id', 'ch_whole'],
  ['auth_code', '4whole'],
])('a payment is found by %s', async (title, name) => {
  await using service = await startStored();
  const ran = await compare(service, [`invoice,${title},amount`, `F-1,${name},1000`]);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.said).toEqual([[2, 'paid', 1000]]);
});

test('what a row names must all be true of the payment', async () => {
  await using service = await startStored();
  const ran = await compare(service, ['order_id,auth_code,amount', 'ord_whole,4less,900']);
  expect(ran.said).toEqual([[2, 'not_paid', 0]]);
});

test('two rows about one order share its payments, and one payment counts once', async () => {
  await using service = await startStored();
  const parts = await compare(service, ['order_id,amount', 'ord_parts,600', 'ord_parts,400']);
  expect(parts.said).toEqual([
    [2, 'paid', 600],
    [3, 'paid', 400],
  ]);
  const same = await compare(service, ['order_id,amount', 'ord_whole,1000', 'ord_whole,1000']);
  expect(same.said).toEqual([
    [2, 'paid', 1000],
    [3, 'not_paid', 0],
  ]);
});

test('--period finds payments of that time that are not in the file, and no others', async () => {
  await using service = await startStored();
  const ids = ['whole', 'less', 'twice', 'parts'];
  const lines = ['order_id', ...ids.map((id) => `ord_${id}`)];
  const ran = await compare(service, lines, '--period', '2026-10');
  expect(ran.said.filter(([, verdict]) => verdict === 'not_in_file')).toEqual([
    [null, 'not_in_file', 400],
    [null, 'not_in_file', 77],
  ]);
  expect((await compare(service, lines)).said).toHaveLength(4);
});

test('an export of charges is a list that agrees with what was charged', async () => {
  const some = orders.filter(({ id }) => id !== 'ord_hidden' && id !== 'ord_declined');
  await using service = await startStored(some);
  const { stdout } = await service.run(['orders', 'export', '--rows', 'charges', '--csv']);
  const ran = await compare(service, [stdout.trimEnd()], '--period', '2026');
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.said).toHaveLength(8);
});

test.each(['total', 'Importe', 'price', 'sum', 'amount_mxn', 'amount (MXN)'])(
  'a column %s is not passed over: without its amount a row would agree with any',
  async (title) => {
    await using service = await startStored();
    const ran = await compare(service, [`order_id,${title}`, 'ord_whole,7']);
    expect(ran.code).toBe(2);
    expect(inOneLine(ran.stderr)).toContain(`there is no column amount, and ${title} looks like one`);
    writeFileSync(join(service.home.path, 'refunds.csv'), `order_id,${title}\nord_whole,7\n`);
    const line = ['-p', 'shop', 'refunds', 'compare', 'refunds.csv'];
    expect(await paydesk(line, { home: service.home })).toMatchObject({ code: 2 });
  },
);

test('a file without any name of a payment is refused', async () => {
  await using service = await startStored();
  const ran = await compare(service, ['invoice,amount', 'F-1,1000']);
  expect(ran.code).toBe(2);
  expect(service.requests).toEqual([]);
});
