/** What a row of an export can hold: people, the order's fields, local times; and one file never has rows of two kinds. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { chargeOf, customerOf, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { json } from '../harness/server.ts';
import { environment, pages, type Service, startAnswering, storeShop, testKey } from '../harness/service.ts';
import { exporting, startOrders } from './many-orders.ts';

// 1 July 2026, 12:00 and 18:00 in UTC.
const bought = 1_782_907_200;
const paidBack = bought + 6 * 3600;

/** An order of 520.00 that two cards paid; the first got 120.00 back. */
const order = orderOf(
  'ord_A',
  [
    chargeOf('ch_1', 35_000, {
      order_id: 'ord_A',
      created_at: bought,
      paid_at: bought + 60,
      status: 'partially_refunded',
      refunds: listOf(refundOf('rf_1', 12_000, { created_at: paidBack })),
    }),
    chargeOf('ch_2', 17_000, { order_id: 'ord_A', created_at: bought, paid_at: bought + 90 }),
  ],
  {
    amount_refunded: 12_000,
    payment_status: 'partially_refunded',
    created_at: bought,
    updated_at: paidBack,
    customer_info: {
      object: 'customer_info',
      customer_id: 'cus_1',
      name: 'Zoë, "the buyer"',
      email: 'zoe@example.com',
      phone: '+5215555555555',
    },
    metadata: { ticket: 'T-7', shop_order: 'A-10023', 'loyalty.level': 'gold', nested: { deep: [1, 2] } },
  },
);

const desk = (orders: readonly Json[] = [order], customers: readonly Json[] = []): Promise<Service> =>
  startAnswering(pages(orders, customers));

async function csvOf(service: Service, ...words: readonly string[]) {
  const ran = await service.run(['orders', 'export', '--csv', ...words]);
  expect(ran.code, ran.stderr).toBe(0);
  return readCsv(ran.stdout);
}

const read = (home: Home, name: string) => readFileSync(join(home.path, name), 'utf8');

test('an export of refunds says whose order it is; its columns have the names and the order of refunds list', async () => {
  await using service = await desk();
  expect(
    (await service.run(['orders', 'export', '--rows', 'refunds', '--csv'])).stdout,
  ).toMatchInlineSnapshot(`
    "refunded_at,order_id,reference,buyer,amount,went_back,currency,state,reason,operator,asked_by,asked_at,approved_by,approved_at,request,ticket,note,id,charge_id,email,created_at,auth_code,change,known_by
    2026-07-01T18:00:00Z,ord_A,A-10023,"Zoë, ""the buyer""",-12000,12000,MXN,elsewhere,,,,,,,,,,rf_1,ch_1,zoe@example.com,2026-07-01T18:00:00Z,490215,,
    "
  `);
  const { stdout } = await service.run(['orders', 'export', '--rows', 'refunds']);
  expect(JSON.parse(stdout)).toMatchObject({
    id: 'rf_1',
    amount: -12_000,
    created_at: paidBack,
    refunded_at: paidBack,
    buyer: 'Zoë, "the buyer"',
    email: 'zoe@example.com',
    reference: 'A-10023',
  });
  const headOf = async (...words: readonly string[]) =>
    (await service.run([...words, '--csv'])).stdout.split('\n', 1)[0]?.split(',') ?? [];
  const listed = await headOf('refunds', 'list', '--period', '2026');
  const exported = await headOf('orders', 'export', '--rows', 'refunds');
  const both = listed.filter((name) => exported.includes(name));
  expect(both.length).toBeGreaterThan(12);
  expect(exported.filter((name) => listed.includes(name))).toEqual(both);
});

test('with --tz each time has its local time beside it, with its offset; without it a CSV is as it was', async () => {
  await using service = await desk([order], [customerOf('cus_1', { created_at: bought })]);
  const zone = ['--tz', 'America/Mexico_City'];
  const [refundHead, refund] = await csvOf(service, '--rows', 'refunds', ...zone);
  expect(refundHead?.slice(0, 2)).toEqual(['refunded_at', 'refunded_at_local']);
  expect(refund?.slice(0, 2)).toEqual(['2026-07-01T18:00:00Z', '2026-07-01T12:00:00-06:00']);
  expect(refundHead).not.toContain('created_at_local');

  const [chargeHead, charge] = await csvOf(service, '--rows', 'charges', ...zone);
  expect(chargeHead?.slice(7, 11)).toEqual(['created_at', 'created_at_local', 'paid_at', 'paid_at_local']);
  expect(charge?.slice(9, 11)).toEqual(['2026-07-01T12:01:00Z', '2026-07-01T06:01:00-06:00']);

  const [orderHead, row] = await csvOf(service, '--tz', 'Asia/Kathmandu');
  expect(orderHead?.filter((name) => name.endsWith('_local'))).toEqual([
    'created_at_local',
    'updated_at_local',
  ]);
  expect(row).toContain('2026-07-01T17:45:00+05:45');
  expect((await csvOf(service))[0]).toEqual(orderHead?.filter((name) => !name.endsWith('_local')));

  const customers = await service.run(['customers', 'export', '--csv', '--tz', 'UTC']);
  expect(readCsv(customers.stdout)[0]?.slice(0, 3)).toEqual(['id', 'created_at', 'created_at_local']);
  expect(readCsv(customers.stdout)[1]?.[2]).toBe('2026-07-01T12:00:00+00:00');
});

test('clocks that go back show the same hour twice, and the offset says which', async () => {
  // 25 October 2026, 2:30 in Madrid, an hour apart.
  const orders = [1_792_891_800, 1_792_888_200].map((at, index) =>
    orderOf(`ord_${index}`, [chargeOf(`ch_${index}`, 100)], { created_at: at }),
  );
  await using service = await desk(orders);
  expect(await csvOf(service, '--tz', 'Europe/Madrid', '--columns', 'created_at,created_at_local')).toEqual([
    ['created_at', 'created_at_local'],
    ['2026-10-25T01:30:00Z', '2026-10-25T02:30:00+01:00'],
    ['2026-10-25T00:30:00Z', '2026-10-25T02:30:00+02:00'],
  ]);
});

test.each([
  ['orders', 'order.amount', undefined],
  ['orders', 'amount', '52000'],
  ['orders', 'customer_info.phone', "'+5215555555555"],
  ['orders', 'metadata.ticket', 'T-7'],
  ['orders', 'metadata.loyalty.level', 'gold'],
  ['orders', 'metadata.nested', '{"deep":[1,2]}'],
  ['orders', 'metadata.nested.deep.2', '2'],
  ['orders', 'metadata.nothing', ''],
  ['orders', 'charges.2.payment_method.last4', '4242'],
  ['orders', 'charges.1.refunds.1.created_at_local', '2026-07-01T18:00:00+00:00'],
  ['orders', 'line_items.1.name', 'Wool blanket'],
  ['orders', 'updated_at_local', '2026-07-01T18:00:00+00:00'],
  ['charges', 'amount', '35000'],
  ['charges', 'order.amount', '52000'],
  ['charges', 'order.id', 'ord_A'],
  ['charges', 'order.payment_status', 'partially_refunded'],
  ['charges', 'buyer', 'Zoë, "the buyer"'],
  ['charges', 'email', 'zoe@example.com'],
  ['charges', 'reference', 'A-10023'],
  ['charges', 'customer_info.email', 'zoe@example.com'],
  ['charges', 'metadata.ticket', 'T-7'],
  ['charges', 'payment_method.name', 'BUYER NAME'],
  ['charges', 'refunds.1.amount', '-12000'],
  ['refunds', 'amount', '-12000'],
  ['refunds', 'order.amount', '52000'],
  ['refunds', 'order.created_at', '2026-07-01T12:00:00Z'],
  ['refunds', 'charge.amount', '35000'],
  ['refunds', 'charge.status', 'partially_refunded'],
  ['refunds', 'status', ''],
  ['refunds', 'payment_method.last4', '4242'],
  ['refunds', 'payment_status', 'partially_refunded'],
  ['refunds', 'customer_info.email', 'zoe@example.com'],
  ['refunds', 'metadata.ticket', 'T-7'],
  ['refunds', 'refunded_at_local', '2026-07-01T18:00:00+00:00'],
])('a row of %s has %s: %j', async (rows, name, value) => {
  await using service = await desk();
  const ran = await service.run(['orders', 'export', '--csv', '--rows', rows, '--columns', name]);
  const [head, first] = ran.code === 0 ? readCsv(ran.stdout) : [];
  expect({ head, first }).toEqual(
    value === undefined ? { head: undefined, first: undefined } : { head: [name], first: [value] },
  );
});

test('the reference is the first of reference.keys that an order has', async () => {
  const other = orderOf('ord_B', [chargeOf('ch_3', 100)], { metadata: { shop_order: 'A-2', ticket: '' } });
  await using service = await desk([order, other]);
  await storeShop(service.home, service, { 'reference.keys': 'ticket, shop_order' });
  const words = ['-p', 'shop', 'orders', 'export', '--csv', '--columns', 'id,reference'];
  const { stdout } = await paydesk(words, { home: service.home });
  expect(stdout).toBe('id,reference\nord_A,T-7\nord_B,A-2\n');
});

test.each([
  ['refunds', 'emial', 'did you mean email?'],
  ['refunds', 'is_refundable', 'did you mean charge.is_refundable or order.is_refundable?'],
  ['charges', 'order.amuont', 'did you mean order.amount?'],
  // What went back of the order, on the row of each of its charges, would count several times in a sum.
  ['charges', 'amount_refunded', 'did you mean order.amount_refunded?'],
  ['refunds', 'amount_refunded', 'did you mean order.amount_refunded?'],
  ['orders', 'order_amount', 'did you mean amount?'],
])('rows of %s have no %s: exit 2, %s', async (rows, name, meant) => {
  await using service = await desk();
  for (const format of ['csv', 'ndjson']) {
    const words = ['orders', 'export', '--rows', rows, '--columns', `id,${name}`, '-o', format];
    const ran = await service.run([...words, '--quiet']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`--columns ${name}: there is no such column`);
    expect(ran.stderr).toContain(meant);
  }
  expect(service.requests).toEqual([]);
});

test('a key that the service repeats is masked in every one of these columns, and what a spreadsheet would run is not run', async () => {
  const echoed = orderOf(
    'ord_K',
    [chargeOf('ch_K', 500, { refunds: listOf(refundOf('rf_K', 500)), status: 'refunded' })],
    {
      amount_refunded: 500,
      payment_status: 'refunded',
      customer_info: { name: `Bearer ${testKey}`, email: `${testKey}@example.com`, phone: testKey },
      metadata: {
        shop_order: testKey,
        ticket: { deep: Buffer.from(testKey).toString('base64') },
        sum: '=1+1',
      },
    },
  );
  await using service = await desk([echoed]);
  const columns = 'buyer,email,reference,metadata,metadata.ticket,customer_info.phone,metadata.sum';
  for (const rows of ['orders', 'charges', 'refunds'])
    for (const format of ['csv', 'ndjson']) {
      const file = `${rows}.${format}`;
      const named = format === 'csv' ? ['--columns', columns] : [];
      const words = ['orders', 'export', '--rows', rows, ...named, '--to', file];
      expect((await paydesk(words, { home: service.home, env: service.env })).code).toBe(0);
      const text = read(service.home, file) + read(service.home, `${file}.manifest.json`);
      expect(text).not.toContain('CANARY');
      expect(text).not.toContain(Buffer.from(testKey).toString('base64').slice(4, 24));
      expect(text).toContain(format === 'csv' ? ",'=1+1" : 'rf_K'.slice(rows === 'refunds' ? 0 : 4));
    }
  for (const format of ['table', 'list', 'csv']) {
    const list = await service.run(['orders', 'list', '-o', format, '--columns', columns]);
    expect(list.code, list.stderr).toBe(0);
    expect(list.stdout).not.toContain('CANARY');
  }
});

// ── One file, one kind of row ───────────────────────────────────────────────────────────────────

const third = 'ord_000000000041';

/** An export of sixty orders that broke off after two pages of ten. */
async function unfinished(home: Home, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let broken = true;
  const server = await startOrders(60, (_page, url) =>
    broken && url.searchParams.get('next') === third
      ? json({ object: 'error', type: 'authentication_error' }, 401)
      : undefined,
  );
  const run = (more: readonly string[], now = env) =>
    paydesk(['orders', 'export', ...words, ...more, '--limit', '10'], {
      home,
      env: { ...environment(server.url), ...now },
    });
  const first = await run([]);
  expect(first.code, first.stderr).toBe(4);
  broken = false;
  return { server, resumed: (now = env) => run(['--resume'], now), again: () => run(['--force']) };
}

test('PAYDESK_COLUMNS of another day do not end up in a file that was begun with others', async () => {
  using home = newHome();
  const { server, resumed } = await unfinished(home, ['--to', 'o.csv'], { PAYDESK_COLUMNS: 'id,amount' });
  await using _ = server;
  const other = await resumed({ PAYDESK_COLUMNS: 'id,buyer' });
  expect(other).toMatchObject({ code: 3, stdout: '' });
  expect(other.stderr).toContain('the unfinished export has id, amount');
  expect(other.stderr).toContain('this run would write id, buyer');
  expect((await resumed()).code).toBe(0);
  expect(readCsv(read(home, 'o.csv'))[0]).toEqual(['id', 'amount']);
});

test('local times of a resumed export are in the zone that it began in, whatever the machine’s zone is now', async () => {
  using home = newHome();
  const words = ['--columns', 'id,created_at_local', '--to', 'o.csv'];
  const { server, resumed } = await unfinished(home, words, { TZ: 'America/Mexico_City' });
  await using _ = server;
  expect((await resumed({ TZ: 'Asia/Tokyo' })).code).toBe(0);
  const [, ...rows] = readCsv(read(home, 'o.csv'));
  expect(rows).toHaveLength(60);
  expect(rows.filter(([, at = '']) => !at.endsWith('-06:00'))).toEqual([]);
});

test.each([
  ['o.csv', ['--columns', 'id,buyer'], ['id', 'buyer']],
  ['o.ndjson', [], null],
  ['r.json', ['--rows', 'refunds'], expect.arrayContaining(['buyer', 'email', 'reference', 'refunded_at'])],
] as const)('the manifest of %s says what each row holds', async (file, words, columns) => {
  await using server = await startOrders(3);
  using home = newHome();
  await exporting(server, home, ...words, '--to', file);
  expect(JSON.parse(read(home, `${file}.manifest.json`))).toMatchObject({ columns });
});

test.each([
  ['orders', ['--rows', 'refunds'], ''],
  ['orders', ['--since', '30d', '-o', 'json'], ''],
  ['orders', ['--to', 'o.ndjson.gz'], ' --to o.csv.gz'],
  ['customers', ['--ndjson'], ''],
] as const)(
  '%s export %j with --columns is refused, and the printed command works',
  async (noun, words, file) => {
    await using service = await desk([order], [customerOf('cus_1')]);
    const args = [noun, 'export', ...words, '--columns', 'id,buyer'];
    const { code, stdout, stderr } = await service.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--columns id,buyer: ');
    expect(stderr).toContain('holds whole records; only csv has columns');
    expect(service.requests).toEqual([]);
    expect(stderr).toContain(`--columns id,buyer${file} --csv`);
    // The error of a run with json or ndjson is JSON.
    const [, line = ''] = /paydesk ((?:orders|customers) export [^"\n]*)/.exec(stderr) ?? [];
    const ran = await service.run(line.replace('id,buyer', 'id').split(' '));
    expect(ran.code, ran.stderr).toBe(0);
  },
);

test('PAYDESK_COLUMNS is for lists: an export of whole records goes on without it', async () => {
  await using service = await desk();
  const ran = await service.run(['orders', 'export'], { env: { PAYDESK_COLUMNS: 'id,buyer' } });
  expect(ran.code, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toEqual(order);
});
