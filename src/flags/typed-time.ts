/** Reads times as people type them, `30d`, `yesterday` or `2026-11-20`, and the range between two of them. Pure. */

import { dayMs, type TimeRange } from '../api/spec.ts';
import type { Context, Days } from '../context/context.ts';
import { CliError } from '../errors.ts';
import { closestNames } from '../terminal/terminal.ts';
import { flag, usage } from './flags.ts';

/** The clock and the time zone that a typed time is read with. */
export interface ClockAndZone {
  /** Wall clock, Unix milliseconds. */
  readonly now: number;
  /**
   * The moment at which clocks in the zone of the run show a certain time, in Unix milliseconds. `shown` is that time as if
   * it were UTC.
   */
  readonly zoned: (shown: number) => number;
  /** The day that the calendar in the zone of the run shows now, `2026-11-20`. */
  readonly today: () => string;
}

/** A time as typed. It becomes Unix milliseconds once clock and zone are known. */
export interface When {
  readonly text: string;
  /** True for `30d` and `yesterday`, which count back from now: the same text means another time tomorrow. */
  readonly relative: boolean;
  readonly at: (clockAndZone: ClockAndZone) => number;
}

/** All times. */
export const anyTime: TimeRange = { since: undefined, until: undefined };

/** One end of a range in Unix seconds, rounded up so that the range begins no earlier than asked; null if that end is open. */
export function boundSeconds(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.ceil(ms / 1000);
}

/** The clock and the zone of a run. The zone is the profile's, once the profile is open. */
export function clockAndZoneOf({ clock, days }: Pick<Context, 'clock' | 'days'>): ClockAndZone {
  return clockIn(days, clock.now());
}

/** The clock at a moment, `now` in Unix milliseconds, with the zone of these days. */
export function clockIn(days: Days, now: number): ClockAndZone {
  const seconds = Math.floor(now / 1000);
  return {
    now,
    zoned: (shown) => days.moment(shown),
    // A clock before 1970 shows no day of the service.
    today: () => days.day(seconds) ?? new Date(now).toISOString().slice(0, 10),
  };
}

/** When today began in the zone of the run, Unix milliseconds. */
export function dayBegan({ zoned, today }: ClockAndZone): number {
  return zoned(Date.parse(today()));
}

export function whenFlag(summary: string) {
  return flag.of<When>({
    value: 'WHEN',
    summary,
    parse: parseWhen,
    offers: async () => dayWords.map((value) => ({ value, text: meaningOf(value) })),
  });
}

const units: Readonly<Record<string, number>> = { m: 60_000, min: 60_000, h: 3_600_000, d: dayMs };
const span = /^([1-9][0-9]{0,5})(m|min|h|d)$/;
const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,3})\d*)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** A flag that takes a length of time; its value is in milliseconds. */
export function spanFlag(summary: string) {
  return flag.of<number>({
    value: 'SPAN',
    summary,
    parse: (text, name) => {
      const length = spanOf(text);
      if (length === undefined) throw usage(`${name} ${text}: not a length of time such as 90min, 26h or 7d`);
      return length;
    },
  });
}

/** Reads `30d`, `12h`, `yesterday`, a date or a time in the zone of the run, or ISO 8601 with an offset. Throws CliError 'usage'. */
export function parseWhen(text: string, name: string): When {
  const length = spanOf(text);
  if (length !== undefined) return { text, relative: true, at: ({ now }) => wholeSecond(now) - length };
  const word = dayWords.find((known) => known === text.toLowerCase());
  if (word !== undefined)
    return { text, relative: true, at: ({ zoned, today }) => zoned(startOf(word, Date.parse(today()))) };
  const at = momentOf(text);
  if (at !== undefined) return { text, relative: false, at };
  throw usage(
    `${name} ${text}: not a time such as today, yesterday, last-month, monday, 30d, 12h, 2026-11-20 or 2026-11-20T09:00:00Z`,
    timesMeant(text, name),
  );
}

/** Suggests a word that is spelled like the typed one, or a date whose parts are in another order or have other marks between them. */
export function timesMeant(
  text: string,
  name: string,
  words: readonly string[] = dayWords,
): readonly string[] {
  const near = closestNames(text.slice(0, 20), words);
  const [, year = '', ...parts] = /^(\d{4})[./]?(\d{1,2})[./]?(\d{1,2})$/.exec(text) ?? [];
  const [, first = '', mark, second = '', last = ''] =
    /^(\d{1,2})([./-])(\d{1,2})[./-](\d{4})$/.exec(text) ?? [];
  // In a date with points, the day comes first. In other dates, the month may.
  const orders =
    mark === '.'
      ? [[second, first]]
      : [
          [second, first],
          [first, second],
        ];
  const [month] = /^\d{4}-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  // Until a month: before it, or before the one after it.
  const ends = month === undefined ? [] : name === '--until' ? [month, monthAfter(month)] : [month];
  const dates = [[year, ...parts], ...orders.map((order) => [last, ...order])]
    .map((date) => date.map((part) => part.padStart(2, '0')).join('-'))
    .concat(ends.map((one) => `${one}-01`))
    .filter((date) => shownBy(iso.exec(date)) !== undefined);
  const meant = near.length > 0 ? near : [...new Set(dates)];
  return meant.map((one) => `did you mean ${name} ${one}?`);
}

const monthNames =
  'january february march april may june july august september october november december'.split(' ');

/** Suggests the month of `november`, `Nov 2025` or `11/2025`. The year of a month without one is that of every example. */
export function monthMeant(text: string, name: string): readonly string[] {
  const [, word = '', ofWord = '2026'] = /^([a-z]{3,9})\.?[ -]?(\d{4})?$/i.exec(text) ?? [];
  const [, number, year] = /^(\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  const place = word === '' ? -1 : monthNames.findIndex((one) => one.startsWith(word.toLowerCase()));
  const month = number === undefined ? place + 1 : Number(number);
  if (month < 1 || month > 12) return [];
  return [`did you mean ${name} ${year ?? ofWord}-${String(month).padStart(2, '0')}?`];
}

function monthAfter(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0, 1)).toISOString().slice(0, 7);
}

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
/** The words that name a day, a week or a month, each with its meaning. `next`: the word for the time that follows it. */
export const periods = {
  today: { meaning: 'from midnight on' },
  yesterday: { meaning: 'the day before today', next: 'today' },
  'this-week': { meaning: 'from Monday on' },
  'last-week': { meaning: 'the week before this one', next: 'this-week' },
  'this-month': { meaning: 'from the first on' },
  'last-month': { meaning: 'the month before this one', next: 'this-month' },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly next?: string }>>;
export type PeriodWord = keyof typeof periods;
export const periodWords = Object.keys(periods) as PeriodWord[];

/** Words for the start of a day, a week or a month. Weeks begin on Monday. */
const dayWords = [...periodWords, ...weekdays];
type DayWord = (typeof dayWords)[number];

/** Whether a text is a word for a time, such as `yesterday`. */
export function isDayWord(text: string): boolean {
  return dayWords.some((known) => known === text.toLowerCase());
}

/**
 * The calendar day on which a period begins, as midnight in UTC. `today` is given in the same form. Days are counted in the
 * calendar, since a day may have 23 or 25 hours; the zone turns the day into a moment afterwards.
 */
export function startOf(word: DayWord, today: number): number {
  const date = new Date(today);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  // Monday is 0.
  const weekday = (date.getUTCDay() + 6) % 7;
  switch (word) {
    case 'today':
      return today;
    case 'yesterday':
      return today - dayMs;
    case 'this-week':
      return today - weekday * dayMs;
    case 'last-week':
      return today - (weekday + 7) * dayMs;
    case 'this-month':
      return Date.UTC(year, month, 1);
    case 'last-month':
      return Date.UTC(year, month - 1, 1);
    default:
      return today - ((weekday - weekdays.indexOf(word) + 7) % 7) * dayMs;
  }
}

function meaningOf(word: DayWord): string {
  return weekdays.some((day) => day === word) ? 'the last one, perhaps today' : 'its start';
}

/** The length of `90min` (or `90m`), `26h` or `7d` in milliseconds; undefined for any other text. */
export function spanOf(text: string): number | undefined {
  const [, count, unit = ''] = span.exec(text) ?? [];
  const length = units[unit];
  return length === undefined ? undefined : Number(count) * length;
}

/** A date or a time in the zone of the run, or ISO 8601 with an offset, in Unix milliseconds; undefined for any other text. */
export function momentOf(text: string): When['at'] | undefined {
  const shown = shownBy(iso.exec(text));
  if (shown === undefined) return undefined;
  const { wall, offsetMs } = shown;
  return ({ zoned }) => (offsetMs === undefined ? zoned(wall) : wall - offsetMs);
}

// The service's times are whole seconds.
function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

interface Shown {
  /** What a clock shows, as if it were UTC; Unix milliseconds. */
  readonly wall: number;
  readonly offsetMs: number | undefined;
}

// `Date` would silently turn a day that does not exist, such as 2026-02-30, into another one.
function shownBy(match: RegExpExecArray | null): Shown | undefined {
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const wall = Date.UTC(year, month - 1, day, hour, minute, second, Number((match[7] ?? '').padEnd(3, '0')));
  const date = new Date(wall);
  const real =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  const offset = offsetOf(match[8]);
  return real && offset !== 'wrong' ? { wall, offsetMs: offset } : undefined;
}

function offsetOf(text: string | undefined): number | undefined | 'wrong' {
  if (text === undefined) return undefined;
  if (text.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', ''))];
  if (hours > 23 || minutes > 59) return 'wrong';
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** The range between two typed times. Throws CliError 'usage' if it is empty. */
export function timeRange(
  { since, until }: { readonly since?: When | undefined; readonly until?: When | undefined },
  clockAndZone: ClockAndZone,
): TimeRange {
  const range = { since: since?.at(clockAndZone), until: until?.at(clockAndZone) };
  if (range.since !== undefined && range.until !== undefined && range.since >= range.until) {
    throw new CliError('usage', `--since ${since?.text} is not before --until ${until?.text}`, {
      certain: 'nothing was sent; --since is included, --until is not',
      now: untilHint(since, until),
    });
  }
  return range;
}

// Somebody who says `--since last-month --until last-month` wants all of it.
function untilHint(since: When | undefined, until: When | undefined): readonly string[] {
  const word = until?.text.toLowerCase();
  const period = periodWords.find((known) => known === word);
  if (period === undefined || since?.text.toLowerCase() !== period) return [];
  const of = periods[period];
  return [`for all of it: --since ${period}${'next' in of ? ` --until ${of.next}` : ''}`];
}

/** Says a range in full: `orders created from 20 Nov 2026 00:00:00 UTC-6, before …`. Undefined without --since and --until. */
export function rangeWords(
  what: string,
  { since, until }: TimeRange,
  full: (ms: number) => string,
): string | undefined {
  if (since === undefined && until === undefined) return undefined;
  const from = since === undefined ? '' : ` from ${full(since)}`;
  const comma = since === undefined ? '' : ',';
  return `${what}${from}${until === undefined ? ' until now' : `${comma} before ${full(until)}`}`;
}
