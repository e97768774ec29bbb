/** Many desks ask for the same, or use up the same limit, at the same moment: exactly what is allowed is sent. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Change } from '../../src/journal/journal.ts';
import { isLong } from '../harness/long.ts';
import { type Json, paidOrder } from '../harness/orders.ts';
import { type Home, newHome } from '../harness/paydesk.ts';
import { lastRecord } from '../harness/ran.ts';
import type { TestDesk } from '../harness/sender.ts';
import { json } from '../harness/server.ts';
import { type DirectDesk, directDesk, quickClock, type Said } from './direct-desk.ts';
import { type Ledger, startLedger } from './ledger.ts';

// In pieces of a few minutes each.
const [pieces, rounds, rules, most] = isLong ? [4, 500, 10, 20] : [1, 6, 2, 8];
const shop = ['-p', 'shop'];

let ledger: Ledger;
let lea: TestDesk;
let folder: Home;
const homes: TestDesk[] = [];
const desks: DirectDesk[] = [];
let taken = 0;

beforeAll(async () => {
  folder = newHome();
  ledger = await startLedger({
    orders: Array.from({ length: pieces * rounds + rules * (most + 2) }, (_, at) => paidOrder(`ord_${at}`)),
    settings: { 'orders.get': 'direct' },
    onPage: ({ url }) => {
      const order = ledger.service.orders.find(({ id }) => url === `/orders/${String(id)}`);
      return order === undefined ? undefined : json(order);
    },
  });
  lea = await ledger.sender.desk('lea', 'lead');
  for (let at = 0; at < most; at += 1) {
    const home = await ledger.sender.desk(`m${at}`, 'operator', `desk-${at}`);
    homes.push(home);
    desks.push(deskOf(home));
  }
}, 600_000);
afterAll(async () => {
  for (const desk of desks) desk.close();
  await ledger[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

// No connection breaks here, so silence lasts as long as at the desk of a person.
function deskOf({ token }: TestDesk, saysYesAgain = false): DirectDesk {
  const { url } = ledger.sender;
  return directDesk({ url, token, folder: folder.path, clock: quickClock(1), saysYesAgain });
}

function newOrder(): Json {
  taken += 1;
  return ledger.service.orders.find(({ id }) => id === `ord_${taken - 1}`) ?? {};
}

let ids = 0;
const newId = () => {
  ids += 1;
  return `i_same${ids}`;
};
const limit = async (who: string, ...values: readonly string[]) => {
  const words = ['sender', 'limits', 'set', who, 'MXN', ...values, '--yes'];
  expect((await lea.run([...shop, ...words])).code).toBe(0);
};

/** What each desk says, sorted: a refund of the order at its place for each of them. */
async function atOnce(
  asking: readonly DirectDesk[],
  orderAt: (at: number) => Json,
  more: (at: number) => Partial<Change> = () => ({}),
): Promise<readonly Said[]> {
  const said = asking.map(async (desk, at) => (await desk.refund(orderAt(at), newId(), more(at))).said);
  return (await Promise.all(said)).toSorted();
}

function saidBy(made: number, all = most): readonly Said[] {
  return Array.from({ length: all }, (_, at) => (at < made ? 'made' : 'refused'));
}

test.for(Array.from({ length: pieces }, (_, before) => before + 1))(
  `the same refund from 2 to ${most} desks at the same moment is one request to the service (%i of ${pieces})`,
  { timeout: 3_600_000 },
  async (piece) => {
    const counts = { desks: 0, posts: 0 };
    for (let round = 0; round < rounds; round += 1) {
      // Who asks first changes.
      const asking = [...desks.slice(round % most), ...desks.slice(0, round % most)].slice(
        0,
        2 + (round % (most - 1)),
      );
      const order = newOrder();
      expect(await atOnce(asking, () => order)).toEqual(saidBy(1, asking.length));
      expect(ledger.posts(String(order.id))).toBe(1);
      counts.desks += asking.length;
      counts.posts += 1;
    }
    process.stdout.write(
      `same moment, ${piece} of ${pieces}: ${rounds} refunds, ${counts.desks} hand-overs: ${counts.posts} requests to the service\n`,
    );
  },
);

test(`${most} refunds of one person at the same moment: as many as the limit of the day allows`, async () => {
  const ana = await ledger.sender.desk('ana');
  const own = Array.from({ length: most }, () => deskOf(ana));
  // Of 300 each; what is left of a round counts in the next one.
  const madeUntil = (round: number) => Math.floor((round * 1300) / 300);
  for (let round = 1; round <= rules; round += 1) {
    await limit('ana', '--day', String(round * 1300));
    const orders = own.map(newOrder);
    const made = madeUntil(round) - madeUntil(round - 1);
    expect(await atOnce(own, (at) => orders[at] ?? {})).toEqual(saidBy(made));
    expect(orders.reduce((sum, { id }) => sum + ledger.posts(String(id)), 0)).toBe(made);
  }
  for (const desk of own) desk.close();
}, 600_000);

test(`one approval in ${most} refunds at the same moment is used once`, async () => {
  const [ben, lou] = [await ledger.sender.desk('ben'), await ledger.sender.desk('lou')];
  await limit('ben', '--second', '300');
  const own = Array.from({ length: most }, () => deskOf(ben));
  for (let round = 0; round < rules; round += 1) {
    const order = newOrder();
    const id = String(order.id);
    const ran = await ben.run([...shop, 'orders', 'refund', id, '--amount', '300', '--yes', '--json']);
    const approval = String(lastRecord(ran.stderr).approval);
    expect((await lou.run([...shop, 'approvals', 'approve', approval, '--yes'])).code).toBe(0);
    const asApproved = () => ({ approval });
    expect(await atOnce(own, () => order)).toEqual(saidBy(0));
    expect(await atOnce(desks, () => order, asApproved)).toEqual(saidBy(0));
    expect(await atOnce(own, () => order, asApproved)).toEqual(saidBy(1));
    expect(ledger.posts(id)).toBe(1);
  }
  for (const desk of own) desk.close();
}, 600_000);

test(`${most} refunds of one order at the same moment: as many as its limit allows`, async () => {
  await limit('all', '--max', '500');
  const again = homes.map((home) => deskOf(home, true));
  for (let round = 0; round < rules; round += 1) {
    const order = newOrder();
    // Any four of them are less than 500, and no five are.
    const amountAt = (at: number) => ({ amount: 101 + at });
    expect(await atOnce(again, () => order, amountAt)).toEqual(saidBy(4));
    expect(ledger.posts(String(order.id))).toBe(4);
  }
  for (const desk of again) desk.close();
}, 600_000);
