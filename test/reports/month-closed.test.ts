/** What a closed month asks of lists: the order with just that number, the orders that wait, rates as numbers, and what an index knows for sure. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chargeOf, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { hangUp } from '../harness/server.ts';
import { startService } from '../harness/service.ts';
import { clock, orderAt, rowsOf, startDated } from './refunded-orders.ts';

const numbered = (index: number, number: string) => orderOf(`ord_${index}`, [], { metadata: { number } });

test('orders find shows the order with just that number first, however many others hold it', async () => {
  const others = Array.from({ length: 300 }, (_, index) => numbered(index, `SO-351${index}`));
  await using service = await startService({
    orders: [...others, numbered(900, 'SO-351'), numbered(901, 'SO-3519')],
  });
  const ran = await service.run(['orders', 'find', 'so-351', '--ndjson']);
  expect(ran.code, ran.stderr).toBe(0);
  const ids = rowsOf(ran.stdout).map(({ id }) => id);
  expect(ids[0]).toBe('ord_900');
  expect(new Set(ids).size).toBe(302);
  expect(ids.slice(1, 4)).toEqual(['ord_0', 'ord_1', 'ord_2']);
});

const waits = (name: string, created: string, amount: number) =>
  orderAt(`ord_${name}`, created, { amount, payment_status: 'pre_authorized' });

test('orders waiting lists the orders, the oldest first, with age, amount, buyer and the command that captures', async () => {
  await using service = await startDated({
    orders: [
      waits('young', '2040-11-21T10:00:00Z', 700),
      waits('old', '2040-11-11T10:00:00Z', 300),
      orderAt('ord_paid', '2040-11-20T10:00:00Z'),
    ],
  });
  const ran = await service.run(['orders', 'waiting', '--width', '100'], { env: clock });
  expect(ran.code, ran.stderr).toBe(0);
  const lines = ran.stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(lines.slice(1, 4)).toEqual([
    ['ORDER', 'AGE', 'AMOUNT', 'BUYER'],
    ['ord_old', '10 days', '300 MXN', 'Buyer Name'],
    ['ord_young', '5 hours', '700 MXN', 'Buyer Name'],
  ]);
  expect(ran.stdout).toContain('to capture the oldest: paydesk orders capture ord_old\n');
  expect(ran.stdout).toMatch(/MXN +2 +1000/);
});

test('orders waiting writes the orders into a file and for scripts, and says which file; with --by the sums', async () => {
  await using service = await startDated({
    orders: [waits('young', '2040-11-21T10:00:00Z', 700), waits('old', '2040-11-11T10:00:00Z', 300)],
  });
  const ask = (...words: readonly string[]) => service.run(['orders', 'waiting', ...words], { env: clock });
  const written = await ask('--to', 'waiting.csv');
  expect([written.code, written.stderr]).toEqual([
    0,
    expect.stringContaining('written: waiting.csv, 2 rows\n'),
  ]);
  const text = readFileSync(join(service.home.path, 'waiting.csv'), 'utf8');
  expect(text.split('\n').map((line) => line.split(',').slice(0, 4).join(','))).toEqual([
    'id,created_at,age_seconds,amount',
    'ord_old,2040-11-11T10:00:00Z,883872,300',
    'ord_young,2040-11-21T10:00:00Z,19872,700',
    '',
  ]);
  const sums = rowsOf((await ask('--by', 'age', '--ndjson')).stdout);
  expect(sums.map(({ bucket, amount }) => [bucket, amount])).toEqual([
    ['under 1 day', 700],
    ['7 to 30 days', 300],
  ]);
});

test('an export of refunds says what no order shows, as refunds list does', async () => {
  await using service = await startDated({
    orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
    onPost: () => hangUp,
  });
  expect((await service.run(['orders', 'refund', 'ord_1', '--yes'], { env: clock })).code).toBe(7);
  const line = 'not among them, since no order shows it: 1 unconfirmed, 10000 MXN\n';
  for (const words of [
    ['refunds', 'list'],
    ['orders', 'export', '--rows', 'refunds'],
    ['orders', 'export', '--rows', 'refunds', '--to', 'refunds.csv'],
  ])
    expect((await service.run(words, { env: clock })).stderr).toContain(line);
  for (const [filter, isIn] of [
    ['--min-amount 10000', true],
    ['--min-amount 10001', false],
    ['--status paid', true],
    ['--status refunded', false],
  ] as const) {
    const words = ['orders', 'export', '--rows', 'refunds', ...filter.split(' ')];
    const { stderr } = await service.run(words, { env: clock });
    expect([filter, stderr.includes(line)]).toEqual([filter, isIn]);
  }
  const some = ['orders', 'export', '--rows', 'refunds', '--period', '2040-10'];
  expect((await service.run(some, { env: clock })).stderr).not.toContain(line);
});

test('an export of refunds says what became of them, on the screen, in the manifest and in a workbook', async () => {
  const at = '2040-11-21T12:00:00Z';
  await using service = await startDated({
    orders: [
      orderAt('ord_1', '2040-11-21T10:00:00Z', {
        refunds: [
          { amount: 1000, at },
          { amount: 2000, at },
          { amount: 300, at, changes: { status: 'failed' } },
        ],
        amount_refunded: 3000,
      }),
      orderAt('ord_2', '2040-11-21T10:00:00Z', { currency: 'USD', refunds: [{ amount: 40, at }] }),
    ],
  });
  const back = '3 went back, 3000 MXN and 40 USD; 1 failed, 300 MXN';
  expect((await service.run(['refunds', 'list'], { env: clock })).stderr).toContain(back);
  for (const to of [[], ['--to', 'nov.csv'], ['--to', 'nov.xlsx'], ['--limit', '1', '--to', 'pages.csv']]) {
    const words = ['orders', 'export', '--rows', 'refunds', ...to];
    expect((await service.run(words, { env: clock })).stderr).toContain(`${back}\n`);
  }
  const read = (name: string) => readFileSync(join(service.home.path, name), 'utf8');
  expect(JSON.parse(read('nov.csv.manifest.json'))).toMatchObject({ notes: [back] });
  expect(read('nov.xlsx')).toContain(back);
  const some = await service.run(['orders', 'export', '--rows', 'refunds', '--max-amount', '299'], {
    env: clock,
  });
  expect(some.stderr).toContain('1 went back, 40 USD\n');
});

test('rates are numbers', async () => {
  const made = { amount: 2500, at: '2040-11-21T12:00:00Z' };
  const tiny = { amount: 1, at: '2040-11-21T12:00:00Z' };
  await using service = await startDated({
    orders: [
      orderAt('ord_1', '2040-11-21T10:00:00Z', { amount: 10_000, refunds: [made] }),
      orderAt('ord_2', '2040-11-21T10:00:00Z', { amount: 900_000, currency: 'USD', refunds: [tiny] }),
    ],
  });
  const { stdout } = await service.run(['refunds', 'summary', '--period', 'today', '--ndjson'], {
    env: clock,
  });
  expect(rowsOf(stdout).map((row) => row.rate_percent)).toEqual([25, 0.0001]);
});

test('an export of refunds takes --state as refunds list does, and no other rows take it', async () => {
  await using service = await startDated({
    orders: [
      orderAt('ord_1', '2040-11-21T10:00:00Z', { refunds: [{ amount: 300, at: '2040-11-21T11:00:00Z' }] }),
      orderAt('ord_2', '2040-11-21T10:00:00Z'),
    ],
    onPost: () => hangUp,
  });
  expect((await service.run(['orders', 'refund', 'ord_2', '--yes'], { env: clock })).code).toBe(7);
  const ask = (...words: readonly string[]) =>
    service.run(['orders', 'export', '--period', '2040-11', ...words], { env: clock });
  const elsewhere = await ask('--rows', 'refunds', '--state', 'elsewhere');
  expect(rowsOf(elsewhere.stdout).map(({ order_id: id }) => id)).toEqual(['ord_1']);
  expect(elsewhere.stderr).not.toContain('not among them');
  const open = await ask('--rows', 'refunds', '--state', 'unconfirmed,failed');
  expect([open.stdout, open.stderr]).toEqual(['', expect.stringContaining('1 unconfirmed, 10000 MXN\n')]);
  expect((await ask('--state', 'made')).code).toBe(2);
});

test('a file with the totals of a summary names the split that the screen has', async () => {
  await using service = await startDated({ orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')] });
  const written = (...words: readonly string[]) =>
    service.run(['orders', 'summary', '--to', 's.csv', '--force', ...words], { env: clock });
  const note =
    'the file has the totals only; to split them as on the screen, run the same command with --by status --force\n';
  expect((await written()).stderr).toContain(note);
  expect((await written('--by', 'status')).stderr).not.toContain(note);
});

test('each command that takes a period notes once that the last day of the month is left out', async () => {
  await using service = await startDated({ orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')] });
  const ends = ['--since', '2040-11-01', '--until', '2040-11-30'];
  const period = ['--period', '2040-11-01..2040-11-30'];
  for (const words of [
    ['refunds', 'list', ...period],
    ['refunds', 'summary', ...ends],
    ['orders', 'list', ...ends],
    ['orders', 'summary', ...period],
    ['orders', 'export', '--rows', 'refunds', ...period],
    ['journal', 'list', ...period],
    ['report', ...period, '--to', 'report.html'],
    ['prove', '2040-11-01..2040-11-30', '--to', 'proof.ndjson'],
  ]) {
    const { stderr } = await service.run(words, { env: clock });
    const notes = stderr.split('\n').filter((line) => line.includes('ends before 2040-11-30'));
    expect([words, notes]).toEqual([
      words,
      [
        '2040-11-01..2040-11-30 ends before 2040-11-30: that day is left out; with it: 2040-11, which is 2040-11-01..2040-12-01',
      ],
    ]);
  }
});

const tried = orderOf(
  'ord_1',
  [
    chargeOf('ch_no', 1000, { status: 'declined', paid_at: null }),
    chargeOf('ch_yes', 1000, {
      refunds: listOf(refundOf('rf_1', 300), refundOf('rf_2', 200, { status: 'failed' })),
    }),
  ],
  { amount_refunded: 300 },
);

test('an export of charges with --charge-status has only those charges, and one of refunds only refunds of them', async () => {
  await using service = await startService({ orders: [tried] });
  const idsOf = async (...words: readonly string[]) =>
    rowsOf((await service.run(['orders', 'export', ...words])).stdout).map(({ id }) => id);
  expect(await idsOf('--rows', 'charges', '--charge-status', 'declined')).toEqual(['ch_no']);
  expect(await idsOf('--rows', 'refunds', '--charge-status', 'declined')).toEqual([]);
  expect(await idsOf('--rows', 'refunds', '--charge-status', 'paid')).toEqual(['rf_1', 'rf_2']);
  expect(await idsOf('--charge-status', 'declined')).toEqual(['ord_1']);
});

test('each charge of an export says what went back of it, and nothing if it does not show all', async () => {
  const hidden = orderOf('ord_2', [chargeOf('ch_hidden', 500, { refunds: undefined })], {
    amount_refunded: 500,
  });
  await using service = await startService({ orders: [tried, hidden] });
  const { stdout } = await service.run([
    'orders',
    'export',
    '--rows',
    'charges',
    '--csv',
    '--columns',
    'id,amount,refunded',
  ]);
  expect(stdout).toBe('id,amount,refunded\nch_no,1000,0\nch_yes,1000,300\nch_hidden,500,\n');
  const whole = await service.run(['orders', 'export', '--rows', 'charges', '--csv']);
  expect(whole.stdout).toMatch(/^id,order_id,status,amount,refunded,currency,fee,/);
});

test('what went back to one buyer, in all, is a list and a sum by e-mail or by a part of the name', async () => {
  const of = (name: string, email: string) => ({ customer_info: { object: 'customer_info', name, email } });
  const back = (amount: number, at: string) => ({ refunds: [{ amount, at }] });
  await using service = await startDated({
    orders: [
      orderAt('ord_1', '2039-02-01T10:00:00Z', {
        ...back(300, '2039-02-02T10:00:00Z'),
        ...of('Ana Nuñez', 'ana@example.com'),
      }),
      orderAt('ord_2', '2040-11-20T10:00:00Z', {
        ...back(40, '2040-11-21T11:00:00Z'),
        ...of('Ana Nuñez', 'ana@example.com'),
      }),
      orderAt('ord_3', '2040-11-20T10:00:00Z', {
        ...back(5, '2040-11-21T11:00:00Z'),
        ...of('Joanna Lee', 'jo@example.com'),
      }),
      orderAt('ord_4', '2040-11-20T10:00:00Z', of('Ana Nuñez', 'ANA@example.com')),
    ],
    onPost: () => hangUp,
  });
  const ask = (...words: readonly string[]) => service.run(words, { env: clock });
  expect((await ask('orders', 'refund', 'ord_4', '--yes')).code).toBe(7);
  for (const who of ['ana@example.com', 'Ana@Example.com', 'nunez', 'ana nuñez']) {
    const { code, stdout, stderr } = await ask('refunds', 'list', '--customer', who, '--ndjson');
    expect([code, rowsOf(stdout).map((row) => row.order_id)]).toEqual([0, ['ord_2', 'ord_1']]);
    expect(stderr).toContain('2 of 3 refunds: 2 went back, 340 MXN\n');
    expect(stderr).toContain('1 unconfirmed, 10000 MXN\n');
  }
  const month = await ask('refunds', 'list', '--customer', 'nunez', '--period', '2040-11', '--ndjson');
  expect(rowsOf(month.stdout).map((row) => row.order_id)).toEqual(['ord_2']);
  const sums = await ask('refunds', 'summary', '--customer', 'ana@example.com', '--ndjson');
  expect(rowsOf(sums.stdout).map((row) => [row.refunds, row.refunded])).toEqual([[2, 340]]);
  const nobody = await ask('refunds', 'list', '--customer', 'zoe@example.com', '--ndjson');
  expect([nobody.stdout, nobody.stderr]).toEqual([
    '',
    expect.stringContaining('--customer zoe@example.com: no refund of this buyer'),
  ]);
  const by = await ask('refunds', 'summary', '--by', 'buyer');
  expect(by.stderr).toContain('all of one buyer, with the sum: paydesk refunds list --customer NAME');
});
