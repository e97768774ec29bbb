/** The mark that says that changes of an account are recorded elsewhere: it closes the account, however it is spelled. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  isMark,
  lostMark,
  MovedAccounts,
  markRow,
  refuseWhileSending,
} from '../../src/journal/moved-away.ts';
import { createSqliteStore, type LocalJournal } from '../../src/journal/sqlite/sqlite-store.ts';
import { sent, verdict } from './rows.ts';

const origin = 'https://pay.example';
const team = { journal: 'j-1', place: 'db.example:5432/desk' };
const now = { time: 1_000 };
const mark = markRow(origin, 'ana', now, team);
const back = markRow(origin, 'ana', now, undefined);

describe('the mark', () => {
  test('closes its account in every spelling, until the mark that opens it', () => {
    const moved = new MovedAccounts();
    moved.read(mark);
    expect(moved.of('https://PAY.example:443')).toEqual({ origin, ...team });
    expect(() => moved.refuse('https://pay.example.')).toThrow(
      'recorded in the journal db.example:5432/desk of its team',
    );
    expect(moved.of('https://other.example')).toBeUndefined();
    expect(() => moved.refuse('https://other.example')).not.toThrow();
    moved.read(markRow('https://pay.example:443', 'ana', now, undefined));
    expect(moved.of(origin)).toBeUndefined();
  });

  test('is no other row about a setting', () => {
    const moved = new MovedAccounts();
    moved.read({ ...mark, name: 'refund.max_amount.MXN' });
    expect(moved.of(origin)).toBeUndefined();
    expect([isMark(mark), isMark({ name: 'time.zone' })]).toEqual([true, false]);
  });

  test('that opens an account which was never closed changes nothing', () => {
    const moved = new MovedAccounts();
    moved.read(back);
    expect(moved.of(origin)).toBeUndefined();
  });

  test('that was lost closes the account all the same, and knows no place', () => {
    const lost = lostMark({ name: mark.name, profile: origin, time: 5 });
    expect(lost).toMatchObject({ origin, to: ' ', time: 5 });
    const moved = new MovedAccounts();
    if (lost !== undefined) moved.read(lost);
    expect(() => moved.refuse(origin)).toThrow('recorded in the journal of its team');
    expect(lostMark({ name: 'time.zone', profile: 'shop', time: 5 })).toBeUndefined();
  });

  test.each([
    ['without a verdict', []],
    ['with an unknown outcome', [{ ...verdict('i_a', 2), verdict: 'unknown' as const }]],
  ])('waits for an attempt %s', (_, verdicts) => {
    const record = { sent: sent('i_a', 1), verdicts };
    expect(() => refuseWhileSending('https://pay.example:443', [record])).toThrow(
      'is unconfirmed on this machine',
    );
    expect(() => refuseWhileSending('https://other.example', [record])).not.toThrow();
  });

  test('waits for nothing that has its verdict', () => {
    const record = { sent: sent('i_a', 1), verdicts: [verdict('i_a', 2)] };
    expect(() => refuseWhileSending(origin, [record])).not.toThrow();
  });
});

describe('the journal of this machine', () => {
  let folder: string;
  let store: LocalJournal;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paydesk-moved-'));
    store = open();
  });
  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = () =>
    createSqliteStore({ file: join(folder, 'journal.db'), witness: join(folder, 'journal.witness') });
  const other = { origin: 'https://other.example' };

  test('takes no row of an account that has moved, not even a verdict, and those of others as before', async () => {
    for (const row of [sent('i_a', 1), verdict('i_a', 2), mark]) await store.append(row);
    for (const row of [
      sent('i_b', 3),
      sent('i_b', 3, { origin: 'https://PAY.example:443' }),
      verdict('i_a', 4),
    ])
      await expect(store.append(row)).rejects.toMatchObject({ kind: 'refused' });
    await store.append(sent('i_c', 5, other));
    await store.append(verdict('i_c', 6));
    expect(await store.verify()).toMatchObject({ rows: 5, findings: [] });
    expect(await open().movedTo(origin)).toEqual({ origin, ...team });
  });

  test('cannot be closed for an account while a change of it is on its way, whoever sends it', async () => {
    const run = open();
    await run.append(sent('i_a', 1));
    await expect(store.append(mark)).rejects.toMatchObject({ kind: 'refused' });
    await store.append(markRow(other.origin, 'ana', now, team));
    await run.append(verdict('i_a', 2));
    await store.append(mark);
    run.close();
  });

  test('is not opened by a repair that has lost the mark', async () => {
    for (const row of [sent('i_a', 1), verdict('i_a', 2), mark]) await store.append(row);
    store.close();
    const db = new DatabaseSync(join(folder, 'journal.db'));
    db.exec(`UPDATE rows SET row = replace(row, 'team.journal', 'team.gone') WHERE seq = 3`);
    db.close();
    expect(await store.repair(7)).toMatchObject({ kept: 2, blocked: [] });
    expect(await store.movedTo(origin)).toMatchObject({ origin, journal: '' });
    await expect(store.append(sent('i_b', 9))).rejects.toMatchObject({ kind: 'refused' });
  });

  test('takes back what it lacks: new attempts, and verdicts that came since; all of it or nothing', async () => {
    for (const row of [sent('i_a', 1), verdict('i_a', 2), mark]) await store.append(row);
    const later = { ...verdict('i_a', 8), why: 'a read shows it' };
    const rows = [sent('i_a', 1), verdict('i_a', 2), sent('i_z', 5), verdict('i_z', 6), later];
    expect(await store.takeIn(rows, back)).toBe(3);
    expect(await store.movedTo(origin)).toBeUndefined();
    const attempts = await store.history(origin);
    expect(attempts.map(({ sent: { intent }, verdicts }) => [intent, verdicts.length])).toEqual([
      ['i_a', 2],
      ['i_z', 1],
    ]);
    expect(await store.takeIn(rows, back)).toBe(0);
    expect((await store.rowsOf(origin)).map(({ type }) => type)).toEqual([
      'sent',
      'verdict',
      'sent',
      'verdict',
      'verdict',
    ]);
    expect(await store.rowsOf(other.origin)).toEqual([]);
    expect(await store.verify()).toMatchObject({ findings: [], witness: { state: 'agrees' } });
  });
});
