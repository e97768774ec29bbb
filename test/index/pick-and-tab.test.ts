/** Others who use the index: the question which order, customers, and TAB. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { customerOf } from '../harness/orders.ts';
import { paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';
import { idAt, nameAt, ok, ordersOf, startShop } from './shop.ts';

describe('orders refund asks which order', () => {
  test('an order far back is found with few requests, and can be chosen', async () => {
    await using shop = await startShop(ordersOf(3_000));
    const { home, env } = shop;
    const before = shop.requests.length;
    const person = sit(['orders', 'refund', '--dry-run', '--reason', 'other', '--note', 'x'], { home, env });
    await person.waitFor('Which order?');
    person.type('REF-2800');
    await person.waitFor('1 found in all 3000 orders');
    person.type('\r');
    await person.waitFor(idAt(2_800));
    person.type('\r');
    await person.waitFor(/dry|would/);
    const { screen } = await person.leaves;
    expect(screen).toContain(idAt(2_800));
    const paths = shop.requests.slice(before).map(({ url }) => url);
    // The newest page, the order, and what a refund reads.
    expect(paths.filter((path) => path.includes('limit=250'))).toHaveLength(1);
  });

  test('more words narrow what was found; the newest come first, older ones when somebody moves past them', async () => {
    await using shop = await startShop(ordersOf(3_000));
    const { home, env } = shop;
    const person = sit(['orders', 'refund', '--dry-run'], { home, env });
    await person.waitFor('Which order?');
    const [first = ''] = nameAt(0).split(' ');
    person.type(first);
    await person.waitFor(/300 found in all 3000 orders; \d+ older ones/);
    person.type(' REF-2960');
    await person.waitFor('1 found in all 3000 orders');
    person.type('\x03');
    expect((await person.leaves).code).toBe(130);
  });

  test('an index that does not open is a warning; orders are picked as without one', async () => {
    await using shop = await startShop(ordersOf(400));
    const { home, env } = shop;
    writeFileSync(join(home.path, '.config/paydesk/keys.json'), JSON.stringify({ version: 1, keys: [] }));
    const person = sit(['orders', 'refund', '--dry-run'], { home, env });
    await person.waitFor('Which order?');
    person.type('REF-380');
    await person.waitFor('1 found in all 400 orders');
    person.type('\x03');
    const { screen } = await person.leaves;
    expect(screen).toContain('the index is not used');
  });
});

describe('customers', () => {
  const customers = Array.from({ length: 700 }, (_, index) =>
    customerOf(`cus_buyer${index}`, {
      name: nameAt(index),
      email: `buyer${index}@example.com`,
      custom_reference: `K-${index}`,
    }),
  );
  const start = (): Promise<Service> => startService({ orders: ordersOf(900), customers });

  test('customers find: by name, e-mail, reference and a part of the id, in any script', async () => {
    await using service = await start();
    const ids = async (...words: readonly string[]) =>
      (
        await ok(service.run(['customers', 'find', ...words, '--csv', '--no-header', '--columns', 'id']))
      ).stdout
        .trim()
        .split('\n');
    expect(await ids('buyer650@example.com')).toEqual(['cus_buyer650']);
    expect(await ids('k-650')).toEqual(['cus_buyer650']);
    expect(await ids('muñoz', 'jose')).toContain('cus_buyer11');
    expect(await ids('王小')).toContain('cus_buyer12');
  });

  test('customers find: a miss exits 5 after all were read, 9 at the bound, with the command that goes on', async () => {
    await using service = await start();
    const all = await service.run(['customers', 'find', 'nobody-at-all']);
    expect(all.code).toBe(5);
    expect(all.stderr).toContain('no match for "nobody-at-all" in 700 customers');
    const part = await service.run(['customers', 'find', 'nobody-at-all', '--max', '300']);
    expect(part.code).toBe(9);
    expect(part.stderr).toContain('paydesk customers find nobody-at-all --max 300 --next cus_buyer299\n');
    const found = await ok(service.run(['customers', 'find', 'torres', '--max', '300']));
    expect(found.stderr).toContain(
      'further customers: paydesk customers find torres --max 300 --next cus_buyer299',
    );
  });

  test('customers show lists the newest orders of the index, read just now; without one it says how to find them', async () => {
    await using service = await start();
    const without = await ok(service.run(['customers', 'show', 'cus_buyer7']));
    expect(without.stdout).toContain(
      'orders, with what was paid and what went back:\n  paydesk orders find --customer buyer7@example.com\n',
    );
    await ok(service.run(['index', 'build', '--yes']));
    service.orders = service.orders.map((order) =>
      order.id === idAt(407) ? { ...order, payment_status: 'refunded' } : order,
    );
    const shown = await ok(service.run(['customers', 'show', 'cus_buyer7']));
    for (const at of [7, 407, 807]) expect(shown.stdout).toContain(idAt(at));
    expect(shown.stdout).toMatch(new RegExp(`refunded .*${idAt(407)}`));
    expect(shown.stdout).not.toContain(idAt(8));
  });

  test('customers show writes amounts with the declared decimals', async () => {
    const orders = ordersOf(1).map((order) => ({
      ...order,
      amount: 16_000,
      customer_info: { object: 'customer_info', customer_id: 'cus_buyer7' },
    }));
    await using service = await startService({ orders, customers });
    await storeShop(service.home, service, { 'amounts.decimals.USD': '2' });
    const env = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '', PAYDESK_PROFILE: 'shop' };
    await ok(service.run(['index', 'build', '--yes'], { env }));
    const { stdout } = await ok(service.run(['customers', 'show', 'cus_buyer7'], { env }));
    expect(stdout).toContain('16000 USD (160.00)');
  });

  test('customers show names the search that finds all orders: by e-mail, and by id where an order has another e-mail', async () => {
    const [own, guest, other] = ordersOf(3).map((order, index) => ({
      ...order,
      customer_info: {
        object: 'customer_info',
        email: index === 2 ? 'old@example.com' : 'buyer7@example.com',
        ...(index === 1 ? {} : { customer_id: 'cus_buyer7' }),
      },
    }));
    for (const [orders, commands] of [
      [[own, guest], ['buyer7@example.com']],
      [
        [own, guest, other],
        ['buyer7@example.com', 'cus_buyer7'],
      ],
    ] as const) {
      await using service = await startService({ orders: orders.flatMap((one) => one ?? []), customers });
      await ok(service.run(['index', 'build', '--yes']));
      const { stdout } = await ok(service.run(['customers', 'show', 'cus_buyer7']));
      const lines = commands.map((name) => `  paydesk orders find --customer ${name}\n`).join('');
      expect(stdout).toContain(
        `${orders.length} in the index; all orders of this customer, with their sums:\n${lines}`,
      );
      expect(stdout.endsWith(lines)).toBe(true);
      const masked = await ok(service.run(['customers', 'show', 'cus_buyer7', '--redact']));
      expect(masked.stdout).not.toContain('buyer7@');
    }
  });
});

describe('TAB', () => {
  const env = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };

  test('offers orders of the index that begin so, for a stored profile and the demo, and sends nothing', async () => {
    await using service = await startService({ orders: ordersOf(1_200) });
    const { home } = service;
    await storeShop(home, service);
    const tab = async (...words: readonly string[]) =>
      (await paydesk(['__complete', 'zsh', String(words.length - 1), ...words], { home })).stdout;
    expect(await tab('-p', 'shop', 'orders', 'show', idAt(1_100).slice(0, 9))).toBe('');
    await ok(service.run(['-p', 'shop', 'index', 'build', '--yes'], { env }));
    await ok(service.run(['-p', 'demo', 'index', 'build', '--yes'], { env }));
    const before = service.requests.length;
    const wanted = Array.from({ length: 1_200 }, (_, index) => idAt(index)).filter((id) =>
      id.startsWith(idAt(1_100).slice(0, 7)),
    );
    const offered = (await tab('-p', 'shop', 'orders', 'show', idAt(1_100).slice(0, 7))).trim().split('\n');
    expect(offered).toEqual(wanted);
    expect((await tab('-p', 'shop', 'orders', 'show', '')).trim().split('\n')).toHaveLength(50);
    expect(await tab('-p', 'demo', 'orders', 'refund', 'ord_2tQ7zRk9')).toContain('ord_2tQ7zRk9PwE5xNvAm');
    expect(service.requests.length - before).toBe(0);
  });

  test('offers nothing of an index that does not open', async () => {
    await using service = await startService({ orders: ordersOf(50) });
    const { home } = service;
    await storeShop(home, service);
    await ok(service.run(['-p', 'shop', 'index', 'build', '--yes'], { env }));
    writeFileSync(join(home.path, '.config/paydesk/keys.json'), '{');
    const { code, stdout, stderr } = await paydesk(
      ['__complete', 'zsh', '4', '-p', 'shop', 'orders', 'show', 'ord_'],
      { home },
    );
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
