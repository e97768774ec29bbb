/** The rows of a desk over years, from which the bench makes its journals: such as paydesk itself would have written. */

import { expect, test } from 'vitest';
import { isOpen, isWatched, verdictOf } from '../../src/journal/attempt-state.ts';
import type { AttemptRecord } from '../../src/journal/rows/journal-rows.ts';
import { rowsOfYears, watched, watchedRows } from '../../tools/bench/desk-rows.ts';

const account = { origin: 'http://127.0.0.1:1', account: 'shop', profile: 'shop', keyFingerprint: 'f' };
const now = Date.parse('2026-11-23T00:10:00Z');
const clock = { wall: now, time: now, mono: 0, skewed: false, dated: true, service: now };
const allRows = (changes: number) => [
  ...[...rowsOfYears(changes, account, now)].flat(),
  ...watchedRows(changes, account, now),
];

test.each([100, 3000, 20_000])('%i changes: one sent row each, all rows in the order of time', (changes) => {
  const rows = allRows(changes);
  const times = rows.map(({ time }) => time);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.at(-1)).toBeLessThan(now);
  const ids = rows.filter(({ type }) => type === 'sent').map(({ change }) => change);
  expect(new Set(ids).size).toBe(changes);
  expect(ids).toHaveLength(changes);
});

test('every piece holds all rows of its changes, so that a store can take in one after the other', () => {
  const pieces = [...rowsOfYears(5000, account, now)];
  const owners = pieces.flatMap((piece) => [...new Set(piece.map(({ change }) => change))]);
  expect(new Set(owners).size).toBe(owners.length);
});

test('most changes are over: only the newest are watched, and one link in 50,000 is unconfirmed', () => {
  const rows = allRows(20_000);
  const verdicts = Map.groupBy(
    rows.filter((row) => row.type === 'verdict'),
    ({ change }) => change,
  );
  const records = rows
    .filter((row) => row.type === 'sent')
    .map((sent): AttemptRecord => ({ sent, verdicts: verdicts.get(sent.change) ?? [] }));
  expect(records.filter(isWatched)).toEqual(records.slice(-watched));
  expect(records.filter((record) => isOpen(record, clock))).toHaveLength(1);
  const by = (word: string) => records.filter((record) => verdictOf(record)?.verdict === word).length;
  expect([by('rejected'), by('unknown')]).toEqual([20, 1]);
});
