/** What a lead asks in words that are a little wrong, or about a time or a currency that holds nothing: the answer says so. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { clock, orderAt, rowsOf, startDated } from './refunded-orders.ts';

const zone = ['--tz', 'America/Mexico_City'];

const orders = [
  orderAt('ord_2', '2040-11-21T10:00:00Z', {
    refunds: [
      { amount: 10, at: '2040-11-21T11:00:00Z' },
      { amount: 70, at: '2040-11-21T10:30:00Z' },
      { amount: 60, at: '2040-11-20T10:30:00Z' },
    ],
  }),
  orderAt('ord_1', '2040-01-01T10:00:00Z', {
    currency: 'USD',
    refunds: [
      { amount: 50, at: '2040-11-21T12:00:00Z' },
      { amount: 900, at: '2040-11-01T12:00:00Z' },
    ],
  }),
];

/** Starts a service with orders, and returns a function that asks it. */
async function desk(own = orders) {
  const service = await startDated({ orders: own });
  return {
    ask: (...words: readonly string[]) => service.run(words, { env: clock }),
    service,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

describe('--tz is the zone of all times', () => {
  test('in the table of refunds and in its local times', async () => {
    await using shop = await desk();
    const table = await shop.ask('refunds', 'list', ...zone, '--max', '1');
    expect(table.stdout).toContain('MADE -06');
    expect(table.stdout).toContain('21 Nov 06:00');
    const csv = await shop.ask('refunds', 'list', ...zone, '--csv', '--columns', 'refunded_at_local');
    expect(csv.stdout).toContain('2040-11-21T06:00:00-06:00');
  });

  test('in the table of twins', async () => {
    const buyer = { customer_info: { name: 'Ana', email: 'ana@example.com' } };
    await using shop = await desk([
      orderAt('ord_b', '2040-11-21T10:02:00Z', buyer),
      orderAt('ord_a', '2040-11-21T10:00:00Z', buyer),
    ]);
    expect((await shop.ask('orders', 'twins', ...zone)).stdout).toContain('21 Nov 04:00');
  });

  test('in the columns that somebody names', async () => {
    await using shop = await desk();
    const { stdout } = await shop.ask('refunds', 'summary', ...zone, '--columns', 'since,currency');
    expect(stdout).toContain('1 Nov 00:00');
  });
});

test('a day of which the period has only a part is marked, as weeks and months are', async () => {
  await using shop = await desk();
  const days = (stdout: string) => [...stdout.matchAll(/2040-11-\d\d( \(part\))?/g)].map(([day]) => day);
  // It is 15:31 on 21 November, so the period begins on the 20th at 03:31.
  const { stdout } = await shop.ask(
    'refunds',
    'summary',
    '--period',
    '36h..',
    '--by',
    'day',
    '--currency',
    'MXN',
  );
  expect(days(stdout)).toEqual(['2040-11-20 (part)', '2040-11-21 (part)']);
  const closed = await shop.ask(
    'orders',
    'summary',
    '--period',
    '2040-11-21..2040-11-21T12:00Z',
    '--by',
    'day',
  );
  expect(days(closed.stdout)).toEqual(['2040-11-21 (part)']);
  const whole = await shop.ask('refunds', 'summary', '--period', 'yesterday', '--by', 'day');
  expect(days(whole.stdout)).toEqual(['2040-11-20']);
  await shop.ask('report', '--period', '36h..', '--to', 'days.html');
  const html = readFileSync(join(shop.service.home.path, 'days.html'), 'utf8');
  expect(html).toContain('>2040-11-20 (part)</th>');
});

describe('the largest refunds', () => {
  test('are the largest of each currency, and it is said', async () => {
    await using shop = await desk();
    const words = ['refunds', 'list', '--period', 'this-month', '--sort', 'amount', '--max', '2'];
    const { stdout, stderr } = await shop.ask(...words, '--ndjson');
    expect(rowsOf(stdout).map(({ amount, currency }) => `${String(amount)} ${String(currency)}`)).toEqual([
      '-70 MXN',
      '-60 MXN',
      '-900 USD',
      '-50 USD',
    ]);
    expect(stderr).toContain('the 2 largest of each currency are shown');
    const one = await shop.ask(...words, '--currency', 'MXN');
    expect(one.stderr).toContain('the 2 largest are shown');
  });
});

describe('a period', () => {
  test.each([
    ['refunds', 'summary'],
    ['refunds', 'list'],
    ['orders', 'summary'],
    ['orders', 'twins'],
  ])('that has not begun is refused by %s %s, and nothing is sent', async (...words) => {
    await using shop = await desk();
    const { code, stdout, stderr } = await shop.ask(...words, '--period', '2041-01');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('2041-01: this begins on 1 Jan 2041 00:00:00 UTC, which is still to come');
    expect(shop.service.requests).toEqual([]);
  });

  test.each([
    ['this-month', '1 Nov to 21 Nov 2040 (UTC), so far '],
    ['last-month', '1 Oct to 31 Oct 2040 (UTC) '],
    ['yesterday', '20 Nov 2040 (UTC) '],
    ['2040-11-20T22:00..2040-11-21T06:00', '20 Nov 2040 22:00:00 UTC to 21 Nov 2040 06:00:00 UTC '],
    ['2d', '19 Nov 2040 15:31:12 UTC to 21 Nov 2040 15:31:12 UTC '],
    ['2040', '1 Jan to 21 Nov 2040 (UTC), so far '],
  ])('%s is headed %s', async (period, heading) => {
    await using shop = await desk();
    const { stdout } = await shop.ask('refunds', 'summary', '--period', period);
    expect(stdout.split('\n')[0]).toContain(`REFUNDS  ${heading}`);
  });

  test('of which only a part lies in a week or a month says so beside that', async () => {
    await using shop = await desk();
    const weeks = await shop.ask('refunds', 'summary', '--by', 'week', '--period', '2040-11');
    expect(weeks.stdout).toContain('2040-W44 (part)');
    expect(weeks.stdout).toContain('2040-W47 (part)');
    const whole = await shop.ask('orders', 'summary', '--by', 'month', '--period', '2040-01-01..2040-02-01');
    expect(whole.stdout).toContain('  2040-01  ');
  });

  test.each([
    [
      ['refunds', 'summary', '--period', 'today..yesterday'],
      '--period today..yesterday: today is not before yesterday',
    ],
    [['refunds', 'summary', 'today'], 'did you mean: paydesk refunds summary --period today'],
    [['orders', 'twins', '2040-11'], 'did you mean: paydesk orders twins --period 2040-11'],
    [['refunds', 'today'], 'did you mean: paydesk refunds summary --period today'],
  ])('%j gets a hint in its own words', async (words, hint) => {
    await using shop = await desk();
    const { code, stderr } = await shop.ask(...words);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('--since');
  });
});

test.each([['refunds', 'summary'], ['refunds', 'list'], ['orders', 'summary'], ['today']])(
  '%s %s: a currency that nothing has is told from one in which nothing was paid',
  async (...words) => {
    await using shop = await desk();
    const { code, stderr } = await shop.ask(...words, '--currency', 'MNX');
    expect(code).toBe(0);
    expect(stderr).toContain('nothing that was read is in MNX; currencies here: MXN, USD');
    expect((await shop.ask(...words, '--currency', 'USD')).stderr).not.toContain('currencies here');
  },
);

test('--by card is not taken, and the error names brand', async () => {
  await using shop = await desk();
  const { code, stderr } = await shop.ask('refunds', 'summary', '--by', 'card');
  expect(code).toBe(2);
  expect(stderr).toContain('did you mean --by brand?');
  const approved = await shop.ask('refunds', 'summary', '--by', 'approved-by');
  expect(approved.stderr).toContain('did you mean --by approver?');
  const buyer = await shop.ask('refunds', 'summary', '--by', 'buyer');
  expect([buyer.code, buyer.stderr]).toEqual([2, expect.stringContaining('--columns order_id,amount,buyer')]);
});

test('a report is written into an HTML file only, and a file that is not there is mistyped', async () => {
  await using shop = await desk();
  const none = await shop.ask('report', '--period', '2040-11');
  expect(none.stderr).toContain('paydesk report --period 2040-11 --to report.html\n');
  const pdf = await shop.ask('report', '--to', 'november.pdf');
  expect(pdf.code).toBe(2);
  expect(pdf.stderr).toContain('paydesk report --to november.html');
  const missing = await shop.ask('refunds', 'summary', '--from-file', 'nothing.ndjson');
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('nothing.ndjson: there is no such file');
});

describe('orders that were not paid', () => {
  const declined = orderOf('ord_tried', [
    chargeOf('ch_1', 100, { status: 'declined', is_refundable: false }),
    chargeOf('ch_2', 100),
  ]);
  const { payment_status: _, ...unpaid } = orderOf('ord_unpaid', []);

  test('are found by the status none, and failed attempts to pay by --charge-status', async () => {
    await using shop = await desk([declined, unpaid]);
    const ids = async (...words: readonly string[]) =>
      rowsOf((await shop.ask('orders', 'list', '--all', ...words, '--ndjson')).stdout).map(({ id }) => id);
    expect(await ids('--status', 'none')).toEqual(['ord_unpaid']);
    expect(await ids('--charge-status', 'declined')).toEqual(['ord_tried']);
    const wrong = await shop.ask('orders', 'list', '--all', '--status', 'declined');
    expect(wrong.stderr).toContain('1 order has a charge with that status: --charge-status declined');
    const found = await shop.ask('orders', 'find', 'declined');
    expect(found.stderr).toContain('orders list --charge-status declined --all');
  });

  test.each([
    [['orders', 'list', '--all', '--status', 'chargeback']],
    [['orders', 'list', '--all', '--status', 'charged_back']],
    [['orders', 'find', 'chargeback']],
    [['orders', 'find', 'dispute']],
  ])('%j says that disputes cannot be seen', async (words) => {
    await using shop = await desk([declined]);
    expect((await shop.ask(...words)).stderr).toContain('paydesk cannot see disputes');
  });
});
