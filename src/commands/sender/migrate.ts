/** `sender migrate`: makes the tables of a journal in a database, or prints the statements. */

import { confirmFirst, dryRunShown } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { flag } from '../../flags/flags.ts';
import { defineCommand } from '../command.ts';
import { allowRootFlag } from './invite.ts';

export const migrate = defineCommand({
  description:
    'Makes the tables that this paydesk needs in the database of the sender, as the role of the sender, and runs again after an upgrade. If the journal there is empty, it gets the rows of the journal of this machine.',
  arguments: [],
  flags: {
    'print-sql': flag.switch({ summary: 'print the statements of all migrations, and do nothing else' }),
    'allow-root': allowRootFlag,
  },
  examples: ['paydesk sender migrate', 'paydesk sender migrate --print-sql > journal.sql'],
  run: async (ctx, { flags }): Promise<undefined> => {
    const sender = await ctx.sender();
    if (flags['print-sql'] === true) {
      await ctx.out.text(await sender.migrationsText());
      return;
    }
    const would = 'would make the tables that are missing';
    if (await dryRunShown(ctx, { action: 'migrate', file: sender.file }, would)) return;
    await confirmFirst(ctx, 'make the tables that are missing in the database?', 'nothing was changed');
    const { place, done, brought } = await sender.migrate(flags['allow-root'] === true);
    await ctx.out.own({ object: 'sender_migration', place, done, brought }, () => [
      { line: { text: place, style: 'strong' } },
      { line: done.length === 0 ? 'the tables are there already' : `done: ${done.join(', ')}` },
      ...(brought === 0 ? [] : [{ line: `${counted(brought, 'row')} of this machine brought there` }]),
    ]);
  },
});
