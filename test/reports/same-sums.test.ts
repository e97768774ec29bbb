/** Four ways to add up the same refunds: the summary live and from an index, the manifest of an export, and a script over the simulator's own ledger. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { type Desk, startDesk } from '../harness/desk.ts';
import type { Json } from '../harness/orders.ts';
import { rowsOf } from './refunded-orders.ts';

// Currency, bucket → how many, and how much.
type Sums = Readonly<Record<string, readonly [number, number]>>;

/** The day that clocks in a zone show, by the platform alone. */
function dayIn(zone: string, seconds: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(seconds * 1000);
}

function sumsOf(
  rows: readonly (readonly [currency: string, bucket: string, count: number, amount: number])[],
): Sums {
  const sums: Record<string, [number, number]> = {};
  for (const [currency, bucket, count, amount] of rows) {
    const [before, sum] = sums[`${currency} ${bucket}`] ?? [0, 0];
    if (count > 0) sums[`${currency} ${bucket}`] = [before + count, sum + amount];
  }
  return sums;
}

const items = (list: unknown): readonly Json[] => (list as { data?: Json[] } | null)?.data ?? [];

/** The refunds of the ledger that were made on these days. */
async function ledgerOf(desk: Desk, zone: string, [first, last]: readonly [string, string]): Promise<Sums> {
  const orders = await desk.orders();
  const refunds = orders.flatMap(({ currency, charges }) =>
    items(charges).flatMap((charge) =>
      items(charge.refunds).map(({ amount, created_at: at }) => ({
        currency,
        day: dayIn(zone, Number(at)),
        amount: -Number(amount),
      })),
    ),
  );
  return sumsOf(
    refunds
      .filter(({ day }) => day >= first && day <= last)
      .map(({ currency, day, amount }) => [currency, day, 1, amount]),
  );
}

async function summed(desk: Desk, words: readonly string[], source = 'live'): Promise<Sums> {
  const { code, stdout, stderr } = await desk.script([
    'refunds',
    'summary',
    ...words,
    '--by',
    'day',
    '--ndjson',
  ]);
  expect(code, stderr).toBe(0);
  const rows = rowsOf(stdout);
  expect(new Set(rows.map((row) => row.source))).toEqual(new Set([source]));
  return sumsOf(
    rows.map((row) => [String(row.currency), String(row.bucket), Number(row.refunds), Number(row.refunded)]),
  );
}

async function manifestOf(desk: Desk, file: string, words: readonly string[]): Promise<Sums> {
  const { code, stderr } = await desk.script(['orders', 'export', ...words, '--to', file, '--force']);
  expect(code, stderr).toBe(0);
  const manifest = JSON.parse(readFileSync(join(desk.home.path, `${file}.manifest.json`), 'utf8')) as {
    readonly sums: readonly { currency: string; day: string; rows: number; amount: number }[];
  };
  return sumsOf(manifest.sums.map(({ currency, day, rows, amount }) => [currency, day, rows, -amount]));
}

describe.each([
  // In New York 4 November 2040 has 25 hours, and 11 March 23; in Berlin 28 October has 25, and 25 March 23.
  ['2040-11-06T12:00:00Z', 'America/New_York', '2040-11-03', '2040-11-05', '2040-11-04', 25],
  ['2041-03-12T12:00:00Z', 'America/New_York', '2041-03-09', '2041-03-11', '2041-03-10', 23],
  ['2040-10-30T12:00:00Z', 'Europe/Berlin', '2040-10-27', '2040-10-29', '2040-10-28', 25],
  ['2041-04-02T12:00:00Z', 'Europe/Berlin', '2041-03-30', '2041-04-01', '2041-03-31', 23],
  ['2040-11-06T12:00:00Z', 'Asia/Kolkata', '2040-11-03', '2040-11-05', '2040-11-04', 24],
])('at %s in %s', (time, zone, first, last, long, hours) => {
  test(`17 27 the sums of each day from ${first} to ${last}, also of ${long} with its ${hours} hours, live, from an index and from a file, are those of the manifest and of the ledger`, async () => {
    await using desk = await startDesk({ clock: standingAt(time), args: ['--orders', '300'] });
    const next = new Date(Date.parse(last) + 86_400_000).toISOString().slice(0, 10);
    const ledger = await ledgerOf(desk, zone, [first, last]);
    expect(Object.keys(ledger).filter((key) => key.endsWith(long))).not.toEqual([]);
    expect(await summed(desk, ['--period', `${first}..${next}`, '--tz', zone])).toEqual(ledger);
    const words = ['--rows', 'refunds', '--since', first, '--until', next, '--tz', zone];
    expect(await manifestOf(desk, 'refunds.csv', words)).toEqual(ledger);
    // The day by itself, and read from the file of the whole span.
    const day = await ledgerOf(desk, zone, [long, long]);
    expect(await summed(desk, ['--period', long, '--tz', zone])).toEqual(day);
    expect(
      await summed(desk, ['--period', long, '--from-file', join(desk.home.path, 'refunds.csv')], 'file'),
    ).toEqual(day);
    // And out of a fresh index, without a request.
    const built = await desk.script(['index', 'build', '--yes', '--quiet']);
    expect(built.code, built.stderr).toBe(0);
    const before = desk.requests.length;
    expect(await summed(desk, ['--period', `${first}..${next}`, '--tz', zone], 'index')).toEqual(ledger);
    expect(await summed(desk, ['--period', long, '--tz', zone], 'index')).toEqual(day);
    expect(desk.requests.length).toBe(before);
    expect(await summed(desk, ['--period', long, '--tz', zone, '--live'])).toEqual(day);
  });
});

test('27 the orders of a period: the summary by status and by day is the manifest of their export', async () => {
  await using desk = await startDesk({ clock: standingAt('2040-11-06T12:00:00Z') });
  const zone = 'America/Mexico_City';
  const period = ['--since', '2040-11-03', '--until', '2040-11-06', '--tz', zone];
  const { code, stderr } = await desk.script(['orders', 'export', ...period, '--to', 'orders.ndjson']);
  expect(code, stderr).toBe(0);
  const { sums } = JSON.parse(readFileSync(join(desk.home.path, 'orders.ndjson.manifest.json'), 'utf8')) as {
    readonly sums: readonly Json[];
  };
  const by = async (what: 'status' | 'day', name: string) => {
    const words = ['--period', '2040-11-03..2040-11-06', '--tz', zone, '--by', what, '--ndjson'];
    const { stdout } = await desk.script(['orders', 'summary', ...words]);
    const rows = rowsOf(stdout);
    expect(rows.length).toBeGreaterThan(2);
    expect(
      sumsOf(
        rows.map((row) => [String(row.currency), String(row.bucket), Number(row.orders), Number(row.amount)]),
      ),
    ).toEqual(
      sumsOf(
        sums.map((sum) => [
          String(sum.currency),
          typeof sum[name] === 'string' ? sum[name] : name === 'status' ? 'none' : 'not shown',
          Number(sum.rows),
          Number(sum.amount),
        ]),
      ),
    );
  };
  await by('status', 'status');
  await by('day', 'day');
  const built = await desk.script(['index', 'build', '--yes', '--quiet']);
  expect(built.code, built.stderr).toBe(0);
  const before = desk.requests.length;
  await by('status', 'status');
  await by('day', 'day');
  expect(desk.requests.length).toBe(before);
});
