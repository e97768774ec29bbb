/** `journal list`: lists what this machine sent, and what became of it. */

import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { flag, type Input, listFileFlags } from '../../flags/flags.ts';
import { clockAndZoneOf, rangeWords, whenFlag } from '../../flags/typed-time.ts';
import {
  type AttemptFilter,
  type AttemptRecord,
  attemptName,
  byNewest,
  type ChangeKind,
  changeKinds,
  needsPerson,
  pagesOf,
  type SentRow,
} from '../../journal/journal.ts';
import { accountSpan, commandLine, flagWords, type Profile, plainCommand } from '../../profiles/profiles.ts';
import type { Cell } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { showAttemptPages, showAttempts } from './attempt-list.ts';
import { attemptColumns } from './attempt-record.ts';
import {
  askingFile,
  attemptNamed,
  elsewhereLines,
  fromFlag,
  nextFlag,
  operatorMeant,
  scopeOf,
} from './attempts.ts';
import { listSettings } from './list-settings.ts';
import { readBeforeList } from './look-again.ts';

const kindNames = [...(Object.keys(changeKinds) as [ChangeKind, ...ChangeKind[]]), 'setting'] as const;

const usualLimit = 20;

const listFlags = {
  limit: flag.integer(1, 250, 'N', 'changes per page', {
    defaultText: String(usualLimit),
    conflicts: ['all'],
  }),
  next: nextFlag,
  all: flag.switch('every change, the newest first', { conflicts: ['limit'] }),
  open: flag.switch('all unconfirmed changes, and alarms that nobody has acknowledged', {
    conflicts: ['limit', 'next', 'all'],
  }),
  order: flag.id('orders', 'ID', 'only changes of this order'),
  since: whenFlag('only what was sent since: today, monday, 30d, 12h, a date, ISO 8601'),
  kind: flag.choice(
    kindNames,
    'KIND',
    'only changes of this kind; setting: every change of a limit, of accounts and of the team, and of other settings that the journal has',
  ),
  operator: flag.person('only what this person sent'),
  desk: flag.text('NAME', 'only what was sent at this desk of the team'),
  'all-profiles': flag.switch('changes of every account; no order is read again'),
  from: fromFlag,
  ...listFileFlags,
} as const;

type ListInput = Input<readonly [], typeof listFlags>['flags'];

export const list = defineCommand({
  description:
    'Shows the newest changes that were sent with the account of the profile, the newest last, and the command for those before them. First it checks unconfirmed changes again, three at most.',
  arguments: [],
  flags: listFlags,
  examples: ['paydesk journal list', 'paydesk journal list --open --json | jq .data'],
  async run(here, { flags }) {
    const ctx = await askingFile(here, flags.from);
    const { kind } = flags;
    if (kind === 'setting') return listSettings(ctx, flags);
    ctx.out.checkColumns(attemptColumns);
    const scope = await scopeOf(ctx, flags['all-profiles'] === true);
    const origin = scope?.origin;
    const since = flags.since?.at(clockAndZoneOf(ctx));
    const span = rangeWords('changes sent', { since, until: undefined }, ctx.days.full);
    if (span !== undefined) ctx.notes.note(span);
    const { order: orderId, desk } = flags;
    const operator = await operatorMeant(ctx, flags.operator, origin);
    const asked = { origin, orderId, operator, since };
    if (origin !== undefined && !ctx.options.dryRun && flags.next === undefined)
      await readBeforeList(ctx, asked);
    const shown = await showChosen(ctx, { ...asked, kind, desk }, flags);
    // If rows of the journal are lost, an empty list proves nothing.
    if (shown.count === 0 && (await ctx.journal.problem()) !== undefined) return undefined;
    const lines = closingLines(ctx, shown, flags, scope);
    const elsewhere = flags.from === undefined ? await elsewhereLines(ctx, scope) : [];
    for (const line of [...lines, ...elsewhere]) ctx.notes.note(line);
    return undefined;
  },
});

/** What was shown of the journal. */
interface Shown {
  readonly count: number;
  /** The profiles that sent it. */
  readonly profiles: ReadonlySet<string>;
  /** There is more that was sent before this attempt; undefined if there is not. */
  readonly moreBefore: AttemptRecord | undefined;
}

async function showChosen(ctx: Context, filter: AttemptFilter, flags: ListInput): Promise<Shown> {
  const { next, open, limit = usualLimit } = flags;
  const asked = { isOfPerson: flags.operator !== undefined };
  const before = next === undefined ? undefined : (await attemptNamed(ctx, next)).sent;
  // Whoever writes a file wants all of them.
  const isAll = flags.all ?? (flags.to !== undefined && flags.limit === undefined && open !== true);
  if (isAll) return await showAll(ctx, filter, before, asked);
  const found =
    open === true
      ? await openOf(ctx, filter)
      : // One more, which says whether there is a next page.
        await ctx.journal.list(filter, { limit: limit + 1, before });
  const isCut = open !== true && found.length > limit;
  // The newest last, where a person looks first.
  const shown = (isCut ? found.slice(0, limit) : found).toReversed();
  await showAttempts(ctx, shown, { ...asked, hasMore: isCut });
  const profiles = new Set(shown.map(({ sent }) => sent.profile));
  return { count: shown.length, profiles, moreBefore: isCut ? shown[0] : undefined };
}

async function showAll(
  ctx: Context,
  filter: AttemptFilter,
  before: SentRow | undefined,
  asked: Parameters<typeof showAttemptPages>[2],
): Promise<Shown> {
  const profiles = new Set<string>();
  let count = 0;
  async function* pages(): AsyncGenerator<readonly AttemptRecord[]> {
    for await (const page of pagesOf(ctx.journal, filter, { limit: 250, before })) {
      for (const { sent } of page) profiles.add(sent.profile);
      count += page.length;
      yield page;
    }
  }
  await showAttemptPages(ctx, pages(), asked);
  return { count, profiles, moreBefore: undefined };
}

// What a member brings into the journal of a team later was sent earlier.
async function openOf(ctx: Context, filter: AttemptFilter): Promise<readonly AttemptRecord[]> {
  const now = await ctx.journal.now();
  return (await ctx.journal.attempts({ ...filter, open: now }))
    .filter((record) => needsPerson(record, now))
    .toSorted((one, other) => byNewest(one.sent, other.sent));
}

// Two accounts may have an order with the same id, so the line names the profiles.
function closingLines(
  ctx: Context,
  { count, profiles, moreBefore }: Shown,
  flags: ListInput,
  scope: Profile | undefined,
): readonly Cell[] {
  if (count === 0) {
    const where = scope === undefined ? 'from this machine' : `with profile ${scope.name}`;
    const { order, since, kind, operator, desk, next } = flags;
    if ([order, since, kind, operator, desk, next].some((filter) => filter !== undefined))
      return [`no change ${where} matches`];
    return [`${flags.open === true ? 'nothing is unconfirmed' : 'nothing was sent'} ${where}`];
  }
  const [first] = profiles;
  const names = [...profiles].join(', ');
  return [
    ...(moreBefore === undefined ? [] : [nextLine(ctx, count, flags, { scope, moreBefore })]),
    ...(profiles.size < 2
      ? []
      : [`these changes were sent with ${names}; for only one of them: -p ${first}`]),
  ];
}

// As `orders list` says it.
function nextLine(
  ctx: Context,
  count: number,
  { limit, order, since, kind, operator, desk, from, 'all-profiles': all }: ListInput,
  { scope, moreBefore }: { readonly scope: Profile | undefined; readonly moreBefore: AttemptRecord },
): Cell {
  const values = { limit, order, since: since?.text, kind, operator, desk, from, 'all-profiles': all };
  const words = [
    'journal',
    'list',
    ...flagWords(values),
    ...ctx.options.outputWords,
    '--next',
    attemptName(moreBefore),
  ];
  const shown = counted(count, 'change');
  if (scope === undefined) return `${shown}. next: ${plainCommand(...words)}`;
  return [`${shown}, `, accountSpan(scope), `. next: ${commandLine(scope, ...words)}`];
}
