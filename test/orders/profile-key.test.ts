/** `profile key`: a new key is tried on an order of the profile, which the journal knows when no check remembered one. */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { storeProfile as store } from '../harness/profile.ts';
import { json, startServer } from '../harness/server.ts';
import { startService, storeShop, testKey } from '../harness/service.ts';

const orders = [orderOf('ord_1', [chargeOf('ch_1', 700)]), orderOf('ord_2', [chargeOf('ch_2', 900)])];
const refusal = json({ object: 'error', type: 'processing_error', details: [] }, 422);

test.each([
  ['and the new key sees it', orders, true, 'the new key sees an order that this profile saw before: ord_2'],
  [
    'and the new key does not',
    orders.slice(0, 1),
    false,
    'the new key does not see an order of this profile',
  ],
])('an order of the journal is looked for, %s', async (_what, left, sees, says) => {
  using home = newHome();
  await using service = await startService({ orders, onPost: () => refusal });
  await storeShop(home, service);
  const refund = await paydesk(['-p', 'shop', 'orders', 'refund', 'ord_2', '--yes'], { home });
  expect(refund.code).toBe(5);
  service.orders = left;
  const ran = await paydesk(['profile', 'key', 'shop', '--key-stdin', '--json'], {
    home,
    input: 'key_test_another_one',
  });
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ known_order: 'ord_2', sees_known_order: sees });
  expect(ran.stderr).toContain(says);
});

test('where nothing was sent yet it is not known whether the new key reaches the same account', async () => {
  using home = newHome();
  await using service = await startService({ orders });
  await storeShop(home, service);
  const ran = await paydesk(['profile', 'key', 'shop', '--key-stdin', '--json'], {
    home,
    input: 'key_test_another_one',
  });
  expect(JSON.parse(ran.stdout)).toMatchObject({ known_order: null, sees_known_order: null });
  expect(ran.stderr).toContain('paydesk profile check shop');
});

const keyOf = (home: Home) => readFileSync(join(home.path, '.config', 'paydesk', 'keys.json'), 'utf8');

test('a key that the service refuses does not replace one that works', async () => {
  using home = newHome();
  await using server = await startServer((request, response, socket) =>
    request.headers.authorization === `Bearer ${testKey}`
      ? json({ object: 'list', has_more: false, data: orders })(request, response, socket)
      : json({ object: 'error', type: 'authentication_error', details: [] }, 401)(request, response, socket),
  );
  await storeAt(home, server.url);
  const ran = await paydesk(['profile', 'key', 'shop', '--key-stdin'], {
    home,
    input: 'key_test_mistyped',
  });
  expect(ran).toMatchObject({ code: 4, stdout: '' });
  expect(ran.stderr).toContain('certain: the old key of profile shop is kept');
  expect(keyOf(home)).toContain(testKey);
  expect(keyOf(home)).not.toContain('mistyped');
  expect((await paydesk(['-p', 'shop', 'orders', 'list'], { home })).code).toBe(0);
});

test('a key that cannot be tried does not replace one that may work', async () => {
  using home = newHome();
  await storeAt(home, 'http://127.0.0.1:9');
  const ran = await paydesk(['profile', 'key', 'shop', '--key-stdin'], { home, input: 'key_test_untried' });
  expect(ran).toMatchObject({ code: 6, stdout: '' });
  expect(ran.stderr).toContain('certain: the old key of profile shop is kept');
  expect(ran.stderr).toContain('then again: paydesk profile key shop');
  expect(keyOf(home)).toContain(testKey);
});

test('where no key is kept, the new one is, whether or not it can be tried', async () => {
  using home = newHome();
  await storeAt(home, 'http://127.0.0.1:9');
  rmSync(join(home.path, '.config', 'paydesk', 'keys.json'));
  const ran = await paydesk(['profile', 'key', 'shop', '--key-stdin'], { home, input: 'key_test_first' });
  expect(ran.code).toBe(0);
  expect(keyOf(home)).toContain('key_test_first');
});

const storeAt = (home: Home, baseUrl: string): Promise<void> =>
  store(home, { name: 'shop', baseUrl, mode: 'sandbox' }, testKey);
