/** Who makes a team's rules wider: a person at a terminal in production, and never a software agent. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LimitChanges } from '../../src/journal/journal.ts';
import { teamRaises } from '../../src/sender/sender.ts';
import { sit } from '../harness/person.ts';
import { inOneLine } from '../harness/ran.ts';
import { startLedger } from './ledger.ts';

const shop = ['-p', 'shop'];
const limits = ['sender', 'limits', 'set', 'all', 'MXN'];
const agent = { PAYDESK_AGENT: 'helper' };
const onlyPerson = 'in production only a person at a terminal can allow more';

test('in production a script with --yes raises no limit of the team, at a desk or at the sender, and a person does', async () => {
  await using ledger = await startLedger({ mode: 'production' });
  const { sender } = ledger;
  const lea = await sender.desk('lea', 'lead');
  const set = [...limits, '--max', '500', '--second', '400', '--yes'];
  expect((await lea.run([...shop, ...set])).code).toBe(0);
  const shown = async () => (await lea.run([...shop, 'sender', 'limits', '--json'])).stdout;
  const before = await shown();

  for (const more of [
    ['--max', '90000'],
    ['--second', 'none'],
    ['--second', '401'],
    ['--max', 'default'],
  ]) {
    const atDesk = await lea.run([...shop, ...limits, ...more, '--yes']);
    const atSender = await sender.run([...limits, ...more, '--yes']);
    expect([atDesk.code, atSender.code], atDesk.stderr + atSender.stderr).toEqual([3, 3]);
    expect(inOneLine(atDesk.stderr)).toContain(onlyPerson);
  }
  const own = await lea.run([...shop, 'sender', 'limits', 'set', 'lea', 'MXN', '--max', 'none', '--yes']);
  const opened = await lea.run([...shop, 'sender', 'limits', 'set', 'all', 'USD', '--max', '1', '--yes']);
  expect([own.code, opened.code]).toEqual([3, 3]);
  expect(inOneLine(opened.stderr)).toContain('refunds in USD, which are refused now');
  expect(await shown()).toBe(before);

  const person = sit([...shop, ...limits, '--max', '600', '--yes'], { home: lea.home, env: {} });
  await person.answer('allow it? (y/N)', 'y\r');
  const left = await person.leaves;
  expect(left.code, left.screen).toBe(0);
  expect(inOneLine(left.screen)).toContain('would allow more: max 600 instead of 500');
  expect(await shown()).toContain('"value":600');
});

test('where decimals are declared, a limit of the team may be typed with them, and screens show both', async () => {
  await using ledger = await startLedger({});
  const lea = await ledger.sender.desk('lea', 'lead');
  expect((await lea.run([...shop, ...limits, '--max', '500.00', '--yes'])).code).toBe(2);
  for (const one of [lea, ledger.sender])
    await one.run(['profile', 'set', 'shop', 'amounts.decimals.MXN', '2', '--yes']);
  const set = await lea.run([...shop, ...limits, '--max', '500.00', '--second', '40000', '--yes']);
  expect(set.stdout).toContain('everybody, MXN: max not set → 50000 (500.00)');
  const wrong = await lea.run([...shop, ...limits, '--max', '500.0', '--yes']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('MXN has 2 decimals; type 500.00')]);
  const atSender = await ledger.sender.run([...limits, '--day', '900.00', '--yes', '--dry-run']);
  expect(atSender.stdout).toContain('day 90000 (900.00)');
  const listed = await lea.run([...shop, 'sender', 'limits']);
  expect(listed.stdout).toMatch(/max +50000 \(500\.00\)/);
  expect((await lea.run([...shop, 'sender', 'limits', '--json'])).stdout).toContain('"value":50000');
  expect((await lea.run([...shop, 'profile', 'show', 'shop'])).stdout).toMatch(
    /team\.second\.MXN +40000 \(400\.00\)/,
  );
});

test('in production a script invites no operator and no lead, and does invite who only reads or proposes', async () => {
  await using ledger = await startLedger({ mode: 'production' });
  const invite = (role: string) =>
    ledger.sender.run(['sender', 'invite', 'leo', '--role', role, '--yes', '--allow-root']);
  for (const role of ['operator', 'lead']) {
    const { code, stdout, stderr } = await invite(role);
    expect([code, stdout]).toEqual([3, '']);
    expect(inOneLine(stderr)).toContain(onlyPerson);
  }
  const { stdout } = await ledger.sender.run(['sender', 'members', '--json']);
  expect(JSON.parse(stdout).data).toEqual([]);
  expect((await invite('proposer')).code).toBe(0);
});

test('an agent sets no limit, invites and ends nobody, rejects no request and joins no team, in a sandbox too', async () => {
  await using ledger = await startLedger();
  const { sender } = ledger;
  const lea = await sender.desk('lea', 'lead');
  writeFileSync(join(lea.home.path, 'leo.json'), JSON.stringify(await sender.invite('leo', 'lead')));
  const env = agent;
  const attempts = [
    await lea.run([...shop, ...limits, '--max', '1', '--yes'], { env }),
    await sender.run([...limits, '--max', '1', '--yes'], { env }),
    await sender.run(['sender', 'invite', 'leo', '--role', 'viewer', '--allow-root'], { env }),
    await sender.run(['sender', 'revoke', 'lea', '--yes'], { env }),
    await lea.run([...shop, 'approvals', 'reject', 'r_7f3k2m9q', '--note', 'no'], { env }),
    await lea.run(['profile', 'add', 'leo', '--sender', 'leo.json', '--key-store', 'file'], { env }),
  ];
  for (const { code, stderr } of attempts) {
    expect(code).toBe(3);
    expect(inOneLine(stderr)).toContain('agent helper started this run, and only a person');
  }
  const { stdout } = await lea.run([...shop, 'sender', 'limits', '--json']);
  expect(JSON.parse(stdout).data).toEqual([]);
  // The token works, and the invitation was not used.
  const joined = await lea.run(['profile', 'add', 'leo', '--sender', 'leo.json', '--key-store', 'file']);
  expect(joined.code, joined.stderr).toBe(0);
});

const held = (member: string, name: 'max' | 'second' | 'note' | 'age', value: number | 'none') =>
  ({ member, currency: 'MXN', name, value, setBy: 'lea', setAt: 1 }) as const;
const set = [held('*', 'max', 500), held('*', 'note', 1), held('*', 'age', 90), held('ana', 'max', 50)];

test.each<[string, string, LimitChanges['values'], readonly string[]]>([
  ['a lower limit', '*', { max: 499 }, []],
  ['a limit that was not set', '*', { day: 7 }, []],
  ['a higher limit', '*', { max: 501, day: 7 }, ['max 501 instead of 500']],
  ['a note that is needed no more', '*', { note: 'none' }, ['note none instead of yes']],
  ['older orders', '*', { age: null }, ['age none instead of 90 days']],
  ["a member's own limit over everybody's", 'ben', { max: 600 }, ['max 600 instead of 500']],
  ["a member's own limit that is gone", 'ana', { max: null }, ['max 500 instead of 50']],
])('limits of a team: %s', (_, member, values, words) => {
  expect(teamRaises(set, { member, currency: 'MXN', values })).toEqual(words);
});

test('limits of a team: for whom none is left, every currency is allowed', () => {
  const changes = { member: 'ana', currency: 'MXN', values: { max: null } } as const;
  expect(teamRaises([held('ana', 'max', 'none')], changes)).toEqual(['no limit in any currency']);
});
