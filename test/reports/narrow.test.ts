/** Reports, searches and customers on narrow screens and for a screen reader: what has no room is told, and nothing stands alone. */

import { describe, expect, test } from 'vitest';
import { chargeOf, type Json, orderOf } from '../harness/orders.ts';
import { onScreen } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { type Service, storeShop } from '../harness/service.ts';
import { clock, longOperators, orderAt, refundAs, startDated, startRefunding } from './refunded-orders.ts';

const buyer = { customer_info: { object: 'customer_info', name: 'Ana Torres', email: 'ana@example.com' } };

/** What both streams show on a terminal of so many columns. */
const screenOf = async (service: Service, columns: number, ...words: readonly string[]) => {
  const env = { ...service.env, ...clock, LANG: 'es_MX.UTF-8' };
  return (await onScreen(words, { home: service.home, env, columns })).screen;
};

/** With usual spaces between thousands. */
const plain = (screen: string) => screen.replaceAll(/[\u00a0\u2009\u202f]/g, ' ');

describe('orders find', () => {
  const refunds = [{ amount: 4_000, at: '2040-11-20T11:00:00Z' }];
  const startOne = () =>
    startDated({ orders: [orderAt('ord_2tQ7zRk9PwE5xNvAm', '2040-11-20T10:00:00Z', { ...buyer, refunds })] });

  test.each([80, 100])(
    'at %i columns the row has REFUNDED, and the card and the buyer that matched',
    async (columns) => {
      await using service = await startOne();
      const screen = await screenOf(service, columns, 'orders', 'find', 'torres', '4242');
      expect(screen).toMatch(/^ord_2tQ7zRk9PwE5xNvAm .* 4000\b.*\*4242 .*Torres/m);
      expect(screen).not.toContain('matched ');
    },
  );

  test('at 60 columns it says that there is no room for the card', async () => {
    await using service = await startOne();
    const screen = inOneLine(await screenOf(service, 60, 'orders', 'find', 'torres'));
    expect(screen).toContain('no room for CREATED, CARD:');
  });

  test('an id that was searched for is not repeated as what matched', async () => {
    await using service = await startOne();
    const screen = await screenOf(service, 80, 'orders', 'find', '2tQ7zRk9PwE5');
    expect(screen.match(/2tQ7zRk9PwE5/g)).toHaveLength(1);
  });
});

test.each([
  ['orders', 'find', 'xyzzyplugh'],
  ['orders', 'list', '--status', 'declined'],
])('%s %s that finds nothing says nothing of columns', async (...words) => {
  await using service = await startDated({ orders: [orderAt('ord_1', '2040-11-20T10:00:00Z', buyer)] });
  expect(await screenOf(service, 60, ...words)).not.toContain('no room');
});

test('at 80 columns the word refunded is whole, beside long amounts and buyers', async () => {
  const refunds = [{ amount: 37_150, at: '2040-11-20T11:00:00Z' }];
  const orders = ['MXN', 'MXN', 'USD'].map((currency, index) =>
    orderAt(`ord_2tQ7zRk9PwE5xNvA${index}`, '2040-11-20T10:00:00Z', {
      amount: 37_150 + index,
      currency,
      refunds,
      ...buyer,
    }),
  );
  await using service = await startDated({ orders });
  const screen = await screenOf(service, 80, 'orders', 'list');
  expect(screen).toMatch(/ 20 Nov 10:00 {2}refunded /);
  expect(screen).toMatch(/ part_ref .* Ana/);
});

describe('two operators whose names differ in their end alone', () => {
  const startDesk = async () => {
    const service = await startRefunding(
      ['ord_2tQ7zRk9PwE5xNvA1', 'ord_2tQ7zRk9PwE5xNvA2'].map((id) => orderAt(id, '2040-11-21T10:00:00Z')),
    );
    for (const [index, operator] of longOperators.entries())
      await refundAs(service, operator, `ord_2tQ7zRk9PwE5xNvA${index + 1}`);
    return service;
  };

  test.each([60, 80])('refunds summary --by operator at %i columns shows both ends', async (columns) => {
    await using service = await startDesk();
    const screen = await screenOf(service, columns, 'refunds', 'summary', '--by', 'operator');
    expect(screen).toMatch(/^ {2}José_Ángel.*night_shift +1 /m);
    expect(screen).toMatch(/^ {2}José_Ángel.*night_team_B +1 /m);
  });

  test.each([60, 80, 120])('refunds list at %i columns shows the reason, and both ends', async (columns) => {
    await using service = await startDesk();
    const screen = await screenOf(service, columns, 'refunds', 'list');
    expect(screen).toMatch(/ José_Á.*night_shift\b/);
    expect(screen).toMatch(/ José_Á.*night_team_B\b/);
    expect(screen.match(/\breque/g)).toHaveLength(2);
  });
});

test.each([
  [60, 'MADE, NOTE, ID, CARD'],
  [80, 'NOTE, ID, CARD'],
  [120, 'ID'],
])('refunds list at %i columns says that there is no room for %s', async (columns, titles) => {
  await using service = await startRefunding([orderAt('ord_2tQ7zRk9PwE5xNvA1', '2040-11-21T10:00:00Z')]);
  await refundAs(service, longOperators[0], 'ord_2tQ7zRk9PwE5xNvA1');
  expect(inOneLine(await screenOf(service, columns, 'refunds', 'list'))).toContain(`no room for ${titles}:`);
});

test('at 80 columns refunds list names who made a refund, also where decimals are declared, and drops no column that was typed', async () => {
  const id = 'ord_2tQ7zRk9PwE5xNvA1';
  await using service = await startRefunding([orderAt(id, '2040-11-21T10:00:00Z')]);
  await refundAs(service, 'ana', id);
  await storeShop(service.home, service, { 'amounts.decimals.MXN': '2' });
  const env = { ...clock, PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
  const list = async (columns: number, ...words: readonly string[]) => {
    const args = ['-p', 'shop', 'refunds', 'list', ...words];
    return (await onScreen(args, { home: service.home, env, columns })).screen;
  };
  expect(await list(80)).toMatch(/ ana {2}requested_by_cl…/);
  const named = 'order_id,refunded_at,amount,operator,reason,asked_by,approved_by,note';
  const screen = await list(60, '--columns', named);
  expect(screen).toMatch(/ ana +reque… *\n {20,}asked by ana {2}approved by - {2}note -/);
  expect(screen).not.toContain('no room');
});

test('at 80 columns the heading of a split has its currency, also beside long amounts', async () => {
  await using service = await startDated({
    orders: [
      orderAt('ord_1', '2040-11-20T10:00:00Z', {
        amount: 584_579_190,
        refunds: [{ amount: 46_905_330, at: '2040-11-21T10:00:00Z' }],
      }),
    ],
  });
  const settings = { 'amounts.decimals.MXN': '2', 'amounts.grouping': 'on' };
  await storeShop(service.home, service, settings);
  const env = { ...clock, LANG: 'C.UTF-8', PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
  const { screen } = await onScreen(['-p', 'shop', 'refunds', 'summary', '--by', 'brand'], {
    home: service.home,
    env,
    columns: 80,
  });
  expect(screen).toContain('BY BRAND, MXN');
  expect(plain(screen)).toContain('46 905 330 (469 053.30)');
});

describe('orders twins', () => {
  const pair = [
    orderAt('ord_secondOfTheTwo_12', '2040-11-21T10:02:00Z', buyer),
    orderAt('ord_firstOfTheTwo_123', '2040-11-21T10:00:00Z', {
      ...buyer,
      refunds: [{ amount: 10_000, at: '2040-11-21T10:30:00Z' }],
    }),
  ];

  test.each([60, 80])(
    'at %i columns says in full which of them was refunded, and the amount',
    async (columns) => {
      await using service = await startDated({ orders: pair });
      const screen = await screenOf(service, columns, 'orders', 'twins', '--settled');
      expect(screen).toContain('refunded, paid');
      expect(screen).toMatch(/ 10000( MXN)?\b/);
      expect(screen).toMatch(/21 Nov 10:00/);
      for (const id of ['ord_secondOfTheTwo_12', 'ord_firstOfTheTwo_123']) expect(screen).toContain(id);
    },
  );
});

test('orders twins says of both orders that they are paid', async () => {
  await using service = await startDated({
    orders: ['ord_2', 'ord_1'].map((id) => orderAt(id, '2040-11-21T10:00:00Z', buyer)),
  });
  expect(await screenOf(service, 80, 'orders', 'twins')).toContain('paid, paid');
});

test('orders show at 60 columns keeps the figures under their headings', async () => {
  await using service = await startDated({
    orders: [
      orderAt('ord_2tQ7zRk9PwE5xNvAm', '2040-11-20T10:00:00Z', {
        amount: 52_000,
        refunds: [{ amount: 12_000, at: '2040-11-20T11:00:00Z' }],
        ...buyer,
      }),
    ],
  });
  const screen = await screenOf(service, 60, 'orders', 'show', 'ord_2tQ7zRk9PwE5xNvAm');
  expect(screen).toContain(`
MONEY (MXN, in the service's units)
                    amount   refunded       kept
charge 1  *4242      52000     -12000      40000
          ch_ord_2tQ7zRk9PwE5xNvAm
`);
  expect(screen).toContain(`
order                52000     -12000      40000
`);
  expect(screen).toContain(`
REFUNDS  from charge  amount  when
         1 *4242      -12000  20 Nov 11:00 UTC
         auth 490215  elsewhere
         id rf_ord_2tQ7zRk9PwE5xNvAm_1  not sent from here:
         ask your lead who did
`);
});

test('index status at 60 columns gives a long path a line of its own, and the size another', async () => {
  await using service = await startDated({ orders: [orderAt('ord_1', '2040-11-20T10:00:00Z')] });
  expect((await service.run(['index', 'build', '--yes'], { env: clock })).code).toBe(0);
  const screen = await screenOf(service, 60, 'index', 'status');
  expect(screen).toMatch(/^file\n\/\S+\n/m);
  expect(screen).toMatch(/^size {5}\d+ kB$/m);
});

describe('where one currency has decimals and another has none', () => {
  const settings = { 'amounts.decimals.MXN': '2', 'amounts.grouping': 'on' };
  const own = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };

  test.each([60, 80, 120])(
    'at %i columns a table writes all amounts in the units of the service',
    async (columns) => {
      await using service = await startDated({
        orders: ['MXN', 'USD', 'USD'].map((currency, index) =>
          orderAt(`ord_2tQ7zRk9PwE5xNvA${index}`, '2040-11-20T10:00:00Z', {
            currency,
            refunds: [{ amount: 2_221 + index, at: '2040-11-21T10:00:00Z' }],
          }),
        ),
      });
      await storeShop(service.home, service, settings);
      const env = { ...clock, ...own };
      const { screen } = await onScreen(['-p', 'shop', 'refunds', 'list'], {
        home: service.home,
        env,
        columns,
      });
      for (const amount of ['-2 221', '-2 222', '-2 223']) expect(plain(screen)).toContain(amount);
      expect(screen).not.toMatch(/\d\*/);
    },
  );

  test('at 80 columns refunds list still says who made each refund', async () => {
    const ids = ['ord_2tQ7zRk9PwE5xNvA0', 'ord_2tQ7zRk9PwE5xNvA1'];
    await using service = await startRefunding(
      ids.map((id, index) =>
        orderAt(id, '2040-11-21T10:00:00Z', { amount: 14_952_245, currency: index === 0 ? 'MXN' : 'USD' }),
      ),
    );
    for (const id of ids) await refundAs(service, 'ana', id);
    await storeShop(service.home, service, settings);
    const env = { ...clock, ...own };
    const { screen } = await onScreen(['-p', 'shop', 'refunds', 'list'], {
      home: service.home,
      env,
      columns: 80,
    });
    expect(plain(screen).match(/-14 952 245 .* ana +reque/g)).toHaveLength(2);
  });

  test('today says on every line of a narrow screen what it is about', async () => {
    const waits = (id: string, day: string, currency: string): Json =>
      orderAt(id, `2040-11-${day}T10:00:00Z`, {
        amount: 26_696_700,
        currency,
        payment_status: 'pre_authorized',
      });
    await using service = await startDated({
      orders: [waits('ord_1', '20', 'MXN'), waits('ord_2', '10', 'MXN'), waits('ord_3', '10', 'USD')],
    });
    await storeShop(service.home, service, settings);
    const env = { ...clock, ...own };
    const { screen } = await onScreen(['-p', 'shop', 'today'], { home: service.home, env, columns: 40 });
    const amounts = plain(screen)
      .split('\n')
      .filter((line) => line.includes('26 696 700'));
    expect(amounts).toHaveLength(3);
    expect(screen.match(/waiting/g)?.length).toBeGreaterThan(2);
    expect(plain(screen)).not.toMatch(/^ *\d+ {2}26 696 700/m);
  });
});

describe('customers list', () => {
  const email = 'maria.fernanda.iniguez@example.com';
  const customers = [2_230_000_000, 2_200_000_000].map((created, index) => ({
    id: `cus_2sZp8LmQ4tV${index}`,
    object: 'customer',
    name: 'María Fernanda Íñiguez',
    email,
    created_at: created,
  }));

  test('at 60 columns has the whole name, and the whole address below it, also beside dates with a year', async () => {
    await using service = await startDated({ customers });
    const screen = await screenOf(service, 60, 'customers', 'list');
    const [, ...rows] = screen.split('\n').slice(0, 5);
    const places = rows.map((line) => line.search(/María|email/));
    expect(new Set([places[0], places[2]]).size).toBe(1);
    expect(screen.match(/María Fernanda Í(ñiguez|…)/g)).toHaveLength(2);
    expect(screen.match(new RegExp(`email ${email}`, 'g'))).toHaveLength(2);
  });

  test('at 80 columns an address of 30 letters is whole', async () => {
    const own = customers.map((one) => ({ ...one, email: email.slice(4) }));
    await using service = await startDated({ customers: own });
    expect(await screenOf(service, 80, 'customers', 'list')).toContain(` ${email.slice(4)}`);
  });
});

describe('customers show', () => {
  const customers = [{ id: 'cus_2sZp8LmQ4tVx', object: 'customer', name: 'Ana', created_at: 2_230_000_000 }];
  const orders = ['ord_2tQ7zRk9PwE5xNvAm', 'ord_3tQ7zRk9PwE5xNvAm'].map((id, index) =>
    orderOf(id, [chargeOf(`ch_${index}`, 10_000)], {
      payment_status: 'pre_authorized',
      created_at: 2_236_000_000,
      customer_info: { object: 'customer_info', customer_id: 'cus_2sZp8LmQ4tVx', name: 'Ana' },
    }),
  );

  test('at 60 columns does not break the ids of orders', async () => {
    await using service = await startDated({ orders, customers });
    await service.run(['index', 'build', '--yes'], { env: clock });
    const screen = await screenOf(service, 60, 'customers', 'show', 'cus_2sZp8LmQ4tVx');
    expect(screen).toMatch(/ord_2tQ7zRk9PwE5xNvAm\n {2}.* pre_authorized {2}10000 MXN\n/);
    expect(screen.split('\n').every((line) => line.length <= 60)).toBe(true);
  });

  test('without an order in the index names the search alone', async () => {
    await using service = await startDated({ orders: [], customers });
    await service.run(['index', 'build', '--yes'], { env: clock });
    const screen = await screenOf(service, 80, 'customers', 'show', 'cus_2sZp8LmQ4tVx');
    expect(screen).toContain(
      'the index has no order of this customer\nall orders of this customer, with their sums:\n',
    );
  });

  test('tells a screen reader of the newest orders too', async () => {
    await using service = await startDated({ orders, customers });
    await service.run(['index', 'build', '--yes'], { env: clock });
    const { stdout } = await service.run(['customers', 'show', 'cus_2sZp8LmQ4tVx'], {
      env: { ...clock, PAYDESK_ACCESSIBLE: '1' },
    });
    expect(stdout).toMatch(/^newest_orders\.1: ord_2tQ7zRk9PwE5xNvAm, .*, pre_authorized, 10000 MXN$/m);
  });
});

test('a screen reader gets the columns of a table for each order of a list, and all fields with -o list', async () => {
  await using service = await startDated({ orders: [orderAt('ord_1', '2040-11-20T10:00:00Z', buyer)] });
  const env = { ...clock, PAYDESK_ACCESSIBLE: '1' };
  const brief = await service.run(['orders', 'find', 'torres'], { env });
  expect(brief.stdout).toMatch(/^id: ord_1\ncreated_at: .*\npayment_status: paid\namount: 10000 MXN\n/);
  expect(brief.stdout.split('\n').length).toBeLessThan(12);
  const all = await service.run(['orders', 'find', 'torres', '-o', 'list'], { env });
  expect(all.stdout).toContain('customer_info.email: ana@example.com');
});
