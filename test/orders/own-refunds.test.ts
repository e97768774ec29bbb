/** The preview of a refund after refunds that this machine sent itself: no false alarm, and no claim for all of them. */

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
