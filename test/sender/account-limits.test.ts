/** Limits and the role of an account that whoever runs the sender sets, while it runs: they hold for every desk. */

import { expect, test } from 'vitest';
import { inOneLine } from '../harness/ran.ts';
import { testKey } from '../harness/sender.ts';
import { startLedger } from './ledger.ts';

const refund = (amount: number, ...more: readonly string[]) => [
  '-p',
  'shop',
  'orders',
  'refund',
  'ord_A1',
  '--amount',
  String(amount),
  '--yes',
  ...more,
];

test('a limit that is set while the sender runs holds at once, and a desk cannot set one', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  const set = ['profile', 'set', 'shop', 'refund.max_amount.MXN', '500'];
  expect(await ledger.sender.run(set)).toMatchObject({ code: 0 });
  const over = await ana.run(refund(501));
  expect(over.code).toBe(3);
  expect(inOneLine(over.stderr)).toContain('refund.max_amount.MXN is 500');
  const raised = await ana.run(['profile', 'set', 'shop', 'refund.max_amount.MXN', '900', '--yes']);
  expect(raised.code).toBe(3);
  expect(inOneLine(raised.stderr)).toContain('the journal of this account is at its sender');
  const shown = JSON.parse((await ana.run(['profile', 'show', 'shop', '--json'])).stdout);
  expect(shown).toMatchObject({ 'refund.max_amount.MXN': '500', member_role: 'operator', role: 'full' });
  expect(ledger.posts('ord_A1')).toBe(0);
  expect(await ana.run(refund(500))).toMatchObject({ code: 0 });
});

test('a role that is set while the sender runs holds for members who may send', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  expect(await ledger.sender.run(['profile', 'set', 'shop', 'role', 'viewer'])).toMatchObject({ code: 0 });
  const ran = await ana.run(refund(1));
  expect(ran.code).toBe(3);
  expect(inOneLine(ran.stderr)).toContain('the role of this account is viewer, which may not refund');
  expect(ledger.posts('ord_A1')).toBe(0);
});

test.each(['\u3164\u3164\u3164', '\u2800\u2800\u2800', 'ok', '...'])(
  'a note of the team has as many letters as the account wants: %j is none',
  async (note) => {
    await using ledger = await startLedger();
    const ana = await ledger.sender.desk('ana');
    const limits = ['sender', 'limits', 'set', 'all', 'MXN', '--need-note', 'yes', '--yes'];
    const set = await ledger.sender.run([...limits, '--account', 'shop']);
    expect(set.code, set.stderr).toBe(0);
    const ran = await ana.run(refund(100, '--note', note));
    expect(ran.code, ran.stderr).toBe(3);
    expect(inOneLine(ran.stderr)).toContain('the team wants a note');
    expect(ledger.posts('ord_A1')).toBe(0);
  },
);

test("profile show at a desk names the limits of its team, a member's own in place of everybody's, with who set them", async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  const ben = await ledger.sender.desk('ben');
  const set = (who: string, ...limits: readonly string[]) =>
    ledger.sender.run(['sender', 'limits', 'set', who, 'MXN', ...limits, '--yes', '--account', 'shop']);
  await set('all', '--max', '50000', '--max-age', '90d', '--need-note', 'yes');
  await set('ana', '--max', '700');

  const { stdout } = await ana.run(['profile', 'show', 'shop', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    'team.max.MXN': '700',
    'team.max.MXN_from': expect.stringMatching(/^team, for ana, set by \S+ on \d/),
    'team.age.MXN': '90 days',
    'team.note.MXN': 'yes',
    'team.note.MXN_from': expect.stringMatching(/^team, for everybody, set by /),
  });
  expect((await ben.run(['profile', 'show', 'shop'])).stdout).toMatch(
    /team\.max\.MXN +50000 +team, for everybody/,
  );
  expect((await ben.run(['profile', 'show', 'shop'])).stdout).toContain(
    'role and limits of the account are at the sender too: ask whoever runs it',
  );
  expect(await ben.run(['profile', 'set', 'shop', 'role', 'viewer'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(
      'role stays as it is, because the journal of this account is at its sender',
    ),
  });
  // A role and a note that the sender wants stand apart from settings that are not set.
  const [, held = ''] = (await ben.run(['profile', 'show', 'shop'])).stdout.split('at the sender, which');
  expect(held).toMatch(/member_role +operator/);
  expect(held).toMatch(/team\.note\.MXN +yes/);
  expect(held).not.toMatch(/^ *(role|refund\.require) /m);
  // The limit that is shown is the one that holds.
  expect((await ana.run(refund(701, '--note', 'gift'))).code).toBe(3);
  expect((await ben.run(refund(701, '--note', 'gift'))).code).toBe(0);
});

test.each(['viewer', 'proposer'] as const)(
  'orders show offers a %s of the team no refund, and an operator one',
  async (role) => {
    await using ledger = await startLedger();
    const vic = await ledger.sender.desk('vic', role);
    const ana = await ledger.sender.desk('ana');
    const show = ['-p', 'shop', 'orders', 'show', 'ord_A1'];
    const shown = await vic.run(show);
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).not.toContain('orders refund');
    expect(inOneLine(shown.stdout)).toContain(`your role in this team is ${role}`);
    expect((await ana.run(show)).stdout).toContain('orders refund ord_A1');
  },
);

test('a viewer of the team is refused before the preview, and refunds once the sender says another role', async () => {
  await using ledger = await startLedger();
  const vic = await ledger.sender.desk('vic', 'viewer');
  const refund = ['-p', 'shop', 'orders', 'refund', 'ord_A1', '--yes'];
  const refused = await vic.run(refund);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('vic is a viewer and may not send changes');
  expect(refused.stderr).not.toContain('will send once');
  await ledger.sender.run(['sender', 'invite', 'vic', '--role', 'operator', '--allow-root']);
  // The sender may know the role before for a second.
  await expect.poll(async () => (await vic.run(refund)).code, { timeout: 10_000 }).toBe(0);
});

test('profile show NAME shows the limits of that profile, whatever profile the run has', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  await ledger.sender.run(['profile', 'set', 'shop', 'refund.max_amount.MXN', '500']);
  const add = ['profile', 'add', 'own', '--base-url', ledger.service.url, '--mode', 'sandbox'];
  await ana.run([...add, '--key-stdin', '--key-store', 'file'], { input: testKey });
  await ana.run(['profile', 'set', 'own', 'refund.max_amount.MXN', '40']);

  const limitOf = async (...words: readonly string[]) =>
    JSON.parse((await ana.run([...words, '--json'])).stdout)['refund.max_amount.MXN'];
  expect(await limitOf('profile', 'show', 'own')).toBe('40');
  expect(await limitOf('profile', 'show', 'shop', '-p', 'own')).toBe('500');
  expect(await limitOf('profile', 'show', 'own', '-p', 'shop')).toBe('40');
});
