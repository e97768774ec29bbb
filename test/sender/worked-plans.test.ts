/** Plans that a sender works off: whoever is killed, stopped or joins meanwhile, the ledger is the plan, and each row is sent once. */

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import { type Home, paydesk, startInMemory } from '../harness/paydesk.ts';
import { lastRecord } from '../harness/ran.ts';
import { startSender, type TestDesk } from '../harness/sender.ts';
import { type Service, startService } from '../harness/service.ts';
import { ordersOf, refunding } from './ledger.ts';
import { startDeskProcess, startSenderProcess } from './processes.ts';
import { applyRaw, lastLine } from './raw-hop.ts';

const shop = ['-p', 'shop'];
const count = 5;
const amountOf = (at: number) => 100 + at;
const orderIds = Array.from({ length: count }, (_, at) => `ord_A${at + 1}`);
const often = { timeout: 60_000, interval: 50 };

interface Held extends AsyncDisposable {
  readonly service: Service;
  /** Called with the number of a refund that has arrived, before it is made. */
  onPost: (number: number) => void | Promise<void>;
  /** The orders whose refunds were asked for. */
  posts(): readonly string[];
}

/** A service that can be held at each of its refunds. */
async function startHeld(): Promise<Held> {
  const make = refunding();
  const held: Held = {
    service: await startService({
      orders: ordersOf(count),
      onPost:
        (order, service, request) =>
        async (...how) => {
          await held.onPost(service.posts.length);
          await make(order, service, request)(...how);
        },
    }),
    onPost: () => undefined,
    posts: () => held.service.posts.map(({ url }) => url.split('/')[2] ?? '').toSorted(),
    [Symbol.asyncDispose]: () => held.service[Symbol.asyncDispose](),
  };
  return held;
}

async function makePlan(home: Home, machineName = 'desk-1'): Promise<void> {
  const lines = orderIds.map((id, at) => `${id},${amountOf(at)}`);
  writeFileSync(join(home.path, 'rows.csv'), `order_id,amount\n${lines.join('\n')}\n`);
  const ran = await paydesk([...shop, 'refunds', 'plan', 'rows.csv', '--to', 'rows.plan'], {
    home,
    machineName,
  });
  if (ran.code !== 0) throw new Error(ran.stderr);
}

const apply = ['refunds', 'apply', 'rows.plan', '--yes', '--json', '--concurrency', '1'];

// What the ledger shows went back, order by order.
function ledgerOf({ orders }: Service): readonly unknown[] {
  return orderIds.map((id) => [id, orders.find((one) => one.id === id)?.amount_refunded]);
}

const asPlanned = orderIds.map((id, at) => [id, amountOf(at)]);

/** A promise that the test resolves. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { reached: promise, reach: resolve };
}

for (const at of isLong ? [1, 2, 4] : [2])
  test(`a desk that is killed at row ${at} is not needed: the sender works the plan off, and the same command shows its end`, async () => {
    await using held = await startHeld();
    await using sender = await startSenderProcess({ url: held.service.url });
    const home = await sender.desk('ana');
    await makePlan(home);
    const desk = startDeskProcess(home, apply);
    held.onPost = (number) => {
      if (number === at) desk.kill();
    };
    await desk.end;
    await expect.poll(() => ledgerOf(held.service), often).toEqual(asPlanned);
    const again = await paydesk([...shop, ...apply], { home });
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(held.posts()).toEqual(orderIds);
  });

for (const [what, at] of [
  ['the first', 1],
  ...(isLong ? ([['a middle', 3]] as const) : []),
  ['the last', count],
] as const)
  test(`a sender that is killed at ${what} row and started again goes on, and no row is sent twice`, async () => {
    await using held = await startHeld();
    await using sender = await startSenderProcess({
      url: held.service.url,
      settings: { 'refund.send_within': '1s' },
    });
    const home = await sender.desk('ana');
    await makePlan(home);
    const killed = gate();
    held.onPost = (number) => {
      if (number !== at) return;
      sender.signal('SIGKILL');
      killed.reach();
    };
    const desk = startDeskProcess(home, apply);
    await killed.reached;
    await sender.start();
    const ran = await desk.end;
    // Of the row that was under way nobody knows it yet, or the sender has looked.
    expect([0, 7]).toContain(ran.code);
    // As soon as nothing of it can be on its way any more.
    await expect.poll(async () => (await paydesk([...shop, ...apply], { home })).code, often).toBe(0);
    expect(ledgerOf(held.service)).toEqual(asPlanned);
    expect(held.posts()).toEqual(orderIds);
  });

test('a sender that was killed works on without any desk once it is started again', async () => {
  await using held = await startHeld();
  await using sender = await startSenderProcess({ url: held.service.url });
  const home = await sender.desk('ana');
  await makePlan(home);
  const killed = gate();
  const desk = startDeskProcess(home, apply);
  held.onPost = (number) => {
    if (number !== 2) return;
    desk.kill();
    sender.signal('SIGKILL');
    killed.reach();
  };
  await killed.reached;
  await desk.end;
  await sender.start();
  await expect.poll(() => ledgerOf(held.service), often).toEqual(asPlanned);
  expect(held.posts()).toEqual(orderIds);
});

interface Team extends AsyncDisposable {
  readonly held: Held;
  readonly sender: Awaited<ReturnType<typeof startSender>>;
  readonly ana: TestDesk;
  readonly ben: TestDesk;
}

// Both have the same plan.
async function startTeam(): Promise<Team> {
  const held = await startHeld();
  const sender = await startSender({ url: held.service.url });
  const ana = await sender.desk('ana', 'operator', 'desk-1');
  const ben = await sender.desk('ben', 'operator', 'desk-2');
  await makePlan(ana.home);
  copyFileSync(join(ana.home.path, 'rows.plan'), join(ben.home.path, 'rows.plan'));
  return {
    held,
    sender,
    ana,
    ben,
    async [Symbol.asyncDispose]() {
      await sender[Symbol.asyncDispose]();
      await held[Symbol.asyncDispose]();
    },
  };
}

test('another desk sees who is at it, and one that applies the same plan watches: each row is sent once', async () => {
  await using team = await startTeam();
  const [second, go] = [gate(), gate()];
  team.held.onPost = async (number) => {
    if (number !== 2) return;
    second.reach();
    await go.reached;
  };
  const ana = team.ana.run([...shop, ...apply]);
  await second.reached;
  const status = await team.ben.run([...shop, 'refunds', 'status', 'rows.plan', '--offline']);
  expect(status.stderr).toMatch(/this plan is being applied right now: ana, since \d/);
  // Its second row is under way.
  expect(status.code).toBe(7);
  const ben = team.ben.run([...shop, ...apply]);
  go.reach();
  for (const ran of [await ana, await ben]) expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(team.held.posts()).toEqual(orderIds);
  expect(ledgerOf(team.held.service)).toEqual(asPlanned);
  const { stdout } = await team.ben.run([...shop, 'journal', 'list', '--json']);
  const sent = JSON.parse(stdout).data as readonly { readonly operator: string; readonly desk: string }[];
  expect(new Set(sent.map(({ operator, desk }) => `${operator} ${desk}`))).toEqual(new Set(['ana desk-1']));
});

test('Ctrl-C at a desk stops the plan at the sender: the row that is under way ends, and the same command goes on', async () => {
  await using team = await startTeam();
  const how = { home: team.ana.home, machineName: 'desk-1', sleeps: 'really' } as const;
  const running = startInMemory([...shop, ...apply], how);
  const [second, go] = [gate(), gate()];
  team.held.onPost = async (number) => {
    if (number !== 2) return;
    running.signal('SIGINT');
    second.reach();
    await go.reached;
  };
  await second.reached;
  await expect
    .poll(
      async () => (await team.sender.run(['journal', 'list', '--kind', 'setting', '--json'])).stdout,
      often,
    )
    .toContain('stopped');
  go.reach();
  const stopped = await running.end;
  expect(stopped, stopped.stderr).toMatchObject({ code: 130 });
  expect(team.held.posts()).toEqual(orderIds.slice(0, 2));
  team.held.onPost = () => undefined;
  const again = await team.ana.run([...shop, ...apply]);
  expect(again, again.stderr).toMatchObject({ code: 0 });
  expect(team.held.posts()).toEqual(orderIds);
});

test('once a member is revoked, no other row of a plan of theirs is sent', async () => {
  await using team = await startTeam();
  team.held.onPost = async (number) => {
    if (number === 2) await team.sender.run(['sender', 'revoke', 'ana', '--yes']);
  };
  await team.ana.run([...shop, ...apply]);
  expect(team.held.posts()).toEqual(orderIds.slice(0, 2));
});

test.each([
  ['another digest', { digest: '0'.repeat(64) }],
  ['another number of rows', { rows: count - 1 }],
  ['other sums', { sums: [{ currency: 'MXN', amount: 1 }] }],
])(
  'a plan that is handed over with %s than was confirmed is refused, and nothing is sent',
  async (_, wrong) => {
    await using team = await startTeam();
    const text = readFileSync(join(team.ana.home.path, 'rows.plan'), 'utf8');
    const sum = asPlanned.reduce((all, [, amount]) => all + Number(amount), 0);
    const head = {
      digest: String(lastRecord(text).digest),
      rows: count,
      sums: [{ currency: 'MXN', amount: sum }],
    };
    const reply = await applyRaw(team.sender.url, team.ana.token, { ...head, ...wrong }, text);
    expect(reply).toMatchObject({ status: 403 });
    expect(reply.text).toContain('this is not the plan that was confirmed');
    expect(team.held.posts()).toEqual([]);
    const { token } = await team.sender.desk('vic', 'viewer', 'desk-3');
    expect(await applyRaw(team.sender.url, token, head, text)).toMatchObject({ status: 403 });
    expect(team.held.posts()).toEqual([]);
    expect(lastLine(await applyRaw(team.sender.url, team.ana.token, head, text))).toHaveProperty('worked');
    expect(ledgerOf(team.held.service)).toEqual(asPlanned);
  },
);
