/** Reports from an export file: the same sums as live, no request, and a refusal where the file cannot answer. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../harness/service.ts';
import { clock, orderAt, rowsOf, startDated } from './refunded-orders.ts';

const orders = Array.from({ length: 40 }, (_, index) =>
  orderAt(`ord_${index}`, new Date(Date.parse('2040-11-20T10:00:00Z') - index * 40_000_000).toISOString(), {
    amount: 9_000 + index,
    currency: index % 3 === 0 ? 'USD' : 'MXN',
    metadata: { text: 'a "quote", a\nline, {"brackets": ["]"]} and =1+1' },
    refunds:
      index % 2 === 0
        ? []
        : [{ amount: 100 + index, at: `2040-11-${String((index % 20) + 1).padStart(2, '0')}T12:00:00Z` }],
  }),
);

let service: Service;
beforeAll(async () => {
  service = await startDated({ orders });
});
afterAll(() => service[Symbol.asyncDispose]());

const run = (...words: readonly string[]) => service.run(words, { env: clock });

async function exported(name: string, ...words: readonly string[]): Promise<string> {
  const { code, stderr } = await run('orders', 'export', ...words, '--to', name, '--force');
  expect(code, stderr).toBe(0);
  return name;
}

const sums = (stdout: string, ...leftOut: readonly string[]) =>
  rowsOf(stdout).map((row) =>
    Object.fromEntries(
      Object.entries(row).filter(([name]) => !['source', 'as_of', ...leftOut].includes(name)),
    ),
  );

describe.each(['ndjson', 'json', 'ndjson.gz', 'json.gz'])('an export of orders as %s', (ending) => {
  test.each([
    ['refunds', 'summary'],
    ['refunds', 'summary', '--by', 'brand'],
    ['refunds', 'summary', '--by', 'age'],
    ['orders', 'summary', '--by', 'week'],
    ['orders', 'summary', '--by', 'method'],
    ['orders', 'twins', '--period', '2040-11'],
    ['refunds', 'list', '--period', '2040-11'],
  ])('gives the rows of %s %s %s %s, and no request is sent', async (...words) => {
    const file = await exported(`orders.${ending}`);
    const live = await run(...words, '--ndjson');
    const before = service.requests.length;
    const { code, stdout, stderr } = await run(...words, '--ndjson', '--from-file', file);
    expect(code, stderr).toBe(0);
    expect(sums(stdout)).toEqual(sums(live.stdout));
    expect(service.requests.length).toBe(before);
  });
});

test.each(['ndjson', 'csv', 'csv.gz'])(
  'an export of refunds as %s gives their sums, and no rate',
  async (ending) => {
    const file = await exported(`refunds.${ending}`, '--rows', 'refunds', '--since', '2040-11-01');
    const paid = ['payments', 'paid', 'net', 'rate_percent', 'refunded_of_paid', 'refunded_of_paid_percent'];
    for (const by of ['day', 'reason', 'operator']) {
      const words = ['refunds', 'summary', '--by', by, '--ndjson'];
      const own = async (...more: readonly string[]) =>
        sums((await run(...words, ...more)).stdout, ...paid).filter(({ refunds }) => refunds !== 0);
      const live = await own();
      expect(live.length).toBeGreaterThan(1);
      expect(await own('--from-file', file)).toEqual(live);
    }
    const { stdout } = await run('refunds', 'summary', '--from-file', file);
    expect(stdout).toContain('there are no payments beside these refunds, so there is no rate');
    expect(stdout).toContain(`from ${file}`);
  },
);

test('an export of charges gives refunds and payments', async () => {
  const file = await exported('charges.ndjson', '--rows', 'charges');
  const live = await run('refunds', 'summary', '--by', 'month', '--ndjson');
  const { stdout } = await run('refunds', 'summary', '--by', 'month', '--ndjson', '--from-file', file);
  expect(sums(stdout)).toEqual(sums(live.stdout));
});

test('a CSV of orders gives their sums, with a metadata column as well', async () => {
  const file = await exported(
    'orders.csv',
    '--columns',
    'id,created_at,amount,currency,payment_status,amount_refunded,metadata.text',
  );
  const live = await run('orders', 'summary', '--by', 'status', '--ndjson');
  const { stdout } = await run('orders', 'summary', '--by', 'status', '--ndjson', '--from-file', file);
  // A CSV has no charges.
  const unknown = sums(live.stdout).map((row) => ({ ...row, paid: null, net: null }));
  expect(sums(stdout)).toEqual(unknown);
  const headless = await exported('headless.csv', '--no-header');
  const other = await run('orders', 'summary', '--by', 'status', '--ndjson', '--from-file', headless);
  expect(sums(other.stdout)).toEqual(unknown);
});

test.each<[string, readonly string[], readonly string[], string]>([
  [
    'refunds of a shorter time',
    ['--rows', 'refunds', '--since', '2040-11-10', '--to', 'x.ndjson'],
    ['refunds', 'summary'],
    'does not hold all refunds of this period: it is an export of refunds made from 10 Nov 2040 00:00:00 UTC, before 21 Nov 2040 15:31:12 UTC',
  ],
  [
    'refunds by the date of their order',
    ['--rows', 'refunds', '--by', 'created', '--since', '2040-11-01', '--to', 'x.ndjson'],
    ['refunds', 'summary'],
    'does not hold all refunds of this period',
  ],
  [
    'refunds where orders are asked',
    ['--rows', 'refunds', '--to', 'x.ndjson'],
    ['orders', 'summary'],
    'does not hold all orders of this period',
  ],
  [
    'a CSV of orders where refunds are asked',
    ['--to', 'x.csv'],
    ['refunds', 'summary'],
    'does not hold all refunds of this period: it is an export of orders, as CSV',
  ],
  [
    'a CSV without currencies',
    ['--to', 'x.csv', '--columns', 'id,created_at,amount'],
    ['orders', 'summary'],
    'has no currency, payment_status, amount_refunded',
  ],
  [
    'a CSV of orders by card',
    ['--to', 'x.csv'],
    ['orders', 'summary', '--by', 'brand'],
    'a CSV of orders has no charges',
  ],
  [
    'refunds by card',
    ['--rows', 'refunds', '--to', 'x.ndjson'],
    ['refunds', 'summary', '--by', 'brand'],
    'does not say with which card was paid',
  ],
  [
    'refunds by the status of their order',
    ['--rows', 'refunds', '--to', 'x.ndjson'],
    ['refunds', 'summary', '--by', 'status'],
    'does not say the status of its order',
  ],
  [
    'a CSV of refunds by approver that does not name them',
    [
      '--rows',
      'refunds',
      '--columns',
      'amount,currency,order_id,created_at,refunded_at,reason,operator',
      '--to',
      'x.csv',
    ],
    ['refunds', 'summary', '--by', 'approver'],
    'has no approved_by: this report needs these columns',
  ],
  [
    'a file from before the period',
    ['--to', 'x.ndjson'],
    ['orders', 'summary', '--period', '2041-01'],
    '2041-01: this begins on 1 Jan 2041 00:00:00 UTC, which is still to come',
  ],
])('a file that cannot answer is refused, exit 2: %s', async (_, words, report, message) => {
  const name = words[words.indexOf('--to') + 1] ?? '';
  const ran = await run('orders', 'export', ...words, '--force');
  expect(ran.code, ran.stderr).toBe(0);
  const { code, stdout, stderr } = await run(...report, '--from-file', name);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.replaceAll('\n', ' ')).toContain(message);
});

test('a file that was changed after its export is refused, exit 3, and one without a manifest, exit 2', async () => {
  const file = join(service.home.path, await exported('changed.ndjson'));
  writeFileSync(file, readFileSync(file, 'utf8').replace('9000', '9001'));
  expect((await run('orders', 'summary', '--from-file', file)).code).toBe(3);
  writeFileSync(join(service.home.path, 'bare.ndjson'), '');
  expect((await run('orders', 'summary', '--from-file', 'bare.ndjson')).code).toBe(2);
});

test.each([
  ['--status paid', ['--status', 'paid']],
  ['--charge-status paid', ['--charge-status', 'paid']],
  ['--refundable', ['--refundable']],
  ['--customer ord_1@example.com', ['--customer', 'ord_1@example.com']],
  ['--min-amount 9010 --max-amount 9020', ['--min-amount', '9010', '--max-amount', '9020']],
] as const)(
  'an export of only some orders is refused, exit 2, with the filter: %s',
  async (filter, words) => {
    const file = await exported('some.ndjson', ...words);
    for (const report of [
      'orders summary',
      'refunds summary',
      'refunds list',
      'orders twins',
      'orders waiting',
    ]) {
      const { code, stdout, stderr } = await run(...report.split(' '), '--from-file', file);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
        `${file} holds only orders with ${filter}: its sums would not be those of all orders`,
      );
      expect(stderr).toMatch(/paydesk orders export .*--to (orders|refunds)\.ndjson/);
    }
    const { code } = await run('report', '--to', 'some.html', '--from-file', file);
    expect([code, existsSync(join(service.home.path, 'some.html'))]).toEqual([2, false]);
  },
);

test('an export of the orders that wait is enough for orders waiting, and for nothing else', async () => {
  const file = await exported('waiting.ndjson', '--status', 'pre_authorized');
  const { code, stdout } = await run('orders', 'waiting', '--from-file', file);
  expect([code, stdout]).toEqual([0, expect.stringContaining('only those with --status pre_authorized')]);
  expect((await run('orders', 'summary', '--from-file', file)).code).toBe(2);
});

test('28 amounts beyond 2^53 in a file stay exact', async () => {
  const raw = JSON.stringify(orderAt('ord_1', '2040-11-20T10:00:00Z', { amount: 12_345 })).replaceAll(
    '12345',
    '123456789012345678901',
  );
  await using big = await startService({
    sendsDate: false,
    onPage: () => (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(`{"object":"list","has_more":false,"data":[${raw}]}`);
    },
  });
  const live = await big.run(['orders', 'summary', '--ndjson'], { env: clock });
  expect(live.stdout).toContain('"amount":123456789012345678901');
  for (const name of ['big.ndjson', 'big.json', 'big.csv']) {
    expect((await big.run(['orders', 'export', '--to', name], { env: clock })).code).toBe(0);
    const { stdout } = await big.run(['orders', 'summary', '--ndjson', '--from-file', name], { env: clock });
    expect(stdout).toContain('"amount":123456789012345678901');
  }
});
