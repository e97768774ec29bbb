/** `index build`, `refresh`, `status` and `forget`: what they ask, read, keep and leave out, and how they exit. */

import { describe, expect, test } from 'vitest';
import { later } from '../harness/clock.ts';
import type { Json } from '../harness/orders.ts';
import { startInMemory } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { json } from '../harness/server.ts';
import { type Service, startService } from '../harness/service.ts';
import { idAt, ok, orderMadeNow, ordersOf, startShop, statusOf } from './shop.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe('index build', () => {
  test('shows what it keeps, where, and what protects it, and does nothing without a yes', async () => {
    await using service = await startService({ orders: ordersOf(30) });
    const { home, env } = service;
    const person = sit(['index', 'build'], { home, env });
    await person.answer('build this index of sandbox environment on this machine?', 'n\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(screen).toContain('keeps    of every order: id, customer, amounts, dates, status, refunds; and');
    expect(screen).toContain('.local/state/paydesk/index');
    expect(screen).toContain('keys.json');
    expect(screen).toMatch(/whoever\s+gets\s+the\s+key/);
    expect(service.requests).toHaveLength(0);
    expect((await service.run(['index', 'status'])).code).toBe(3);
    // Nothing is fed, either.
    await ok(service.run(['orders', 'list', '--all']));
    expect((await service.run(['index', 'status'])).code).toBe(3);
  });

  test('a script says --yes; with --dry-run nothing is read', async () => {
    await using service = await startService({ orders: ordersOf(30) });
    expect((await service.run(['index', 'build'])).code).toBe(2);
    expect((await service.run(['index', 'build', '--dry-run'])).code).toBe(0);
    expect(service.requests).toHaveLength(0);
    const built = await ok(service.run(['index', 'build', '--yes', '--json']));
    expect(JSON.parse(built.stdout)).toMatchObject({
      object: 'index',
      orders: 30,
      complete: true,
      newest_first: true,
      gaps: 0,
    });
  });

  test('a second one is refused, with the command that reads what is new', async () => {
    await using shop = await startShop(ordersOf(30));
    const again = await shop.run(['index', 'build', '--yes']);
    expect(again.code).toBe(3);
    expect(again.stderr).toContain('paydesk index refresh');
  });

  test('--max-rps keeps the requests apart', async () => {
    const times: number[] = [];
    await using service = await startService({
      orders: ordersOf(2_000),
      onGet: () => times.push(performance.now()),
    });
    await ok(service.run(['index', 'build', '--yes', '--max-rps', '10']));
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan((times.length - 1) * 90);
  });

  test('one that broke off goes on with --resume, and ends with the same orders as one that did not', async () => {
    const orders = ordersOf(2_300);
    await using whole = await startShop(orders);
    let page = 0;
    await using service = await startService({
      orders,
      onPage: () => {
        page += 1;
        return page === 4 || page === 7
          ? json({ object: 'error', type: 'broken', details: [] }, 422)
          : undefined;
      },
    });
    const first = await service.run(['index', 'build', '--yes']);
    expect(first.code).toBe(9);
    expect(first.stderr).toContain('750 orders are in the index; there are more');
    expect(first.stderr).toContain('paydesk index build --resume');
    expect((await service.run(['index', 'build', '--yes'])).code).toBe(3);
    expect((await service.run(['index', 'build', '--resume'])).code).toBe(9);
    await ok(service.run(['index', 'build', '--resume']));
    const alike = ({ orders: count, complete, newest_first, gaps, created_first, created_last }: Json) => ({
      count,
      complete,
      newest_first,
      gaps,
      created_first,
      created_last,
    });
    expect(alike(await statusOf(service))).toEqual(alike(await statusOf(whole)));
    const requests = service.requests.filter(({ url }) => url.includes('limit=250')).length;
    expect(requests).toBeLessThanOrEqual(14);
  });

  test('orders that were made during the build are in it', async () => {
    let made = 0;
    await using service = await startService({
      orders: ordersOf(1_500),
      onGet: (one) => {
        made += 1;
        if (made === 3)
          one.orders = [orderMadeNow('ord_meanwhile', { metadata: { t: 'mean-while' } }), ...one.orders];
      },
    });
    await ok(service.run(['index', 'build', '--yes']));
    expect(await statusOf(service)).toMatchObject({ orders: 1_501, complete: true });
  });
});

describe('index refresh', () => {
  test('reads what is new, exits 0, and reads again what is due', async () => {
    await using shop = await startShop(ordersOf(1_200));
    shop.orders = [orderMadeNow('ord_new1'), orderMadeNow('ord_new2'), ...shop.orders];
    const first = await ok(shop.run(['index', 'refresh', '--json']));
    expect(JSON.parse(first.stdout)).toMatchObject({
      object: 'index_refresh',
      added: 2,
      due: 0,
      complete: true,
      orders: 1_202,
    });
    const before = shop.requests.length;
    await ok(shop.run(['index', 'refresh'], { env: later(2 * hour) }));
    // The head, the tail, and the segment of the newest 3 days.
    const paths = shop.requests.slice(before).map(({ url }) => url);
    expect(paths.length).toBeGreaterThan(4);
    expect(paths.length).toBeLessThan(10);
  });

  test('with a budget it reads the longest overdue first, exits 9, and the next run goes on', async () => {
    await using shop = await startShop(ordersOf(3_000, { apart: 3_600 }));
    const env = later(40 * day);
    const before = shop.requests.length;
    const first = await shop.run(['index', 'refresh', '--max-requests', '5', '--json'], { env });
    expect(first.code).toBe(9);
    expect(shop.requests.length - before).toBeLessThanOrEqual(6);
    const { due } = JSON.parse(first.stdout) as { due: number };
    expect(due).toBeGreaterThan(0);
    let last = due;
    for (let runs = 0; runs < 12 && last > 0; runs += 1) {
      const next = await shop.run(['index', 'refresh', '--max-requests', '5', '--json'], { env });
      const left = (JSON.parse(next.stdout) as { due: number }).due;
      expect(left).toBeLessThanOrEqual(last);
      expect(next.code).toBe(left === 0 ? 0 : 9);
      last = left;
    }
    expect(last).toBe(0);
  });

  test('without an index it is refused with the command that builds one', async () => {
    await using service = await startService({ orders: ordersOf(3) });
    const ran = await service.run(['index', 'refresh']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('paydesk index build');
  });

  test('an order before a segment that is gone does not keep it from being read', async () => {
    await using shop = await startShop(ordersOf(2_200, { apart: 60 }));
    shop.orders = shop.orders.filter(({ id }) => id !== idAt(1_199) && id !== idAt(999));
    const ran = await shop.run(['index', 'refresh', '--json'], { env: later(2 * hour) });
    expect(JSON.parse(ran.stdout)).toMatchObject({ due: 0, orders: 2_198 });
    expect(ran.code).toBe(0);
  });

  test('15 two at once: one reads, the other is refused; a search waits for neither', async () => {
    const orders = ordersOf(2_000);
    let hold: Promise<void> | undefined;
    await using service = await startService({
      orders,
      onPage: ({ url }) => {
        const waiting = hold;
        if (waiting === undefined || !url.includes('limit=250')) return undefined;
        return (request, response, socket) => {
          void waiting.then(() => pagesOf(service)(request, response, socket));
        };
      },
    });
    await ok(service.run(['index', 'build', '--yes']));
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    const { home, env } = service;
    const before = service.requests.length;
    const first = startInMemory(['index', 'refresh'], { home, env: { ...env, ...later(2 * hour) } });
    await service.server.waitFor(before + 1);
    const second = await service.run(['index', 'refresh'], { env: later(2 * hour) });
    expect(second.code).toBe(3);
    expect(second.stderr).toMatch(/paydesk index refresh of .* is at work on this index/);
    const found = await service.run(['orders', 'find', 'REF-1500', '--ndjson']);
    expect(found.stdout).toContain(idAt(1_500));
    resolve();
    expect((await first.end).code).toBe(0);
    expect(await statusOf(service)).toMatchObject({ orders: 2_000, complete: true });
  });
});

function pagesOf(service: Service) {
  return (...exchange: Parameters<ReturnType<typeof json>>) => {
    const { searchParams } = new URL(exchange[0].url, 'http://service');
    const at = service.orders.findIndex(({ id }) => id === searchParams.get('next')) + 1;
    const limit = Number(searchParams.get('limit'));
    const data = service.orders.slice(at, at + limit);
    return json({ object: 'list', has_more: at + limit < service.orders.length, data })(...exchange);
  };
}

describe('14 what was forgotten stays forgotten', () => {
  test('a buyer, at the next walk and in new orders', async () => {
    await using shop = await startShop(ordersOf(900));
    const before = await statusOf(shop);
    const asked = await shop.run(['index', 'forget', '--buyer', 'buyer7@example.com']);
    expect(asked.code).toBe(2);
    const forgot = await ok(
      shop.run(['index', 'forget', '--buyer', 'buyer7@example.com', '--yes', '--json']),
    );
    expect(JSON.parse(forgot.stdout)).toMatchObject({ forgotten_orders: 3 });
    shop.orders = [
      orderMadeNow('ord_again', { customer_info: shop.orders[7]?.customer_info }),
      ...shop.orders,
    ];
    await ok(shop.run(['orders', 'export']));
    await ok(shop.run(['index', 'refresh'], { env: later(30 * day) }));
    expect(await statusOf(shop)).toMatchObject({ orders: Number(before.orders) + 1, forgotten: 4 });
    const miss = await shop.run(['orders', 'find', 'buyer7@example.com', '--ndjson']);
    // The newest page is read live, so the new one shows there.
    expect(miss.stdout.match(/"id":"ord_\w+"/g)?.filter((id) => id.includes(idAt(407)))).toEqual([]);
    const none = await shop.run(['orders', 'find', 'cus_buyer407nothing']);
    expect(none.code).toBe(9);
    expect(none.stderr).toContain('4 orders in the index were forgotten');
    const live = await ok(shop.run(['orders', 'find', 'buyer7@example.com', '--live', '--ndjson']));
    expect(live.stdout).toContain(idAt(407));
  });

  test('a buyer that nobody knows', async () => {
    await using shop = await startShop(ordersOf(20));
    expect((await shop.run(['index', 'forget', '--buyer', 'nobody@example.com', '--yes'])).code).toBe(5);
  });

  test('orders before a date', async () => {
    const orders = ordersOf(1_500, { apart: 3_600 });
    await using shop = await startShop(orders);
    await ok(shop.run(['index', 'forget', '--before', '30d', '--yes']));
    const { orders: kept } = await statusOf(shop);
    expect(kept).toBeGreaterThan(700);
    expect(kept).toBeLessThan(725);
    await ok(shop.run(['orders', 'export']));
    await ok(shop.run(['index', 'refresh'], { env: later(2 * hour) }));
    expect((await statusOf(shop)).orders).toBe(kept);
    const miss = await shop.run(['orders', 'find', 'REF-1400']);
    expect(miss.code).toBe(9);
    expect(miss.stderr).toContain('are not in the index');
    expect(miss.stderr).toContain('paydesk orders find REF-1400 --live');
    expect((await shop.find('REF-400')).ids).toEqual([idAt(400)]);
  });

  test('--all erases the index and its key, and no walk makes it anew', async () => {
    await using shop = await startShop(ordersOf(50));
    const erased = await ok(shop.run(['index', 'forget', '--all', '--yes', '--json']));
    expect(JSON.parse(erased.stdout)).toMatchObject({ erased: true });
    await ok(shop.run(['orders', 'list', '--all']));
    expect((await shop.run(['index', 'status'])).code).toBe(3);
    expect(
      JSON.parse((await ok(shop.run(['index', 'forget', '--all', '--yes', '--json']))).stdout),
    ).toMatchObject({ erased: false });
  });

  test('nothing to forget is a usage error', async () => {
    await using shop = await startShop(ordersOf(5));
    expect((await shop.run(['index', 'forget'])).code).toBe(2);
    expect((await shop.run(['index', 'forget', '--all', '--buyer', 'x'])).code).toBe(2);
  });
});

describe('settings', () => {
  const env = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
  const set = (service: Service, name: string, value: string) =>
    ok(service.run(['profile', 'set', 'shop', name, value], { env }));

  test('index.fields: what is not kept is not in the index, and a miss says so; fewer fields count from the next refresh on', async () => {
    const { storeShop } = await import('../harness/service.ts');
    await using service = await startService({ orders: ordersOf(300) });
    await storeShop(service.home, service, { 'index.fields': 'card,reference,email' });
    const run = (...args: readonly string[]) => service.run(['-p', 'shop', ...args], { env });
    await ok(run('index', 'build', '--yes'));
    const before = service.requests.length;
    expect((await ok(run('orders', 'find', 'REF-200', '--ndjson'))).stdout).toContain(idAt(200));
    const miss = await run('orders', 'find', 'torres');
    expect(miss.code).toBe(0);
    expect(miss.stderr).toContain(
      'the index does not hold: name, phone, auth, item, metadata (index.fields)',
    );
    expect(service.requests.length - before).toBeLessThan(8);
    await set(service, 'index.fields', 'reference');
    await ok(run('index', 'refresh'));
    const status = JSON.parse((await ok(run('index', 'status', '--json'))).stdout) as Json;
    expect(status.fields).toBe('reference');
    expect((await run('orders', 'find', 'buyer200@example.com')).code).toBe(9);
  });

  test('index.keep: a build reads no further, and a refresh drops what is too old', async () => {
    const { storeShop } = await import('../harness/service.ts');
    await using service = await startService({ orders: ordersOf(3_000, { apart: 3_600 }) });
    await storeShop(service.home, service, { 'index.keep': '20d' });
    const run = (...args: readonly string[]) => service.run(['-p', 'shop', ...args], { env });
    await ok(run('index', 'build', '--yes'));
    expect(service.requests.length).toBeLessThan(8);
    const kept = JSON.parse((await ok(run('index', 'status', '--json'))).stdout) as {
      orders: number;
      complete: boolean;
    };
    expect(kept.orders).toBeGreaterThan(470);
    expect(kept.orders).toBeLessThan(490);
    expect(kept.complete).toBe(true);
    expect((await run('orders', 'find', 'REF-2000')).code).toBe(9);
    await set(service, 'index.keep', '10d');
    await ok(run('index', 'refresh'));
    const fewer = JSON.parse((await ok(run('index', 'status', '--json'))).stdout) as { orders: number };
    expect(fewer.orders).toBeLessThan(250);
  });
});

describe('every walk feeds it', () => {
  test.each([
    ['orders list', ['orders', 'list', '--limit', '10'], 1],
    ['orders list --all', ['orders', 'list', '--all', '--limit', '100'], 1],
    ['orders find --live', ['orders', 'find', 'nobody', '--live'], 1],
    ['orders export', ['orders', 'export'], 1],
    ['orders list in the middle', ['orders', 'list', '--limit', '20', '--next', idAt(290)], 0],
    ['orders list backwards', ['orders', 'list', '--limit', '20', '--previous', idAt(290)], 0],
  ])('%s', async (_name, args, added) => {
    await using shop = await startShop(ordersOf(600));
    const changed = shop.orders.map((order) =>
      order.id === idAt(300) ? { ...order, metadata: { t: 'just-seen' } } : order,
    );
    shop.orders = [orderMadeNow('ord_fresh', { metadata: { t: 'fresh-one' } }), ...changed];
    await shop.run(args);
    expect(await statusOf(shop)).toMatchObject({ orders: 600 + added, gaps: 0, complete: true });
    if (!args.includes('10') && !args.includes('--previous'))
      expect((await shop.find('just-seen')).ids).toEqual([idAt(300)]);
  });
});

test('a search with filters reads only what may pass', async () => {
  await using shop = await startShop(ordersOf(900));
  const { ids, sent } = await shop.find('REF-8', '--min-amount', '1', '--status', 'paid');
  expect(ids.length).toBeGreaterThan(10);
  expect(sent).toBeLessThanOrEqual(8);
});
