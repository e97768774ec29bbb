/** `undo`: what can still be done about a change, in every state that it can be in. It sends nothing and records nothing. */

import { expect, test } from 'vitest';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';

const id = 'ord_2tQ7zRk9PwE5xNvAm';
const part = ['orders', 'refund', id, '--charge', '2', '--amount', '200', '--yes'];
const capture = ['orders', 'capture', 'ord_2tQ7sLf1DtX6kPjQr', '--yes'];
const link = ['checkout', 'create', '--name', 'Lamp', '--item', 'Lamp:300:1', '--currency', 'MXN', '--yes'];

function desk(home: Home, fault?: string) {
  const env = { TZ: 'UTC', ...(fault === undefined ? {} : { PAYDESK_DEMO_FAULT: fault }) };
  return (args: readonly string[]) => paydesk(['-p', 'demo', ...args], { home, env });
}

test.each([
  {
    what: 'a refund that was made',
    sent: part,
    state: 'made',
    says: ['a refund cannot be taken back', `paydesk -p demo checkout create --name 'Order ${id}'`, ':200:1'],
  },
  {
    what: 'a refund that is pending',
    sent: part,
    fault: 'pending',
    state: 'pending',
    says: ['it is under way', 'paydesk journal reconcile i_'],
  },
  {
    what: 'a refund whose reply was lost',
    sent: part,
    fault: 'drop',
    state: 'unconfirmed',
    says: ['nobody knows yet', 'paydesk journal reconcile i_'],
  },
  {
    what: 'a capture',
    sent: capture,
    state: 'made',
    says: ['paydesk -p demo orders refund ord_2tQ7sLf1DtX6kPjQr'],
  },
  { what: 'a payment link', sent: link, state: 'made', says: ['no way to withdraw a link'] },
])('$what: says what helps now, and sends nothing', async ({ sent, fault, state, says }) => {
  using home = newHome();
  const run = desk(home, fault);
  await run(sent);
  const before = (await run(['journal', 'list', '--all'])).stdout;
  const { code, stdout } = await run(['undo']);
  expect(code).toBe(0);
  for (const words of says) expect(stdout).toContain(words);
  expect(JSON.parse((await run(['undo', '--json'])).stdout)).toMatchObject({ object: 'undo', state });
  expect((await run(['journal', 'list', '--all'])).stdout).toBe(before);
});

test('a refund that somebody recorded as made is one that was sent, also by the name of a script', async () => {
  using home = newHome();
  const run = desk(home, 'drop');
  await run([...part, '--idempotency-key', 'ticket-1']);
  await run(['journal', 'settle', 'ticket-1', '--applied', '--note', 'the bank has it', '--confirm', id]);
  const { stdout } = await run(['undo', 'ticket-1']);
  expect(stdout).toContain('recorded made');
  expect(stdout).toContain('cannot be taken back');
  // Nobody has confirmed that the buyer has the money, so they are not asked to pay again.
  expect(stdout).toMatch(/no read has shown that: find out first .*\n {2}paydesk journal reconcile i_/);
  expect(stdout).not.toContain('checkout create');
});

test('of a machine that sent nothing there is nothing to undo', async () => {
  using home = newHome();
  const { code, stdout } = await desk(home)(['undo']);
  expect(code).toBe(0);
  expect(stdout).toContain('nothing was sent from this machine');
});

test.each([['stop'], ['cancel'], ['orders', 'cancel'], ['refunds', 'cancel'], ['revert']])(
  '%s %s is no command, and its error names the one that answers',
  async (...words) => {
    using home = newHome();
    const { code, stderr } = await desk(home)(words.filter((word) => word !== undefined));
    expect(code).toBe(2);
    expect(stderr).toContain('paydesk undo says what can still be done');
  },
);

test('an order names its only change; of several, each has its own command', async () => {
  using home = newHome();
  const run = desk(home);
  await run(part);
  const only = await run(['undo', id]);
  expect([only.code, only.stdout]).toEqual([0, expect.stringContaining('this change: refund of 200 MXN')]);
  await run(['orders', 'refund', id, '--charge', '2', '--amount', '300', '--yes']);
  const several = await run(['undo', id]);
  expect(several.code).toBe(2);
  expect(several.stderr.match(/paydesk .*undo i_\w+/g)).toHaveLength(2);
});
