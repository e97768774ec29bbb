/** What a script did not say is named at once: what the command needs first, the flag that says yes last. */

import { expect, test } from 'vitest';
import { inProduction, paidOrder } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { startService, storeShop } from '../harness/service.ts';

const add = 'add it to the command:';

test.each<readonly [line: string, missing: string, now: string, ...whole: readonly string[]]>([
  ['orders refund', 'ID, --yes', 'paydesk orders refund --help', 'paydesk -p demo orders refund ID --yes'],
  ['orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1 --amount 5', '--yes', `${add} --yes`],
  ['orders capture', 'ID, --yes', 'paydesk orders capture --help', 'paydesk -p demo orders capture ID --yes'],
  ['orders create --currency MXN', '--item, --yes', 'paydesk orders create --help'],
  ['orders create --body sale.json', '--yes', `${add} --yes`],
  ['checkout create', '--name, --item, --currency, --yes', 'paydesk checkout create --help'],
  ['api POST charges', '--yes', `${add} --yes`],
])('%s --no-input: missing %s', async (line, missing, now, ...whole) => {
  using home = newHome();
  const ran = await paydesk(['-p', 'demo', ...line.split(' '), '--no-input', '--json'], { home });
  expect(ran.code).toBe(2);
  expect(JSON.parse(ran.stderr)).toMatchObject({
    message: `missing ${missing}: no terminal to ask on`,
    now: [...whole, now],
  });
});

test.each<readonly [line: string, missing: string, now: string, ...whole: readonly string[]]>([
  [
    'orders refund --yes',
    'ID, --reason, --confirm ID',
    'paydesk orders refund --help',
    'paydesk -p shop orders refund ID --reason REASON --confirm ID',
  ],
  ['orders capture ord_1 --yes', '--confirm ID', `${add} --confirm ord_1`],
  ['orders create --item A:1:1 --currency MXN', '--confirm PROFILE', `${add} --confirm shop`],
])('in production, %s: missing %s', async (line, missing, now, ...whole) => {
  using home = newHome();
  const authorized = paidOrder('ord_1', { payment_status: 'pre_authorized', amount_refunded: null });
  await using service = await startService({ orders: [inProduction(authorized)], mode: 'production' });
  await storeShop(home, service, { 'refund.require': 'reason' });
  const ran = await paydesk(['-p', 'shop', ...line.split(' '), '--json'], { home });
  expect(ran.code).toBe(2);
  expect(JSON.parse(ran.stderr)).toMatchObject({
    message: `missing ${missing}: in production --yes alone is not enough`,
    now: [...whole, now],
  });
  expect(service.posts).toEqual([]);
});
