/** `journal export` and `import`: the whole journal as flat records, or as a file that another machine makes its own. */

import { type Context, confirmFirst, dryRunShown } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { flag } from '../../flags/flags.ts';
import { clockAndZoneOf, rangeWords, whenFlag } from '../../flags/typed-time.ts';
import { pagesOf } from '../../journal/journal.ts';
import { defineCommand } from '../command.ts';
import { showAttemptPages } from './attempt-list.ts';
import { scopeOf } from './attempts.ts';

export const exportJournal = defineCommand({
  description:
    'Prints every change that this machine sent and what is known of it, the newest first. With --to, the whole journal and its witness go into one file, which journal import reads on another machine. From then on make changes on that machine only.',
  arguments: [],
  flags: {
    since: whenFlag('only what was sent since: today, last-month, 30d, a date, ISO 8601'),
    'all-profiles': flag.switch({ summary: 'changes of every account' }),
    to: flag.text({
      value: 'FILE',
      summary: 'write the journal and its witness into this new file, for journal import on another machine',
      conflicts: ['since', 'all-profiles'],
    }),
  },
  examples: ['paydesk journal export --csv > journal.csv', 'paydesk journal export --to journal.paydesk'],
  async run(ctx, { flags }) {
    if (flags.to !== undefined) return archive(ctx, flags.to);
    const scope = await scopeOf(ctx, flags['all-profiles'] === true);
    const since = flags.since?.at(clockAndZoneOf(ctx));
    const span = rangeWords('changes sent', { since, until: undefined }, ctx.days.full);
    if (span !== undefined) ctx.notes.note(span);
    await showAttemptPages(ctx, pagesOf(ctx.journal, { origin: scope?.origin, since }));
    return undefined;
  },
});

async function archive(ctx: Context, file: string): Promise<undefined> {
  ctx.refuseOwnFile(file);
  const would = `would write the journal and its witness into ${file}`;
  if (await dryRunShown(ctx, { action: 'export', file }, would)) return undefined;
  const rows = await ctx.journal.archive(file);
  await ctx.out.own({ object: 'journal_export', file, rows }, () => [
    { line: `${counted(rows, 'row')} written: ${file}` },
    { line: 'it holds everything that was sent, and the notes: keep it as safe as the journal' },
    {
      line: 'after journal import, make changes on that machine only: if you use both, both may send the same change',
    },
  ]);
  return undefined;
}

export const importJournal = defineCommand({
  description:
    'Reads the file that journal export --to wrote: all of the journal and its witness. Works only on a machine that has sent nothing yet. From then on make no change on the other machine: it does not know what this one sends.',
  arguments: [
    {
      name: 'file',
      summary: 'written by journal export --to',
      required: true,
      parse: (text: string) => text,
    },
  ],
  flags: {},
  examples: ['paydesk journal import journal.paydesk', 'paydesk journal import journal.paydesk --yes --json'],
  async run(ctx, { args: [file] }) {
    if (await dryRunShown(ctx, { action: 'import', file }, `would import the journal from ${file}`))
      return undefined;
    const message = `import the journal of another machine from ${file}?`;
    await confirmFirst(ctx, message, 'nothing was changed');
    const rows = await ctx.journal.restore(file);
    await ctx.out.own({ object: 'journal_import', file: ctx.journal.file, rows }, () => [
      { line: `${counted(rows, 'row')} imported: ${ctx.journal.file}` },
      { line: 'change orders from this machine only from now on' },
    ]);
    return undefined;
  },
});
