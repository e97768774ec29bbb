/** What a service says, or does not say, of the very money that is asked for stops a refund before it is sent. */

import { describe, expect, test } from 'vitest';
import { chargeOf, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { startService, storeShop } from '../harness/service.ts';
import { startRefunds } from '../refunds/refund-service.ts';

const locked = chargeOf('ch_1', 35000, { is_refundable: false });
const lockedInPart = chargeOf('ch_1', 35000, {
  is_refundable: false,
  status: 'partially_refunded',
  refunds: listOf(refundOf('rf_1', 12000)),
});

describe('the only charge says is_refundable false, and its order true', () => {
  test.each([
    ['a part of it', locked, ['--amount', '300']],
    ['the rest of it', lockedInPart, ['--again', 'rf_1']],
    ['a part of it by its number', locked, ['--amount', '300', '--charge', '1']],
  ])('%s is refused: exit 3, nothing is sent', async (_name, charge, words) => {
    using home = newHome();
    await using service = await startService({
      orders: [orderOf('ord_1', [charge], { amount_refunded: charge === lockedInPart ? 12000 : 0 })],
    });
    const ran = await paydesk(['orders', 'refund', 'ord_1', '--yes', ...words], { home, env: service.env });
    expect({ code: ran.code, posts: service.posts }, ran.stderr).toEqual({ code: 3, posts: [] });
    expect(ran.stderr).toContain('charge 1 (*4242) of ord_1 is not refundable (is_refundable false)');
  });
});

test('where another charge is not refundable, the figures of the order say so and add up', async () => {
  const charges = [chargeOf('ch_1', 35000), chargeOf('ch_2', 17000, { is_refundable: false })];
  await using service = await startRefunds([orderOf('ord_1', charges)]);
  const refund = (...words: readonly string[]) => service.run(['orders', 'refund', 'ord_1', ...words]);

  const preview = await refund('--charge', '1', '--amount', '500', '--dry-run');
  expect(preview.stderr + preview.stdout).toMatch(
    /paid +35000 +52000\n.*\n +cannot be refunded +0 +-17000 +charge 2\n +THIS REFUND +-500 +-500.*\n +left afterwards +34500 +34500\n/,
  );
  const unknown = await refund('--charge', '3', '--yes');
  expect(unknown.stderr).toContain('charge 2 *4242 ch_2: the service says that it is not refundable\n');
  const made = await refund('--charge', '1', '--amount', '500', '--yes');
  expect(made.stdout).toContain('500 refunded of 52000; 34500 left, 17000 cannot be refunded (charge 2)');
});

test.each([
  ['the whole order', []],
  ['one charge of it', ['--charge', '2']],
  ['a part of a charge', ['--charge', '1', '--amount', '50']],
])(
  'the order says is_refundable false: %s is refused, exit 3, with --dry-run too, nothing is sent',
  async (_name, words) => {
    using home = newHome();
    await using service = await startService({
      orders: [orderOf('ord_1', [chargeOf('ch_1', 700), chargeOf('ch_2', 300)], { is_refundable: false })],
    });
    for (const how of ['--yes', '--dry-run']) {
      const ran = await paydesk(['orders', 'refund', 'ord_1', how, ...words], { home, env: service.env });
      expect({ code: ran.code, posts: service.posts }, ran.stderr).toEqual({ code: 3, posts: [] });
      expect(ran.stderr).toContain('the service says that ord_1 is not refundable (is_refundable false)');
    }
  },
);

test('an order that shows no currency is refused where the profile has a limit of any: exit 3, nothing is sent (F46)', async () => {
  using home = newHome();
  const { currency: _, ...order } = orderOf('ord_1', [chargeOf('ch_1', 35000, { currency: null })]);
  await using service = await startService({ orders: [order] });
  await storeShop(home, service, { 'refund.max_amount.MXN': '100' });
  const ran = await paydesk(['-p', 'shop', 'orders', 'refund', 'ord_1', '--yes'], { home });
  expect({ code: ran.code, posts: service.posts }, ran.stderr).toEqual({ code: 3, posts: [] });
  expect(ran.stderr).toContain('ord_1 does not show its currency, and this account has limits');
});

test('a paid order that the service calls not refundable says so in lists, where `paid` would not', async () => {
  using home = newHome();
  const orders = [
    orderOf('ord_1', [chargeOf('ch_1', 900)], { payment_status: 'paid', is_refundable: false }),
    orderOf('ord_2', [chargeOf('ch_2', 900)], { payment_status: 'paid' }),
  ];
  await using service = await startService({ orders });
  const { stdout } = await paydesk(['orders', 'list'], { home, env: service.env, columns: 120 });
  expect(stdout).toMatch(/^ord_1 .* not refundable /m);
  expect(stdout).toMatch(/^ord_2 .* paid /m);
  const json = await paydesk(['orders', 'list', '--json'], { home, env: service.env });
  expect(JSON.parse(json.stdout).data[0]).toMatchObject({ payment_status: 'paid', is_refundable: false });
});
