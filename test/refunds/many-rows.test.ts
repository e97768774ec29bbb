/** Plans of many rows on a terminal: sums and what needs a person, not hundreds of lines; scripts get every row. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chargeOf, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { inOneLine } from '../harness/ran.ts';
import { orders, startRefunds } from './refund-service.ts';

// 55 orders that are there, and seven that are not.
const count = 55;
const rows = [
  'order_id,amount,ref',
  ...Array.from({ length: count + 7 }, (_, index) => `ord_${index + 1},100,`),
];
const atTerminal = { columns: 100, rows: 40 };

it('plan, apply and status count them, group the reasons, and name the command that lists all of them', async () => {
  await using service = await startRefunds(orders(count));
  await service.plan(rows);
  for (const words of [
    ['refunds', 'plan', 'refunds.csv', '--to', 'again.plan'],
    ['refunds', 'apply', 'refunds.plan', '--yes'],
    ['refunds', 'status', 'refunds.plan'],
  ]) {
    const { stdout, stderr } = await service.run(words, atTerminal);
    const said = inOneLine(stderr);
    expect(stdout).toBe('');
    // With the prompt they fill 24 lines at most.
    expect(stderr.trimEnd().split('\n').length).toBeLessThan(24);
    expect(said).toMatch(/all 62 rows: paydesk (?:-p \S+ )?refunds status \S+ --all-rows/);
    expect(said).toMatch(/7 rows, lines 57, 58, 59, 60, 61, 62 and 1 more: there is no order/);
  }
});

it('--all-rows and a pipe get every row', async () => {
  await using service = await startRefunds(orders(count));
  const piped = await service.plan(rows);
  expect(piped.stdout.match(/^ *\d+ +ord_\d/gm)).toHaveLength(count + 7);
  const all = await service.run(['refunds', 'status', 'refunds.plan', '--all-rows'], atTerminal);
  expect(all.stdout.match(/^ *\d+ +ord_\d/gm)).toHaveLength(count + 7);
});

it('both comparisons list the rows that do not agree, and with --all-rows or in a pipe every row', async () => {
  await using service = await startRefunds(orders(count));
  writeFileSync(join(service.home.path, 'list.csv'), `${rows.join('\n').replaceAll(',100,', ',35000,')}\n`);
  for (const [noun, missing] of [
    ['orders', 7],
    ['refunds', count + 7],
  ] as const) {
    const listed = async (...more: readonly string[]) => {
      const ran = await service.run(
        [noun, 'compare', 'list.csv', ...more],
        more[0] === '--no-input' ? {} : atTerminal,
      );
      return { said: inOneLine(ran.stderr), rows: ran.stdout.match(/^ *\d+ +ord_\d/gm)?.length ?? 0 };
    };
    const few = await listed();
    expect(few.rows, few.said).toBe(missing);
    expect(few.said).toContain(`${missing} of 62 rows do not agree; --all-rows lists all of them`);
    expect((await listed('--all-rows')).rows).toBe(count + 7);
    expect((await listed('--no-input')).rows).toBe(count + 7);
  }
});

it('a refund that failed, as the file says, is none of the rows that do not agree', async () => {
  const failed = Array.from({ length: count }, (_, index) => {
    const refund = refundOf(`rf_${index + 1}`, 100, { status: 'failed' });
    return orderOf(`ord_${index + 1}`, [chargeOf(`ch_${index + 1}`, 1000, { refunds: listOf(refund) })]);
  });
  await using service = await startRefunds(failed);
  const { stdout } = await service.run(['orders', 'export', '--rows', 'refunds', '--csv']);
  writeFileSync(join(service.home.path, 'list.csv'), stdout);
  const ran = await service.run(['refunds', 'compare', 'list.csv'], atTerminal);
  expect(ran.code, ran.stderr).toBe(0);
  expect(inOneLine(ran.stderr)).toContain(`0 of ${count} rows do not agree`);
});

it('status says what is next: apply, and once all that can be is made, the rest as a file', async () => {
  await using service = await startRefunds(orders(1));
  await service.plan(['order_id,amount,ref', 'ord_1,100,', 'ord_9,100,']);
  const status = async () => inOneLine((await service.run(['refunds', 'status', 'refunds.plan'])).stderr);
  expect(await status()).toMatch(/next: paydesk (?:-p \S+ )?refunds apply refunds\.plan/);
  await service.apply();
  expect(await status()).toMatch(
    /next: paydesk (?:-p \S+ )?refunds status refunds\.plan --rest refunds-rest\.csv/,
  );
});
