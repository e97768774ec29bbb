/** The times of a report: its period and its zone in words, and the times that it is compared with. Pure. */

import { dayMs, type TimeRange } from '../../api/spec.ts';
import type { Context, Days } from '../../context/context.ts';
import { daysFrom } from '../../reports/reports.ts';
import type { Source } from './report-source.ts';

/** What a report is about: its period, and its currency if it has only one. Empty if it is about everything. */
export function aboutWords(ctx: Pick<Context, 'clock'>, source: Source): string {
  const { currency } = source;
  return [spanWords(ctx, source), currency === undefined ? undefined : `only ${currency}`]
    .filter((words) => words !== undefined)
    .join(', ');
}

/**
 * The period in words, as far as it has passed: `1 Nov to 21 Nov 2026 (UTC-6), so far`. With its hours if it does not begin and
 * end at midnight. Undefined for a period without a beginning and an end.
 */
function spanWords(
  { clock }: Pick<Context, 'clock'>,
  { days, range, reachesTo, zone }: Source,
): string | undefined {
  const { since, until } = range;
  if (since === undefined && until === undefined) return undefined;
  if (since === undefined) return `until ${days.full(until ?? reachesTo)}`;
  const now = Math.max(reachesTo, clock.now());
  const last = Math.min(until ?? reachesTo, now);
  const soFar = until !== undefined && until > now ? ', so far' : '';
  if (![since, until].every((at) => at === undefined || isMidnight(days, at)))
    return `${days.full(since)} to ${days.full(last)}${soFar}`;
  const lastSecond = Math.max(Math.ceil(last / 1000) - 1, Math.ceil(since / 1000));
  const firstSecond = Math.ceil(since / 1000);
  const words = days.between(firstSecond, lastSecond);
  // No single offset is right for a period in which the clocks change, so the zone is shown by name.
  const hasOne = days.offset(firstSecond) === days.offset(lastSecond);
  return `${hasOne ? words : words.replace(/\(.*\)/, `(${zone})`)}${soFar}`;
}

// Some zones begin a day of the year at 1 o'clock, so this does not look at the clock.
function isMidnight(days: Days, ms: number): boolean {
  const second = Math.ceil(ms / 1000);
  return days.day(second - 1) !== days.day(second);
}

/** The first and the last day of the period as far as it has passed; undefined if it has no beginning. */
export function endsOf({
  range: { since, until },
  reachesTo,
  days,
}: Pick<Source, 'range' | 'reachesTo' | 'days'>): [first: string, last: string] | undefined {
  if (since === undefined) return undefined;
  const end = Math.max(since + 1000, Math.min(until ?? reachesTo, reachesTo));
  const [first, last] = [days.day(Math.ceil(since / 1000)), days.day(Math.ceil(end / 1000) - 1)];
  return first === undefined || last === undefined ? undefined : [first, last];
}

/** A time that a report is compared with. */
interface TimeBefore {
  readonly words: string;
  readonly span: TimeRange;
}

/**
 * The period before this one. If this one is not over, the first entry is the same part of the period before: `1 Oct to 21 Oct`,
 * until the same time of day. Months are compared with months, and days with as many days. None for a period without a beginning,
 * or if what was read does not reach back that far.
 */
export function timesBefore({
  days,
  range: { since, until },
  reachesTo,
  reachesBackTo = 0,
}: Pick<Source, 'days' | 'range' | 'reachesTo' | 'reachesBackTo'>): readonly TimeBefore[] {
  if (since === undefined) return [];
  const end = until ?? reachesTo;
  const isOfDays = isMidnight(days, since) && isMidnight(days, end);
  const first = shownAt(days, since);
  const start = isOfDays ? days.moment(dayBefore(first, shownAt(days, end))) : since - (end - since);
  if (start < reachesBackTo) return [];
  // The zone is already shown next to the period.
  const between = (to: number): string =>
    days.between(Math.ceil(start / 1000), Math.ceil(to / 1000) - 1).replace(/ \(.*$/, '');
  const whole = { words: between(since), span: { since: start, until: since } };
  if (reachesTo >= end || !isOfDays) return [whole];
  const sameTime = days.moment(shownAt(days, start) + shownAt(days, reachesTo) - first);
  if (sameTime >= since) return [whole];
  const isFirstDay = days.day(Math.ceil(since / 1000)) === days.day(Math.floor(reachesTo / 1000));
  const same = isFirstDay ? 'until the same time of day' : 'the same days';
  return [{ words: `${between(sameTime)}, ${same}`, span: { since: start, until: sameTime } }, whole];
}

// The time that clocks in the zone show, written as if it were UTC, in Unix milliseconds.
function shownAt(days: Days, ms: number): number {
  const midnight = Date.parse(days.day(Math.floor(ms / 1000)) ?? '');
  return midnight + (ms - days.moment(midnight));
}

// The day on which the period before begins.
function dayBefore(first: number, end: number): number {
  const [from, to] = [new Date(first), new Date(end)];
  if (from.getUTCDate() !== 1 || to.getUTCDate() !== 1) return first - (end - first);
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  return Date.UTC(from.getUTCFullYear(), from.getUTCMonth() - months, 1);
}

// In a period of years, clocks change more often than anybody wants to read.
const mostDays = 400;

/** The zone by its name, and how far its clocks are from UTC in the period: `Europe/Madrid, UTC+2 until 25 Oct, then UTC+1`. */
export function zoneWords({
  days,
  zone,
  range,
  reachesTo,
}: Pick<Source, 'days' | 'zone' | 'range' | 'reachesTo'>): string {
  const last =
    Math.ceil(Math.min(range.until ?? reachesTo, Math.max(reachesTo, range.since ?? 0)) / 1000) - 1;
  const first = Math.min(Math.ceil((range.since ?? reachesTo) / 1000), last);
  const offset = (seconds: number): string => days.full(seconds * 1000).replace(/^.* /, '');
  const all = daysFrom(days.day(first) ?? '', days.day(last) ?? '');
  const changes = (all.length > mostDays ? [] : all).flatMap((day) => {
    const [begin, end] = [0, dayMs].map((ms) => Math.floor(days.moment(Date.parse(day) + ms) / 1000));
    const [from, to] = [offset(Math.max(begin ?? first, first)), offset(Math.min(end ?? last, last))];
    return from === to ? [] : [`${from} until ${days.show(begin, 'date')}`];
  });
  const now = offset(last);
  if (zone === now && changes.length === 0) return zone;
  return [zone, ...changes, changes.length === 0 ? now : `then ${now}`].join(', ');
}
