/** All that an order shows counts: what does not agree is neither "made" nor "not made", and both figures are on screen. */

import { describe, expect, test } from 'vitest';
import { type Json, listOf, newRefundOf, notReturnable, withCharge, withRefund } from '../harness/orders.ts';
import type { Home, Ran } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { type Handler, json, reset } from '../harness/server.ts';
import { changeArgs, journalRows, ledgerAndDesk, refundAmount, story } from './desk.ts';
import { chargeAmount, honest, type LedgerOrder, type OnPost } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();

const invalid = { object: 'error', type: 'parameter_validation_error', details: [{ message: 'no' }] };
/** Neither "made" nor "not made": exit 7, one POST, the last row unknown, and the same command is refused. */
async function expectUnknown(home: Home, order: LedgerOrder): Promise<Ran> {
  const ran = await desk.run(home, changeArgs(order));
  expect({ code: ran.code, posts: order.posts.length }, ran.stderr).toEqual({ code: 7, posts: 1 });
  expect(journalRows(home).at(-1)?.verdict, ran.stderr).toBe('unknown');
  expect(ran.stdout).not.toContain('refunded');
  expect(inOneLine(ran.stderr)).not.toMatch(/moved no money|was not sent|does not show it yet/);
  order.onPost = honest;
  const same = await desk.run(home, changeArgs(order));
  expect({ code: same.code, posts: order.posts.length }, same.stderr).toEqual({ code: 3, posts: 1 });
  return ran;
}

/** Answers, once the order was changed so. */
const once =
  (change: (order: LedgerOrder) => unknown, answer: Handler): OnPost =>
  (order) => {
    change(order);
    return answer;
  };

/** The sum moves and no record shows. */
function hide(order: LedgerOrder): Json {
  order.value = { ...order.value, amount_refunded: refundAmount, updated_at: 1_790_000_099 };
  return order.value;
}

describe.concurrent('the sum went from 0 to 5000 and refunds are null: unknown, blocked, with both figures', () => {
  test.each<[string, OnPost]>([
    ['the reply is lost', once(hide, reset)],
    ['it is refused (422)', once(hide, json(invalid, 422))],
    ['it is refused by a documented error', once(hide, json(notReturnable, 428))],
    ['the reply says so (200)', (order) => json(hide(order))],
    [
      'the reply shows the order as it was (200)',
      (order, apply) => once(hide, json(order.value))(order, apply),
    ],
  ])('%s', async (_, onPost) => {
    using home = desk.newHome();
    const order = ledger.add('refund', onPost);
    const ran = await expectUnknown(home, order);
    const figures = 'amount_refunded went from 0 to 5000, but no refund is listed for it';
    expect(inOneLine(ran.stderr).split(figures)).toHaveLength(2);
  });

  test('the sum of the charge alone moved: unknown', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', (one) => {
      one.value = withCharge(one.value, { amount_refunded: refundAmount });
      return reset;
    });
    order.value = withCharge(order.value, { amount_refunded: 0 });
    const ran = await expectUnknown(home, order);
    expect(inOneLine(ran.stderr)).toContain('went from 0 to 5000, but no refund is listed for it');
  });

  test('the records come to less than the sum moved: unknown, with both figures', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', (one, apply) => {
      one.value = { ...apply(), amount_refunded: 2 * refundAmount };
      return json(one.value);
    });
    const ran = await expectUnknown(home, order);
    expect(inOneLine(ran.stderr)).toContain(
      'amount_refunded went from 0 to 10000, but the refunds listed add up to 5000',
    );
  });

  test('the record shows later: the next look says made, and nothing was sent twice', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', once(hide, reset));
    await expectUnknown(home, order);
    order.value = { ...order.value, amount_refunded: 0 };
    order.apply(order.posts[0]?.body ?? '');
    const look = await desk.run(home, ['journal', 'reconcile', '--all']);
    expect({ code: look.code, posts: order.posts.length, story: story(home) }, look.stderr).toEqual({
      code: 0,
      posts: 1,
      story: 'sent unknown unknown applied',
    });
  });
});

describe.concurrent('an order that says refunds were made and does not show them is not refunded', () => {
  test.each<[string, Json | null | undefined]>([
    ['refunds null', null],
    ['refunds absent', undefined],
    ['refunds an empty list', listOf()],
  ])('amount_refunded 300 and %s: refused (3), nothing sent, nothing in the journal', async (_, refunds) => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    order.value = withCharge({ ...order.value, amount_refunded: 300 }, { refunds });
    const ran = await desk.run(home, changeArgs(order));
    expect({ code: ran.code, posts: order.posts.length, story: story(home) }, ran.stderr).toEqual({
      code: 3,
      posts: 0,
      story: '',
    });
    expect(inOneLine(ran.stderr)).toMatch(
      /paydesk could not tell afterwards|its figures contradict each other/,
    );
  });
});

// Made an hour before, and not shown when the order was read.
const hidden = () =>
  newRefundOf('rf_hidden', refundAmount, { created_at: Math.floor(Date.now() / 1000) - 3_600 });

describe.concurrent('a refund that was hidden before is not taken for ours', () => {
  test.each<[string, OnPost]>([
    ['in the reply', (order) => json(appear(order))],
    ['in the read after a lost reply', once(appear, reset)],
    ['in the read after a refusal', once(appear, json(invalid, 422))],
  ])('it shows %s: unknown, with the time that it was made at', async (_, onPost) => {
    using home = desk.newHome();
    const order = ledger.add('refund', onPost);
    const ran = await expectUnknown(home, order);
    expect(inOneLine(ran.stderr)).toMatch(
      /refund rf_hidden was made at \d{4}-[^,]+, before this one was sent/,
    );
  });

  test('it shows at a later look: still not ours, exit 7', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', () => reset);
    expect((await desk.run(home, changeArgs(order))).code).toBe(7);
    appear(order);
    const look = await desk.run(home, ['journal', 'reconcile', '--all']);
    expect({ code: look.code, posts: order.posts.length, story: story(home) }, look.stderr).toEqual({
      code: 7,
      posts: 1,
      story: 'sent unknown not_seen unknown',
    });
  });

  test('it shows beside ours, which the reply confirmed: the next look is an alarm (7), not a quiet yes', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    expect((await desk.run(home, changeArgs(order))).code).toBe(0);
    appear(order);
    const look = await desk.run(home, ['journal', 'reconcile', '--all']);
    expect(look.code, look.stderr).toBe(7);
    expect(look.stdout).toContain('made twice');
  });
});

function appear(order: LedgerOrder): Json {
  order.value = withRefund(order.value, hidden(), refundAmount);
  return order.value;
}

describe.concurrent('something of the order moved and no record shows why: unknown, not "not made"', () => {
  test.each<[string, (order: Json) => Json, string]>([
    [
      'updated_at',
      (order) => ({ ...order, updated_at: 1_790_000_099 }),
      'updated_at was 1790000030 and is 1790000099',
    ],
    [
      'payment_status',
      (order) => ({ ...order, payment_status: 'partially_refunded' }),
      'payment_status was paid and is partially_refunded',
    ],
    ['is_refundable', (order) => ({ ...order, is_refundable: false }), 'is_refundable was true and is false'],
    [
      'the status of its charge',
      (order) => withCharge(order, { status: 'refunded' }),
      'was paid and is refunded',
    ],
    [
      'is_refundable of its charge',
      (order) => withCharge(order, { is_refundable: false }),
      'was true and is false',
    ],
  ])('%s, after a lost reply', async (_, change, words) => {
    using home = desk.newHome();
    const order = ledger.add('refund', (one) => {
      one.value = change(one.value);
      return reset;
    });
    const ran = await expectUnknown(home, order);
    expect(inOneLine(ran.stderr)).toContain(words);
  });

  test('updated_at, after a refusal (422): unknown, not "moved no money"', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', (one) => {
      one.value = { ...one.value, updated_at: 1_790_000_099 };
      return json(invalid, 422);
    });
    await expectUnknown(home, order);
  });
});

describe.concurrent("somebody else's refund of another amount, with sums that agree, hides nothing of ours", () => {
  const other = (order: LedgerOrder): void => {
    order.value = withRefund(order.value, newRefundOf('rf_other', 700), 700);
  };

  test('the reply is lost: not seen (7), their refund is in the journal, and ours is blocked', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', once(other, reset));
    const ran = await desk.run(home, changeArgs(order));
    expect({ code: ran.code, posts: order.posts.length, story: story(home) }, ran.stderr).toEqual({
      code: 7,
      posts: 1,
      story: 'sent unknown not_seen',
    });
    const shown = await desk.run(home, ['journal', 'show', String(journalRows(home)[0]?.change)]);
    expect(shown.stdout).toContain('refund rf_other   -700');
    expect((await desk.run(home, changeArgs(order))).code).toBe(3);
    expect(order.posts).toHaveLength(1);
  });

  test('it is refused as not refundable: exit 5, and their refund explains why', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', once(other, json(notReturnable, 428)));
    const ran = await desk.run(home, changeArgs(order));
    expect({ code: ran.code, posts: order.posts.length, story: story(home) }, ran.stderr).toEqual({
      code: 5,
      posts: 1,
      story: 'sent rejected',
    });
    expect(inOneLine(ran.stderr)).toMatch(
      new RegExp(`700 of ${chargeAmount} MXN went back on .+, elsewhere`),
    );
  });

  // Theirs is made first, in the same second, and the reply to ours is lost.
  const both: OnPost = (order, apply) => {
    other(order);
    apply();
    return reset;
  };

  test('both are made: the result, a repeat and the journal name ours alone', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', both);
    const args = [...changeArgs(order), '--idempotency-key', 'beside-1'];
    const ran = await desk.run(home, args);
    expect(ran.code, ran.stderr).toBe(0);
    const again = await desk.run(home, args);
    expect(again.code, again.stderr).toBe(0);
    const change = String(journalRows(home)[0]?.change);
    const shown = await desk.run(home, ['journal', 'show', change]);
    const listed = await desk.run(home, ['journal', 'list', '--json']);
    for (const { stdout } of [ran, again, shown, listed]) {
      expect(stdout).toContain(`rf_${order.id}_1`);
      expect(stdout).not.toContain('rf_other');
    }
    expect((await desk.run(home, ['journal', 'show', 'rf_other'])).code).toBe(5);
    order.onPost = honest;
    const used = [...changeArgs(order), '--again', `rf_${order.id}_1`];
    expect((await desk.run(home, used)).code).toBe(0);
    const refusal = await desk.run(home, used);
    expect(refusal.code).toBe(3);
    expect(refusal.stderr).toContain(`use rf_${order.id}_2`);
  });

  test('both failed at once: what the service accepted of ours is named alone', async () => {
    using home = desk.newHome();
    const fails = (order: LedgerOrder): void => {
      for (const [id, amount] of [['rf_other', 700] as const, ['rf_ours', refundAmount] as const])
        order.value = withRefund(order.value, newRefundOf(id, amount, { status: 'failed' }), 0);
      order.value = withCharge({ ...order.value, payment_status: 'paid' }, { status: 'paid' });
    };
    const order = ledger.add('refund', once(fails, reset));
    const ran = await desk.run(home, changeArgs(order));
    expect(ran.code, ran.stderr).toBe(5);
    expect(inOneLine(ran.stderr)).toContain('accepted it as rf_ours, but it failed');
    expect(ran.stderr).not.toContain('rf_other');
  });
});
