/** Asks before a key goes to a host with letters beyond ASCII: its name may only look like that of another host. */

import { CliError } from '../../errors.ts';
import type { Context } from '../command.ts';
import { usage } from '../command.ts';

/**
 * Shows such a host in both forms and asks. A script says `--confirm HOST` instead. Throws CliError 'refused' when it does
 * not, 'cancelled' for a No, 'usage' when it confirms another host.
 */
export async function confirmHost(
  ctx: Context,
  baseUrl: string,
  confirmed: string | undefined,
): Promise<void> {
  const host = ctx.profiles.hostOf(baseUrl);
  // A base URL that is wrong is refused when the profile is stored.
  if (host === undefined) return;
  if (confirmed !== undefined && confirmed !== host.ascii)
    throw usage(`--confirm ${confirmed}: the host of the base URL is ${host.ascii}`);
  if (host.unicode === undefined || confirmed !== undefined) return;
  const both = `${host.ascii} reads ${host.unicode}`;
  if (!ctx.ask.interactive) {
    throw new CliError('refused', `the host ${both}: its letters may only look like those of another`, {
      certain: 'nothing was kept and nothing was sent',
      now: [`if it is the host that you mean, add --confirm ${host.ascii}`],
    });
  }
  ctx.notes.warn(`the host ${both}: its letters may only look like those of another`);
  const meant = await ctx.ask.confirm({ message: `send the key to ${host.ascii}?`, flag: '--confirm' });
  if (!meant) throw new CliError('cancelled', 'nothing was kept and nothing was sent');
}
