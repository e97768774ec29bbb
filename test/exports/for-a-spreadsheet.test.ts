/** CSV as a spreadsheet opens it: its byte order mark, its delimiter and its decimals, in lists, summaries and exports. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chargeOf, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { paydesk } from '../harness/paydesk.ts';
import { pages, startAnswering, startService, storeShop } from '../harness/service.ts';
import { readWorkbook, said, unzip } from '../harness/workbook.ts';

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
  expect(typed.stderr).toContain('--for excel: --bom --delimiter tab --decimal comma\n');
  // What people look orders up by is there, though the service has no such field.
  const sheet = await service.run(['orders', 'list', '--csv', '--for', 'excel']);
  expect(sheet.stdout.split('\n')[0]).toContain('reference');
  const refunds = await service.run(['refunds', 'list', '--period', '2026-07', '--csv', '--for', 'excel']);
  expect(refunds.stdout).toMatch(/^\ufeffrefunded_at,order_id,reference,buyer,amount,/);
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
  expect(file.split('\n')[0]).toMatch(/^\ufeffrefunded_at;order_id;reference;buyer;amount;/);
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

// Two decimals, none, none declared, and more digits than a spreadsheet keeps.
const inCurrencies = [
  ['ord_1', 12_345, 'MXN'],
  ['ord_2', 52_000, 'JPY'],
  ['ord_3', 700, 'USD'],
  ['ord_4', 9_007_199_254_740_991, 'MXN'],
  ['ord_5', 5, 'MXN'],
] as const;

async function startDecimals() {
  const all = inCurrencies.map(([id, amount, currency]) =>
    orderOf(id, [chargeOf(`ch_${id}`, amount, { currency })], { amount, currency }),
  );
  const service = await startAnswering(pages(all));
  await storeShop(service.home, service, { 'amounts.decimals.MXN': '2', 'amounts.decimals.JPY': '0' });
  const run = (...words: readonly string[]) => paydesk(['-p', 'shop', ...words], { home: service.home });
  return { service, run };
}

const decimalColumns = ['--columns', 'id,amount_decimal,currency'];

test('amount_decimal is the money as people write it, digit for digit, and blank where no decimals are declared', async () => {
  const { service, run } = await startDecimals();
  await using _ = service;
  const lines =
    'ord_1,123.45,MXN\nord_2,52000,JPY\nord_3,,USD\nord_4,90071992547409.91,MXN\nord_5,0.05,MXN\n';
  expect((await run('orders', 'list', '--csv', ...decimalColumns)).stdout).toBe(
    `id,amount_decimal,currency\n${lines}`,
  );
  const exported = await run('orders', 'export', '--to', 'o.csv', ...decimalColumns, '--for', 'excel');
  expect(exported.code, exported.stderr).toBe(0);
  const german = await run(
    'orders',
    'export',
    '--csv',
    ...decimalColumns,
    '--decimal',
    'comma',
    '--delimiter',
    'semicolon',
  );
  expect(german.stdout).toBe(
    `id;amount_decimal;currency\n${lines.replaceAll(',', ';').replaceAll('.', ',')}`,
  );
  const table = await run('orders', 'list', '--columns', 'id,amount_decimal', '--width', '60');
  expect(table.stdout).toMatch(/AMOUNT_DECIMAL[\s\S]*ord_1 +123\.45\n[\s\S]*ord_3 +-\n/);
  expect((await run('orders', 'list', '--columns', 'id,currency_decimal')).code).toBe(2);
});

test('a file for a spreadsheet has the decimals beside the amounts by itself, and its note names a column that it can have', async () => {
  const { service, run } = await startDecimals();
  await using _ = service;
  const [title, first, , third] = (await run('orders', 'list', '--csv', '--for', 'excel')).stdout.split('\n');
  expect(title).toContain(',amount,amount_decimal,amount_refunded,amount_refunded_decimal,currency,');
  expect(first).toContain(',12345,123.45,');
  expect(third).toContain(',700,,');
  const exported = await run('orders', 'export', '--rows', 'charges', '--to', 'c.xlsx');
  expect(exported.stderr).toContain('12345 is 123.45 MXN (amount_decimal has the decimals)');
  const { rows } = readWorkbook(readFileSync(join(service.home.path, 'c.xlsx')));
  expect(['D1', 'E1', 'E2', 'E4'].map((cell) => rows.cells.get(cell))).toEqual([
    { text: 'amount' },
    { text: 'amount_decimal' },
    { number: 123.45 },
    undefined,
  ]);
  const summary = await run('orders', 'summary', '--csv', '--bom');
  expect(summary.stderr).toContain('(amount_decimal in --columns)');
  const sums = await run('refunds', 'summary', '--csv', '--bom');
  expect(sums.stderr).toContain('(refunded_decimal in --columns)');
  expect((await run('orders', 'list', '--csv', '--bom', '--columns', 'id')).stderr).not.toContain('_decimal');
});

test('--decimal and --for say so where they change nothing', async () => {
  await using service = await desk();
  const notes = async (...words: readonly string[]) => (await service.run(words)).stderr;
  const comma = ['--decimal', 'comma'];
  expect(await notes('orders', 'list', '--csv', ...comma)).toContain(
    '--decimal comma: no column here has decimals, so there is no comma: the profile declares none (amounts.decimals)',
  );
  expect(await notes('refunds', 'summary', '--csv', ...comma)).not.toContain('no comma');
  expect(await notes('orders', 'list', ...comma)).toContain('--decimal is for CSV');
  expect(await notes('orders', 'list', '--for', 'excel')).toContain('--for is for CSV');
  // A workbook has real numbers and dates, and what was typed for a CSV is of no concern there.
  expect(await notes('orders', 'list', '--to', 'o.xlsx', '--for', 'excel')).not.toContain('--for');
});

test('a list into a file has all that matches, and with --limit one page', async () => {
  const many = Array.from({ length: 45 }, (_, index) => orderOf(`ord_${100 + index}`, [chargeOf('ch', 1)]));
  await using service = await startService({ orders: many });
  const lines = async (...words: readonly string[]) => {
    const ran = await service.run([...words, '--to', 'l.csv', '--force']);
    expect(ran.code, ran.stderr).toBe(0);
    return readFileSync(join(service.home.path, 'l.csv'), 'utf8').trim().split('\n').length - 1;
  };
  expect(await lines('orders', 'list')).toBe(45);
  expect(await lines('orders', 'list', '--status', 'paid')).toBe(45);
  expect(await lines('orders', 'list', '--limit', '7')).toBe(7);
  expect(await lines('orders', 'list', '--max', '21')).toBe(21);
  expect((await service.run(['orders', 'list', '--csv'])).stdout.trim().split('\n')).toHaveLength(21);
});

test('in a workbook it is a number with its decimals, a text where 15 digits do not hold it, and is added up once', async () => {
  const { service, run } = await startDecimals();
  await using _ = service;
  for (const [file, columns] of [
    ['one.xlsx', 'id,amount_decimal'],
    ['both.xlsx', 'id,amount_decimal,amount'],
  ] as const) {
    const ran = await run('orders', 'export', '--to', file, '--columns', columns);
    expect(ran.code, ran.stderr).toBe(0);
    const bytes = readFileSync(join(service.home.path, file));
    const { rows, about } = readWorkbook(bytes);
    expect(inCurrencies.map((__, index) => rows.cells.get(`B${index + 2}`))).toEqual([
      { number: 123.45 },
      { number: 52_000 },
      undefined,
      { text: '90071992547409.91' },
      { number: 0.05 },
    ]);
    // The digits of the cell itself, with the format 0.00.
    const [, style = ''] = /<c r="B2" s="(\d+)"><v>123\.45<\/v>/.exec(rows.xml) ?? [];
    const styles = unzip(bytes).get('xl/styles.xml')?.toString() ?? '';
    const [, format] =
      /numFmtId="(\d+)"/.exec(styles.split('<cellXfs')[1]?.split('<xf ')[Number(style) + 1] ?? '') ?? [];
    expect(styles).toContain(`<numFmt numFmtId="${format}" formatCode="0.00"/>`);
    const lines = said(about);
    expect(lines.get('sum of amount, paid')).toEqual([
      52_000,
      '52000 JPY (52000)',
      '9007199254753341',
      '9007199254753341 MXN (90071992547533.41)',
      700,
      '700 USD',
    ]);
    expect([...lines.keys()].filter((title) => title.startsWith('sum of'))).toEqual(['sum of amount, paid']);
    expect(lines.get('unit of amount_decimal')).toEqual(['with its decimals; blank where none are declared']);
  }
});
