/** CSV as a spreadsheet opens it: its byte order mark, its delimiter and its decimals, in lists, summaries and exports. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chargeOf, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { paydesk } from '../harness/paydesk.ts';
import { pages, startAnswering, storeShop } from '../harness/service.ts';

// 1 July 2026, 12:00 in UTC.
const bought = 1_782_907_200;
const order = orderOf(
  'ord_A',
  [
    chargeOf('ch_1', 40_000, {
      order_id: 'ord_A',
      created_at: bought,
      paid_at: bought,
      status: 'partially_refunded',
      refunds: listOf(refundOf('rf_1', 5000, { created_at: bought + 60 })),
    }),
  ],
  {
    created_at: bought,
    updated_at: bought + 60,
    amount_refunded: 5000,
    payment_status: 'partially_refunded',
    customer_info: { object: 'customer_info', name: 'Zoë; Co' },
  },
);
const desk = () => startAnswering(pages([order]));
const german = { env: { LANG: 'de_DE.UTF-8' } };
const july = ['--period', '2026-07', '--csv', '--columns', 'refunded,rate_percent'];

test('--for excel writes CSV as the language of the machine wants it, and says what it set', async () => {
  await using service = await desk();
  const summary = ['refunds', 'summary', ...july, '--for', 'excel'];
  const spanish = await service.run(summary, { env: { LANG: 'es_ES.UTF-8' } });
  expect(spanish.stdout).toBe('\ufeffrefunded;rate_percent\n5000;12,5\n');
  expect(spanish.stderr).toContain(
    '--for excel, as the language of this machine writes numbers: --bom --delimiter semicolon --decimal comma',
  );
  const mexican = await service.run(summary, { env: { LANG: 'es_MX.UTF-8' } });
  expect(mexican.stdout).toBe('\ufeffrefunded,rate_percent\n5000,12.5\n');
  // The standard language of a machine, and what was typed, which counts more.
  expect((await service.run(summary, { env: { LANG: 'es_ES.UTF-8', LC_ALL: 'C' } })).stdout).toBe(
    mexican.stdout,
  );
  const typed = await service.run([...summary, '--decimal', 'comma', '--delimiter', 'tab'], {
    env: { LANG: 'C' },
  });
  expect(typed.stdout).toBe('\ufeffrefunded\trate_percent\n5000\t12,5\n');
  // A desk says it once, and is not told each time.
  const always = await service.run(['refunds', 'summary', ...july], {
    env: { LANG: 'es_ES.UTF-8', PAYDESK_FOR: 'excel' },
  });
  expect([always.stdout, always.stderr.includes('--for')]).toEqual([spanish.stdout, false]);
});

test('each of --bom, --delimiter and --decimal works alone, and a cell with the delimiter is quoted', async () => {
  await using service = await desk();
  const list = ['orders', 'list', '--csv', '--columns', 'id,customer_info.name'];
  expect((await service.run([...list, '--delimiter', 'semicolon'])).stdout).toBe(
    'id;customer_info.name\nord_A;"Zoë; Co"\n',
  );
  expect((await service.run([...list, '--bom', '--no-header'])).stdout).toBe('\ufefford_A,Zoë; Co\n');
  expect((await service.run(['refunds', 'summary', ...july, '--decimal', 'comma'])).stdout).toBe(
    'refunded;rate_percent\n5000;12,5\n',
  );
});

test('--decimal comma alone parts the cells by semicolons and says so; both as commas are refused', async () => {
  await using service = await desk();
  const summary = ['refunds', 'summary', ...july, '--decimal', 'comma'];
  expect((await service.run(summary)).stderr).toContain(
    '--decimal comma: semicolons part the cells; --delimiter takes another sign',
  );
  const both = await service.run([...summary, '--delimiter', 'comma']);
  expect([both.code, both.stdout]).toEqual([2, '']);
  expect(both.stderr).toContain('take --delimiter semicolon, or --decimal point');
});

test('--for excel writes times as dates in the zone, and says in which; they are read again to the second', async () => {
  // 25 October 2026 in Madrid: 02:30 comes twice.
  const twice = 1_792_888_200;
  const orders = [0, 3600].map((later, index) =>
    orderOf(
      `ord_${index}`,
      [chargeOf(`ch_${index}`, 100, { paid_at: twice + later, created_at: twice + later })],
      {
        created_at: twice + later,
      },
    ),
  );
  await using service = await startAnswering(pages(orders));
  const madrid = ['--tz', 'Europe/Madrid', '--for', 'excel'];
  const zone = 'all times are in Europe/Madrid, as a spreadsheet reads them: 2026-11-20 18:42:51';
  const ran = await service.run(['orders', 'export', '--to', 'o.csv', ...madrid]);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toContain(zone);
  const file = readFileSync(join(service.home.path, 'o.csv'), 'utf8');
  expect(file).toContain('2026-10-25 02:30:00,');
  expect(file).toContain('2026-10-25 02:30:00+01:00,');
  expect(file).not.toContain('created_at_local');
  const manifest = JSON.parse(readFileSync(join(service.home.path, 'o.csv.manifest.json'), 'utf8'));
  expect(manifest.query).toMatchObject({ zone: 'Europe/Madrid', times: 'YYYY-MM-DD HH:MM:SS in the zone' });
  expect((await service.run(['orders', 'export', '--verify', 'o.csv'])).code).toBe(0);
  for (const [until, count] of [
    ['2026-10-25T02:00:00+01:00', 1],
    ['2026-10-25T03:00:00+01:00', 2],
  ] as const) {
    const from = ['--from-file', 'o.csv', '--since', '2026-10-25', '--until', until, '--json'];
    const sums = await service.run(['orders', 'summary', ...from]);
    expect(JSON.parse(sums.stdout).data, sums.stderr).toMatchObject([{ orders: count }]);
  }
  const list = await service.run([
    'orders',
    'list',
    '--columns',
    'created_at',
    '--csv',
    '--utc',
    '--for',
    'excel',
  ]);
  expect(list.stdout).toContain('\n2026-10-25 00:30:00\n');
  expect(list.stderr).toContain('all times are in UTC, as a spreadsheet reads them');
});

test('an export for a spreadsheet is read again as any other, by a report and by a comparison', async () => {
  await using service = await desk();
  const words = ['orders', 'export', '--rows', 'refunds', '--to', 'july.csv', '--for', 'excel'];
  const ran = await service.run(words, german);
  expect(ran.code, ran.stderr).toBe(0);
  const file = readFileSync(join(service.home.path, 'july.csv'), 'utf8');
  expect(file.split('\n')[0]).toMatch(/^\ufeffid;order_id;charge_id;amount;/);
  expect((await service.run(['orders', 'export', '--verify', 'july.csv'])).code).toBe(0);
  expect((await service.run(['orders', 'export', '--to', 'all.csv', '--for', 'excel'], german)).code).toBe(0);
  const from = ['--from-file', 'all.csv', '--period', '2026-07', '--csv', '--columns', 'orders,amount'];
  const sums = await service.run(['orders', 'summary', ...from]);
  expect([sums.code, sums.stdout], sums.stderr).toEqual([0, 'orders,amount\n1,40000\n']);
  const compared = await service.run([
    'refunds',
    'compare',
    'july.csv',
    '--csv',
    '--columns',
    'order_id,verdict',
  ]);
  expect([compared.code, compared.stdout]).toEqual([0, 'order_id,verdict\nord_A,refunded\n']);
});

test('a program that paydesk does not know is named', async () => {
  await using service = await desk();
  const ran = await service.run(['orders', 'list', '--csv', '--for', 'calc']);
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([2, '', expect.stringContaining('not one of excel')]);
});

test('a file for a spreadsheet says in which unit its amounts are, where the profile declares decimals', async () => {
  await using service = await desk();
  await storeShop(service.home, service, { 'amounts.decimals.MXN': '2' });
  const said = "whole amounts of the file are in the service's units: 12345 is 123.45 MXN";
  for (const line of [
    ['orders', 'list', '--for', 'excel', '--csv'],
    ['orders', 'list', '--to', 'list.xlsx'],
    ['orders', 'export', '--to', 'all.csv', '--decimal', 'comma'],
    ['orders', 'export', '--to', 'all.xlsx'],
  ])
    expect((await paydesk(['-p', 'shop', ...line], { home: service.home })).stderr, line.join(' ')).toContain(
      said,
    );
  expect(
    (await paydesk(['-p', 'shop', 'orders', 'list', '--csv'], { home: service.home })).stderr,
  ).not.toContain(said);
  expect((await service.run(['orders', 'list', '--for', 'excel', '--csv'])).stderr).not.toContain(said);
});
