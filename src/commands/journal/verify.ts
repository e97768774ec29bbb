/** `journal verify`: checks whether the journal is whole, and repairs it. */

import { CliError } from '../../errors.ts';
import type { Repair, Verification } from '../../journal/journal.ts';
import type { Block } from '../../terminal/terminal.ts';
import { type Context, confirmFirst, defineCommand, dryRunShown } from '../command.ts';
import { flag } from '../flags.ts';

export const verify = defineCommand({
  description:
    'Reads the whole journal and names every row that was changed, moved or taken away, and compares it with its witness, a second file that has one line per row. --repair builds a new journal from all that can be read of both files; an order whose outcome neither file proves stays blocked until you settle it. The chain has no key: it finds accidents, not forgers.',
  arguments: [],
  flags: {
    head: flag.text({
      value: 'HASH',
      summary: 'a head that was noted earlier: must be in the chain',
      conflicts: ['repair'],
    }),
    repair: flag.switch({
      summary: 'keep copies, and rebuild journal and witness from what can be read of either',
      conflicts: ['head'],
    }),
  },
  examples: [
    'paydesk journal verify',
    'paydesk journal verify --json | jq -r .head',
    'paydesk journal verify --repair',
  ],
  exits: [0, 2, 3, 7],
  async run(ctx, { flags }): Promise<number | undefined> {
    if (flags.repair === true) return repair(ctx);
    const found = await ctx.journal.verify(flags.head);
    const { rows, head, findings, knowsHead, witness } = found;
    const record = {
      object: 'journal',
      file: ctx.journal.file,
      rows,
      head,
      findings,
      knows_head: knowsHead ?? null,
      witness: witness.state.replaceAll(' ', '_'),
      witness_file: witness.file,
      witness_lines: witness.lines,
    };
    await ctx.out.own(record, () => [
      { line: { text: ctx.journal.file, style: 'strong' } },
      { line: `${rows} rows, ${findings.length === 0 ? 'whole' : 'DAMAGED'}` },
      { line: `head ${head}` },
      { line: `witness ${witness.file}: ${witnessWords(found)}` },
    ]);
    if (findings.length > 0 || knowsHead === false) throw await damage(ctx, found, flags.head);
    return undefined;
  },
});

function witnessWords({ rows, witness: { lines, state } }: Verification): string {
  switch (state) {
    case 'agrees':
      return `${lines} lines, agrees with the journal`;
    case 'none yet':
      return 'none yet; the next change creates it';
    case 'witness behind':
      return `${lines} lines, ${rows - lines} fewer than the journal has rows; the next change adds them`;
    case 'journal behind':
      return `${lines} lines; THE JOURNAL IS BEHIND IT, or is another one`;
    case 'damaged':
      return 'MISSING OR DAMAGED';
  }
}

async function damage(
  ctx: Context,
  { findings, knowsHead }: Verification,
  head: string | undefined,
): Promise<CliError> {
  const stops = (await ctx.journal.problem()) !== undefined;
  const rows = findings
    .slice(0, 10)
    .map(({ seq, problem }) => (seq === 0 ? problem : `row ${seq} ${problem}`));
  const more = findings.length > rows.length ? [`and ${findings.length - rows.length} more`] : [];
  const strange = knowsHead === false ? [`the head ${head} is not in it: rows that were there are gone`] : [];
  return new CliError(
    'refused',
    `the journal ${ctx.journal.file} is not whole: ${[...rows, ...more, ...strange].join('; ')}`,
    {
      certain: `${stops ? 'every change is refused until that is mended' : 'the rows of the journal agree, so changes go on'}; nothing was sent`,
      now: findings.length === 0 ? ['show your lead'] : ['paydesk journal verify --repair   (keeps a copy)'],
    },
  );
}

async function repair(ctx: Context): Promise<number | undefined> {
  const { file } = ctx.journal;
  const would = `would keep copies of ${file} and its witness and rebuild both from what can be read`;
  if (await dryRunShown(ctx, { action: 'repair', file }, would)) return undefined;
  const message = 'keep copies and rebuild the journal and its witness from what can be read of either?';
  await confirmFirst(ctx, message, 'nothing was changed');
  const done = await ctx.journal.repair();
  const { copy, witnessCopy, kept, doubtful, lost, unreadable, blocked } = done;
  const record = {
    object: 'journal_repair',
    copy: copy ?? null,
    witness_copy: witnessCopy ?? null,
    kept,
    doubtful,
    lost,
    unreadable_pages: unreadable,
    blocked: blocked.map(({ intent, orderId }) => ({ intent, order: orderId ?? null })),
  };
  await ctx.out.own(record, () => repairView(done));
  return lost.length + unreadable + blocked.length > 0 ? 7 : undefined;
}

function repairView({
  copy,
  witnessCopy,
  kept,
  doubtful,
  lost,
  unreadable,
  blocked,
}: Repair): readonly Block[] {
  const open = doubtful + blocked.length;
  const isLost = lost.length + unreadable > 0;
  return [
    { line: `${kept} rows kept, ${doubtful} doubtful, ${lost.length} lost` },
    ...(unreadable === 0
      ? []
      : [{ line: `${unreadable} ${unreadable === 1 ? 'page' : 'pages'} of the file could not be read` }]),
    ...(copy === undefined ? [] : [{ line: `the damaged file is kept: ${copy}` }]),
    ...(witnessCopy === undefined ? [] : [{ line: `the witness as it was is kept: ${witnessCopy}` }]),
    ...(blocked.length === 0
      ? []
      : [{ line: `unconfirmed, since their rows are lost: ${blockedWords(blocked)}` }]),
    ...(open === 0 && isLost
      ? [{ line: 'that blocks no order; what is unconfirmed: paydesk journal list --open --all-profiles' }]
      : []),
    ...(open === 0
      ? []
      : [
          { line: 'look at these orders, and settle them: paydesk journal list --open --all-profiles' },
          { line: 'until then they cannot be changed' },
        ]),
  ];
}

const shown = 10;

function blockedWords(blocked: Repair['blocked']): string {
  const names = blocked
    .slice(0, shown)
    .map(({ intent, orderId }) => `${intent} on ${orderId ?? 'no known order'}`);
  return `${names.join(', ')}${blocked.length > shown ? ` and ${blocked.length - shown} more` : ''}`;
}
