/** Workbooks as LibreOffice shows them, cell by cell, and the memory that one of 200,000 rows takes. It needs `soffice`: apt-get install libreoffice-calc. */

import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { chargeOf, type Json, listBeforeMore, listOf, orderOf } from '../harness/orders.ts';
import { newHome, paydeskProcess } from '../harness/paydesk.ts';
import { json, startServer } from '../harness/server.ts';
import { environment, pages } from '../harness/service.ts';
import { exporting } from './many-orders.ts';

const promisedMiB = 256;
const zone = 'Europe/Madrid';
const columns = [
  'id',
  'created_at',
  'updated_at',
  'amount',
  'currency',
  'customer_info.name',
  'is_refundable',
];
// A comma, quotes where they are needed, UTF-8, texts as they are and cells as they are shown, the first sheet.
const asCsv = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,1';

const likeNumbers = [
  '=1+1',
  '+52',
  '-1',
  '@SUM(A1)',
  '00123',
  '1E5',
  '1/2',
  '12:30',
  '2026-01-02',
  'TRUE',
  '50%',
  '#N/A',
];
const odd = [
  'Zoë "& <Co>',
  '  blank  ',
  'two\nlines',
  "'quoted'",
  'a,b;c',
  '_x0041_',
  '日本 😀',
  'نور',
  '5 €',
  '',
];
const names = [...likeNumbers, ...odd];
const amounts = [0, 1, 35_000, 999_999_999_999_999, 1_234_567_890_123_457, 9_007_199_254_740_991];
// From midnight on, the two days on which the clocks of Madrid change, every 20 minutes.
const days = ['2026-03-28T23:00:00Z', '2026-10-24T22:00:00Z'].map((day) => Date.parse(day) / 1000);

interface Row {
  readonly id: string;
  readonly created: number;
  readonly updated: number;
  readonly amount: number;
  readonly name: string;
}

const rows: readonly Row[] = days
  .flatMap((day) => Array.from({ length: 75 }, (_, at) => day + at * 1200 + (at % 60)))
  .map((created, at) => ({
    id: `ord_${at}`,
    created,
    updated: created + 3600 + at,
    amount: amounts[at % amounts.length] ?? 0,
    name: names[at % names.length] ?? '',
  }))
  .reverse();

const orderWith = ({ id, created, updated, amount, name }: Row): Json =>
  orderOf(id, [chargeOf(`ch_${id}`, amount, { created_at: created, paid_at: created })], {
    created_at: created,
    updated_at: updated,
    amount,
    customer_info: { object: 'customer_info', name },
  });

const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
const timeIn = (seconds: number): string => clock.format(seconds * 1000);

/** The first sheet of a workbook as LibreOffice shows it. */
async function shownBy(folder: string, name: string): Promise<readonly (readonly string[])[]> {
  const own = `-env:UserInstallation=file://${folder}/office`;
  const words = [own, '--headless', '--convert-to', asCsv, '--outdir', folder, join(folder, name)];
  await promisify(execFile)('soffice', words);
  const file = join(folder, name.replace('.xlsx', '-rows.csv'));
  return readCsv(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
}

beforeAll(() => {
  try {
    execFileSync('soffice', ['--version']);
  } catch (cause) {
    throw new Error('this needs LibreOffice: apt-get install libreoffice-calc', { cause });
  }
});

test('LibreOffice shows every cell as the service wrote it, and times in the stated zone', async () => {
  using home = newHome();
  await using server = await startServer(pages(rows.map(orderWith)));
  const words = ['--to', 'all.xlsx', '--tz', zone, '--columns', columns.join(',')];
  const ran = await exporting(server, home, ...words);
  expect(ran.code, ran.stderr).toBe(0);
  const [titles, ...shown] = await shownBy(home.path, 'all.xlsx');
  expect(titles).toEqual(columns.map((name) => (name.endsWith('_at') ? `${name} (${zone})` : name)));
  const wanted = rows.map(({ id, created, updated, amount, name }) => [
    id,
    timeIn(created),
    timeIn(updated),
    String(amount),
    'MXN',
    name,
    'TRUE',
  ]);
  const changed = wanted.flatMap((row, at) =>
    row.flatMap((cell, column) =>
      shown[at]?.[column] === cell ? [] : [`${columns[column]}: ${cell} is ${shown[at]?.[column]}`],
    ),
  );
  console.log(`${shown.length} rows, ${wanted.flat().length} cells compared, ${changed.length} differ`);
  expect(changed).toEqual([]);
  expect(shown).toHaveLength(rows.length);
});

const many = 200_000;

/** Made when it is asked for. */
const manyAt = (at: number): Json =>
  orderWith({
    id: `ord_${at}`,
    created: 1_795_000_000 - at * 140,
    updated: 1_795_000_000 - at * 140 + (at % 5000),
    amount: 10_000 + ((at * 7919) % 900_000),
    name: `${names[at % names.length]} ${at}`,
  });

test(`a workbook of ${many} orders is written within ${promisedMiB} MiB`, async () => {
  using home = newHome();
  await using server = await startServer((request, ...exchange) => {
    const { searchParams } = new URL(request.url, 'http://service');
    const next = searchParams.get('next');
    const first = next === null ? 0 : Number(next.slice('ord_'.length)) + 1;
    const end = Math.min(many, first + Number(searchParams.get('limit') ?? 20));
    const data = Array.from({ length: end - first }, (_, index) => manyAt(first + index));
    return json((end < many ? listBeforeMore : listOf)(...data))(request, ...exchange);
  });
  const peak = join(home.path, 'peak');
  const ran = await paydeskProcess(['orders', 'export', '--to', 'many.xlsx', '--tz', zone], {
    home,
    env: { ...environment(server.url), PEAK_MEMORY_FILE: peak },
    nodeArgs: ['--import', join(import.meta.dirname, '../find/peak-memory.mjs')],
  });
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toContain(String(many));
  const peakMiB = Number(readFileSync(peak, 'utf8')) / 1024;
  const { size } = statSync(join(home.path, 'many.xlsx'));
  console.log(`${many} rows, ${size} bytes, peak ${peakMiB.toFixed(0)} MiB`);
  expect(peakMiB).toBeLessThan(promisedMiB);
});
