/** What screens say of an order besides its money: other lines, the checkout, metadata, times that are no times, the wait. */

import { afterEach, describe, expect, test } from 'vitest';
import { chargeOf, errorBody, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { json } from '../harness/server.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
afterEach(async () => {
  await service[Symbol.asyncDispose]();
});

const order = (changes: Json = {}) => orderOf('ord_1', [chargeOf('ch_1', 1000)], changes);
const run = (words: string) => service.run(words.split(' '));

describe('orders show', () => {
  test('shows shipping, tax and discount lines with the sum that they make, and the link and status of the checkout', async () => {
    service = await startService({
      orders: [
        order({
          line_items: listOf({ id: 'line_item_1', name: 'Lamp', unit_price: 850, quantity: 1 }),
          shipping_lines: [{ amount: 99 }],
          tax_lines: [{ amount: 136, description: 'IVA' }],
          discount_lines: [{ amount: 85, code: 'NOV' }],
          checkout: {
            type: 'HostedPayment',
            name: 'Lamp',
            status: 'Issued',
            url: 'https://pay.example/1',
            expires_at: 1_790_086_400,
          },
        }),
      ],
    });
    const { stdout } = await run('orders show ord_1');
    expect(stdout.slice(stdout.indexOf('ITEMS'), stdout.indexOf('refund all'))).toMatchInlineSnapshot(`
      "ITEMS    Lamp           1 x 850  850
               shipping                 99
               tax  IVA                136
               discount  NOV           -85
               items 850, with shipping, tax, discount 1000: equal to the order amount

      checkout HostedPayment  Lamp  Issued
               https://pay.example/1
               expires 22 Sep 2026 14:13:20 UTC

      "
    `);
  });

  test('names what the sum lacks', async () => {
    service = await startService({ orders: [order({ shipping_lines: [{ amount: 99 }, {}] })] });
    expect((await run('orders show ord_1')).stdout).toContain('with shipping 1099: the order says 1000');
    service.orders = [order({ amount: 1099 })];
    expect((await run('orders show ord_1')).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'items 1000: the order says 1099; it shows no shipping, taxes and discounts',
    );
  });
});

test.each([
  [
    'an order that was declined',
    'declined',
    {},
    'the buyer can pay again with the link: https://pay.example/1',
  ],
  [
    'one that nobody has tried to pay',
    'declined',
    { charges: undefined, payment_status: undefined },
    'pay with the link:',
  ],
  ['one that was paid', 'paid', {}, undefined],
  [
    'one whose link is over',
    'declined',
    { checkout: { url: 'https://pay.example/1', expires_at: 1_790_086_400 } },
    'no money was taken: the link is expired, and nobody can pay with it any more',
  ],
  [
    'one whose link was canceled',
    'not paid',
    {
      charges: undefined,
      payment_status: undefined,
      checkout: { url: 'https://pay.example/1', status: 'Canceled' },
    },
    /the link is cancelled, not paid sandbox .* no money was taken: the link is cancelled, and nobody can pay with it any more/,
  ],
])('the payment link of %s is told to the buyer while it can be used', async (_, status, changes, says) => {
  const one = orderOf('ord_1', [chargeOf('ch_1', 1000, { status })], {
    payment_status: status,
    checkout: { url: 'https://pay.example/1', expires_at: 4_000_000_000 },
    ...changes,
  });
  service = await startService({ orders: [one] });
  const screen = (await run('orders show ord_1')).stdout.replaceAll(/\s+/g, ' ');
  expect(screen.includes('the buyer can pay')).toBe(says?.toString().includes('link:') ?? false);
  if (says !== undefined) expect(screen).toMatch(says);
});

test('metadata in a line about the buyer carries its key', async () => {
  service = await startService({ orders: [order({ metadata: { gift: 'false' } })] });
  expect((await run('orders refund ord_1 --yes')).stderr).toContain(
    'buyer   Buyer Name  buyer@example.com  gift=false\n',
  );
});

test('an amount beyond 2^53 is told the limit', async () => {
  service = await startService({ orders: [order()] });
  const { code, stderr } = await run('orders refund ord_1 --charge 1 --amount 9007199254740993 --yes');
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    2,
    expect.stringContaining('the largest is 9007199254740991'),
  ]);
  expect(service.requests).toEqual([]);
});

test('HTTP 429 says that the service asks us to wait', async () => {
  service = await startService({
    orders: [order()],
    onPage: () => json(errorBody({ type: 'rate_limit' }), 429, { 'retry-after': '30' }),
  });
  const { code, stderr } = await run('orders list');
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    6,
    expect.stringMatching(/the service asks us to wait \(HTTP 429: .*it asks us to wait 30 s\)/),
  ]);
  expect(stderr).not.toContain('not working');
});

test('an order whose only charges were declined has nothing left, on every screen', async () => {
  service = await startService({
    orders: [orderOf('ord_1', [chargeOf('ch_1', 1000, { status: 'declined', paid_at: null })])],
  });
  expect((await run('orders show ord_1')).stdout).toContain('cannot be refunded');
  expect((await run('orders list --refundable --json')).stdout).not.toContain('ord_1');
  const { code, stderr } = await run('orders refund ord_1 --yes');
  expect([code, stderr]).toEqual([3, expect.stringContaining('nothing left to refund')]);
});

describe.each([
  ['milliseconds', 1000],
  ['microseconds', 1_000_000],
])('times in %s', (_, by) => {
  const at = 1_790_000_000 * by;
  const refunds = listOf(refundOf('rf_1', 100, { created_at: at }));
  const odd = orderOf('ord_1', [chargeOf('ch_1', 1000, { created_at: at, paid_at: at, refunds })], {
    created_at: at,
    updated_at: at,
    amount_refunded: 100,
  });

  test.each([
    'orders show ord_1',
    'orders list',
    'orders list --since yesterday',
    'orders find 4242',
    'orders find nobody',
    'orders find 4242 --since yesterday',
    'orders refund ord_1 --charge 1 --amount 5 --dry-run',
    'index build --yes',
  ])('are shown as they came: %s', async (words) => {
    service = await startService({ orders: [odd] });
    const { code, stdout, stderr } = await run(words);
    expect(code).toBeOneOf([0, 5]);
    expect(stdout + stderr).not.toMatch(/NaN|Invalid|should not have happened/);
  });

  test.each(['refunds summary --period this-month', 'refunds list --period this-month'])(
    'are in no period, and a sum without them is not called complete: %s',
    async (words) => {
      service = await startService({ orders: [odd] });
      const { code, stderr } = await run(words);
      expect(code, stderr).toBe(9);
    },
  );

  test('let no twin be looked for, and that is said', async () => {
    service = await startService({ orders: [odd] });
    expect((await run('orders show ord_1')).stderr.replaceAll(/\s+/g, ' ')).toContain(
      'its created_at is no time in Unix seconds, so paydesk cannot look for a twin',
    );
  });
});
