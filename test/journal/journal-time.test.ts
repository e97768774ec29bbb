import { describe, expect, it } from 'vitest';
import type { Clocks, Moment } from '../../src/journal/journal-rows.ts';
import type { NewestRow } from '../../src/journal/journal-store.ts';
import {
  earliestOf,
  momentFrom,
  momentOf,
  passedSince,
  stampOf,
  tolerableSkewMs,
} from '../../src/journal/journal-time.ts';

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
