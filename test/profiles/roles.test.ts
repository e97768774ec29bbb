/** The role of an account: what it does not allow is refused before an order is read, by every command and under every profile. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { captured, chargeOf, type Json, orderOf, refundedWhole } from '../harness/orders.ts';
import { paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeProfile } from '../harness/profile.ts';
import { inOneLine } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { type Service, startService, storeShop, testKey } from '../harness/service.ts';

const paid = orderOf('ord_1', [chargeOf('ch_1', 35_000)]);
const authorized = orderOf(
  'ord_2',
  [chargeOf('ch_2', 20_000, { status: 'pre_authorized', is_refundable: false, paid_at: null })],
  { payment_status: 'pre_authorized', is_refundable: false },
);

/** A service that refunds and captures, behind the profile `shop`, whose account has this role. */
async function startShop(role: string, mode: 'sandbox' | 'production' = 'sandbox'): Promise<Service> {
  const orders: readonly Json[] = [paid, authorized];
  const service = await startService({
    orders,
    mode,
    onPost: (order = {}, _, { url }) =>
      json(url.endsWith('/capture') ? captured(order) : refundedWhole(order)),
  });
  await storeShop(service.home, service, { role });
  return service;
}

const run = (service: Service, args: readonly string[], name = 'shop'): Promise<Ran> =>
  paydesk(['-p', name, ...args], { home: service.home, env: { TZ: 'UTC' } });

const changes: Readonly<Record<string, readonly string[]>> = {
  refund: ['orders', 'refund', 'ord_1', '--yes'],
  'refund of a part': ['orders', 'refund', 'ord_1', '--amount', '5', '--yes'],
  'refund in parts': ['orders', 'refund', 'ord_1', '--amount', '5', '--allocate', 'in-order', '--yes'],
  'refund tried': ['orders', 'refund', 'ord_1', '--dry-run'],
  plan: ['refunds', 'apply', 'r.plan', '--yes'],
  capture: ['orders', 'capture', 'ord_2', '--yes'],
  order: ['orders', 'create', '--currency', 'MXN', '--item', 'Mug:100:1', '--yes'],
  link: ['checkout', 'create', '--currency', 'MXN', '--item', 'Mug:100:1', '--yes'],
  api: ['api', 'POST', 'customers', '--field', 'name=x', '--yes'],
  'api that deletes': ['api', 'DELETE', 'customers/cus_1', '--yes'],
};
const refunds = ['refund', 'refund of a part', 'refund in parts', 'refund tried', 'plan'];

const refusedFor: Readonly<Record<string, readonly string[]>> = {
  viewer: Object.keys(changes),
  refunder: ['capture', 'order', 'link', 'api', 'api that deletes'],
  capturer: [...refunds, 'order', 'link', 'api', 'api that deletes'],
};

describe.each(Object.entries(refusedFor))('for a %s', (role, names) => {
  test.each(names)('%s is refused (3), and no order is read', async (name) => {
    await using service = await startShop('full');
    writeFileSync(join(service.home.path, 'r.csv'), 'order_id,amount\nord_1,5\n');
    expect(await run(service, ['refunds', 'plan', 'r.csv', '--to', 'r.plan'])).toMatchObject({ code: 0 });
    expect(await run(service, ['profile', 'set', 'shop', 'role', role])).toMatchObject({ code: 0 });
    const before = service.requests.length;
    const ran = await run(service, changes[name] ?? []);
    expect(ran.code, ran.stderr).toBe(3);
    expect(inOneLine(ran.stderr)).toContain(`the role of this account is ${role}, which may not`);
    expect(service.requests).toHaveLength(before);
  });
});

test('a refunder refunds, a capturer captures, and a viewer reads', async () => {
  await using refunder = await startShop('refunder');
  expect(await run(refunder, changes.refund ?? [])).toMatchObject({ code: 0 });
  await using capturer = await startShop('capturer');
  expect(await run(capturer, changes.capture ?? [])).toMatchObject({ code: 0 });
  await using viewer = await startShop('viewer');
  expect(await run(viewer, ['api', 'GET', 'orders'])).toMatchObject({ code: 0 });
  expect(await run(viewer, ['orders', 'list'])).toMatchObject({ code: 0 });
  expect(viewer.posts).toEqual([]);
});

test('it holds under a second profile of the account and with that of the environment', async () => {
  await using service = await startShop('viewer');
  await storeProfile(service.home, { name: 'other', baseUrl: service.url, mode: 'sandbox' }, testKey);
  expect(await run(service, changes.refund ?? [], 'other')).toMatchObject({ code: 3 });
  expect(await service.run(changes.refund ?? [])).toMatchObject({ code: 3 });
  expect(service.posts).toEqual([]);
});

test('no screen offers what the role does not allow', async () => {
  await using service = await startShop('viewer');
  const order = await run(service, ['orders', 'show', 'ord_1']);
  expect(order.stdout).not.toContain('orders refund');
  expect(order.stdout.split('\n')[0]).toContain('your role may not refund it');
  expect(order.stdout).toContain('the role of this account is viewer, which may not refund');
  const other = await run(service, ['orders', 'show', 'ord_2']);
  expect(other.stdout).not.toContain('orders capture');
  expect(other.stdout).toContain('which may not capture');
});

describe('another role', () => {
  test('that allows more is asked for: in a script it needs --yes (2)', async () => {
    await using service = await startShop('viewer');
    const ran = await run(service, ['profile', 'set', 'shop', 'role', 'refunder']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('would allow more: refunder instead of viewer');
    expect(await run(service, ['profile', 'set', 'shop', 'role', 'refunder', '--yes'])).toMatchObject({
      code: 0,
    });
  });

  test('that allows more in production is given by a person at a terminal only', async () => {
    await using service = await startShop('viewer', 'production');
    const line = ['profile', 'set', 'shop', 'role', 'full', '--yes'];
    expect(await run(service, line)).toMatchObject({ code: 3 });
    const person = sit(line, { home: service.home, env: { TZ: 'UTC' } });
    await person.answer('allow it? (y/N)', 'y\r');
    expect(await person.leaves).toMatchObject({ code: 0 });
  });

  test('help says where roles are told', async () => {
    await using service = await startShop('viewer');
    expect((await run(service, ['orders', 'refund', '--help'])).stdout).toContain(
      'Roles that may do it: paydesk help settings',
    );
    expect((await run(service, ['help', 'settings'])).stdout).toContain('viewer');
  });
});
