/** `journal export`: prints every attempt as a flat record, or writes the whole journal into a file for another machine. */

import { type Context, dryRunShown } from '../../context/context.ts';
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
