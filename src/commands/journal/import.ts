/** `journal import`: makes the journal of another machine the journal of this one. */

import { confirmFirst, dryRunShown } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { defineCommand } from '../command.ts';

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
