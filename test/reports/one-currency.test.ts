/** Reports with `--currency`: every one says that it is about one currency only, so that its `none` is not taken for none at all. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness/orders.ts';
import type { Service } from '../harness/service.ts';
import { clock, orderAt, rowsOf, startDated } from './refunded-orders.ts';

/** Everything is in MXN: two twins, one that waits, one that was refunded. One order was paid in USD. */
const orders = [
  orderAt('ord_5', '2040-11-21T12:00:00Z', { currency: 'USD', amount: 700 }),
  ...['ord_4', 'ord_3'].map((id, index) =>
    orderAt(id, `2040-11-21T10:0${2 - index}:00Z`, {
      customer_info: { name: 'Ana', email: 'ana@example.com' },
    }),
  ),
  orderAt('ord_2', '2040-11-01T10:00:00Z', { payment_status: 'pre_authorized' }),
  orderAt('ord_1', '2040-10-01T10:00:00Z', { refunds: [{ amount: 300, at: '2040-11-21T11:00:00Z' }] }),
];

let service: Service;
beforeAll(async () => {
  service = await startDated({ orders });
});
afterAll(() => service[Symbol.asyncDispose]());

const ask = (words: string) => service.run(words.split(' '), { env: clock });

test('today says none in USD where MXN has some, and the journal’s lines are about every currency', async () => {
  const { stdout } = await ask('today --currency usd');
  expect(stdout).toMatchInlineSnapshot(`
    "TODAY  21 Nov 2040 (UTC), so far, only USD    sandbox environment
    unconfirmed            none
    made twice             none
    appeared               none
    refunded today  none in USD
    paid today        1 payment  700 USD
    waiting         none in USD
    twins today     none in USD

    as of  21 Nov 2040 15:31:12 UTC: 5 orders read from the service
    only   USD; left out: MXN
    "
  `);
});

describe.each(['today', 'orders summary', 'orders waiting', 'refunds summary'])('%s', (report) => {
  test('has the currency in its title and in a line of its own, and nothing of it without --currency', async () => {
    const { stdout } = await ask(`${report} --currency USD`);
    expect(stdout.split('\n')[0]).toContain('only USD');
    expect(stdout).toContain('only   USD; left out: MXN');
    expect((await ask(report)).stdout).not.toContain('only');
  });

  test('has the currency in every row, and in a note where there is no row', async () => {
    const { stdout, stderr } = await ask(`${report} --currency USD --ndjson`);
    expect(rowsOf(stdout).every(({ only_currency: only }) => only === 'USD')).toBe(true);
    expect(stderr).toContain('only: USD; left out: MXN');
    const all = rowsOf((await ask(`${report} --ndjson`)).stdout);
    expect(new Set(all.map(({ only_currency: only }) => only))).toEqual(new Set([null]));
  });
});

test('refunds list and orders twins say below that they counted one currency', async () => {
  const list = await ask('refunds list --currency MXN --ndjson');
  expect(list.stderr).toContain('1 refund in MXN, ');
  expect(list.stderr).toContain('only: MXN; left out: USD');
  expect(rowsOf(list.stdout)).toEqual([expect.objectContaining({ only_currency: 'MXN' })]);
  const none = await ask('orders twins --currency USD');
  expect(none.stderr).toContain('no twins in USD in this period');
  const twins = await ask('orders twins --currency MXN --ndjson');
  expect(twins.stderr).toContain('1 pair of twins in MXN: two payments of the same buyer');
  expect(rowsOf(twins.stdout)).toEqual([expect.objectContaining({ only_currency: 'MXN' })]);
});

test('the HTML report has the currency in its title, its header, its sections and its JSON', async () => {
  await ask('report --currency USD --period today --to usd.html');
  const html = readFileSync(join(service.home.path, 'usd.html'), 'utf8');
  const title = 'Refunds, 21 Nov 2040 (UTC), so far, only USD';
  expect(html).toContain(`<title>${title}</title>`);
  expect(html).toContain(`<h1>${title}</h1>`);
  expect(html).toContain('<dt>Only</dt><dd>USD; left out: MXN</dd>');
  expect(html).toContain('All authorized orders in USD that nobody has captured');
  expect(html).toContain('Two payments in USD of the same buyer');
  expect(html).toContain('No refunds in USD in this period.');
  expect(html.match(/<p>None in USD\.<\/p>/g)).toHaveLength(3);
  expect(html).not.toContain('<p>None.</p>');
  const json = JSON.parse(/<pre id="figures"[^>]*>(.*)<\/pre>/.exec(html)?.[1] ?? '') as Json;
  expect(json.only_currency).toBe('USD');
  await ask('report --period today --to all.html');
  expect(readFileSync(join(service.home.path, 'all.html'), 'utf8')).not.toMatch(
    /only USD|in USD that|<dt>Only/,
  );
});
