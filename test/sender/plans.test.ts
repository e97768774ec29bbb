/** Plans that a second person approved, at the desks of a sender: its rows are sent by whoever applies it, and nothing else is. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { planText, readPlan } from '../../src/plans/plans.ts';
import type { Ran } from '../harness/paydesk.ts';
import { inOneLine, lastRecord } from '../harness/ran.ts';
import { senderFile, startSender, type TestDesk, type TestSender } from '../harness/sender.ts';
import { type Service, startService } from '../harness/service.ts';
import { ordersOf, refunding } from './ledger.ts';
import { applyRaw, givePlan, lastLine } from './raw-hop.ts';

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
  expect((await ben.run([...shop, 'approvals', 'list'])).stdout).not.toContain(request);
  const all = await ben.run([...shop, 'approvals', 'list', '--all', '--json']);
  expect(JSON.parse(all.stdout).data).toMatchObject([{ state: 'used', rows: 3, rows_left: 0 }]);
  const over = await ben.run([...shop, 'approvals', 'show', request]);
  expect(inOneLine(over.stdout)).toContain('was approved by ben and sent, each of its rows');
  expect((await ben.run([...shop, 'today'])).stderr).not.toContain('approved and not sent');
  const list = await ben.run([...shop, 'journal', 'list', '--json']);
  const [{ change }] = JSON.parse(list.stdout).data;
  const told = await ben.run([...shop, 'journal', 'show', change]);
  expect(inOneLine(told.stdout)).toContain('ana, approved by ben, on desk-1');
});

test('without an approval none of its rows is sent, not even by a desk that does not ask', async () => {
  const request = await asked();
  expect((await apply()).code).toBe(3);
  const text = readFileSync(fileOf('rows.plan'), 'utf8');
  const head = { digest: digestIn(text), rows: 3, sums: [{ currency: 'MXN', amount: 2100 }] };
  const reply = await applyRaw(sender.url, ana.token, head, text);
  expect(lastLine(reply)).toHaveProperty('worked');
  expect(reply.text).toContain('nobody else has approved 600 MXN');
  await ben.run([...shop, 'approvals', 'reject', request, '--note', 'no']);
  expect((await apply()).code).toBe(3);
  expect(sent()).toEqual([]);
});

test('a sender that was started again since the approval has it still', async () => {
  await approved();
  const { port, home } = sender;
  sender.signal('SIGTERM');
  await sender.end;
  const file = senderFile(home);
  const config = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...config, listen: { ...config.listen, port } }));
  const again = await startSender({ url: service.url, home });
  try {
    const applied = await apply();
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    expect(sent()).toEqual(refunds('ord_A1', 'ord_A2', 'ord_A3'));
  } finally {
    await again[Symbol.asyncDispose]();
  }
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
