import { expect, test } from 'vitest';
import { startLedger } from './ledger.ts';

test('a refund through the sender is made once, and every screen says by whom and from which desk', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana', 'operator', 'desk-4');
  const ran = await ana.run([
    '-p',
    'shop',
    'orders',
    'refund',
    'ord_A1',
    '--amount',
    '300',
    '--yes',
    '--note',
    'ticket 1',
  ]);
  console.log(ran);
  expect(ledger.posts('ord_A1')).toBe(1);
  console.log(await ana.run(['-p', 'shop', 'journal', 'list']));
  console.log(await ana.run(['-p', 'shop', 'orders', 'show', 'ord_A1']));
  console.log(await ana.run(['-p', 'shop', 'today']));
  console.log(ledger.service.requests.map(({ method, url }) => `${method} ${url}`));
});
