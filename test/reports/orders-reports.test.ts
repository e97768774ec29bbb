/** `orders summary`, `orders waiting`, `orders twins`, `refunds list` and `today`: what counts, and what does not. */

import { describe, expect, test } from 'vitest';
import { type Json, listOf, withCharge } from '../harness/orders.ts';
import { hangUp } from '../harness/server.ts';
import { storeShop } from '../harness/service.ts';
import { clock, orderAt, rowsOf, startDated } from './refunded-orders.ts';

describe('orders summary', () => {
  test('19 an order without an amount is counted, no sum has it, and unsummed 1 says so', async () => {
    await using service = await startDated({
      orders: [
        orderAt('ord_2', '2040-11-20T10:00:00Z', { amount: 900 }),
        { ...orderAt('ord_1', '2040-11-20T10:00:00Z'), amount: null },
      ],
    });
    const { code, stdout } = await service.run(['orders', 'summary', '--ndjson'], { env: clock });
    expect(code).toBe(0);
    expect(rowsOf(stdout)).toEqual([
      expect.objectContaining({ currency: 'MXN', orders: 2, amount: 900, unsummed: 1, complete: true }),
    ]);
    const screen = await service.run(['orders', 'summary'], { env: clock });
    expect(screen.stdout).toContain('unsummed 1');
  });

  test('an order without a currency is in no sum of another currency', async () => {
    await using service = await startDated({
      orders: [
        orderAt('ord_2', '2040-11-20T10:00:00Z', { amount: 900 }),
        { ...orderAt('ord_1', '2040-11-20T10:00:00Z', { amount: 7 }), currency: undefined },
      ],
    });
    const { stdout } = await service.run(['orders', 'summary', '--csv'], { env: clock });
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringContaining(',,,,1,7,,0,,0,live'),
      expect.stringContaining(',,,MXN,1,900,900,0,900,0,live'),
    ]);
  });

  test('where the list is newest first, it reads only back to the start of the period', async () => {
    const orders = Array.from({ length: 600 }, (_, index) =>
      orderAt(`ord_${index}`, new Date(Date.parse('2040-11-21T00:00:00Z') - index * 3_600_000).toISOString()),
    );
    await using service = await startDated({ orders });
    await storeShop(service.home, service, { 'orders.order': 'newest-first', 'time.zone': 'UTC' });
    const run = () =>
      service.run(['-p', 'shop', 'orders', 'summary', '--period', '2040-11-20', '--ndjson'], {
        env: { ...clock, PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' },
      });
    const { stdout, stderr } = await run();
    expect(rowsOf(stdout)).toEqual([expect.objectContaining({ orders: 24 })]);
    expect(stderr).toBe('');
    expect(service.requests.length).toBeLessThan(3);
    // A list that contradicts it is read to its end.
    service.orders = [...orders.slice(5, 10), ...orders.slice(0, 5), ...orders.slice(10)];
    const before = service.requests.length;
    const other = await run();
    expect(rowsOf(other.stdout)).toEqual([expect.objectContaining({ orders: 24 })]);
    expect(service.requests.length - before).toBe(3);
  });
});

test('where the list should be newest first but a first page of old orders comes before new ones, all are read and counted', async () => {
  const at = (index: number, newest: string) =>
    orderAt(`ord_${index}`, new Date(Date.parse(newest) - index * 3_600_000).toISOString());
  const old = Array.from({ length: 600 }, (_, index) => at(index, '2040-10-21T00:00:00Z'));
  const fresh = Array.from({ length: 12 }, (_, index) => ({
    ...at(index, '2040-11-20T12:00:00Z'),
    id: `ord_n${index}`,
  }));
  await using service = await startDated({ orders: [...old.slice(0, 250), ...fresh, ...old.slice(250)] });
  await storeShop(service.home, service, { 'orders.order': 'newest-first', 'time.zone': 'UTC' });
  const run = () =>
    service.run(['-p', 'shop', 'orders', 'summary', '--period', '2040-11-20', '--ndjson'], {
      env: { ...clock, PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' },
    });
  const { stdout, stderr } = await run();
  expect(rowsOf(stdout)).toEqual([expect.objectContaining({ orders: 12, complete: true })]);
  expect(stderr).toContain('the list is not newest first');
  // If the next page is as old, the walk ends there; one more page may be under way by then.
  service.orders = [
    ...old,
    ...Array.from({ length: 900 }, (_, index) => at(600 + index, '2040-10-21T00:00:00Z')),
  ];
  const before = service.requests.length;
  expect((await run()).stdout).toBe('');
  expect(service.requests.length - before).toBeLessThanOrEqual(3);
});

test('orders waiting: authorized orders by their age, whenever they were created, and nothing else', async () => {
  const authorized = (id: string, created: string, amount: number) =>
    orderAt(id, created, { amount, payment_status: 'pre_authorized' });
  await using service = await startDated({
    orders: [
      authorized('ord_5', '2040-11-21T15:00:00Z', 100),
      authorized('ord_4', '2040-11-19T15:00:00Z', 200),
      orderAt('ord_3', '2040-11-19T14:00:00Z'),
      authorized('ord_2', '2040-01-01T00:00:00Z', 400),
      authorized('ord_1', '2039-01-01T00:00:00Z', 500),
    ],
  });
  const { code, stdout } = await service.run(['orders', 'waiting'], { env: clock });
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "WAITING FOR CAPTURE    sandbox environment
    ORDER  AGE            AMOUNT  BUYER
    ord_1  690 days      500 MXN  Buyer Name
    ord_2  325 days      400 MXN  Buyer Name
    ord_4  2 days        200 MXN  Buyer Name
    ord_5  under 1 hour  100 MXN  Buyer Name
    to capture the oldest: paydesk orders capture ord_1

           ORDERS  AMOUNT
      MXN       4    1200

    BY AGE, MXN     ORDERS  AMOUNT
      under 1 day        1     100  ##
      1 to 3 days        1     200  #####
      over 30 days       2     900  ########################

    as of  21 Nov 2040 15:31:12 UTC: 5 orders read from the service
    note   the service does not say when an authorization lapses
    "
  `);
  const rows = rowsOf(
    (await service.run(['orders', 'waiting', '--by', 'age', '--ndjson'], { env: clock })).stdout,
  );
  expect(rows.map(({ bucket, orders, amount }) => [bucket, orders, amount])).toEqual([
    ['under 1 day', 1, 100],
    ['1 to 3 days', 1, 200],
    ['over 30 days', 2, 900],
  ]);
});

test('orders twins: pairs of the period, also one whose first order was made just before it, with both statuses', async () => {
  const buyer = { customer_info: { name: 'Ana', email: 'ana@example.com' } };
  await using service = await startDated({
    orders: [
      orderAt('ord_4', '2040-11-21T12:04:00Z', buyer),
      orderAt('ord_3', '2040-11-21T12:00:00Z', {
        ...buyer,
        refunds: [{ amount: 10_000, at: '2040-11-21T13:00:00Z' }],
      }),
      orderAt('ord_2', '2040-11-21T00:01:00Z', { ...buyer, amount: 5, metadata: { reference: 'SO-2' } }),
      orderAt('ord_1', '2040-11-20T23:59:00Z', { ...buyer, amount: 5 }),
      orderAt('ord_0', '2040-11-20T12:00:00Z', { ...buyer, amount: 6 }),
      orderAt('ord_00', '2040-11-20T12:01:00Z', { ...buyer, amount: 6 }),
    ],
  });
  const { code, stdout, stderr } = await service.run(['orders', 'twins', '--ndjson'], { env: clock });
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 pair of twins: two payments')]);
  expect(stderr).toContain('1 pair more is settled: all of one payment went back (--settled)');
  const bothOf = (text: string) =>
    rowsOf(text).map((row) =>
      ['first', 'second', 'first_status', 'second_status', 'first_state', 'seconds_apart', 'settled'].map(
        (name) => row[name],
      ),
    );
  const open = ['ord_1', 'ord_2', 'paid', 'paid', null, 120, false];
  expect(bothOf(stdout)).toEqual([open]);
  expect(rowsOf(stdout)[0]).toMatchObject({ buyer: 'Ana', first_card: '*4242', second_card: '*4242' });
  const settled = await service.run(['orders', 'twins', '--settled', '--ndjson'], { env: clock });
  expect(bothOf(settled.stdout)).toEqual([
    ['ord_3', 'ord_4', 'refunded', 'paid', 'elsewhere', 240, true],
    open,
  ]);
  const words = ['orders', 'twins', '--columns', 'first,reference,email', '--csv'];
  const named = await service.run(words, { env: clock });
  expect(named.stdout).toBe('first,reference,email\nord_1,"none, SO-2",ana@example.com\n');
  // On a narrow terminal in words, and what may have been paid twice below.
  const narrow = await service.run(['orders', 'twins', '--settled', '--width', '80'], { env: clock });
  expect(narrow.stdout).toContain('outcome: first went back 21 Nov 13:00, 10000 MXN, elsewhere\n');
  expect(narrow.stderr).toContain('within 10 minutes; 5 MXN may have been paid twice and did not go back\n');
});

test('orders twins says of an open pair too what went back of it', async () => {
  const buyer = { customer_info: { name: 'Ana', email: 'ana@example.com' } };
  await using service = await startDated({
    orders: [
      orderAt('ord_2', '2040-11-21T12:02:00Z', buyer),
      orderAt('ord_1', '2040-11-21T12:00:00Z', {
        ...buyer,
        refunds: [{ amount: 4_000, at: '2040-11-21T13:00:00Z' }],
      }),
    ],
  });
  const { stdout } = await service.run(['orders', 'twins', '--width', '80'], { env: clock });
  expect(stdout).toContain('outcome: first went back in part 21 Nov 13:00, 4000 MXN, elsewhere\n');
});

test('orders twins: an order that was declined is in no pair, also in today', async () => {
  const buyer = { customer_info: { name: 'Ana', email: 'ana@example.com' } };
  const declined = orderAt('ord_1', '2040-11-21T12:00:00Z', buyer);
  const charges = (declined.charges as { data: readonly Json[] }).data.map((charge) => ({
    ...charge,
    status: 'declined',
  }));
  await using service = await startDated({
    orders: [
      orderAt('ord_2', '2040-11-21T12:04:00Z', buyer),
      { ...declined, payment_status: 'declined', charges: listOf(...charges) },
    ],
  });
  const { stdout, stderr } = await service.run(['orders', 'twins', '--settled', '--ndjson'], { env: clock });
  expect([stdout, stderr]).toEqual(['', expect.stringContaining('no twins in this period')]);
  const today = await service.run(['today', '--ndjson'], { env: clock });
  expect(rowsOf(today.stdout).find(({ what }) => what === 'twins')).toMatchObject({ count: 0 });
});

test('refunds list: the refunds of the period, the newest or the largest first, as negative amounts', async () => {
  await using service = await startDated({
    orders: [
      orderAt('ord_2', '2040-11-21T10:00:00Z', {
        refunds: [
          { amount: 10, at: '2040-11-21T11:00:00Z' },
          { amount: 70, at: '2040-11-21T10:30:00Z' },
        ],
      }),
      orderAt('ord_1', '2040-01-01T10:00:00Z', {
        currency: 'USD',
        refunds: [
          { amount: 50, at: '2040-11-21T12:00:00Z' },
          { amount: 900, at: '2040-11-20T12:00:00Z' },
        ],
      }),
    ],
  });
  const list = async (...words: readonly string[]) =>
    rowsOf((await service.run(['refunds', 'list', ...words, '--ndjson'], { env: clock })).stdout).map(
      ({ id, amount }) => `${String(id)} ${String(amount)}`,
    );
  expect(await list()).toEqual(['rf_ord_1_1 -50', 'rf_ord_2_1 -10', 'rf_ord_2_2 -70']);
  expect(await list('--sort', 'amount')).toEqual(['rf_ord_2_2 -70', 'rf_ord_2_1 -10', 'rf_ord_1_1 -50']);
  expect(await list('--sort', 'amount', '--max', '1')).toEqual(['rf_ord_2_2 -70', 'rf_ord_1_1 -50']);
  expect(await list('--period', 'yesterday')).toEqual(['rf_ord_1_2 -900']);
  const table = await service.run(['refunds', 'list', '--max', '1'], { env: clock });
  expect(table.stderr).toContain(
    '3 refunds, from 21 Nov 2040 00:00:00 UTC, before 22 Nov 2040 00:00:00 UTC: 3 went back, 80 MXN and 50 USD',
  );
  expect(table.stderr).toContain('only the newest is shown');
  const wider = 'this is today; --period this-month shows more';
  expect(table.stderr).toContain(wider);
  const month = await service.run(['refunds', 'list', '--period', 'this-month'], { env: clock });
  expect(month.stderr).not.toContain(wider);
});

test('today: refunds of today with the largest, waiting orders by age, twins, and what the journal has open', async () => {
  const buyer = { customer_info: { name: 'Ana', email: 'ana@example.com' } };
  const refunded = { refunds: [{ amount: 300, at: '2040-11-21T11:00:00Z' }] };
  await using service = await startDated({
    orders: [
      orderAt('ord_4', '2040-11-21T10:02:00Z', {
        ...buyer,
        refunds: [{ amount: 40, at: '2040-11-21T11:00:00Z' }],
      }),
      orderAt('ord_3', '2040-11-21T10:00:00Z', buyer),
      withCharge(orderAt('ord_2', '2040-11-01T10:00:00Z', { payment_status: 'pre_authorized' }), {
        status: 'pre_authorized',
      }),
      orderAt('ord_1', '2040-01-01T10:00:00Z', refunded),
    ],
  });
  const { code, stdout } = await service.run(['today'], { env: clock });
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "TODAY  21 Nov 2040 (UTC), so far    sandbox environment
    unconfirmed           none
    made twice            none
    appeared              none
    refunded today   2 refunds    340 MXN  largest 300 MXN, ord_1
    paid today      2 payments  20000 MXN
    waiting            1 order  10000 MXN  7 to 30 days
    twins today         1 pair             the same buyer and amount within 10 minutes: paydesk orders twins --period today

    as of  21 Nov 2040 15:31:12 UTC: 4 orders read from the service
    "
  `);
  const rows = rowsOf((await service.run(['today', '--ndjson'], { env: clock })).stdout);
  expect(rows.map(({ what, count, amount, largest_order: order }) => [what, count, amount, order])).toEqual([
    ['unconfirmed', 0, null, null],
    ['made_twice', 0, null, null],
    ['appeared', 0, null, null],
    ['failed', 0, null, null],
    ['gone', 0, null, null],
    ['recorded_made', 0, null, null],
    ['recorded_not_made', 0, null, null],
    ['refunded', 2, 340, 'ord_1'],
    ['paid', 2, 20_000, null],
    ['waiting', 1, 10_000, null],
    ['twins', 1, null, null],
  ]);
});

test('today names a refund whose reply was lost', async () => {
  await using service = await startDated({
    orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
    onPost: () => hangUp,
  });
  const refund = await service.run(['orders', 'refund', 'ord_1', '--yes'], { env: clock });
  expect(refund.code).toBe(7);
  const { stdout } = await service.run(['today'], { env: clock });
  expect(stdout).toMatch(/^unconfirmed +1 refund +10000 MXN +ord_1/m);
  expect(service.posts).toHaveLength(1);
});

test('today counts a payment link whose reply was lost beside a refund', async () => {
  await using service = await startDated({
    orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
    onPost: () => hangUp,
  });
  const counted = async () => {
    const lines = rowsOf((await service.run(['today', '--ndjson'], { env: clock })).stdout);
    return lines.filter(({ what }) => what === 'unconfirmed').map(({ kind, count }) => [kind, count]);
  };
  const link = ['checkout', 'create', '--name', 'Lamp', '--item', 'Lamp:300:1', '--currency', 'MXN', '--yes'];
  expect((await service.run(link, { env: clock })).code).toBe(7);
  expect(await counted()).toEqual([['checkout', 1]]);
  expect((await service.run(['orders', 'refund', 'ord_1', '--yes'], { env: clock })).code).toBe(7);
  expect(await counted()).toEqual([
    ['checkout', 1],
    ['refund', 1],
  ]);
  expect(service.posts).toHaveLength(2);
});

test('today names unconfirmed changes of another profile, and its own lines are about its account', async () => {
  await using service = await startDated({
    orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
    onPost: () => hangUp,
  });
  await storeShop(service.home, service);
  await using other = await startDated({ orders: [orderAt('ord_2', '2040-11-21T10:00:00Z')] });
  const env = { ...clock, PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
  const refund = ['-p', 'shop', 'orders', 'refund', 'ord_1', '--yes'];
  expect((await service.run(refund, { env })).code).toBe(7);
  // With the same key it could be the same account.
  const others = { ...clock, ...other.env, PAYDESK_API_KEY: 'key_OTHERxyz0123456789' };
  const { stdout, stderr } = await service.run(['today'], { env: others });
  expect(stdout).toMatch(/^unconfirmed +none$/m);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    '1 refund unconfirmed in another profile (shop): paydesk -p shop journal list --open',
  );
  expect([service.posts.length, other.posts.length]).toEqual([1, 0]);
});

test('orders that show no status are called none, by which orders list finds them', async () => {
  const bare = { ...orderAt('ord_1', '2040-11-21T10:00:00Z'), payment_status: undefined };
  await using service = await startDated({ orders: [orderAt('ord_2', '2040-11-21T10:00:00Z'), bare] });
  const { stdout } = await service.run(['orders', 'summary', '--by', 'status', '--ndjson'], { env: clock });
  expect(rowsOf(stdout).map(({ bucket }) => bucket)).toEqual(['none', 'paid']);
  const found = await service.run(['orders', 'list', '--status', 'none', '--ndjson'], { env: clock });
  expect(rowsOf(found.stdout).map(({ id }) => id)).toEqual(['ord_1']);
  const list = await service.run(['orders', 'list', '--status', 'declined', '--all'], { env: clock });
  expect(list.stderr).toContain('no order has the status declined. Statuses here: paid, none');
});

test('the times of a written report are dates in a list, as in every other list', async () => {
  await using service = await startDated({ orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')] });
  const { stdout } = await service.run(['report', '--to', 'x.html', '-o', 'list'], { env: clock });
  expect(stdout).toContain('since: 1 Nov 2040 00:00:00 UTC\nuntil: 1 Dec 2040 00:00:00 UTC\n');
  expect(stdout).toContain('as_of: 21 Nov 2040 15:31:12 UTC\n');
});

test('a search for a status word says which command lists the orders with that status', async () => {
  await using service = await startDated({ orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')] });
  const { code, stderr } = await service.run(['orders', 'find', 'declined'], { env: clock });
  expect([code, stderr]).toEqual([
    5,
    expect.stringContaining('for the orders with this status: paydesk orders list --status declined --all'),
  ]);
  const list = await service.run(['orders', 'list', '--status', 'declined', '--all'], { env: clock });
  expect(list.stderr).toContain('no order has the status declined. Statuses here: paid');
  const help = await service.run(['orders', 'find', '--help'], { env: { COLUMNS: '200' } });
  expect(help.stdout.replaceAll(/\s+/g, ' ')).toContain('paydesk orders list --status paid --all');
});

test('orders summary of a period before the oldest order says since when there are orders', async () => {
  await using service = await startDated({ orders: [orderAt('ord_1', '2040-11-20T10:00:00Z')] });
  const said = async (period: string) =>
    (await service.run(['orders', 'summary', '--period', period, '--ndjson'], { env: clock })).stderr;
  const note = 'the oldest order is from 20 Nov 2040 10:00:00 UTC, after this period';
  expect(await said('2040-10')).toContain(note);
  expect(await said('2040-11')).not.toContain('the oldest order');
});
