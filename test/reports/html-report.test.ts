/** `report --to FILE`: the same sums as the other reports, in one file that is safe to mail. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import { type Json, withCharge } from '../harness/orders.ts';
import { inOneLine } from '../harness/ran.ts';
import { hangUp, json } from '../harness/server.ts';
import type { Service } from '../harness/service.ts';
import { storeShop } from '../harness/service.ts';
import { lookAt } from './browser.ts';
import {
  beyondNumbers,
  clock,
  longOperators,
  orderAt,
  refundAs,
  rowsOf,
  startDated,
  startRefunding,
} from './refunded-orders.ts';

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
  withCharge(orderAt('ord_5', '2040-11-01T10:00:00Z', { payment_status: 'pre_authorized' }), {
    status: 'pre_authorized',
  }),
  ...[5, 9, 14, 20].map((day, index) =>
    orderAt(`ord_${index}`, '2040-10-02T10:00:00Z', {
      amount: 9_000_000,
      refunds: [{ amount: 1_000_000 * (index + 1), at: `2040-11-${String(day).padStart(2, '0')}T12:00:00Z` }],
    }),
  ),
];

const report = (service: Service, ...words: readonly string[]) =>
  service.run(['report', ...words], { env: clock });

const fileIn = ({ home }: Service, name = 'report.html') => readFileSync(join(home.path, name), 'utf8');

/** The JSON in a report, as the bytes of the file have it. */
const figuresText = (html: string) => /<pre id="figures"[^>]*>(.*)<\/pre>/.exec(html)?.[1] ?? '';
const figuresOf = (html: string) =>
  JSON.parse(figuresText(html)) as Readonly<Record<string, readonly Json[]>>;

/** What a person reads in the file. */
const textOf = (html: string) => html.replace(/<style>[\s\S]*?<\/style>|<pre[\s\S]*?<\/pre>|<[^>]*>/g, ' ');

/** An amount as the report writes it where no decimals are declared. */
const grouped = (amount: unknown) => String(amount).replace(/\B(?=(\d{3})+$)/g, '\u00a0');

test('two refunds of one order with the same amount are told apart by their ids', async () => {
  const refund = { amount: 4000, at: '2040-11-20T10:00:00Z' };
  const other = orderAt('ord_2', '2040-11-19T10:00:00Z', { refunds: [{ ...refund, amount: 4001 }] });
  const largest = async (...some: readonly Json[]) => {
    await using service = await startDated({ orders: [...some, other] });
    expect((await report(service, '--to', 'report.html')).code).toBe(0);
    return textOf(fileIn(service));
  };
  const ofOne = (count: number) =>
    largest(
      orderAt('ord_1', '2040-11-19T10:00:00Z', { refunds: Array.from({ length: count }, () => refund) }),
    );
  expect(await ofOne(2)).toMatch(/rf_ord_1_1[\s\S]*rf_ord_1_2/);
  expect(await ofOne(1)).not.toContain('rf_ord_1_1');
});

test('twins of which one payment went back are counted as settled', async () => {
  const refunds = [{ amount: 10_000, at: '2040-11-19T10:00:00Z' }];
  await using service = await startDated({
    orders: orders.map((order) =>
      order.id === 'ord_7' ? orderAt('ord_7', '2040-11-18T10:04:00Z', { ...buyer, refunds }) : order,
    ),
  });
  await report(service, '--to', 'report.html');
  expect(figuresOf(fileIn(service))).toMatchObject({ twins: [], settled_twins: 1 });
  expect(textOf(fileIn(service))).toContain('1 pair more is settled: all of one payment went back.');
});

test('lists ten possible twins, and says how many there are, how much they are and how all of them are listed', async () => {
  const pairs = Array.from({ length: 12 }, (_, day) => {
    const date = `2040-11-${String(day + 1).padStart(2, '0')}`;
    return ['10:00', '10:04'].map((time, at) => orderAt(`ord_${day}_${at}`, `${date}T${time}:00Z`, buyer));
  });
  await using service = await startDated({ orders: pairs.flat() });
  expect((await report(service, '--period', '2040-11', '--to', 'report.html')).code).toBe(0);
  const html = fileIn(service);
  expect(html.match(/ord_\d+_1<\/td>/g)).toHaveLength(10);
  expect(textOf(html)).toMatch(/12 pairs, 120\s000\sMXN\./);
  expect(textOf(html)).toContain(
    'The 10 newest are listed; all of them: paydesk orders twins --period 2040-11',
  );
  expect(textOf(html)).toMatch(/none \(now, of any time\)/);
});

test('its sums are those of refunds summary, refunds list, orders waiting and orders twins', async () => {
  await using service = await startDated({ orders });
  const { code, stdout } = await report(service, '--to', 'report.html');
  expect([code, stdout]).toEqual([
    0,
    'report written: report.html\n5 refunds; 9 orders read from the service\n',
  ]);
  const figures = figuresOf(fileIn(service));
  const rows = async (...words: readonly string[]) =>
    rowsOf((await service.run([...words, '--ndjson'], { env: clock })).stdout);
  const only = (list: readonly Json[] = [], ...names: readonly string[]) =>
    list.map((row) => names.map((name) => row[name]));
  const rates = ['rate_percent', 'refunded_of_paid', 'refunded_of_paid_percent'];
  const sums = ['currency', 'refunds', 'refunded', 'payments', 'paid', ...rates];
  expect(only(figures.sums, ...sums)).toEqual(only(await rows('refunds', 'summary'), ...sums));
  for (const [name, by] of [
    ['by_time', 'day'],
    ['by_reason', 'reason'],
    ['by_operator', 'operator'],
    ['by_approver', 'approver'],
    ['by_card', 'brand'],
  ] as const) {
    const split = ['bucket', 'currency', 'refunds', 'refunded', 'unsummed'];
    // The summary also has rows of zeros: days without refunds and payments.
    const moved = (list: readonly Json[] = []) => list.filter(({ refunds }) => refunds !== 0);
    const expected = moved(await rows('refunds', 'summary', '--by', by));
    expect(expected.length).toBeGreaterThan(1);
    expect(only(moved(figures[name]), ...split)).toEqual(only(expected, ...split));
  }
  const waiting = ['bucket', 'currency', 'orders', 'amount'];
  expect(only(figures.waiting, ...waiting)).toEqual(
    only(await rows('orders', 'waiting', '--by', 'age'), ...waiting),
  );
  expect(only(figures.twins, 'first', 'second', 'seconds_apart')).toEqual([['ord_6', 'ord_7', 240]]);
  const largest = await rows('refunds', 'list', '--period', 'this-month', '--sort', 'amount');
  expect(only(figures.largest, 'id', 'refunded_at')).toEqual(only(largest, 'id', 'refunded_at'));
});

test('every figure of the JSON stands in a table, and every chart has a title, a description and a table', async () => {
  await using service = await startDated({ orders });
  await report(service, '--to', 'report.html');
  const html = fileIn(service);
  const cells = [...html.matchAll(/<td[^>]*>([^<]*)</g)].map(([, cell]) => cell);
  const figures = figuresOf(html);
  const { sums = [], by_time: days = [], by_reason: reasons = [], waiting = [] } = figures;
  for (const row of [...days.filter(({ refunds }) => refunds !== 0), ...reasons])
    expect(cells).toContain(grouped(row.refunded));
  for (const row of sums) expect(cells).toContain(`${grouped(row.refunded)}\u00a0${String(row.currency)}`);
  for (const row of waiting) expect(cells).toContain(grouped(row.amount));
  const charts = [...html.matchAll(/<svg role="img"[\s\S]*?<\/svg>/g)].map(([chart]) => chart);
  // Two currencies by day. Whatever is split otherwise has its bars in its table.
  expect(charts).toHaveLength(2);
  for (const chart of charts)
    expect(chart).toMatch(/<title id="([^"]+)-title">.+<\/title>\n<desc id="\1-desc">/);
  expect(html.match(/<\/figure>\n<div class="wide"/g)).toHaveLength(charts.length);
  // The chart has every day of the period, so a gap is seen as one.
  const [first = ''] = charts;
  expect(first.match(/<rect/g)).toHaveLength(21);
  expect(textOf(html)).toContain('21 Nov 2040 15:31:12 UTC: 9 orders read from the service');
});

test('what went back and what is left stand on top, the change beside this period, the shop’s number beside a large refund', async () => {
  const withNumber = (id: string, created: string, at: string, amount: number) =>
    orderAt(id, created, { amount: 3000, metadata: { shop_order: `S-${id}` }, refunds: [{ amount, at }] });
  await using service = await startDated({
    orders: [
      withNumber('ord_2', '2040-11-02T10:00:00Z', '2040-11-03T10:00:00Z', 1500),
      withNumber('ord_1', '2040-10-02T10:00:00Z', '2040-10-03T10:00:00Z', 1000),
    ],
  });
  expect((await report(service, '--to', 'report.html')).code).toBe(0);
  const text = textOf(fileIn(service)).replaceAll(/\s+/g, ' ');
  expect(text).toContain('Refunded 1 500 MXN Net 1 500 MXN Account');
  expect(text).toMatch(/this period 1 1 500 MXN \+50\.0 % .* the same days 1 1 000 MXN 33\.3 %/);
  expect(text).toMatch(/Reference .* S-ord_2 /);
  const spanish = await report(service, '--to', 'es.html', '--lang', 'es');
  expect([spanish.code, spanish.stderr]).toEqual([2, expect.stringContaining('the report is in English')]);
  expect(
    (await service.run(['report', '--to', 'es.html'], { env: { ...clock, PAYDESK_LANG: 'es' } })).code,
  ).toBe(0);
});

test('it loads nothing and runs nothing, and only its own style counts', async () => {
  await using service = await startDated({ orders });
  await report(service, '--to', 'report.html');
  const html = fileIn(service);
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(html).toContain(
    `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  );
  expect(html).not.toMatch(
    /<script|<link|<img|<iframe|<form| style=| src=| href=| on\w+=|url\(|@import|https?:/i,
  );
});

test.each([[[]], [['--redact']]])(
  'the SHA-256 at its end is that of all above it, and --verify compares it (%j)',
  async (words) => {
    await using service = await startDated({ orders });
    await report(service, '--to', 'report.html', ...words);
    const html = fileIn(service);
    const [line, count, said] = /SHA-256 of the first (\d+) bytes of this file: (\w+)/.exec(html) ?? [];
    const above = Buffer.from(html).subarray(0, Number(count));
    expect(createHash('sha256').update(above).digest('hex')).toBe(said);
    expect(above.toString()).toBe(html.slice(0, html.indexOf(`<p class="note">${line}`)));
    const verify = () => service.run(['orders', 'export', '--verify', 'report.html'], { env: clock });
    expect(await verify()).toMatchObject({ code: 0, stdout: 'report.html: as written; not signed\n' });
    writeFileSync(join(service.home.path, 'report.html'), html.replace('Refunds', 'refunds'));
    const changed = await verify();
    expect([changed.code, inOneLine(changed.stderr)]).toEqual([
      3,
      expect.stringContaining('it is not as paydesk wrote it: the SHA-256 at its end does not match'),
    ]);
  },
);

const approved = '<p>Approved by the CFO: 99,999.00 MXN</p>';
const digestLine = /<p class="note">SHA-256 of the first/;

test('a text that somebody wrote into it is found at every place, also below its SHA-256', async () => {
  await using service = await startDated({ orders });
  await report(service, '--to', 'report.html');
  const html = fileIn(service);
  const digestAt = html.search(digestLine);
  const own = html.slice(digestAt, html.indexOf('</p>', digestAt) + 4);
  const copies = {
    'before the doctype': `${approved}${html}`,
    'in the head': html.replace('<title>', '<style>main{display:none}</style><title>'),
    'before the SHA-256': html.replace(own, `${approved}${own}`),
    'in its line': html.replace(own, own.replace('</p>', ` ${approved}</p>`)),
    'behind the SHA-256': html.replace(own, `${own}${approved}`),
    'before </body>': html.replace('</body>', `${approved}</body>`),
    'behind </html>': `${html}<style>main{display:none}</style><h1>fake</h1>`,
    'a second line with the same SHA-256': `${html}${approved}${own}`,
    'what a workbook has': `${html}${approved}${own.replace(': ', '</t><t>')}`,
    'an empty line': `${html}\n`,
    'an end that is cut': html.slice(0, -1),
  };
  for (const [place, text] of Object.entries(copies)) {
    writeFileSync(join(service.home.path, 'copy.html'), text);
    const { code, stdout, stderr } = await service.run(['orders', 'export', '--verify', 'copy.html'], {
      env: clock,
    });
    expect({ place, code, stdout, words: inOneLine(stderr) }).toEqual({
      place,
      code: 3,
      stdout: '',
      words: expect.stringContaining('it is not as paydesk wrote it'),
    });
  }
}, 60_000);

test('no name, address or note of a buyer is in it, and --names adds names', async () => {
  await using service = await startDated({ orders });
  await report(service, '--to', 'report.html');
  expect(fileIn(service)).not.toMatch(/Ana Torres|Buyer Name|example\.com/);
  await report(service, '--to', 'names.html', '--names');
  const named = fileIn(service, 'names.html');
  expect(textOf(named)).toMatch(/Ana Torres[\s\S]*This file holds names of buyers/);
  expect(named).not.toContain('example.com');
  expect(figuresOf(named).twins).toEqual([expect.objectContaining({ buyer: 'Ana Torres' })]);
});

test('30 <script> in metadata, names, notes and cards is only text', async () => {
  const evil = `"'><script>alert(1)</script><img src=x onerror=alert(1)></pre>&lt;\u202e`;
  const evilOrder = withCharge(
    orderAt('ord_1', '2040-11-20T10:00:00Z', {
      refunds: [
        { amount: 5, at: '2040-11-20T11:00:00Z', changes: { status: evil } },
        { amount: 4, at: '2040-11-20T11:00:00Z' },
      ],
      customer_info: { name: evil, email: 'a@example.com' },
      metadata: { [evil]: evil },
      currency: 'M<b',
    }),
    { payment_method: { type: evil, brand: evil, last4: evil } },
  );
  await using service = await startDated({
    orders: [evilOrder, orderAt('ord_2', '2040-11-20T10:00:00Z')],
    onPost: () => hangUp,
  });
  const words = ['orders', 'refund', 'ord_2', '--reason', 'requested_by_client', '--note', evil, '--yes'];
  await service.run(words, { env: clock });
  await report(service, '--to', 'report.html', '--names');
  const html = fileIn(service);
  expect(html.match(/<(script|img|b)\b/gi)).toBeNull();
  expect(html.match(/<pre|<\/pre>/g)).toEqual(['<pre', '</pre>']);
  expect(html).not.toContain('\u202e');
  expect(textOf(html)).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  const { largest, open_cases: cases } = figuresOf(html);
  expect(largest).toEqual([expect.objectContaining({ buyer: evil, brand: evil, currency: 'M<b' })]);
  expect(cases).toEqual([
    expect.objectContaining({ order_id: 'ord_2' }),
    // Nobody knows what its status means.
    expect.objectContaining({ order_id: 'ord_1', state: 'unconfirmed', operator: null }),
  ]);
});

test('28 sums beyond 2^53 are exact in its tables, charts and JSON', async () => {
  await using service = await startDated({ orders: beyondNumbers.orders });
  await report(service, '--to', 'report.html');
  const exact = beyondNumbers.sum;
  const html = fileIn(service);
  expect(figuresText(html)).toContain(`"refunded":${exact},`);
  expect(html).toContain(
    `<td role="cell" class="figure" data-label="Refunded">${grouped(exact)}\u00a0MXN</td>`,
  );
  expect(html).toContain(`<title>2040-11-20: ${grouped(exact)}</title>`);
  expect(html.match(/\d{17,}/g)?.every((figure) => figure === exact)).toBe(true);
});

test('a refund whose reply was lost is an open case in it', async () => {
  await using service = await startDated({
    orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
    onPost: () => hangUp,
  });
  const words = ['orders', 'refund', 'ord_1', '--reason', 'requested_by_client', '--yes'];
  expect((await service.run(words, { env: clock })).code).toBe(7);
  const { stderr } = await report(service, '--to', 'report.html');
  expect(figuresOf(fileIn(service)).open_cases).toEqual([
    expect.objectContaining({ order_id: 'ord_1', kind: 'refund', amount: 10_000, currency: 'MXN' }),
  ]);
  expect(textOf(fileIn(service))).toMatch(/Open cases[\s\S]*ord_1[\s\S]*10\u00a0000 MXN/);
  // The command is for whoever makes the report, with the profile that was typed.
  expect(textOf(fileIn(service))).not.toContain('paydesk ');
  expect(stderr).toContain('1 open case: paydesk journal list --open\n');
});

test('without a file, or with one that is no HTML, the hint is the command with the profile that was typed', async () => {
  await using service = await startDated({ orders });
  const hints = async (...words: readonly string[]) => {
    const { code, stderr } = await service.run(['-p', 'shop', 'report', ...words], { env: clock });
    expect(code).toBe(2);
    return stderr;
  };
  expect(await hints()).toContain('paydesk -p shop report --to report.html');
  expect(await hints('--to', 'my sums.txt')).toContain("paydesk -p shop report --to 'my sums.html'");
});

test('an order that hides its refunds: the report says first that it is not complete, exit 9', async () => {
  await using service = await startDated({
    orders: [{ ...orderAt('ord_1', '2040-11-20T10:00:00Z'), amount_refunded: 700 }],
  });
  const { code, stderr } = await report(service, '--to', 'report.html');
  expect([code, stderr]).toEqual([9, expect.stringContaining('the sums may be too low')]);
  expect(textOf(fileIn(service))).toContain('Not complete: 1 order does not show all refunds');
  expect(figuresOf(fileIn(service))).toMatchObject({ complete: false });
});

describe('nothing is sent', () => {
  test.each([
    ['without --to', []],
    ['for a period that is none', ['--to', 'report.html', '--period', 'soon']],
    ['for a folder that is not there', ['--to', 'missing/report.html']],
    ['for a folder', ['--to', '.', '--force']],
    ['for a file that exists', ['--to', 'there.html']],
    ['for a zone that is none', ['--to', 'report.html', '--tz', 'Mars/Base']],
    ['with --dry-run', ['--to', 'report.html', '--dry-run']],
  ])('%s', async (_, words) => {
    await using service = await startDated({ orders });
    writeFileSync(join(service.home.path, 'there.html'), 'mine');
    const { code } = await report(service, ...words);
    expect(code).toBe(
      words.includes('--dry-run') ? 0 : words.some((word) => /^(missing|\.$|there)/.test(word)) ? 3 : 2,
    );
    expect(service.requests).toEqual([]);
    expect(fileIn(service, 'there.html')).toBe('mine');
    expect(existsSync(join(service.home.path, 'report.html'))).toBe(false);
  });
});

test('--force replaces an older report', async () => {
  await using service = await startDated({ orders });
  writeFileSync(join(service.home.path, 'report.html'), 'old');
  expect((await report(service, '--to', 'report.html', '--force')).code).toBe(0);
  expect(fileIn(service)).toMatch(/^<!doctype html>/);
  expect(readdirSync(service.home.path).filter((name) => name.includes('report'))).toEqual(['report.html']);
});

test('a walk that breaks off writes no file', async () => {
  await using service = await startDated({
    orders: Array.from({ length: 300 }, (_, index) => orderAt(`ord_${index}`, '2040-11-20T10:00:00Z')),
    onPage: ({ url }) => (url.includes('next=') ? json({ object: 'error' }, 400) : undefined),
  });
  const { code } = await report(service, '--to', 'report.html');
  expect(code).not.toBe(0);
  expect(readdirSync(service.home.path).filter((name) => name.includes('report.html'))).toEqual([]);
});

describe('from an export', () => {
  test('the same figures, and no request', async () => {
    await using service = await startDated({ orders });
    await report(service, '--to', 'live.html');
    await service.run(['orders', 'export', '--to', 'orders.ndjson'], { env: clock });
    const before = service.requests.length;
    const { code, stderr } = await report(service, '--from-file', 'orders.ndjson', '--to', 'file.html');
    expect([code, stderr]).toEqual([0, '']);
    expect(service.requests.length).toBe(before);
    const figures = (name: string) => {
      const { account: _, read: __, source: ___, as_of: ____, ...same } = figuresOf(fileIn(service, name));
      return same;
    };
    expect(figures('file.html')).toEqual(figures('live.html'));
  });

  test.each([
    ['refunds', ['--rows', 'refunds', '--to', 'x.ndjson']],
    ['charges', ['--rows', 'charges', '--to', 'x.ndjson']],
    ['orders of one month', ['--since', '2040-11-01', '--to', 'x.ndjson']],
    ['a CSV of orders', ['--to', 'x.csv']],
  ])('%s cannot answer everything, exit 2', async (_, words) => {
    await using service = await startDated({ orders });
    await service.run(['orders', 'export', ...words], { env: clock });
    const { code, stderr } = await report(service, '--from-file', words.at(-1) ?? '', '--to', 'report.html');
    expect(code).toBe(2);
    expect(stderr.replaceAll('\n', ' ')).toContain('does not hold all orders with their charges');
    expect(existsSync(join(service.home.path, 'report.html'))).toBe(false);
  });

  test('the report never replaces the export that it is made of, even with --force', async () => {
    await using service = await startDated({ orders });
    await service.run(['orders', 'export', '--to', 'orders.ndjson'], { env: clock });
    for (const name of ['orders.ndjson', 'orders.ndjson.manifest.json']) {
      const before = fileIn(service, name);
      expect((await report(service, '--from-file', 'orders.ndjson', '--to', name, '--force')).code).toBe(2);
      expect(fileIn(service, name)).toBe(before);
    }
  });
});

test('a long period is drawn in weeks or months, a day as a day', async () => {
  await using service = await startDated({ orders });
  const unitOf = async (period: string) => {
    await report(service, '--to', 'report.html', '--force', '--period', period);
    return figuresOf(fileIn(service)).time_unit;
  };
  expect(await unitOf('today')).toBe('day');
  expect(await unitOf('2040-06-01..2040-11-21')).toBe('week');
  expect(await unitOf('2038-01-01..2040-11-21')).toBe('month');
  expect(await unitOf('..2040-11-21')).toBe('month');
});

// Long names without a space, sums of 16 digits, long ids.
const longName = 'Maximiliana-Guadalupe-'.repeat(6);
const largest = Number.MAX_SAFE_INTEGER;
// Each would leave a word in the title, or ask another server.
const runs = [
  '<script>document.title="run"</script>',
  '<img src="http://127.0.0.1:9/i" onerror="document.title=1">',
  '<svg onload="document.title=2"><use href="http://127.0.0.1:9/s#a"/></svg>',
  '</style><style>@import "http://127.0.0.1:9/c"; body{background:url(http://127.0.0.1:9/b)}</style>',
  '<link rel=stylesheet href=http://127.0.0.1:9/l><iframe src=http://127.0.0.1:9/f></iframe>',
  '"\'><a href="javascript:document.title=3">x</a>',
];
const hard = [
  orderAt('ord_4', '2040-11-20T10:04:00Z', { customer_info: { name: longName, email: 'a@example.com' } }),
  orderAt('ord_3', '2040-11-20T10:00:00Z', { customer_info: { name: longName, email: 'a@example.com' } }),
  orderAt('ord_2', '2040-11-19T10:00:00Z', {
    amount: largest,
    currency: 'USD',
    customer_info: { name: runs.join(''), email: 'b@example.com' },
    refunds: [{ amount: largest, at: '2040-11-20T10:00:00Z' }],
  }),
  ...Array.from({ length: 20 }, (_, index) =>
    orderAt(`ord_${index}`.padEnd(40, 'x'), '2040-10-02T10:00:00Z', {
      refunds: [{ amount: 100 * (index + 1), at: `2040-11-${String(index + 1).padStart(2, '0')}T12:00:00Z` }],
    }),
  ),
];

// A month of a shop: the sums of the second lead who looked.
const usualSums = [
  orderAt('ord_2tQ7zRk9PwE5xNvAx', '2040-11-20T10:00:00Z', {
    amount: 58_457_919,
    refunds: [{ amount: 4_690_533, at: '2040-11-20T12:00:00Z' }],
  }),
  orderAt('ord_2tQ7zRk9PwE5xNvAy', '2040-11-19T10:00:00Z', {
    amount: 7_855_600,
    currency: 'USD',
    refunds: [{ amount: 963_786, at: '2040-11-20T12:00:00Z' }],
  }),
  withCharge(
    orderAt('ord_2tQ7zRk9PwE5xNvAz', '2040-11-01T10:00:00Z', {
      amount: 266_967_000,
      payment_status: 'pre_authorized',
    }),
    { status: 'pre_authorized' },
  ),
];

if (isLong) {
  test('nothing is requested or run, axe finds nothing, no text is cut, and each way of looking has its colours', async () => {
    await using service = await startDated({ orders: hard });
    const words = ['report', '--to', 'report.html', '--names'];
    expect((await service.run(words, { env: clock })).code).toBe(0);
    const { looks } = lookAt(join(service.home.path, 'report.html'));
    expect(Object.keys(looks)).toEqual(['light', 'dark', 'narrow', 'printed', 'without-colour']);
    for (const [name, look] of Object.entries(looks)) {
      expect(look, name).toMatchObject({ requests: [], messages: [], findings: [], cut: [] });
      expect(look.scrollWidth, name).toBe(look.width);
      expect(look.text.replaceAll(/\s/g, ''), name).toContain(String(largest));
      expect(['run', '1', '2', '3']).not.toContain(look.title);
      for (const one of runs) expect(look.text, name).toContain(one);
    }
    const colours = (name: string) => [looks[name]?.paper, looks[name]?.ink];
    expect(colours('light')).toEqual(['rgb(255, 255, 255)', 'rgb(27, 31, 36)']);
    expect(colours('dark')).toEqual(['rgb(20, 23, 26)', 'rgb(232, 234, 237)']);
    expect(looks.narrow?.width).toBe(360);
    // Paper is white, also for somebody whose screen is dark.
    expect(colours('printed')).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    expect(looks.printed?.details).toBe('none');
    expect(looks['without-colour']?.bar).toBe(looks['without-colour']?.ink);
  });

  test.each<[string, readonly Json[]]>([
    ['usual amounts', usualSums],
    ['sums of 16 digits', hard],
  ])('no table is cut at any width: %s in decimals, long operators, names', async (_, refunded) => {
    // The same amount twice would be one payment too many: paydesk refuses to refund both.
    const own = ['ord_2tQ7zRk9PwE5xNvAm', 'ord_3tQ7zRk9PwE5xNvAm'].map((id, index) =>
      orderAt(id, '2040-11-21T10:00:00Z', { ...buyer, amount: 10_000 + index }),
    );
    await using service = await startRefunding([...own, ...refunded]);
    const decimals = { 'amounts.decimals.MXN': '2', 'amounts.decimals.USD': '2' };
    await storeShop(service.home, service, { ...decimals, 'amounts.grouping': 'on' });
    const env = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '', PAYDESK_PROFILE: 'shop' };
    for (const [index, operator] of longOperators.entries())
      await refundAs(service, operator, String(own[index]?.id), env);
    const words = ['report', '--to', 'report.html', '--names'];
    expect((await service.run(words, { env: { ...clock, ...env } })).code).toBe(0);
    const { atWidths } = lookAt(join(service.home.path, 'report.html'));
    expect(Object.keys(atWidths)).toEqual([
      '360',
      '740',
      '760',
      '800',
      '840',
      '960',
      '1000',
      '1100',
      '1300',
      '1900',
    ]);
    for (const [width, cut] of Object.entries(atWidths))
      expect(cut, width).toMatchObject({ scrolling: [], broken: [] });
  });
}
