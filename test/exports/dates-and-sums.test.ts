/** Rows, dates and sums of exports, compared with what the simulator holds. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { type Desk, startDesk } from '../harness/desk.ts';
import { chargeOf, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, paydeskProcess } from '../harness/paydesk.ts';
import { json, startServer } from '../harness/server.ts';
import { environment, startService } from '../harness/service.ts';
import { exporting, orderAt, startOrders } from './many-orders.ts';

const read = (home: Home, name: string) => readFileSync(join(home.path, name), 'utf8');

interface Money {
  readonly [name: string]: unknown;
}
const items = (list: unknown): readonly Money[] => (list as { data?: Money[] } | null)?.data ?? [];

/** The day that clocks in a zone show, by the platform alone. */
function dayIn(zone: string, seconds: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(seconds * 1000);
}

/** Sums of a manifest, as an independent script adds them up: currency, status, day → rows and amount. */
function sumsOf(rows: readonly (readonly [string, string, string, number])[]) {
  const sums = new Map<string, [number, number]>();
  for (const [currency, status, day, amount] of rows) {
    const key = `${currency} ${status} ${day}`;
    const [count, sum] = sums.get(key) ?? [0, 0];
    sums.set(key, [count + 1, sum + amount]);
  }
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface ManifestSum {
  readonly currency: string;
  readonly status: string;
  readonly day: string;
  readonly rows: number;
  readonly amount: number;
}

function sumsIn(manifest: { readonly sums: readonly ManifestSum[] }) {
  return Object.fromEntries(
    manifest.sums
      .map((sum): [string, unknown] => [`${sum.currency} ${sum.status} ${sum.day}`, [sum.rows, sum.amount]])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

describe('exports of 300 orders of the simulator', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk({ args: ['--orders', '300'] });
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  test.each(['America/Mexico_City', 'Asia/Kolkata'])(
    'a span of refunds, by the day they were made in %s, is the simulator’s ledger of those days, whatever the order’s date',
    async (zone) => {
      using home = newHome();
      const ledger = (await desk.orders()).flatMap((order) =>
        items(order.charges).flatMap((charge) =>
          items(charge.refunds).map((refund) => ({
            id: String(refund.id),
            amount: Number(refund.amount),
            at: Number(refund.created_at),
            currency: order.currency,
            status: String(order.payment_status),
          })),
        ),
      );
      // Days in the middle of what there is, so that both ends cut something off.
      const days = [...new Set(ledger.map(({ at }) => dayIn(zone, at)))].sort();
      const [since = '', until = ''] = [days.at(2), days.at(-2)];
      const wanted = ledger.filter(({ at }) => dayIn(zone, at) >= since && dayIn(zone, at) < until);
      expect(wanted.length).toBeGreaterThan(5);
      expect(wanted.length).toBeLessThan(ledger.length);
      const words = [
        '--rows',
        'refunds',
        '--by',
        'refunded',
        '--since',
        since,
        '--until',
        until,
        '--tz',
        zone,
      ];
      const ran = await paydesk(['orders', 'export', ...words, '--to', 'refunds.csv'], {
        home,
        env: desk.env,
      });
      expect(ran.code, ran.stderr).toBe(0);
      const [head = [], ...rows] = readCsv(read(home, 'refunds.csv'));
      const cell = (row: readonly string[], name: string) => row[head.indexOf(name)] ?? '';
      expect(rows.map((row) => cell(row, 'id')).sort()).toEqual(wanted.map(({ id }) => id).sort());
      const sum = (amounts: readonly number[]) => amounts.reduce((a, b) => a + b, 0);
      expect(sum(rows.map((row) => Number(cell(row, 'amount'))))).toBe(
        sum(wanted.map(({ amount }) => amount)),
      );
      const manifest = JSON.parse(read(home, 'refunds.csv.manifest.json'));
      const recomputed = rows.map((row): [string, string, string, number] => {
        const day = dayIn(zone, Date.parse(cell(row, 'created_at')) / 1000);
        const status = wanted.find(({ id }) => id === cell(row, 'id'))?.status ?? '';
        return [cell(row, 'currency'), status, day, Number(cell(row, 'amount'))];
      });
      expect(sumsIn(manifest)).toEqual(sumsOf(recomputed));
      expect(manifest.query).toMatchObject({ rows: 'refunds', by: 'refunded', zone });
    },
  );
});

test('rows of refunds have operator, reason and note when this machine made the refund, and nothing when others did', async () => {
  await using desk = await startDesk();
  using home = newHome();
  const order = (await desk.orders()).find(
    ({ payment_status: status, charges }) => status === 'paid' && charges?.data.length === 1,
  );
  const refund = await paydesk(
    ['orders', 'refund', order?.id ?? '', '--reason', 'other', '--note', 'ticket 8812', '-y'],
    { home, env: { ...desk.env, PAYDESK_OPERATOR: 'op7' } },
  );
  expect(refund.code, refund.stderr).toBe(0);
  const ran = await paydesk(['orders', 'export', '--rows', 'refunds', '--ndjson'], { home, env: desk.env });
  const rows = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const ours = rows.filter(({ order_id: id }) => id === order?.id);
  expect(ours).toEqual([
    expect.objectContaining({
      object: 'refund',
      amount: -(order?.amount ?? 0),
      reason: 'other',
      note: 'ticket 8812',
      operator: 'op7',
      known_by: 'reply',
      change: expect.stringMatching(/^i_/),
    }),
  ]);
  const others = rows.filter(({ order_id: id }) => id !== order?.id);
  expect(others.length).toBeGreaterThan(0);
  for (const row of others)
    expect(row).toMatchObject({ reason: null, note: null, operator: null, change: null });
});

test('rows of refunds and the sums of the manifest say what became of each; a report of the file counts only what went back', async () => {
  using home = newHome();
  const records = [
    refundOf('rf_1', 300),
    refundOf('rf_2', 100, { status: 'failed' }),
    refundOf('rf_3', 70, { status: 'pending' }),
    refundOf('rf_4', 5, { status: 'on_the_moon' }),
  ];
  await using service = await startService({
    orders: [
      orderOf('ord_1', [chargeOf('ch_1', 1000, { refunds: listOf(...records) })], { amount_refunded: 300 }),
    ],
  });
  const run = (...words: readonly string[]) => paydesk(words, { home, env: service.env });
  const { code, stderr } = await run('orders', 'export', '--rows', 'refunds', '--to', 'r.csv');
  expect(code, stderr).toBe(0);
  const [head = [], ...rows] = readCsv(read(home, 'r.csv'));
  expect(rows.map((row) => [row[head.indexOf('amount')], row[head.indexOf('state')]])).toEqual([
    ['-300', 'elsewhere'],
    ['-100', 'failed'],
    ['-70', 'pending'],
    ['-5', 'unconfirmed'],
  ]);
  const { sums } = JSON.parse(read(home, 'r.csv.manifest.json')) as { readonly sums: readonly Money[] };
  expect(sums.map(({ state, amount }) => [state, amount])).toEqual([
    ['elsewhere', -300],
    ['failed', -100],
    ['pending', -70],
    ['unconfirmed', -5],
  ]);
  const words = [
    'refunds',
    'summary',
    '--period',
    '2026-01-01..2027-01-01',
    '--from-file',
    'r.csv',
    '--json',
  ];
  const summary = await run(...words);
  expect(JSON.parse(summary.stdout).data, summary.stderr).toEqual([
    expect.objectContaining({ refunded: 300, failed: 100, pending: 70, unconfirmed: 5 }),
  ]);
});

test('rows of charges, and orders by the date of a payment or a refund, are those of the range', async () => {
  await using server = await startOrders(200);
  using home = newHome();
  const all = Array.from({ length: 200 }, (_, index) => orderAt(index, 200));
  const [from, to] = [1_795_000_000 - 100 * 420, 1_795_000_000 - 20 * 420];
  const range = [
    '--since',
    new Date(from * 1000).toISOString(),
    '--until',
    new Date(to * 1000).toISOString(),
  ];
  const within = (at: unknown) => Number(at) >= from && Number(at) < to;
  const ids = async (...words: readonly string[]) => {
    const { stdout } = await exporting(
      server,
      home,
      '--csv',
      '--no-header',
      '--columns',
      'id',
      ...range,
      ...words,
    );
    return stdout.split('\n').slice(0, -1);
  };
  const charges = all.flatMap((order) => items(order.charges));
  expect(await ids('--rows', 'charges', '--by', 'paid')).toEqual(
    charges.filter(({ paid_at: at }) => within(at)).map(({ id }) => id),
  );
  expect(await ids()).toEqual(all.filter(({ created_at: at }) => within(at)).map(({ id }) => id));
  const refunded = (order: Money) =>
    items(order.charges).some(({ refunds }) => items(refunds).some(({ created_at: at }) => within(at)));
  expect(await ids('--by', 'refunded')).toEqual(all.filter(refunded).map(({ id }) => id));
});

test('an order that does not show all its refunds makes a file of refunds incomplete, not shorter', async () => {
  const order = orderAt(0, 1);
  const [charge] = items(order.charges);
  const showing = (refunds: unknown) => ({
    object: 'list',
    has_more: false,
    data: [{ ...order, charges: { object: 'list', data: [{ ...charge, refunds }] } }],
  });
  for (const refunds of [
    { object: 'list', has_more: true, data: items(charge?.refunds) },
    { object: 'list', has_more: false, total: 2, data: items(charge?.refunds) },
    undefined,
    'none',
    null,
  ]) {
    await using server = await startServer(json(showing(refunds)));
    using home = newHome();
    const ran = await exporting(server, home, '--rows', 'refunds', '--to', 'r.csv');
    expect(ran.code, JSON.stringify(refunds)).toBe(9);
    expect(ran.stderr).toMatch(
      refunds === null
        ? 'ord_000000000001: it shows no refund, although its amount_refunded is 1000'
        : /ord_000000000001: the refunds of charge ch_ord_000000000001 are not (all )?shown/,
    );
  }
  // What needs no refunds is whole without them.
  await using server = await startServer(json(showing(undefined)));
  using home = newHome();
  for (const rows of ['orders', 'charges'])
    expect((await exporting(server, home, '--rows', rows, '--to', `${rows}.csv`)).code, rows).toBe(0);
});

test.each([
  { name: 'partly refunded, no amount_refunded', payment_status: 'partially_refunded', code: 9 },
  { name: 'paid, no amount_refunded', payment_status: 'paid', code: 9 },
  { name: 'paid, amount_refunded 0', payment_status: 'paid', amount_refunded: 0, code: 0 },
  { name: 'an unknown state, amount_refunded 0', payment_status: 'declined', amount_refunded: 0, code: 0 },
  { name: 'nothing paid, no charges', payment_status: undefined, charges: null, code: 0 },
])('refunds that an order leaves out: an export says what orders show says ($name)', async (shape) => {
  const { name: _, code, ...fields } = shape;
  const { amount_refunded: _refunded, ...order } = orderAt(0, 1);
  const [{ refunds: _refunds, ...charge } = {}] = items(order.charges);
  const shown = { ...order, charges: { object: 'list', has_more: false, data: [charge] }, ...fields };
  await using server = await startServer((request, response, socket) =>
    json(
      request.url.includes('next=') || request.url.includes('previous=')
        ? { object: 'list', has_more: false, data: [] }
        : { object: 'list', has_more: false, data: [shown] },
    )(request, response, socket),
  );
  using home = newHome();
  const words = 'the refunds of charge ch_ord_000000000001 are not shown';
  const refunds = await exporting(server, home, '--rows', 'refunds', '--to', 'r.csv');
  expect({ code: refunds.code, said: refunds.stderr.includes(words) }).toEqual({ code, said: code === 9 });
  const seen = await paydesk(['orders', 'show', 'ord_000000000001'], { home, env: environment(server.url) });
  expect({ code: seen.code, said: seen.stdout.includes(words) }).toEqual({ code: 0, said: code === 9 });
});

test('the same data exported on another day, in another zone of the machine, is the same file; only its times differ', async () => {
  await using server = await startOrders(50);
  using home = newHome();
  const preload = join(home.path, 'later.mjs');
  writeFileSync(preload, 'const now = Date.now; Date.now = () => now() + 3 * 86_400_000;\n');
  const run = (name: string, nodeArgs: readonly string[], TZ: string) =>
    paydeskProcess(['orders', 'export', '--tz', 'UTC', '--to', name], {
      home,
      nodeArgs,
      env: { ...environment(server.url), TZ },
    });
  expect((await run('one.csv', [], 'Asia/Tokyo')).code).toBe(0);
  expect((await run('two.csv', ['--import', preload], 'America/Lima')).code).toBe(0);
  expect(read(home, 'two.csv')).toBe(read(home, 'one.csv'));
  const [one, two] = ['one', 'two'].map((name) => JSON.parse(read(home, `${name}.csv.manifest.json`)));
  expect(two.started_at - one.started_at).toBeGreaterThan(2 * 86_400);
  const timeless = (manifest: Money) => ({
    ...manifest,
    file: '',
    started_at: 0,
    ended_at: 0,
    signature: '',
  });
  expect(timeless(two)).toEqual(timeless(one));
});

test('a range that ends after the start of the walk is noted in its zone, an empty range is refused', async () => {
  await using server = await startOrders(5);
  using home = newHome();
  const ran = await exporting(server, home, '--until', '2999-01-01', '--tz', 'Asia/Tokyo', '--csv');
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain(
    'the time until 1 Jan 2999 00:00:00 UTC+9 is not over: this export ends with what has happened so far',
  );
  expect((await exporting(server, home, '--period', 'today', '--csv')).stderr).toContain(
    'today is not over: this',
  );
  const quiet = await exporting(server, home, '--until', '2999-01-01', '--csv', '--quiet');
  expect(quiet.stderr).toBe('');
  expect((await exporting(server, home, '--since', '2026-02-01', '--until', '2026-01-01')).code).toBe(2);
});

test('orders that show no date are left out of a range and named, never silently', async () => {
  const { created_at: _, ...undated } = orderAt(0, 2);
  await using server = await startServer(
    json({ object: 'list', has_more: false, data: [undated, orderAt(1, 2)] }),
  );
  using home = newHome();
  const ran = await exporting(server, home, '--since', '2020-01-01', '--to', 'o.csv');
  expect(ran.code).toBe(9);
  expect(ran.stderr).toContain('ord_000000000002: the order shows no created_at');
  expect(JSON.parse(read(home, 'o.csv.manifest.json'))).toMatchObject({ rows: 1, problems: 1 });
});
