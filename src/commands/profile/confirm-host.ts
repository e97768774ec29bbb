/** A host whose name is not what it looks like: shown in both forms, and used only on somebody's word. */

import { usage } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { Context } from '../../ports.ts';

/**
 * Asks about a host with letters beyond ASCII, which may only look like those of another host; a script says
 * `--confirm HOST`. Throws CliError 'refused' when it does not, 'cancelled' for a No, 'usage' for the name of another host.
 */
export async function confirmHost(
  ctx: Context,
  baseUrl: string,
  confirmed: string | undefined,
): Promise<void> {
  const host = ctx.profiles.hostOf(baseUrl);
  // What is wrong with a base URL is said by whoever stores it.
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
