/** Reports on screens: narrow ones, without colour, for a screen reader; and as rows for scripts. */

import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import type { RunOptions } from '../harness/paydesk.ts';
import { paydesk } from '../harness/paydesk.ts';
import { type Service, storeShop } from '../harness/service.ts';
import { beyondNumbers, clock, orderAt, startDated } from './refunded-orders.ts';

const utf8 = { ...clock, LANG: 'es_MX.UTF-8', NO_COLOR: '' };

const orders = [
  orderAt('ord_5', '2040-11-20T10:00:00Z', { amount: 442_401_900 }),
  orderAt('ord_4', '2040-11-19T10:00:00Z', {
    amount: 57_906_900,
    currency: 'USD',
    refunds: [{ amount: 2_963_786, at: '2040-11-20T10:00:00Z' }],
  }),
  ...[5, 9, 14, 20].map((day, index) =>
    orderAt(`ord_${index}`, '2040-10-02T10:00:00Z', {
      amount: 9_000_000,
      refunds: [{ amount: 1_000_000 * (index + 1), at: `2040-11-${String(day).padStart(2, '0')}T12:00:00Z` }],
    }),
  ),
];

const show = async (service: Service, more: Partial<RunOptions>, ...words: readonly string[]) => {
  const env = { ...service.env, ...utf8, ...more.env };
  return stripVTControlCharacters((await paydesk(words, { home: service.home, ...more, env })).stdout);
};

test('the screen of refunds at 80 columns', async () => {
  await using service = await startDated({ orders });
  expect(await show(service, { columns: 80 }, 'refunds', 'summary')).toMatchInlineSnapshot(`
    "REFUNDS  1 Nov to 21 Nov 2040 (UTC), so far    sandbox environment
           REFUNDS  REFUNDED  OF PAID       PAID        NET  A DAY
      MXN        4  10000000    2.3 %  442401900  432401900  ····▂···▄····▆·····█·
      USD        1   2963786    5.1 %   57906900   54943114  ···················█·

    BY REASON, MXN  REFUNDS  REFUNDED
      elsewhere           4  10000000  ████████████████████████

    BY REASON, USD  REFUNDS  REFUNDED
      elsewhere           1   2963786  ████████████████████████

    as of  21 Nov 2040 15:31:12 UTC: 6 orders read from the service
    rate   refunds made in this period, of the payments of this period (OF PAID)
    net    the payments of this period, less the refunds made in it
    so far MXN 0.0 %, USD 5.1 % of the payments of this period went back
    "
  `);
});

test('23 at 40 columns the charts go, no line is too long, and every figure is there in full', async () => {
  await using service = await startDated({ orders });
  for (const words of [
    ['refunds', 'summary'],
    ['refunds', 'summary', '--by', 'day'],
    ['orders', 'summary', '--by', 'week'],
    ['orders', 'waiting'],
    ['today'],
  ]) {
    const narrow = await show(service, { columns: 40 }, ...words);
    const wide = await show(service, { columns: 200, env: { COLUMNS: '200' } }, ...words);
    for (const line of narrow.split('\n')) expect(line.length, line).toBeLessThanOrEqual(40);
    const figures = (text: string) => [...text.matchAll(/\d{6,}/g)].map(([figure]) => figure).toSorted();
    expect(figures(narrow)).toEqual(figures(wide));
    expect(narrow).not.toMatch(/[▁▂▃▄▅▆▇█▏▎▍▌▋▊▉]/);
  }
});

test('23 at 40 columns every figure has a line of its own, and all end in one column', async () => {
  await using service = await startDated({ orders });
  const screen = await show(service, { columns: 40 }, 'refunds', 'summary', '--by', 'day');
  expect(screen.slice(0, screen.indexOf('  2040-11-09'))).toMatchInlineSnapshot(`
    "REFUNDS  1 Nov to 21 Nov 2040 (UTC), so
    far    sandbox environment
      MXN
        REFUNDS           4
        REFUNDED   10000000
        OF PAID       2.3 %
        PAID      442401900
        NET       432401900
      USD
        REFUNDS           1
        REFUNDED    2963786
        OF PAID       5.1 %
        PAID       57906900
        NET        54943114

    BY DAY, MXN
      2040-11-01
        REFUNDS           0
        REFUNDED          0
        OF PAID           -
        PAID              0
        NET               0
      2040-11-02
        REFUNDS           0
        REFUNDED          0
        OF PAID           -
        PAID              0
        NET               0
      2040-11-03
        REFUNDS           0
        REFUNDED          0
        OF PAID           -
        PAID              0
        NET               0
      2040-11-04
        REFUNDS           0
        REFUNDED          0
        OF PAID           -
        PAID              0
        NET               0
      2040-11-05
        REFUNDS           1
        REFUNDED    1000000
        OF PAID           -
        PAID              0
        NET        -1000000
      2040-11-06
        REFUNDS           0
        REFUNDED          0
        OF PAID           -
        PAID              0
        NET               0
      2040-11-07
        REFUNDS           0
        REFUNDED          0
        OF PAID           -
        PAID              0
        NET               0
      2040-11-08
        REFUNDS           0
        REFUNDED          0
        OF PAID           -
        PAID              0
        NET               0
    "
  `);
});

test('23 at every width from 40 to 90 no line is too long, and a chart of fewer than six cells is left out', async () => {
  await using service = await startDated({ orders });
  const longest = new Set<number>();
  for (let columns = 40; columns <= 90; columns += 1) {
    const screen = await show(service, { columns }, 'refunds', 'summary');
    for (const line of screen.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
    longest.add(Math.max(0, ...[...screen.matchAll(/█+/g)].map(([bar]) => bar.length)));
  }
  // The top of a sparkline is one cell.
  expect([...longest].filter((length) => length > 1).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 19 }, (_, index) => index + 6),
  );
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['the locale C', { LC_ALL: 'C', LANG: 'en_US.UTF-8' }],
  ['no locale at all', { LANG: '' }],
  ['a locale of another encoding', { LANG: 'es_MX.ISO-8859-1' }],
])('24 with %s charts are drawn with signs that are no digits, and every byte is ASCII', async (_, env) => {
  await using service = await startDated({ orders });
  for (const words of [
    ['refunds', 'summary'],
    ['refunds', 'summary', '--chart', 'calendar'],
  ]) {
    const screen = await show(service, { columns: 100, env }, ...words);
    expect(screen).toMatch(/^[\n -~]*$/);
    expect(screen).toMatch(words.length === 2 ? /#{24}\n/ : /2040-W47 +\. +# +\./);
    expect(screen).toContain(words.length === 2 ? 'A DAY (.:-=+*#)\n' : 'A DAY, MXN (.:-=+*#)  Mo  Tu');
  }
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['into a pipe', {}],
  ['with NO_COLOR', { NO_COLOR: '1' }],
  ['with --no-color in PAYDESK_COLOR', { PAYDESK_COLOR: 'never' }],
])('24 with a locale that has them, charts are drawn with blocks, also %s', async (_, env) => {
  await using service = await startDated({ orders });
  const screen = await show(service, { env: { LANG: 'en_US.UTF-8', ...env } }, 'refunds', 'summary');
  expect(screen).toMatch(/█{24}\n/);
  expect(screen).toMatch(/A DAY\n.*[▁▂▃▄▅▆▇█]·\n/);
});

test.each([
  ['-o list by itself', []],
  ['a table that was asked for', ['-o', 'table', '--chart', 'bars']],
])('25 for a screen reader there is no chart: %s', async (_, words) => {
  await using service = await startDated({ orders });
  const env = { PAYDESK_ACCESSIBLE: '1' };
  const screen = await show(service, { columns: 120, env }, 'refunds', 'summary', ...words);
  expect(screen).not.toMatch(/[▁▂▃▄▅▆▇█▏▎▍▌▋▊▉#]|·{2}/);
  expect(screen).toContain(words.length === 0 ? 'refunded: 10000000' : '10000000');
});

test('--chart chooses: a calendar, only bars, only the days, or none', async () => {
  await using service = await startDated({ orders });
  const drawn = async (chart: string) => {
    const screen = await show(service, { columns: 120 }, 'refunds', 'summary', '--chart', chart);
    return { bars: /█{24}/.test(screen), days: /A DAY\n/.test(screen), calendar: /Mo +Tu +We/.test(screen) };
  };
  expect(await drawn('auto')).toEqual({ bars: true, days: true, calendar: false });
  expect(await drawn('bars')).toEqual({ bars: true, days: false, calendar: false });
  expect(await drawn('spark')).toEqual({ bars: false, days: true, calendar: false });
  expect(await drawn('calendar')).toEqual({ bars: false, days: false, calendar: true });
  expect(await drawn('none')).toEqual({ bars: false, days: false, calendar: false });
});

test('26 CSV is tidy: one row for each bucket and currency, each with complete and as_of', async () => {
  await using service = await startDated({ orders });
  const csv = await show(service, {}, 'refunds', 'summary', '--by', 'week', '--csv');
  const [head = [], ...rows] = readCsv(csv);
  const cells = (row: readonly string[], ...names: readonly string[]) =>
    names.map((name) => row[head.indexOf(name)]);
  expect(rows.map((row) => cells(row, 'bucket', 'currency', 'refunds', 'refunded'))).toEqual([
    ['2040-W44', 'MXN', '0', '0'],
    ['2040-W45', 'MXN', '2', '3000000'],
    ['2040-W46', 'MXN', '1', '3000000'],
    ['2040-W47', 'MXN', '1', '4000000'],
    ['2040-W44', 'USD', '0', '0'],
    ['2040-W45', 'USD', '0', '0'],
    ['2040-W46', 'USD', '0', '0'],
    ['2040-W47', 'USD', '1', '2963786'],
  ]);
  const keys = rows.map((row) => cells(row, 'bucket', 'currency').join());
  expect(new Set(keys).size).toBe(rows.length);
  for (const row of rows)
    expect(cells(row, 'complete', 'as_of', 'since', 'source')).toEqual([
      'true',
      '2040-11-21T15:31:12Z',
      '2040-11-01T00:00:00Z',
      'live',
    ]);
});

test('26 the same rows as JSON, NDJSON and list, and chosen columns as a table', async () => {
  await using service = await startDated({ orders });
  const as = (...words: readonly string[]) => show(service, {}, 'refunds', 'summary', ...words);
  const { data } = JSON.parse(await as('--json'));
  const lines = (await as('--ndjson')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(data);
  expect(data[0]).toMatchObject({ object: 'refunds_summary', currency: 'MXN', refunded: 10_000_000 });
  expect(await as('-o', 'list')).toContain('refunded: 10000000\n');
  expect(await as('--columns', 'currency,refunded')).toBe(
    'CURRENCY  REFUNDED\nMXN       10000000\nUSD        2963786\n',
  );
});

test('28 sums beyond 2^53 are exact on the screen, in JSON and in CSV', async () => {
  await using service = await startDated({ orders: beyondNumbers.orders });
  const exact = beyondNumbers.sum;
  for (const format of ['table', 'list', 'json', 'ndjson', 'csv']) {
    const refunds = await show(service, { columns: 200 }, 'refunds', 'summary', '-o', format);
    expect(refunds.match(/\d{17,}/g)?.every((figure) => figure === exact)).toBe(true);
    expect(await show(service, {}, 'orders', 'summary', '-o', format)).toContain(exact);
  }
});

test('declared decimals stand behind every amount', async () => {
  await using service = await startDated({ orders });
  await storeShop(service.home, service, { 'amounts.decimals.MXN': '2' });
  const env = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' };
  const screen = await show(service, { columns: 120, env }, '-p', 'shop', 'refunds', 'summary');
  expect(screen).toContain('10000000 (100000.00)');
  expect(screen).toContain(' 2963786 ');
});
