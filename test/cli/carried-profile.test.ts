/** The commands that an error names keep the profile that was typed: without it they would go to the default one. */

import { expect, test } from 'vitest';
import { newHome, paydesk } from '../harness/paydesk.ts';

test.each([
  { args: ['-p', 'demo', 'orders', 'refund', 'nope', '--yes'], now: 'paydesk -p demo orders find nope' },
  { args: ['orders', 'show', 'nope', '--profile=demo'], now: 'paydesk -p demo orders find nope' },
  { args: ['orders', 'show', '-qpdemo', 'nope'], now: 'paydesk -p demo orders find nope' },
  { args: ['-yp', 'demo', 'orders', 'show', 'nope'], now: 'paydesk -p demo orders find nope' },
  { args: ['customers', 'show', 'Ana', '-yp', 'demo'], now: 'paydesk -p demo customers find Ana' },
  {
    args: ['-p', 'demo', 'orders', 'list', '--customer', 'Ana'],
    now: 'for any part of a name: paydesk -p demo orders find TEXT',
  },
  { args: ['-p', 'demo', 'sender', 'limits'], now: 'its limits: paydesk -p demo profile show' },
  { args: ['orders', 'show', 'nope'], now: 'paydesk orders find nope' },
  { args: ['-p', 'demo', 'orders', 'show', '--nope'], now: 'paydesk orders show --help' },
  { args: ['-p', 'demo', 'journal', 'show', 'i_0000'], now: 'paydesk journal list --all-profiles' },
])('$args: $now', async ({ args, now }) => {
  using home = newHome();
  const ran = await paydesk([...args, '--json'], { home });
  expect(ran.code).not.toBe(0);
  expect(JSON.parse(ran.stderr).now).toContain(now);
});

test('an entry of the journal names the profile that it was sent with', async () => {
  using home = newHome();
  const listed = await paydesk(['-p', 'demo', 'orders', 'list', '--refundable', '--limit', '1', '--json'], {
    home,
  });
  const { id } = JSON.parse(listed.stdout).data[0];
  expect((await paydesk(['-p', 'demo', 'orders', 'refund', id, '--yes'], { home })).code).toBe(0);
  const journal = JSON.parse((await paydesk(['journal', 'list', '--json'], { home })).stdout);
  const shown = await paydesk(['journal', 'show', journal.data[0].change], { home });
  expect(shown.stdout).toContain(`now:  paydesk -p demo orders show ${id}`);
});
