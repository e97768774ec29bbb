/** Workbooks at the commands that read a list: those of paydesk come back as they are, and an error names its cell. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chargeOf, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { pages, startAnswering } from '../harness/service.ts';

// 1 July 2026, 12:00 in UTC.
const bought = 1_782_907_200;
const orders = [1, 2].map((number) => {
  const id = `ord_${number}`;
  const refund = refundOf(`rf_${number}`, 5000, { created_at: bought + 60 });
  const charge = chargeOf(`ch_${number}`, 40_000, {
    order_id: id,
    created_at: bought,
    paid_at: bought,
    status: 'partially_refunded',
    refunds: listOf(refund),
  });
  return orderOf(id, [charge], {
    created_at: bought,
    updated_at: bought + 60,
    amount_refunded: 5000,
    payment_status: 'partially_refunded',
  });
});
const words = (rows: string, to: string) => [
  'orders',
  'export',
  '--rows',
  rows,
  '--tz',
  'Europe/Madrid',
  '--to',
  to,
];

test('a workbook that paydesk wrote is compared as it is: refunds, and charges', async () => {
  await using service = await startAnswering(pages(orders));
  expect((await service.run(words('refunds', 'r.xlsx'))).code).toBe(0);
  const refunds = await service.run([
    'refunds',
    'compare',
    'r.xlsx',
    '--csv',
    '--columns',
    'line,order_id,verdict',
  ]);
  expect([refunds.code, refunds.stdout], refunds.stderr).toEqual([
    0,
    'line,order_id,verdict\n2,ord_1,refunded\n3,ord_2,refunded\n',
  ]);
  expect((await service.run(words('charges', 'c.xlsx'))).code).toBe(0);
  const charges = await service.run([
    'orders',
    'compare',
    'c.xlsx',
    '--csv',
    '--columns',
    'order_id,verdict',
  ]);
  expect([charges.code, charges.stdout], charges.stderr).toEqual([
    0,
    'order_id,verdict\nord_1,paid\nord_2,paid\n',
  ]);
});

test('a plan is made of a workbook, and its errors name their cells', async () => {
  await using service = await startAnswering(pages(orders));
  const columns = ['--columns', 'order_id,amount'];
  expect(
    (await service.run([...words('charges', 'all.xlsx'), ...columns, '--max-amount', '50000'])).code,
  ).toBe(0);
  expect((await service.run([...words('refunds', 'back.xlsx'), ...columns])).code).toBe(0);
  const failed = await service.run(['refunds', 'plan', 'back.xlsx', '--dry-run']);
  expect(failed.code).toBe(2);
  expect(failed.stderr).toContain('B2: amount -5000: type it without a sign: 5000');
  expect(failed.stderr).toContain('B3: amount -5000: type it without a sign: 5000');
  const about = await service.run(['refunds', 'plan', 'all.xlsx', '--sheet', 'about', '--dry-run']);
  expect([about.code, about.stderr]).toEqual([2, expect.stringContaining('there is no column order_id')]);
  const made = await service.run([
    'refunds',
    'plan',
    'all.xlsx',
    '--csv',
    '--columns',
    'line,order_id,asked',
  ]);
  expect(made.stdout, made.stderr).toBe('line,order_id,asked\n2,ord_1,40000\n3,ord_2,40000\n');
  expect(made.stderr).toContain('plan all.plan, digest');
});

test('--sheet with a CSV, and a file that is no workbook, are refused before anything is read', async () => {
  await using service = await startAnswering(pages(orders));
  writeFileSync(join(service.home.path, 'a.csv'), 'order_id,amount\nord_1,5\n');
  writeFileSync(join(service.home.path, 'a.xls'), Buffer.from('d0cf11e0a1b11ae1', 'hex'));
  const csv = await service.run(['refunds', 'plan', 'a.csv', '--sheet', 'One']);
  expect([csv.code, csv.stderr]).toEqual([2, expect.stringContaining('--sheet is for a workbook')]);
  const old = await service.run(['refunds', 'compare', 'a.xls']);
  expect([old.code, old.stderr]).toEqual([2, expect.stringContaining('this is an old workbook (.xls)')]);
  expect(service.requests).toEqual([]);
});
