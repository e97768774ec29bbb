/** `journal list --kind setting`: lists the limits and other settings that were changed, and who changed them. */

import { figureWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Column, fieldColumn } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { usage } from '../../flags/flags.ts';
import { clockAndZoneOf, rangeWords, type When } from '../../flags/typed-time.ts';
import {
  type AttemptFilter,
  type LimitRow,
  limitPrefix,
  limitValue,
  type SettingRow,
} from '../../journal/journal.ts';
import { modeOfAccount } from '../../profiles/profiles.ts';
import { currencyOfLimit } from '../profile/account-limits.ts';
import { scopeOf } from './attempts.ts';

const others = ['open', 'order', 'desk', 'limit', 'next'] as const;

/** The flags of `journal list` as typed: those of a list of settings, and others, which it refuses. */
type Asked = Readonly<Partial<Record<(typeof others)[number], unknown>>> & {
  readonly 'all-profiles'?: boolean | undefined;
  readonly operator?: string | undefined;
  readonly since?: When | undefined;
};

/** Shows what was changed of settings that the journal has, narrowed by these flags. */
export async function listSettings(ctx: Context, flags: Asked): Promise<undefined> {
  const misplaced = others.find((name) => flags[name] !== undefined);
  if (misplaced !== undefined)
    throw usage(
      `--${misplaced} cannot be combined with --kind setting: a setting belongs to no order, and all are listed`,
    );
  ctx.out.checkColumns(settingColumns(ctx));
  const scope = await scopeOf(ctx, flags['all-profiles'] === true);
  const since = flags.since?.at(clockAndZoneOf(ctx));
  const span = rangeWords('settings changed', { since, until: undefined }, ctx.days.full);
  if (span !== undefined) ctx.notes.note(span);
  const shown = await showSettings(ctx, { origin: scope?.origin, operator: flags.operator, since });
  const where = scope === undefined ? 'on this machine' : `for the account of profile ${scope.name}`;
  if (shown === 0 && (await ctx.journal.problem()) === undefined)
    ctx.notes.note(`the journal has no such change of a setting ${where}`);
}

// A table shows a limit of money as `profile show` does; files have it as it was set.
function settingColumns({ profiles }: Context): readonly Column[] {
  const inBoth = (name: 'from' | 'to') => (record: JsonObject) => {
    const { [name]: value, setting, profile } = record;
    const currency = currencyOfLimit(String(setting));
    // A limit of money has no default. Those of a team belong to no profile.
    if (value === null && currency === undefined && profile !== null) return 'default';
    return currency === undefined || typeof value !== 'string' || !/^\d+$/.test(value)
      ? value
      : figureWords(Number(value), currency, profiles.amountStyle(String(profile)));
  };
  const shown = (name: 'from' | 'to', title: string): Column => ({
    ...fieldColumn(`${name}_shown`, title, 'text', 0),
    value: inBoth(name),
    derived: true,
  });
  return [
    fieldColumn('changed_at', 'CHANGED', 'time', 0),
    { ...fieldColumn('setting', 'SETTING', 'text', 0), stays: true },
    shown('from', 'FROM'),
    { ...shown('to', 'TO'), stays: true },
    fieldColumn('from', 'FROM', 'text'),
    fieldColumn('to', 'TO', 'text'),
    fieldColumn('operator', 'BY', 'text', 0),
    fieldColumn('profile', 'PROFILE', 'text', 0),
    fieldColumn('mode', 'MODE', 'text', 0),
    fieldColumn('account', 'ACCOUNT', 'text', 100),
    fieldColumn('member', 'MEMBER', 'text'),
  ];
}

/** Which of them are wanted. */
type SettingQuery = Pick<AttemptFilter, 'origin' | 'operator' | 'since'>;

/** Shows the matching rows, and returns how many there are. */
async function showSettings(ctx: Context, { origin, operator, since }: SettingQuery): Promise<number> {
  const rows = (await ctx.journal.settings()).filter(
    (row) =>
      (origin === undefined || row.type === 'limit' || row.origin === origin) &&
      (operator === undefined || row.operator === operator) &&
      (since === undefined || row.time >= since),
  );
  // Only a sender has rows whose names have a slash.
  const { senderRowWords = () => undefined } = rows.some(({ name }) => nameShown(name).includes('/'))
    ? await import('../../sender/sender.ts')
    : {};
  const records = rows.map((row) =>
    row.type === 'limit' ? limitRecord(row) : { ...recordOf(row), ...senderRowWords(row) },
  );
  await ctx.out.ownList(settingColumns(ctx), records);
  return rows.length;
}

// `from` and `to` are null where the profile sets nothing, so the default counts.
function recordOf({ time, profile, account, operator, name, from, to }: SettingRow): JsonObject {
  const changed_at = Math.floor(time / 1000);
  const setting = nameShown(name);
  const mode = modeOfAccount(account) ?? null;
  return { object: 'setting_change', changed_at, setting, from, to, operator, profile, mode, account };
}

// The limits of accounts are kept apart from other rows by how their names begin.
function nameShown(name: string): string {
  return name.startsWith(limitPrefix) ? name.slice(limitPrefix.length) : name;
}

// It belongs to the account, whatever a profile of it is called.
function limitRecord({ time, operator, account, member, currency, name, from, to }: LimitRow): JsonObject {
  const whose = member === '*' ? 'all' : member;
  return {
    object: 'setting_change',
    changed_at: Math.floor(time / 1000),
    setting: `team limit ${name} ${currency} of ${whose}`,
    from: from === null ? null : limitValue(name, from),
    to: to === null ? null : limitValue(name, to),
    operator,
    profile: null,
    mode: modeOfAccount(account) ?? null,
    account,
    member: whose,
  };
}
