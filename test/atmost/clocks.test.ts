/** Clocks that were set, and zones: no horizon expires while the clocks disagree, so nothing becomes free to be sent. */

import { describe, expect, test } from 'vitest';
import { clockOff, later } from '../harness/clock.ts';
import { copyOf, type Home } from '../harness/paydesk.ts';
import { json, reset } from '../harness/server.ts';
import { changeArgs, journalRows, ledgerAndDesk, openDesk, story } from './desk.ts';
import { honest, type LedgerOrder } from './ledger.ts';

// The horizon of a part is over at once: only a clock that cannot be believed keeps it.
const { ledger, desk } = await ledgerAndDesk({ 'refund.horizon_part': '0ms' });

const day = 86_400_000;

/** An order whose refund was lost and not made: `not_seen`, and its horizon is over. */
function lostRefund(home: Home): Promise<LedgerOrder> {
  return lostRefundAfter(home, '');
}

/** The same in a journal that tells something before it. */
async function lostRefundAfter(home: Home, before: string): Promise<LedgerOrder> {
  const order = ledger.add('refund', () => reset);
  const { code, stderr } = await desk.run(home, changeArgs(order));
  expect({ code, story: story(home) }, stderr).toEqual({ code: 7, story: `${before}sent unknown not_seen` });
  order.onPost = honest;
  return order;
}

const again = (order: LedgerOrder, home: Home): readonly string[] => [
  ...changeArgs(order),
  '--again',
  String(journalRows(home).findLast(({ type }) => type === 'sent')?.change),
];

describe.concurrent('no horizon expires while the clocks disagree (F42)', () => {
  // One refund that was lost, in a copy of its journal for each clock; at the end the clocks agree, and it may be sent.
  test("this machine's clock or the service's Date is off: refused, and the difference is said; they agree: a person may send it again", async () => {
    using lost = desk.newHome();
    const order = await lostRefund(lost);
    for (const [ms, says] of [
      [day, '(1440|1439) min ahead of'],
      [-day, '(1440|1439) min behind'],
      [180_500, '3 min ahead of'],
    ] as const) {
      using home = copyOf(lost);
      const { code, stderr } = await desk.run(home, again(order, home), clockOff(ms));
      expect({ code, posts: order.posts.length }, `${says}: ${stderr}`).toEqual({ code: 3, posts: 1 });
      expect(stderr).toContain('is still unconfirmed');
      const said = new RegExp(`this machine's clock is ${says} the service's`);
      expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(said);
    }
    for (const ms of [day, -day]) {
      using home = copyOf(lost);
      const date = new Date(Date.now() + ms).toUTCString();
      order.onRead = () => json(order.value, 200, { date });
      const { code, stderr } = await desk.run(home, again(order, home));
      expect({ code, posts: order.posts.length }, `${date}: ${stderr}`).toEqual({ code: 3, posts: 1 });
      expect(stderr).toContain('is still unconfirmed');
    }
    order.onRead = undefined;
    const { code, stderr } = await desk.run(lost, again(order, lost));
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 0, posts: 2 });
    expect(stderr).not.toContain("this machine's clock");
  });

  test('a Date of the year 9999 in one reply keeps no horizon of another order from its end', async () => {
    using home = desk.newHome();
    const date = 'Fri, 31 Dec 9999 23:59:59 GMT';
    const odd = ledger.add('refund', (_, apply) => json(apply(), 200, { date }));
    expect((await desk.run(home, changeArgs(odd))).code).toBe(0);
    const order = await lostRefundAfter(home, 'sent applied ');
    const { code, stderr } = await desk.run(home, again(order, home));
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 0, posts: 2 });
    const shown = await desk.run(home, ['journal', 'list', '--json']);
    expect(shown.stdout).not.toContain('253402300');
  });

  test('a verdict of a moment at which the clocks disagree starts no horizon; the next read does', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', () => reset);
    expect((await desk.run(home, changeArgs(order), clockOff(-day))).code).toBe(7);
    expect(journalRows(home).map(({ skewed }) => skewed)).toEqual([true, true, true]);
    order.onPost = honest;
    order.onRead = () => reset;
    const blind = await desk.run(home, ['journal', 'list', '--open', '--json']);
    expect(JSON.parse(blind.stdout).data).toHaveLength(1);
    order.onRead = undefined;
    expect((await desk.run(home, again(order, home))).code).toBe(0);
    expect(story(home)).toBe('sent unknown not_seen not_seen sent applied');
  });

  test.each([
    ['a day ahead', day],
    ['a day behind', -day],
  ])('the clock is %s while a reply is lost: the verdict is the same', async (_, ms) => {
    using home = desk.newHome();
    const order = ledger.add('refund', (_order, apply) => {
      apply();
      return reset;
    });
    const { code, stderr } = await desk.run(home, changeArgs(order), clockOff(ms));
    expect({ code, posts: order.posts.length, story: story(home) }, stderr).toEqual({
      code: 0,
      posts: 1,
      story: 'sent unknown applied',
    });
  });

  test('a refund that a read showed is watched until a read after its time, and not read again then', async () => {
    using watching = await openDesk({ url: ledger.url });
    using home = watching.newHome();
    const order = ledger.add('refund', (_order, apply) => {
      apply();
      return reset;
    });
    const reconcile = (env = {}) => watching.run(home, ['journal', 'reconcile', '--all'], env);
    expect((await watching.run(home, changeArgs(order))).code).toBe(0);
    expect(await reconcile()).toMatchObject({ code: 0, stdout: expect.stringContaining(order.id) });
    expect(story(home)).toBe('sent unknown applied');

    const tomorrow = later(day + 60_000);
    order.onRead = () => json(order.value, 200, { date: new Date(Date.now() + day + 60_000).toUTCString() });
    expect(await reconcile(tomorrow)).toMatchObject({ code: 0, stdout: expect.stringContaining(order.id) });
    expect(story(home)).toBe('sent unknown applied applied');
    expect((await reconcile(tomorrow)).stderr).toContain('nothing is unconfirmed');
    expect(story(home)).toBe('sent unknown applied applied');
  });

  test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])('the zone %s changes nothing', async (TZ) => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    expect((await desk.run(home, changeArgs(order), { TZ })).code).toBe(0);
    expect(story(home)).toBe('sent applied');
  });
});
