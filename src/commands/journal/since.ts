/** A point in time as typed: `30d`, `12h`, a date, or ISO 8601. */

import { flag } from '../../command.ts';
import { CliError } from '../../errors.ts';

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Text → Unix milliseconds, given the time it is. */
export type When = (now: number) => number;

/** A flag that takes a point in time. */
export function whenFlag(summary: string) {
  return flag.of<When>({ value: 'WHEN', summary, parse: parseWhen });
}

function parseWhen(text: string, name: string): When {
  const [, count, unit = ''] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text) ?? [];
  const span = units[unit];
  if (count !== undefined && span !== undefined) return (now) => now - Number(count) * span;
  // A date without a time is the start of that day in UTC.
  const shaped = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const time = shaped ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return () => time;
  throw new CliError(
    'usage',
    `${name} ${text}: not a time such as 30d, 12h, 2026-11-20 or 2026-11-20T09:00:00Z`,
    {
      certain: 'nothing was sent',
    },
  );
}
