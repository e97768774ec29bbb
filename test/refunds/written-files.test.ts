/** Files that `refunds` writes never replace the file or the plan that they are made from, even with --force. */

import { linkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inOneLine } from '../harness/ran.ts';
import { orders, startRefunds } from './refund-service.ts';

const titles = 'order_id,amount';
const rows = [titles, 'ord_1,100', 'ord_2,full'];
const bad = `${titles}\nord_1,1e3\n`;

it.each([
  ['plan --to is the input file', 'plan refunds.csv --to refunds.csv', '--to refunds.csv is the input file'],
  [
    'plan --to, spelled otherwise',
    'plan refunds.csv --to ./refunds.csv',
    '--to ./refunds.csv is the input file',
  ],
  ['plan --to is a link to it', 'plan refunds.csv --to soft.csv', '--to soft.csv is the input file'],
  ['plan --to is a second name of it', 'plan refunds.csv --to hard.csv', '--to hard.csv is the input file'],
  ['plan --errors is the input file', 'plan bad.csv --errors bad.csv', '--errors bad.csv is the input file'],
  ['plan --errors is that of --to', 'plan bad.csv --to a --errors ./a', '--errors ./a is the file of --to'],
  [
    'plan --refresh writes into the older plan',
    'plan --refresh refunds.plan --to refunds.plan',
    '--to refunds.plan is the older plan',
  ],
  ['status --rest is the plan', 'status refunds.plan --rest refunds.plan', '--rest refunds.plan is the plan'],
  [
    'status --rest is called like the input file',
    'status refunds.plan --rest refunds.csv',
    '--rest refunds.csv is called like the input file of the plan',
  ],
  [
    'compare --errors is the input file',
    'compare bad.csv --errors bad.csv',
    '--errors bad.csv is the input file',
  ],
])('%s: refused (2) with the name, and nothing is replaced', async (_, words, problem) => {
  await using service = await startRefunds(orders(2));
  await service.plan(rows);
  service.write('bad.csv', bad);
  symlinkSync('refunds.csv', join(service.home.path, 'soft.csv'));
  linkSync(join(service.home.path, 'refunds.csv'), join(service.home.path, 'hard.csv'));
  const before = ['refunds.csv', 'refunds.plan', 'bad.csv', 'soft.csv'].map((name) => service.read(name));

  const forced = await service.run(['refunds', ...words.split(' '), '--force']);
  const plain = await service.run(['refunds', ...words.split(' ')]);

  for (const { code, stdout, stderr } of [forced, plain]) {
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(inOneLine(stderr)).toContain(`${problem}, which must stay as it is`);
    expect(inOneLine(stderr)).toContain('name another file with --');
  }
  expect(['refunds.csv', 'refunds.plan', 'bad.csv', 'soft.csv'].map((name) => service.read(name))).toEqual(
    before,
  );
});

it('another file is replaced with --force', async () => {
  await using service = await startRefunds(orders(2));
  service.write('list.csv', `${rows.join('\n')}\n`);
  await service.plan('list.csv');
  service.write('rest.csv', 'old\n');

  const ran = await service.run(['refunds', 'status', 'refunds.plan', '--rest', 'rest.csv', '--force']);

  expect(ran.code).toBe(8);
  expect(service.read('rest.csv')).toContain('ord_2');
});
