/** An order is found by paging before and after a refund, however badly the service pages: never another one, never a guess. */

import { describe, expect, test } from 'vitest';
import { chargeOf, type Json, newRefundOf, orderOf, withRefund } from '../harness/orders.ts';
import { type Handler, json, reset, startServer, type TestServer } from '../harness/server.ts';
import { changeArgs, type Desk, openDesk, refundAmount, story } from './desk.ts';

/** How a service pages; all of it may change while it runs. */
interface Habits {
  readonly ignoresPrevious?: boolean;
  /** Instead of `limit`. */
  readonly pageSize?: number;
  /** Answers cursors that it does not know: all of them, where it is given. */
  readonly cursors?: Handler;
  /** The first page for ever, which says that more follow. */
  readonly loops?: boolean;
  /** A new order appears after this read. */
  readonly growsAfter?: number;
}

interface Shop extends AsyncDisposable {
  readonly server: TestServer;
  readonly desk: Desk;
  habits: Habits;
  posts(): readonly string[];
}

/** A service of nine orders, newest first. With habits `afterLoss` the reply to a refund is lost, and they begin. */
async function openShop(first: Habits, afterLoss?: Habits): Promise<Shop> {
  let habits = first;
  let reads = 0;
  let orders = Array.from({ length: 9 }, (_, index): Json => {
    const id = `ord_${9 - index}`;
    return orderOf(id, [chargeOf(`ch_${id}`, 35_000, { order_id: id })]);
  });
  const list = (query: URLSearchParams): Handler => {
    reads += 1;
    if (reads === (habits.growsAfter ?? 0) + 1 && habits.growsAfter !== undefined) {
      orders = [orderOf('ord_10', [chargeOf('ch_10', 35_000)]), ...orders];
    }
    const previous = habits.ignoresPrevious === true || habits.loops === true ? null : query.get('previous');
    const cursor = previous ?? query.get('next');
    if (cursor !== null && habits.cursors !== undefined) return habits.cursors;
    const at = habits.loops === true || cursor === null ? -1 : orders.findIndex(({ id }) => id === cursor);
    const size = habits.pageSize ?? Number(query.get('limit') ?? 20);
    const end = previous === null ? at + 1 + size : at;
    const start = previous === null ? at + 1 : Math.max(0, at - size);
    const more = previous === null ? end < orders.length : start > 0;
    const data = orders.slice(start, end);
    return json({ object: 'list', has_more: habits.loops === true || more, data });
  };
  const refund = (url: string): Handler => {
    const id = url.split('/')[2];
    orders = orders.map((one) =>
      one.id === id ? withRefund(one, newRefundOf(`rf_${id}`, refundAmount), refundAmount) : one,
    );
    if (afterLoss === undefined) return json(orders.find((one) => one.id === id));
    habits = afterLoss;
    return reset;
  };
  const server = await startServer((request, response, socket) => {
    const answer =
      request.method === 'GET' ? list(new URL(request.url, 'http://x').searchParams) : refund(request.url);
    return answer(request, response, socket);
  });
  const settings = { 'orders.get': 'paged', 'reconcile.after': '0' };
  const desk = await openDesk({ url: server.url, settings });
  return {
    server,
    desk,
    get habits() {
      return habits;
    },
    set habits(next) {
      habits = next;
    },
    posts: () => server.requests.filter(({ method }) => method === 'POST').map(({ url }) => url),
    async [Symbol.asyncDispose]() {
      desk[Symbol.dispose]();
      await server.close();
    },
  };
}

const refund = (id: string) => changeArgs({ id, kind: 'refund' });
const refusesCursors = json({ object: 'error', type: 'a', details: [{ message: 'no' }] }, 422);

describe.concurrent('the order is found, and no other one (F33)', () => {
  test.each<[string, string, Habits]>([
    ['it is the first of the list', 'ord_9', {}],
    ['it is the last of the list', 'ord_1', {}],
    ['the service ignores previous', 'ord_5', { ignoresPrevious: true }],
    ['a new order appears between the two reads', 'ord_9', { growsAfter: 1 }],
    ['the service refuses cursors and shows all at once', 'ord_2', { cursors: refusesCursors, pageSize: 50 }],
  ])('%s: one refund, of that order', async (_, id, habits) => {
    await using shop = await openShop(habits);
    using home = shop.desk.newHome();
    const { code, stderr } = await shop.desk.run(home, refund(id));
    expect({ code, posts: shop.posts(), story: story(home) }, stderr).toEqual({
      code: 0,
      posts: [`/orders/${id}/refunds`],
      story: 'sent applied',
    });
  });

  test.each<[string, Habits, number, string]>([
    ['the pages loop', { loops: true, pageSize: 3 }, 9, 'the service sends the same page again'],
    [
      'the cursor is refused and the rest out of reach',
      { cursors: refusesCursors, pageSize: 3 },
      5,
      'HTTP 422',
    ],
  ])('%s: nothing is sent, and it says what it met', async (_, habits, exit, says) => {
    await using shop = await openShop(habits);
    using home = shop.desk.newHome();
    const { code, stderr } = await shop.desk.run(home, refund('ord_2'));
    expect({ code, posts: shop.posts(), story: story(home) }, stderr).toEqual({
      code: exit,
      posts: [],
      story: '',
    });
    expect(stderr).toContain(says);
  });

  test('after a lost reply the order cannot be found any more: unknown, exit 7; once it can, applied', async () => {
    await using shop = await openShop({}, { loops: true, pageSize: 3 });
    using home = shop.desk.newHome();
    const { code, stderr } = await shop.desk.run(home, refund('ord_5'));
    expect({ code, posts: shop.posts().length, story: story(home) }, stderr).toEqual({
      code: 7,
      posts: 1,
      story: 'sent unknown unknown',
    });
    expect(stderr).toContain('paydesk could not look it up');
    shop.habits = { ignoresPrevious: true };
    const later = await shop.desk.run(home, ['journal', 'reconcile', '--all']);
    expect({ code: later.code, posts: shop.posts().length }, later.stderr).toEqual({ code: 0, posts: 1 });
    expect(story(home)).toBe('sent unknown unknown applied');
  });
});
