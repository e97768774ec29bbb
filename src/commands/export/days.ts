/** The zone whose days an export counts: of the run, named by a flag, or of a file that it goes on with. */

import type { Context, Days } from '../command.ts';
import { usage } from '../command.ts';

/** Days in the zone of `--tz`, or of the run. Throws CliError 'usage' for what is no zone here. */
export function daysOfFlag(ctx: Context, zone: string | undefined): Days {
  return zone === undefined ? ctx.days : daysIn(ctx, '--tz', zone);
}

/** Days in the zone that a file's query says. Throws CliError 'usage' for what is no zone here. */
export function daysOfFile(ctx: Context, zone: unknown): Days {
  return daysIn(ctx, 'the file counts days in', String(zone));
}

function daysIn(ctx: Context, whose: string, zone: string): Days {
  const days = ctx.daysIn(zone);
  if (days !== undefined) return days;
  throw usage(`${whose} ${zone}: no time zone of this machine; a name such as America/Mexico_City or UTC`);
}
