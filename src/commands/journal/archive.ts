/** `journal archive` and `forget`: what is left of changes that were settled long ago. */

import { confirmFirst, dryRunShown } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import { clockAndZoneOf, whenFlag } from '../../flags/typed-time.ts';
import { keptAtLeastMs } from '../../journal/journal.ts';
import { defineCommand } from '../command.ts';

const example = 'paydesk journal archive --before 400d --to FILE';

export const archive = defineCommand({
  description:
    'Writes the whole journal into a new file, reads it back, and leaves one short row of each settled change that was sent before a time. What stops a second refund works as before. Keep the file as safe as the journal: journal list, show and verify read it with --from.',
  arguments: [],
  flags: {
    before: whenFlag('changes sent before, 30 days ago at least: 400d, a date, ISO 8601'),
    to: flag.text({ value: 'FILE', summary: 'write the journal as it is into this new file' }),
  },
  examples: [
    'paydesk journal archive --before 400d --to journal-2025.paydesk',
    'paydesk journal archive --before 2025-01-01 --to journal-2024.paydesk --yes --json',
  ],
  async run(ctx, { flags }) {
    const { before: when, to: file } = flags;
    if (when === undefined || file === undefined)
      throw usage(`missing ${when === undefined ? '--before' : '--to'}`, [example]);
    const before = when.at(clockAndZoneOf(ctx));
    ctx.refuseOwnFile(file);
    // A clock that is ahead makes nothing older.
    if (before > (await ctx.journal.now()).time - keptAtLeastMs)
      throw usage(`--before ${when.text}: only what was sent at least 30 days ago can be archived`, [
        example,
      ]);
    const day = new Date(before).toISOString();
    const count = await ctx.journal.countOver(before);
    const what = `${counted(count, 'settled change')} sent before ${day} into ${file}`;
    const asked = { action: 'archive', before: day, file, changes: count };
    if (await dryRunShown(ctx, asked, `would move ${what}`)) return undefined;
    if (count === 0)
      throw new CliError('refused', `no settled change was sent before ${day}`, {
        certain: 'nothing was moved',
      });
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
    return undefined;
  },
});

export const forget = defineCommand({
  description:
    'The journal still knows which order was changed, when, by whom and with what result, and journal verify still finds it whole. The journal of a team is at its sender: type it there.',
  arguments: [],
  flags: { before: whenFlag('changes sent before: 30d, a date, ISO 8601') },
  examples: ['paydesk journal forget --before 400d', 'paydesk journal forget --before 2025-01-01 --yes'],
  async run(ctx, { flags }) {
    if (flags.before === undefined)
      throw new CliError('usage', 'missing --before', {
        certain: 'nothing was erased',
        now: ['paydesk journal forget --before 400d'],
      });
    const before = flags.before.at(clockAndZoneOf(ctx));
    const day = new Date(before).toISOString();
    const would = `would erase bodies, notes and links of settled changes sent before ${day}`;
    if (await dryRunShown(ctx, { action: 'forget', before: day }, would)) return undefined;
    const message = `erase bodies, notes and links of settled changes sent before ${day}? It cannot be undone`;
    await confirmFirst(ctx, message, 'nothing was erased');
    const count = await ctx.journal.forget(before);
    const record = { object: 'journal_forget', before: day, entries: count };
    await ctx.out.own(record, () => [{ line: `erased in ${counted(count, 'change')}` }]);
    return undefined;
  },
});
