/** The policy of a sender's machine turns commands off for what desks hand over, too. Needs root: paydesk trusts no other owner. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newPolicy } from '../harness/policy.ts';
import { inOneLine, lastRecord } from '../harness/ran.ts';
import { startLedger } from './ledger.ts';

const isRoot = process.getuid?.() === 0;
const shop = ['-p', 'shop'];
const create = [...shop, 'orders', 'create', '--currency', 'MXN', '--item', 'Lamp:300:1'];
const lines = {
  'orders refund': [...shop, 'orders', 'refund', 'ord_A1', '--yes'],
  'orders create': [...create, '--customer', 'cus_1', '--yes'],
  'checkout create': [
    ...shop,
    'checkout',
    'create',
    '--name',
    'Lamp',
    '--item',
    'Lamp:300:1',
    '--currency',
    'MXN',
    '--yes',
  ],
  api: [...shop, 'api', 'POST', 'webhooks', '--yes'],
} as const;

describe.skipIf(!isRoot)('what the policy of the machine of a sender turns off', () => {
  test('is refused when a desk hands it over (3), and its other commands go through', async () => {
    using machine = newPolicy({ 'commands.off': ['orders', 'checkout', 'api'] });
    await using ledger = await startLedger({ machineFile: machine.machineFile });
    const desk = await ledger.sender.desk('ana');
    for (const [command, line] of Object.entries(lines)) {
      const ran = await desk.run(line);
      expect(ran.code, `${command}\n${ran.stderr}`).toBe(3);
      expect(inOneLine(ran.stderr)).toContain(`turns paydesk ${command} off`);
    }
    expect(ledger.service.posts).toEqual([]);
    writeFileSync(join(desk.home.path, 'r.csv'), 'order_id,amount\nord_A2,full\n');
    await desk.run([...shop, 'refunds', 'plan', 'r.csv', '--to', 'r.plan']);
    expect(await desk.run([...shop, 'refunds', 'apply', 'r.plan', '--yes'])).toMatchObject({ code: 0 });
    expect(ledger.posts('ord_A2')).toBe(1);
  });

  test('a plan is refused where refunds apply is off, and single refunds go through', async () => {
    using machine = newPolicy({ 'commands.off': ['refunds apply'] });
    await using ledger = await startLedger({ machineFile: machine.machineFile });
    const desk = await ledger.sender.desk('ana');
    writeFileSync(join(desk.home.path, 'r.csv'), 'order_id,amount\nord_A2,full\n');
    await desk.run([...shop, 'refunds', 'plan', 'r.csv', '--to', 'r.plan']);
    const ran = await desk.run([...shop, 'refunds', 'apply', 'r.plan', '--yes']);
    expect(ran.code, ran.stderr).toBe(3);
    expect(inOneLine(ran.stderr)).toContain('turns paydesk refunds apply off');
    expect(ledger.service.posts).toEqual([]);
    expect(await desk.run(lines['orders refund'])).toMatchObject({ code: 0 });
  });

  test('an approval, a rejection and the limits of the team are refused to desks where their commands are off', async () => {
    using machine = newPolicy({});
    await using ledger = await startLedger({ machineFile: machine.machineFile });
    const { sender } = ledger;
    const [ana, lea] = [await sender.desk('ana'), await sender.desk('lea', 'lead', 'desk-2')];
    const limits = [...shop, 'sender', 'limits', 'set', 'all', 'MXN', '--second'];
    expect(await lea.run([...limits, '50', '--yes'])).toMatchObject({ code: 0 });
    const ask = [...shop, 'orders', 'refund', 'ord_A1', '--amount', '90', '--yes', '--json'];
    const request = String(lastRecord((await ana.run(ask)).stderr).approval);
    const answers = {
      'approvals approve': [...shop, 'approvals', 'approve', request, '--yes'],
      'approvals reject': [...shop, 'approvals', 'reject', request, '--note', 'no'],
      'sender limits': [...limits, '40', '--yes'],
    };
    machine.write({ 'commands.off': Object.keys(answers) });
    for (const [command, line] of Object.entries(answers)) {
      const ran = await lea.run(line);
      expect(ran.code, `${command}\n${ran.stderr}`).toBe(3);
      expect(inOneLine(ran.stderr)).toContain(`turns paydesk ${command} off`);
    }
    machine.write({});
    for (const [command, line] of Object.entries(answers).toReversed())
      if (command !== 'approvals reject') expect(await lea.run(line), command).toMatchObject({ code: 0 });
  });
});
