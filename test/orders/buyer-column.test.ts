/** BUYER on a screen of 80 columns: it is on every page, wide enough to be read, and what gives way for it is named. */

import { expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, listOf, orderOf, paidOrder, refundOf } from '../harness/orders.ts';
import { paydesk } from '../harness/paydesk.ts';
import { reset } from '../harness/server.ts';
import { startService, storeShop } from '../harness/service.ts';

const now = '2026-11-21T09:31:40Z';
const seconds = Date.parse(now) / 1000;
const buyer = { customer_info: { name: 'Guadalupe Hernández', email: 'g@example.com' } };

// Each page has something wide that the others do not have.
const orders = [
  paidOrder('ord_2tQ8mVxK4nRz7LcWp', { ...buyer, created_at: seconds - 60 }),
  paidOrder('ord_2tQ8mTd6JhB3sYfGq', {
    ...buyer,
    created_at: seconds - 4000,
    payment_status: 'pre_authorized',
  }),
  paidOrder('ord_2tQ7zRk9PwE5xNvAm', {
    ...buyer,
    created_at: seconds - 50_000,
    currency: 'USD',
    amount: 145_802,
  }),
  paidOrder('ord_2tQ7sLf1DtX6kPjQr', { ...buyer, created_at: seconds - 90_000 }),
  orderOf(
    'ord_2tQ7aLf1DtX6kPjQr',
    [chargeOf('ch_1', 1_234_567, { refunds: listOf(refundOf('rf_1', 123_456)) })],
    {
      ...buyer,
      created_at: seconds - 400_000,
      amount: 1_234_567,
      amount_refunded: 123_456,
      payment_status: 'partially_refunded',
    },
  ),
  paidOrder('ord_2tQ7bLf1DtX6kPjQr', { ...buyer, created_at: seconds - 40_000_000 }),
];

// Where only one of two currencies has decimals, a page with both shows the service's units, and names the column without room.
const decimals = { 'amounts.decimals.MXN': '2', 'amounts.decimals.USD': '2' };

test.each([
  ['nothing else', {}, false],
  ['decimals declared', decimals, false],
  ['an unconfirmed refund', {}, true],
  ['decimals declared and an unconfirmed refund', decimals, true],
] as const)(
  'with %s, every page has the same columns, and a buyer of at least 7 letters',
  async (_, settings, isOpen) => {
    await using shop = await startService({ orders, sendsDate: false, onPost: () => reset });
    await storeShop(shop.home, shop, { 'time.zone': 'UTC', ...settings });
    const run = async (line: string, columns?: number) =>
      await paydesk(['-p', 'shop', ...line.split(' ')], {
        home: shop.home,
        env: standingAt(now),
        ...(columns === undefined ? {} : { columns }),
      });
    if (isOpen)
      expect((await run('orders refund ord_2tQ8mVxK4nRz7LcWp --charge 1 --amount 9 --yes')).code).toBe(7);

    const titles = new Set<string>();
    let next: string | undefined = 'orders list --limit 2';
    for (let page = 1; next !== undefined; page += 1) {
      const { stdout, stderr } = await run(next, 80);
      const [heading = '', ...rows] = stdout.trimEnd().split('\n');
      expect(rows, stderr).toHaveLength(2);
      titles.add(heading.trim().split(/ {2,}/).join(' ').replace('USD', 'MXN'));
      for (const row of rows) expect(row, stdout).toMatch(/ {2}Guadalu.*(…|Hernández) *$/);
      expect(stderr).not.toContain('has no room');
      next = / (orders list --limit 2 --next \S+)/.exec(stderr.replaceAll('\n', ' '))?.[1];
      if (next === undefined) expect(page).toBe(3);
    }
    expect([...titles]).toHaveLength(1);
  },
);

test('a terminal that has no room for it says so', async () => {
  await using shop = await startService({ orders, sendsDate: false });
  for (const columns of [40, 55])
    expect((await shop.run(['orders', 'list'], { columns })).stderr).toMatch(/has no room for [^:]*BUYER/);
});

test('who it is stays at 60 cells: the time and the card give way', async () => {
  await using shop = await startService({ orders, sendsDate: false });
  const { stdout, stderr } = await shop.run(['orders', 'list'], { columns: 60 });
  expect(stdout).toMatch(/^ID .* BUYER +\n/);
  expect(stdout).toContain('Guadal');
  expect(stderr).not.toContain('BUYER');
});
