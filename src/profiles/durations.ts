/** Times as people type them: a number and its unit, read as milliseconds. */

import * as v from 'valibot';

const unitMs = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const yearMs = 365 * unitMs.d;

/** `10s`, `15min` (or `15m`), `24h`, `500ms`, `2d` → milliseconds, at most a year. A bare number is refused: its unit is a guess. */
export const duration = v.pipe(
  v.string(),
  v.regex(/^\d{1,8} ?(ms|s|m|min|h|d)$/, 'a number with a unit: 500ms, 10s, 15min, 24h or 2d'),
  v.transform((text) => {
    const unit = text.endsWith('ms') ? 'ms' : (text.replace(/^\d+ ?/, '') as keyof typeof unitMs);
    return Number.parseInt(text, 10) * unitMs[unit];
  }),
  v.maxValue(yearMs, 'at most 365d'),
);

/** `0,2,5,15`: seconds, up to three decimals, in rising order → milliseconds. */
export const moments = v.pipe(
  v.string(),
  v.regex(
    /^\d{1,4}(\.\d{1,3})?(,\d{1,4}(\.\d{1,3})?){0,19}$/,
    'seconds in rising order, separated by commas: 0,2,5,15',
  ),
  v.transform((text) => text.split(',').map((part) => Math.round(Number(part) * 1000))),
  v.check(
    (list) => list.every((ms, index) => ms >= (list[index - 1] ?? 0)),
    'seconds in rising order: 0,2,5,15',
  ),
  v.readonly(),
);
