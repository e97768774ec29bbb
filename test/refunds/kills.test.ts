/** SIGKILL at a random moment of a batch, again and again: every row is sent at most once, and in the end all were made (F29). */

import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ledgerAndDesk } from '../atmost/desk.ts';
import { start } from '../atmost/running.ts';
import type { Order } from '../harness/desk.ts';
import { isLong } from '../harness/long.ts';
import { seed } from '../harness/seed.ts';
import { checkPosts, journalOf, refundsAfter, refundsIn, rowsFor, writeRows } from './batch.ts';
import { addOrders } from './planned.ts';
import { openIn, type Side, settleAll } from './settle-all.ts';

const kills = isLong ? 500 : 4;
// So many that the last kill still meets rows that are left.
const count = isLong ? 1500 : 20;

const { ledger, desk } = await ledgerAndDesk();

/** When a run is killed: so long after so many of its requests have arrived. */
const moments = fc.record({
  requests: fc.integer({ min: 0, max: 8 }),
  afterMs: fc.integer({ min: 0, max: 15 }),
  concurrency: fc.constantFrom(1, 4, 16),
});

test(`F29 ${kills} random kills, each followed by a resume: no refund is made twice, none is missing, the report adds up`, async () => {
  using home = desk.newHome();
  const added = addOrders(ledger, count);
  const side: Side = {
    home,
    run: (words, env) => desk.run(home, words, env),
    orders: async () => added.map(({ value }) => value as unknown as Order),
    posts: () => ledger.server.requests.filter(({ method }) => method === 'POST'),
  };
  const before = await side.orders();
  const file = rowsFor(before, count);
  const planned = await side.run(['refunds', 'plan', writeRows(home, file), '--to', 'k.plan']);
  expect(planned.code, planned.stderr).toBe(0);
  const words = `seed ${seed}`;
  let [killed, settled, unconfirmed, midway] = [0, 0, 0, 0];
  for (const { requests, afterMs, concurrency } of fc.sample(moments, { numRuns: kills, seed })) {
    const arrived = ledger.server.requests.length;
    const run = start(desk, home, [
      'refunds',
      'apply',
      'k.plan',
      '--yes',
      '--concurrency',
      String(concurrency),
    ]);
    await Promise.race([ledger.server.waitFor(arrived + requests).then(() => wait(afterMs)), run.end]);
    run.kill('SIGKILL');
    const { signal, code, stderr } = await run.end;
    if (signal === 'SIGKILL') killed += 1;
    if (side.posts().length < count) midway += 1;
    else expect([0, 7, 8], `${words}: ${stderr}`).toContain(code);
    checkPosts(side.posts(), journalOf(home), words);
    const { length: open } = openIn(journalOf(home));
    unconfirmed += open;
    // Somebody settles them now and then, before so many are open that the batch stops by itself.
    if (open >= 3) settled += await settleAll(side, words);
  }
  settled += await settleAll(side, words);
  const last = await side.run(['refunds', 'apply', 'k.plan', '--yes', '--json']);
  expect(last.code, `${words}: ${last.stderr}`).toBe(0);
  checkPosts(side.posts(), journalOf(home), words);
  expect(refundsIn(await side.orders()), words).toEqual(refundsAfter(before, file));
  checkReport(last.stdout, await side.orders());
  console.log(
    `${words}: ${count} rows, ${killed} of ${kills} runs killed, ${midway} with rows left to send, ${unconfirmed} times a row was unconfirmed, ${settled} settled by hand, ${side.posts().length} POSTs; 0 double, 0 missing`,
  );
}, 3_600_000);

// Every row has its own refund of the ledger, and the sum is that of the ledger.
function checkReport(stdout: string, orders: readonly Order[]): void {
  const { data } = JSON.parse(stdout) as {
    readonly data: readonly {
      readonly verdict: string;
      readonly amount: number;
      readonly refund_id: string | null;
      readonly before: number;
      readonly after: number;
    }[];
  };
  const made = orders.flatMap(({ charges }) =>
    (charges?.data ?? []).flatMap(({ refunds }) => refunds?.data ?? []),
  );
  const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);
  expect(data.map(({ verdict }) => verdict)).toEqual(data.map(() => 'made'));
  expect(data.map(({ after, before }) => after - before)).toEqual(data.map(({ amount }) => amount));
  const ids = data.flatMap(({ refund_id: id }) => id ?? []);
  expect(ids.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
  expect(sumOf(data.map(({ amount }) => amount))).toBe(-sumOf(made.map(({ amount }) => amount)));
}
