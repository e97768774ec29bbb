/** A month with 20 kinds of odd orders: each surface has the sums of a plain calculation, to the unit, and names what it lacks. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { readCsv } from '../harness/csv.ts';
import { isLong } from '../harness/long.ts';
import { chargeOf, type Json, listBeforeMore, listOf, orderOf, refundOf } from '../harness/orders.ts';
import type { Service } from '../harness/service.ts';
import { readWorkbook } from '../harness/workbook.ts';
import { at, orderAt, startDated } from './refunded-orders.ts';

const zone = 'Europe/Madrid';
// In this zone the month ends its summer time on the 25th.
const month = { from: at('2026-09-30T22:00:00Z'), until: at('2026-10-31T23:00:00Z') };
const clock = standingAt('2026-11-03T12:00:00Z');
const currencies = ['MXN', 'USD', 'EUR', 'JPY', 'KWD'];
const largest = Number.MAX_SAFE_INTEGER;

/** An order, what of its refunds counts, and whether something of it is missing, so that it is named. */
interface Odd {
  readonly order: Json;
  readonly counted: readonly number[];
  readonly isNamed: boolean;
}

/** What all kinds are made of. */
interface Parts {
  readonly id: string;
  readonly currency: string;
  readonly time: number;
}

const refund = ({ id, time }: Parts, amount: number, changes: Json = {}): Json =>
  refundOf(`rf_${id}_${amount}`, amount, { created_at: time, ...changes });
const charge = ({ id, currency, time }: Parts, changes: Json = {}): Json =>
  chargeOf(`ch_${id}`, 1000, {
    order_id: id,
    currency,
    created_at: time - 60,
    paid_at: time - 60,
    ...changes,
  });
const order = (parts: Parts, charges: readonly Json[], changes: Json = {}): Json =>
  orderOf(parts.id, charges, {
    currency: parts.currency,
    created_at: parts.time - 60,
    updated_at: parts.time,
    ...changes,
  });
const withRefunds = (parts: Parts, refunds: readonly Json[], back: number, changes: Json = {}): Json =>
  order(parts, [charge(parts, { refunds: listOf(...refunds) })], { amount_refunded: back, ...changes });
const whenMade = (parts: Parts, time: string): Json =>
  withRefunds(parts, [refund(parts, 300, { created_at: at(time) })], 300);

const kinds: readonly ((parts: Parts) => Odd)[] = [
  // Something of these is missing: what they show counts all the same.
  (p) => ({ order: order(p, [], { charges: null }), counted: [], isNamed: true }),
  (p) => ({
    order: order(p, [], { charges: listBeforeMore(charge(p, { refunds: listOf(refund(p, 300)) })) }),
    counted: [300],
    isNamed: true,
  }),
  (p) => ({
    order: order(p, [charge(p, { refunds: listBeforeMore(refund(p, 300)) })], { amount_refunded: 500 }),
    counted: [300],
    isNamed: true,
  }),
  (p) => ({ order: order(p, [charge(p)], { amount_refunded: 500 }), counted: [], isNamed: true }),
  (p) => ({ order: withRefunds(p, [refund(p, 300)], 500), counted: [300], isNamed: true }),
  (p) => ({
    order: withRefunds(p, [refund(p, 300, { created_at: null })], 300),
    counted: [],
    isNamed: true,
  }),
  (p) => ({
    order: withRefunds(p, [refund(p, 300), refund(p, 200, { created_at: null })], 500),
    counted: [300],
    isNamed: true,
  }),
  // All of these is known, so they are counted, and never named.
  (p) => ({ order: withRefunds(p, [refund(p, 300, { status: 'failed' })], 0), counted: [], isNamed: false }),
  (p) => ({
    order: withRefunds(p, [refund(p, 300, { status: 'failed' }), refund(p, 200)], 200),
    counted: [200],
    isNamed: false,
  }),
  (p) => ({
    order: withRefunds(p, [refund(p, 300)], 300, { created_at: null }),
    counted: [300],
    isNamed: false,
  }),
  (p) => ({
    order: withRefunds(p, [refund(p, 300)], 300, { payment_status: 'odd_word' }),
    counted: [300],
    isNamed: false,
  }),
  (p) => ({
    order: withRefunds(p, [refund(p, 300), refund(p, 301)], 601),
    counted: [300, 301],
    isNamed: false,
  }),
  (p) => ({ order: whenMade(p, '2026-10-25T00:30:00Z'), counted: [300], isNamed: false }),
  (p) => ({ order: whenMade(p, '2026-10-25T01:30:00Z'), counted: [300], isNamed: false }),
  (p) => ({ order: whenMade(p, '2026-09-30T21:59:59Z'), counted: [], isNamed: false }),
  (p) => ({ order: whenMade(p, '2026-09-30T22:00:00Z'), counted: [300], isNamed: false }),
  (p) => ({ order: whenMade(p, '2026-10-31T22:59:59Z'), counted: [300], isNamed: false }),
  (p) => ({ order: whenMade(p, '2026-10-31T23:00:00Z'), counted: [], isNamed: false }),
  (p) => ({
    order: order(
      p,
      [
        charge(p, { refunds: listOf(refund(p, 300)) }),
        chargeOf(`ch_${p.id}_no`, 1000, { status: 'declined', paid_at: null }),
      ],
      { amount_refunded: 300 },
    ),
    counted: [300],
    isNamed: false,
  }),
  (p) => ({
    order: order(p, [charge(p, { amount: largest, refunds: listOf(refund(p, largest)) })], {
      amount: largest,
      amount_refunded: largest,
    }),
    counted: [largest],
    isNamed: false,
  }),
];

const count = isLong ? 4000 : 400;
const all: readonly Odd[] = Array.from({ length: count }, (_, index) => {
  const parts: Parts = {
    id: `ord_${String(count - index).padStart(6, '0')}`,
    currency: currencies[(index + Math.floor(index / 80)) % currencies.length] ?? '',
    time: month.from + Math.floor(((index * 7919) % count) * ((month.until - month.from) / count)),
  };
  const kind = index % 4 === 0 ? kinds[(index / 4) % kinds.length] : undefined;
  if (kind !== undefined) return kind(parts);
  const back = 1 + ((index * 7919) % 900);
  return index % 3 === 0
    ? { order: order(parts, [charge(parts)]), counted: [], isNamed: false }
    : { order: withRefunds(parts, [refund(parts, back)], back), counted: [back], isNamed: false };
});

/** How many refunds, and how much, in each currency: by integers of any size, from the list above alone. */
const plain = new Map(
  currencies.map((currency) => {
    const own = all.flatMap(({ order: { currency: shown }, counted }) => (shown === currency ? counted : []));
    return [currency, `${own.length} ${own.reduce((sum, one) => sum + BigInt(one), 0n)}`];
  }),
);
const named = all.flatMap(({ order: { id }, isNamed }) => (isNamed ? [String(id)] : [])).toSorted();

// A number that JavaScript does not hold stays as it is written.
const exactly = (text: string): Json =>
  JSON.parse(text.replaceAll(/(?<=[:,[])(-?\d{16,})(?=[,}\]])/g, '"$1"')) as Json;
const rowsIn = (text: string): readonly Json[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [exactly(line)]));

const movedMoney = new Set(['made', 'elsewhere', 'appeared', 'made twice']);
function added(rows: readonly { currency: unknown; amount: unknown; state: unknown }[]) {
  return new Map(
    currencies.map((currency) => {
      const own = rows.filter((row) => row.currency === currency && movedMoney.has(String(row.state)));
      return [
        currency,
        `${own.length} ${-own.reduce((sum, { amount }) => sum + BigInt(String(amount)), 0n)}`,
      ];
    }),
  );
}

let service: Service;
beforeAll(async () => {
  service = await startDated({ orders: all.map(({ order: one }) => one) });
});
afterAll(() => service[Symbol.asyncDispose]());
const period = ['--period', '2026-10', '--tz', zone];
const ask = (...words: readonly string[]) => service.run(words, { env: clock });
const read = (name: string) => readFileSync(join(service.home.path, name));
const exported = (to: string) =>
  ask('orders', 'export', '--rows', 'refunds', ...period, '--to', to, '--force');

test('there are 20 kinds, and amounts of 16 digits in every currency', () => {
  expect(kinds).toHaveLength(20);
  for (const sum of plain.values()) expect(sum).toMatch(/\d{16}/);
});

test.each(['live', 'from a file'])('the summary, %s', async (source) => {
  await ask('orders', 'export', '--to', 'orders.ndjson', '--force');
  const from = source === 'live' ? ['--live'] : ['--from-file', 'orders.ndjson'];
  const ran = await ask('refunds', 'summary', ...period, ...from, '--ndjson');
  expect(ran.code, ran.stderr).toBe(9);
  expect(
    new Map(
      rowsIn(ran.stdout).map(({ currency, refunds, refunded }) => [
        currency,
        `${String(refunds)} ${String(refunded)}`,
      ]),
    ),
  ).toEqual(plain);
  expect(new Set(rowsIn(ran.stdout).map(({ complete }) => complete))).toEqual(new Set([false]));
});

test('orders summary: every order of the month with its amount, whatever it lacks', async () => {
  const ran = await ask('orders', 'summary', ...period, '--live', '--ndjson');
  const own = all
    .map(({ order: one }) => one)
    .filter(({ created_at: made }) => Number(made) >= month.from && Number(made) < month.until);
  const expected = currencies.map((currency) => {
    const some = own.filter((one) => one.currency === currency);
    const sum = some.reduce((whole, { amount }) => whole + BigInt(Number(amount ?? 0)), 0n);
    return [currency, `${some.length} ${sum}`] as const;
  });
  const said = rowsIn(ran.stdout).map(({ currency, orders, amount }) => {
    return [currency, `${String(orders)} ${String(amount)}`] as const;
  });
  expect(new Map(said), ran.stderr).toEqual(new Map(expected));
});

test('the HTML report has the sum of each currency', async () => {
  const ran = await ask('report', ...period, '--live', '--to', 'month.html', '--force');
  expect(ran.code, ran.stderr).toBe(9);
  const html = read('month.html')
    .toString()
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s,\u00a0]+/g, '');
  for (const sum of plain.values()) expect(html).toContain(sum.split(' ')[1]);
});

test('a day of 23 hours ends after 23 hours, in sums and in the list', async () => {
  const times = [
    '2026-03-28T22:59:59Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T21:59:59Z',
    '2026-03-29T22:00:00Z',
  ];
  const orders = times.map((time, index) =>
    orderAt(`ord_${index}`, '2026-03-01T10:00:00Z', { refunds: [{ amount: 10 ** index, at: time }] }),
  );
  await using short = await startDated({ orders });
  const day = ['--period', '2026-03-29', '--tz', zone, '--live', '--ndjson'];
  const sums = await short.run(['refunds', 'summary', ...day], { env: clock });
  expect(rowsIn(sums.stdout).map(({ refunds, refunded }) => [refunds, refunded])).toEqual([[2, 110]]);
  const list = await short.run(['refunds', 'list', ...day], { env: clock });
  expect(rowsIn(list.stdout).map(({ amount }) => amount)).toEqual([-100, -10]);
});

test('orders compare: an export of charges agrees with what was charged, to the unit', async () => {
  await ask('orders', 'export', '--rows', 'charges', ...period, '--to', 'charges.csv', '--force');
  const [titles = [], ...lines] = readCsv(read('charges.csv').toString());
  const [amount, currency] = [titles.indexOf('amount'), titles.indexOf('currency')];
  const written = currencies.map((one) => {
    const own = lines.filter((line) => line[currency] === one);
    return [
      one,
      `${own.length} ${own.reduce((sum, line) => sum + BigInt(line[amount] || '0'), 0n)}`,
    ] as const;
  });
  const ran = await ask('orders', 'compare', 'charges.csv', '--live', '--json');
  const { sums } = exactly(ran.stdout) as Readonly<Record<'sums', readonly Json[]>>;
  const said = sums.map((sum) => [sum.currency, `${String(sum.rows)} ${String(sum.wanted)}`] as const);
  expect(new Map(said), ran.stderr).toEqual(new Map(written));
});

test('the list', async () => {
  const ran = await ask('refunds', 'list', ...period, '--live', '--ndjson');
  expect(ran.code).toBe(9);
  expect(
    added(rowsIn(ran.stdout).map(({ currency, amount, state }) => ({ currency, amount, state }))),
  ).toEqual(plain);
});

test('the export, its manifest and its problems: each odd order is wholly counted, or named for what it lacks', async () => {
  const ran = await exported('month.csv');
  expect(ran.code, ran.stderr).toBe(9);
  const [titles = [], ...rows] = readCsv(read('month.csv').toString());
  const cell = (row: readonly string[], title: string) => row[titles.indexOf(title)];
  const said = rows.map((row) => ({
    currency: cell(row, 'currency'),
    amount: cell(row, 'amount'),
    state: cell(row, 'state'),
  }));
  expect(added(said)).toEqual(plain);
  const { sums } = exactly(read('month.csv.manifest.json').toString().replaceAll(/\s+/g, ''));
  const ofManifest = (sums as readonly Json[]).filter(({ state }) => movedMoney.has(String(state)));
  expect(
    new Map(
      currencies.map((currency) => {
        const own = ofManifest.filter((sum) => sum.currency === currency);
        const refunds = own.reduce((sum, one) => sum + Number(one.rows), 0);
        return [currency, `${refunds} ${-own.reduce((sum, { amount }) => sum + BigInt(String(amount)), 0n)}`];
      }),
    ),
  ).toEqual(plain);
  const problems = readCsv(read('month.csv.problems.csv').toString()).slice(1);
  expect([...new Set(problems.map(([id = '']) => id))].toSorted()).toEqual(named);
  const back = Map.groupBy(rows, (row) => cell(row, 'order_id'));
  for (const { order: one, counted } of all)
    expect(
      (back.get(String(one.id)) ?? [])
        .filter((row) => movedMoney.has(cell(row, 'state') ?? ''))
        .map((row) => -Number(cell(row, 'amount'))),
    ).toEqual(counted);
});

test('the workbook', async () => {
  expect((await exported('month.xlsx')).code).toBe(9);
  const { rows } = readWorkbook(read('month.xlsx'));
  const titles = [...rows.cells].filter(([at]) => /^[A-Z]+1$/.test(at));
  const column = (title: string) => titles.find(([, { text }]) => text === title)?.[0].replace('1', '') ?? '';
  const [amount, currency, state] = ['amount', 'currency', 'state'].map(column);
  const cells = [...rows.cells.keys()].flatMap((at) =>
    at.startsWith(amount ?? '?') && /^[A-Z]+(?!1$)\d+$/.test(at) ? [at.slice(amount?.length)] : [],
  );
  const textAt = (name: string | undefined, row: string) => rows.cells.get(`${name}${row}`);
  expect(
    added(
      cells.map((row) => ({
        currency: textAt(currency, row)?.text,
        amount: textAt(amount, row)?.number ?? textAt(amount, row)?.text,
        state: textAt(state, row)?.text,
      })),
    ),
  ).toEqual(plain);
});

test('a comparison of the list with the service: it differs only by orders that it names', async () => {
  await ask('refunds', 'list', ...period, '--live', '--csv', '--to', 'list.csv', '--force');
  const [titles = [], ...rows] = readCsv(read('list.csv').toString());
  const state = titles.indexOf('state');
  const file = [titles, ...rows.filter((row) => movedMoney.has(row[state] ?? ''))];
  writeFileSync(join(service.home.path, 'file.csv'), `${file.map((row) => row.join(',')).join('\n')}\n`);
  const ran = await ask('refunds', 'compare', 'file.csv', ...period, '--json');
  const { data, sums } = exactly(ran.stdout) as Readonly<Record<'data' | 'sums', readonly Json[]>>;
  const wanted = new Map(
    sums.map(({ currency, rows: lines, wanted: said }) => [currency, `${String(lines)} ${String(said)}`]),
  );
  expect(wanted, ran.stderr).toEqual(plain);
  const rowsOf = (one: string) =>
    data.filter(({ verdict, currency }) => verdict === 'not_shown' && currency === one);
  // Of each such kind there is one in 400 orders of a currency. An order that hides charges is named, and not compared; a
  // refund without a date may be of the month.
  const each = count / 400;
  for (const { currency, refunded, wanted: said, difference, not_in_file: others } of sums) {
    expect(rowsOf(String(currency)).map(({ wanted: one }) => one)).toEqual(Array(2 * each).fill(300));
    expect(BigInt(String(refunded)) + BigInt(600 * each)).toBe(BigInt(String(said)));
    expect([difference, others]).toEqual([600 * each, 500 * each]);
  }
});
