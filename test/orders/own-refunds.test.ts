/** The preview of a refund after refunds that this machine sent itself: no false alarm, and no claim for all of them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newHome, paydesk } from '../harness/paydesk.ts';

test('an own refund of a moment ago is no alarm, and of several the last one alone is told', async () => {
  using home = newHome();
  const run = { home, env: { PAYDESK_OPERATOR: 'op7', TZ: 'UTC' } };
  const line = '-p demo orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1 --yes --amount';
  const refund = (amount: string) => [...line.split(' '), amount];
  expect((await paydesk(refund('700'), run)).code).toBe(0);
  const { code, stderr } = await paydesk(refund('800'), run);
  expect(code).toBe(0);
  expect(stderr).toMatch(/refunded so far +-12700 +-12700 {2}2 refunds, the last \d+ \w+ [\d:]+, by op7\n/);
  expect(stderr).not.toContain('min ago');
});

test('orders show names the row of the plan by which a refund was sent', async () => {
  using home = newHome();
  const run = (line: string) => paydesk(line.split(' '), { home });
  writeFileSync(
    join(home.path, 'r.csv'),
    'order_id,charge_id,amount,reason,ref\nord_2tQ7zRk9PwE5xNvAm,1,700,other,A\n',
  );
  expect((await run('-p demo refunds plan r.csv --to r.plan')).code).toBe(0);
  expect((await run('refunds apply r.plan --yes')).code).toBe(0);
  expect((await run('-p demo orders show ord_2tQ7zRk9PwE5xNvAm')).stdout).toMatch(
    / id \w+ {2}other {2}plan p_\w+, line 2, ref A\n/,
  );
});
