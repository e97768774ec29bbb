/** Orders of which the service does not show all: an export writes what it can and names each of them. */

import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { chargeOf, type Json, listBeforeMore, listOf, orderOf, refundOf } from '../harness/orders.ts';
import type { Home } from '../harness/paydesk.ts';
import { reset } from '../harness/server.ts';
import { startService } from '../harness/service.ts';

const read = (home: Home, name: string) => readFileSync(join(home.path, name), 'utf8');
const manifest = (home: Home, name: string) => JSON.parse(read(home, `${name}.manifest.json`));
function idsIn(csv: string) {
  const [titles = [], ...rows] = readCsv(csv);
  return rows.map((row) => row[titles.indexOf('id')]);
}

const order = (name: string, charge: Json = {}, changes: Json = {}) =>
  orderOf(`ord_${name}`, [chargeOf(`ch_${name}`, 1000, charge)], changes);
const whole = (name: string) =>
  order(name, { refunds: listOf(refundOf(`rf_${name}`, 300)) }, { amount_refunded: 300 });

// Each with what an export of refunds says is missing of it, and why.
const odd: readonly (readonly [order: Json, missing: string, why: string])[] = [
  [order('null', {}, { charges: null }), 'charges', 'the charges are not shown'],
  [
    orderOf('ord_part', [], {
      charges: listBeforeMore(chargeOf('ch_part', 1000, { refunds: listOf(refundOf('rf_part', 300)) })),
    }),
    'charges',
    'the charges are not all shown',
  ],
  [
    order('some', { refunds: listBeforeMore(refundOf('rf_some', 300)) }, { amount_refunded: 500 }),
    'refunds',
    'the refunds of charge ch_some are not all shown',
  ],
  [
    order('none', {}, { amount_refunded: 500 }),
    'refunds',
    'it shows no refund, although its amount_refunded is 500',
  ],
  [
    order('few', { refunds: listOf(refundOf('rf_few', 300)) }, { amount_refunded: 500 }),
    'refunds',
    'its refunds add up to 300, although its amount_refunded is 500',
  ],
  [
    order('undated', { refunds: listOf(refundOf('rf_undated', 300, { created_at: null })) }),
    'date',
    'rf_undated shows no created_at',
  ],
];
const orders = [whole('a'), ...odd.map(([one]) => one), whole('z')];
const named = odd.map(([{ id }, missing, why]) => [id, missing, why]);
const shown = ['rf_a', 'rf_part', 'rf_some', 'rf_few', 'rf_z'];
const refunds = ['orders', 'export', '--rows', 'refunds', '--since', '2026-01-01', '--limit', '3'];

test('an export writes every refund that is shown, names each odd order in a problems file, and ends with 9', async () => {
  await using service = await startService({ orders });
  const { home } = service;
  const ran = await service.run([...refunds, '--to', 'r.csv']);
  expect(ran.code, ran.stderr).toBe(9);
  expect(idsIn(read(home, 'r.csv'))).toEqual(shown);
  const [heading, ...problems] = readCsv(read(home, 'r.csv.problems.csv'));
  expect(heading).toEqual(['order_id', 'missing', 'why']);
  expect(problems).toEqual(named);
  expect(manifest(home, 'r.csv')).toMatchObject({
    complete: false,
    why_not: 'not all is in it: 6 problems, named in r.csv.problems.csv',
    problems: 6,
    problems_file: 'r.csv.problems.csv',
    rows: 5,
  });
  expect(ran.stderr).toContain('r.csv: 5 refunds, ');
  expect(ran.stderr).toContain(
    'incomplete: the service does not show all of 6 orders, so some refunds may be missing',
  );
});

test('--verify says that something is missing and where it is named, and refuses a problems file that was changed', async () => {
  await using service = await startService({ orders });
  await service.run([...refunds, '--to', 'r.csv']);
  const verify = () => service.run(['orders', 'export', '--verify', 'r.csv']);
  const checked = await verify();
  expect(checked.code).toBe(9);
  expect(checked.stderr).toContain('just what its manifest says, 5 rows');
  expect(checked.stderr).toContain('not all is in it: 6 problems');
  expect(checked.stderr).toContain('r.csv.problems.csv names each order');
  writeFileSync(join(service.home.path, 'r.csv.problems.csv'), 'order_id,missing,why\n');
  expect(await verify()).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('is missing, or was changed'),
  });
});

test('a report of such a file counts what is in it, and names each order whose money may be missing', async () => {
  await using service = await startService({ orders });
  await service.run([...refunds, '--to', 'r.csv']);
  const words = ['refunds', 'summary', '--period', '2026', '--json'];
  const file = await service.run([...words, '--from-file', 'r.csv']);
  const live = await service.run(words);
  for (const ran of [file, live]) {
    expect(ran.code, ran.stderr).toBe(9);
    expect(JSON.parse(ran.stdout).data).toEqual([
      expect.objectContaining({ refunds: 5, refunded: 1500, complete: false }),
    ]);
    const { now } = JSON.parse(ran.stderr) as { readonly now: readonly string[] };
    for (const [id, missing] of named) {
      const line = missing === 'date' ? /^ord_undated: rf_undated shows no / : new RegExp(`^${String(id)}: `);
      expect(now).toContainEqual(expect.stringMatching(line));
    }
  }
});

test('an export that broke off and was resumed gives the same rows and the same problems file as an unbroken one', async () => {
  await using unbroken = await startService({ orders });
  await unbroken.run([...refunds, '--to', 'r.csv']);
  let isBroken = true;
  await using service = await startService({
    orders,
    onPage: ({ url }) => (isBroken && url.includes('next=ord_few') ? reset : undefined),
  });
  const first = await service.run([...refunds, '--to', 'r.csv']);
  expect(first.code).toBe(9);
  expect(existsSync(join(service.home.path, 'r.csv.problems.csv'))).toBe(false);
  isBroken = false;
  const second = await service.run([...refunds, '--to', 'r.csv', '--resume']);
  expect(second.code, second.stderr).toBe(9);
  for (const name of ['r.csv', 'r.csv.problems.csv'])
    expect(read(service.home, name)).toBe(read(unbroken.home, name));
});

test('to stdout every row that can be made is written, and each odd order is named on stderr', async () => {
  await using service = await startService({ orders });
  const ran = await service.run([...refunds, '--csv']);
  expect(ran.code).toBe(9);
  expect(idsIn(ran.stdout)).toEqual(shown);
  for (const [id, , why] of named) expect(ran.stderr).toContain(`${String(id)}: ${String(why)}`);
});

test('--strict stops at the first odd order, and the command that it prints goes on past it', async () => {
  await using service = await startService({ orders });
  const ran = await service.run([...refunds, '--to', 'r.csv', '--strict']);
  expect(ran).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('ord_null: the charges are not shown'),
  });
  expect(existsSync(join(service.home.path, 'r.csv'))).toBe(false);
  const again = await service.run([...refunds, '--to', 'r.csv']);
  expect(again.code).toBe(9);
  expect(idsIn(read(service.home, 'r.csv'))).toEqual(shown);
});

test('an order that cannot be in the range is no problem, and orders need no charges', async () => {
  await using service = await startService({ orders });
  const early = await service.run([
    ...refunds,
    '--by',
    'created',
    '--until',
    '2026-02-01',
    '--to',
    'early.csv',
  ]);
  expect(early.code, early.stderr).toBe(0);
  const all = await service.run(['orders', 'export', '--since', '2026-01-01', '--to', 'o.csv']);
  expect(all.code, all.stderr).toBe(0);
  // The day of a payment is in the charges; one that is shown is enough.
  const paid = await service.run([
    'orders',
    'export',
    '--by',
    'paid',
    '--since',
    '2026-01-01',
    '--to',
    'p.csv',
  ]);
  expect(paid.code).toBe(9);
  expect(readCsv(read(service.home, 'p.csv.problems.csv')).slice(1)).toEqual([named[0]]);
});

test('an amount that is null is in no sum of the manifest, and is counted as unsummed', async () => {
  const charge = { refunds: listOf({ ...refundOf('rf_x', 1), amount: null }) };
  await using service = await startService({ orders: [order('x', charge), whole('a')] });
  const ran = await service.run([...refunds, '--to', 'r.csv']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toContain('unsummed 1: no amount is shown, so no sum has them');
  const { rows, unsummed_rows, sums } = manifest(service.home, 'r.csv');
  expect({ rows, unsummed_rows, amount: sums[0].amount }).toEqual({
    rows: 2,
    unsummed_rows: 1,
    amount: -300,
  });
});

test('a problems file of before is replaced, and removed once nothing is missing', async () => {
  await using service = await startService({ orders });
  const problems = join(service.home.path, 'r.csv.problems.csv');
  const run = () => service.run([...refunds, '--to', 'r.csv', '--force']);
  await run();
  service.orders = orders.slice(0, 3);
  await run();
  expect(readCsv(readFileSync(problems, 'utf8')).slice(1)).toEqual(named.slice(0, 2));
  service.orders = [whole('a')];
  const ran = await run();
  expect(ran.code, ran.stderr).toBe(0);
  expect(existsSync(problems)).toBe(false);
});

const foreign: readonly (readonly [string, (path: string) => void])[] = [
  ['a file of the user', (path) => writeFileSync(path, 'order,why\nord_1,ask Ana\n')],
  ['a link', (path) => symlinkSync('elsewhere.csv', path)],
];
test.each(foreign)(
  '%s with the name of the problems file is refused, with --force too, and stays',
  async (_, put) => {
    await using service = await startService({ orders });
    const { home } = service;
    writeFileSync(join(home.path, 'elsewhere.csv'), 'mine\n');
    put(join(home.path, 'r.csv.problems.csv'));
    const before = read(home, 'r.csv.problems.csv');
    const ran = await service.run([...refunds, '--to', 'r.csv', '--force']);
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('paydesk did not write it') });
    expect(service.requests).toEqual([]);
    expect(read(home, 'r.csv.problems.csv')).toBe(before);
    expect(read(home, 'elsewhere.csv')).toBe('mine\n');
  },
);

test('a file of the user that appears while the export runs is not replaced; the rows wait for --resume', async () => {
  await using service = await startService({
    orders,
    onGet: ({ home, requests }) => {
      if (requests.length === 3) writeFileSync(join(home.path, 'r.csv.problems.csv'), 'mine\n');
    },
  });
  const ran = await service.run([...refunds, '--to', 'r.csv']);
  expect(ran.code).toBe(3);
  expect(read(service.home, 'r.csv.problems.csv')).toBe('mine\n');
  expect(existsSync(join(service.home.path, 'r.csv.partial'))).toBe(true);
});

test('an amount that the service sends as text is in no sum, also where the CSV is read again', async () => {
  const charge = { refunds: listOf({ ...refundOf('rf_x', 1), amount: '-300' }) };
  await using service = await startService({ orders: [order('x', charge), whole('a')] });
  await service.run([...refunds, '--to', 'r.csv']);
  const ran = await service.run(['refunds', 'summary', '--period', '2026', '--json', '--from-file', 'r.csv']);
  expect(JSON.parse(ran.stdout).data).toEqual([
    expect.objectContaining({ refunds: 2, refunded: 300, unsummed: 1 }),
  ]);
});

test('a CSV with amounts of more than 15 digits says how many a spreadsheet would round; other formats do not', async () => {
  const amount = 1_234_567_890_123_457;
  const large = { refunds: listOf(refundOf('rf_l', amount)), amount };
  await using service = await startService({
    orders: [order('l', large, { amount_refunded: amount }), whole('a')],
  });
  const words = '1 amount of these refunds has more than 15 digits';
  for (const more of [['--to', 'r.csv'], ['--csv']])
    expect((await service.run([...refunds, ...more])).stderr).toContain(words);
  expect((await service.run([...refunds, '--ndjson'])).stderr).not.toContain('15 digits');
  expect(read(service.home, 'r.csv')).toContain(`,-${amount},`);
});
