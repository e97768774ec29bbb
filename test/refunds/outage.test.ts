/** A batch while the service fails: the circuit breaker, throttling, a refused key, a dead service, two runs at once. */

import { describe, expect, test } from 'vitest';
import { slotOf } from '../../src/locks/sqlite/slot-files.ts';
import { journalRows, ledgerAndDesk, openDesk } from '../atmost/desk.ts';
import { type LedgerOrder, type OnPost, startLedger } from '../atmost/ledger.ts';
import { errorBody } from '../harness/orders.ts';
import { type Home, startInMemory } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, reset, stall } from '../harness/server.ts';
import { testKey } from '../harness/service.ts';
import { checkPosts, journalOf } from './batch.ts';
import { addOrders, planOf, planRows } from './planned.ts';

// A busy machine may need longer than 10 s between SENT and the request, and would then not send.
const { ledger, desk } = await ledgerAndDesk({ 'refund.send_within': '1m' });

const rows = 12;
const honest: OnPost = (_, apply) => json(apply());
const lost: OnPost = () => reset;

function apply(home: Home, more: readonly string[] = []) {
  return desk.run(home, ['refunds', 'apply', 'rows.plan', '--yes', ...more]);
}

const oneByOne = ['--concurrency', '1'];

function postsTo(orders: readonly LedgerOrder[]): number {
  return orders.reduce((sum, { posts }) => sum + posts.length, 0);
}

/** Answers the rows in turn; the last one answers all the rest. */
function answerWith(orders: readonly LedgerOrder[], ...answers: readonly OnPost[]): void {
  for (const [index, order] of orders.entries())
    order.onPost = answers[Math.min(index, answers.length - 1)] ?? honest;
}

function madeOf(orders: readonly LedgerOrder[]): readonly number[] {
  return orders.map((order) => order.done());
}

/** The service is well again: the rest is sent, and nothing twice. */
async function goesOn(home: Home, orders: readonly LedgerOrder[], open = 0): Promise<void> {
  for (const order of orders) order.onPost = honest;
  const { code, stderr } = await apply(home);
  expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: open === 0 ? 0 : 7, posts: rows });
  expect(madeOf(orders).filter((made) => made === 1)).toHaveLength(rows - open);
  checkPosts(
    orders.flatMap(({ posts }) => posts),
    journalOf(home),
  );
}

describe.concurrent('the circuit breaker (F55)', () => {
  test('3 refunds in a row without an answer stop the batch, exit 7; a resume sends the rest all the same', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    answerWith(orders, honest, honest, lost);
    const { code, stderr } = await apply(home, oneByOne);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 7, posts: 5 });
    expect(inOneLine(stderr)).toContain('stopped: 3 refunds in a row got no usable answer');
    expect(inOneLine(stderr)).toContain(
      'of 12 rows 2 made (10000 MXN), 3 unconfirmed (15000 MXN), 7 not sent; 3 may still arrive',
    );
    await goesOn(home, orders, 3);
  });

  test('what an earlier run left unconfirmed does not hide a new outage', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    answerWith(orders, lost);
    expect((await apply(home, oneByOne)).code).toBe(7);
    const { code, stderr } = await apply(home, oneByOne);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 7, posts: 6 });
    expect(inOneLine(stderr)).toContain('3 refunds in a row got no usable answer');
  });

  test.each([
    ['5 in all', [], 9, '5 refunds got no usable answer'],
    ['--max-failures 2', ['--max-failures', '2'], 3, '2 refunds got no usable answer'],
    ['--max-failures 1', ['--max-failures', '1'], 1, '1 refund got no usable answer'],
  ] as const)('%s stop it, though others went well in between', async (_, more, posts, words) => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    for (const [index, order] of orders.entries()) order.onPost = index % 2 === 0 ? lost : honest;
    const { code, stderr } = await apply(home, [...oneByOne, ...more]);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 7, posts });
    expect(inOneLine(stderr)).toContain(`stopped: ${words}`);
  });

  test('while the orders of lost replies are read again, no other row starts that the stop would have kept back', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    // The third row is answered when the orders of the first two are being read again.
    const readAgain = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    for (const [index, { resolve }] of readAgain.entries()) {
      const order = orders[index];
      if (order === undefined) throw new Error('there are too few orders');
      order.onRead = () => {
        if (order.posts.length > 0) resolve(undefined);
        return undefined;
      };
    }
    const late: OnPost = (_, done) => async (request, response, socket) => {
      await Promise.all(readAgain.map(({ promise }) => promise));
      await json(done())(request, response, socket);
    };
    answerWith(orders, lost, lost, late, honest);
    const { code, stderr } = await apply(home, ['--concurrency', '3', '--max-failures', '2']);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 7, posts: 3 });
    expect(inOneLine(stderr)).toContain('stopped: 2 refunds got no usable answer');
    await goesOn(home, orders, 2);
  });

  test('a lost reply whose refund a read shows does not count', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    answerWith(orders, (_, make) => {
      make();
      return reset;
    });
    const { code, stderr } = await apply(home);
    expect({ code, posts: postsTo(orders), made: madeOf(orders) }, stderr).toEqual({
      code: 0,
      posts: rows,
      made: orders.map(() => 1),
    });
  });

  test('rows that the service refuses do not stop the other orders; exit 8', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    for (const order of orders.slice(0, 6)) order.onPost = () => json(errorBody(), 422);
    const { code, stderr } = await apply(home);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 8, posts: rows });
    expect(inOneLine(stderr)).toContain('of 12 rows 6 made (30000 MXN), 6 refused');
    // The same plan does not ask again what was refused.
    const again = await apply(home);
    expect({ code: again.code, posts: postsTo(orders) }, again.stderr).toEqual({ code: 8, posts: rows });
    expect(again.stderr).not.toContain('sends ');
  });
});

test('a refund that the service made twice: exit 7 until somebody has dealt with it, then the plan is done', async () => {
  using home = desk.newHome();
  const orders = await planOf({ ledger, desk, home, rows });
  const [first] = orders;
  if (first === undefined) throw new Error('no order');
  first.onPost = (_, make) => {
    make();
    return json(make());
  };
  const { code, stderr } = await apply(home);
  expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 7, posts: rows });
  expect((await apply(home)).code).toBe(7);
  const [, change = ''] =
    new RegExp(`${first.id}: MADE TWICE: paydesk journal show (i_\\w+)`).exec(stderr) ?? [];
  const words = ['journal', 'acknowledge', change, '--note', 'the buyer pays one back', '--yes'];
  expect((await desk.run(home, words)).code).toBe(0);
  const last = await apply(home);
  expect({ code: last.code, posts: postsTo(orders) }, last.stderr).toEqual({ code: 0, posts: rows });
});

describe.concurrent('the service asks us to wait: 429 (F10)', () => {
  const throttled =
    (retryAfter: string | (() => string)): OnPost =>
    () => {
      const text = typeof retryAfter === 'string' ? retryAfter : retryAfter();
      return json(errorBody({ type: 'rate_limit_error' }), 429, { 'retry-after': text });
    };

  // A date counts from the reply on: on a busy machine the test may begin long after this file was read.
  const at = (ms: number) => () => new Date(Date.now() + ms).toUTCString();

  /** How long after the first row the second one was sent, by the clock of the run. */
  function pauseOf(home: Home): number {
    const sent: readonly { readonly type: string; readonly clocks?: { readonly wall: number } }[] =
      journalRows(home);
    const [first = 0, second = 0] = sent.flatMap(({ type, clocks }) =>
      type === 'sent' && clocks !== undefined ? clocks.wall : [],
    );
    return second - first;
  }

  test.each([
    ['100', '100', 100_000],
    ['a date', at(100_000), 60_000],
    ['0', '0', 0],
    ['-5', '-5', 0],
    ['soon', 'soon', 0],
    ['120', '120', 120_000],
  ] as const)(
    'Retry-After: %s: the whole batch waits so long and goes on; the row is not sent again',
    async (_, text, ms) => {
      using home = desk.newHome();
      const orders = await planOf({ ledger, desk, home, rows });
      answerWith(orders, throttled(text), honest);
      const { code, stderr } = await apply(home, oneByOne);
      expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 7, posts: rows });
      expect(pauseOf(home)).toBeGreaterThanOrEqual(ms);
      expect(pauseOf(home)).toBeLessThan(ms + 60_000);
    },
  );

  test.each([
    ['121', '121'],
    ['1000000000', '1000000000'],
    ['a date', at(3_600_000)],
  ] as const)('Retry-After: %s: it stops instead, and can be resumed', async (_, text) => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    answerWith(orders, honest, throttled(text), honest);
    const { code, stderr } = await apply(home, oneByOne);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 7, posts: 2 });
    expect(inOneLine(stderr)).toMatch(/stopped: the service asks us to wait [\d ]+ \w+/);
    expect(inOneLine(stderr)).toContain('1 made (5000 MXN), 1 unconfirmed (5000 MXN), 10 not sent');
    await goesOn(home, orders, 1);
  });

  test('a throttled request that was carried out all the same: the wait counts, exit 8', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    answerWith(orders, (_, make) => {
      make();
      return json({}, 429, { 'retry-after': '3600' });
    });
    const { code, stderr } = await apply(home, oneByOne);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 8, posts: 1 });
    expect(inOneLine(stderr)).toContain('stopped: the service asks us to wait 60 min');
    await goesOn(home, orders);
  });

  test('four orders at a time: those in flight end, then all wait', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    answerWith(orders, throttled('3600'));
    const { code, stderr } = await apply(home);
    expect(code, stderr).toBe(7);
    expect(postsTo(orders)).toBeLessThanOrEqual(4);
  });
});

describe.concurrent('the key is refused (F13)', () => {
  const refused =
    (status: number): OnPost =>
    () =>
      json(errorBody({ type: 'authentication_error' }), status);

  test.each([401, 403])(
    'HTTP %i at the first row: nothing else is sent, exit 4, the key is not shown',
    async (status) => {
      using home = desk.newHome();
      const orders = await planOf({ ledger, desk, home, rows });
      answerWith(orders, refused(status));
      const { code, stdout, stderr } = await apply(home, oneByOne);
      expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 4, posts: 1 });
      expect(inOneLine(stderr)).toContain('11 not sent');
      expect(stderr + stdout).not.toContain(testKey);
      // With the right key the same plan goes on.
      for (const order of orders) order.onPost = honest;
      const again = await apply(home);
      expect({ code: again.code, posts: postsTo(orders) }, again.stderr).toEqual({
        code: 0,
        posts: rows + 1,
      });
      expect(madeOf(orders)).toEqual(orders.map(() => 1));
    },
  );

  test('in the middle: the rows before it were made, so exit 8', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    answerWith(orders, honest, honest, refused(401));
    const { code, stderr } = await apply(home, oneByOne);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 8, posts: 3 });
    expect(inOneLine(stderr)).toContain('2 made (10000 MXN), 1 refused, 9 not sent');
  });

  test('at the final read: no row is sent, exit 4', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    for (const order of orders) order.onRead = () => json(errorBody({ type: 'authentication_error' }), 401);
    const { code, stdout, stderr } = await apply(home);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 4, posts: 0 });
    expect(stderr + stdout).not.toContain(testKey);
    for (const order of orders) order.onRead = undefined;
    await goesOn(home, orders);
  });
});

describe.concurrent('the service is away', () => {
  test('a closed port: exit 6, nothing was sent, and a resume sends all', async () => {
    await using own = await startLedger();
    using place = await openDesk({ url: own.url });
    using home = place.newHome();
    const orders = await planOf({ ledger: own, desk: place, home, rows });
    await own.server.close();
    const words = ['refunds', 'apply', 'rows.plan', '--yes', ...oneByOne];
    const { code, stderr } = await place.run(home, words);
    expect({ code, rows: journalRows(home).length }, stderr).toEqual({ code: 6, rows: 0 });
    expect(inOneLine(stderr)).toContain('of 12 rows 12 not sent; nothing is on its way');
    expect(postsTo(orders)).toBe(0);
  });

  test('with one row left it is exit 6 too, and nobody is sent to read orders again that may not have changed', async () => {
    await using own = await startLedger();
    using place = await openDesk({ url: own.url });
    using home = place.newHome();
    await planOf({ ledger: own, desk: place, home, rows: 1 });
    await own.server.close();
    const apply = ['refunds', 'apply', 'rows.plan', '--yes'];
    const { code, stderr } = await place.run(home, apply);
    expect(code, stderr).toBe(6);
    expect(inOneLine(stderr)).toMatch(/not all done: 1 row is not applied: .*refused the connection/);
    expect(stderr).not.toContain('--refresh');
    const dry = await place.run(home, [...apply, '--dry-run']);
    expect(dry.code, dry.stderr).toBe(6);
  });

  test('unconfirmed rows that cannot be looked up: that is said, and why, not that they are still not there', async () => {
    await using own = await startLedger();
    using place = await openDesk({ url: own.url });
    using home = place.newHome();
    const orders = await planOf({ ledger: own, desk: place, home, rows: 2 });
    for (const order of orders) order.onPost = lost;
    expect((await place.run(home, ['refunds', 'apply', 'rows.plan', '--yes'])).code).toBe(7);
    await own.server.close();
    const { code, stderr, stdout } = await place.run(home, [
      'refunds',
      'apply',
      'rows.plan',
      '--yes',
      '--json',
    ]);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 7, posts: 2 });
    expect(inOneLine(stderr)).toMatch(
      /2 rows could not be looked up: .*refused the connection.*; nothing is known of them that was not known before/,
    );
    expect(stderr).not.toContain('nothing is on its way');
    expect(stdout.match(/"why":\s*"could not be looked up: /g)).toHaveLength(2);
    const looked = await place.run(home, ['journal', 'reconcile', '--all', '-q']);
    expect(looked.code).toBe(7);
    expect(inOneLine(looked.stderr)).toMatch(
      /unconfirmed, and could not be looked up: .*refused the connection.*; nothing new is known/,
    );
    expect(looked.stderr).not.toContain('the order does not show it');
  });

  test('reads that fail: 3 rows are tried, exit 6, nothing was sent', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    for (const order of orders) order.onRead = () => reset;
    const { code, stderr } = await apply(home, oneByOne);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 6, posts: 0 });
    const tried = orders.filter(({ reads }) => reads > 1);
    expect(tried).toHaveLength(3);
    for (const order of orders) order.onRead = undefined;
    await goesOn(home, orders);
  });

  test('in the middle of the batch: exit 8, and the report says what was made', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    for (const order of orders.slice(4)) order.onRead = () => reset;
    const { code, stderr } = await apply(home, oneByOne);
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 8, posts: 4 });
    expect(inOneLine(stderr)).toContain('4 made (20000 MXN)');
    for (const order of orders) order.onRead = undefined;
    await goesOn(home, orders);
  });
});

test('two rows whose orders share a lock wait for each other, however long the first one takes', async () => {
  using home = desk.newHome();
  const [first, second] = await planRows({ desk, home, orders: ordersOfOneLock() });
  if (first === undefined || second === undefined) throw new Error('no orders');
  // The first reply comes never, so its row takes longer than one request may.
  first.onPost = () => stall;
  const { code, stderr } = await apply(home, ['--timeout', '1']);
  expect({ code, made: [first.done(), second.done()] }, stderr).toEqual({ code: 7, made: [0, 1] });
  expect(inOneLine(stderr)).toContain('of 2 rows 1 made (5000 MXN), 1 unconfirmed (5000 MXN)');
});

// Two orders whose names fall on the same of the 64 locks.
function ordersOfOneLock(): readonly LedgerOrder[] {
  const ids = Array.from({ length: 65 }, (_, index) => `ord_Slot${index}x`);
  for (const [index, id] of ids.entries()) {
    const same = ids.slice(0, index).find((other) => slotOf(other) === slotOf(id));
    if (same !== undefined) return [same, id].flatMap((own) => addOrders(ledger, 1, own));
  }
  return [];
}

test('two processes apply the same plan at once: one is refused, and each row is sent once', async () => {
  using home = desk.newHome();
  const orders = await planOf({ ledger, desk, home, rows });
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  for (const order of orders)
    order.onPost =
      (_, make) =>
      async (...exchange) => {
        arrived.resolve();
        await gate.promise;
        await json(make())(...exchange);
      };
  const words = ['-p', 't', 'refunds', 'apply', 'rows.plan', '--yes'];
  const one = startInMemory(words, { home, env: desk.env(home) });
  await arrived.promise;
  const other = await desk.runProcess(home, words.slice(2));
  expect(other.code, other.stderr).toBe(3);
  expect(inOneLine(other.stderr)).toContain('another run is applying plan');
  expect(other.stderr).toContain('nothing was sent by this run');
  gate.resolve();
  expect((await one.end).code).toBe(0);
  expect({ posts: postsTo(orders), made: madeOf(orders) }).toEqual({
    posts: rows,
    made: orders.map(() => 1),
  });
});
