/** What the commands of the index tell a person: whom they forget, how far they came, what is left, and nothing to cron. */

import { describe, expect, test } from 'vitest';
import { chargeOf, type Json, orderOf } from '../harness/orders.ts';
import { startInMemory } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { inOneLine } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { startService } from '../harness/service.ts';
import { ok, ordersOf, startShop, statusOf } from './shop.ts';

/** An order of a buyer of that name. */
function orderBy(name: string, index: number): Json {
  return orderOf(`ord_${index}`, [chargeOf(`ch_${index}`, 100)], {
    customer_info: { object: 'customer_info', name, email: `${name.slice(0, 3).toLowerCase()}@example.com` },
  });
}

describe('whoever is forgotten is named', () => {
  const orders = ['Ana Torres', 'Luz Torres', 'Ana Torres', 'Eva Reyes'].map(orderBy);

  test('in the question', async () => {
    await using shop = await startShop(orders);
    const { home, env } = shop;
    const person = sit(['index', 'forget', '--buyer', 'torres'], { home, env });
    await person.answer('forget the texts', 'n\r');
    const { screen } = await person.leaves;
    expect(inOneLine(screen)).toContain(
      'the texts of 3 orders of 2 buyers: ana torres (ana@example.com), luz torres (luz@example.com), for ever?',
    );
    expect(await statusOf(shop)).toMatchObject({ forgotten: 0 });
  });

  test('with --yes, in JSON and with --dry-run', async () => {
    await using shop = await startShop(orders);
    const words = ['index', 'forget', '--buyer', 'torres'];
    const buyers = ['ana torres (ana@example.com)', 'luz torres (luz@example.com)'];
    const dry = await ok(shop.run([...words, '--dry-run', '--json']));
    expect(JSON.parse(dry.stdout)).toMatchObject({ orders: 3, buyers });
    const { stdout } = await ok(shop.run([...words, '--yes', '--json']));
    expect(JSON.parse(stdout)).toMatchObject({ forgotten_orders: 3, buyers });
  });

  test('ten of them, and how many more there are', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `${String.fromCharCode(97 + index)}xx Torres`);
    await using shop = await startShop(names.map(orderBy));
    const { stdout } = await ok(shop.run(['index', 'forget', '--buyer', 'torres', '--yes']));
    expect(inOneLine(stdout)).toContain('12 buyers: axx torres (axx@example.com), bxx');
    expect(inOneLine(stdout)).toContain('jxx torres (jxx@example.com) and 2 more');
  });
});

test('customers show says that texts were forgotten, and names the search that finds all orders', async () => {
  await using shop = await startShop(ordersOf(900), {
    customers: [{ id: 'cus_buyer7', object: 'customer', name: 'Ana', created_at: 1_790_000_000 }],
  });
  await ok(shop.run(['index', 'forget', '--buyer', 'buyer7@example.com', '--yes']));
  const { stdout } = await ok(shop.run(['customers', 'show', 'cus_buyer7']));
  expect(inOneLine(stdout)).toContain('the index forgot the texts of 3 orders');
  expect(stdout).toContain('orders find --customer cus_buyer7 --live');
  const found = await ok(shop.run(['orders', 'find', '--customer', 'cus_buyer7', '--live', '--ndjson']));
  expect(found.stdout.trim().split('\n')).toHaveLength(3);
});

describe('index refresh', () => {
  test.each(['1', '2'])('sends no more than --max-requests %s', async (most) => {
    await using shop = await startShop(ordersOf(2_000));
    const before = shop.requests.length;
    // None of the first page is known, so there is more to read than one page.
    shop.orders = [
      ...ordersOf(600, { changes: {} }).map((order) => ({ ...order, id: `${String(order.id)}new` })),
      ...shop.orders,
    ];
    const { code } = await shop.run(['index', 'refresh', '--max-requests', most]);
    expect(code).toBe(9);
    expect(shop.requests.length - before).toBe(Number(most));
  });

  test('goes on with a build that broke off, part by part, and says once what is left', async () => {
    let page = 0;
    await using service = await startService({
      orders: ordersOf(2_300),
      onPage: () => {
        page += 1;
        return page === 4 ? json({ object: 'error', type: 'broken', details: [] }, 422) : undefined;
      },
    });
    expect((await service.run(['index', 'build', '--yes'])).code).toBe(9);
    const first = await service.run(['index', 'refresh', '--max-requests', '4', '--quiet']);
    expect(first.code).toBe(9);
    expect(first.stdout).toBe('');
    expect(first.stderr.match(/there are more/g)).toHaveLength(1);
    expect(first.stderr).toContain('the next run goes on');
    await ok(service.run(['index', 'refresh']));
    expect(await statusOf(service)).toMatchObject({ orders: 2_300, complete: true, gaps: 0 });
  });

  test('prints nothing with --quiet when all is well, but JSON for a script', async () => {
    await using shop = await startShop(ordersOf(30));
    const quiet = await ok(shop.run(['index', 'refresh', '--quiet']));
    expect([quiet.stdout, quiet.stderr]).toEqual(['', '']);
    expect((await ok(shop.run(['index', 'refresh', '--quiet', '--json']))).stdout).toContain('index_refresh');
  });
});

test('a build that a person stops says how far it came and how to go on', async () => {
  let page = 0;
  const stopped = Promise.withResolvers<void>();
  await using service = await startService({
    orders: ordersOf(2_300),
    onPage: () => {
      page += 1;
      if (page !== 4) return undefined;
      stopped.resolve();
      // It never answers.
      return () => undefined;
    },
  });
  const { home, env } = service;
  const running = startInMemory(['index', 'build', '--yes'], { home, env });
  await stopped.promise;
  running.signal('SIGINT');
  const { code, stderr } = await running.end;
  expect(code).toBe(130);
  expect(stderr).toContain('interrupted: build stopped');
  expect(stderr).toContain('orders are in the index; there are more');
  expect(stderr).toContain('paydesk index build --resume');
  await ok(service.run(['index', 'build', '--resume']));
  expect(await statusOf(service)).toMatchObject({ orders: 2_300, complete: true });
});

test('index status as a list writes its times as times', async () => {
  await using shop = await startShop(ordersOf(30));
  const { stdout } = await ok(shop.run(['index', 'status', '-o', 'list']));
  expect(stdout).toMatch(/^created_first: \d+ \w+ \d{4} \d\d:\d\d:\d\d UTC$/m);
});
