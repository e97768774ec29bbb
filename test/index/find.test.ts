/** `orders find` with an index: finds what a walk would find, shows what is so now, and says no more than is certain. */

import { describe, expect, test } from 'vitest';
import { later } from '../harness/clock.ts';
import { isLong } from '../harness/long.ts';
import { type Json, refundedWhole } from '../harness/orders.ts';
import { onScreen } from '../harness/paydesk.ts';
import { idAt, nameAt, ok, orderAt, orderMadeNow, ordersOf, startShop, statusOf } from './shop.ts';

const hour = 3_600_000;

test('1 every word finds the same orders as page by page, also parts of names in any script', async () => {
  const orders = ordersOf(isLong ? 300 : 60);
  await using shop = await startShop(orders);
  const {
    customer_info: buyer,
    charges,
    metadata,
  } = orders[42] as {
    readonly customer_info: { readonly email: string; readonly phone: string; readonly customer_id: string };
    readonly charges: { readonly data: readonly Json[] };
    readonly metadata: { readonly shop_order: string };
  };
  const [charge = {}] = charges.data;
  const words = [
    ['ernande'],
    ['王小'],
    ['王', '小明'],
    ['muñoz', 'JOSE'],
    ['østergaard'],
    ['петров'],
    ["o'brien"],
    ['ใจดี'],
    ['ngoc', 'tran'],
    ['a'],
    ['x'],
    [buyer.email],
    [buyer.email.slice(2, 9)],
    [buyer.phone],
    [buyer.phone.replace(/\D+/g, '').slice(-7)],
    [`+${buyer.phone.replace(/\D+/g, '')}`],
    [buyer.customer_id],
    [String(charge.id)],
    [String(orders[6]?.amount)],
    ['rf12x'],
    ['1000'],
    ['1,000'],
    ['-1000'],
    ['*2554'],
    ['2554'],
    ['USD'],
    ['REF-40'],
    [metadata.shop_order.toLowerCase()],
    ['fernandez', 'tia'],
    [idAt(7)],
    [idAt(7).slice(4, 12)],
    [String((charge.payment_method as Json).auth_code)],
    ['nobody-at-all'],
    ['buyer7@example.com', 'torres'],
  ];
  for (const typed of words) {
    const indexed = await shop.find(...typed);
    const live = await shop.find(...typed, '--live');
    expect([typed, indexed.ids]).toEqual([typed, live.ids]);
    expect([typed, indexed.code]).toEqual([typed, live.code]);
  }
  for (const filters of [
    ['--customer', 'cus_pay7'],
    ['--customer', 'buyer7@example.com'],
    ['--status', 'paid', '--min-amount', '30000'],
  ]) {
    const typed = filters[0] === '--customer' ? filters : ['ana', ...filters];
    const live = await shop.find(...typed, '--live');
    expect(live.ids.length).toBeGreaterThan(0);
    expect((await shop.find(...typed)).ids).toEqual(live.ids);
  }
});

test('1 amounts with declared decimals are found as they are shown', async () => {
  const orders = ordersOf(40);
  await using shop = await startShop(orders);
  await ok(
    shop.run(
      [
        'profile',
        'add',
        'cents',
        '--base-url',
        shop.url,
        '--mode',
        'sandbox',
        '--key-stdin',
        '--key-store',
        'file',
        '--no-check',
      ],
      {
        env: { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' },
        input: 'key_CANARYxyz0123456789\n',
      },
    ),
  );
  const env = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
  await ok(shop.run(['profile', 'set', 'cents', 'amounts.decimals.MXN', '2'], { env }));
  const order = orders.find(({ currency }) => currency === 'MXN') ?? {};
  const text = `${Math.floor(Number(order.amount) / 100)}.${String(Number(order.amount) % 100).padStart(2, '0')}`;
  const before = shop.requests.length;
  const ran = await ok(shop.run(['-p', 'cents', 'orders', 'find', text, '--ndjson'], { env }));
  expect(ran.stdout).toContain(String(order.id));
  expect(shop.requests.length - before).toBeLessThanOrEqual(3);
});

test('2 an order far back is found with 3 requests', async () => {
  const count = isLong ? 20_000 : 1_000;
  await using shop = await startShop(ordersOf(count));
  const { ids, sent, code } = await shop.find(`REF-${count - 100}`);
  expect({ ids, sent, code }).toEqual({ ids: [idAt(count - 100)], sent: 3, code: 0 });
});

test('2 hits next to each other are read with one request, and no request is for an order that does not match', async () => {
  await using shop = await startShop(ordersOf(1_200));
  const { ids, sent } = await shop.find('A-1009');
  expect(ids).toEqual(
    Array.from({ length: 34 }, (_, index) => 900 + index * 3)
      .filter((at) => at <= 999)
      .map(idAt),
  );
  expect(sent).toBeLessThanOrEqual(3);
});

test('3 an order that was made a second ago is found', async () => {
  await using shop = await startShop(ordersOf(600));
  shop.orders = [orderMadeNow('ord_madejustnow', { metadata: { ticket: 'brand-new' } }), ...shop.orders];
  expect(await shop.find('brand-new')).toMatchObject({ ids: ['ord_madejustnow'], sent: 2, code: 0 });
  expect(await statusOf(shop)).toMatchObject({ orders: 601, complete: true });
});

test('3 also if more orders were made since than a page holds', async () => {
  await using shop = await startShop(ordersOf(600));
  const made = Array.from({ length: 420 }, (_, index) =>
    orderMadeNow(`ord_new${index}`, {
      metadata: { ticket: `new-${index}.` },
      created_at: Math.floor(Date.now() / 1000) - index,
    }),
  );
  shop.orders = [...made, ...shop.orders];
  expect(await shop.find('new-419.')).toMatchObject({ ids: ['ord_new419'], code: 0 });
  expect(await statusOf(shop)).toMatchObject({ orders: 1_020, gaps: 0 });
});

test('4 an order that was refunded elsewhere is shown as it is now', async () => {
  await using shop = await startShop(ordersOf(600));
  shop.orders = shop.orders.map((order) => (order.id === idAt(304) ? refundedWhole(order) : order));
  const ran = await ok(shop.run(['orders', 'find', 'REF-304', '--json']));
  expect(JSON.parse(ran.stdout)).toMatchObject({ data: [{ id: idAt(304), payment_status: 'refunded' }] });
});

test('4 an order that lost the words is not shown, although the index has it with them', async () => {
  await using shop = await startShop(ordersOf(600));
  shop.orders = shop.orders.map((order) => (order.id === idAt(303) ? { ...order, metadata: {} } : order));
  const { code, ids } = await shop.find('A-100303');
  expect({ code, ids }).toEqual({ code: 5, ids: [] });
});

test('5 if the order before it is gone, it is still found', async () => {
  await using shop = await startShop(ordersOf(600));
  shop.orders = shop.orders.filter(({ id }) => id !== idAt(303));
  expect(await shop.find('REF-304')).toMatchObject({ ids: [idAt(304)], code: 0 });
});

test('5 an order that is gone is not found, and the index forgets it', async () => {
  await using shop = await startShop(ordersOf(600));
  shop.orders = shop.orders.filter(({ id }) => id !== idAt(304));
  expect(await shop.find('REF-304')).toMatchObject({ ids: [], code: 5 });
  expect(await statusOf(shop)).toMatchObject({ orders: 599 });
});

test('6 an order that moved to the head is counted once and shown once', async () => {
  await using shop = await startShop(ordersOf(600));
  const moved = shop.orders[304] ?? {};
  shop.orders = [moved, ...shop.orders.toSpliced(304, 1)];
  expect(await shop.find('REF-304')).toMatchObject({ ids: [idAt(304)], code: 0 });
  expect(await statusOf(shop)).toMatchObject({ orders: 600 });
});

describe('what is not certain is not said', () => {
  test('7 in a list that is oldest first a new order is found, and a miss exits 9', async () => {
    await using shop = await startShop(ordersOf(600).toReversed());
    shop.orders = [...shop.orders, orderMadeNow('ord_atthetail', { metadata: { ticket: 'brand-new' } })];
    expect(await shop.find('brand-new')).toMatchObject({ ids: ['ord_atthetail'], code: 0 });
    const miss = await shop.run(['orders', 'find', 'nobody-at-all']);
    expect(miss.code).toBe(9);
    expect(miss.stderr).toContain('this list is not newest first, so a new order may be anywhere in it');
  });

  test('8 in a list in which orders are inserted in the middle a miss exits 9', async () => {
    await using shop = await startShop(ordersOf(600));
    expect((await shop.find('brand-new')).code).toBe(5);
    const between = orderAt(3, {
      changes: {
        id: 'ord_between',
        created_at: Number(shop.orders[300]?.created_at) + 5,
        metadata: { t: 'brand-new' },
      },
    });
    shop.orders = shop.orders.toSpliced(300, 0, between);
    // Nobody has read there since.
    await ok(shop.run(['index', 'refresh'], { env: later(25 * hour) }));
    expect(await shop.find('brand-new')).toMatchObject({ ids: ['ord_between'], code: 0 });
    const miss = await shop.run(['orders', 'find', 'nobody-at-all']);
    expect(miss.code).toBe(9);
    expect(miss.stderr).toContain('1 order appeared between older ones in this list');
  });

  test('8 in a list that is sorted otherwise a miss exits 9 from the first day', async () => {
    const orders = ordersOf(600).toSorted((one, other) => Number(one.amount) - Number(other.amount));
    await using shop = await startShop(orders);
    expect((await shop.find('nobody-at-all')).code).toBe(9);
  });

  test('9 a word that came onto an order later is found after its orders were read again; before, it is said when they were read', async () => {
    await using shop = await startShop(ordersOf(600));
    shop.orders = shop.orders.map((order) =>
      order.id === idAt(303) ? { ...order, metadata: { ticket: 'added-later' } } : order,
    );
    const miss = await shop.run(['orders', 'find', 'added-later']);
    expect(miss.code).toBe(5);
    expect(miss.stderr).toMatch(
      /^certain: no other order made before .* shows these words, unless it changed after paydesk last read it: newest 3 days \d\d:\d\d$/m,
    );
    await ok(shop.run(['index', 'refresh'], { env: later(25 * hour) }));
    expect((await shop.find('added-later')).ids).toEqual([idAt(303)]);
  });

  test('an index whose build was interrupted finds what it knows, and a miss exits 9 with the command that goes on', async () => {
    let left = 3;
    await using shop = await startShopBroken(() => left-- <= 0);
    const miss = await shop.run(['orders', 'find', 'nobody-at-all']);
    expect(miss.code).toBe(9);
    expect(miss.stderr).toContain('older ones were not searched');
    expect(miss.stderr).toContain('paydesk index build --resume');
  });
});

async function startShopBroken(isBroken: () => boolean) {
  const { startService } = await import('../harness/service.ts');
  const { json } = await import('../harness/server.ts');
  let breaks = true;
  const service = await startService({
    orders: ordersOf(2_000),
    onPage: () => (breaks && isBroken() ? json({ object: 'error', type: 'x', details: [] }, 422) : undefined),
  });
  const built = await service.run(['index', 'build', '--yes']);
  breaks = false;
  expect(built.code).toBe(9);
  return service;
}

test('what was found is shown with the sentence about all others, on a narrow screen too', async () => {
  await using shop = await startShop(ordersOf(600));
  const { home, env } = shop;
  const { code, screen } = await onScreen(['orders', 'find', 'REF-304'], { home, env, columns: 80 });
  expect(code).toBe(0);
  const shown = screen
    .slice(screen.lastIndexOf('ID  '))
    .replace(/\d+\.\d s/, '0.4 s')
    .replaceAll(/\d\d:\d\d/g, '09:31')
    .replaceAll(/\d+ [A-Z][a-z]{2} 09:31/g, '21 Nov 09:31');
  expect(shown.slice(shown.indexOf('1 found'))).toMatchInlineSnapshot(`
    "1 found, sandbox environment; all read just now (3 requests, 0.4 s)
    certain: no other order made before 21 Nov 09:31 shows these words, unless it
             changed after paydesk last read it: newest 3 days 09:31
    "
  `);
  for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('twins of what was found are named, although they were not searched for', async () => {
  const orders = ordersOf(600);
  const twin = {
    ...orders[301],
    id: 'ord_thetwin',
    created_at: Number(orders[301]?.created_at) + 60,
    metadata: { only: 'here' },
  };
  await using shop = await startShop(orders.toSpliced(301, 0, twin));
  const ran = await ok(
    shop.run(['orders', 'find', 'only', 'here', '--live']).then(() => shop.run(['orders', 'find', 'here'])),
  );
  expect(ran.stderr).toContain('possible twins, same buyer and amount within 10 minutes');
  expect(ran.stderr).toContain(idAt(301));
});

test('--next goes on behind an order, and --max says how to go on', async () => {
  await using shop = await startShop(ordersOf(1_500));
  const first = await shop.run([
    'orders',
    'find',
    nameAt(0).split(' ')[0] ?? '',
    '--max',
    '20',
    '--csv',
    '--no-header',
    '--columns',
    'id',
  ]);
  expect(first.code).toBe(0);
  const command = /older orders: paydesk (.*)$/m.exec(first.stderr)?.[1]?.split(' ') ?? [];
  expect(command).toContain('--next');
  const second = await ok(shop.run(command));
  const ids = `${first.stdout}${second.stdout}`.trim().split('\n');
  expect(ids).toEqual([...new Set(ids)]);
  expect(ids.length).toBeGreaterThan(25);
});

test('without words, --customer finds the orders of a buyer', async () => {
  await using shop = await startShop(ordersOf(900));
  const { ids, code } = await shop.find('--customer', 'cus_buyer7');
  expect({ ids, code }).toEqual({ ids: [idAt(7), idAt(407), idAt(807)], code: 0 });
  expect((await shop.run(['orders', 'find'])).code).toBe(2);
});
