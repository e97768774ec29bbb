/** Workbooks at the commands that read a list: those of paydesk come back as they are, and an error names its cell. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

describe('a list of orders of paydesk itself', () => {
  const listed = ['orders', 'list', '--to'];

  test.each(['l.csv', 'l.xlsx'])(
    '%s makes no plan of what was paid: amount is no amount to refund',
    async (name) => {
      await using service = await startAnswering(pages(orders));
      expect((await service.run([...listed, name])).code).toBe(0);
      const { code, stderr } = await service.run(['refunds', 'plan', name]);
      expect(code).toBe(2);
      expect(stderr).toContain('amount is what was paid here, as in a list of orders');
      expect(stderr).toContain('write what goes back in a column refund_amount');
      // With its id renamed, its amount is still the order's.
      const csv = 'order_id,amount,amount_refunded\nord_1,40000,5000\n';
      writeFileSync(join(service.home.path, 'renamed.csv'), csv);
      const renamed = await service.run(['refunds', 'plan', 'renamed.csv']);
      expect([renamed.code, renamed.stderr]).toEqual([2, expect.stringContaining('refund_amount')]);
    },
  );

  test('in which a person has written what goes back is planned: the marked rows, and no other', async () => {
    await using service = await startAnswering(pages(orders));
    await service.run([...listed, 'l.csv']);
    const file = (name: string) => join(service.home.path, name);
    const [head = '', ...rows] = readFileSync(file('l.csv'), 'utf8').trim().split('\n');
    const marked = rows.map((row) => `${row},${row.startsWith('ord_2') ? '700' : ''}`);
    writeFileSync(file('marked.csv'), `${head},refund_amount\n${marked.join('\n')}\n`);
    const made = await service.run(['refunds', 'plan', 'marked.csv', '--csv', '--columns', 'order_id,asked']);
    expect(made.stdout, made.stderr).toBe('order_id,asked\nord_2,700\n');
    expect(made.stderr).toContain('read: id as order_id, refund_amount as amount');
    expect(made.stderr).toContain('1 row without an amount to refund: not in the plan');
    writeFileSync(file('none.csv'), `${head},refund_amount\n${rows.map((row) => `${row},`).join('\n')}\n`);
    const none = await service.run(['refunds', 'plan', 'none.csv']);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('no row has anything in refund_amount'),
    ]);
  });

  test('an id above two columns of a person is told what to write', async () => {
    await using service = await startAnswering(pages(orders));
    writeFileSync(join(service.home.path, 'two.csv'), 'id,amount\nord_1,300\n');
    const { code, stderr } = await service.run(['refunds', 'plan', 'two.csv']);
    expect(code).toBe(2);
    expect(stderr).toContain('If amount is what goes back, write order_id instead of id');
    expect(service.requests).toEqual([]);
  });
});
