/** What somebody with a token and a program of their own tries: changes of a revoked member, rows of another account, bodies without end. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planText, readPlan } from '../../src/plans/plan-text.ts';
import { createClosings } from '../../src/sender/at-sender/shares.ts';
import { listOf, paidOrder } from '../harness/orders.ts';
import { newHome } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import {
  initSender,
  invited,
  type Role,
  startSender,
  type TestDesk,
  type TestSender,
  testKey,
} from '../harness/sender.ts';
import { json } from '../harness/server.ts';
import { startService } from '../harness/service.ts';
import { type Ledger, ordersOf, refunding, startLedger } from './ledger.ts';
import { handOver, lastLine, post, withdraw } from './raw-hop.ts';

const shop = ['-p', 'shop'];
const rowsOf = async (sender: TestSender, ...more: readonly string[]) =>
  JSON.parse((await sender.run([...shop, 'journal', 'list', ...more, '--json'])).stdout).data;
const order = ({ service }: Ledger, id: string) => service.orders.find((one) => one.id === id) ?? {};

test.each([
  ['revoked', ['sender', 'revoke', 'ana', '--yes'], 'the token of ana has been revoked'],
  [
    'made a viewer',
    ['sender', 'invite', 'ana', '--role', 'viewer', '--allow-root'],
    'ana is a viewer and may not send changes',
  ],
])('a change that was begun before its member was %s is not sent', async (_, command, words) => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using ledger = await startLedger({
    onPage: () => async (request, response, socket) => {
      asked.resolve();
      await answered.promise;
      await json(listOf(paidOrder('ord_A1')))(request, response, socket);
    },
  });
  const { sender } = ledger;
  const { token } = await sender.desk('ana');
  const handed = handOver(sender.url, token, 'i_late', order(ledger, 'ord_A1'));
  await asked.promise;
  expect((await sender.run(command)).code).toBe(0);
  answered.resolve();

  expect(JSON.stringify(lastLine(await handed).refused)).toContain(words);
  expect(ledger.service.posts).toEqual([]);
  expect(await rowsOf(sender, '--all')).toEqual([]);
});

const asking = (body: object, orderId = 'ord_A1', livemode = false) => ({
  id: 'r_asked',
  what: {
    origin: 'o',
    account: 'a',
    profile: 'shop',
    request: { method: 'POST', path: `orders/${orderId}/refunds`, body },
    proof: {
      kind: 'refund',
      orderId,
      livemode,
      body,
      expected: [{ chargeId: `ch_${orderId}`, amount: -300 }],
      tolerated: [],
    },
    amount: 300,
    currency: 'MXN',
  },
});

test('a request for an approval has the body of a refund, and nothing beside it', async () => {
  await using ledger = await startLedger();
  const { sender } = ledger;
  const { token } = await sender.desk('pia', 'proposer');
  const ask = (body: object) => post(sender.url, token, '/v1/rules/shop/ask', asking(body));
  const refund = { charge_id: 'ch_ord_A1', amount: 300 };

  expect(await ask({ ...refund, fill: 'x'.repeat(100_000) })).toMatchObject({ status: 400 });
  expect(await ask({ ...refund, reason: 'x'.repeat(1000) })).toMatchObject({ status: 400 });
  expect((await sender.run(['journal', 'verify', '--json'])).stdout).not.toContain('fill');
  expect(await ask(refund)).toMatchObject({ status: 200 });
});

const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;

test.each([
  ['what was typed', { what: { asked: { deep: nested(1000) } } }],
  ['the body of a request', { what: { request: { method: 'POST', path: 'x', body: { deep: nested(65) } } } }],
  ['the order as it was shown', { shown: { text: `{"deep":${'['.repeat(65)}${']'.repeat(65)}}` } }],
  ['an order that is no JSON', { shown: { text: '{' } }],
])('%s that is nested too deep is a bad request, and no fault of the sender', async (_, part) => {
  await using ledger = await startLedger();
  const { token } = await ledger.sender.desk('ana');
  const { what, ...more } = { what: {}, ...part };
  const forge = (honest: object) => ({ ...honest, ...what });
  const reply = await handOver(
    ledger.sender.url,
    token,
    'i_deep',
    order(ledger, 'ord_A1'),
    forge,
    'shop',
    more,
  );

  expect(reply.status).toBe(400);
  expect(ledger.service.posts).toEqual([]);
  expect(await rowsOf(ledger.sender, '--all')).toEqual([]);
});

// A sender whose sandbox and production are at one address, with a member in each.
async function withTwoModes() {
  const orders = [paidOrder('ord_A1'), paidOrder('ord_L1', { livemode: true })];
  const service = await startService({ orders, onPost: refunding() });
  const home = newHome();
  await initSender(home, { url: service.url, config: { accounts: ['shop', 'live'] } });
  await storeProfile(home, { name: 'live', baseUrl: service.url, mode: 'production' }, testKey);
  const sender = await startSender({ url: service.url, home });
  const join = async (name: string, role: Role, account: string): Promise<TestDesk> => {
    const invite = [name, '--role', role, '--account', account];
    const { stdout } = await sender.run(['sender', 'invite', ...invite, '--allow-root']);
    const invitation = account === 'live' ? await invited(home, invite) : JSON.parse(stdout);
    const { desk, ran } = await sender.join({ ...invitation, sender: sender.url }, `desk-${account}`);
    expect(ran.code).toBe(0);
    return desk;
  };
  return {
    service,
    sender,
    join,
    async [Symbol.asyncDispose]() {
      await sender[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

test('a token of the sandbox sees no row, no name and no request of production, and asks for no end of its changes', async () => {
  await using team = await withTwoModes();
  const { sender, service } = team;
  const live = await team.join('ana', 'operator', 'live');
  const sandbox = await team.join('ana', 'operator', 'shop');
  const lea = await team.join('lea', 'lead', 'live');
  const shown = service.orders[1] ?? {};
  const sent = await handOver(sender.url, live.token, 'i_live', shown, (what) => what, 'live');
  expect(lastLine(sent).end).toMatchObject({ verdict: 'applied' });
  await lea.run([...shop, 'sender', 'limits', 'set', 'all', 'MXN', '--second', '1', '--yes']);
  const wanted = asking({ charge_id: 'ch_ord_L1', amount: 300 }, 'ord_L1', true);
  expect((await post(sender.url, live.token, '/v1/rules/live/ask', wanted)).status).toBe(200);

  const ask = (question: string, body: object) =>
    post(sender.url, sandbox.token, `/v1/journal/shop/${question}`, body);
  const page = { limit: 9 };
  for (const reply of [
    await ask('list', { filter: {}, page }),
    await ask('list', { filter: { origin: new URL(service.url).origin }, page }),
    await ask('attempts', { query: { orderId: 'ord_L1' } }),
    await ask('attempts', { query: { change: 'i_live' } }),
    await ask('settings', {}),
    await post(sender.url, sandbox.token, '/v1/rules/shop/approvals', {}),
    await post(sender.url, sandbox.token, '/v1/rules/shop/limits', {}),
  ]) {
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text).answer).toEqual([]);
  }
  // The members of its own account, and nobody else's.
  expect(JSON.parse((await ask('operators', {})).text).answer).toEqual(['ana']);
  const headers = { authorization: `Bearer ${sandbox.token}` };
  const end = await fetch(`${sender.url}/v1/changes/shop/i_live`, { headers });
  expect(end.status).toBe(409);
  expect(await end.text()).not.toContain('applied');
  expect((await withdraw(sender.url, sandbox.token, 'i_live')).status).toBe(409);
  // Whoever has a token of production sees all of it.
  const own = await post(sender.url, live.token, '/v1/journal/live/list', { filter: {}, page });
  expect(JSON.parse(own.text).answer).toMatchObject([{ sent: { change: 'i_live', operator: 'ana' } }]);
  const waiting = await post(sender.url, live.token, '/v1/rules/live/approvals', {});
  expect(JSON.parse(waiting.text).answer).toMatchObject([{ state: 'asked', asked: { operator: 'ana' } }]);
});

test('a lead of the sandbox sets no limit of production; whoever runs the sender says which account is meant', async () => {
  await using team = await withTwoModes();
  const { sender } = team;
  const lea = await team.join('lea', 'lead', 'shop');
  const set = (value: string) => ['sender', 'limits', 'set', 'all', 'MXN', '--max', value, '--yes'];
  const limits = async (account: string) =>
    JSON.parse((await sender.run(['sender', 'limits', '--account', account, '--json'])).stdout).data;
  await sender.run([...set('500'), '--account', 'live']);
  expect(await lea.run([...shop, ...set('9')])).toMatchObject({ code: 0 });

  expect(await limits('live')).toMatchObject([{ value: 500 }]);
  expect(await limits('shop')).toMatchObject([{ value: 9, set_by: 'lea' }]);
  const unclear = await sender.run(set('7'));
  expect(unclear.code).toBe(2);
  expect(unclear.stderr).toContain('this sender has several accounts: say which one is meant');
});

test('ids that a member closes are counted: 200 within an hour, and one more is refused', async () => {
  let now = 0;
  const mayClose = createClosings(() => now);
  const tried = () => Array.from({ length: 201 }, () => mayClose('ana')).filter(Boolean).length;

  expect(tried()).toBe(200);
  expect(mayClose('ben')).toBe(true);
  now = 60 * 60_000;
  expect(tried()).toBe(200);
});

test.each([
  [
    'closes ids',
    (url: string, token: string, name: string) => withdraw(url, token, `i_${name}`),
    /^change i_/,
  ],
  [
    'stops plans',
    (url: string, token: string, name: string) =>
      post(url, token, `/v1/plans/shop/${name.padStart(64, '0')}/stop`, {}),
    /^plan 0/,
  ],
])('who %s without end is refused, and the journal keeps no more of them', async (_, act, shown) => {
  await using ledger = await startLedger();
  const { sender } = ledger;
  const { token } = await sender.desk('ana');
  const statuses: number[] = [];
  for (let part = 0; part < 11; part += 1) {
    const replies = Array.from({ length: 20 }, (_none, at) => act(sender.url, token, `${part}e${at}`));
    statuses.push(...(await Promise.all(replies)).map(({ status }) => status));
  }

  expect(statuses.filter((status) => status === 200)).toHaveLength(200);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  const rows = JSON.parse((await sender.run(['journal', 'list', '--kind', 'setting', '--json'])).stdout).data;
  expect(rows.filter(({ setting }: { setting: string }) => shown.test(setting))).toHaveLength(200);
  expect((await sender.run(['journal', 'verify'])).code).toBe(0);
});

test('a member has four plans at once at most, however slow, and another one is refused; others go on', async () => {
  await using ledger = await startLedger({ orders: ordersOf(4) });
  const { sender } = ledger;
  const [ana, ben] = [await sender.desk('ana'), await sender.desk('ben', 'operator', 'desk-2')];
  const plan = await planOf(ana);
  const slow = Array.from({ length: 5 }, async (_, at) => {
    const { text, digest } = await plan.read(`p_slow${at}`);
    const left = new AbortController();
    const lines = [JSON.stringify({ ...plan.head, run: `u_${at}`, maxPerSecond: 0.1, digest }), text];
    const headers = { authorization: `Bearer ${ana.token}` };
    const reply = await fetch(`${sender.url}/v1/plans/shop/apply`, {
      method: 'POST',
      signal: left.signal,
      headers,
      body: lines.join('\n'),
    });
    // The desk leaves, and the sender goes on.
    left.abort();
    return reply.status;
  });

  expect((await Promise.all(slow)).filter((status) => status === 200)).toHaveLength(4);
  const kept = readdirSync(join(sender.home.path, '.local/state/paydesk/sender/plans'));
  expect(kept).toHaveLength(4);
  expect(await ben.run([...shop, 'orders', 'refund', 'ord_A4', '--amount', '300', '--yes'])).toMatchObject({
    code: 0,
  });
});

/** A plan of three refunds that this desk makes, and the same under other ids. */
async function planOf(desk: TestDesk) {
  const path = (name: string) => join(desk.home.path, name);
  writeFileSync(path('rows.csv'), 'order_id,amount\nord_A1,100\nord_A2,100\nord_A3,100\n');
  await desk.run([...shop, 'refunds', 'plan', 'rows.csv', '--to', 'rows.plan']);
  const plan = await readPlan('rows.plan', [readFileSync(path('rows.plan'))]);
  return {
    read: async (id: string) => {
      const text = planText({ ...plan, id });
      const { digest } = await readPlan(id, [Buffer.from(text)]);
      return { text, digest };
    },
    head: {
      profile: 'shop',
      timeoutMs: 60_000,
      concurrency: 1,
      rows: 3,
      sums: [{ currency: 'MXN', amount: 300 }],
    },
  };
}

test('guesses at invitations without end keep nobody from revoking a token, and nobody from joining', async () => {
  await using ledger = await startLedger();
  const { sender } = ledger;
  await sender.desk('ana');
  const guess = { hop: 1, invitation: `pdi_aaaaaaaaaa_${'A'.repeat(43)}`, desk: 'desk-1' };
  const over = new AbortController();
  let replies = 0;
  const guesses = Array.from({ length: 100 }, async () => {
    while (!over.signal.aborted) {
      const reply = await fetch(`${sender.url}/v1/join`, {
        method: 'POST',
        body: JSON.stringify(guess),
        signal: over.signal,
      }).catch(() => undefined);
      await reply?.text().catch(() => undefined);
      replies += 1;
    }
  });
  await expect.poll(() => replies, { timeout: 60_000 }).toBeGreaterThan(100);

  expect(await sender.run(['sender', 'revoke', 'ana', '--yes'])).toMatchObject({ code: 0 });
  const ben = await sender.desk('ben');
  expect(await ben.run([...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes'])).toMatchObject({
    code: 0,
  });
  over.abort();
  await Promise.all(guesses);
});
