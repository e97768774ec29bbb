/** What completions offer of a journal: what was sent last, and the charges of an order. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SentRow } from '../../../src/journal/rows/journal-rows.ts';
import { recentIds } from '../../../src/journal/sqlite/recent-ids.ts';
import { createSqliteStore } from '../../../src/journal/sqlite/sqlite-store.ts';
import { onOrder } from '../random-questions.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydesk-journal-'));
  file = join(folder, 'journal.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function fill(rows: readonly SentRow[]): Promise<void> {
  const rules = { uid: process.getuid?.(), notice: () => undefined };
  const store = createSqliteStore({ file, witness: join(folder, 'journal.witness'), rules });
  for (const row of rows) await store.append(row);
  store.close();
}

it('nothing where there is no journal', async () => {
  expect(await recentIds(file, 'orders', undefined)).toEqual([]);
});

it('names what was sent last for completions, newest first and in safe words', async () => {
  const of = (change: string, time: number, orderId: string, more: Partial<SentRow>) => ({
    ...onOrder(change, orderId),
    time,
    ...more,
  });
  const day = Date.UTC(2026, 10, 20);
  await fill([
    of('i_a', day, 'ord_1', { amount: 300, currency: 'MXN' }),
    of('i_b', day + 1, 'ord_2', { profile: 'other', amount: 5, currency: '\u001b[31m' }),
    of('i_c', day + 2, 'ord_1', {}),
    of('i_d', day + 3, 'ord 4', {}),
  ]);
  expect(await recentIds(file, 'orders', undefined)).toEqual([
    { id: 'ord_1', text: 'refund, 2026-11-20' },
    { id: 'ord_2', text: 'refund of 5, 2026-11-20' },
  ]);
  expect(await recentIds(file, 'changes', 'shop-mx')).toEqual([
    { id: 'i_d', text: 'refund, 2026-11-20' },
    { id: 'i_c', text: 'refund, 2026-11-20' },
    { id: 'i_a', text: 'refund of 300 MXN, 2026-11-20' },
  ]);
});

it('names the charges of an order for completions, as they were before its newest refund', async () => {
  const charge = (id: string, amount: number) => ({ id, amount, currency: 'MXN', refunds: [] });
  const refundOf = (change: string, time: number, charges: readonly ReturnType<typeof charge>[]) => {
    const row = onOrder(change, 'ord_1');
    return { ...row, time, proof: { ...row.proof, before: { ...row.proof.before, charges } } };
  };
  await fill([
    refundOf('i_a', 1, [charge('ch_old', 5)]),
    refundOf('i_b', 2, [charge('ch_1', 35_000), charge('$(touch x)', 5), charge('ch_3', 17_000)]),
    refundOf('i_c', 3, []),
    { ...refundOf('i_d', 4, [charge('ch_other', 5)]), profile: 'other' },
  ]);
  expect(await recentIds(file, { chargesOf: 'ord_1' }, 'shop-mx')).toEqual([
    { id: 'ch_1', text: 'charge 1: 35000 MXN' },
    { id: 'ch_3', text: 'charge 3: 17000 MXN' },
  ]);
  expect(await recentIds(file, { chargesOf: 'ord_1' }, undefined)).toMatchObject([{ id: 'ch_other' }]);
  expect(await recentIds(file, { chargesOf: 'ord_2' }, undefined)).toEqual([]);
});
