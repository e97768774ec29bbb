/** `journal list`: lists what this machine sent, and what became of it. */

import { type AttemptRecord, broughtBy, type ChangeKind, changeKinds } from '../../journal/journal.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { type Context, defineCommand, type Input } from '../command.ts';
import { flag, usage } from '../flags.ts';
import { clockAndZoneOf, rangeWords, whenFlag } from '../typed-time.ts';
import { attemptColumns, showAttempts } from './attempt-record.ts';
import { askingFile, elsewhereLines, fromFlag, hasCreated, needsPerson, withScope } from './attempts.ts';
import { readAgain } from './reconcile.ts';
import { settingColumns, showSettings } from './setting-record.ts';

const kindNames = [...(Object.keys(changeKinds) as [ChangeKind, ...ChangeKind[]]), 'setting'] as const;

const listFlags = {
  open: flag.switch({ summary: 'only unconfirmed changes, and alarms that nobody has acknowledged' }),
  order: flag.id('orders', { value: 'ID', summary: 'only changes of this order' }),
  since: whenFlag('only what was sent since: today, monday, 30d, 12h, a date, ISO 8601'),
  kind: flag.choice(kindNames, {
    value: 'KIND',
    summary:
      'only changes of this kind; setting: limits that were raised in a profile of this machine, or changed in the team',
  }),
  created: flag.text({
    value: 'WHAT',
    summary:
      'only the change that created this order or payment link: its id, its link, or words of its name',
  }),
  operator: flag.text({ value: 'NAME', summary: 'only what this person sent' }),
  desk: flag.text({ value: 'NAME', summary: 'only what was sent at this desk of the team' }),
  'all-profiles': flag.switch({ summary: 'changes of every account; no order is read again' }),
  from: fromFlag,
} as const;

export const list = defineCommand({
  description:
    'Lists what this machine sent with the account of the profile, newest last. First it checks unconfirmed changes again, three at most.',
  arguments: [],
  flags: listFlags,
  examples: [
    'paydesk journal list',
    'paydesk journal list --open --json | jq .data',
    'paydesk journal list --since 7d',
    'paydesk journal list --kind checkout',
    'paydesk journal list --kind setting --csv',
    'paydesk journal list --from journal-2025.paydesk --since 2025-11-01',
  ],
  exits: [0, 2, 3, 4],
  async run(asked, { flags }) {
    const run = await askingFile(asked, flags.from);
    if (flags.kind === 'setting') return listSettings(run, flags);
    run.out.checkColumns(attemptColumns);
    const { ctx, scope } = await withScope(run, flags['all-profiles'] === true);
    const origin = scope?.origin;
    const since = flags.since?.at(clockAndZoneOf(ctx));
    const span = rangeWords('changes sent', { since, until: undefined }, ctx.days.full);
    if (span !== undefined) ctx.notes.note(span);
    const query = { origin, orderId: flags.order, operator: flags.operator, since };
    if (origin !== undefined && !ctx.options.dryRun)
      await readAgain(ctx, await ctx.journal.attempts({ ...query, unsettled: true }));
    const attempts = (await ctx.journal.attempts(query)).filter(
      (record) =>
        (flags.kind === undefined || record.sent.proof.kind === flags.kind) &&
        (flags.desk === undefined || record.sent.stamp?.desk === flags.desk) &&
        (flags.created === undefined || hasCreated(record, flags.created)),
    );
    const shown = flags.open === true ? await openOf(ctx, attempts) : attempts;
    // What a member brings into the journal of a team later was sent earlier.
    const inOrder = shown.toSorted((one, other) => one.sent.time - other.sent.time);
    await showAttempts(ctx, inOrder, {
      isSearched: flags.created !== undefined,
      isOfPerson: flags.operator !== undefined,
    });
    // If rows of the journal are lost, an empty list proves nothing.
    if (shown.length === 0 && (await ctx.journal.problem()) !== undefined) return undefined;
    const { order, kind, created, operator, desk } = flags;
    const isWhole = [order, flags.since, kind, created, operator, desk].every(
      (filter) => filter === undefined,
    );
    if (shown.length === 0 && operator !== undefined) await noteOperators(ctx, origin);
    const lines = closingLines(shown, { open: flags.open === true, isWhole, scope });
    const elsewhere = flags.from === undefined ? await elsewhereLines(ctx, scope) : [];
    for (const line of [...lines, ...elsewhere]) ctx.notes.note(line);
    return undefined;
  },
});

// Whoever mistyped a name sees which there are.
async function noteOperators(ctx: Context, origin: string | undefined): Promise<void> {
  const all = await ctx.journal.attempts({ origin });
  const names = [...new Set(all.flatMap(({ sent }) => [sent.operator, broughtBy(sent) ?? sent.operator]))];
  if (names.length > 0) ctx.notes.note(`changes were sent by ${names.join(', ')}`);
}

async function listSettings(
  run: Context,
  flags: Input<readonly [], typeof listFlags>['flags'],
): Promise<undefined> {
  const misplaced = (['open', 'order', 'created', 'desk'] as const).find((name) => flags[name] !== undefined);
  if (misplaced !== undefined)
    throw usage(`--${misplaced} cannot be combined with --kind setting: a setting belongs to no order`);
  run.out.checkColumns(settingColumns);
  const { ctx, scope } = await withScope(run, flags['all-profiles'] === true);
  const since = flags.since?.at(clockAndZoneOf(ctx));
  const span = rangeWords('settings changed', { since, until: undefined }, ctx.days.full);
  if (span !== undefined) ctx.notes.note(span);
  const shown = await showSettings(ctx, { origin: scope?.origin, operator: flags.operator, since });
  const where = scope === undefined ? 'on this machine' : `for the account of profile ${scope.name}`;
  if (shown === 0 && (await ctx.journal.problem()) === undefined)
    ctx.notes.note(`the journal has no such change of a setting ${where}`);
  return undefined;
}

/** How a list is narrowed. */
interface Narrowed {
  readonly open: boolean;
  /** No other filter was given. */
  readonly isWhole: boolean;
  /** The profile whose account is listed; undefined for all. */
  readonly scope: Profile | undefined;
}

// Two accounts may have an order with the same id, so the line names the profiles.
function closingLines(
  shown: readonly AttemptRecord[],
  { open, isWhole, scope }: Narrowed,
): readonly string[] {
  if (shown.length === 0) {
    const where = scope === undefined ? 'from this machine' : `with profile ${scope.name}`;
    if (!isWhole) return [`no change ${where} matches`];
    return [`${open ? 'nothing is unconfirmed' : 'nothing was sent'} ${where}`];
  }
  const profiles = [...new Set(shown.map(({ sent }) => sent.profile))];
  return profiles.length < 2
    ? []
    : [`these changes were sent with ${profiles.join(', ')}; for only one of them: -p ${profiles[0]}`];
}

async function openOf(ctx: Context, attempts: readonly AttemptRecord[]): Promise<readonly AttemptRecord[]> {
  const now = await ctx.journal.now();
  return attempts.filter((record) => needsPerson(ctx, record, now));
}
