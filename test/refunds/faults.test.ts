/** A batch against a service that loses its replies: applied, reconciled, settled by hand and applied again, until all is done. */

import { expect, test } from 'vitest';
import { ledgerAndDesk } from '../atmost/desk.ts';
import { type Order, startDesk } from '../harness/desk.ts';
import { isLong } from '../harness/long.ts';
import { errorBody } from '../harness/orders.ts';
import { cutBody, type Handler, json, reply, reset, type SeenRequest, stall } from '../harness/server.ts';
import { checkPosts, journalOf, refundsAfter, refundsIn, rowsFor, writeRows } from './batch.ts';
import { addOrders } from './planned.ts';
import { type Side, settleAll } from './settle-all.ts';

const count = isLong ? 500 : 30;

/** What it took until every row was applied. */
interface Told {
  readonly codes: readonly (number | null)[];
  readonly settled: number;
  readonly posts: number;
}

/** Works a file off as a desk would, and checks after every step that nothing was sent twice. */
async function workOff(side: Side, rows: number, words: string): Promise<Told> {
  const before = await side.orders();
  const file = rowsFor(before, rows);
  const planned = await side.run(['refunds', 'plan', writeRows(side.home, file), '--to', '0.plan']);
  expect(planned.code, planned.stderr).toBe(0);
  const codes: (number | null)[] = [];
  let [plan, settled] = ['0.plan', 0];
  while (codes.at(-1) !== 0) {
    if (codes.length > rows) throw new Error(`${words}: no end after ${codes.join(' ')}`);
    const { code, stderr } = await side.run(['refunds', 'apply', plan, '--yes', '--timeout', '1']);
    expect([0, 7, 8], `${words}: ${stderr}`).toContain(code);
    codes.push(code);
    checkPosts(side.posts(), journalOf(side.home), words);
    if (code === 7) settled += await settleAll(side, words);
    if (code === 8) {
      // Rows that the service refused are planned anew.
      const next = `${codes.length}.plan`;
      const refreshed = await side.run(['refunds', 'plan', '--refresh', plan, '--to', next]);
      expect(refreshed.code, refreshed.stderr).toBe(0);
      plan = next;
    }
  }
  expect(refundsIn(await side.orders()), words).toEqual(refundsAfter(before, file));
  // Once more: nothing is left to send.
  const posts = side.posts().length;
  const again = await side.run(['refunds', 'apply', plan, '--yes']);
  expect({ code: again.code, posts: side.posts().length }, again.stderr).toEqual({ code: 0, posts });
  const { code, stdout } = await side.run(['refunds', 'status', plan, '--json']);
  const { data } = JSON.parse(stdout) as { readonly data: readonly { readonly verdict: string }[] };
  expect({ code, applied: data.filter(({ verdict }) => verdict === 'made').length }).toEqual({
    code: 0,
    applied: rows,
  });
  return { codes, settled, posts };
}

function summaryOf(name: string, { codes, settled, posts }: Told): string {
  return `${name}: ${count} rows, exits ${codes.join(' ')}, ${settled} settled by hand, ${posts} POSTs, 0 double, 0 missing`;
}

// The service says no to the first request of one order, and yes when it is asked again.
function refusesOnce(): (request: SeenRequest) => Handler | undefined {
  let left = 1;
  return ({ method }) => {
    if (method !== 'POST' || left === 0) return undefined;
    left -= 1;
    return json(errorBody(), 422);
  };
}

const seeds = isLong ? [1, 2, 3, 4, 5] : [1];

test.each(seeds)(
  'the simulator with --fault all:0.1 --fault-seed %i: in the end the ledger equals the plan (F10, F29, F55)',
  async (seed) => {
    const args = ['--orders', String(count * 3), '--fault', 'all:0.1', '--fault-seed', String(seed)];
    await using desk = await startDesk({ args, instead: refusesOnce() });
    const side: Side = {
      home: desk.home,
      run: (words, env) => desk.script(words, env),
      orders: () => desk.orders(),
      posts: () => desk.changes(),
    };
    const told = await workOff(side, count, `seed ${seed}`);
    console.log(summaryOf(`seed ${seed}`, told));
    expect(told.codes).toContain(7);
    expect(told.codes).toContain(8);
  },
  3_600_000,
);

const { ledger, desk } = await ledgerAndDesk({ 'orders.get': 'paged' });

/** How a service that is not ours loses replies; with `apply-` the refund is made before. */
const losses: Readonly<Record<string, Handler>> = {
  drop: reset,
  stall,
  cut: cutBody('{"object":"order",'),
  '500': json(errorBody({ type: 'internal_error' }), 500),
  html: reply('<title>502 Bad Gateway</title>', 502, { 'content-type': 'text/html' }),
  '429': json(errorBody({ type: 'rate_limit_error' }), 429, { 'retry-after': '2' }),
  empty: reply('', 204),
  moved: reply('', 307, { location: 'http://elsewhere.test/orders' }),
};

test('a service that is not ours: in the end its ledger equals the plan', async () => {
  using home = desk.newHome();
  const names = Object.keys(losses);
  const refused = refusesOnce();
  let requests = 0;
  const added = addOrders(ledger, count);
  for (const order of added) {
    order.onPost = (_, apply) => {
      requests += 1;
      const refusal = refused({ method: 'POST', url: '', headers: {}, body: '', index: 0 });
      if (refusal !== undefined) return refusal;
      // Every ninth request loses its reply, each time in another way.
      if (requests % 9 !== 0) return json(apply());
      const turn = requests / 9;
      if (turn % 2 === 0) apply();
      return losses[names[turn % names.length] ?? ''] ?? reset;
    };
  }
  const side: Side = {
    home,
    run: (words, env) => desk.run(home, words, env),
    orders: async () => added.map(({ value }) => value as unknown as Order),
    posts: () => ledger.server.requests.filter(({ method }) => method === 'POST'),
  };
  const told = await workOff(side, count, 'a service that is not ours');
  console.log(summaryOf('a service that is not ours', told));
  expect(told.codes).toContain(7);
  expect(told.codes).toContain(8);
}, 3_600_000);
