/** The same refund asked for once more, by a person or a script, and reads that lag behind what was done. */

import { describe, expect, test } from 'vitest';
import { newRefundOf, withRefund } from '../harness/orders.ts';
import { json, reset } from '../harness/server.ts';
import { changeArgs, journalRows, ledgerAndDesk, refundAmount, story } from './desk.ts';
import type { LedgerOrder, OnPost } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();

const lost: OnPost = () => reset;
const madeAndLost: OnPost = (_, apply) => {
  apply();
  return reset;
};

describe.concurrent('reads lag behind: not seen is never the last word (F30)', () => {
  test('the order is shown as it was, again and again: exit 7 each time; then it shows the refund: exit 0', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', madeAndLost);
    const old = order.value;
    order.onRead = () => json(old);
    const first = await desk.run(home, changeArgs(order));
    expect({ code: first.code, story: story(home) }, first.stderr).toEqual({
      code: 7,
      story: 'sent unknown not_seen',
    });
    expect(first.stderr).not.toMatch(/\bfailed\b/);
    for (const more of [
      ['journal', 'reconcile', '--all'],
      [...changeArgs(order), '--again', String(journalRows(home)[0]?.change)],
    ]) {
      const still = await desk.run(home, more);
      expect([3, 7], still.stderr).toContain(still.code);
    }
    order.onRead = undefined;
    const later = await desk.run(home, ['journal', 'reconcile', '--all']);
    expect({ code: later.code, posts: order.posts.length, story: story(home) }, later.stderr).toEqual({
      code: 0,
      posts: 1,
      story: 'sent unknown not_seen applied',
    });
  });

  test('the same with --again, when the first has shown meanwhile: refused (3), and one was sent', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', lost);
    expect((await desk.run(home, changeArgs(order))).code).toBe(7);
    order.apply(order.posts[0]?.body ?? '');
    const change = String(journalRows(home)[0]?.change);
    const again = await desk.run(home, [...changeArgs(order), '--again', change]);
    expect({ code: again.code, posts: order.posts.length, story: story(home) }, again.stderr).toEqual({
      code: 3,
      posts: 1,
      story: 'sent unknown not_seen applied',
    });
    expect(again.stderr).toContain('an earlier change was made after all');
  });

  test('a later change of another order finds out, and says so', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', madeAndLost);
    const old = order.value;
    order.onRead = () => json(old);
    await desk.run(home, changeArgs(order));
    order.onRead = undefined;
    const other = await desk.run(home, changeArgs(ledger.add('refund')));
    expect(other.code, other.stderr).toBe(0);
    expect(other.stderr).toMatch(
      /another order, ord_\w+: looked up again: i_\w+, refund of 5000 MXN, made: paydesk journal show/,
    );
    expect(story(home)).toBe('sent unknown not_seen applied sent applied');
  });

  test('an alarm of another order names that order, so that nobody takes it for this refund', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    expect((await desk.run(home, changeArgs(order))).code).toBe(0);
    order.value = withRefund(order.value, newRefundOf(`rf_${order.id}_x`, refundAmount), refundAmount);
    const other = ledger.add('refund');
    const { code, stderr } = await desk.run(home, changeArgs(other));
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(
      new RegExp(`^another order, ${order.id}: MADE TWICE: i_\\w+, refund of 5000 MXN: paydesk`, 'm'),
    );
    expect(other.posts).toHaveLength(1);
  });
});

const withId = (order: LedgerOrder, ...more: readonly string[]) => [
  ...changeArgs(order),
  '--idempotency-key',
  `ticket-${order.id}`,
  ...more,
];

describe.concurrent('a script repeats a refund under its own id (F28)', () => {
  test('applied: the recorded outcome, exit 0, and nothing is sent; other parameters are refused', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    const [first, second] = [
      await desk.run(home, withId(order, '--json')),
      await desk.run(home, withId(order, '--json')),
    ];
    expect([first.code, second.code], second.stderr).toEqual([0, 0]);
    expect(JSON.parse(second.stdout)).toMatchObject({
      object: 'order',
      id: order.id,
      amount_refunded: refundAmount,
    });
    const other = await desk.run(home, withId(order, '--reason', 'other'));
    expect(other.code, other.stderr).toBe(3);
    expect(other.stderr).toContain('was used for another change');
    expect({ posts: order.posts.length, story: story(home) }).toEqual({ posts: 1, story: 'sent applied' });
  });

  test('open: it is read again, 7 until it shows and 0 from then on; nothing is sent', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', lost);
    const lately = await desk.run(home, withId(order));
    expect(lately.code).toBe(7);
    expect(lately.stderr).toMatch(/blocked until .+ UTC at the latest, or until you settle it/);
    const still = await desk.run(home, withId(order));
    expect(still.code).toBe(7);
    expect(still.stderr).toMatch(/sent once at [\d:]+; looked once, at [\d:]+, and it is not there yet/);
    order.onRead = () => reset;
    const blind = await desk.run(home, withId(order));
    expect(blind.code).toBe(7);
    expect(blind.stderr).toContain('paydesk could not look it up now: ');
    order.onRead = undefined;
    order.apply(order.posts[0]?.body ?? '');
    const made = await desk.run(home, withId(order));
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toContain(`made before: refund of ${refundAmount} MXN on ${order.id}`);
    expect(made.stdout).toContain(`rf_${order.id}_1   -${refundAmount} on charge ch_${order.id}`);
    expect(made.stdout).toContain(`${refundAmount} refunded of 35000; 30000 left`);
    expect(order.posts).toHaveLength(1);
  });

  test('rejected: the recorded refusal, exit 5, unless --again sends a new attempt of the same change', async () => {
    using home = desk.newHome();
    const refusal = { object: 'error', type: 'parameter_validation_error', details: [{ message: 'no' }] };
    const order = ledger.add('refund', () => json(refusal, 422));
    expect((await desk.run(home, withId(order))).code).toBe(5);
    const recorded = await desk.run(home, withId(order));
    expect({ code: recorded.code, posts: order.posts.length }, recorded.stderr).toEqual({
      code: 5,
      posts: 1,
    });
    order.onPost = (_, apply) => json(apply());
    const again = await desk.run(home, withId(order, '--again', String(journalRows(home)[0]?.change)));
    expect({ code: again.code, posts: order.posts.length, story: story(home) }, again.stderr).toEqual({
      code: 0,
      posts: 2,
      story: 'sent rejected sent applied',
    });
  });

  test('two orders under one id at the same time: one is sent, the other refused, exit 3', async () => {
    using home = desk.newHome();
    const orders = [ledger.add('refund'), ledger.add('refund')];
    // Both look into the journal before either has read its order.
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    for (const order of orders) {
      order.onRead = async (read) => {
        if (read !== 2) return undefined;
        waiting += 1;
        if (waiting === orders.length) both.resolve();
        await both.promise;
        return undefined;
      };
    }
    const run = (order: LedgerOrder) => desk.run(home, [...changeArgs(order), '--idempotency-key', 'T1']);
    const [first, second] = await Promise.all(orders.map(run));
    const [sent, refused] = first?.code === 0 ? [first, second] : [second, first];
    expect([sent?.code, refused?.code], refused?.stderr).toEqual([0, 3]);
    expect(refused?.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'the idempotency key T1 (--idempotency-key) was used for another change',
    );
    expect(orders.filter(({ posts }) => posts.length === 1)).toHaveLength(1);
    expect(orders.flatMap(({ posts }) => posts)).toHaveLength(1);
    expect(story(home)).toBe('sent applied');
    const winner = orders.find(({ posts }) => posts.length === 1) as LedgerOrder;
    expect((await run(winner)).stderr).toContain('T1 was made before');
  });

  test('two runs under one id at the same time send once', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    const codes = (await Promise.all([1, 2, 3].map(() => desk.run(home, withId(order))))).map(
      ({ code }) => code,
    );
    expect(order.posts).toHaveLength(1);
    expect(codes).toContain(0);
    for (const code of codes) expect([0, 3]).toContain(code);
  });
});

describe.concurrent('what a person stated counts as much as what was read (F28)', () => {
  test('settled as made, and the service does not show it: the same again is refused without --again, and shown', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', lost);
    expect((await desk.run(home, changeArgs(order))).code).toBe(7);
    const change = journalRows(home)[0]?.change ?? '';
    const settle = [
      'journal',
      'settle',
      change,
      '--applied',
      '--note',
      'seen at the bank',
      '--confirm',
      order.id,
    ];
    expect((await desk.run(home, settle)).code).toBe(0);
    order.onPost = (_, apply) => json(apply());
    const same = await desk.run(home, changeArgs(order));
    expect({ code: same.code, posts: order.posts.length }, same.stderr).toEqual({ code: 3, posts: 1 });
    expect(same.stderr).toContain(change);
    const again = await desk.run(home, [...changeArgs(order), '--again', change]);
    expect({ code: again.code, posts: order.posts.length }, again.stderr).toEqual({ code: 0, posts: 2 });
  });
});
