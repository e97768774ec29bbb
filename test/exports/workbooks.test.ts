/** Lists, summaries and exports as workbooks: dates, numbers and texts that a spreadsheet keeps, and a sheet that says what they are. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { reset } from '../harness/server.ts';
import { environment, pages, startAnswering, testKey } from '../harness/service.ts';
import { readWorkbook, rowOf, said, unzip } from '../harness/workbook.ts';
import { exporting, startOrders } from './many-orders.ts';

// 25 October 2026, 00:30 and 01:30 in UTC: 02:30 in Madrid, twice.
const summer = 1_792_888_200;

const orderWith = (id: string, fields: Json): Json =>
  orderOf(id, [chargeOf(`ch_${id}`, 1000, { order_id: id, created_at: summer, paid_at: summer })], {
    created_at: summer,
    updated_at: summer + 3600,
    ...fields,
  });

const book = (home: Home, name: string) => readWorkbook(readFileSync(join(home.path, name)));
const words = ['--columns', 'id,created_at,updated_at,amount,customer_info.name,is_refundable'];

test('a workbook has real dates in the stated zone, real numbers, and texts where a number would be rounded', async () => {
  const names = ['=1+1', '+52', '-1', '@SUM(A1)', '00123', 'Zoë "& <Co>', '  blank  ', 'two\nlines'];
  await using service = await startAnswering(
    pages([
      ...names.map((name, index) =>
        orderWith(`ord_${index}`, { customer_info: { object: 'customer_info', name } }),
      ),
      orderWith('ord_15', { amount: 999_999_999_999_999 }),
      orderWith('ord_16', { amount: 1_234_567_890_123_457 }),
    ]),
  );
  const ran = await service.run(['orders', 'export', '--to', 'all.xlsx', '--tz', 'Europe/Madrid', ...words]);
  expect(ran.code, ran.stderr).toBe(0);
  const { rows, about } = book(service.home, 'all.xlsx');
  expect(rowOf(rows, 1, 'ABCDEF')).toEqual(
    [
      'id',
      'created_at (Europe/Madrid)',
      'updated_at (Europe/Madrid)',
      'amount',
      'customer_info.name',
      'is_refundable',
    ].map((text) => ({ text })),
  );
  // The clocks of Madrid show this hour twice.
  const time = { date: '2026-10-25 02:30:00' };
  expect(rowOf(rows, 2, 'ABCDEF')).toEqual([
    { text: 'ord_0' },
    time,
    time,
    { number: 1000 },
    { text: '=1+1' },
    { bool: true },
  ]);
  expect(names.map((_, index) => rows.cells.get(`E${index + 2}`)?.text)).toEqual(names);
  expect([rows.cells.get('D10'), rows.cells.get('D11')]).toEqual([
    { number: 999_999_999_999_999 },
    { text: '1234567890123457' },
  ]);
  expect(rows.xml).not.toContain('<f>');
  expect(rows.xml).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
  expect(rows.xml).toContain('</sheetData><autoFilter ref="A1:F11"/><pageSetup ');
  expect(about.xml).not.toContain('autoFilter');
  expect(rows.xml.match(/<col /g)).toHaveLength(6);
  expect(said(about).get('zone of all times')).toEqual(['Europe/Madrid']);
  expect(said(about).get('sum of amount, paid')).toEqual([
    '2234567890131456',
    expect.stringContaining('MXN'),
  ]);
});

test('it prints across, as wide as a page, with the heading on every page', async () => {
  await using service = await startAnswering(pages([orderWith('ord_A', {})]));
  const ran = await service.run(['orders', 'list', '--to', 'list.xlsx']);
  expect(ran.code, ran.stderr).toBe(0);
  const bytes = readFileSync(join(service.home.path, 'list.xlsx'));
  for (const { xml } of Object.values(readWorkbook(bytes))) {
    expect(xml).toContain('<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>');
    expect(xml).toContain('<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/></worksheet>');
  }
  const book = unzip(bytes).get('xl/workbook.xml')?.toString();
  expect(book).toContain('<definedName name="_xlnm.Print_Titles" localSheetId="0">rows!$1:$1</definedName>');
});

test('the second sheet says what was asked, how much it is, what the screen said, and a digest of the rows', async () => {
  await using service = await startAnswering(
    pages([orderWith('ord_A', { currency: 'USD' }), orderWith('ord_B', {})]),
  );
  const ran = await service.run(['orders', 'list', '--to', 'list.xlsx']);
  expect([ran.code, ran.stdout], ran.stderr).toEqual([0, '']);
  const bytes = readFileSync(join(service.home.path, 'list.xlsx'));
  const facts = said(readWorkbook(bytes).about);
  expect(facts.get('command')).toEqual(['paydesk orders list --to list.xlsx']);
  expect(facts.get('rows')).toEqual([2]);
  expect(facts.get('note')).toContainEqual(expect.stringContaining('2 orders'));
  expect(facts.get('sum of amount, paid')).toEqual([1000, '1000 MXN', 1000, '1000 USD']);
  const { cells } = readWorkbook(bytes).about;
  expect([...cells].flatMap(([at, cell]) => (at.startsWith('D') ? cell.text : []))).toEqual(['MXN', 'USD']);
  const [title = '', [digest] = []] = [...facts].find(([name]) => name.startsWith('SHA-256')) ?? [];
  const first = Number(/first (\d+) bytes/.exec(title)?.[1]);
  expect(createHash('sha256').update(bytes.subarray(0, first)).digest('hex')).toBe(digest);
  // The part that the digest is about ends behind the sheet of rows.
  expect(bytes.toString('latin1', first - 16, first - 12)).toBe('PK\u0007\u0008');
});

test('charges have a sum for each status, and one of their fees, in the workbook and in its manifest', async () => {
  const charges = [
    { fee: 30 },
    { fee: 25, refunds: listOf(refundOf('rf_1', 300), refundOf('rf_2', 7, { status: 'failed' })) },
    { status: 'declined', amount: 700, fee: undefined },
    { status: 'pre_authorized', amount: 400, fee: undefined },
  ].map((fields, index) => ({ ...chargeOf(`ch_${index}`, 1000), created_at: summer, ...fields }));
  await using service = await startAnswering(
    pages(charges.map((charge, index) => orderOf(`ord_${index}`, [charge], { created_at: summer }))),
  );
  const ran = await service.run(['orders', 'export', '--rows', 'charges', '--to', 'c.xlsx']);
  expect([ran.code, ran.stderr]).toEqual([
    0,
    expect.stringContaining('\nfees: 55 MXN; 2 of 4 charges show one\n'),
  ]);
  const facts = said(book(service.home, 'c.xlsx').about);
  // What went back of each charge is a number, so that a spreadsheet adds it up.
  const { rows } = book(service.home, 'c.xlsx');
  const [at] = [...rows.cells].find(([, { text }]) => text === 'refunded') ?? [''];
  const ofColumn = [2, 3, 4, 5].map((row) => rows.cells.get(at.replace('1', String(row))));
  expect(ofColumn.toSorted((one, other) => (one?.number ?? 0) - (other?.number ?? 0))).toEqual(
    [0, 0, 0, 300].map((number) => ({ number })),
  );
  expect(facts.get('sum of refunded')?.[0]).toBe(300);
  expect(facts.get('note')).toContain(
    'paid: 2000 MXN, of which 300 MXN went back so far; less that and the fees: 1645 MXN',
  );
  expect(
    [...facts].filter(([title]) => title.startsWith('sum of')).map(([title, [sum]]) => [title, sum]),
  ).toEqual([
    ['sum of amount, declined', 700],
    ['sum of amount, paid', 2000],
    ['sum of amount, pre_authorized', 400],
    ['sum of fee', 55],
    ['sum of refunded', 300],
  ]);
  const { sums } = JSON.parse(readFileSync(join(service.home.path, 'c.xlsx.manifest.json'), 'utf8'));
  expect(sums.map(({ status, amount, fee }: Json) => [status, amount, fee])).toEqual([
    ['declined', 700, undefined],
    ['paid', 2000, 55],
    ['pre_authorized', 400, undefined],
  ]);
});

test('characters that XML or a cell cannot hold stay what they are, or are cut and counted', async () => {
  const odd = ['a\ufffeb', 'a\uffffb', 'a_x0041_b', 'x'.repeat(40_000), `my ${testKey}`];
  await using service = await startAnswering(
    pages(odd.map((name, index) => orderWith(`ord_${index}`, { metadata: { note: name } }))),
  );
  const ran = await service.run([
    'orders',
    'list',
    '-o',
    'xlsx',
    '--to',
    'odd.xlsx',
    '--columns',
    'id,metadata.note',
  ]);
  expect(ran.code, ran.stderr).toBe(0);
  const { rows, about } = book(service.home, 'odd.xlsx');
  expect([2, 3, 4].map((row) => rows.cells.get(`B${row}`)?.text)).toEqual(odd.slice(0, 3));
  expect(rows.xml).not.toMatch(/[\ufffe\uffff]/);
  expect(rows.cells.get('B5')?.text).toBe(`${'x'.repeat(32_761)} (cut)`);
  expect(rows.cells.get('B6')?.text).toBe('my [key]');
  expect(said(about).get('longer than a cell holds, so cut')).toEqual([1]);
});

test('an export as a workbook that was interrupted goes on, and gives the same bytes', async () => {
  using home = newHome();
  await using whole = await startOrders(90);
  expect((await exporting(whole, home, '--limit', '20', '--to', 'whole.xlsx')).code).toBe(0);
  let isBroken = true;
  await using broken = await startOrders(90, (page) => (page >= 3 && isBroken ? reset : undefined));
  const failed = await exporting(broken, home, '--limit', '20', '--to', 'part.xlsx');
  expect(failed.code).toBe(9);
  expect(existsSync(join(home.path, 'part.xlsx'))).toBe(false);
  isBroken = false;
  const resumed = await exporting(broken, home, '--limit', '20', '--to', 'part.xlsx', '--resume');
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('going on after')]);
  const [one, other] = [book(home, 'whole.xlsx'), book(home, 'part.xlsx')];
  expect(other.rows.xml).toBe(one.rows.xml);
  expect([...other.rows.cells.keys()].filter((at) => at.startsWith('A'))).toHaveLength(91);
  expect(said(other.about).get('sum of amount')).toEqual(said(one.about).get('sum of amount'));
});

test('about says with which words and when an export began, and a resumed one is the same file byte for byte', async () => {
  using home = newHome();
  let left = Number.POSITIVE_INFINITY;
  await using service = await startOrders(90, () => {
    left -= 1;
    return left < 0 ? reset : undefined;
  });
  const run = (time: string, ...more: readonly string[]) =>
    paydesk(['orders', 'export', '--limit', '20', '--columns', 'id,amount', ...more], {
      home,
      env: { ...environment(service.url), ...standingAt(time) },
    });
  const [first, later] = ['2040-11-21T15:31:12Z', '2040-11-22T09:00:00Z'];
  expect((await run(first, '--to', 'whole.xlsx')).code).toBe(0);
  left = 3;
  expect((await run(first, '--to', 'part.xlsx')).code).toBe(9);
  left = Number.POSITIVE_INFINITY;
  const resumed = await run(later, '--to', 'part.xlsx', '--resume');
  expect(resumed.code, resumed.stderr).toBe(0);
  const facts = said(book(home, 'part.xlsx').about);
  expect(facts.get('command')).toEqual([
    'paydesk orders export --limit 20 -o xlsx --columns id,amount --to FILE',
  ]);
  expect(facts.get('started')).toEqual(['2040-11-21 15:31:12']);
  expect(readFileSync(join(home.path, 'part.xlsx'))).toEqual(readFileSync(join(home.path, 'whole.xlsx')));
});

test('with --redact the second sheet has no name that was typed', async () => {
  await using service = await startAnswering(
    pages([orderWith('ord_A', { customer_info: { object: 'customer_info', email: 'ana@example.com' } })]),
  );
  const words = ['orders', 'find', 'ana@example.com', '--redact', '--to', 'found.xlsx'];
  const ran = await service.run(words);
  expect(ran.code, ran.stderr).toBe(0);
  const { about } = book(service.home, 'found.xlsx');
  expect(said(about).get('command')).toEqual(['***']);
  expect(about.xml).not.toContain('ana@example.com');
});

test('--to writes a list into a file of any format, whose name says it', async () => {
  await using service = await startAnswering(pages([orderWith('ord_A', {})]));
  const read = (name: string) => readFileSync(join(service.home.path, name), 'utf8');
  for (const name of ['a.csv', 'a.json', 'a.ndjson']) {
    const plain = await service.run(['orders', 'list', '-o', name.slice(2), '--limit', '20']);
    const ran = await service.run(['orders', 'list', '--to', name, '--limit', '20']);
    expect([ran.code, ran.stdout, read(name)], ran.stderr).toEqual([0, '', plain.stdout]);
  }
  const summary = await service.run(['orders', 'summary', '--period', '2026-10', '--to', 'sum.xlsx']);
  expect(summary.code, summary.stderr).toBe(0);
  expect(book(service.home, 'sum.xlsx').rows.cells.size).toBeGreaterThan(20);
});

test('a file that cannot be right is refused, and a list that fails leaves none', async () => {
  await using service = await startAnswering(pages([orderWith('ord_A', {})]));
  writeFileSync(join(service.home.path, 'there.csv'), 'mine');
  const refused: readonly (readonly [args: readonly string[], code: number, words: string])[] = [
    [['orders', 'list', '--to', 'there.csv'], 3, '--to there.csv: the file exists'],
    [['orders', 'list', '--to', 'list.txt'], 2, 'end the name in .xlsx, .csv, .ndjson or .json'],
    [['orders', 'list', '--to', 'list.csv', '-o', 'xlsx'], 2, '--to list.csv says csv, -o says xlsx'],
    [['orders', 'list', '--to', 'no/list.csv'], 3, 'it cannot be written'],
    [['orders', 'list', '--to', 'a.xlsx', '--columns', 'nothing'], 2, 'there is no such column'],
    [['orders', 'export', '--to', 'a.xlsx.gz'], 2, 'a workbook is packed already'],
  ];
  for (const [args, code, says] of refused) {
    const ran = await service.run(args);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(says)]);
  }
  const screen = await service.run(['orders', 'list', '-o', 'xlsx'], { columns: 100 });
  expect([screen.code, screen.stderr]).toEqual([2, expect.stringContaining('a workbook is for a file')]);
  expect(readFileSync(join(service.home.path, 'there.csv'), 'utf8')).toBe('mine');
  const replaced = await service.run(['orders', 'list', '--to', 'there.csv', '--force']);
  expect([
    replaced.code,
    readdirSync(service.home.path).filter((name) => /^(a\.|list|.*\.new)/.test(name)),
  ]).toEqual([0, []]);
});
