/** `--max-rps`: a batch makes no more requests per second, reads and refunds together, than it was told. */

import { expect, test } from 'vitest';
import { ledgerAndDesk } from '../atmost/desk.ts';
import { json } from '../harness/server.ts';
import { planOf } from './planned.ts';

const { ledger, desk } = await ledgerAndDesk();

test.each([1, 4])('--max-rps 20 counts every request, with --concurrency %i', async (concurrency) => {
  using home = desk.newHome();
  const orders = await planOf({ ledger, desk, home, rows: 12 });
  const arrived: number[] = [];
  for (const order of orders) {
    order.onRead = () => {
      arrived.push(performance.now());
      return undefined;
    };
    order.onPost = (_, apply) => {
      arrived.push(performance.now());
      return json(apply());
    };
  }
  const words = ['refunds', 'apply', 'rows.plan', '--yes', '--max-rps', '20'];
  const { code, stderr } = await desk.run(home, [...words, '--concurrency', String(concurrency)]);
  expect(code, stderr).toBe(0);
  // One read and one refund for each row. A refund follows its read at once, and the next request waits for both. The first one
  // may arrive a little late.
  expect(arrived).toHaveLength(24);
  const [first = 0] = arrived;
  const last = arrived.at(-1) ?? 0;
  expect(last - first).toBeGreaterThanOrEqual((24 - 2 - concurrency) * 50);
  // In no second more than twenty, and the refunds of the orders that are worked on.
  for (const [index, time] of arrived.entries()) {
    const inSecond = arrived.slice(index).filter((other) => other - time < 1000);
    expect(inSecond.length).toBeLessThanOrEqual(20 + 1 + concurrency);
  }
});
