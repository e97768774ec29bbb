/** `profile key`: a new key is tried on an order of the profile, which the journal knows when no check remembered one. */

import { expect, test } from 'vitest';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { json } from '../harness/server.ts';
import { chargeOf, orderOf, startService, storeProfile } from './service.ts';

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
  await storeProfile(home, service);
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
  await storeProfile(home, service);
  const ran = await paydesk(['profile', 'key', 'shop', '--key-stdin', '--json'], {
    home,
    input: 'key_test_another_one',
  });
  expect(JSON.parse(ran.stdout)).toMatchObject({ known_order: null, sees_known_order: null });
  expect(ran.stderr).toContain('paydesk profile check shop');
});
