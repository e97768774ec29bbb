/** What an accountant, a lead and an auditor type when they close a month, and what paydesk says they may have meant. */

import { expect, test } from 'vitest';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { clock, orderAt, refundAs, startDated, startRefunding } from '../reports/refunded-orders.ts';

test.each([
  ['refunds list --period november', 'did you mean --period 2026-11?'],
  ['refunds list --period Nov-2025', 'did you mean --period 2025-11?'],
  ['refunds list --period 11/2025', 'did you mean --period 2025-11?'],
  ['refunds summary --tz Madrid', 'did you mean Europe/Madrid?'],
  ['refunds summary --tz Europe/Madird', 'did you mean Europe/Madrid?'],
  ['refunds list --columns date', 'did you mean refunded_at?'],
  ['refunds list --columns who', 'did you mean operator?'],
  ['refunds list --columns approver', 'did you mean approved_by?'],
  ['orders list --columns date', 'did you mean created_at?'],
  ['orders export --rows refunds --csv --columns order', 'did you mean order_id?'],
  [
    'refunds show 26fcb53497a4139026fd1f4b',
    'did you mean: paydesk -p demo journal show 26fcb53497a4139026fd1f4b',
  ],
  ['approvals list', 'paydesk help team'],
])('paydesk -p demo %s: %s', async (line, hint) => {
  using home = newHome();
  const ran = await paydesk(['-p', 'demo', ...line.split(' ')], { home });
  expect(ran.code).not.toBe(0);
  expect(inOneLine(ran.stderr)).toContain(hint);
});

test.each(['declined', '13/2026', 'someday'])('%s is no month', async (text) => {
  using home = newHome();
  const ran = await paydesk(['-p', 'demo', 'refunds', 'list', '--period', text], { home });
  expect([ran.code, ran.stderr]).toEqual([2, expect.not.stringContaining('did you mean')]);
});

const service = () =>
  startDated({
    orders: [
      orderAt('ord_locked', '2040-11-20T10:00:00Z', { is_refundable: false }),
      orderAt('ord_paid', '2040-11-20T10:00:00Z'),
    ],
  });

test('orders list --status "not refundable" has the orders that STATUS calls so', async () => {
  await using shop = await service();
  const ran = await shop.run(['orders', 'list', '--status', 'not refundable'], { env: clock });
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([
    0,
    expect.stringMatching(/^ord_locked .* not refundable /m),
    expect.not.stringContaining('not a status'),
  ]);
  expect(ran.stdout).not.toContain('ord_paid');
});

test('a table with a column of the currency does not repeat it in the amount; CSV and another table are as before', async () => {
  await using shop = await service();
  const show = async (...words: readonly string[]) =>
    (await shop.run(['orders', 'list', '--columns', ...words], { env: clock })).stdout;
  expect(await show('amount,currency')).toMatch(/^ *10000 +MXN *$/m);
  expect(await show('amount')).toMatch(/^10000 MXN *$/m);
  expect(await show('amount,currency', '--csv')).toContain('10000,MXN\n');
});

test('the notes below a file say each of their names once', async () => {
  await using shop = await service();
  const { stderr } = await shop.run(['refunds', 'summary', '--to', 'sums.csv'], { env: clock });
  expect(stderr).toContain('\nrate: refunds made in this period, of the payments of this period (OF PAID)\n');
  expect(stderr).toContain('\nnet: the payments of this period, less the refunds made in it\n');
});

test('--verify of a file that is not there says to check its name, and not how to resume it', async () => {
  await using shop = await service();
  const { code, stderr } = await shop.run(['orders', 'export', '--verify', 'no-such.csv'], { env: clock });
  expect([code, stderr]).toEqual([9, expect.stringContaining('check the name of the file')]);
  expect(stderr).not.toContain('--resume');
});

test('journal show says why and who asked; of a refund from elsewhere it says where that is shown, as prove does', async () => {
  await using shop = await startRefunding([orderAt('ord_a', '2040-11-20T10:00:00Z')]);
  await refundAs(shop, 'ana', 'ord_a');
  const { stdout } = await shop.run(['journal', 'show', 'ord_a'], { env: clock });
  expect(stdout).toMatch(/^ {2}reason +requested_by_client$/m);
  expect(stdout).toMatch(/^ {2}asked by +ana$/m);
  expect(stdout).toMatch(/^ {2}asked for +a refund of 10000 MXN/m);
  const id = '26fcb53497a4139026fd1f4b';
  const where = `refunds from elsewhere are shown on their order: paydesk orders find ${id}`;
  for (const words of [
    ['journal', 'show', id],
    ['prove', id, '--to', 'proof.ndjson'],
  ]) {
    const ran = await shop.run(words, { env: clock });
    expect([ran.code, inOneLine(ran.stderr)]).toEqual([5, expect.stringContaining(where)]);
  }
});
