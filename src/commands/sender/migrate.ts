/** `sender migrate` and `verify`: makes the tables of a journal in a database, and checks every row of the sender's journal. */

import { confirmFirst, dryRunShown } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { refused } from '../../errors.ts';
import { flag } from '../../flags/flags.ts';
import { defineCommand } from '../command.ts';
import { allowRootFlag } from './members.ts';

export const migrate = defineCommand({
  description:
    'Makes the tables that this paydesk needs in the database of the sender, as the role of the sender, and runs again after an upgrade. If the journal there is empty, it gets the rows of the journal of this machine.',
  arguments: [],
  flags: {
    'print-sql': flag.switch('print the statements of all migrations, and do nothing else'),
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

export const verify = defineCommand({
  description:
    'Reads every row of the journal, in a database that of the server, and checks the chain. Then it derives from the rows alone what is open, and compares that with what is looked up, and the server with the copy of this sender. Limits, members and requests are never kept apart from their rows.',
  arguments: [],
  flags: {},
  examples: ['paydesk sender verify', 'paydesk sender verify --json | jq -r .head'],
  exits: { 3: 'the journal is not whole, or the server is not the one that it was' },
  async run(ctx): Promise<undefined> {
    const sender = await ctx.sender();
    const { rows, head, findings, problem, counts } = await sender.verify();
    const record = { object: 'sender_journal', rows, head, findings, problem: problem ?? null, ...counts };
    await ctx.out.own(record, () => [
      { line: `${rows} rows, ${findings.length === 0 ? 'whole' : 'DAMAGED'}` },
      { line: `head ${head}` },
      ...(counts === undefined
        ? []
        : [
            { line: `unconfirmed changes: ${counts.unconfirmed}` },
            { line: `members: ${counts.members}` },
            { line: `limits: ${counts.limits}` },
            { line: `requests for an approval: ${counts.requests}` },
          ]),
    ]);
    const found = findings
      .slice(0, 10)
      .map(({ seq, problem: what }) => (seq === 0 ? what : `row ${seq} ${what}`));
    const what = found.length === 0 ? problem : `the journal of the sender is not whole: ${found.join('; ')}`;
    if (what === undefined) return;
    throw refused(what, ['paydesk journal verify']);
  },
});
