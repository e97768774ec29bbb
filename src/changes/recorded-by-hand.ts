/** What somebody recorded by hand about earlier changes of an order: said before the next change of it, also with --quiet. */

import type { OpenService } from '../api/api.ts';
import type { Context } from '../commands/command.ts';
import { CliError } from '../errors.ts';
import type { AttemptRecord } from '../journal/journal.ts';
import { changeOf } from './change-words.ts';

/** One line for each such change, oldest first: who recorded it, when, how they knew, and what follows if they were wrong. */
export async function byHandLines(
  ctx: Context,
  service: OpenService,
  orderId: string,
): Promise<readonly string[]> {
  try {
    const records = await ctx.journal.recordedByHand(service, orderId);
    return records.map((record) => lineOf(ctx, record));
  } catch (error) {
    // If the journal cannot be read now, the change itself is refused and says so.
    if (error instanceof CliError) return [];
    throw error;
  }
}

function lineOf(ctx: Context, record: AttemptRecord): string {
  const { sent, verdicts } = record;
  const last = verdicts.findLast(({ by, acknowledged }) => by === 'person' && acknowledged === undefined);
  const made = last?.verdict === 'applied';
  const note = last?.note === undefined ? '' : ` (${last.note})`;
  const corrected = last?.corrects === true ? ', correcting an earlier record' : '';
  const risk =
    made || sent.proof.kind !== 'refund' ? '' : '. If it was made after all, this pays the buyer twice';
  return `settled by hand: ${last?.operator ?? 'somebody'} recorded on ${ctx.fullTime(last?.time ?? sent.time)} that the ${changeOf(record, ctx.profiles.amountStyle(sent.profile))} of ${ctx.fullTime(sent.time)}, sent by ${sent.operator}, was ${made ? 'made' : 'NOT made'}${note}${corrected}${risk}`;
}
