/** `journal settle`: a person states what became of a change that paydesk cannot confirm. */

import { changeOf } from '../../changes/changes.ts';
import { CliError, exitCodes } from '../../errors.ts';
import type { AttemptRecord, Evidence } from '../../journal/journal.ts';
import { type Context, defineCommand, dryRunShown } from '../command.ts';
import { flag, usage } from '../flags.ts';
import { amountStyleOf, attemptOf, intentArgument, needsPerson } from './attempts.ts';
import { checkShown, showAttempt } from './show.ts';

export const settle = defineCommand({
  description:
    'Reads the order first and shows what it found; where that does not tell, your word is written down with your name. --not-applied allows a new attempt: be certain, for paydesk cannot be.',
  arguments: [intentArgument(true)],
  flags: {
    applied: flag.switch({ summary: 'it was made', conflicts: ['not-applied'] }),
    'not-applied': flag.switch({ summary: 'it was not made, and will not be', conflicts: ['applied'] }),
    note: flag.text({ value: 'TEXT', summary: 'how you know' }),
    confirm: flag.text({
      value: 'ID',
      summary: 'the order id (the intent, where there is no order): says yes',
    }),
  },
  examples: [
    'paydesk journal settle i_7f3k2m9q --applied --note "seen in the bank file"',
    'paydesk journal settle i_7f3k2m9q --not-applied --note "asked the service" --confirm ord_2tQ7zRk9PwE5xNvAm',
  ],
  exits: [0, 2, 3, 4, 5, 7],
  async run(ctx, { args: [intent], flags }) {
    if ((flags.applied === true) === (flags['not-applied'] === true))
      throw usage('say --applied or --not-applied');
    if (flags.note === undefined && !ctx.ask.interactive) throw usage('missing --note: say how you know');
    const record = await attemptOf(ctx, intent);
    const applied = flags.applied === true;
    // A dry run does not read the order, because paydesk writes down what such a read proves.
    const would = `would read what became of ${intent}, ${changeOf(record, amountStyleOf(ctx, record))}, and where that does not tell, write down that it was ${statedWords(applied)}`;
    if (await dryRunShown(ctx, { action: 'settle', intent, applied }, would)) return undefined;
    checkShown(ctx, record);
    if (record.verdicts.at(-1)?.verdict === 'applied') refuseContradiction(record, applied);
    const note = flags.note ?? (await ctx.ask.text({ message: 'How do you know?', flag: '--note TEXT' }));
    const statement = { applied, note };
    const confirm = (evidence: Evidence) =>
      confirmStatement(ctx, { record, evidence, given: flags.confirm, ...statement });
    const { record: after, added } = await ctx.journal.settle(record, statement, confirm);
    if (added === undefined) {
      refuseContradiction(after, applied);
      ctx.notes.warn(`${intent} does not need to be settled: nothing was written down`);
    } else if (added.by !== 'person') ctx.notes.warn('the read tells, so your word was not needed');
    await showAttempt(ctx, after);
    return needsPerson(ctx, after, await ctx.journal.now()) ? exitCodes.unknown : 0;
  },
});

// Refuses a statement that contradicts an outcome that is already settled.
function refuseContradiction({ sent, verdicts }: AttemptRecord, applied: boolean): void {
  if ((verdicts.at(-1)?.verdict === 'applied') === applied) return;
  throw new CliError('refused', `${sent.intent} is settled as ${applied ? 'not made' : 'made'}`, {
    certain: 'nothing was written down',
    now: [`paydesk journal show ${sent.intent}`],
  });
}

function statedWords(applied: boolean): string {
  return applied ? 'made' : 'not made, and will not be';
}

interface Statement {
  readonly record: AttemptRecord;
  readonly evidence: Evidence;
  readonly given: string | undefined;
  readonly applied: boolean;
}

async function confirmStatement(
  ctx: Context,
  { record, evidence, given, applied }: Statement,
): Promise<void> {
  const { sent } = record;
  const id = sent.proof.orderId ?? sent.intent;
  const minutes = Math.floor((ctx.clock.now() - sent.time) / 60_000);
  const shown =
    evidence.shows === 'unreadable'
      ? `no read can show it: ${evidence.problem}`
      : 'the order does not show it';
  ctx.notes.show([
    {
      line: `${changeOf(record, amountStyleOf(ctx, record))}, sent ${minutes} min ago by ${sent.operator}; ${shown}`,
    },
    { line: `you state: it was ${statedWords(applied)}` },
    { line: id },
  ]);
  const message = `Type ${sent.proof.orderId === undefined ? 'the intent' : 'the order id'} to write it down, or press Enter to cancel:`;
  const typed = given ?? (await ctx.ask.text({ message, flag: '--confirm ID', optional: true }));
  if (typed === id) return;
  const certain = 'nothing was written down';
  if (given !== undefined)
    throw new CliError('refused', `--confirm ${given} does not name ${id}`, {
      certain,
      now: [`if ${id} is the one that is meant: --confirm ${id}`],
    });
  throw new CliError('cancelled', typed === '' ? 'nothing was typed' : `${typed} is not ${id}`, {
    certain,
  });
}
