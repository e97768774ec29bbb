/** What the people of a team see of each other: who has an order open, and what is sent while somebody watches. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startInMemory } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import type { TestDesk } from '../harness/sender.ts';
import { Transcript } from '../harness/transcript.ts';
import { type Ledger, ordersOf, startLedger } from './ledger.ts';
import { post } from './raw-hop.ts';
import { newTeam } from './team.ts';

const shop = ['-p', 'shop'];
let ledger: Ledger;
let ana: TestDesk;
let ben: TestDesk;

beforeAll(async () => {
  ledger = await startLedger({ orders: ordersOf(5) });
  ana = await ledger.sender.desk('ana', 'operator', 'desk-1');
  ben = await ledger.sender.desk('ben', 'operator', 'desk-2');
});
afterAll(() => ledger[Symbol.asyncDispose]());

test('who has an order open is named to others for ten minutes, or until another one is opened there or it is sent', async () => {
  const team = newTeam();
  const opened = (person: 'ana' | 'ben', order: string) => team.rules(person).opened(order);
  const since = team.clock.time;
  expect(await opened('ana', 'ord_1')).toEqual([]);
  expect(await opened('ana', 'ord_1')).toEqual([]);
  expect(await opened('ben', 'ord_1')).toEqual([{ member: 'ana', since }]);
  expect(await opened('ben', 'ord_2')).toEqual([]);
  // Ben has gone on to another one.
  expect(await opened('ana', 'ord_1')).toEqual([]);
  await team.send('ana', team.refund(10, {}, 'ord_1'));
  expect(await opened('ben', 'ord_1')).toEqual([]);
  await opened('ana', 'ord_3');
  team.clock.time += 10 * 60_000 + 1;
  expect(await opened('ben', 'ord_3')).toEqual([]);
});

test('whoever is asked about a refund is told who else has the order open, and a script is not', async () => {
  await post(ledger.sender.url, ana.token, '/v1/rules/shop/opened', { orderId: 'ord_A1' });
  const refund = [...shop, 'orders', 'refund', 'ord_A1', '--amount', '300'];
  const person = sit([...refund, '--reason', 'other', '--note', 'x1'], { home: ben.home, env: {} });
  await person.waitFor(/ana has this order open since/);
  await person.answer(/\?/, '\x03');
  await person.leaves;
  const { code, stderr } = await ben.run([...refund, '--yes']);
  expect(stderr).not.toContain('has this order open');
  expect(code).toBe(0);
});

test('today --watch shows what others send, counts what is under way, waits or is unconfirmed, and ends with Ctrl-C and 0', async () => {
  const screen = new Transcript();
  const watch = startInMemory(
    [...shop, 'today', '--watch'],
    { home: ben.home, machineName: 'desk-2', columns: 100, sleeps: 'really' },
    { shown: (chunk) => screen.write(chunk.toString()) },
  );
  await screen.waitFor(/0 under way, 0 waiting for approval, 0 unconfirmed, 0 refused/);
  const ran = await ana.run([...shop, 'orders', 'refund', 'ord_A2', '--amount', '300', '--yes']);
  expect(ran.code).toBe(0);
  await screen.waitFor(/ana on desk-1: refund of 300 MXN on ord_A2: made/);
  watch.signal('SIGINT');
  expect((await watch.end).code).toBe(0);
});
