import { describe, expect, it } from 'vitest';
import { isDue, isOpen, isYoung, wasOver } from '../../src/journal/attempt-state.ts';
import {
  atLeastSince,
  earliestOf,
  momentFrom,
  momentOf,
  passedSince,
  stampOf,
  tolerableSkewMs,
} from '../../src/journal/journal-time.ts';
import type { Clocks, Moment, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import type { NewestRow } from '../../src/journal/rows/journal-store.ts';
import { sent, verdict } from './rows.ts';

const boot = (ms: number, id = 'b1') => ({ id, ms });
const at = (clocks: Clocks, newest: NewestRow | undefined = { time: 0 }) => momentFrom(clocks, 7, newest);
const noon = 43_200_000;

describe('the wall clock is believed', () => {
  it.each<[string, Clocks, NewestRow, Partial<Moment>]>([
    ['where nothing speaks against it', { wall: noon }, { time: 0 }, { time: noon, dated: undefined }],
    [
      'where the Date of the service agrees',
      { wall: noon, service: noon },
      { time: 0 },
      { time: noon, dated: true },
    ],
    [
      'where the Date is two minutes later, and that counts',
      { wall: noon, service: noon + tolerableSkewMs },
      { time: 0 },
      { time: noon + tolerableSkewMs, dated: true },
    ],
    [
      'where the Date is two minutes earlier',
      { wall: noon, service: noon - tolerableSkewMs },
      { time: 0 },
      { time: noon, dated: true },
    ],
    [
      'up to two minutes behind the newest row, whose time counts',
      { wall: noon },
      { time: noon + tolerableSkewMs },
      { time: noon + tolerableSkewMs },
    ],
    [
      'up to two minutes behind the time of the file',
      { wall: noon },
      { time: 5, writtenAt: noon + tolerableSkewMs },
      { time: noon },
    ],
    [
      'beside a row far ahead, where the Date agrees with the clock',
      { wall: noon, service: noon },
      { time: noon + tolerableSkewMs + 1 },
      { time: noon, dated: true },
    ],
    [
      'where it went on as long as the machine did',
      { wall: noon + 1000, boot: boot(6000) },
      { time: noon, clocks: { wall: noon, boot: boot(5000) } },
      { time: noon + 1000 },
    ],
    [
      'where both went on for long',
      { wall: noon + 900_000, boot: boot(905_000) },
      { time: noon, clocks: { wall: noon, boot: boot(5000) } },
      { time: noon + 900_000 },
    ],
    [
      'up to two minutes away from that',
      { wall: noon + tolerableSkewMs, boot: boot(5000) },
      { time: noon, clocks: { wall: noon, boot: boot(5000) } },
      { time: noon + tolerableSkewMs },
    ],
    [
      'where the machine was started anew',
      { wall: noon + 900_000_000, boot: boot(5000, 'b2') },
      { time: noon, clocks: { wall: noon, boot: boot(5000) } },
      { time: noon + 900_000_000 },
    ],
    [
      'where the last row does not know how long the machine was up',
      { wall: noon + 900_000_000, boot: boot(5000) },
      { time: noon, clocks: { wall: noon } },
      { time: noon + 900_000_000 },
    ],
    [
      'where this machine does not tell how long it is up',
      { wall: noon + 900_000_000 },
      { time: noon, clocks: { wall: noon, boot: boot(5000) } },
      { time: noon + 900_000_000 },
    ],
  ])('%s', (_, clocks, newest, moment) => {
    expect(at(clocks, newest)).toEqual({ ...clocks, mono: 7, skewed: false, dated: undefined, ...moment });
  });
});

describe('the wall clock is not believed, and the moment is one that no clock calls the future', () => {
  it.each<[string, Clocks, NewestRow | undefined, number]>([
    [
      'where the Date is later by more than two minutes',
      { wall: noon, service: noon + tolerableSkewMs + 1 },
      { time: 0 },
      noon,
    ],
    [
      'where the Date is earlier by more than two minutes',
      { wall: noon, service: noon - tolerableSkewMs - 1 },
      { time: 0 },
      noon - tolerableSkewMs - 1,
    ],
    [
      'where it is also before the newest row',
      { wall: noon, service: noon - 900_000 },
      { time: noon - 1 },
      noon - 1,
    ],
    ['where the newest row is later', { wall: noon }, { time: noon + tolerableSkewMs + 1 }, noon + 120_001],
    [
      'where the file was written later',
      { wall: noon },
      { time: 5, writtenAt: noon + tolerableSkewMs + 1 },
      5,
    ],
    [
      'where it went on for longer than the machine did',
      { wall: noon + tolerableSkewMs + 1, boot: boot(5000) },
      { time: noon, clocks: { wall: noon, boot: boot(5000) } },
      noon,
    ],
    [
      'where it went on for less',
      { wall: noon, boot: boot(5000 + tolerableSkewMs + 1) },
      { time: noon, clocks: { wall: noon, boot: boot(5000) } },
      noon,
    ],
    ['where the journal cannot be read', { wall: noon }, undefined, noon],
    [
      'where the file was written later and the journal has no row',
      { wall: noon },
      { time: 0, writtenAt: noon + tolerableSkewMs + 1 },
      noon,
    ],
  ])('%s', (_, clocks, newest, time) => {
    expect(momentFrom(clocks, 7, newest)).toEqual({
      ...clocks,
      mono: 7,
      skewed: true,
      dated: undefined,
      time,
    });
  });
});

describe('asking the clocks', () => {
  const clock = (now: number) => ({
    now: () => now,
    monotonic: () => 3,
    sleep: () => Promise.resolve(),
  });
  const store = (newest: () => Promise<NewestRow>) => ({ newest });
  const empty = store(() => Promise.resolve({ time: 0 }));

  it('counts a Date from the moment it came', async () => {
    const seenDate = () => ({ date: noon, wall: noon + 1000 });
    expect(await momentOf(clock(noon + 5000), empty, { seenDate })).toMatchObject({
      service: noon + 4000,
      mono: 3,
    });
    expect(await momentOf(clock(noon), empty, { seenDate })).toMatchObject({ service: noon });
  });

  it('takes the time that the machine is up, where it tells', async () => {
    const up = { ...clock(noon), boot: () => boot(5) };
    expect(await momentOf(up, empty, {})).toMatchObject({ boot: boot(5), service: undefined });
    expect(await momentOf(clock(noon), empty, {})).toMatchObject({ boot: undefined, skewed: false });
  });

  it('believes no clock where the journal cannot be read', async () => {
    const broken = store(() => Promise.reject(new Error('EIO')));
    expect(await momentOf(clock(noon), broken, {})).toMatchObject({ skewed: true, time: noon });
  });
});

it('a row is of the future only by the word of the service, and by more than two minutes', () => {
  const now: Moment = { time: noon, wall: noon, mono: 0, skewed: false, dated: true };
  const row = (ms: number) => ({ time: noon + tolerableSkewMs + ms, clocks: { wall: noon, service: noon } });
  expect(passedSince(row(1), now)).toBeUndefined();
  expect(passedSince(row(0), now)).toBe(0);
  expect(passedSince(row(1), { ...now, dated: undefined })).toBe(0);
});

it('the time that the machine is up counts only where the service told no time, neither then nor now', () => {
  const row = { time: noon, clocks: { wall: noon, boot: boot(0) } };
  const now: Moment = { time: noon + 5000, wall: noon, mono: 0, skewed: false, boot: boot(9000) };
  expect(passedSince(row, now)).toBe(9000);
  expect(passedSince(row, { ...now, service: noon + 5000 })).toBe(5000);
  expect(passedSince({ ...row, clocks: { ...row.clocks, service: noon } }, now)).toBe(5000);
});

it('the service made nothing of an attempt before its Date then, or before what the clocks may differ', () => {
  expect(earliestOf({ time: noon, clocks: { wall: noon, service: noon - 1000 } })).toBe(noon - 6000);
  expect(earliestOf({ time: noon, skewed: true, clocks: { wall: noon, service: noon } })).toBe(noon - 5000);
  expect(earliestOf({ time: noon, clocks: { wall: noon } })).toBe(noon - tolerableSkewMs);
  expect(earliestOf({ time: noon })).toBe(noon - tolerableSkewMs);
  expect(earliestOf({ time: noon, skewed: true })).toBe(Number.NEGATIVE_INFINITY);
});

it('a row keeps the time, the clocks, and whether they disagreed', () => {
  const now: Moment = { time: 1, wall: 2, mono: 3, service: 4, boot: boot(5), skewed: true };
  const clocks = { wall: 2, service: 4, boot: boot(5) };
  expect(stampOf(now)).toEqual({ time: 1, skewed: true, clocks });
  expect(stampOf({ ...now, skewed: false })).toEqual({ time: 1, skewed: undefined, clocks });
});

const [minute, day] = [60_000, 86_400_000];
/** A start of this machine that is so old. */
const up = (ms: number, id = 'this') => ({ id, ms });

function rowAt(time: number, clocks: Partial<Clocks>, more: Partial<VerdictRow> = {}): VerdictRow {
  return { ...verdict('i_1', time), verdict: 'not_seen', clocks: { wall: time, ...clocks }, ...more };
}

function momentAt(time: number, more: Partial<Moment> = {}): Moment {
  return { time, wall: time, mono: 0, skewed: false, ...more };
}

describe('how long ago a row was written', () => {
  it.each<[string, VerdictRow, Moment, number | undefined]>([
    [
      'without a Date: as long as this machine is up since',
      rowAt(0, { boot: up(0) }),
      momentAt(minute, { boot: up(minute) }),
      minute,
    ],
    [
      'without a Date, and the wall clock jumped ahead: the same',
      rowAt(0, { boot: up(0) }),
      momentAt(400 * day, { boot: up(minute), skewed: true }),
      minute,
    ],
    [
      'without a Date, and the wall clock was ahead then: the same',
      rowAt(400 * day, { boot: up(0) }, { skewed: true }),
      momentAt(0, { boot: up(minute) }),
      minute,
    ],
    [
      'without a Date, and the machine was started anew: by the wall clock',
      rowAt(0, { boot: up(0) }),
      momentAt(minute, { boot: up(5, 'next') }),
      minute,
    ],
    [
      'without a Date, the machine was started anew, and the clocks disagree: not known',
      rowAt(0, { boot: up(0) }),
      momentAt(minute, { boot: up(5, 'next'), skewed: true }),
      undefined,
    ],
    [
      'a Date then and now: by the time of both',
      rowAt(0, { boot: up(0), service: 0 }),
      momentAt(day, { boot: up(minute), service: day, dated: true }),
      day,
    ],
    [
      'a Date now alone: not longer than this machine is up since',
      rowAt(0, { boot: up(0) }),
      momentAt(day, { boot: up(minute), service: day, dated: true }),
      minute,
    ],
    [
      'counted from a row that was not written right after the start of this machine',
      rowAt(0, { boot: up(5000) }),
      momentAt(day, { boot: up(6000) }),
      1000,
    ],
    [
      'a Date then alone: by the time of the journal, and not longer than this machine is up since',
      rowAt(0, { boot: up(0), service: 0 }),
      momentAt(500, { boot: up(minute) }),
      500,
    ],
    [
      'a row that does not know how long the machine was up',
      rowAt(0, {}),
      momentAt(500, { boot: up(minute) }),
      500,
    ],
    ['a machine that does not tell how long it is up', rowAt(0, { boot: up(0) }), momentAt(500), 500],
    [
      'a Date that disagrees now: not known',
      rowAt(0, { boot: up(0), service: 0 }),
      momentAt(day, { boot: up(minute), service: 0, skewed: true }),
      undefined,
    ],
    [
      'a Date that disagreed then: not known',
      rowAt(day, { boot: up(0), service: 0 }, { skewed: true }),
      momentAt(minute, { boot: up(minute), service: minute, dated: true }),
      undefined,
    ],
    [
      'written in what two clocks call the future: not known',
      rowAt(400 * day, { service: 0 }),
      momentAt(day, { service: day, dated: true }),
      undefined,
    ],
  ])('%s', (_, row, now, ms) => {
    expect(passedSince(row, now)).toBe(ms);
  });

  it('for the word of a person: as long as the machine is up since, and any time after a new start', () => {
    const row = rowAt(0, { boot: up(0), service: 0 });
    const skewed = { service: 0, skewed: true };
    expect(atLeastSince(row, momentAt(day, { ...skewed, boot: up(minute) }))).toBe(minute);
    expect(atLeastSince(row, momentAt(day, { ...skewed, boot: up(5, 'next') }))).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe('an attempt whose first verdict was written by a clock 400 days behind, without a Date', () => {
  const record = {
    sent: sent('i_1', -400 * day),
    verdicts: [rowAt(-400 * day, { boot: up(0) }), rowAt(0, { boot: up(1000) })],
  };
  const { horizonMs } = record.sent;

  it('is open and due in its time, though a later row has the right one', () => {
    const now = momentAt(minute, { boot: up(minute) });
    expect([isYoung(record, now), isOpen(record, now), isDue(record, now)]).toEqual([true, true, true]);
    expect(wasOver(record, record.verdicts[1] ?? verdict('i_1', 0))).toBe(false);
  });

  it('is looked at once more when its time is over, and not again', () => {
    const now = momentAt(horizonMs, { boot: up(horizonMs) });
    expect([isOpen(record, now), isDue(record, now)]).toEqual([false, true]);
    const looked = { ...record, verdicts: [...record.verdicts, rowAt(horizonMs, { boot: up(horizonMs) })] };
    expect(isDue(looked, now)).toBe(false);
  });
});
