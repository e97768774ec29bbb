/** Several profiles reach one account: with which of them the journal reads, and what it says when it cannot choose. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { later } from '../harness/clock.ts';
import { chargeOf, newRefundOf, orderOf, withRefund } from '../harness/orders.ts';
import { paydesk, type Ran } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { reset } from '../harness/server.ts';
import { type Service, startService, testKey } from '../harness/service.ts';

const order = orderOf('ord_1', [chargeOf('ch_1', 35_000)]);
const names = ['shop', 'second', 'third'];

let service: Service;
let change: string;
beforeEach(async () => {
  service = await startService({ orders: [order], onPost: () => reset });
  for (const name of names)
    await storeProfile(service.home, { name, baseUrl: service.url, mode: 'sandbox' }, testKey);
  const sent = await run('-p shop orders refund ord_1 --charge 1 --amount 300 --yes');
  expect(sent.code, sent.stderr).toBe(7);
  change = /i_\w+/.exec(sent.stderr)?.[0] ?? '';
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
});

// The profiles are stored ones, and none is the default.
async function run(line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return await paydesk(line.split(' '), { home: service.home, env: { TZ: 'UTC', ...env } });
}

function showRefund(): void {
  service.orders = [withRefund(order, newRefundOf('rf_1', 300), 300)];
}

test('the command that a screen suggests works as it stands: it reads with the profile that sent the change', async () => {
  const shown = await run('-p second orders show ord_1');
  expect(shown.stdout).toContain(`paydesk journal reconcile ${change}\n`);
  showRefund();
  const checked = await run(`journal reconcile ${change}`);
  expect(checked, checked.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('made') });
});

test('if that profile is gone, the error has a whole command for each of the others', async () => {
  await run('profile remove shop --yes');
  const refused = await run(`journal reconcile ${change}`);
  expect({
    code: refused.code,
    stderr: refused.stderr.replaceAll(change, 'i_7f3k2m9q'),
  }).toMatchInlineSnapshot(`
    {
      "code": 2,
      "stderr": "error:   profile shop sent i_7f3k2m9q, and no longer reaches its account
    certain: nothing was read, sent or recorded
    now:     others do; take the one that you mean:
             paydesk -p second journal reconcile i_7f3k2m9q
             paydesk -p third journal reconcile i_7f3k2m9q
    ",
    }
  `);
  showRefund();
  expect((await run(`-p third journal reconcile ${change}`)).code).toBe(0);
});

test('reconcile --all tells only what is open, with a command that works', async () => {
  showRefund();
  expect((await run(`journal reconcile ${change}`)).code).toBe(0);
  await run('profile remove shop --yes');
  const quiet = await run('journal reconcile --all --quiet', later(3_600_000));
  expect({ code: quiet.code, stderr: quiet.stderr }).toEqual({ code: 0, stderr: '' });
  const loud = await run('journal reconcile --all', later(3_700_000));
  expect(loud.stderr).not.toContain(change);
});

test('reconcile --all says of what is open that it was not checked', async () => {
  await run('profile remove shop --yes');
  const ran = await run('journal reconcile --all --quiet');
  expect(ran.code).toBe(7);
  expect(ran.stderr.replaceAll(change, 'i_7f3k2m9q').split('\n')[0]).toMatchInlineSnapshot(
    `"i_7f3k2m9q was not checked: profile shop sent i_7f3k2m9q, and no longer reaches its account: paydesk -p second journal reconcile i_7f3k2m9q"`,
  );
});
