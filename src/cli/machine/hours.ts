/** The hours at which a policy allows changes: days of the week, from a time of day to another one, in one zone. Pure. */

import { knowsZone } from '../../terminal/terminal.ts';

/** Such hours. Times are minutes of the day; `until` is not part of them. */
export interface Hours {
  /** 0 is Monday. */
  readonly days: readonly number[];
  readonly from: number;
  readonly until: number;
  readonly zone: string;
}

const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const form = /^([A-Za-z,-]+) (\d\d):(\d\d)-(\d\d):(\d\d) (\S+)$/;

/** Reads `Mon-Fri,Sun 08:00-20:00 America/Mexico_City`; undefined if it is nothing like that. */
export function readHours(text: string): Hours | undefined {
  const [, daysText = '', h1, m1, h2, m2, zone = ''] = form.exec(text) ?? [];
  const days = daysText.split(',').map(daysIn);
  const [from, until] = [minutes(h1, m1), minutes(h2, m2)];
  if (days.some((some) => some.length === 0) || from >= until || until > 24 * 60 || !knowsZone(zone))
    return undefined;
  return { days: days.flat(), from, until, zone };
}

// `Fri-Mon` goes over the end of the week.
function daysIn(text: string): readonly number[] {
  const [first = '', last = first, ...more] = text.split('-');
  const [from, until] = [names.indexOf(first), names.indexOf(last)];
  if (from < 0 || until < 0 || more.length > 0) return [];
  const count = ((until - from + 7) % 7) + 1;
  return Array.from({ length: count }, (_, at) => (from + at) % 7);
}

function minutes(hour: string | undefined, minute: string | undefined): number {
  return Number(minute) > 59 ? Number.NaN : Number(hour) * 60 + Number(minute);
}

/** Whether a moment (Unix milliseconds) is in such hours. */
export function isWithin({ days, from, until, zone }: Hours, ms: number): boolean {
  const shown = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes) => shown.find((one) => one.type === type)?.value;
  const at = minutes(part('hour'), part('minute'));
  return days.includes(names.indexOf(part('weekday') ?? '')) && at >= from && at < until;
}
