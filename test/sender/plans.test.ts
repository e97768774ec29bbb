/** Plans that a second person approved, at the desks of a sender: its rows are sent by whoever applies it, and nothing else is. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { planText, readPlan } from '../../src/plans/plans.ts';
import type { Json } from '../harness/orders.ts';
import type { Ran } from '../harness/paydesk.ts';
import { inOneLine, lastRecord } from '../harness/ran.ts';
import { senderFile, startSender, type TestDesk, type TestSender } from '../harness/sender.ts';
import { type Service, startService } from '../harness/service.ts';
import { ordersOf, refunding } from './ledger.ts';
import { givePlan, handOver, lastLine } from './raw-hop.ts';

let service: Service;
let sender: TestSender;
let ana: TestDesk;
let ben: TestDesk;
// Called when a refund of this order is asked for.
let onPost: (order: string) => Promise<void>;

const shop = ['-p', 'shop'];
const rows = ['ord_A1,600', 'ord_A2,700', 'ord_A3,800'];

beforeEach(async () => {
  onPost = async () => undefined;
  const refund = refunding();
  service = await startService({
    orders: ordersOf(12),
    onPost:
      (order, seen, request) =>
      async (...how) => {
        await onPost(String(order?.id));
        await refund(order, seen, request)(...how);
      },
  });
  sender = await startSender({ url: service.url });
  [ana, ben] = [
    await sender.desk('ana', 'operator', 'desk-1'),
    await sender.desk('ben', 'operator', 'desk-2'),
  ];
  const lea = await sender.desk('lea', 'lead', 'desk-3');
  await lea.run([...shop, 'sender', 'limits', 'set', 'all', 'MXN', '--second', '500', '--yes']);
});
afterEach(async () => {
  await sender[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const fileOf = (name: string) => join(ana.home.path, name);
const plan = (lines: readonly string[], name = 'rows') => {
  writeFileSync(fileOf(`${name}.csv`), `order_id,amount\n${lines.join('\n')}\n`);
  return ana.run([...shop, 'refunds', 'plan', `${name}.csv`, '--to', `${name}.plan`]);
};
const apply = (name = 'rows', ...more: readonly string[]) =>
  ana.run([...shop, 'refunds', 'apply', `${name}.plan`, '--yes', '--json', ...more]);
const sent = () => service.posts.map(({ url }) => url).toSorted();
const refunds = (...ids: readonly string[]) => ids.map((id) => `/orders/${id}/refunds`);

async function asked(): Promise<string> {
  await plan(rows);
  return String(lastRecord((await apply()).stderr).approval);
}

async function approved(): Promise<void> {
  const ran = await ben.run([...shop, 'approvals', 'approve', await asked(), '--yes']);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
}

/** A row of a plan file as whoever writes a program of their own hands it over. */
function rowIn(text: string, number: number): Json {
  const found = text
    .split('\n')
    .find((line) => line.startsWith(`{"object":"plan_row"`) && JSON.parse(line).number === number);
  return JSON.parse(found ?? '{}');
}

const digestIn = (text: string) => String(lastRecord(text).digest);

test('asks for an approval, is approved by somebody else, and then all of its rows are sent once', async () => {
  await plan(rows);
  const first = await apply();
  expect(lastRecord(first.stderr)).toMatchObject({ code: 'approval_asked', certain: 'nothing was sent' });
  expect(sent()).toEqual([]);
  const request = String(lastRecord(first.stderr).approval);
  expect(await ben.run([...shop, 'approvals', 'approve', request, '--yes'])).toMatchObject({ code: 0 });
  expect(sent()).toEqual([]);
  const applied = await apply();
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  expect(await apply()).toMatchObject({ code: 0 });
  expect(sent()).toEqual(refunds('ord_A1', 'ord_A2', 'ord_A3'));
  const list = await ben.run([...shop, 'journal', 'list', '--json']);
  const [{ change }] = JSON.parse(list.stdout).data;
  const told = await ben.run([...shop, 'journal', 'show', change]);
  expect(inOneLine(told.stdout)).toContain('ana, approved by ben, on desk-1');
});

test('without an approval none of its rows is sent, not even by a desk that does not ask', async () => {
  const request = await asked();
  expect((await apply()).code).toBe(3);
  const text = readFileSync(fileOf('rows.plan'), 'utf8');
  expect(await givePlan(sender.url, ana.token, text)).toMatchObject({ status: 200 });
  const reply = await handOverRow(text);
  expect(lastLine(reply)).toHaveProperty('refused');
  await ben.run([...shop, 'approvals', 'reject', request, '--note', 'no']);
  expect((await apply()).code).toBe(3);
  expect(sent()).toEqual([]);
});

// Hands the first row over, as it is in a plan, but for what is forged.
function handOverRow(
  text: string,
  forge: (what: Json) => Json = (what) => what,
  order = 'ord_A1',
  id = 'i_raw',
) {
  const row = rowIn(text, 1);
  const shown = service.orders.find(({ id }) => id === order) ?? {};
  const what = (usual: Json): Json => {
    const body = { ...(row.body as Json) };
    return forge({
      ...usual,
      request: { method: 'POST', path: 'orders/ord_A1/refunds', body },
      expected: [{ chargeId: 'ch_ord_A1', amount: -600 }],
      amount: 600,
      idempotencyKey: row.key,
    });
  };
  return handOver(sender.url, ana.token, id, shown, what, 'shop', { digest: digestIn(text) });
}

const forgeries: readonly [string, (what: Json) => Json, string?][] = [
  [
    'amount',
    (what) => ({
      ...what,
      request: {
        method: 'POST',
        path: 'orders/ord_A1/refunds',
        body: { charge_id: 'ch_ord_A1', amount: 900 },
      },
      expected: [{ chargeId: 'ch_ord_A1', amount: -900 }],
      amount: 900,
    }),
  ],
  [
    'order',
    (what) => ({
      ...what,
      request: {
        method: 'POST',
        path: 'orders/ord_A9/refunds',
        body: { charge_id: 'ch_ord_A9', amount: 600 },
      },
      expected: [{ chargeId: 'ch_ord_A9', amount: -600 }],
    }),
    'ord_A9',
  ],
  ['key', (what) => ({ ...what, idempotencyKey: 'row/of-nothing' })],
  ['key left out', ({ idempotencyKey: _, ...what }) => what],
];

test.for(forgeries)(
  'a row under the digest of an approved plan with another %s is refused, and nothing is sent',
  async ([, forge, order]) => {
    await approved();
    const text = readFileSync(fileOf('rows.plan'), 'utf8');
    await givePlan(sender.url, ana.token, text);
    const reply = await handOverRow(text, forge, order);
    expect(lastLine(reply)).toMatchObject({
      refused: { error: { message: 'this is no row of the plan that it is said to be of' } },
    });
    expect(sent()).toEqual([]);
    expect(lastLine(await handOverRow(text))).toMatchObject({ end: { verdict: 'applied' } });
    expect(sent()).toEqual(refunds('ord_A1'));
  },
);

test('a row of an approved plan is sent once, also for a desk that says it repeats it', async () => {
  await approved();
  const text = readFileSync(fileOf('rows.plan'), 'utf8');
  await givePlan(sender.url, ana.token, text);
  expect(lastLine(await handOverRow(text))).toMatchObject({ end: { verdict: 'applied' } });
  const again = (what: Json) => ({ ...what, again: ['i_raw/1', 'rf_1'] });
  const reply = await handOverRow(text, again, 'ord_A1', 'i_raw2');
  expect(lastLine(reply)).toMatchObject({ end: { verdict: 'applied', recorded: true } });
  expect(sent()).toEqual(refunds('ord_A1'));
});

test('a sender that was started again since the approval has it still', async () => {
  await approved();
  const text = readFileSync(fileOf('rows.plan'), 'utf8');
  const { port, home } = sender;
  sender.signal('SIGTERM');
  await sender.end;
  const file = senderFile(home);
  const config = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...config, listen: { ...config.listen, port } }));
  const again = await startSender({ url: service.url, home });
  try {
    // It has not read the plan yet, so a row alone is not sent.
    expect(lastLine(await handOverRow(text))).toEqual({ forgotten: true });
    expect(sent()).toEqual([]);
    const applied = await apply();
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    expect(sent()).toEqual(refunds('ord_A1', 'ord_A2', 'ord_A3'));
  } finally {
    await again[Symbol.asyncDispose]();
  }
});

test('a sender that forgets a plan while its rows are sent gets it again', async () => {
  await approved();
  const others: string[] = [];
  for (const at of [4, 5, 6, 7, 8, 9, 10, 11]) {
    await plan([`ord_A${at},10`], `other-${at}`);
    others.push(readFileSync(fileOf(`other-${at}.plan`), 'utf8'));
  }
  onPost = async () => {
    for (const text of others)
      expect(await givePlan(sender.url, ben.token, text)).toMatchObject({ status: 200 });
  };
  const applied = await apply('rows', '--concurrency', '1');
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  expect(sent()).toEqual(refunds('ord_A1', 'ord_A2', 'ord_A3'));
});

test('a plan that was changed after its approval is refused by the desk, and by the sender', async () => {
  await approved();
  const text = readFileSync(fileOf('rows.plan'), 'utf8');
  const changed = text.replace('ord_A3', 'ord_A4');
  const reply = await givePlan(sender.url, ana.token, changed);
  expect(reply).toMatchObject({ status: 403 });
  expect(reply.text).toContain('was changed after it was made');
  writeFileSync(fileOf('rows.plan'), changed);
  expect((await apply()).code).toBe(3);
  // Made anew with another row it is another plan, and nobody has approved that.
  await plan([...rows.slice(0, 2), 'ord_A4,800'], 'other');
  const other: Ran = await apply('other');
  expect(lastRecord(other.stderr)).toMatchObject({ code: 'approval_asked' });
  expect(sent()).toEqual([]);
});

test('a plan for another account is refused by the sender, whatever its desk does', async () => {
  await plan(rows);
  const own = await readPlan('rows.plan', [readFileSync(fileOf('rows.plan'))]);
  const reply = await givePlan(sender.url, ana.token, planText({ ...own, account: 'another account' }));
  expect(reply).toMatchObject({ status: 403 });
  expect(reply.text).toContain('the plan is for another account than that of this desk');
});

test('a plan that is too large for its sender is refused with words for it', async () => {
  const cell = 'x'.repeat(60_000);
  const lines = Array.from({ length: 290 }, (_, at) => `ord_A1,${at + 1},r${at},${cell}`);
  writeFileSync(fileOf('large.csv'), `order_id,amount,ref,memo\n${lines.join('\n')}\n`);
  await ana.run([...shop, 'refunds', 'plan', 'large.csv', '--to', 'large.plan']);
  const ran = await apply('large');
  expect(lastRecord(ran.stderr)).toMatchObject({
    kind: 'refused',
    message: 'the plan has more than 16 MB, which is the most that a sender takes',
    certain: 'nothing was sent',
  });
  expect(await givePlan(sender.url, ana.token, 'x'.repeat(16 * 1024 * 1024 + 1))).toMatchObject({
    status: 413,
  });
  expect(sent()).toEqual([]);
});
