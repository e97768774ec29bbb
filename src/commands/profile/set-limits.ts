/** The limits of an account for the profile commands: how one is set, and what screens say about those that apply. */

import { scaled } from '../../amounts.ts';
import { livemodeOf } from '../../api/spec.ts';
import { type Context, confirmRaise, onlyPerson } from '../../context/context.ts';
import { CliError, messageOf, refused } from '../../errors.ts';
import { type AccountLimit, limitPrefix, textsOf } from '../../journal/journal.ts';
import type { StoredAccount } from '../../profiles/profiles.ts';

/** An account whose limits are meant, and the profile that was named. */
interface LimitedProfile extends Pick<StoredAccount, 'origin' | 'account' | 'mode' | 'keyFingerprint'> {
  readonly name: string;
}

/** The limits that apply to it, in the order in which they were set. */
export function limitsOf(ctx: Context, of: Omit<LimitedProfile, 'name'>): Promise<readonly AccountLimit[]> {
  return ctx.journal.limits({ ...of, livemode: livemodeOf[of.mode] });
}

/** `refund.max_amount.MXN 50000, refund.require note` */
export function limitsInWords(limits: readonly AccountLimit[]): string {
  return limits.map(({ name, value }) => `${name} ${value}`).join(', ');
}

/** `account, set by op7 on 21 Nov 2026 05:20:00 UTC` */
export function setWords(ctx: Context, { setBy, setAt }: AccountLimit): string {
  return `account, set by ${setBy} on ${ctx.days.full(setAt)}`;
}

/** `50000 (500.00 MXN)` where the profile declares decimals: a lead may have meant the other form. */
export function limitInBoth(
  ctx: Context,
  { name }: Pick<LimitedProfile, 'name'>,
  limit: string,
  text: string,
): string {
  const currency = currencyOfLimit(limit);
  const decimals = /^\d+$/.test(text)
    ? scaled(Number(text), currency, ctx.profiles.amountStyle(name))
    : undefined;
  return decimals === undefined ? text : `${text} (${decimals} ${currency})`;
}

/** The limits of money, without their currency. */
export const moneyLimits = ['refund.max_amount', 'plan.max_total'] as const;

// The limits of money that the sender of a team keeps, by their names in `profile show`.
const teamMoney = ['team.max', 'team.day', 'team.second'];

/** The currency of a limit of money; undefined for any other setting. */
export function currencyOfLimit(setting: string): string | undefined {
  const limit = [...moneyLimits, ...teamMoney].find((one) => setting.startsWith(`${one}.`));
  const currency = limit === undefined ? '' : setting.slice(limit.length + 1);
  return /^[A-Za-z]{3}$/.test(currency) ? currency.toUpperCase() : undefined;
}

const certain = 'nothing was changed';

/**
 * Sets limits of an account, after it asked about each that allows more than before; null removes one. Throws CliError 'refused'
 * if somebody else sets one at the same time, if the journal cannot be written, and for a limit in production that allows more,
 * if nobody can be asked.
 */
export async function setLimits(
  ctx: Context,
  profile: LimitedProfile,
  wanted: Readonly<Record<string, string | null>>,
): Promise<readonly AccountLimit[]> {
  const raises = raiseWords(ctx, profile, await limitsOf(ctx, profile), wanted);
  for (const words of raises) await confirmRaise(ctx, profile.mode, words);
  const taken = await ctx.lock(`limits of ${profile.account}`);
  if (!taken.held)
    throw refused('somebody else is setting a limit of this account', ['run the command again'], { certain });
  try {
    const before = await limitsOf(ctx, profile);
    const now = raiseWords(ctx, profile, before, wanted).find((words) => !raises.includes(words));
    if (now !== undefined) throw refused(now, ['if that is meant, run the command again'], { certain });
    for (const [name, to] of Object.entries(wanted)) await record(ctx, profile, before, { name, to });
    return before;
  } finally {
    await taken.release();
  }
}

/** Says which of these changes would allow more than before, and who may make them. */
export async function tellRaises(
  ctx: Context,
  profile: LimitedProfile,
  wanted: Readonly<Record<string, string | null>>,
): Promise<void> {
  const who =
    profile.mode === 'production' ? onlyPerson : 'paydesk asks before it sets that, and --yes says yes';
  for (const words of raiseWords(ctx, profile, await limitsOf(ctx, profile), wanted))
    ctx.notes.warn(`${words}; ${who}`);
}

function raiseWords(
  ctx: Context,
  profile: LimitedProfile,
  limits: readonly AccountLimit[],
  wanted: Readonly<Record<string, string | null>>,
): readonly string[] {
  const before = textsOf(limits);
  return Object.entries(wanted).flatMap(([name, to]) => {
    const { [name]: _, ...others } = before;
    const raise = ctx.profiles.raise(name, before, to === null ? others : { ...others, [name]: to });
    if (raise === undefined) return [];
    const [more, less] = [raise.to, raise.from].map((text) => limitInBoth(ctx, profile, name, text));
    return [`${name} of profile ${profile.name} would allow more: ${more} instead of ${less}`];
  });
}

async function record(
  ctx: Context,
  { name: profile, origin, account, keyFingerprint }: LimitedProfile,
  before: readonly AccountLimit[],
  { name, to }: { readonly name: string; readonly to: string | null },
): Promise<void> {
  const from = before.find((limit) => limit.name === name)?.value ?? null;
  if (from === to) return;
  try {
    const row = { profile, origin, account, keyFingerprint, name: `${limitPrefix}${name}`, from, to };
    await ctx.journal.recordSetting(row);
  } catch (error) {
    const why = messageOf(error);
    const reason = error instanceof CliError ? why : `the journal cannot be written: ${why}`;
    throw refused(
      `${name} stays as it is, because ${reason}`,
      error instanceof CliError ? (error.parts.now ?? []) : [],
      { certain, cause: error },
    );
  }
}
