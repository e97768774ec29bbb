/** `journal list`: lists what this machine sent, and what became of it; with `--kind setting`, which settings were changed, and by whom. */

import { figureWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Column, column, type Field, field, recordFrom } from '../../api/resources.ts';
import { secondsOf } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { flag, type Input, listFileFlags, typedId, usage } from '../../flags/flags.ts';
import { periodOf, rangeOf, timeFlags, timeWords } from '../../flags/typed-period.ts';
import { clockAndZoneOf, rangeWords } from '../../flags/typed-time.ts';
import {
  type AttemptFilter,
  type AttemptRecord,
  attemptName,
  byNewest,
  type ChangeKind,
  changeKinds,
  type LimitRow,
  limitPrefix,
  limitValue,
  openAttempts,
  pagesOf,
  type SentRow,
  type SettingRow,
} from '../../journal/journal.ts';
import { mayNameOrder, orderByName } from '../../orders/orders.ts';
import {
  accountSpan,
  commandLine,
  flagWords,
  modeOfAccount,
  type Profile,
  plainCommand,
} from '../../profiles/profiles.ts';
import type { Cell } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { attemptColumns, showAttemptPages, showAttempts } from './attempt-record.ts';
import { askingFile, elsewhereLines, fromFlag, lostRecords, lostWords, scopeOf } from './journal-scope.ts';
import { readBeforeList } from './look-again.ts';
import { attemptNamed, nextFlag } from './meant-change.ts';
import { operatorMeant } from './meant-names.ts';

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
  order: {
    ...flag.id('orders', 'ID', "only changes of this order; the shop's own number works too"),
    parse: (text: string, name: string): string =>
      mayNameOrder(text) ? text : typedId('orders', text, name),
  },
  ...timeFlags('any time', {
    since: 'only what was sent from this time on',
    until: 'only what was sent before this time',
  }),
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
  flags: listFlags,
  examples: ['paydesk journal list', 'paydesk journal list --open --json | jq .data'],
  async run(here, { flags }) {
    const { kind, order, desk } = flags;
    const isNumber = order !== undefined && mayNameOrder(order);
    if (isNumber && (flags.from !== undefined || flags['all-profiles'] === true))
      throw usage(`--order ${order}: type the id of the order`);
    const ctx = await askingFile(here, flags.from);
    if (kind === 'setting') refuseAttemptFlags(flags);
    ctx.out.checkColumns(kind === 'setting' ? await settingColumns(ctx) : attemptColumns);
    const scope = await scopeOf(ctx, flags['all-profiles'] === true);
    const origin = scope?.origin;
    const range = rangeOf(ctx, periodOf(flags), clockAndZoneOf(ctx));
    const what = kind === 'setting' ? 'settings changed' : 'changes sent';
    const span = rangeWords(what, range, ctx.days.full);
    if (span !== undefined) ctx.notes.note(span);
    if (kind === 'setting')
      return await listSettings(ctx, { origin, operator: flags.operator, ...range }, scope);
    const operator = await operatorMeant(ctx, flags.operator, (name) => [
      commandAgain(ctx, { ...flags, operator: name }, scope),
    ]);
    const orderId = isNumber ? await orderByName(ctx, await ctx.service(), order) : order;
    const asked = { origin, orderId, operator, ...range };
    if (origin !== undefined && !ctx.options.dryRun && flags.next === undefined)
      await readBeforeList(ctx, asked);
    const shown = await showChosen(ctx, { ...asked, kind, desk }, flags);
    // If rows of the journal are lost, an empty list proves nothing.
    if (shown.count === 0 && (await ctx.journal.problem()) !== undefined) return undefined;
    // Nobody knows who sent it, and no kind chooses it.
    const mayBeLost = kind === undefined ? operator !== undefined || desk !== undefined : kind === 'refund';
    const lost = mayBeLost && orderId === undefined ? await lostRecords(ctx, scope, range) : [];
    if (lost.length > 0) ctx.notes.warn(lostWords(lost, 'this list does not have what they made'));
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
  /** More changes were sent before this attempt; undefined if there are no more. */
  readonly moreBefore: AttemptRecord | undefined;
}

async function showChosen(ctx: Context, filter: AttemptFilter, flags: ListInput): Promise<Shown> {
  const { next, open, limit = usualLimit } = flags;
  const asked = { isOfPerson: flags.operator !== undefined };
  const before = next === undefined ? undefined : (await attemptNamed(ctx, next)).sent;
  // Somebody who writes a file wants all changes.
  const isAll = flags.all ?? (flags.to !== undefined && flags.limit === undefined && open !== true);
  if (isAll) return await showAll(ctx, filter, before, asked);
  const found =
    open === true
      ? await openOf(ctx, filter)
      : // One more than is shown, which says whether there is a next page.
        await ctx.journal.list(filter, { limit: limit + 1, before });
  const isCut = open !== true && found.length > limit;
  // The newest come last, because that is where a person looks first.
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

// Sorted by the time of sending: what a member later brings into the journal of a team was sent before other changes in it.
async function openOf(ctx: Context, filter: AttemptFilter): Promise<readonly AttemptRecord[]> {
  const open = await openAttempts(ctx.journal, filter);
  return open.toSorted((one, other) => byNewest(one.sent, other.sent));
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
    const { order, kind, operator, desk, next } = flags;
    if ([order, periodOf(flags), kind, operator, desk, next].some((filter) => filter !== undefined))
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

// The command for the next page, in the words of `orders list`.
function nextLine(
  ctx: Context,
  count: number,
  flags: ListInput,
  { scope, moreBefore }: { readonly scope: Profile | undefined; readonly moreBefore: AttemptRecord },
): Cell {
  const shown = counted(count, 'change');
  const next = commandAgain(ctx, { ...flags, next: attemptName(moreBefore) }, scope);
  return scope === undefined
    ? `${shown}. next: ${next}`
    : [`${shown}, `, accountSpan(scope), `. next: ${next}`];
}

function commandAgain(
  ctx: Context,
  { limit, order, kind, operator, desk, open, from, next, 'all-profiles': all, ...time }: ListInput,
  scope: Profile | undefined,
): string {
  const words = [
    'journal',
    'list',
    ...timeWords(time, clockAndZoneOf(ctx)),
    ...flagWords({ limit, order, kind, operator, desk, open, from, 'all-profiles': all }),
    ...ctx.options.outputWords,
    ...flagWords({ next }),
  ];
  return scope === undefined ? plainCommand(...words) : commandLine(scope, ...words);
}

const notOfSettings = ['open', 'order', 'desk', 'limit', 'next'] as const;

function refuseAttemptFlags(flags: ListInput): void {
  const misplaced = notOfSettings.find((name) => flags[name] !== undefined);
  if (misplaced !== undefined)
    throw usage(
      `--${misplaced} cannot be combined with --kind setting: a setting belongs to no order, and all are listed`,
    );
}

// A table shows a limit of money as `profile show` does; files have it as it was set.
async function settingColumns({
  profiles,
}: Context): Promise<readonly (Column | Field<SettingRow | LimitRow>)[]> {
  const { currencyOfLimit } = await import('../profile/set-limits.ts');
  const inBoth = (name: 'from' | 'to') => (record: JsonObject) => {
    const { [name]: value, setting, profile } = record;
    const currency = currencyOfLimit(String(setting));
    // A limit of money has no default. Those of a team belong to no profile.
    if (value === null && currency === undefined && profile !== null) return 'default';
    return currency === undefined || typeof value !== 'string' || !/^\d+$/.test(value)
      ? value
      : figureWords(Number(value), currency, profiles.amountStyle(String(profile)));
  };
  const shown = (name: 'from' | 'to', more: Partial<Column>): Column =>
    column(`${name}_shown`, 'text', { ...more, tableFrom: 0, value: inBoth(name), derived: true });
  const valueIn = (name: 'from' | 'to') => (row: SettingRow | LimitRow) =>
    row.type === 'limit' && row[name] !== null ? limitValue(row.name, row[name]) : row[name];
  return [
    field('changed_at', 'time', ({ time }) => secondsOf(time), { title: 'CHANGED', tableFrom: 0 }),
    field('setting', 'text', settingName, { tableFrom: 0, stays: true }),
    shown('from', { title: 'FROM' }),
    shown('to', { title: 'TO', stays: true }),
    field('from', 'text', valueIn('from')),
    field('to', 'text', valueIn('to')),
    field('operator', 'text', ({ operator }) => operator, { title: 'BY', tableFrom: 0 }),
    // A limit of a team belongs to the account, whatever a profile of it is called.
    field('profile', 'text', (row) => (row.type === 'limit' ? null : row.profile), { tableFrom: 0 }),
    field('mode', 'text', ({ account }) => modeOfAccount(account), { tableFrom: 0 }),
    field('account', 'text', ({ account }) => account, { tableFrom: 100 }),
    column('member', 'text'),
  ];
}

/** Shows the changes of settings that the journal has. */
async function listSettings(
  ctx: Context,
  { origin, operator, since, until }: Pick<AttemptFilter, 'origin' | 'operator' | 'since' | 'until'>,
  scope: Profile | undefined,
): Promise<undefined> {
  const rows = (await ctx.journal.settings()).filter(
    (row) =>
      (origin === undefined || row.type === 'limit' || row.origin === origin) &&
      (operator === undefined || row.operator === operator) &&
      (since === undefined || row.time >= since) &&
      (until === undefined || row.time < until),
  );
  // Only a sender has rows whose names have a slash.
  const { senderRowWords = () => undefined } = rows.some(({ name }) => nameShown(name).includes('/'))
    ? await import('../../sender/sender.ts')
    : {};
  const columns = await settingColumns(ctx);
  const records = rows.map((row) => ({
    ...recordFrom('setting_change', columns, row),
    ...(row.type === 'limit' ? { member: whoseLimit(row) } : senderRowWords(row)),
  }));
  await ctx.out.ownList(columns, records);
  const where = scope === undefined ? 'on this machine' : `for the account of profile ${scope.name}`;
  if (rows.length === 0 && (await ctx.journal.problem()) === undefined)
    ctx.notes.note(`the journal has no such change of a setting ${where}`);
}

function settingName(row: SettingRow | LimitRow): string {
  return row.type === 'limit'
    ? `team limit ${row.name} ${row.currency} of ${whoseLimit(row)}`
    : nameShown(row.name);
}

// The limits of accounts are kept apart from other rows by how their names begin.
function nameShown(name: string): string {
  return name.startsWith(limitPrefix) ? name.slice(limitPrefix.length) : name;
}

function whoseLimit({ member }: LimitRow): string {
  return member === '*' ? 'all' : member;
}
