/** `profile purge`: removes everything that paydesk keeps for this user on this machine, the journal last. */

import { type Context, confirmFirst, refuseAgentTo } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError, refused } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import { openAttempts } from '../../journal/journal.ts';
import { commandLine } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';

export const purge = defineCommand({
  description:
    'Removes keys, profiles, indexes, what --install wrote, and finally the journal. It refuses while a change is unconfirmed or has an alarm, and says what it will remove before it asks. A journal that others use too stays; paydesk itself is removed by what installed it.',
  flags: {
    confirm: flag.text('WORD', 'the word that --dry-run shows, if the journal has rows'),
  },
  examples: ['paydesk profile purge', 'paydesk profile purge --dry-run --json'],
  run: async (ctx, { flags }): Promise<undefined> => {
    refuseAgentTo(ctx, 'removes what paydesk keeps');
    const purging = await ctx.purge();
    // The journal is read before the question, which shows it. What is added later is found under the lock.
    const journal = await purging.journal();
    await purging.refuseUnsettled();
    const found = await purging.found();
    const word = journal?.seq === 0 ? undefined : journal?.hash.slice(0, 8);
    const stays = [
      ...(journal === undefined
        ? [`the journal stays, since others use it: ${ctx.journalPlace.folder}`]
        : []),
      ...(await atSenders(ctx)),
    ];
    const lines = [...found, ...(journal?.files ?? [])];
    const record = {
      object: 'purge',
      removes: lines,
      stays,
      journal_rows: journal?.seq ?? null,
      confirm: word ?? null,
    };
    if (ctx.options.dryRun) {
      const needs =
        word === undefined ? [] : [{ line: `to do it: paydesk profile purge --yes --confirm ${word}` }];
      await ctx.out.dryRun(record, () => [
        { line: 'would remove:' },
        ...indented(lines),
        ...stays.map((line) => ({ line })),
        ...needs,
      ]);
      return;
    }
    for (const line of stays) ctx.notes.note(line);
    await agreed(ctx, lines, word, flags.confirm);
    const senders = (await ctx.profiles.list()).filter(({ hasSender }) => hasSender).map(({ name }) => name);
    await purging.remove(journal);
    await ctx.out.own({ ...record, removed: true }, () => [
      {
        line: `removed what paydesk kept for you on this machine${journal === undefined ? ', but for the journal' : ''}`,
      },
    ]);
    if (senders.length > 0)
      ctx.notes.note(
        `the tokens of ${senders.join(', ')} are gone from here; whoever runs the sender ends them: paydesk sender revoke MEMBER --desk DESK`,
      );
  },
});

// A sender that cannot be asked stops nobody: its journal is not lost.
async function atSenders(ctx: Context): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { name, hasSender, kind } of await ctx.profiles.list())
    if (hasSender)
      lines.push(`the journal of ${name} stays at its sender: ${await openAt(ctx, { name, kind })}`);
  return lines;
}

async function openAt(ctx: Context, named: Parameters<typeof commandLine>[0]): Promise<string> {
  try {
    const { profile } = await ctx.profiles.open(named.name);
    ctx.useProfile(named.name);
    const open = (await openAttempts(ctx.journal)).filter(
      ({ sent }) => sent.stamp?.desk === profile.sender?.desk,
    );
    if (open.length === 0) return 'nothing of this desk is open there';
    const are = open.length === 1 ? 'is unconfirmed there, or has' : 'are unconfirmed there, or have';
    return `${counted(open.length, 'change')} of this desk ${are} an alarm: ${commandLine(named, 'journal', 'list', '--open')}`;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return `what is open there cannot be read now: ${error.message}`;
  }
}

function indented(lines: readonly string[]): readonly Block[] {
  return lines.map((line) => ({ line, indent: 2, hang: 2 }));
}

// The word is a part of the newest row, so nobody types it without having seen this journal.
async function agreed(
  ctx: Context,
  lines: readonly string[],
  word: string | undefined,
  typed: string | undefined,
): Promise<void> {
  const { options, ask, notes } = ctx;
  if (typed !== undefined && word !== undefined && typed !== word)
    throw refused(
      `--confirm ${typed} is not the word for this journal`,
      ['paydesk profile purge --dry-run'],
      {
        certain: 'nothing was removed',
        ownCode: 'wrong_confirm',
      },
    );
  if (word !== undefined && typed === undefined && !ask.interactive)
    throw usage(`the journal has rows: add --confirm ${word}`, [
      'look first: paydesk profile purge --dry-run',
    ]);
  if (!options.yes) notes.show([{ line: 'this removes for ever:' }, ...indented(lines)]);
  // Without a word there are no rows, or a run that was killed has already removed them.
  if (word === undefined || typed === word)
    return await confirmFirst(ctx, 'remove all of it from this machine?', 'nothing was removed');
  const message = `Type ${word} to remove all of it, or press Enter to cancel:`;
  if ((await ask.text({ message, flag: '--confirm WORD', optional: true })) !== word)
    throw new CliError('cancelled', 'nothing was removed');
}
