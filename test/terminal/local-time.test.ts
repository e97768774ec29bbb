import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTimes, isoTime } from '../../src/terminal/local-time.ts';

// 20 Nov 2026 23:08:51 UTC
const seconds = 1795216131;
const now = (): number => seconds * 1000;

describe('a time', () => {
  it.each([
    ['America/Mexico_City', '20 Nov 17:08', '20 Nov 2026 17:08:51 UTC-6', '17:08:51', '-06'],
    ['UTC', '20 Nov 23:08', '20 Nov 2026 23:08:51 UTC', '23:08:51', 'UTC'],
    ['Asia/Kolkata', '21 Nov 04:38', '21 Nov 2026 04:38:51 UTC+5:30', '04:38:51', '+05:30'],
    ['Asia/Tokyo', '21 Nov 08:08', '21 Nov 2026 08:08:51 UTC+9', '08:08:51', '+09'],
  ])('reads in %s', (zone, day, full, clock, offset) => {
    const times = createTimes(zone, now);
    expect(times.show(seconds, 'day')).toBe(day);
    expect(times.show(seconds, 'full')).toBe(full);
    expect(times.show(seconds, 'clock')).toBe(clock);
    expect(times.offset(seconds)).toBe(offset);
  });

  it('says its year when that is not this one', () => {
    expect(createTimes('UTC', now).show(1700000000, 'day')).toBe('14 Nov 2023 22:13');
  });

  it.each([
    ['today', seconds - 3600, '22:08:51'],
    ['on another day', seconds - 86_400, '23:08:51 on 19 Nov'],
    ['in another year', 1700000000, '22:13:20 on 14 Nov 2023'],
  ])('is short %s', (_, one, expected) => {
    expect(createTimes('UTC', now).short(one)).toBe(expected);
  });

  it('is shown in UTC when the machine does not know the zone', () => {
    expect(createTimes('Not/AZone', now).show(seconds, 'full')).toBe('20 Nov 2026 23:08:51 UTC');
  });

  it.each([1e20, -1, 1.5, 1795216131000, Number.NaN, '1795216131', null, undefined, {}])(
    '%s is none',
    (value) => {
      expect(createTimes('UTC', now).valid(value)).toBe(false);
    },
  );

  it('never throws for what it calls valid', () => {
    const times = createTimes('America/Mexico_City', now);
    fc.assert(
      fc.property(fc.double(), (value) => {
        if (times.valid(value)) expect(times.show(value, 'full')).toMatch(/UTC-[67]/);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253402300799 }), (value) => {
        expect(times.show(value, 'full')).toMatch(/^\d{1,2} \w{3} \d{4} \d\d:\d\d:\d\d UTC/);
      }),
    );
  });

  it.each(['UTC', 'America/Mexico_City', undefined])(
    'is the bare number when there is no such day, in the zone %s',
    (zone) => {
      const times = createTimes(zone, now);
      for (const far of [9e12, -9e12])
        expect([times.iso(far), times.show(far, 'full'), times.short(far), isoTime(far)]).toEqual(
          Array(4).fill(String(far)),
        );
    },
  );

  it('is ISO 8601 in UTC for machines', () => {
    expect(isoTime(seconds)).toBe('2026-11-20T23:08:51Z');
  });
});
