/** `refunds summary`: what is counted in which line, what a rate is, and what is said when something is missing. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chargesOf, type Json, listOf, withCharge } from '../harness/orders.ts';
import { hangUp, json } from '../harness/server.ts';
import { type Service, storeShop } from '../harness/service.ts';
import { clock, orderAt, rowsOf, startDated } from './refunded-orders.ts';

const ask = (service: Service, ...words: readonly string[]) =>
  service.run(['refunds', 'summary', ...words], { env: clock });

const two = (row: Json, ...names: readonly string[]) => names.map((name) => row[name]);

test('16 two currencies: each has its own sums, its own rate and its own scale, and none is in the sum of the other', async () => {
  await using service = await startDated({
    orders: [
      orderAt('ord_3', '2040-11-20T10:00:00Z', { amount: 9_000 }),
      orderAt('ord_2', '2040-11-19T10:00:00Z', {
        amount: 500,
        currency: 'USD',
        refunds: [{ amount: 100, at: '2040-11-20T10:00:00Z' }],
      }),
      orderAt('ord_1', '2040-11-18T10:00:00Z', {
        amount: 3_000,
        refunds: [{ amount: 3_000, at: '2040-11-20T11:00:00Z' }],
      }),
    ],
  });
  const { code, stdout } = await ask(service, '--ndjson');
  expect(code).toBe(0);
  expect(
    rowsOf(stdout).map((row) =>
      two(row, 'currency', 'refunds', 'refunded', 'payments', 'paid', 'net', 'rate_percent'),
    ),
  ).toEqual([
    ['MXN', 1, 3_000, 2, 12_000, 9_000, 25],
    ['USD', 1, 100, 1, 500, 400, 20],
  ]);
  const screen = await ask(service, '--by', 'day');
  expect(screen.stdout.match(/^ {2}2040-11-20 .*#{24}$/gm)).toHaveLength(2);
  const only = await ask(service, '--currency', 'usd', '--ndjson');
  expect(rowsOf(only.stdout).map(({ currency }) => currency)).toEqual(['USD']);
});

test('a month in which clocks change has its zone by name, and --for says that a drawn screen is no CSV', async () => {
  await using service = await startDated({ orders: [] });
  const headings = await Promise.all(
    ['2040-10', '2040-09'].map((month) => ask(service, '--period', month, '--tz', 'Europe/Berlin')),
  );
  expect(headings.map(({ stdout }) => /\(.*\)/.exec(stdout)?.[0])).toEqual(['(Europe/Berlin)', '(UTC+2)']);
  const forExcel = await ask(service, '--for', 'excel');
  expect(forExcel.stderr).toContain('--for is for CSV: add --csv, or write into a .csv\n');
  const csv = await ask(service, '--for', 'excel', '--csv');
  expect(csv.stderr).not.toContain('--for is for CSV');
});

test('18 a refund that was made today is in today’s row, though its order is of January', async () => {
  await using service = await startDated({
    orders: [
      orderAt('ord_2', '2040-11-21T10:00:00Z', { amount: 4_000 }),
      orderAt('ord_1', '2040-01-05T10:00:00Z', {
        amount: 1_000,
        refunds: [{ amount: 1_000, at: '2040-11-21T09:00:00Z' }],
      }),
    ],
  });
  const { stdout } = await ask(service, '--period', 'today', '--by', 'day', '--ndjson');
  expect(rowsOf(stdout).map((row) => two(row, 'bucket', 'refunds', 'refunded', 'paid'))).toEqual([
    ['2040-11-21', 1, 1_000, 4_000],
  ]);
  const { stdout: whole } = await ask(service, '--period', 'today', '--ndjson');
  // Two rates: what was refunded today of today's payments, and what went back of the payments of today.
  expect(rowsOf(whole).map((row) => two(row, 'rate_percent', 'refunded_of_paid'))).toEqual([[25, 0]]);
  const january = await ask(service, '--period', '2040-01', '--ndjson');
  expect(
    rowsOf(january.stdout).map((row) =>
      two(row, 'refunds', 'rate_percent', 'refunded_of_paid', 'refunded_of_paid_percent'),
    ),
  ).toEqual([[0, 0, 1_000, 100]]);
  const days = await ask(service, '--period', '2040-01', '--by', 'day', '--ndjson');
  const ofDays = rowsOf(days.stdout);
  expect(ofDays).toHaveLength(31);
  expect(
    ofDays
      .filter(({ paid }) => paid !== 0)
      .map((row) => two(row, 'bucket', 'refunded_of_paid', 'refunded_of_paid_percent')),
  ).toEqual([['2040-01-05', 1_000, 100]]);
  const screen = await ask(service, '--period', '2040-01');
  expect(screen.stdout).toContain(
    'rate   refunds made in this period, of the payments of this period (OF PAID)',
  );
  expect(screen.stdout).toContain('so far MXN 100.0 % of the payments of this period went back');
  await service.run(['report', '--period', '2040-01', '--to', 'rates.html'], { env: clock });
  expect(readFileSync(join(service.home.path, 'rates.html'), 'utf8')).toContain(
    'Went back so far of the payments of this period: 1\u00a0000\u00a0MXN, 100.0\u00a0%.',
  );
});

test('18 also where the list is newest first: every order is read, because the refund may be of the oldest', async () => {
  await using service = await startDated({
    orders: Array.from({ length: 300 }, (_, index) =>
      orderAt(
        `ord_${index}`,
        new Date(Date.parse('2040-11-20T00:00:00Z') - index * 86_400_000).toISOString(),
        {
          refunds: index === 299 ? [{ amount: 50, at: '2040-11-21T09:00:00Z' }] : [],
        },
      ),
    ),
  });
  await storeShop(service.home, service, { 'orders.order': 'newest-first' });
  const env = { ...clock, PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
  for (const words of [
    ['refunds', 'summary', '--period', 'today'],
    ['refunds', 'list'],
  ]) {
    const { stdout } = await service.run(['-p', 'shop', ...words, '--ndjson'], { env });
    expect(rowsOf(stdout), words.join(' ')).toHaveLength(1);
  }
  const { stdout } = await service.run(['-p', 'shop', 'today'], { env });
  expect(stdout).toContain('refunded today');
  expect(stdout).toContain('ord_299');
});

test('the screen names the rate that it shows', async () => {
  await using service = await startDated({ orders: [orderAt('ord_1', '2040-11-20T10:00:00Z')] });
  const { stdout } = await ask(service);
  expect(stdout).toContain('rate   refunds made in this period, of the payments of this period (OF PAID)');
});

test('a declined charge and an authorized one are no payment', async () => {
  const order = orderAt('ord_1', '2040-11-20T10:00:00Z');
  await using service = await startDated({
    orders: [
      withCharge(order, { status: 'declined' }),
      { ...withCharge(order, { status: 'pre_authorized' }), id: 'ord_2' },
    ],
  });
  expect((await ask(service, '--ndjson')).stdout).toBe('');
});

describe('20 amount_refunded without a refund record', () => {
  const hidden = { ...orderAt('ord_1', '2040-11-20T10:00:00Z'), amount_refunded: 700 };
  const seen = orderAt('ord_2', '2040-11-20T10:00:00Z', {
    refunds: [{ amount: 300, at: '2040-11-20T12:00:00Z' }],
  });

  test('is said, with the order and exit 9, and no row calls itself complete', async () => {
    await using service = await startDated({ orders: [seen, hidden] });
    const { code, stdout, stderr } = await ask(service, '--ndjson');
    expect(code).toBe(9);
    expect(rowsOf(stdout).map((row) => two(row, 'refunded', 'complete'))).toEqual([[300, false]]);
    expect(JSON.parse(stderr)).toMatchObject({
      message: 'the sums may be too low: 1 order does not show all refunds',
      now: [
        'ask whoever runs the service about these orders before you rely on the sums:',
        'ord_1: it shows no refund, although its amount_refunded is 700',
      ],
    });
  });

  test('records that add up to less are no better', async () => {
    await using service = await startDated({ orders: [{ ...seen, amount_refunded: 301 }] });
    const { code, stderr, stdout } = await ask(service);
    expect([code, stderr]).toEqual([
      9,
      expect.stringContaining('ord_2: its refunds add up to 300, although its amount_refunded is 301'),
    ]);
    expect(stdout).toContain('NOT COMPLETE');
  });

  test('charges or refunds that are not all shown are no better', async () => {
    const cut = { ...listOf(...chargesOf(seen)), has_more: true };
    await using service = await startDated({ orders: [{ ...seen, charges: cut }] });
    const { code, stderr } = await ask(service);
    expect([code, stderr]).toEqual([9, expect.stringContaining('ord_2: the charges are not all shown')]);
  });

  test('a refund without a date is left out, and that is said', async () => {
    const undated = orderAt('ord_3', '2040-11-20T10:00:00Z', {
      refunds: [{ amount: 300, at: '2040-11-20T12:00:00Z', changes: { created_at: null } }],
    });
    await using service = await startDated({ orders: [undated] });
    const { code, stderr } = await ask(service);
    expect([code, stderr]).toEqual([
      9,
      expect.stringContaining('1 of the refunds and payments show no date and were left out'),
    ]);
  });
});

describe('21 no refunds', () => {
  test('a heading, 0 of what was paid, exit 0', async () => {
    await using service = await startDated({ orders: [orderAt('ord_1', '2040-11-20T10:00:00Z')] });
    const { code, stdout } = await ask(service);
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'REFUNDS  1 Nov to 21 Nov 2040 (UTC), so far    sandbox environment',
      '       REFUNDS  REFUNDED  OF PAID   PAID    NET  A DAY (.:-=+*#)',
      '  MXN        0         0    0.0 %  10000  10000  .....................',
    ]);
  });

  test('and not even an order: still a heading, and a CSV of one line', async () => {
    await using service = await startDated({ orders: [] });
    const { code, stdout } = await ask(service);
    expect([code, stdout.split('\n')[2]]).toEqual([0, '  -        0         0        -     -    -']);
    expect((await ask(service, '--csv')).stdout.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse((await ask(service, '--json')).stdout)).toEqual({
      object: 'list',
      data: [],
      has_more: false,
    });
  });
});

describe('29 reason and operator are never blank', () => {
  test('refunds of this machine have both in words, all others are called elsewhere', async () => {
    await using service = await startDated({
      orders: [
        orderAt('ord_3', '2040-11-21T10:00:00Z'),
        orderAt('ord_2', '2040-11-21T09:00:00Z'),
        orderAt('ord_1', '2040-11-20T10:00:00Z', { refunds: [{ amount: 50, at: '2040-11-20T11:00:00Z' }] }),
      ],
      onPost: (order) => (_request, response) => {
        const id = String(order?.id);
        const refunded = orderAt(id, '2040-11-21T10:00:00Z', {
          refunds: [{ amount: 10_000, at: '2040-11-21T15:31:12Z' }],
        });
        service.orders = service.orders.map((one) => (one.id === id ? refunded : one));
        response.setHeader('content-type', 'application/json').end(JSON.stringify(refunded));
      },
    });
    const env = { ...clock, PAYDESK_OPERATOR: 'op7' };
    const refund = (id: string, ...words: readonly string[]) =>
      service.run(['orders', 'refund', id, ...words, '--yes'], { env });
    const made = [await refund('ord_3', '--reason', 'suspected_fraud'), await refund('ord_2')];
    expect(made.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, expect.anything()],
      [0, expect.anything()],
    ]);
    const by = async (what: string) =>
      rowsOf((await ask(service, '--by', what, '--ndjson')).stdout)
        .map(({ bucket, refunds }) => `${String(bucket)} ${String(refunds)}`)
        .toSorted();
    expect(await by('reason')).toEqual(['elsewhere 1', 'no reason given 1', 'suspected_fraud 1']);
    expect(await by('operator')).toEqual(['elsewhere 1', 'op7 2']);
    expect(await by('origin')).toEqual(['elsewhere 1', 'this machine 2']);
    const list = await service.run(['refunds', 'list', '--period', 'this-month', '--csv'], { env: clock });
    expect(list.stdout).not.toMatch(/,,[^,]*,-?\d+,MXN/);
    expect(rowsOf((await service.run(['refunds', 'list', '--ndjson'], { env: clock })).stdout)).toEqual([
      expect.objectContaining({ operator: 'op7' }),
      expect.objectContaining({ operator: 'op7' }),
    ]);
  });

  test('a refund whose reply was lost is probably of this machine, with its reason and operator, until it is confirmed', async () => {
    await using service = await startDated({
      orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
      onPost: () => hangUp,
    });
    const env = { ...clock, PAYDESK_OPERATOR: 'op7' };
    const refund = await service.run(['orders', 'refund', 'ord_1', '--reason', 'other', '--yes'], { env });
    expect(refund.code).toBe(7);
    service.orders = [
      orderAt('ord_1', '2040-11-21T10:00:00Z', { refunds: [{ amount: 10_000, at: '2040-11-21T15:31:13Z' }] }),
    ];
    const list = await service.run(['refunds', 'list', '--ndjson'], { env });
    expect(rowsOf(list.stdout)).toEqual([
      expect.objectContaining({ origin: 'probably this machine', operator: 'op7', reason: 'other' }),
    ]);
    expect(service.posts).toHaveLength(1);
  });

  test('a journal that cannot be read stops it, since all refunds would look as if others had made them', async () => {
    await using service = await startDated({ orders: [] });
    const folder = `${service.home.path}/.local/state/paydesk/journal`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${folder}/journal.db`, 'no journal', { mode: 0o600 });
    const { code, stderr } = await ask(service);
    expect([code, stderr]).toEqual([3, expect.stringContaining('cannot say who made the refunds')]);
    expect((await ask(service, '--by', 'day')).code).toBe(0);
  });
});

test('a walk that breaks off shows no sum, exit 9', async () => {
  let pages = 0;
  await using service = await startDated({
    orders: Array.from({ length: 600 }, (_, index) => orderAt(`ord_${index}`, '2040-11-20T10:00:00Z')),
    onPage: () => {
      pages += 1;
      return pages < 3 ? undefined : json({}, 503);
    },
  });
  const { code, stdout, stderr } = await ask(service, '--csv');
  expect([code, stdout]).toEqual([9, '']);
  expect(stderr).toContain('500 orders were read, but not all: nothing was added up');
});

test('a service that does not say whether there are more pages gets no sum either, exit 9', async () => {
  await using service = await startDated({
    onPage: () => json({ object: 'list', data: [orderAt('ord_1', '2040-11-20T10:00:00Z')] }),
  });
  const { code, stdout } = await ask(service, '--csv');
  expect([code, stdout]).toEqual([9, '']);
});
