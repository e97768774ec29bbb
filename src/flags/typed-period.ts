/** Reads a period as people type it: `today`, `last-month`, `2026-11`, `2026-W47`, `2026-11-20`, `SINCE..UNTIL`. Pure. */

import { dayMs, type TimeRange } from '../api/spec.ts';
import type { Context } from '../context/context.ts';
import { mondayOf, weekOf } from '../reports/reports.ts';
import { flag, short, usage } from './flags.ts';
import {
  anyTime,
  type ClockAndZone,
  momentOf,
  monthMeant,
  type PeriodWord,
  parseWhen,
  periods,
  periodWords,
  spanOf,
  startOf,
  timeRange,
  timesMeant,
  type When,
  whenFlag,
} from './typed-time.ts';

/** A period as typed. It becomes a range once clock and zone are known. */
export interface Period {
  readonly text: string;
  readonly range: (clockAndZone: ClockAndZone) => TimeRange;
  /** What to say about the last day of a month or of a week that stands as UNTIL, and so is left out. */
  readonly leavesOut?: string | undefined;
}

/** The flags for a range of time: a period, or its two ends. */
export function timeFlags(
  defaultText: string,
  words = { since: 'from this time on', until: 'before this time; --until today: up to last midnight' },
) {
  return {
    period: { ...periodFlag(defaultText), conflicts: ['since', 'until'] },
    since: whenFlag(`${words.since}: today, last-month, 30d, 2026-11-20, ISO 8601`),
    until: whenFlag(words.until),
  } as const;
}

/** The values that were typed for these flags. */
interface TypedTime {
  readonly period?: Period | undefined;
  readonly since?: When | undefined;
  readonly until?: When | undefined;
}

/** The typed range of time as one period; if none was typed, the usual period. */
export function periodOf(typed: TypedTime, usual: string): Period;
export function periodOf(typed: TypedTime): Period | undefined;
export function periodOf({ period, since, until }: TypedTime, usual?: string): Period | undefined {
  if (period !== undefined) return period;
  if (since !== undefined || until !== undefined)
    return {
      text: `${since?.text ?? ''}..${until?.text ?? ''}`,
      range: (clockAndZone) => timeRange({ since, until }, clockAndZone),
      leavesOut: leftOut(since?.text ?? '', until?.text ?? ''),
    };
  return usual === undefined ? undefined : parsePeriod(usual, '--period');
}

/** The range of a period, and all times without one. Notes the last day of a month that it leaves out. */
export function rangeOf(
  { notes }: Pick<Context, 'notes'>,
  period: Period | undefined,
  clockAndZone: ClockAndZone,
): TimeRange {
  noteLeftOut({ notes }, period);
  return period?.range(clockAndZone) ?? anyTime;
}

/** Notes the last day of a month that a period leaves out. */
export function noteLeftOut({ notes }: Pick<Context, 'notes'>, period: Period | undefined): void {
  if (period?.leavesOut !== undefined) notes.note(period.leavesOut);
}

/** The flags that ask for the same range when they are typed later: a time that counts back from now is written in full. */
export function timeWords(typed: TypedTime, clockAndZone: ClockAndZone): readonly string[] {
  const { since, until } = periodOf(typed)?.range(clockAndZone) ?? {};
  const words = (name: string, when: When | undefined, at: number | undefined): readonly string[] => {
    if (at === undefined) return [];
    const full = new Date(at).toISOString().replace('.000Z', 'Z');
    return [name, when === undefined || when.relative ? full : when.text];
  };
  return [...words('--since', typed.since, since), ...words('--until', typed.until, until)];
}

function periodFlag(defaultText: string) {
  return flag.of<Period>({
    value: 'PERIOD',
    summary: `the time to look at: ${periodWords.join(', ')}, 7d, 2026, 2026-Q4, 2026-11, 2026-W47, 2026-11-20 or SINCE..UNTIL, where UNTIL itself is left out`,
    defaultText,
    parse: parsePeriod,
    offers: async () => periodWords.map((value) => ({ value, text: periods[value].meaning })),
  });
}

/** Reads a period. Throws CliError 'usage' for any other text. */
export function parsePeriod(text: string, name: string): Period {
  const at = text.indexOf('..');
  if (at !== -1) {
    const [from, to] = [text.slice(0, at), text.slice(at + 2)];
    return { text, range: fromTo(from, to, name), leavesOut: leftOut(from, to) };
  }
  const word = periodWords.find((known) => known === text.toLowerCase());
  if (word !== undefined) return { text, range: wordRange(word) };
  // `7d` is the time from then until now.
  if (spanOf(text) !== undefined) return { text, range: fromTo(text, '', name) };
  const days = calendarDays(text);
  if (days !== undefined) return { text, range: ({ zoned }) => between(zoned, days) };
  throw usage(
    `${name} ${short(text)}: not a period such as ${periodWords.join(', ')}, 7d, 2026, 2026-Q4, 2026-11, 2026-W47, 2026-11-20 or 2026-11-01..2026-11-15`,
    [...monthMeant(text, name), ...timesMeant(text, name, periodWords)],
  );
}

// The first day of a period and the first day after it, as midnights in UTC.
interface CalendarDays {
  readonly first: number;
  readonly end: number;
}

function between(zoned: ClockAndZone['zoned'], { first, end }: CalendarDays): TimeRange {
  return { since: zoned(first), until: zoned(end) };
}

function wordRange(word: PeriodWord): Period['range'] {
  return ({ zoned, today }) => {
    const now = Date.parse(today());
    const first = startOf(word, now);
    return between(zoned, { first, end: endOf(word, first, now) });
  };
}

function endOf(word: PeriodWord, first: number, now: number): number {
  const date = new Date(first);
  switch (word) {
    case 'today':
    case 'yesterday':
      return first + dayMs;
    case 'this-week':
    case 'last-week':
      return first + 7 * dayMs;
    case 'this-month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    case 'last-month':
      return startOf('this-month', now);
  }
}

// A year, a quarter, a month, a week or a day that is written with digits.
function calendarDays(text: string): CalendarDays | undefined {
  if (/^[1-9]\d{3}$/.test(text)) return months(text, 1, 12);
  const [, year = '', month, week, quarter] = /^(\d{4})-(?:(\d{2})|W(\d{2})|Q([1-4]))$/i.exec(text) ?? [];
  if (quarter !== undefined) return months(year, 3 * Number(quarter) - 2, 3);
  if (month !== undefined)
    return Number(month) < 1 || Number(month) > 12 ? undefined : months(year, Number(month), 1);
  if (week !== undefined) {
    const monday = mondayOf(Number(year), Number(week));
    return monday === undefined ? undefined : { first: monday, end: monday + 7 * dayMs };
  }
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || momentOf(text) === undefined) return undefined;
  const day = Date.parse(text);
  return { first: day, end: day + dayMs };
}

// So many months from this one on, which is 1 for January.
function months(year: string, first: number, count: number): CalendarDays {
  return {
    first: Date.UTC(Number(year), first - 1, 1),
    end: Date.UTC(Number(year), first - 1 + count, 1),
  };
}

function dayText(midnight: number): string {
  return new Date(midnight).toISOString().slice(0, 10);
}

// Somebody who types the last day of a month or of a week as UNTIL mostly wants it counted.
function leftOut(from: string, to: string): string | undefined {
  const [first, last] = [calendarDays(from)?.first, calendarDays(to)];
  if (last === undefined || last.end - last.first > dayMs) return undefined;
  const unit =
    first === undefined ? undefined : unitsFrom(first).find((one) => calendarDays(one)?.end === last.end);
  if (unit === undefined && new Date(last.end).getUTCDate() !== 1) return undefined;
  const range = `${first === undefined ? from : dayText(first)}..${dayText(last.end)}`;
  const meant = unit === undefined ? range : `${unit}, which is ${range}`;
  return `${from}..${to} ends before ${to}: that day is left out; with it: ${meant}`;
}

// The year, the quarter, the month and the week that begin on this day.
function unitsFrom(first: number): readonly string[] {
  const [year, month] = dayText(first).split('-').map(Number);
  const units = [
    `${year}`,
    `${year}-Q${Math.ceil((month ?? 1) / 3)}`,
    dayText(first).slice(0, 7),
    weekOf(dayText(first)),
  ];
  return units.filter((one) => calendarDays(one)?.first === first);
}

// One side may be missing: then that side is open.
function fromTo(from: string, to: string, name: string): Period['range'] {
  if (from === '' && to === '') throw usage(`${name} ..: say from when, until when, or both`);
  const [first, last] = [calendarDays(from), calendarDays(to)];
  const begin = first === undefined ? from : dayText(first.first);
  // `2026-10..2026-11`: nobody can say whether the second month is meant to be included.
  if (last !== undefined && last.end - last.first > dayMs)
    throw usage(`${name} ${from}..${to}: write the first day, and the day after the last one`, [
      `with all of ${to}: ${begin}..${dayText(last.end)}`,
      ...(first !== undefined && first.first >= last.first
        ? []
        : [`without it: ${begin}..${dayText(last.first)}`]),
    ]);
  const since = from === '' ? undefined : parseWhen(begin, name);
  const until = to === '' ? undefined : parseWhen(to, name);
  return (clockAndZone) => {
    const range = { since: since?.at(clockAndZone), until: until?.at(clockAndZone) };
    if (range.since === undefined || range.until === undefined || range.since < range.until) return range;
    throw usage(`${name} ${from}..${to}: ${from} is not before ${to}`, [
      'the second time is left out: type the day after the last one',
    ]);
  };
}
