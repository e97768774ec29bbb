/** The policy of a desk's machine binds what its sender sends for it, and what is approved there. Needs root: paydesk trusts no other owner. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProduction } from '../harness/orders.ts';
import { sit } from '../harness/person.ts';
import { newPolicy } from '../harness/policy.ts';
import { inOneLine, lastRecord } from '../harness/ran.ts';
import type { TestDesk } from '../harness/sender.ts';
import { type Ledger, ordersOf, startLedger } from './ledger.ts';

const isRoot = process.getuid?.() === 0;
const shop = ['-p', 'shop'];
const apply = [...shop, 'refunds', 'apply', 'a.plan'];

async function planAt(desk: TestDesk, ...rows: readonly string[]): Promise<void> {
  writeFileSync(join(desk.home.path, 'a.csv'), `order_id,amount\n${rows.join('\n')}\n`);
  const made = await desk.run([...shop, 'refunds', 'plan', 'a.csv', '--to', 'a.plan']);
  expect(made.code, made.stderr).toBe(0);
}

describe.skipIf(!isRoot)('the policy of the machine of a desk', () => {
  test.each([
    ['an amount', { 'refund.max_amount.MXN': 10 }, '90 MXN is over the limit of the policy of this machine'],
    ['a note', { 'refund.require': 'reason,note' }, 'the policy of this machine requires it'],
    [
      'an age',
      { 'refund.max_age': '1h' },
      'over the limit of the policy of this machine: refund.max_age is 1 hour',
    ],
  ])('holds every row of a plan that was made before it: %s', async (_, says, why) => {
    await using ledger = await startLedger({
      orders: ordersOf(2).map((one) => ({ ...one, created_at: Math.floor(Date.now() / 1000) - 7200 })),
    });
    using machine = newPolicy(says);
    const ana = await ledger.sender.desk('ana');
    await planAt(ana, 'ord_A1,90');

    const ran = await ana.run([...apply, '--yes'], { machineFile: machine.machineFile });
    const before = ledger.posts('ord_A1');
    const free = await ana.run([...apply, '--yes']);

    expect([ran.code, before], ran.stderr).toEqual([8, 0]);
    expect(inOneLine(ran.stdout + ran.stderr)).toContain(why);
    expect([free.code, ledger.posts('ord_A1')], free.stderr).toEqual([0, 1]);
  });

  test('lets the rows of a plan pass that it allows, and cannot allow more than the account', async () => {
    await using ledger = await startLedger();
    using machine = newPolicy({ 'refund.max_amount.MXN': 50 });
    const ana = await ledger.sender.desk('ana');
    await planAt(ana, 'ord_A1,70', 'ord_A2,40', 'ord_A3,20');
    const set = (limit: string) =>
      ledger.sender.run(['profile', 'set', 'shop', 'refund.max_amount.MXN', limit, '--yes']);
    const posts = () => ['ord_A1', 'ord_A2', 'ord_A3'].map((id) => ledger.posts(id));

    await set('30');
    const under30 = await ana.run([...apply, '--yes'], { machineFile: machine.machineFile });
    const first = posts();
    await set('80');
    const under50 = await ana.run([...apply, '--yes'], { machineFile: machine.machineFile });

    expect([under30.code, first], under30.stderr).toEqual([8, [0, 0, 1]]);
    expect([under50.code, posts()], under50.stderr).toEqual([8, [0, 1, 1]]);
  });

  test.each([
    [
      'a refund',
      [...shop, 'orders', 'refund', 'ord_A1', '--amount', '22', '--reason', 'other', '--note', 'gift'],
      '(y/N)',
    ],
    ['a plan', apply, 'Send them?'],
  ])('holds %s that waits for its yes while it is written', async (_, line, question) => {
    await using ledger = await startLedger({ orders: ordersOf(1) });
    const ana = await ledger.sender.desk('ana');
    await planAt(ana, 'ord_A1,22');
    for (const says of [{ role: 'viewer' }, { 'refund.max_amount.MXN': 10 }, { 'refund.hold': '1min' }]) {
      using machine = newPolicy({});
      const person = sit(line, { home: ana.home, env: {}, machineFile: machine.machineFile }, 120);
      await person.waitFor(question);
      machine.write(says);
      person.type('y\r');
      const { code, screen } = await person.leaves;
      expect(code, screen).toBe(3);
      expect(inOneLine(screen)).toContain('somebody set a limit of this account since');
    }
    expect(ledger.posts('ord_A1')).toBe(0);
  });
});

async function asked(ledger: Ledger, by: TestDesk): Promise<string> {
  const { sender } = ledger;
  const limit = ['sender', 'limits', 'set', 'all', 'MXN', '--second', '50', '--yes', '--account', 'shop'];
  const set = await sender.run(limit);
  expect(set.code, set.stderr).toBe(0);
  const ask = [
    ...shop,
    'orders',
    'refund',
    'ord_A1',
    '--amount',
    '90',
    '--confirm',
    'ord_A1',
    '--yes',
    '--json',
  ];
  return String(lastRecord((await by.run(ask)).stderr).approval);
}

const elsewhen = (): string => {
  const hour = String((new Date().getUTCHours() + 12) % 24).padStart(2, '0');
  return `Mon-Sun ${hour}:00-${hour}:01 UTC`;
};

describe.skipIf(!isRoot)('approving', () => {
  test.each([
    [
      { production: 'read-only' },
      /allows no change in production|role of the policy of this machine is viewer/,
    ],
    [{ hours: elsewhen() }, /allows changes at these hours only/],
    ['{', /is not valid JSON|policy/],
    [{ role: 'viewer' }, /the role of the policy of this machine is viewer, which may not refund/],
    [{ 'commands.off': ['approvals approve'] }, /turns paydesk approvals approve off/],
  ])('is a change for the policy of the machine: %j', async (says, why) => {
    await using ledger = await startLedger({
      orders: ordersOf(1).map((one) => inProduction(one)),
      mode: 'production',
    });
    const [ana, ben] = [
      await ledger.sender.desk('ana'),
      await ledger.sender.desk('ben', 'operator', 'desk-2'),
    ];
    const request = await asked(ledger, ana);
    using machine = newPolicy(says);
    const { machineFile } = machine;
    const approve = [...shop, 'approvals', 'approve', request, '--confirm', 'ord_A1', '--yes'];

    const ran = await ben.run(approve, { machineFile });
    const released = await sit([...shop, 'release', request], { home: ben.home, env: {}, machineFile }, 200)
      .leaves;
    machine.write({});
    const person = sit(approve.slice(0, 5), { home: ben.home, env: {}, machineFile }, 200);
    await person.waitFor(/Type the [^\n]*:/);
    machine.write(says);
    person.type('ord_A1\r');
    const waited = await person.leaves;

    expect([ran.code, released.code, waited.code], ran.stderr + released.screen + waited.screen).toEqual([
      3, 3, 3,
    ]);
    expect(inOneLine(ran.stderr)).toMatch(why);
    expect(inOneLine(released.screen)).toMatch(why);
    const shown = await ben.run([...shop, 'approvals', 'show', request, '--json']);
    expect(shown.stdout).toContain('"state":"asked"');
    expect(await ben.run(approve)).toMatchObject({ code: 0 });
  });
});
