/** `journal reconcile`: reads orders again until outcomes are certain, as far as reads can tell. */

import { CliError, exitCodes } from '../../errors.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import type { Context } from '../command.ts';
import { defineCommand, flag, usage } from '../command.ts';
import {
  attemptColumns,
  attemptOf,
  checkShown,
  needsLook,
  originOf,
  showAttempt,
  showAttempts,
} from './attempts.ts';
import { intentArgument } from './intent.ts';
import { alarmLine, changeOf } from './words.ts';

export const reconcile = defineCommand({
  description:
    'Reads the orders of open outcomes again and writes down what that proves. Sends nothing. Without INTENT: the three oldest of the account; --all: all, of every account, or of that of -p. For cron: exits 0 when all is certain, 7 when a person must look.',
  arguments: [intentArgument(false)],
  flags: { all: flag.switch({ summary: 'every open outcome of every account, or of that of -p' }) },
  examples: ['paydesk journal reconcile i_7f3k2m9q', 'paydesk journal reconcile --all --quiet'],
  exits: [0, 2, 3, 4, 5, 7],
  async run(ctx, { args: [intent], flags }) {
    if (intent !== undefined && flags.all === true) {
      throw usage('INTENT and --all contradict each other');
    }
    if (intent !== undefined) return reconcileOne(ctx, intent);
    const all = flags.all === true;
    const origin = await originOf(ctx, all && ctx.options.profile === undefined);
    const unsettled = await ctx.journal.attempts({ origin, unsettled: true });
    const due = await dueOf(ctx, unsettled);
    if (ctx.options.dryRun) return sayDue(ctx, all ? due : await chosenOf(ctx, due));
    ctx.out.checkColumns(attemptColumns);
    const looked = all ? await lookAt(ctx, due) : await lookAtSome(ctx, due);
    const now = await ctx.journal.now();
    const isShown = ({ sent }: AttemptRecord) => looked.some((one) => one.sent.intent === sent.intent);
    // What no read can tell, or is not to be read yet, is open all the same.
    const left = (await ctx.journal.attempts({ origin, unsettled: true })).filter((one) =>
      needsLook(ctx, one, now),
    );
    const shown = [...looked, ...left.filter((one) => !isShown(one))];
    warnOfAlarms(ctx, shown);
    await showAttempts(ctx, shown);
    const alarmed = looked.filter((one) => needsLook(ctx, one, now));
    // What a journal that lost rows does not show may be open all the same.
    const isWhole = (await ctx.journal.problem()) === undefined;
    if (looked.length + left.length === 0 && isWhole) ctx.notes.note('no open outcomes');
    return left.length + alarmed.length === 0 && isWhole ? 0 : exitCodes.unknown;
  },
});

async function reconcileOne(ctx: Context, intent: string): Promise<number | undefined> {
  const before = await attemptOf(ctx, intent);
  const due = (await isWorthALook(ctx, before)) ? [before] : [];
  if (ctx.options.dryRun) return sayDue(ctx, due);
  checkShown(ctx, before);
  const record = due.length === 0 ? before : (await ctx.journal.reconcile(before)).record;
  warnOfAlarms(ctx, [record]);
  await showAttempt(ctx, record);
  return needsLook(ctx, record, await ctx.journal.now()) ? exitCodes.unknown : 0;
}

// Somebody who names a watched attempt gets a read of its order, due or not.
async function isWorthALook(ctx: Context, record: AttemptRecord): Promise<boolean> {
  return ctx.journal.isWatched(record) || ctx.journal.isDue(record, await ctx.journal.now());
}

async function dueOf(ctx: Context, attempts: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  const now = await ctx.journal.now();
  return attempts.filter((one) => ctx.journal.isDue(one, now));
}

// Reading the order would write down what it proves.
async function sayDue(ctx: Context, due: readonly AttemptRecord[]): Promise<undefined> {
  const intents = due.map(({ sent }) => sent.intent);
  await ctx.out.dryRun({ action: 'reconcile', intents }, () => [
    { line: due.length === 0 ? 'would read nothing: no outcome is due' : 'would read again:' },
    ...due.map((record) => ({ line: `${record.sent.intent}, ${changeOf(record)}`, indent: 2 })),
  ]);
  return undefined;
}

/** Reads some of the due attempts again, and says every alarm: three open ones, and one that is only watched. */
export async function lookAgain(
  ctx: Context,
  attempts: readonly AttemptRecord[],
): Promise<readonly AttemptRecord[]> {
  const looked = await lookAtSome(ctx, await dueOf(ctx, attempts));
  warnOfAlarms(ctx, looked);
  return looked;
}

async function lookAtSome(ctx: Context, due: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  const chosen = await chosenOf(ctx, due);
  const isWatched = (record: AttemptRecord) => ctx.journal.isWatched(record);
  const looked = await lookAt(
    ctx,
    chosen.filter((record) => !isWatched(record)),
  );
  return [...looked, ...(await lookBriefly(ctx, chosen.filter(isWatched)))];
}

// Whoever reads only stdout through a pipe, or asked for quiet, is to see it as well.
function warnOfAlarms(ctx: Context, records: readonly AttemptRecord[]): void {
  for (const line of records.map(alarmLine)) if (line !== undefined) ctx.notes.warn(line);
}

async function chosenOf(ctx: Context, due: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  return ctx.journal.pickDue(due, await ctx.journal.now());
}

// Nobody asked for this one by name, so a read that fails is not worth a line.
async function lookBriefly(
  ctx: Context,
  attempts: readonly AttemptRecord[],
): Promise<readonly AttemptRecord[]> {
  const looked: AttemptRecord[] = [];
  for (const record of attempts) {
    try {
      const { record: after, evidence } = await ctx.journal.reconcile(record, { once: true });
      if (evidence?.shows !== 'unreadable') looked.push(after);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
  }
  return looked;
}

// What cannot be read is said and stays as it is.
async function lookAt(ctx: Context, attempts: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  const now = await ctx.journal.now();
  const looked: AttemptRecord[] = [];
  for (const record of attempts) {
    try {
      const { record: after, evidence } = await ctx.journal.reconcile(record);
      looked.push(after);
      if (evidence?.shows === 'unreadable')
        ctx.notes.note(`no read tells of ${record.sent.intent}: ${evidence.problem}`);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      // An outcome that has a verdict is only watched; an account that is gone needs nobody's eyes for it.
      if (error.kind === 'auth' && !ctx.journal.isOpen(record, now)) continue;
      ctx.notes.warn(`${record.sent.intent} stays as it is: ${error.message}`);
      looked.push(record);
    }
  }
  return looked;
}
