/** Shows times as people read them in one time zone. The service sends Unix seconds (service: What the service does). */

import { isTime } from '../api/spec.ts';
import { orUndefined } from '../errors.ts';
import type { TimeSpan } from './terminal.ts';

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Unix seconds, read in one time zone. */
export type Times = ReturnType<typeof createTimes>;

/** Times in a zone (an IANA name; undefined: the zone of the process). `now`, in Unix milliseconds, tells which year need not be shown. */
export function createTimes(zone: string | undefined, now: () => number) {
  // The formatter is slow to make, and many runs show no time. So it is made with the first time.
  let formatter: Intl.DateTimeFormat | undefined;
  const at = (seconds: number): Parts => {
    if (zone === undefined) return partsOfDate(new Date(seconds * 1000), seconds);
    formatter ??= formatterOf(zone);
    return partsInZone(formatter, seconds);
  };
  // Offsets are kept for each quarter of an hour, because no zone changes its clocks in between. Working out the offset again for
  // each of thousands of records would be slow.
  const offsets = new Map<number, number>();
  const minutesAt = (seconds: number): number => {
    const quarter = Math.floor(seconds / 900);
    const minutes = offsets.get(quarter) ?? at(seconds).minutes;
    offsets.set(quarter, minutes);
    return minutes;
  };
  const dates = new Map<number, string>();
  const dateOf = (day: number): string => {
    const date = dates.get(day) ?? new Date(day * 86_400_000).toISOString().slice(0, 10);
    dates.set(day, date);
    return date;
  };
  const thisSecond = (): number => Math.floor(now() / 1000);
  return {
    valid: isTime,
    now: thisSecond,
    /** In the form for machines: `2026-11-20T18:42:51-06:00`. */
    iso(seconds: number) {
      if (!isDate(seconds)) return String(seconds);
      const minutes = minutesAt(seconds);
      const size = Math.abs(minutes);
      const offset = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'));
      const shown = new Date((seconds + minutes * 60) * 1000).toISOString().slice(0, 19);
      return `${shown}${minutes < 0 ? '-' : '+'}${offset.join(':')}`;
    },
    /**
     * As a spreadsheet in any language reads it: `2026-11-20 18:42:51`. When clocks show an hour twice, the second one has its
     * offset and so becomes a text: no two times look alike.
     */
    forSheet(seconds: number) {
      const text = this.iso(seconds).replace('T', ' ');
      const shown = text.slice(0, 19);
      const isFirst =
        this.moment(Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`)) === seconds * 1000;
      return isFirst ? shown : text;
    },
    /**
     * The moment when clocks in this zone show a date and time (`shown` is its `Date.UTC`), in Unix milliseconds. If they show
     * it twice, the first moment counts. If they were put forward past it, the moment when they would have shown it counts.
     */
    moment: (shown: number) => momentOf(shown, (ms) => at(Math.floor(ms / 1000)).minutes * 60_000),
    /** The day of a time, `2026-11-20`; undefined if it is not a time. */
    day: (seconds: unknown) =>
      isTime(seconds) ? dateOf(Math.floor((seconds + minutesAt(seconds) * 60) / 86_400)) : undefined,
    /** The days between two times: `3 Nov to 20 Nov 2026 (UTC-6)`. */
    days(first: number, last: number) {
      if (![first, last].every((seconds) => isTime(Math.floor(seconds)))) return notSeconds;
      const [from, to] = [at(first), at(last)];
      const day = ({ day: number, month }: Parts): string => `${number} ${months[month - 1]}`;
      const year = from.year === to.year ? '' : ` ${from.year}`;
      const start = from.year === to.year && day(from) === day(to) ? '' : `${day(from)}${year} to `;
      return `${start}${day(to)} ${to.year} (UTC${to.minutes === 0 ? '' : signed(to.minutes, false)})`;
    },
    /** The offset at a time, as a heading shows it: `-06`, `+05:30`, `UTC`. */
    offset: (seconds: number) => {
      const { minutes } = at(isDate(seconds) ? seconds : thisSecond());
      return minutes === 0 ? 'UTC' : signed(minutes, true);
    },
    show(seconds: number, precision: TimeSpan['precision']) {
      // A number that is not on a day that JavaScript knows is shown as it is, so that the rest of the screen can be read.
      if (!isDate(seconds)) return String(seconds);
      const time = at(seconds);
      const clock = `${time.hour}:${time.minute}`;
      if (precision === 'clock') return `${clock}:${time.second}`;
      if (precision === 'minute') return clock;
      const day = `${time.day} ${months[time.month - 1]}`;
      const zone = `UTC${time.minutes === 0 ? '' : signed(time.minutes, false)}`;
      if (precision === 'full') return `${day} ${time.year} ${clock}:${time.second} ${zone}`;
      const isThisYear = time.year === at(thisSecond()).year;
      if (precision === 'date') return isThisYear ? day : `${day} ${time.year}`;
      const short = isThisYear ? `${day} ${clock}` : `${day} ${time.year} ${clock}`;
      if (precision === 'second') return `${short}:${time.second}`;
      return precision === 'zoned' ? `${short} ${zone}` : short;
    },
    /** `05:05:12` today, `05:05:12 on 20 Nov` on another day, with the year if it is another year. */
    short(seconds: number) {
      if (!isDate(seconds)) return String(seconds);
      const clock = this.show(seconds, 'clock');
      return this.sameDay(seconds, thisSecond()) ? clock : `${clock} on ${this.show(seconds, 'date')}`;
    },
    /** Whether two times are on the same day in this zone. */
    sameDay(seconds: number, other: unknown) {
      if (!isTime(other)) return false;
      const [one, two] = [at(seconds), at(other)];
      return one.day === two.day && one.month === two.month && one.year === two.year;
    },
  };
}

/** A time for machines: ISO 8601 in UTC. A number that cannot be shown as a time stays a number. */
export function isoTime(seconds: number): string {
  if (!isDate(seconds)) return String(seconds);
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

// A service that sends milliseconds, for example, does not mean a day in the year 58,000.
const notSeconds = 'times that are not in Unix seconds';

// Whether it is on a day that JavaScript knows. A row of a team's journal may name any number.
function isDate(seconds: number): boolean {
  return Math.abs(seconds) <= 8_640_000_000_000;
}

/** Whether this machine knows a zone of this name. */
export function knowsZone(zone: string): boolean {
  return orUndefined(() => new Intl.DateTimeFormat('en-US', { timeZone: zone })) !== undefined;
}

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: string;
  readonly minute: string;
  readonly second: string;
  /** Offset from UTC. */
  readonly minutes: number;
}

// If clocks change at about this time, one day before they have the old offset, and one day after the new one.
function momentOf(shown: number, offsetAt: (ms: number) => number): number {
  const day = 86_400_000;
  const [before, after] = [offsetAt(shown - day), offsetAt(shown + day)];
  const fitting = [shown - before, shown - after].filter((ms) => ms + offsetAt(ms) === shown);
  // Clocks that were put forward never showed this time. It counts as the moment at which clocks that were not put forward would show it.
  return fitting.length === 0 ? shown - before : Math.min(...fitting);
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const inZone = (timeZone: string) =>
    new Intl.DateTimeFormat('en-US', {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      calendar: 'gregory',
      timeZone,
    });
  // In a zone that this machine does not know, times are shown in UTC, and marked as UTC.
  return orUndefined(() => inZone(zone)) ?? inZone('UTC');
}

// The parts of a time in the zone of the process. A formatter would give the same, but takes 10 ms to make.
function partsOfDate(date: Date, seconds: number): Parts {
  const days = [date.getFullYear(), date.getMonth() + 1, date.getDate()] as const;
  return partsOf([...days, date.getHours(), date.getMinutes(), date.getSeconds()], seconds);
}

type ShownNumbers = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
];

// The parts of a time at which clocks show these numbers.
function partsOf([year, month, day, hour, minute, second]: ShownNumbers, seconds: number): Parts {
  const two = (value: number): string => String(value).padStart(2, '0');
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  const minutes = Math.round((asUtc / 1000 - seconds) / 60);
  return { year, month, day, hour: two(hour), minute: two(minute), second: two(second), minutes };
}

function partsInZone(formatter: Intl.DateTimeFormat, seconds: number): Parts {
  const parts = new Map(formatter.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
  const number = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
  const days = [number('year'), number('month'), number('day')] as const;
  return partsOf([...days, number('hour'), number('minute'), number('second')], seconds);
}

// An offset: -06 in a heading (`padded`), -6 in a sentence. Minutes are shown only if there are any.
function signed(minutes: number, padded: boolean): string {
  const size = Math.abs(minutes);
  const hours = String(Math.floor(size / 60)).padStart(padded ? 2 : 1, '0');
  const rest = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  return `${minutes < 0 ? '-' : '+'}${hours}${rest}`;
}
