import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDue } from '../../../src/journal/attempt-state.ts';
import { unfinished } from '../../../src/journal/questions/known-attempts.ts';
import { attemptName, type JournalRow, type Moment } from '../../../src/journal/rows/journal-rows.ts';
import { attemptsIn, createMemoryStore } from '../../harness/memory-store.ts';
import { draft, rowsOf } from '../random-questions.ts';
import { horizonMs, momentAt, sent, verdict } from '../rows.ts';

async function storeOf(rows: readonly JournalRow[]) {
  const store = createMemoryStore();
  for (const row of rows) await store.append(row);
  return store;
}

async function namesAt(rows: readonly JournalRow[], now: Moment, limit?: number): Promise<readonly string[]> {
  return (await unfinished(await storeOf(rows), {}, now, limit)).map(attemptName);
}

it('finds everything that is due, and nothing twice, whatever the clocks say', async () => {
  // The journal's time is never before its newest row, unless that is of a wrong clock.
  const moment = fc
    .record({
      ms: fc.integer({ min: 4, max: 20 }),
      skewed: fc.boolean(),
      dated: fc.constantFrom(undefined, true),
      service: fc.constantFrom(undefined, 9),
      boot: fc.constantFrom(undefined, { id: 'b1', ms: 4 }, { id: 'b1', ms: 9 }, { id: 'b2', ms: 1 }),
    })
    .map(({ ms, ...clocks }) => ({ ...momentAt(ms), ...clocks }));
  await fc.assert(
    fc.asyncProperty(fc.array(draft, { maxLength: 6 }), moment, async (drafts, now) => {
      const rows = drafts.flatMap((one, index) => rowsOf(one, index, true));
      const found = await namesAt(rows, now);
      const due = attemptsIn(rows).filter((record) => isDue(record, now));
      expect(found).toEqual(expect.arrayContaining(due.map(attemptName)));
      expect(new Set(found).size).toBe(found.length);
    }),
    { numRuns: 300 },
  );
});

const made = (change: string, time: number) => [sent(change, time), verdict(change, time)];

it('looks at so many of the refunds that are watched, those first that are due first', async () => {
  const rows = ['i_c', 'i_a', 'i_b', 'i_d'].flatMap((change, index) => made(change, 1000 + index));
  const read = (time: number): JournalRow => ({ ...verdict('i_c', time), by: 'read' });
  expect(await namesAt(rows, momentAt(2000), 2)).toEqual(['i_c', 'i_a']);
  expect(await namesAt([...rows, read(1100)], momentAt(2000), 3)).toEqual(['i_a', 'i_b', 'i_d']);
  expect(await namesAt([...rows, read(1900)], momentAt(2000))).toEqual(['i_a', 'i_b', 'i_d']);
  expect(await namesAt(rows, momentAt(999))).toEqual([]);
});

it('looks at what is watched while the clocks disagree, and at what a wrong clock wrote', async () => {
  const read: JournalRow = { ...verdict('i_a', 1100), by: 'read' };
  const skewed = { ...momentAt(1200), skewed: true };
  expect(await namesAt([...made('i_a', 1000), read], momentAt(1200))).toEqual([]);
  expect(await namesAt([...made('i_a', 1000), read], skewed)).toEqual(['i_a']);
  expect(await namesAt(made('i_a', 1000 + 120_001), momentAt(1000))).toEqual(['i_a']);
  expect(await namesAt(made('i_a', 1000 + 119_999), momentAt(1000))).toEqual([]);
});

it('looks at what a person recorded as made not long ago, and at nothing else that a person recorded', async () => {
  const stated = (change: string, more: object): JournalRow[] => [
    sent(change, 1000),
    { ...verdict(change, 1100), by: 'person', refunds: undefined, ...more },
  ];
  const rows = [...stated('i_a', {}), ...stated('i_b', { verdict: 'rejected', confirmed: true })];
  expect(await namesAt(rows, momentAt(1200))).toContain('i_a');
  expect(await namesAt(rows, momentAt(1000 + 2 * horizonMs))).not.toContain('i_a');
});

describe('looks at what a person recorded as made a minute ago', () => {
  const boot = (ms: number) => ({ id: 'b1', ms });
  const rowsAt = (time: number, more: object = {}): JournalRow[] => [
    sent('i_a', time),
    { ...verdict('i_a', time), by: 'person', clocks: { wall: time, boot: boot(5000) }, ...more },
  ];
  const minute = 60_000;
  const year = 365 * 24 * 60 * minute;
  const now = { ...momentAt(year + minute), boot: boot(5000 + minute) };

  it.each<[string, JournalRow[], Moment]>([
    ['while all clocks are right', rowsAt(year), now],
    [
      'when the clock was set forward since, and nothing contradicts it',
      rowsAt(year),
      { ...now, time: 2 * year },
    ],
    ['when the clock was set back since', rowsAt(year), { ...now, time: minute }],
    ['when a clock that was a year behind recorded it', rowsAt(0), now],
    ['when clocks that disagreed recorded it', rowsAt(year, { skewed: true, clocks: undefined }), now],
    [
      'while the clocks disagree, however long ago it seems',
      rowsAt(0, { clocks: undefined }),
      { ...now, skewed: true },
    ],
  ])('%s', async (_, rows, then) => {
    expect(await namesAt(rows, then)).toEqual(['i_a']);
  });

  it('and not at what was recorded a year ago, before or after the start of the machine', async () => {
    expect(await namesAt(rowsAt(0), { ...now, boot: boot(year) })).toEqual([]);
    expect(await namesAt(rowsAt(0), { ...now, boot: { id: 'b2', ms: 9 } })).toEqual([]);
  });
});
