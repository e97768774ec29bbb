/** An early look at the journal: an order with an open outcome is refused before a person is shown and asked anything. */

import type { Service } from '../api/api.ts';
import type { AttemptRecord } from '../journal/journal.ts';
import type { Context } from './command.ts';
import { changeOf } from './journal/words.ts';

/**
 * Throws CliError 'refused' for such an order, read again first; what that closed is told and returned. What decides is
 * the look under the lock, later.
 */
export async function checkNotOpen(
  ctx: Context,
  service: Pick<Service, 'profile' | 'keyFingerprint'>,
  orderId: string,
  again: readonly string[],
): Promise<readonly AttemptRecord[]> {
  if (ctx.options.dryRun) return [];
  const closed = await ctx.journal.refuseOpen({ service, orderId, again });
  for (const record of closed) {
    const { intent } = record.sent;
    ctx.notes.note(`outcome of ${intent}, ${changeOf(record)}: paydesk journal show ${intent}`);
  }
  return closed;
}
