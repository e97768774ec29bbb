/** Orders of one buyer in one moment, as of a cashier who types the same address for all: each is a twin of all others. */

import { expect, test } from 'vitest';
import { ledgerAndDesk } from '../atmost/desk.ts';
import { planRows } from './planned.ts';

const { ledger, desk } = await ledgerAndDesk();

test('of many possible twins three are shown, and the others are counted', async () => {
  using home = desk.newHome();
  const orders = Array.from({ length: 20 }, () => ledger.add('refund'));
  await planRows({ desk, home, orders });
  const { code, stderr } = await desk.run(home, ['refunds', 'apply', 'rows.plan', '--yes']);
  expect(code, stderr).toBe(0);
  const [line = ''] = stderr.split('\n').filter((one) => one.startsWith('note    line 2:'));
  expect(line.match(/same buyer and amount/g)).toHaveLength(4);
  // Each order of the ledger has two neighbours of the same buyer.
  expect(line).toContain('; 56 more orders of the same buyer and amount');
});
