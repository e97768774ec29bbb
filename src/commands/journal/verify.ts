/** `journal verify`: whether the journal is whole, and its repair. */

import { defineCommand, flag } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { Context, Verification } from '../../ports.ts';

export const verify = defineCommand({
  description:
    'Reads the whole journal and names every row that was changed, moved or taken away. Note the head elsewhere to find out later whether the newest rows are still there. The chain has no key: it finds accidents, not forgers.',
  arguments: [],
  flags: {
    head: flag.text({
      value: 'HASH',
      summary: 'a head that was noted earlier: must be in the chain',
      conflicts: ['repair'],
    }),
    repair: flag.switch({
      summary: 'keep a copy, and rebuild the file from every row that can be read',
      conflicts: ['head'],
    }),
  },
  examples: [
    'paydesk journal verify',
    'paydesk journal verify --json | jq -r .head',
    'paydesk journal verify --repair',
  ],
  exits: [0, 2, 3],
  async run(ctx, { flags }) {
    if (flags.repair === true) return repair(ctx);
    const found = await ctx.journal.verify(flags.head);
    const { rows, head, findings, knowsHead } = found;
    const record = {
      object: 'journal',
      file: ctx.journal.file,
      rows,
      head,
      findings,
      knows_head: knowsHead ?? null,
    };
    await ctx.out.own(record, () => [
      { line: { text: ctx.journal.file, style: 'strong' } },
      { line: `${rows} rows, ${findings.length === 0 ? 'whole' : 'DAMAGED'}` },
      { line: `head ${head}` },
    ]);
    if (findings.length > 0 || knowsHead === false) throw damage(ctx, found, flags.head);
    return undefined;
  },
});

function damage(ctx: Context, { findings, knowsHead }: Verification, head: string | undefined): CliError {
  const rows = findings
    .slice(0, 10)
    .map(({ seq, problem }) => (seq === 0 ? problem : `row ${seq} ${problem}`));
  const more = findings.length > rows.length ? [`and ${findings.length - rows.length} more`] : [];
  const strange = knowsHead === false ? [`the head ${head} is not in it: rows that were there are gone`] : [];
  return new CliError(
    'refused',
    `the journal ${ctx.journal.file} is not whole: ${[...rows, ...more, ...strange].join('; ')}`,
    {
      certain: 'changes are refused while a row is damaged; nothing was sent',
      now: findings.length === 0 ? ['show your lead'] : ['paydesk journal verify --repair   (keeps a copy)'],
    },
  );
}

async function repair(ctx: Context): Promise<undefined> {
  if (ctx.options.dryRun) {
    await ctx.out.dryRun({ action: 'repair', file: ctx.journal.file }, () => [
      { line: `would keep a copy of ${ctx.journal.file} and rebuild it from every row that can be read` },
    ]);
    return undefined;
  }
  const message = 'keep a copy and rebuild the journal from every row that can be read?';
  if (!ctx.options.yes && !(await ctx.ask.confirm({ message, flag: '--yes' }))) {
    throw new CliError('cancelled', 'nothing was changed');
  }
  const { copy, kept, doubtful, lost } = await ctx.journal.repair();
  await ctx.out.own({ object: 'journal_repair', copy, kept, doubtful, lost }, () => [
    { line: `${kept} rows kept, ${doubtful} doubtful, ${lost.length} lost` },
    { line: `the damaged file is kept: ${copy}` },
    ...(kept + doubtful === 0
      ? [{ line: 'what was open is not known any more: look at every order before you change it' }]
      : []),
    ...(doubtful === 0
      ? []
      : [{ line: 'doubtful ones are open outcomes now: paydesk journal list --open --all-profiles' }]),
  ]);
  return undefined;
}
