/** One sum of what went back, wherever it is said: refunds that failed or are pending stand beside it and are never in it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { hangUp } from '../harness/server.ts';
import { readWorkbook, said } from '../harness/workbook.ts';
import { clock, type Made, orderAt, rowsOf, startDated, startRefunding } from './refunded-orders.ts';

type Row = Readonly<Record<string, unknown>>;

const made = (amount: number, status?: string): Made => ({
  amount,
  at: '2040-11-21T11:00:00Z',
  ...(status === undefined ? {} : { changes: { status } }),
});
const orders = [
  orderAt('ord_1', '2040-11-20T10:00:00Z', { amount: 300_000, refunds: [made(200_000)] }),
  orderAt('ord_2', '2040-11-20T10:00:00Z', {
    amount: 100_000,
    refunds: [made(76_600), made(3000, 'failed')],
    amount_refunded: 76_600,
  }),
  orderAt('ord_3', '2040-11-20T10:00:00Z', { refunds: [made(500, 'pending')], amount_refunded: 0 }),
  orderAt('ord_4', '2040-11-20T10:00:00Z', { currency: 'USD', refunds: [made(40)] }),
];
const period = ['--period', '2040-11'];

test('a column of the rows says what went back, so that its sum is that of the screen, also of a refund nobody confirmed', async () => {
  await using service = await startDated({
    orders: [...orders, orderAt('ord_5', '2040-11-20T10:00:00Z')],
    onPost: () => hangUp,
  });
  expect((await service.run(['orders', 'refund', 'ord_5', '--yes'], { env: clock })).code).toBe(7);
  // The order shows one like it, which may be another one.
  service.orders = service.orders.map((one) =>
    one.id === 'ord_5'
      ? orderAt('ord_5', '2040-11-20T10:00:00Z', {
          refunds: [{ amount: 10_000, at: '2040-11-21T15:31:12Z' }],
        })
      : one,
  );
  const columns = ['--columns', 'order_id,amount,went_back,currency,state'];
  for (const words of [
    ['refunds', 'list', ...period],
    ['orders', 'export', '--rows', 'refunds', ...period],
  ]) {
    const { stdout } = await service.run([...words, '--csv', ...columns], { env: clock });
    const rows = readCsv(stdout).slice(1);
    const byState = Map.groupBy(rows, ([, , , , state]) => state);
    expect(byState.get('failed')).toEqual([['ord_2', '-3000', '0', 'MXN', 'failed']]);
    expect(byState.get('pending')).toEqual([['ord_3', '-500', '0', 'MXN', 'pending']]);
    expect(byState.get('unconfirmed') ?? []).toEqual([['ord_5', '-10000', '0', 'MXN', 'unconfirmed']]);
    const sum = (currency: string) =>
      rows.reduce((all, [, , back, own]) => (own === currency ? all + Number(back) : all), 0);
    expect([sum('MXN'), sum('USD')]).toEqual([276_600, 40]);
    const named = (await service.run([...words, '--ndjson'], { env: clock })).stdout;
    expect(
      rowsOf(named)
        .map(({ went_back: back }) => Number(back))
        .toSorted((one, other) => one - other),
    ).toEqual([0, 0, 0, 40, 76_600, 200_000]);
  }
  await service.run(['orders', 'export', '--rows', 'refunds', ...period, '--to', 'all.xlsx'], { env: clock });
  const sums = said(readWorkbook(readFileSync(join(service.home.path, 'all.xlsx'))).about);
  expect(sums.get('sum of unconfirmed')).toEqual([10_000, '10000 MXN']);
  expect(sums.get('sum of refunded')).toEqual(expect.arrayContaining([276_600]));
});

test('the sums of workbooks of refunds are those of refunds summary and today, and what failed or is pending has its own', async () => {
  await using service = await startDated({ orders });
  const ask = async (...words: readonly string[]) => {
    const ran = await service.run(words, { env: clock });
    expect(ran.code, ran.stderr).toBe(0);
    return ran.stdout;
  };
  const summary = rowsOf(await ask('refunds', 'summary', ...period, '--ndjson'));
  const today = rowsOf(await ask('today', '--ndjson')).filter(({ what }) => what === 'refunded');
  const back = { MXN: 276_600, USD: 40 };
  for (const [rows, name] of [
    [summary, 'refunded'],
    [today, 'amount'],
  ] as const)
    expect(Object.fromEntries(rows.map((row) => [row.currency, row[name]]))).toEqual(back);
  await ask('refunds', 'list', ...period, '--to', 'list.xlsx');
  await ask('orders', 'export', '--rows', 'refunds', ...period, '--to', 'export.xlsx');
  for (const file of ['list.xlsx', 'export.xlsx']) {
    const { about } = readWorkbook(readFileSync(join(service.home.path, file)));
    const sums = said(about);
    expect(new Set(sums.get('sum of refunded'))).toEqual(new Set([276_600, '276600 MXN', 40, '40 USD']));
    expect(sums.get('sum of failed')).toEqual(expect.arrayContaining([3000, '3000 MXN']));
    expect(sums.get('sum of pending')).toEqual(expect.arrayContaining([500, '500 MXN']));
    expect(sums.has('sum of amount')).toBe(false);
  }
});

test('a workbook of a summary says what the screen says, and of which account; what only failed is no line of a split', async () => {
  const failed = orderAt('ord_5', '2040-11-19T10:00:00Z', {
    refunds: [{ ...made(1600, 'failed'), changes: { status: 'failed' } }],
    amount_refunded: 0,
    created_at: undefined,
  });
  await using service = await startDated({ orders: [...orders, failed] });
  const by = ['refunds', 'summary', ...period, '--by', 'age'];
  const { stdout } = await service.run(by, { env: clock });
  const [below = ''] = /as of[\s\S]*$/.exec(stdout) ?? [];
  const lines = below
    .trimEnd()
    .replaceAll(/\n {7}/g, ' ')
    .split('\n');
  expect(lines.length).toBeGreaterThan(4);
  const ran = await service.run([...by, '--to', 'age.xlsx'], { env: clock });
  expect(ran.code, ran.stderr).toBe(0);
  const { about } = readWorkbook(readFileSync(join(service.home.path, 'age.xlsx')));
  const notes = said(about).get('note') ?? [];
  expect(notes).toContainEqual(expect.stringMatching(/^about: 1 Nov to .* 2040 .*, sandbox/));
  expect(notes).toContain('note: 2 failed, 4600 MXN: in no sum');
  expect(notes).toContainEqual(expect.stringMatching(/^net: the payments of this period, less/));
  expect(notes.length).toBeGreaterThanOrEqual(lines.length);
  expect(stdout).not.toContain('not shown');
  expect(stdout).not.toMatch(/ 0 +0\n/);
});

test('refunds list counts what went back, and beside it what failed or is pending, in the words of today; also for scripts', async () => {
  await using service = await startDated({ orders });
  const list = ['refunds', 'list', ...period];
  const all = await service.run([...list, '--json'], { env: clock });
  const back = '3 went back, 276600 MXN and 40 USD; 1 pending, 500 MXN; 1 failed, 3000 MXN';
  expect(all.stderr.trimEnd().split('\n').at(-1)).toMatch(
    new RegExp(`^5 refunds, from 1 Nov 2040.*: ${back}$`),
  );
  const { stdout: screen } = await service.run(['today'], { env: clock });
  for (const words of back.split('; ').slice(1))
    expect(screen).toContain(`note   refunds of today: ${words}: in no sum\n`);
  const large = await service.run([...list, '--min-amount', '3000', '--json'], { env: clock });
  expect(large.stderr).toMatch(
    /^3 of 5 refunds, from 1 Nov 2040.*: 2 went back, 276600 MXN; 1 failed, 3000 MXN$/m,
  );
  const failed = await service.run([...list, '--state', 'failed', '--json'], { env: clock });
  expect(failed.stderr).toMatch(/^1 of 5 refunds, from 1 Nov 2040.*: 0 went back; 1 failed, 3000 MXN$/m);
  const { data, sums } = JSON.parse(large.stdout);
  expect(data).toHaveLength(3);
  expect(sums).toEqual([
    {
      object: 'refund_made_sum',
      currency: 'MXN',
      rows: 3,
      refunded: 276_600,
      pending: 0,
      failed: 3000,
      unconfirmed: 0,
      recorded_made: 0,
      recorded_not_made: 0,
    },
  ]);
  const none = await service.run([...list, '--state', 'gone', '--json'], { env: clock });
  expect(none.stderr).toMatch(/^0 of 5 refunds, from 1 Nov 2040/m);
  expect(JSON.parse(none.stdout).sums).toEqual([]);
});

test('the largest refunds of a report are those that went back', async () => {
  await using service = await startDated({ orders });
  const ran = await service.run(['report', ...period, '--to', 'report.html'], { env: clock });
  expect(ran.code, ran.stderr).toBe(0);
  const html = readFileSync(join(service.home.path, 'report.html'), 'utf8');
  const { largest } = JSON.parse(/<pre id="figures"[^>]*>(.*)<\/pre>/.exec(html)?.[1] ?? '{}');
  const rows = largest.map((row: { order_id: string; amount: number }) => [row.order_id, row.amount]);
  expect(rows).toEqual([
    ['ord_1', -200_000],
    ['ord_2', -76_600],
    ['ord_4', -40],
  ]);
});

describe.each(['the service', 'an index'])(
  'a refund that is unconfirmed while its order shows it, from %s',
  (from) => {
    const lost = orderAt('ord_lost', '2040-11-20T10:00:00Z', { amount: 7777 });
    const shown = orderAt('ord_lost', '2040-11-20T10:00:00Z', {
      amount: 7777,
      refunds: [{ amount: 7777, at: '2040-11-21T15:31:13Z' }],
    });
    const start = async () => {
      const other = orderAt('ord_1', '2040-11-20T10:00:00Z', { refunds: [made(500)] });
      const service = await startRefunding([lost, other], 'ord_lost');
      const ask = async (...words: readonly string[]) => {
        const ran = await service.run(words, { env: clock });
        expect(ran.code, ran.stderr).toBe(0);
        return ran;
      };
      expect((await service.run(['orders', 'refund', 'ord_lost', '--yes'], { env: clock })).code).toBe(7);
      service.orders = service.orders.map((one) => (one.id === 'ord_lost' ? shown : one));
      if (from === 'an index') await ask('index', 'build', '--yes');
      return { service, ask, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
    };

    test('is in no sum of lists, summaries, today, a report and an export with its manifest', async () => {
      await using desk = await start();
      const { ask, service } = desk;
      const said = '2 refunds, from 1 Nov 2040';
      const back = '1 went back, 500 MXN; 1 unconfirmed, 7777 MXN';
      const list = await ask('refunds', 'list', ...period, '--json');
      expect(list.stderr).toMatch(new RegExp(`^${said}.*: ${back}$`, 'm'));
      const { data, sums } = JSON.parse(list.stdout);
      expect(data.map((row: Row) => [row.order_id, row.state])).toEqual([
        ['ord_lost', 'unconfirmed'],
        ['ord_1', 'elsewhere'],
      ]);
      const parts = { refunded: 500, unconfirmed: 7777 };
      expect(sums).toEqual([expect.objectContaining(parts)]);
      const alone = await ask('refunds', 'list', ...period, '--state', 'unconfirmed', '--json');
      expect(alone.stderr).toMatch(/^1 of 2 refunds, .*: 0 went back; 1 unconfirmed, 7777 MXN$/m);
      for (const by of [[], ['--by', 'day'], ['--by', 'operator']])
        expect(rowsOf((await ask('refunds', 'summary', ...period, ...by, '--ndjson')).stdout)).toContainEqual(
          expect.objectContaining(by.length === 0 ? parts : { refunded: 500 }),
        );
      const today = rowsOf((await ask('today', '--ndjson')).stdout) as readonly Row[];
      const told = (what: string) => today.filter((row) => row.what === what).map((row) => row.amount);
      expect([told('unconfirmed'), told('refunded')]).toEqual([[7777], [500]]);
      expect((await ask('today')).stdout).toContain('refunds of today: 1 unconfirmed, 7777 MXN: in no sum');
      await ask('report', ...period, '--to', 'report.html');
      const html = readFileSync(join(service.home.path, 'report.html'), 'utf8');
      const figures = JSON.parse(/<pre id="figures"[^>]*>(.*)<\/pre>/.exec(html)?.[1] ?? '{}');
      expect(figures.sums).toEqual([expect.objectContaining(parts)]);
      expect(figures.largest.map((row: Row) => row.order_id)).toEqual(['ord_1']);
      const exported = await ask('orders', 'export', '--rows', 'refunds', ...period, '--to', 'out.csv');
      expect(exported.stderr).toContain(`${back}\n`);
      const manifest = JSON.parse(readFileSync(join(service.home.path, 'out.csv.manifest.json'), 'utf8'));
      expect(manifest.notes).toContain(back);
      expect(manifest.sums.map((one: Row) => [one.state, one.amount])).toEqual([
        ['elsewhere', -500],
        ['unconfirmed', -7777],
      ]);
    });

    test.each(['orders', 'charges', 'refunds'])('is in no sum of an export of %s', async (rows) => {
      await using desk = await start();
      const { ask } = desk;
      await ask('orders', 'export', '--rows', rows, '--to', 'out.ndjson');
      for (const by of [[], ['--by', 'day'], ['--by', 'operator']]) {
        const sums = await ask(
          'refunds',
          'summary',
          ...period,
          ...by,
          '--ndjson',
          '--from-file',
          'out.ndjson',
        );
        expect(rowsOf(sums.stdout)).toContainEqual(expect.objectContaining({ refunded: 500 }));
      }
    });

    test('is in the sums once journal reconcile has confirmed it', async () => {
      await using desk = await start();
      await desk.service.run(['journal', 'reconcile', '--all'], { env: clock });
      const list = await desk.ask('refunds', 'list', ...period, '--json');
      expect(list.stderr).toMatch(/: 2 went back, 8277 MXN$/m);
      const summary = await desk.ask('refunds', 'summary', ...period, '--ndjson');
      expect(rowsOf(summary.stdout)).toEqual([expect.objectContaining({ refunded: 8277, unconfirmed: 0 })]);
    });
  },
);

test('a file about another time does not name a refund that is unconfirmed now; the screen does', async () => {
  await using service = await startRefunding([orderAt('ord_lost', '2040-11-20T10:00:00Z')], 'ord_lost');
  expect((await service.run(['orders', 'refund', 'ord_lost', '--yes'], { env: clock })).code).toBe(7);
  for (const quiet of [[], ['--quiet']]) {
    const words = ['refunds', 'list', '--period', '2040-10', '--to', 'october.xlsx', '--force', ...quiet];
    const ran = await service.run(words, { env: clock });
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr.includes('1 refund unconfirmed')).toBe(quiet.length === 0);
    const { about } = readWorkbook(readFileSync(join(service.home.path, 'october.xlsx')));
    expect(said(about).get('note')?.join()).toContain('0 refunds, from 1 Oct 2040');
    expect(about.xml).not.toContain('unconfirmed: ');
    expect(about.xml).not.toContain('ord_lost');
  }
});
