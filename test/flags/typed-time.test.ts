/** Points in time as typed, and half-open ranges. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWithin } from '../../src/api/spec.ts';
import { parseWhen, rangeWords, timeRange } from '../../src/flags/typed-time.ts';
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

function at(text: string, zone = 'UTC'): string {
  return new Date(parseWhen(text, '--since').at(clockAndZone(zone))).toISOString();
}

describe('a point in time', () => {
  test.each([
    ['30d', 'UTC', '2026-10-21T15:31:12.000Z'],
    ['12h', 'UTC', '2026-11-20T03:31:12.000Z'],
    ['90m', 'America/Mexico_City', '2026-11-20T14:01:12.000Z'],
    ['90min', 'America/Mexico_City', '2026-11-20T14:01:12.000Z'],
    ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20', 'America/Mexico_City', '2026-11-20T06:00:00.000Z'],
    ['2026-11-20', 'Asia/Kathmandu', '2026-11-19T18:15:00.000Z'],
    ['2026-11-20T09:30', 'America/Mexico_City', '2026-11-20T15:30:00.000Z'],
    ['2026-11-20 09:30:15', 'America/Mexico_City', '2026-11-20T15:30:15.000Z'],
    ['2026-11-20T09:30:15Z', 'America/Mexico_City', '2026-11-20T09:30:15.000Z'],
    ['2026-11-20T09:30:15.25z', 'UTC', '2026-11-20T09:30:15.250Z'],
    ['2026-11-20T09:30-06:00', 'UTC', '2026-11-20T15:30:00.000Z'],
    ['2026-11-20T09:30+0545', 'UTC', '2026-11-20T03:45:00.000Z'],
    ['2026-11-20T09:30-06', 'UTC', '2026-11-20T15:30:00.000Z'],
    ['2028-02-29', 'UTC', '2028-02-29T00:00:00.000Z'],
  ])('%s in %s is %s', (text, zone, moment) => expect(at(text, zone)).toBe(moment));

  test.each([
    '',
    '30',
    '0d',
    '-3d',
    '30 d',
    'someday',
    'last month',
    'tomorrow',
    '2026-02-30',
    '2026-13-01',
    '2026-11-31',
    '2027-02-29',
    '20-11-2026',
    '2026-11-20T24:00',
    '2026-11-20T09:60',
    '2026-11-20T09',
    '2026-11-20T09:30+24:00',
    '2026-11-20Z',
    '1790000000',
  ])('%j is refused, with the text and what would do', (text) =>
    expect(() => parseWhen(text, '--until')).toThrow(
      `--until ${text}: not a time such as today, yesterday, last-month, monday, 30d, 12h, 2026-11-20 or 2026-11-20T09:00:00Z`,
    ),
  );
});

test.each([
  ['--since', '2026-10', ['2026-10-01']],
  ['--until', '2026-12', ['2026-12-01', '2027-01-01']],
  ['--until', '2026-13', []],
])('%s %s asks for the day that is meant', (name, text, days) => {
  const now = days.map((day) => `did you mean ${name} ${day}?`);
  expect(() => parseWhen(text, name)).toThrow(
    expect.objectContaining({ parts: expect.objectContaining({ now }) }),
  );
});

describe('where clocks change', () => {
  test('a day begins at the first moment that clocks show it', () => {
    // Clocks were put from 0:00 to 1:00 on that day.
    expect(at('2018-11-04', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00.000Z');
    expect(at('2018-11-03', 'America/Sao_Paulo')).toBe('2018-11-03T03:00:00.000Z');
  });

  test('a time that is shown twice is the first of the two', () => {
    expect(at('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  });

  test('a time that is never shown is the moment that clocks of before would have shown it', () => {
    expect(at('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  });

  test('days of any zone follow each other without a gap', () => {
    const zones = fc.constantFrom(
      'America/Sao_Paulo',
      'Europe/Berlin',
      'Asia/Kathmandu',
      'UTC',
      'Pacific/Apia',
    );
    const day = fc.integer({ min: Date.UTC(2009, 0) / 86_400_000, max: Date.UTC(2026, 0) / 86_400_000 });
    fc.assert(
      fc.property(zones, day, (zone, number) => {
        const start = (days: number): number =>
          Date.parse(at(new Date(days * 86_400_000).toISOString().slice(0, 10), zone));
        const length = (start(number + 1) - start(number)) / 3_600_000;
        expect(length).toBeGreaterThanOrEqual(0);
        expect(length).toBeLessThanOrEqual(25);
      }),
      { numRuns: 60 },
    );
  });

  test('what a zone shows of a moment leads back to it', () => {
    const seconds = fc.integer({ min: 946_684_800, max: 1_900_000_000 });
    const zones = fc.constantFrom('America/Mexico_City', 'Europe/Berlin', 'Asia/Kathmandu', 'Asia/Tokyo');
    fc.assert(
      fc.property(seconds, zones, (moment, zone) => {
        const wall = new Intl.DateTimeFormat('sv-SE', {
          timeZone: zone,
          dateStyle: 'short',
          timeStyle: 'medium',
        });
        const shown = wall.format(moment * 1000);
        const back = Date.parse(at(shown, zone)) / 1000;
        // The hour that is shown twice leads to its first time.
        expect([moment, moment - 3600]).toContain(back);
        expect(wall.format(back * 1000)).toBe(shown);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a word for a day, a week or a month is its first moment', () => {
  const start = (word: string, zone: string, moment: string) =>
    new Date(parseWhen(word, '--since').at(clockAndZone(zone, Date.parse(moment)))).toISOString();

  // 20 November 2026 is a Friday.
  test.each([
    ['today', '2026-11-20T06:00:00.000Z'],
    ['Today', '2026-11-20T06:00:00.000Z'],
    ['yesterday', '2026-11-19T06:00:00.000Z'],
    ['this-week', '2026-11-16T06:00:00.000Z'],
    ['last-week', '2026-11-09T06:00:00.000Z'],
    ['this-month', '2026-11-01T06:00:00.000Z'],
    ['last-month', '2026-10-01T06:00:00.000Z'],
    ['monday', '2026-11-16T06:00:00.000Z'],
    ['thursday', '2026-11-19T06:00:00.000Z'],
    ['friday', '2026-11-20T06:00:00.000Z'],
    ['saturday', '2026-11-14T06:00:00.000Z'],
    ['sunday', '2026-11-15T06:00:00.000Z'],
  ])('%s', (word, moment) =>
    expect(start(word, 'America/Mexico_City', '2026-11-20T15:31:12.700Z')).toBe(moment),
  );

  test('by the calendar of the zone, not of UTC', () => {
    expect(start('today', 'America/Mexico_City', '2026-11-20T05:59:59Z')).toBe('2026-11-19T06:00:00.000Z');
    expect(start('this-week', 'Pacific/Auckland', '2026-11-22T11:00:00Z')).toBe('2026-11-22T11:00:00.000Z');
    expect(start('last-month', 'Asia/Tokyo', '2026-12-31T15:00:00Z')).toBe('2026-11-30T15:00:00.000Z');
  });

  test('the last month of January is December', () =>
    expect(start('last-month', 'UTC', '2027-01-31T10:00:00Z')).toBe('2026-12-01T00:00:00.000Z'));

  test.each([
    { what: 'a day of 23 hours', moment: '2026-03-30T10:00:00Z', hours: 23 },
    { what: 'a day of 25 hours', moment: '2026-10-26T10:00:00Z', hours: 25 },
  ])('yesterday as $what is over when today begins', ({ moment, hours }) => {
    const [yesterday, today] = ['yesterday', 'today'].map((word) =>
      Date.parse(start(word, 'Europe/Berlin', moment)),
    );
    expect((Number(today) - Number(yesterday)) / 3_600_000).toBe(hours);
  });

  test('a day whose midnight the clocks leave out begins when they go on', () =>
    expect(start('today', 'Africa/Cairo', '2026-04-24T10:00:00Z')).toBe('2026-04-23T22:00:00.000Z'));

  test('in any zone, at any time, lies on its day, and never in the future', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          'UTC',
          'America/Mexico_City',
          'Europe/Berlin',
          'Africa/Cairo',
          'Australia/Lord_Howe',
          'Asia/Kathmandu',
        ),
        fc.constantFrom('today', 'yesterday', 'this-week', 'this-month', 'last-month', 'monday', 'sunday'),
        fc.integer({ min: 0, max: 4_000_000_000 }),
        (zone, word, seconds) => {
          const times = createTimes(zone, () => seconds * 1000);
          const first = parseWhen(word, '--since').at(clockAndZone(zone, seconds * 1000)) / 1000;
          expect(first).toBeLessThanOrEqual(seconds);
          // The second before belongs to another day.
          expect(times.day(first - 1) === times.day(first)).toBe(
            first <= 0 && times.day(first) === undefined,
          );
        },
      ),
    );
  });
});

describe('a range', () => {
  const range = (since: string | undefined, until: string | undefined) =>
    timeRange(
      {
        since: since === undefined ? undefined : parseWhen(since, '--since'),
        until: until === undefined ? undefined : parseWhen(until, '--until'),
      },
      clockAndZone('UTC'),
    );

  test('includes its start and not its end', () => {
    const day = range('2026-11-19', '2026-11-20');
    const start = Date.parse('2026-11-19T00:00:00Z') / 1000;
    expect([start - 1, start, start + 86_399, start + 86_400].map((time) => isWithin(day, time))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test('next to another one leaves nothing out and holds nothing twice', () => {
    const time = fc.integer({ min: 0, max: 2_000_000_000 });
    fc.assert(
      fc.property(time, time, (seconds, border) => {
        const before = isWithin({ since: undefined, until: border * 1000 }, seconds);
        const after = isWithin({ since: border * 1000, until: undefined }, seconds);
        expect(before).toBe(!after);
      }),
    );
  });

  test('that nothing can lie in is refused', () => {
    expect(() => range('2026-11-20', '2026-11-20')).toThrow('is not before');
    expect(() => range('1d', '30d')).toThrow('--since 1d is not before --until 30d');
  });

  test.each([
    ['yesterday', '--since yesterday --until today'],
    ['last-week', '--since last-week --until this-week'],
    ['last-month', '--since last-month --until this-month'],
    ['today', '--since today'],
  ])('from %s until %s is refused with what was meant', (word, meant) => {
    const thrown = (() => {
      try {
        return range(word, word);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toMatchObject({ parts: { now: [`for all of it: ${meant}`] } });
  });

  test('is said in full', () => {
    const times = createTimes('America/Mexico_City', () => now);
    const full = (ms: number) => times.show(ms / 1000, 'full');
    const [since, until] = [Date.parse('2026-10-01T06:00:00Z'), Date.parse('2026-11-01T06:00:00Z')];
    expect(rangeWords('orders created', { since, until }, full)).toBe(
      'orders created from 1 Oct 2026 00:00:00 UTC-6, before 1 Nov 2026 00:00:00 UTC-6',
    );
    expect(rangeWords('orders created', { since, until: undefined }, full)).toBe(
      'orders created from 1 Oct 2026 00:00:00 UTC-6 until now',
    );
    expect(rangeWords('orders created', { since: undefined, until }, full)).toBe(
      'orders created before 1 Nov 2026 00:00:00 UTC-6',
    );
    expect(rangeWords('orders created', { since: undefined, until: undefined }, full)).toBeUndefined();
  });
});

describe('days in words', () => {
  const words = (first: string, last: string, zone: string): string =>
    createTimes(zone, () => now).days(Date.parse(first) / 1000, Date.parse(last) / 1000);

  test('say the year once where it is the same, and the offset', () => {
    expect(words('2026-11-03T12:00:00Z', '2026-11-20T12:00:00Z', 'America/Mexico_City')).toBe(
      '3 Nov to 20 Nov 2026 (UTC-6)',
    );
    expect(words('2025-12-31T12:00:00Z', '2026-01-02T12:00:00Z', 'UTC')).toBe(
      '31 Dec 2025 to 2 Jan 2026 (UTC)',
    );
    expect(words('2026-11-20T10:00:00Z', '2026-11-20T12:00:00Z', 'UTC')).toBe('20 Nov 2026 (UTC)');
  });
});
