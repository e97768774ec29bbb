/** What a reply confirmed is looked at again: a service that does it twice, or another desk, raises the alarm at every desk. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, listOf } from '../harness/orders.ts';
import { copyOf, type Home } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { changeArgs, ledgerAndDesk, openDesk, refundAmount, story } from './desk.ts';
import { type LedgerOrder, startLedger } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();

const body = JSON.stringify({ amount: refundAmount });

/** A refund that its reply confirmed. */
async function confirmed(home: Home, at = desk): Promise<LedgerOrder> {
  const order = ledger.add('refund');
  const { code, stderr } = await at.run(home, changeArgs(order));
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain('MADE TWICE');
  return order;
}

const idsOf = ({ id }: LedgerOrder) => new RegExp(`rf_${id}_1.*rf_${id}_2`);

describe('the service makes a refund once more, a second after its reply', () => {
  let home: Home;
  let order: LedgerOrder;
  beforeAll(async () => {
    home = desk.newHome();
    order = await confirmed(home);
    order.apply(body);
  });
  afterAll(() => home[Symbol.dispose]());

  const other = () => changeArgs(ledger.add('refund'));
  test.each<[string, () => readonly string[], number]>([
    ['journal list', () => ['journal', 'list'], 0],
    ['journal reconcile', () => ['journal', 'reconcile'], 7],
    ['journal reconcile --all', () => ['journal', 'reconcile', '--all'], 7],
    ['a refund of another order', other, 0],
  ])('the next `%s` says so on stderr, --quiet or not, with one request about it', async (_, args, exit) => {
    using copy = copyOf(home);
    const before = order.reads;
    const ran = await desk.run(copy, [...args(), '--quiet']);
    expect({ code: ran.code, posts: order.posts.length }, ran.stderr).toEqual({ code: exit, posts: 1 });
    expect(ran.stderr).toContain('MADE TWICE');
    expect(order.reads - before).toBe(1);
    expect(story(copy)).toMatch(/^sent applied applied/);
    const again = await desk.run(copy, ['journal', 'reconcile', '--all', '--quiet']);
    expect(again.code, again.stderr).toBe(7);
    expect(again.stderr).toContain('MADE TWICE');
  });

  test('the same order again is not refunded: the alarm names both refunds, exit 7', async () => {
    using copy = copyOf(home);
    const ran = await desk.run(copy, [...changeArgs(order), '--again', `rf_${order.id}_2`, '--quiet']);
    expect({ code: ran.code, posts: order.posts.length }, ran.stderr).toEqual({ code: 7, posts: 1 });
    expect(inOneLine(ran.stderr)).toMatch(idsOf(order));
  });
});

describe.concurrent('a second desk makes the equal refund at the same time', () => {
  test('each reply shows its own alone: the next look raises the alarm at both desks', async () => {
    using here = desk.newHome();
    using there = desk.newHome();
    const order = ledger.add('refund');
    const before = order.value;
    const both = Promise.withResolvers<void>();
    order.onPost = (posted) => {
      const post = posted.posts.length;
      if (post === 2) both.resolve();
      return async (...request) => {
        await both.promise;
        const own = alone(before, posted.apply(body), post);
        return json(own)(...request);
      };
    };
    const ran = await Promise.all([here, there].map((home) => desk.run(home, changeArgs(order))));
    expect({ codes: ran.map(({ code }) => code), done: order.done() }).toEqual({ codes: [0, 0], done: 2 });
    for (const home of [here, there]) {
      const look = await desk.run(home, ['journal', 'reconcile', '--all', '--quiet']);
      expect({ code: look.code, story: story(home) }, look.stderr).toEqual({
        code: 7,
        story: 'sent applied applied',
      });
      expect(look.stderr).toContain('MADE TWICE');
    }
    expect(order.posts).toHaveLength(2);
  });
});

/** The order as it was, with the refund that was made as number so-and-so, and with no other. */
function alone(before: Json, now: Json, post: number): Json {
  const own = recordsOf(now)[post - 1] ?? {};
  return {
    ...before,
    payment_status: 'partially_refunded',
    amount_refunded: refundAmount,
    charges: listOf({ ...chargeIn(now), refunds: listOf(own) }),
  };
}

function chargeIn({ charges }: Json): Json {
  return (charges as { readonly data: readonly Json[] }).data[0] ?? {};
}

function recordsOf(order: Json): readonly Json[] {
  return (chargeIn(order).refunds as { readonly data: readonly Json[] }).data;
}

describe('looking again costs a command one request', () => {
  test.each(['direct', 'paged'])(
    'three refunds are watched, orders are read %s: one request more than without',
    async (get) => {
      await using own = await startLedger();
      using reading = await openDesk({ url: own.url, settings: { 'orders.get': get } });
      using fresh = reading.newHome();
      using watching = reading.newHome();
      const requestsOfARefund = async (home: Home): Promise<number> => {
        const before = own.server.requests.length;
        const { code, stderr } = await reading.run(home, changeArgs(own.add('refund')));
        expect(code, stderr).toBe(0);
        return own.server.requests.length - before;
      };
      const without = await requestsOfARefund(fresh);
      const more = [];
      for (const _ of [1, 2, 3, 4]) more.push((await requestsOfARefund(watching)) - without);
      expect(more).toEqual([0, 1, 1, 1]);
      const before = own.server.requests.length;
      expect((await reading.run(watching, ['journal', 'list'])).code).toBe(0);
      expect(own.server.requests.length - before).toBe(1);
    },
  );
});

describe.concurrent('a refund record with the status `reversed`', () => {
  const reversed = (order: Json): Json => {
    const refunds = listOf(...recordsOf(order).map((record) => ({ ...record, status: 'reversed' })));
    return { ...order, charges: listOf({ ...chargeIn(order), refunds }) };
  };

  test('in the reply, with the money gone: both figures, and no plain yes (7)', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', (one, apply) => {
      one.value = reversed(apply());
      return json(one.value);
    });
    const ran = await desk.run(home, changeArgs(order));
    expect({ code: ran.code, posts: order.posts.length }, ran.stderr).toEqual({ code: 7, posts: 1 });
    expect(inOneLine(ran.stderr)).toContain(`without rf_${order.id}_1 (status reversed)`);
  });

  test('after the reply: the next look says so (7)', async () => {
    using home = desk.newHome();
    const order = await confirmed(home);
    order.value = { ...reversed(order.value), amount_refunded: 0 };
    const look = await desk.run(home, ['journal', 'reconcile', '--all', '--quiet']);
    expect({ code: look.code, story: story(home) }, look.stderr).toEqual({
      code: 7,
      story: 'sent applied applied',
    });
    expect(inOneLine(look.stderr)).toContain('FAILED: refund of');
    expect(inOneLine(look.stderr)).toContain(`the order now shows refund rf_${order.id}_1 as failed`);
  });

  test('a status that nobody knows is shown as it came, and never taken as made (7)', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', (one, apply) => {
      one.value = JSON.parse(JSON.stringify(reversed(apply())).replace('reversed', 'in_clearing')) as Json;
      return json(one.value);
    });
    const ran = await desk.run(home, changeArgs(order));
    expect({ code: ran.code, posts: order.posts.length }, ran.stderr).toEqual({ code: 7, posts: 1 });
    expect(inOneLine(ran.stderr)).toContain(`refund rf_${order.id}_1 has the status in_clearing`);
  });
});
