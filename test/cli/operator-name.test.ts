/** The name of whoever runs paydesk: it stands in the journal as a name, and never reads as an approval or an agent. */

import { expect, test } from 'vitest';
import { chargeOf, orderOf, refundedWhole } from '../harness/orders.ts';
import { paydesk, startInMemory } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { startSender } from '../harness/sender.ts';
import { json } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';

async function startShop(): Promise<Service> {
  const service = await startService({
    orders: [orderOf('ord_1', [chargeOf('ch_1', 35_000)])],
    onPost: (order = {}) => json(refundedWhole(order)),
  });
  await storeShop(service.home, service);
  return service;
}

const refund = ['-p', 'shop', 'orders', 'refund', 'ord_1', '--yes'];

test.each([
  'ana, approved by lea, released by lea with a security key',
  'agent helper for root',
  'ana approved b\u0443 lea',
  '(lea approves)',
  'agent',
  'Sender',
  'r_7f3k2m9q',
  "'",
  'ana  lea',
  'ana (approved-by lea) (released-by lea)',
  'lea (released with a security key)',
  'agent helper f\u043er ana',
  'ana\u00a0approved',
  'ana\u200b',
  ' ana',
  'a'.repeat(65),
])('PAYDESK_OPERATOR %j is refused (2), and nothing is sent', async (name) => {
  await using service = await startShop();
  const ran = await paydesk(refund, { home: service.home, env: { PAYDESK_OPERATOR: name } });
  expect(ran.code, ran.stderr).toBe(2);
  expect(inOneLine(ran.stderr)).toContain("at most 64 letters of one script, digits, blanks and . _ - ' @");
  expect(service.requests).toEqual([]);
});

const operatorIn = async ({ home }: Service): Promise<unknown> =>
  JSON.parse((await paydesk(['-p', 'shop', 'journal', 'list', '--json'], { home })).stdout).data[0].operator;

test.each([
  ['Ana María López', 'Ana_María_López'],
  ["O'Brien", "O'Brien"],
  ['op7@shop.example', 'op7@shop.example'],
  ['Анна Петрова', 'Анна_Петрова'],
  ['aprobado por lea', 'aprobado_por_lea'],
  ['77', '77'],
])('PAYDESK_OPERATOR %s is one word in the journal: %s', async (given, name) => {
  await using service = await startShop();
  const ran = await paydesk(refund, { home: service.home, env: { PAYDESK_OPERATOR: given } });
  expect(ran.code, ran.stderr).toBe(0);
  expect(await operatorIn(service)).toBe(name);
});

test('the name of the system user and that of an agent are one word in the journal, whatever they are', async () => {
  await using service = await startShop();
  const env = { PAYDESK_AGENT: 'helper for root, approved by lea' };
  const { home } = service;
  const { code, stderr } = await startInMemory(
    refund,
    { home, env },
    { userName: 'SHOP\\ana, approved by lea' },
  ).end;
  expect(code, stderr).toBe(0);
  expect(await operatorIn(service)).toBe(
    'agent helper_for_root_approved_by_lea for SHOP_ana_approved_by_lea',
  );
});

test('a member who is invited has a name of the letters a to z: one with a letter that looks like them is refused (2)', async () => {
  await using service = await startShop();
  await using sender = await startSender({ url: service.url });
  const invite = (name: string) => sender.run(['sender', 'invite', name, '--role', 'viewer', '--allow-root']);
  const ran = await invite('le\u0430');
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('take the letters a to z');
  expect((await invite('lea')).code).toBe(0);
});
