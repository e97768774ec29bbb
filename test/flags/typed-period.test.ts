/** Periods as people type them, in zones with days of 23, 25 and 0 hours. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePeriod, periodOf, timeWords } from '../../src/flags/typed-period.ts';
import { parseWhen } from '../../src/flags/typed-time.ts';
import { createTimes } from '../../src/terminal/local-time.ts';

const now = Date.parse('2026-11-20T15:31:12.700Z');

function clockAndZone(zone: string, moment = now) {
  const times = createTimes(zone, () => moment);
  return {
    now: moment,
    zoned: (shown: number) => times.moment(shown),
    today: () => times.day(Math.floor(moment / 1000)) ?? '',
  };
}

function range(text: string, zone = 'UTC', moment = now): string {
  const { since, until } = parsePeriod(text, '--period').range(clockAndZone(zone, moment));
  const iso = (ms: number | undefined) =>
    ms === undefined ? 'open' : new Date(ms).toISOString().slice(0, 16);
  return `${iso(since)} ${iso(until)}`;
}

const hours = (text: string, zone: string) => {
  const { since = 0, until = 0 } = parsePeriod(text, '--period').range(clockAndZone(zone));
  return (until - since) / 3_600_000;
};

describe('a time that was typed', () => {
  const zone = clockAndZone('America/Mexico_City');
  const when = (text: string) => parseWhen(text, '--since');

  test('is said again as the same moment, if it was counted back from now', () => {
    expect(timeWords({ since: when('30d') }, zone)).toEqual(['--since', '2026-10-21T15:31:12Z']);
    expect(timeWords({ since: when('2026-11-20') }, zone)).toEqual(['--since', '2026-11-20']);
    expect(timeWords({ period: parsePeriod('last-month', '--period') }, zone)).toEqual([
      '--since',
      '2026-10-01T06:00:00Z',
      '--until',
      '2026-11-01T06:00:00Z',
    ]);
    expect(timeWords({}, zone)).toEqual([]);
  });

  test('is the same range as a period and as its two ends', () => {
    const period = parsePeriod('2026-10', '--period').range(zone);
    expect(periodOf({ since: when('2026-10-01'), until: when('2026-11-01') })?.range(zone)).toEqual(period);
    expect(periodOf({ period: parsePeriod('2026-10', '--period') })?.range(zone)).toEqual(period);
    expect(periodOf({}, '2026-10').range(zone)).toEqual(period);
    expect(periodOf({})).toBeUndefined();
  });
});

describe('a period', () => {
  test.each([
    ['today', 'UTC', '2026-11-20T00:00 2026-11-21T00:00'],
    ['TODAY', 'America/Mexico_City', '2026-11-20T06:00 2026-11-21T06:00'],
    ['yesterday', 'UTC', '2026-11-19T00:00 2026-11-20T00:00'],
    ['this-week', 'UTC', '2026-11-16T00:00 2026-11-23T00:00'],
    ['last-week', 'UTC', '2026-11-09T00:00 2026-11-16T00:00'],
    ['this-month', 'UTC', '2026-11-01T00:00 2026-12-01T00:00'],
    ['last-month', 'UTC', '2026-10-01T00:00 2026-11-01T00:00'],
    ['2026-11', 'America/Mexico_City', '2026-11-01T06:00 2026-12-01T06:00'],
    ['2026', 'America/Mexico_City', '2026-01-01T06:00 2027-01-01T06:00'],
    ['7d', 'UTC', '2026-11-13T15:31 open'],
    ['2026-12', 'UTC', '2026-12-01T00:00 2027-01-01T00:00'],
    ['2026-W47', 'UTC', '2026-11-16T00:00 2026-11-23T00:00'],
    ['2026-w01', 'UTC', '2025-12-29T00:00 2026-01-05T00:00'],
    ['2026-Q4', 'UTC', '2026-10-01T00:00 2027-01-01T00:00'],
    ['2026-q1', 'America/Mexico_City', '2026-01-01T06:00 2026-04-01T06:00'],
    ['2026-11-20', 'UTC', '2026-11-20T00:00 2026-11-21T00:00'],
    ['2026-10..', 'UTC', '2026-10-01T00:00 open'],
    ['2026-10..2026-11-15', 'UTC', '2026-10-01T00:00 2026-11-15T00:00'],
    ['2026-11-01..2026-11-15', 'UTC', '2026-11-01T00:00 2026-11-15T00:00'],
    ['monday..today', 'UTC', '2026-11-16T00:00 2026-11-20T00:00'],
    ['2026-11-01..', 'UTC', '2026-11-01T00:00 open'],
    ['..2026-11-01', 'UTC', 'open 2026-11-01T00:00'],
  ])('%s in %s is %s', (text, zone, wanted) => expect(range(text, zone)).toBe(wanted));

  test.each([
    '',
    'soon',
    '2026-13',
    '2026-00',
    '2026-W54',
    '2026-Q5',
    '2026-W00',
    '2026-02-30',
    '0026',
    '..',
    'x..today',
  ])('%s is none, and the error names some', (text) =>
    expect(() => range(text)).toThrow(/period such as|say from when|not a time/),
  );

  test('one that ends before it begins is refused', () =>
    expect(() => range('2026-11-15..2026-11-01')).toThrow(/is not before/));
  test.each([
    [
      '2026-09..2026-11',
      ['with all of 2026-11: 2026-09-01..2026-12-01', 'without it: 2026-09-01..2026-11-01'],
    ],
    [
      '2026-Q3..2026-Q4',
      ['with all of 2026-Q4: 2026-07-01..2027-01-01', 'without it: 2026-07-01..2026-10-01'],
    ],
    ['monday..2026-12', ['with all of 2026-12: monday..2027-01-01', 'without it: monday..2026-12-01']],
    ['2026-11..2026-11', ['with all of 2026-11: 2026-11-01..2026-12-01']],
  ])('%s is refused, with both readings', (text, now) =>
    expect(() => range(text)).toThrow(expect.objectContaining({ parts: expect.objectContaining({ now }) })),
  );
});

describe('the last day of a month or of a week that a period leaves out', () => {
  test.each([
    ['2026-11-01..2026-11-30', '2026-11, which is 2026-11-01..2026-12-01'],
    ['2026-10..2026-12-31', '2026-Q4, which is 2026-10-01..2027-01-01'],
    ['2026-01-01..2026-12-31', '2026, which is 2026-01-01..2027-01-01'],
    ['2026-11-16..2026-11-22', '2026-W47, which is 2026-11-16..2026-11-23'],
    ['2028-02-01..2028-02-29', '2028-02, which is 2028-02-01..2028-03-01'],
    ['2026-11-05..2026-11-30', '2026-11-05..2026-12-01'],
    ['..2026-11-30', '..2026-12-01'],
    ['last-month..2026-10-31', 'last-month..2026-11-01'],
  ])('%s is noted, with %s', (text, meant) => {
    const day = text.slice(-10);
    const words = `${text} ends before ${day}: that day is left out; with it: ${meant}`;
    expect(parsePeriod(text, '--period').leavesOut).toBe(words);
  });

  test('is noted of --since and --until as well', () => {
    const [since, until] = [parseWhen('2026-11-01', '--since'), parseWhen('2026-11-30', '--until')];
    expect(periodOf({ since, until })?.leavesOut).toContain('with it: 2026-11, which is');
  });

  test.each([
    '2026-11',
    '2026-11-01..2026-12-01',
    '2026-11-01..2026-11-15',
    '2026-11-17..2026-11-22',
    'monday..today',
    '7d',
    '..2026-11-30T12:00',
  ])('%s is not noted', (text) => expect(parsePeriod(text, '--period').leavesOut).toBeUndefined());
});

describe('17 days of 23, 25 and 0 hours', () => {
  test.each([
    ['2026-03-08', 'America/New_York', 23],
    ['2026-11-01', 'America/New_York', 25],
    ['2026-03-29', 'Europe/Berlin', 23],
    ['2026-10-25', 'Europe/Berlin', 25],
    ['2026-10-04', 'Australia/Lord_Howe', 23.5],
    // Samoa went over the date line: this day never was.
    ['2011-12-30', 'Pacific/Apia', 0],
    ['2011-12-29', 'Pacific/Apia', 24],
    ['2026-03', 'America/New_York', 31 * 24 - 1],
  ])('%s in %s has %s hours', (text, zone, wanted) => expect(hours(text, zone)).toBe(wanted));

  test('the days of a month follow each other without a gap, and make up the month', () => {
    const zones = ['America/New_York', 'Europe/Berlin', 'Pacific/Apia', 'Asia/Kolkata', 'America/Asuncion'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 1990, max: 2035 }),
        fc.integer({ min: 1, max: 12 }),
        (zone, year, month) => {
          const at = clockAndZone(zone);
          const name = `${year}-${String(month).padStart(2, '0')}`;
          const whole = parsePeriod(name, '--period').range(at);
          let end = whole.since ?? 0;
          const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
          for (let day = 1; day <= days; day += 1) {
            const one = parsePeriod(`${name}-${String(day).padStart(2, '0')}`, '--period').range(at);
            expect(one.since).toBe(end);
            end = one.until ?? 0;
          }
          expect(end).toBe(whole.until);
        },
      ),
    );
  });
});
