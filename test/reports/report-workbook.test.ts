/** `report --to FILE.xlsx`: each table of the report as a sheet, with the figures of the HTML report, and a sheet about them. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../harness/orders.ts';
import type { Service } from '../harness/service.ts';
import { readSheets, said, type TestCell, type TestSheet } from '../harness/workbook.ts';
import { clock, orderAt, startDated } from './refunded-orders.ts';

const buyer = { customer_info: { name: 'Ana Torres', email: 'ana@example.com' } };
const orders = [
  orderAt('ord_9', '2040-11-20T10:00:00Z', { amount: 442_401_900 }),
  orderAt('ord_8', '2040-11-19T10:00:00Z', {
    amount: 57_906_900,
    currency: 'USD',
    refunds: [{ amount: 2_963_786, at: '2040-11-20T10:00:00Z' }],
  }),
  orderAt('ord_7', '2040-11-18T10:04:00Z', buyer),
  orderAt('ord_6', '2040-11-18T10:00:00Z', buyer),
  orderAt('ord_1', '2040-10-02T10:00:00Z', {
    amount: 9_000_000,
    refunds: [
      { amount: 1_000_000, at: '2040-11-05T12:00:00Z' },
      { amount: 2_000_000, at: '2040-10-05T12:00:00Z' },
    ],
  }),
];

const report = (service: Service, ...words: readonly string[]) =>
  service.run(['report', ...words], { env: clock });
const fileIn = ({ home }: Service, name: string) => readFileSync(join(home.path, name));

/** The rows of a sheet as records, by the titles of its columns. */
function recordsIn({ cells }: TestSheet): readonly Json[] {
  const at = (column: string, row: number) => cells.get(`${column}${row}`);
  const letters = [...new Set([...cells.keys()].map((address) => address.replace(/\d+/, '')))];
  const last = Math.max(...[...cells.keys()].map((address) => Number(address.replace(/\D+/, ''))));
  const held = (cell: TestCell = {}) => cell.text ?? cell.number ?? cell.bool ?? cell.date ?? null;
  return Array.from({ length: last - 1 }, (_, index) =>
    Object.fromEntries(letters.map((letter) => [at(letter, 1)?.text ?? letter, held(at(letter, index + 2))])),
  );
}

/** The same without what cells hold in another way: times. */
const plain = (rows: readonly Json[]) =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !/_at\b/.test(name))));

test('each table of the report is a sheet with the figures of the HTML report', async () => {
  await using service = await startDated({ orders });
  expect((await report(service, '--to', 'report.html')).code).toBe(0);
  const { code, stderr } = await report(service, '--to', 'report.xlsx');
  expect(code, stderr).toBe(0);
  const figures: Json = JSON.parse(
    /<pre id="figures"[^>]*>(.*)<\/pre>/.exec(fileIn(service, 'report.html').toString())?.[1] ?? '',
  );
  const sheets = readSheets(fileIn(service, 'report.xlsx'));
  expect([...sheets.keys()]).toEqual(
    'sums by_day by_reason by_operator by_approver by_card largest waiting twins open_cases recorded acknowledged about'.split(
      ' ',
    ),
  );
  const rows = (name: string) => recordsIn(sheets.get(name) ?? { xml: '', cells: new Map() });
  const same = (name: string, key = name) =>
    expect(plain(rows(name)), name).toEqual(plain(figures[key] as readonly Json[]));
  for (const name of ['by_reason', 'by_operator', 'by_approver', 'by_card', 'waiting', 'twins']) same(name);
  same('by_day', 'by_time');
  same('largest');
  for (const name of ['open_cases', 'recorded', 'acknowledged']) same(name);
  expect(rows('largest')[0]).toMatchObject({ 'refunded_at (UTC)': '2040-11-05 12:00:00' });
  // The sums of the period stand above those of the times before it.
  const sums = rows('sums');
  expect(
    sums
      .filter(({ time }) => time === 'this period')
      .map(({ currency, refunded, net }) => [currency, refunded, net]),
  ).toEqual([
    ['MXN', 1_000_000, 441_421_900],
    ['USD', 2_963_786, 54_943_114],
  ]);
  expect(sums.find(({ time }) => time !== 'this period')).toMatchObject({
    currency: 'MXN',
    refunded: 2_000_000,
  });
});

test('the sheet about it has the command, the zone, the sums and a digest that --verify checks', async () => {
  await using service = await startDated({ orders });
  const words = ['--period', '2040-11', '--tz', 'Europe/Madrid', '--to', 'report.xlsx'];
  const { stderr } = await report(service, ...words);
  const about = said(
    readSheets(fileIn(service, 'report.xlsx')).get('about') ?? { xml: '', cells: new Map() },
  );
  expect(about.get('command')).toEqual([`paydesk report ${words.join(' ')}`]);
  expect(about.get('zone of all times')).toEqual(['Europe/Madrid']);
  expect(about.get('rows of largest')).toEqual([2]);
  expect(about.get('sum of refunded')?.filter((one) => typeof one === 'number')).toEqual([
    1_000_000, 2_963_786,
  ]);
  // What a page says above its tables.
  expect(stderr).toMatch(/^Refunded: 1 000 000 MXN; 2 963 786 USD$/m);
  expect(about.get('note')).toContain('Refunded: 1 000 000 MXN; 2 963 786 USD');
  const verify = () => service.run(['orders', 'export', '--verify', 'report.xlsx'], { env: clock });
  expect((await verify()).code).toBe(0);
});

test('a buyer and a note are in it only with --names; --columns is refused, and --dry-run writes nothing', async () => {
  await using service = await startDated({ orders });
  const titles = async (...words: readonly string[]) => {
    const { code, stderr } = await report(service, '--to', 'report.xlsx', '--force', ...words);
    expect(code, stderr).toBe(0);
    const { xml } = readSheets(fileIn(service, 'report.xlsx')).get('twins') ?? { xml: '' };
    return xml.includes('Ana Torres');
  };
  expect([await titles(), await titles('--names'), await titles('--names', '--redact')]).toEqual([
    false,
    true,
    false,
  ]);
  expect(await report(service, '--to', 'other.xlsx', '--columns', 'refunded')).toMatchObject({ code: 2 });
  const dry = await report(service, '--to', 'other.xlsx', '--dry-run');
  expect(dry.stdout).toContain('would write a report of this-month into other.xlsx');
  expect(existsSync(join(service.home.path, 'other.xlsx'))).toBe(false);
  // A name without an ending that says what it is.
  expect((await report(service, '--to', 'other.pdf')).stderr).toContain('.html or .xlsx');
});
