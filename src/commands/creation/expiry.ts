/** `--expires`: a moment as typed, sent as Unix seconds within 32 bits (service: Limits 2). Pure. */

import { lastExpiry, tooLateWords } from '../../api/spec.ts';
import { flag, usage } from '../command.ts';
import { momentOf, type Reckoning, spanOf } from '../typed-time.ts';

/** A moment as it was typed; a span such as 7d counts from when it is asked for, a date is in the zone of the run. */
export interface Expiry {
  readonly text: string;
  /** Unix seconds. Throws CliError 'usage' beyond 32 bits. */
  readonly at: (reckoning: Reckoning) => number;
}

/** The flag that says when a checkout ends. */
export const expiresFlag = flag.of<Expiry>({
  value: 'WHEN',
  summary: 'when it expires: 7d, 12h, 2026-12-31, 2026-12-31T20:00:00Z or Unix seconds',
  parse: parseExpiry,
});

const dayMs = 86_400_000;

/** Reads a moment as typed. Throws CliError 'usage'. */
export function parseExpiry(text: string, name: string): Expiry {
  const ms = momentMs(text);
  if (ms === undefined) {
    throw usage(
      `${name} ${text}: not a time such as 7d, 12h, 2026-12-31, 2026-12-31T20:00:00Z or Unix seconds`,
    );
  }
  const at = (reckoning: Reckoning) => within32Bits(Math.floor(ms(reckoning) / 1000), text, name);
  // What is too late in every zone is said while it is typed.
  at({ now: 0, zoned: (shown) => shown - dayMs });
  return { text, at };
}

function momentMs(text: string): Expiry['at'] | undefined {
  const ahead = spanOf(text);
  if (ahead !== undefined) return ({ now }) => now + ahead;
  if (/^[1-9][0-9]{0,15}$/.test(text)) return () => Number(text) * 1000;
  return momentOf(text);
}

function within32Bits(seconds: number, text: string, name: string): number {
  if (seconds >= 1 && seconds <= lastExpiry) return seconds;
  const why = seconds < 1 ? 'before 1970' : tooLateWords(seconds);
  throw usage(`${name} ${text}: ${why}`);
}

/** Throws CliError 'usage' for what nobody could pay any more. `now` is Unix milliseconds. */
export function refusePast(expiry: number | undefined, now: number): void {
  if (expiry === undefined || expiry * 1000 > now) return;
  throw usage(`it would expire in the past, at ${expiry}: nobody could pay it`);
}
