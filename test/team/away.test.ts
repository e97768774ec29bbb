/** The server of a team is away, or does not let a member in any more: what the screens say then, and what helps. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts';
import { chargeOf, type Json, listOf, orderOf, refundedWhole, refundOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { lastRecord } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { type Service, startService } from '../harness/service.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { joinTeam } from './joined.ts';

let team: Team;
let proxy: CuttingProxy;
let service: Service;
let ana: Home;
/** Called when a refund has reached the service, before it answers. */
let onSent: () => void = () => undefined;
let losesReplies = false;

beforeAll(async () => {
  team = await newTeam();
  proxy = await startCuttingProxy(team.database.server.port);
  service = await startService({
    sendsDate: false,
    orders: [1, 2, 3, 4, 5].map((number) =>
      orderOf(`ord_a${number}`, [chargeOf(`ch_${number}`, 899 + number)]),
    ),
    onPost: (order, { orders }) => {
      const changed = refundedWhole(order ?? {});
      onSent();
      if (losesReplies) return (_request, _response, socket) => void socket.destroy();
      service.orders = orders.map((one: Json) => (one.id === changed.id ? changed : one));
      return json(changed);
    },
  });
  ana = newHome();
  await joinTeam(ana, service.url, team.database, { person: 'ana', port: proxy.port });
});
beforeEach(() => {
  onSent = () => undefined;
  losesReplies = false;
  proxy.refuse(false);
});
afterAll(async () => {
  ana[Symbol.dispose]();
  await proxy[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

const run = (...args: readonly string[]): Promise<Ran> => paydesk(args, { home: ana, env: service.env });
const errorOf = ({ stderr }: Ran) => lastRecord(stderr);
const goAway = () => {
  proxy.refuse(true);
  proxy.cut();
};

test('what a read shows and the server cannot take is called not recorded, and the way on is to wait for the server', async () => {
  losesReplies = true;
  const { intent } = errorOf(await run('orders', 'refund', 'ord_a1', '--yes', '--json'));
  losesReplies = false;
  service.orders = service.orders.map((one) => (one.id === 'ord_a1' ? refundedWhole(one) : one));
  goAway();
  const looked = await run('journal', 'reconcile', intent, '--json');
  expect(looked.code).toBe(7);
  expect(errorOf(looked)).toMatchObject({
    certain: expect.stringContaining('applied'),
    now: [expect.stringContaining('wait until the server of the team answers'), expect.anything()],
    commands: [['paydesk', 'journal', 'reconcile', intent]],
  });
  const text = await run('journal', 'reconcile', intent);
  expect(text.stderr).toContain('not recorded: the result for ord_a1 could not be recorded');
  expect(text.stderr).not.toContain('free some space');
  proxy.refuse(false);
  expect(await run('journal', 'reconcile', intent)).toMatchObject({ code: 0 });
});

test('a lost reply whose outcome the server cannot take: why, one command, and no end of the block that nobody knows', async () => {
  losesReplies = true;
  onSent = goAway;
  const lost = await run('orders', 'refund', 'ord_a2', '--yes');
  expect(lost.code).toBe(7);
  const told = lost.stderr.replaceAll(/\s+/g, ' ');
  expect(told).toContain("the journal does not have this: the team's journal");
  expect(told).toContain(
    'copy these lines into the ticket; wait until the server of the team answers, then:',
  );
  expect(told.split('paydesk journal reconcile').length - 1).toBe(1);
  expect(told).not.toContain('at the latest');
});

test('an order and the day are shown with the age of what is known, and no command that cannot be used', async () => {
  await run('orders', 'refund', 'ord_a3', '--yes');
  // A colleague refunds it, and this machine has not heard of that.
  service.orders = service.orders.map((one) => (one.id === 'ord_a4' ? partOf(one) : one));
  const there = await run('orders', 'show', 'ord_a4');
  expect(there.stdout).toContain("not in the team's journal");
  expect(there.stdout).toContain('orders refund ord_a4');
  goAway();
  const shown = await run('orders', 'show', 'ord_a4');
  expect(shown.code, shown.stderr).toBe(0);
  const [sends, asOf] = shown.stdout.trim().split('\n').slice(-2);
  expect(sends).toBe("nothing can be sent now: the team's journal cannot be used");
  expect(asOf).toMatch(/^what the team recorded is as of \d\d:\d\d:\d\d/);
  expect(shown.stdout).toContain("not known to this copy of the team's journal");
  expect(shown.stdout).not.toContain('orders refund');
  const today = await run('today');
  expect(today.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /team what the team recorded is as of .*, and nothing can be sent now/,
  );
  const rows = JSON.parse((await run('today', '--json')).stdout).data;
  const ofJournal = rows.filter(({ complete }: Json) => complete === false);
  expect(ofJournal.map(({ what }: Json) => what)).toEqual([
    'unconfirmed',
    'made_twice',
    'has_appeared',
    'failed',
    'gone',
  ]);
});

/** The order after a refund of 100 that the team's journal does not know. */
function partOf(order: Json): Json {
  const refunds = listOf(refundOf('rf_colleague', 100));
  return {
    ...order,
    amount_refunded: 100,
    payment_status: 'partially_refunded',
    charges: listOf(chargeOf('ch_4', 903, { refunds })),
  };
}
