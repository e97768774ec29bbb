/** Ambiguous replies to the one sending, black box: verdict and exit as in the table, and never a second request. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import { type Json, newRefundOf, notReturnable, withRefund } from '../harness/orders.ts';
import type { Ran } from '../harness/paydesk.ts';
import { json, reset, stall, startServer, type TestServer } from '../harness/server.ts';
import { testKey } from '../harness/service.ts';
import { changeArgs, type Desk, openDesk, refundAmount, story } from './desk.ts';
import { type Ledger, type LedgerOrder, startLedger } from './ledger.ts';
import { type End, type Reply, replies } from './replies.ts';

let ledger: Ledger;
let trap: TestServer;
let desk: Desk;
const counts = { runs: 0, posts: 0, twice: 0 };

beforeAll(async () => {
  ledger = await startLedger();
  trap = await startServer(stall);
  desk = await openDesk({ url: ledger.url });
});
afterAll(async () => {
  console.log(
    `ambiguous replies: ${replies.length} rows, ${counts.runs} runs, ${counts.posts} requests sent, ${counts.twice} sent twice`,
  );
  desk[Symbol.dispose]();
  await trap.close();
  await ledger[Symbol.asyncDispose]();
});

type Kind = 'refund' | 'capture';
interface Case {
  readonly row: Reply;
  readonly kind: Kind;
  readonly made: 'made' | 'not made';
}

// The short form runs one of the four of each row, in turn, and the lost connections, 502 and 421 whole.
const cases: readonly Case[] = replies.flatMap((row, index) => {
  const both = (['refund', 'capture'] as const).filter((kind) => row.only === undefined || row.only === kind);
  const four = both.flatMap((kind) => (['made', 'not made'] as const).map((made) => ({ row, kind, made })));
  const whole = isLong || row.only !== undefined || /^(RST|502|421)/.test(row.name);
  return four.filter((_, turn) => whole || turn === index % four.length);
});

async function change({ row, kind, made }: Case) {
  using home = desk.newHome();
  const order = ledger.add(kind, ({ value: before, posts }, apply) => {
    const now = made === 'made' ? apply() : before;
    const again = posts.length > 1;
    return again ? json(now) : row.answer(now, { before, trap: trap.url, url: ledger.url });
  });
  const timeout = row.timeout === undefined ? [] : ['--timeout', String(row.timeout)];
  const ran = await desk.run(home, [...changeArgs(order), ...timeout]);
  counts.runs += 1;
  counts.posts += order.posts.length;
  if (order.posts.length > 1) counts.twice += 1;
  return { ran, order, story: story(home) };
}

function checkWords({ fault }: Reply, ran: Ran, order: LedgerOrder, end: End): void {
  const sure = end.exit === 0;
  const words = ran.stderr.replaceAll(/\s+/g, ' ');
  // Said to wait, and not seen: called so. A redirect is named by its host alone, and a key by nobody.
  expect(words.includes('throttled: no usable answer')).toBe(fault === 'F10' && !sure);
  expect(words.includes('a redirect to 127.0.0.1:')).toBe(fault === 'F12' && !sure);
  expect(ran.stderr).not.toContain(trap.url);
  expect(ran.stdout + ran.stderr).not.toContain(testKey);
  expect(/; the order now shows the (refund|capture)/.test(ran.stdout)).toBe(sure);
  expect(/refunded|captured/.test(ran.stdout)).toBe(sure);
  expect(ran.stderr).not.toMatch(/\bfailed\b/);
  expect(ran.stderr.includes('was not sent')).toBe(false);
  expect(ran.stderr).toContain(order.id);
}

describe.concurrent('a reply that proves nothing is not believed, and nothing is sent again', () => {
  test.each(cases.map((one) => [`${one.row.fault} ${one.row.name}, ${one.kind} ${one.made}`, one] as const))(
    '%s',
    async (_, one) => {
      const end = one.made === 'made' ? one.row.ends.applied : one.row.ends.not;
      const { ran, order, story } = await change(one);
      expect({ posts: order.posts.length, exit: ran.code, story }, ran.stderr).toEqual({
        posts: 1,
        exit: end.exit,
        story: end.story,
      });
      expect(order.done()).toBe(one.made === 'made' ? 1 : 0);
      checkWords(one.row, ran, order, end);
    },
  );
});

describe.concurrent('the reads that are to tell', () => {
  test.each(['refund', 'capture'] as const)(
    '%s that takes effect late is found by the next reconcile (F4)',
    async (kind) => {
      using home = desk.newHome();
      const order = ledger.add(kind, () => reset);
      expect((await desk.run(home, changeArgs(order))).code).toBe(7);
      order.apply(order.posts[0]?.body ?? '');
      const later = await desk.run(home, ['journal', 'reconcile', '--all']);
      expect({ code: later.code, posts: order.posts.length, story: story(home) }, later.stderr).toEqual({
        code: 0,
        posts: 1,
        story: 'sent unknown not_seen applied',
      });
    },
  );

  test.each([
    ['capture', 'amount', 3_500_000, 'amount 3500000 instead of 35000'],
    ['capture', 'currency', 'USD', 'currency USD instead of MXN'],
    ['refund', 'currency', 'USD', 'currency USD instead of MXN'],
  ] as const)(
    'a lost %s that reads show with another %s is no plain yes (F8)',
    async (kind, field, value, says) => {
      using home = desk.newHome();
      const order = ledger.add(kind, (changed, apply) => {
        apply();
        changed.value = { ...changed.value, [field]: value };
        return reset;
      });
      const { code, stderr } = await desk.run(home, changeArgs(order));
      expect({ code, posts: order.posts.length, story: story(home) }, stderr).toEqual({
        code: 7,
        posts: 1,
        story: 'sent unknown applied',
      });
      expect(stderr).toContain('something else than was asked for');
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(says);
    },
  );

  test('a refund record that says pending counts, and the word is shown with it (F8)', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', (changed) => {
      const record = { ...newRefundOf('rf_slow', refundAmount), status: 'pending' };
      changed.value = withRefund(changed.value, record, refundAmount);
      return json(changed.value);
    });
    const { code, stdout, stderr } = await desk.run(home, changeArgs(order));
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/refund {3}rf_slow .*auth \d+ {3}pending\n/);
    expect((await desk.run(home, ['orders', 'show', order.id])).stdout).toMatch(/id rf_slow {2}pending\n/);
  });

  test('a refused capture is not called "not refundable"', async () => {
    using home = desk.newHome();
    const [detail] = notReturnable.details as readonly Json[];
    const refusal = { ...notReturnable, details: [{ ...detail, message: 'The order cannot be captured.' }] };
    const order = ledger.add('capture', () => json(refusal, 428));
    const { code, stderr } = await desk.run(home, changeArgs(order));
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 5, posts: 1 });
    expect(stderr).toContain('refused by the service: the service refused the capture');
    expect(stderr).toContain('log_id 5f2c81');
    expect(stderr).not.toMatch(/refundable|refund\b/);
  });

  test('an order whose charges are not all shown is not refunded at all (F32)', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    order.value = { ...order.value, charges: { ...(order.value.charges as Json), has_more: true } };
    const { code, stderr } = await desk.run(home, changeArgs(order));
    expect({ code, posts: order.posts.length, story: story(home) }, stderr).toEqual({
      code: 3,
      posts: 0,
      story: '',
    });
  });

  test.each(['made', 'not made'])(
    'reads that do not show all charges prove nothing (%s) (F32)',
    async (made) => {
      using home = desk.newHome();
      const order = ledger.add('refund', (_, apply) => {
        if (made === 'made') apply();
        return reset;
      });
      order.onRead = (read) =>
        read <= 2
          ? undefined
          : json({ ...order.value, charges: { ...(order.value.charges as Json), has_more: true } });
      const { code, stderr } = await desk.run(home, changeArgs(order));
      expect({ code, posts: order.posts.length, story: story(home) }, stderr).toEqual({
        code: 7,
        posts: 1,
        story: 'sent unknown unknown',
      });
    },
  );
});

test('no redirect of a change was followed (F12)', () => {
  expect(trap.connections).toBe(0);
});
