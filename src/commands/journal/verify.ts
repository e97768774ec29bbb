/** `journal verify`: checks whether the journal is whole, and repairs it. */

import type { Mode } from '../../api/spec.ts';
import {
  type Context,
  confirmFirst,
  confirmRaise,
  dryRunShown,
  refuseAgentTo,
} from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { type CliError, orElse, refused } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import {
  archivedBy,
  type NamedChange,
  pagesOf,
  type Repair,
  type Verification,
} from '../../journal/journal.ts';
import { modeOfAccount, plainCommand } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { namesOf } from './journal-scope.ts';

export const verify = defineCommand({
  description:
    'Reads the whole journal, names every row that was changed, moved or removed, and compares the journal with its witness. --repair builds a new journal from all that can be read of both; an order whose outcome is not proven stays blocked. The check finds accidents, not forgery.',
  flags: {
    head: flag.text(
      'HASH',
      'a head that you noted after an earlier verify: the journal must still contain it',
      { conflicts: ['repair'] },
    ),
    repair: flag.switch('keep copies, and rebuild journal and witness from all that can be read of both', {
      conflicts: ['head'],
    }),
    'accept-copy': flag.switch(
      'allow changes again after the files were put back from a copy; for a day each refund then needs the id of its order',
      { conflicts: ['head', 'repair'] },
    ),
    from: flag.text(
      'FILE',
      'check a file that journal archive or journal export --to wrote instead: its digest and its chain',
      { conflicts: ['repair', 'accept-copy'] },
    ),
  },
  examples: ['paydesk journal verify', 'paydesk journal verify --json | jq -r .head'],
  exits: {
    3: 'the journal is not whole, or was restored from a copy',
    7: 'repaired, but a person must look: some rows are lost or were changed, or orders are blocked',
  },
  async run(ctx, { flags }): Promise<number | undefined> {
    if (flags.repair === true || flags['accept-copy'] === true)
      refuseAgentTo(ctx, 'repairs a journal or accepts a copy of it');
    if (flags.repair === true) return repair(ctx);
    if (flags['accept-copy'] === true) return acceptCopy(ctx);
    if (flags.from !== undefined) return verifyFile(ctx, flags.from, flags.head);
    if (flags.head !== undefined && !/^[0-9a-f]{64}$/.test(flags.head))
      throw usage(`--head ${flags.head} is not a head: 64 hex digits, as journal verify prints them`);
    const found = await ctx.journal.verify(flags.head);
    const { rows, settings, head, findings, knowsHead, witness } = found;
    const file = await ctx.journal.place();
    // A copy may be whole and still lack what was sent.
    const copy = findings.length === 0 ? await ctx.journal.problem() : undefined;
    const record = {
      object: 'journal',
      file,
      rows,
      settings,
      head,
      findings,
      knows_head: knowsHead ?? null,
      witness: witness.state.replaceAll(' ', '_'),
      witness_file: witness.file,
      witness_lines: witness.lines,
      copy: copy ?? null,
    };
    await ctx.out.own(record, () => [
      { line: { text: file, style: 'strong' } },
      {
        line: `${rows} rows, ${settings === 0 ? '' : `${settings} of them about settings, `}${findings.length === 0 ? 'whole' : 'DAMAGED'}`,
      },
      { line: `head ${head}` },
      ...containedLine(knowsHead),
      { line: `witness ${witness.file}: ${witnessWords(found)}` },
    ]);
    if (findings.length > 0 || knowsHead === false) throw await damage(ctx, found, flags.head);
    if (copy !== undefined)
      throw refused(
        copy,
        [
          "check on the service's own screen which orders were changed since then, then:",
          'paydesk journal verify --accept-copy',
        ],
        { certain: 'every change is refused until somebody has accepted that; nothing was sent' },
      );
    return undefined;
  },
});

function containedLine(knowsHead: boolean | undefined) {
  return knowsHead === true ? [{ line: 'it contains the head that --head names' }] : [];
}

async function verifyFile(ctx: Context, file: string, noted: string | undefined): Promise<undefined> {
  const { rows, settings, head, sha256, knowsHead } = await ctx.journal.verifyFile(file, noted);
  const record = {
    object: 'journal',
    file,
    rows,
    settings,
    head,
    sha256,
    findings: [],
    knows_head: knowsHead ?? null,
  };
  await ctx.out.own(record, () => [
    { line: { text: file, style: 'strong' } },
    { line: `${rows} rows, whole` },
    { line: `head ${head}` },
    ...containedLine(knowsHead),
    { line: `sha256 ${sha256}` },
  ]);
  if (knowsHead !== false) return undefined;
  throw refused(`${file} does not contain the head ${noted}`, [], { certain: 'nothing was changed' });
}

function witnessWords({ rows, witness: { lines, state } }: Verification): string {
  switch (state) {
    case 'agrees':
      return `${lines} lines, matches the journal`;
    case 'none yet':
      return 'none yet; the next change creates it';
    case 'witness behind':
      return `${lines} lines, matches the journal; the next change adds ${rows - lines}`;
    case 'journal behind':
      return `${lines} lines; THE JOURNAL IS OLDER, or it is another journal`;
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
  const strange =
    knowsHead === false ? [`it does not contain the head ${head}: rows that were there are gone`] : [];
  const files = knowsHead === false ? await archives(ctx) : [];
  return refused(
    `the journal ${await ctx.journal.place()} is not whole: ${[...rows, ...more, ...strange].join('; ')}`,
    findings.length === 0
      ? files.length === 0
        ? ['show your lead']
        : [
            'it may be older than an archive; look there, and else show your lead:',
            ...files.map((file) => plainCommand('journal', 'verify', '--from', file, '--head', head ?? '')),
          ]
      : ['paydesk journal verify --repair   (keeps a copy)'],
    {
      certain: `${stops ? 'every change is refused until the journal is repaired' : 'the rows of the journal fit together, so changes are still possible'}; nothing was sent`,
    },
  );
}

// The names of the files to which changes were moved.
async function archives(ctx: Context): Promise<readonly string[]> {
  const rows = await ctx.journal.settings();
  return rows.flatMap((row) => (row.type === 'setting' ? (archivedBy(row)?.file ?? []) : []));
}

async function acceptCopy(ctx: Context): Promise<undefined> {
  const file = await ctx.journal.place();
  const would = `would allow changes again with the copy ${file}`;
  if (await dryRunShown(ctx, { action: 'accept_copy', file }, would)) return undefined;
  const problem = await ctx.journal.problem(true);
  if (problem !== undefined) ctx.notes.warn(problem);
  ctx.notes.warn(
    'a refund that was sent after the copy was made is not known here, and limits that were set after that do not hold: paydesk profile show',
  );
  await confirmRaise(
    ctx,
    await modeOfJournal(ctx),
    'changes are to be allowed again, by somebody who looked which orders were changed since then',
  );
  await ctx.journal.acceptCopy();
  const record = { object: 'journal_copy', file, accepted: true };
  await ctx.out.own(record, () => [
    { line: { text: file, style: 'strong' } },
    { line: 'changes are allowed again; for 24 hours each refund needs the id of its order (--confirm ID)' },
  ]);
}

/** Rows of production may be lost, and a copy may lack them, so a profile of production counts like such a row. */
export async function modeOfJournal({ journal, profiles }: Context): Promise<Mode> {
  const all = await profiles.list();
  // A journal that cannot be read says nothing: then only the profiles count.
  const isProduction =
    all.some(({ mode }) => mode === 'production') ||
    (await namesProduction(journal).catch(orElse(() => false)));
  return isProduction ? 'production' : 'sandbox';
}

async function namesProduction(journal: Context['journal']): Promise<boolean> {
  // A row that has nothing left but its order counts in both modes, unless its account says which.
  for await (const page of pagesOf(journal, { livemode: true }))
    if (page.some(({ sent }) => modeOfAccount(sent.account) !== 'sandbox')) return true;
  return (await journal.settings()).some(({ account }) => modeOfAccount(account) === 'production');
}

async function repair(ctx: Context): Promise<number | undefined> {
  const file = await ctx.journal.place();
  const would = `would keep copies of ${file} and its witness and rebuild both from what can be read`;
  if (await dryRunShown(ctx, { action: 'repair', file }, would)) return undefined;
  const message = 'keep copies and rebuild the journal and its witness from all that can be read of both?';
  if ((await modeOfJournal(ctx)) === 'sandbox') await confirmFirst(ctx, message, 'nothing was changed');
  else
    await confirmRaise(
      ctx,
      'production',
      'the journal is to be rebuilt from what can be read of it; what is lost may have moved real money',
    );
  const done = await ctx.journal.repair();
  const { copy, witnessCopy, kept, doubtful, lost, unreadable, blocked, unblocked, mayBeCopy } = done;
  const record = {
    object: 'journal_repair',
    copy: copy ?? null,
    witness_copy: witnessCopy ?? null,
    kept,
    doubtful,
    lost,
    unreadable_pages: unreadable,
    blocked: blocked.map(namedFields),
    unblocked: unblocked.map(namedFields),
    may_be_copy: mayBeCopy,
  };
  await ctx.out.own(record, () => repairView(done));
  return doubtful + lost.length + unreadable + blocked.length > 0 || mayBeCopy ? 7 : undefined;
}

const namedFields = ({ change, orderId }: NamedChange) => ({ change, order: orderId ?? null });

function repairView({
  copy,
  witnessCopy,
  kept,
  doubtful,
  lost,
  unreadable,
  blocked,
  unblocked,
  mayBeCopy,
}: Repair): readonly Block[] {
  const open = blocked.length;
  const isLost = lost.length + unreadable > 0;
  return [
    { line: `${kept} rows kept, ${doubtful} doubtful, ${lost.length} lost` },
    ...(unreadable === 0 ? [] : [{ line: `${counted(unreadable, 'page')} of the file could not be read` }]),
    ...(copy === undefined ? [] : [{ line: `the damaged file is kept: ${copy}` }]),
    ...(witnessCopy === undefined ? [] : [{ line: `the witness as it was is kept: ${witnessCopy}` }]),
    ...(blocked.length === 0
      ? []
      : [{ line: `unconfirmed, because their rows are lost: ${namesOf(blocked)}` }]),
    ...(unblocked.length === 0
      ? []
      : [{ line: `their records are lost, and how they ended is known: ${namesOf(unblocked)}` }]),
    ...(open === 0 && (isLost || unblocked.length > 0)
      ? [
          {
            line: 'the loss blocks no order; to see unconfirmed changes: paydesk journal list --open --all-profiles',
          },
        ]
      : []),
    ...(open === 0
      ? []
      : [
          { line: 'look at these orders, and settle them: paydesk journal list --open --all-profiles' },
          { line: 'until then these orders cannot be changed' },
        ]),
    ...(mayBeCopy
      ? [
          { line: 'the files may be older than what was sent, so no change is made before you have looked,' },
          { line: 'and then: paydesk journal verify --accept-copy' },
        ]
      : []),
  ];
}
