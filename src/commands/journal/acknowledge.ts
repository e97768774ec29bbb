/** `journal acknowledge`: a person has dealt with an alarm, such as a duplicate, and it is not raised again. */

import { about, CliError, exitCodes } from '../../errors.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import { type Context, defineCommand, dryRunShown } from '../command.ts';
import { flag, usage } from '../flags.ts';
import { alarmWordsOf, attemptOf, intentArgument, needsPerson, subjectOf } from './attempts.ts';
import { checkShown, showAttempt } from './show.ts';

export const acknowledge = defineCommand({
  description:
    'Ends the alarm of a change, for example DUPLICATE?, once somebody has dealt with it. Reads the order first and shows every refund that it lists. Who acknowledged it, when and why stays in the journal; nothing is sent, and no order is unblocked. After that journal reconcile --all exits 0 again. If the order then shows one refund more, the alarm comes back. An unconfirmed change has no alarm to end: settle it.',
  arguments: [intentArgument(true)],
  flags: { note: flag.text({ value: 'TEXT', summary: 'what was done about it' }) },
  examples: [
    'paydesk journal acknowledge i_7f3k2m9q --note "the shop keeps it as a voucher, ticket 8851"',
    'paydesk journal acknowledge ticket-8840 --note "bank recalled the second one" --json --no-input',
  ],
  exits: [0, 2, 3, 4, 5, 7],
  async run(ctx, { args: [id], flags: { note } }) {
    if (note === undefined && !ctx.ask.interactive) throw usage('missing --note: say what was done about it');
    const record = await attemptOf(ctx, id);
    return about(subjectOf(record), () => acknowledgeAlarm(ctx, record, note));
  },
});

async function acknowledgeAlarm(
  ctx: Context,
  record: AttemptRecord,
  given: string | undefined,
): Promise<number | undefined> {
  const { intent } = record.sent;
  const would = `would read the order again and end the alarm of ${intent}: ${alarmWordsOf(record) ?? 'it has none'}`;
  if (await dryRunShown(ctx, { action: 'acknowledge', intent }, would)) return undefined;
  checkShown(ctx, record);
  await refuseUnlessAlarmed(ctx, record);
  const message = `What was done about it? (${alarmWordsOf(record) ?? ''})`;
  const note = given ?? (await ctx.ask.text({ message, flag: '--note TEXT' }));
  const { record: after, added } = await ctx.journal.acknowledge(record, note);
  if (added === undefined) ctx.notes.warn(`${intent}: nothing to acknowledge any more`);
  await showAttempt(ctx, after);
  return needsPerson(ctx, after, await ctx.journal.now()) ? exitCodes.unknown : 0;
}

async function refuseUnlessAlarmed(ctx: Context, record: AttemptRecord): Promise<void> {
  const { intent } = record.sent;
  const last = record.verdicts.at(-1);
  const certain = 'nothing was recorded';
  if (ctx.journal.isOpen(record, await ctx.journal.now()))
    throw new CliError(
      'refused',
      `${intent} is still unconfirmed: settle it, there is no alarm to acknowledge`,
      {
        certain,
        now: [
          `paydesk journal reconcile ${intent}`,
          'when you know whether it was made:',
          `paydesk journal settle ${intent} --applied --note TEXT`,
        ],
      },
    );
  if (last?.alarm !== undefined) return;
  const words = last?.acknowledged === undefined ? 'has no alarm' : 'is acknowledged already';
  throw new CliError('refused', `${intent} ${words}`, { certain, now: [`paydesk journal show ${intent}`] });
}
