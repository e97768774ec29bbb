/** The rows of the journal about settings that were raised and limits of a team that were changed, as `journal list --kind setting` shows them. */

import { type Column, fieldColumn } from '../../api/resources.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { type LimitRow, limitValue, type SettingRow } from '../../journal/journal.ts';

export const settingColumns: readonly Column[] = [
  fieldColumn('changed_at', 'CHANGED', 'time', 0),
  { ...fieldColumn('setting', 'SETTING', 'text', 0), stays: true },
  fieldColumn('from', 'FROM', 'text', 0),
  { ...fieldColumn('to', 'TO', 'text', 0), stays: true },
  fieldColumn('operator', 'BY', 'text', 0),
  fieldColumn('profile', 'PROFILE', 'text', 0),
  fieldColumn('account', 'ACCOUNT', 'text'),
  fieldColumn('member', 'MEMBER', 'text'),
];

/** Which of them are wanted. */
interface SettingQuery {
  readonly origin: string | undefined;
  readonly operator: string | undefined;
  /** Unix milliseconds. */
  readonly since: number | undefined;
}

/** Shows the matching rows, and returns how many there are. */
export async function showSettings(ctx: Context, { origin, operator, since }: SettingQuery): Promise<number> {
  const rows = (await ctx.journal.settings()).filter(
    (row) =>
      (origin === undefined || row.type === 'limit' || row.origin === origin) &&
      (operator === undefined || row.operator === operator) &&
      (since === undefined || row.time >= since),
  );
  // Only a sender has rows whose names have a slash.
  const { senderRowWords = () => undefined } = rows.some(({ name }) => name.includes('/'))
    ? await import('../../sender/sender.ts')
    : {};
  const records = rows.map((row) =>
    row.type === 'limit' ? limitRecord(row) : { ...recordOf(row), ...senderRowWords(row) },
  );
  await ctx.out.ownList(settingColumns, records);
  return rows.length;
}

// `from` and `to` are null where the profile sets nothing, so the default counts.
function recordOf({ time, profile, account, operator, name, from, to }: SettingRow): JsonObject {
  const changed_at = Math.floor(time / 1000);
  return { object: 'setting_change', changed_at, setting: name, from, to, operator, profile, account };
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
    account,
    member: whose,
  };
}
