/** Plans over orders of a ledger, for tests of `refunds apply`. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Desk } from '../atmost/desk.ts';
import type { Ledger, LedgerOrder } from '../atmost/ledger.ts';
import type { Home } from '../harness/paydesk.ts';

/** How much of each order is refunded. */
const partAmount = 5000;

interface Place {
  readonly desk: Desk;
  readonly home: Home;
}

/** Plans a part of so many new orders, one row each, as `rows.plan` in the home folder. */
export function planOf({
  ledger,
  rows,
  ...place
}: Place & { readonly ledger: Ledger; readonly rows: number }): Promise<readonly LedgerOrder[]> {
  return planRows({ ...place, orders: addOrders(ledger, rows) });
}

/** Plans a part of each of these orders. */
export async function planRows({
  desk,
  home,
  orders,
}: Place & { readonly orders: readonly LedgerOrder[] }): Promise<readonly LedgerOrder[]> {
  const lines = orders.map(({ id }) => `${id},${partAmount}`);
  writeFileSync(join(home.path, 'rows.csv'), `order_id,amount\n${lines.join('\n')}\n`);
  const { code, stderr } = await desk.run(home, ['refunds', 'plan', 'rows.csv', '--to', 'rows.plan']);
  expect(code, stderr).toBe(0);
  return orders;
}

export function addOrders(ledger: Ledger, count: number, id?: string): readonly LedgerOrder[] {
  return Array.from({ length: count }, () => ledger.add('refund', undefined, id));
}
