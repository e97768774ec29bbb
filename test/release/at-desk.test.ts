/** A software agent at a desk of a team, in production: what it applies waits for a second person, who releases the request. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inProduction } from '../harness/orders.ts';
import { sit } from '../harness/person.ts';
import { lastRecord } from '../harness/ran.ts';
import type { TestDesk } from '../harness/sender.ts';
import { ordersOf, startLedger } from '../sender/ledger.ts';

const shop = ['-p', 'shop'];
const agent = { PAYDESK_AGENT: 'helper' };
const totals = ['--expect-count', '1', '--expect-total', 'MXN=100'];

async function planAt(desk: TestDesk): Promise<string> {
  const path = (name: string) => join(desk.home.path, name);
  writeFileSync(path('a.csv'), 'order_id,charge_id,amount\nord_A1,any,100\n');
  const made = await desk.run([...shop, 'refunds', 'plan', 'a.csv', '--to', 'a.plan', ...totals], {
    env: agent,
  });
  expect(made.code, made.stderr).toBe(0);
  return /"digest":"(\w{8})/.exec(readFileSync(path('a.plan'), 'utf8'))?.[1] ?? '';
}

test('what an agent applies is asked for, sent once after a second person released it, and says who did', async () => {
  await using ledger = await startLedger({
    orders: ordersOf(2).map((one) => inProduction(one)),
    mode: 'production',
  });
  const { sender } = ledger;
  const [ana, ben] = [await sender.desk('ana'), await sender.desk('ben', 'operator', 'desk-2')];
  const digest = await planAt(ana);
  const apply = (env: Readonly<Record<string, string>>) =>
    ana.run([...shop, 'refunds', 'apply', 'a.plan', '--confirm', digest, ...totals, '--json'], { env });
  const at = (desk: TestDesk, what: string, env = {}) =>
    sit([...shop, 'release', what], { home: desk.home, env }, 200);

  const asked = await apply(agent);
  const { approval: request } = lastRecord(asked.stderr) as { readonly approval: string };
  const before = ledger.service.posts.length;
  const byAgent = await at(ben, request, agent).leaves;
  const approvedByAgent = await ben.run([...shop, 'approvals', 'approve', request, '--confirm', digest], {
    env: agent,
  });
  const own = await at(ana, request).leaves;
  const ofPlan = await at(ana, 'a.plan').leaves;
  const person = at(ben, request);
  await person.answer('Type the digest', `${digest}\r`);
  const released = await person.leaves;
  const sent = await apply(agent);
  await apply(agent);

  expect([asked.code, before], asked.stderr).toEqual([3, 0]);
  expect([byAgent.code, approvedByAgent.code, own.code, ofPlan.code]).toEqual([3, 3, 3, 3]);
  expect(own.screen).toContain('is your own request');
  expect(ofPlan.screen).toContain('at a desk of a team a second person releases a plan');
  expect([released.code, sent.code], released.screen + sent.stderr).toEqual([0, 0]);
  expect(ledger.service.posts).toHaveLength(1);
  const listed = await ana.run([...shop, 'journal', 'list', '--json']);
  expect(listed.stdout).toContain('"approved_by":"ben"');
});
