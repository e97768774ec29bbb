/** `journal reconcile`: reads orders again until outcomes are certain, as far as reads can tell. */

import { changeOf } from '../../changes/changes.ts';
import { CliError, exitCodes } from '../../errors.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import type { Context } from '../command.ts';
import { defineCommand } from '../command.ts';
import { flag, usage } from '../flags.ts';
import { alarmLine } from './describe-attempt.ts';
import {
  attemptColumns,
  attemptOf,
  checkShown,
  intentArgument,
  needsPerson,
  originOf,
  showAttempt,
  showAttempts,
} from './show-attempts.ts';

export const reconcile = defineCommand({
  description:
    'Reads the orders of open outcomes again and writes down what that proves. Sends nothing. Without INTENT: the three oldest of the account; --all: every open outcome of all accounts, or with -p of that account only. For cron: exits 0 when all is certain, 7 when a person must look.',
  arguments: [intentArgument(false)],
  flags: {
    all: flag.switch({ summary: 'every open outcome of all accounts; with -p, of that account only' }),
  },
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
    if (ctx.options.dryRun) return showDue(ctx, all ? due : await chosenOf(ctx, due));
    ctx.out.checkColumns(attemptColumns);
    const reread = all ? await readEach(ctx, due) : await readSome(ctx, due);
    const now = await ctx.journal.now();
    const isShown = ({ sent }: AttemptRecord) => reread.some((one) => one.sent.intent === sent.intent);
    // Also what no read can prove, or what it is too early to read.
    const left = (await ctx.journal.attempts({ origin, unsettled: true })).filter((one) =>
      needsPerson(ctx, one, now),
    );
    const shown = [...reread, ...left.filter((one) => !isShown(one))];
    warnOfAlarms(ctx, shown);
    await showAttempts(ctx, shown);
    const alarmed = reread.filter((one) => needsPerson(ctx, one, now));
    // If rows of the journal are lost, there may be unconfirmed changes that it does not show.
    const isWhole = (await ctx.journal.problem()) === undefined;
    if (reread.length + left.length === 0 && isWhole) ctx.notes.note('no open outcomes');
    return left.length + alarmed.length === 0 && isWhole ? 0 : exitCodes.unknown;
  },
});

async function reconcileOne(ctx: Context, intent: string): Promise<number | undefined> {
  const before = await attemptOf(ctx, intent);
  const due = (await mayChange(ctx, before)) ? [before] : [];
  if (ctx.options.dryRun) return showDue(ctx, due);
  checkShown(ctx, before);
  const record = due.length === 0 ? before : (await ctx.journal.reconcile(before)).record;
  warnOfAlarms(ctx, [record]);
  await showAttempt(ctx, record);
  return needsPerson(ctx, record, await ctx.journal.now()) ? exitCodes.unknown : 0;
}

// An attempt that is named and still watched is read, due or not.
async function mayChange(ctx: Context, record: AttemptRecord): Promise<boolean> {
  return ctx.journal.isWatched(record) || ctx.journal.isDue(record, await ctx.journal.now());
}

async function dueOf(ctx: Context, attempts: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  const now = await ctx.journal.now();
  return attempts.filter((one) => ctx.journal.isDue(one, now));
}

// A dry run does not read the order: that would write down what the read proves.
async function showDue(ctx: Context, due: readonly AttemptRecord[]): Promise<undefined> {
  const intents = due.map(({ sent }) => sent.intent);
  await ctx.out.dryRun({ action: 'reconcile', intents }, () => [
    { line: due.length === 0 ? 'would read nothing: no outcome is due' : 'would read again:' },
    ...due.map((record) => ({ line: `${record.sent.intent}, ${changeOf(record)}`, indent: 2 })),
  ]);
  return undefined;
}

/** Reads some of the due attempts again, three unconfirmed ones and one that is only watched, and warns of alarms. */
export async function readAgain(
  ctx: Context,
  attempts: readonly AttemptRecord[],
): Promise<readonly AttemptRecord[]> {
  const reread = await readSome(ctx, await dueOf(ctx, attempts));
  warnOfAlarms(ctx, reread);
  return reread;
}

async function readSome(ctx: Context, due: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  const chosen = await chosenOf(ctx, due);
  const isWatched = (record: AttemptRecord) => ctx.journal.isWatched(record);
  const reread = await readEach(
    ctx,
    chosen.filter((record) => !isWatched(record)),
  );
  return [...reread, ...(await readWatched(ctx, chosen.filter(isWatched)))];
}

// On stderr, so that it is also seen when stdout goes through a pipe.
function warnOfAlarms(ctx: Context, records: readonly AttemptRecord[]): void {
  for (const line of records.map(alarmLine)) if (line !== undefined) ctx.notes.warn(line);
}

async function chosenOf(ctx: Context, due: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  return ctx.journal.pickDue(due, await ctx.journal.now());
}

// Nobody named these, so a failed read is not reported.
async function readWatched(
  ctx: Context,
  attempts: readonly AttemptRecord[],
): Promise<readonly AttemptRecord[]> {
  const reread: AttemptRecord[] = [];
  for (const record of attempts) {
    try {
      const { record: after, evidence } = await ctx.journal.reconcile(record, { once: true });
      if (evidence?.shows !== 'unreadable') reread.push(after);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
  }
  return reread;
}

// What cannot be read is reported and stays as it is.
async function readEach(ctx: Context, attempts: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  const now = await ctx.journal.now();
  const reread: AttemptRecord[] = [];
  for (const record of attempts) {
    try {
      const { record: after, evidence } = await ctx.journal.reconcile(record);
      reread.push(after);
      if (evidence?.shows === 'unreadable')
        ctx.notes.note(`no read can show what became of ${record.sent.intent}: ${evidence.problem}`);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      // Its outcome is known and it is only watched: if the profile is gone, nobody needs to know.
      if (error.kind === 'auth' && !ctx.journal.isOpen(record, now)) continue;
      ctx.notes.warn(`${record.sent.intent} stays as it is: ${error.message}`);
      reread.push(record);
    }
  }
  return reread;
}
