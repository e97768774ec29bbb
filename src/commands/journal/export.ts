/**
 * `journal export`, `import`, `archive` and `forget`: move the journal to another machine as a file, and shorten what it keeps
 * about settled changes.
 */

import { confirmFirst, confirmRaise, dryRunShown, refuseAgentTo } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError, refused } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import { clockAndZoneOf, whenFlag } from '../../flags/typed-time.ts';
import { keptAtLeastMs } from '../../journal/journal.ts';
import { defineCommand } from '../command.ts';
import { modeOfJournal } from './verify.ts';

const exportJournal = defineCommand({
  description:
    'Writes the whole journal and its witness into one file, which journal import reads on another machine. From then on make changes on that machine only. The changes themselves, as records: journal list --all.',
  flags: {
    to: flag.text(
      'FILE',
      'write the journal and its witness into this new file, for journal import on another machine',
      { writes: true },
    ),
  },
  examples: [
    'paydesk journal export --to journal.paydesk',
    'paydesk journal export --to journal.paydesk --json',
  ],
  async run(ctx, { flags: { to: file } }): Promise<undefined> {
    if (file === undefined)
      throw usage('missing --to', [
        'paydesk journal export --to FILE',
        'every change as records: paydesk journal list --all',
      ]);
    refuseAgentTo(ctx, wholeFile);
    ctx.refuseOwnFile(file);
    const would = `would write the journal and its witness into ${file}`;
    if (await dryRunShown(ctx, { action: 'export', file }, would)) return;
    const rows = await ctx.journal.exportTo(file);
    await ctx.out.own({ object: 'journal_export', file, rows }, () => [
      { line: `${counted(rows, 'row')} written: ${file}` },
      { line: 'it holds everything that was sent, and the notes: keep it as safe as the journal' },
      {
        line: 'after journal import, make changes on that machine only: if you use both, both may send the same change',
      },
    ]);
  },
});

// Nothing in the file is masked; otherwise it would not be a journal.
const wholeFile = 'writes the whole journal into a file, with its notes';

const importJournal = defineCommand({
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
  examples: ['paydesk journal import journal.paydesk', 'paydesk journal import journal.paydesk --yes --json'],
  async run(ctx, { args: [file] }): Promise<undefined> {
    refuseAgentTo(ctx, 'imports a journal');
    if (await dryRunShown(ctx, { action: 'import', file }, `would import the journal from ${file}`))
      return undefined;
    const message = `import the journal of another machine from ${file}?`;
    if ((await modeOfJournal(ctx)) === 'sandbox') await confirmFirst(ctx, message, 'nothing was changed');
    else await confirmRaise(ctx, 'production', `the changes and limits in ${file} are to count here`);
    const rows = await ctx.journal.restore(file);
    const place = await ctx.journal.place();
    await ctx.out.own({ object: 'journal_import', file: place, rows }, () => [
      { line: `${counted(rows, 'row')} imported: ${place}` },
      { line: 'change orders from this machine only from now on' },
    ]);
  },
});

const example = 'paydesk journal archive --before 400d --to FILE';

export const archive = defineCommand({
  description:
    'Writes the whole journal into a new file, reads it back, and leaves one short row of each settled change that was sent before a time. What stops a second refund works as before. Keep the file as safe as the journal: journal list, show and verify read it with --from.',
  flags: {
    before: whenFlag('changes sent before, 30 days ago at least: 400d, a date, ISO 8601'),
    to: flag.text('FILE', 'write the journal as it is into this new file', { writes: true }),
  },
  examples: [
    'paydesk journal archive --before 400d --to journal-2025.paydesk',
    'paydesk journal archive --before 2025-01-01 --to journal-2024.paydesk --yes --json',
  ],
  async run(ctx, { flags }): Promise<undefined> {
    const { before: when, to: file } = flags;
    if (when === undefined || file === undefined)
      throw usage(`missing ${when === undefined ? '--before' : '--to'}`, [example]);
    const before = when.at(clockAndZoneOf(ctx));
    refuseAgentTo(ctx, wholeFile);
    ctx.refuseOwnFile(file);
    // The time of the journal, since a clock that is ahead must not make changes look older.
    if (before > (await ctx.journal.now()).time - keptAtLeastMs)
      throw usage(`--before ${when.text}: only what was sent at least 30 days ago can be archived`, [
        example,
      ]);
    const day = new Date(before).toISOString();
    // To count takes long, and with --yes nobody reads the number.
    const most = ctx.options.yes && !ctx.options.dryRun ? 1 : undefined;
    const count = await ctx.journal.countOver(before, most);
    const what = `${counted(count, 'settled change')} sent before ${day} into ${file}`;
    const asked = { action: 'archive', before: day, file, changes: count };
    if (await dryRunShown(ctx, asked, `would move ${what}`)) return undefined;
    if (count === 0)
      throw refused(`no settled change was sent before ${day}`, [], { certain: 'nothing was moved' });
    await confirmFirst(ctx, `move ${what}? One short row of each stays`, 'nothing was moved');
    const { attempts, rowsBefore, rows, sha256 } = await ctx.journal.archiveOld({ before, path: file });
    const record = {
      object: 'journal_archive',
      file,
      sha256,
      changes: attempts,
      rows_before: rowsBefore,
      rows,
    };
    await ctx.out.own(record, () => [
      { line: `${counted(attempts, 'change')} moved: ${file}` },
      { line: `the file has all ${counted(rowsBefore, 'row')}, the journal has ${rows} now` },
      { line: 'it holds everything that was sent, and the notes: keep it as safe as the journal' },
    ]);
  },
});

export const forget = defineCommand({
  description:
    'The journal still knows which order was changed, when, by whom and with what result, and journal verify still finds it whole. The journal of a team is at its sender: type it there.',
  flags: { before: whenFlag('changes sent before: 30d, a date, ISO 8601') },
  examples: ['paydesk journal forget --before 400d', 'paydesk journal forget --before 2025-01-01 --yes'],
  async run(ctx, { flags }): Promise<undefined> {
    if (flags.before === undefined)
      throw new CliError('usage', 'missing --before', {
        certain: 'nothing was erased',
        now: ['paydesk journal forget --before 400d'],
      });
    refuseAgentTo(ctx, 'erases what the journal keeps');
    const before = flags.before.at(clockAndZoneOf(ctx));
    const day = new Date(before).toISOString();
    const would = `would erase bodies, notes and links of settled changes sent before ${day}`;
    if (await dryRunShown(ctx, { action: 'forget', before: day }, would)) return undefined;
    const message = `erase bodies, notes and links of settled changes sent before ${day}? It cannot be undone`;
    await confirmFirst(ctx, message, 'nothing was erased');
    const count = await ctx.journal.eraseBodies(before);
    const record = { object: 'journal_forget', before: day, entries: count };
    await ctx.out.own(record, () => [{ line: `erased in ${counted(count, 'change')}` }]);
  },
});

export { exportJournal as export, importJournal as import };
