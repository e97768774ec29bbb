/** Finds the limits of an account in rows of the journal: the newest row about each limit counts, whatever profile set it. Pure. */

import { livemodeOf } from '../../api/spec.ts';
import { modeOfAccount, type SettingTexts } from '../../profiles/profiles.ts';
import type { SettingRow } from '../rows/journal-rows.ts';
import { type AccountMarks, hasSameLimits } from '../same-account.ts';
import type { LimitRow } from '../team-rules.ts';

/** How the names of rows about limits begin. */
export const limitPrefix = 'limit/';

/** A limit that is set for an account. */
export interface AccountLimit {
  /** The full name of the setting, `refund.max_amount.MXN`. */
  readonly name: string;
  readonly value: string;
  readonly setBy: string;
  /** Unix milliseconds. */
  readonly setAt: number;
}

/** The limits that hold for an account, in the order in which they were last set. */
export function accountLimits(
  rows: readonly (SettingRow | LimitRow)[],
  account: AccountMarks,
): readonly AccountLimit[] {
  const limits = new Map<string, AccountLimit>();
  for (const row of rows) {
    if (row.type !== 'setting' || !row.name.startsWith(limitPrefix)) continue;
    if (!hasSameLimits(marksOfLimit(row), account)) continue;
    const name = row.name.slice(limitPrefix.length);
    limits.delete(name);
    if (row.to !== null) limits.set(name, { name, value: row.to, setBy: row.operator, setAt: row.time });
  }
  return [...limits.values()];
}

/** The texts of limits, by name. */
export function textsOf(limits: readonly AccountLimit[]): SettingTexts {
  return Object.fromEntries(limits.map(({ name, value }) => [name, value]));
}

function marksOfLimit({ origin, account, keyFingerprint }: SettingRow): AccountMarks {
  const mode = modeOfAccount(account);
  return { origin, keyFingerprint, livemode: mode === undefined ? false : livemodeOf[mode] };
}
