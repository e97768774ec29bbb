/** Orders of one buyer in one moment, as of a cashier who types the same address for all: each is a twin of all others. */

import { expect, test } from 'vitest';
import { ledgerAndDesk } from '../atmost/desk.ts';
import { planRows } from './planned.ts';

const { ledger, desk } = await ledgerAndDesk();

test('of many possible twins three are shown, and the others are counted', async () => {
  using home = desk.newHome();
  const orders = Array.from({ length: 20 }, () => ledger.add('refund'));
  const customer_info = { name: 'Cashier', email: 'shop@example.com' };
  for (const order of orders) order.value = { ...order.value, customer_info };
  await planRows({ desk, home, orders });
  const { code, stderr } = await desk.run(home, ['refunds', 'apply', 'rows.plan', '--yes']);
  expect(code, stderr).toBe(0);
  const [line = ''] = stderr.split('\n').filter((one) => one.startsWith('note    line 2:'));
  expect(line.match(/same buyer and amount/g)).toHaveLength(4);
  expect(line).toContain('; 16 more orders of the same buyer and amount');
});
