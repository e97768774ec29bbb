/** What screens say while the server of the team's journal cannot be used. Pure. */

import type { Context } from '../commands/command.ts';

/** As of when this machine has what the team recorded: `what the team recorded is as of 05:05:12`. */
export function awayWords(
  ctx: Pick<Context, 'shortTime'>,
  { asOf }: { readonly asOf: number | undefined },
): string {
  return asOf === undefined
    ? 'this machine has no copy of what the team recorded'
    : `what the team recorded is as of ${ctx.shortTime(asOf)}`;
}
