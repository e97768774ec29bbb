/** `--expires`: a moment as typed, sent as Unix seconds within 32 bits (service: Limits 2). Pure. */

import { lastExpiry, tooLateWords } from '../../api/spec.ts';
import { flag, usage } from '../../command.ts';

/** A moment as it was typed; a span such as 7d counts from when it is asked for. */
export interface Expiry {
  readonly text: string;
  /** Unix seconds, given the wall clock in Unix milliseconds. Throws CliError 'usage' beyond 32 bits. */
  readonly at: (now: number) => number;
}

/** The flag that says when a checkout ends. */
export const expiresFlag = flag.of<Expiry>({
  value: 'WHEN',
  summary: 'when it expires: 7d, 12h, 2026-12-31, 2026-12-31T20:00:00Z or Unix seconds',
  parse: parseExpiry,
});

const spans: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };
const isoPattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?$/;

/** Reads a moment as typed. Throws CliError 'usage'. */
export function parseExpiry(text: string, name: string): Expiry {
  const [, count, unit = ''] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text) ?? [];
  const span = spans[unit];
  if (count !== undefined && span !== undefined) {
    return {
      text,
      at: (now) => within32Bits(Math.floor(now / 1000) + Number(count) * span, text, name),
    };
  }
  const seconds = within32Bits(secondsOf(text, name), text, name);
  return { text, at: () => seconds };
}

function secondsOf(text: string, name: string): number {
  if (/^[1-9][0-9]{0,15}$/.test(text)) return Number(text);
  // A date without a time is the start of that day in UTC. A 31 June is no date, whatever Date.parse makes of it.
  const time = isoPattern.test(text) && isCalendarDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return Math.floor(time / 1000);
  throw usage(
    `${name} ${text}: not a time such as 7d, 12h, 2026-12-31, 2026-12-31T20:00:00Z or Unix seconds`,
  );
}

function isCalendarDay(day: string): boolean {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

function within32Bits(seconds: number, text: string, name: string): number {
  if (seconds >= 1 && seconds <= lastExpiry) return seconds;
  const why = seconds < 1 ? 'before 1970' : tooLateWords(seconds);
  throw usage(`${name} ${text}: ${why}`);
}
