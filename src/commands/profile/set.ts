/** `profile set`: changes one setting of a profile. */

import { amountProblem, readAmount, scaled } from '../../amounts.ts';
import { CliError } from '../../errors.ts';
import type { PlannedSetting } from '../../profiles/profiles.ts';
import { type Context, defineCommand } from '../command.ts';
import { confirmDoubts, fieldsView, nameArgument, profileDryRunShown } from './profile-inputs.ts';

/** All settings with their values and defaults. A test compares this text with the settings themselves. */
export const settingsHelp = `Settings (CUR: a currency such as MXN; the word default restores the default):
  orders.get, customers.get   direct if the service finds one by its id (paged)
  orders.order                newest-first if lists come in that order (unknown)
  orders.status               filter of orders list
  checkouts.path              where checkouts are created (/checkouts)
  checkouts.expiry_field      how a payment link's expiry is spelled: expired_at or expires_at (expired_at)
  reference.keys              metadata keys of the shop's own number, the first that an order has (shop_order, reference, order_number)
  refund.require              reason / note / reason,note / none (none)
  refund.max_amount.CUR       most that the refunds of an order may add up to within any 24 hours, in the service's units
  refund.other_currencies     refuse or allow refunds and plans in a currency without a limit, once another has one (refuse)
  refund.send_within          from the final check to the sending (10s)
  refund.horizon_part         how late a charge's refund may turn up (24h)
  refund.horizon_whole        how late a whole order's refund may (15min)
  reconcile.after             reads after a lost reply, in seconds (0,2,5,15)
  plan.max_total.CUR          most that the refunds of a plan may add up to, in the service's units
  plan.max_count              most rows of a plan
  plan.max_age                how old a plan may be when it is applied (24h)
  amounts.decimals.CUR        decimals of a currency: 2 shows 23000 as 230.00 too, and takes --amount 230.00 as 23000
  amounts.grouping            on: 23 000 instead of 23000 on screens (off)
  time.zone                   zone of the times on screen
  index.fields                texts that the index holds: all, none, or some of name, email, phone, card, auth, reference, item, metadata, with commas (all)
  index.keep                  how old orders in the index may be, such as 400d (all)
Also: api-version, lang, auth.
paydesk asks before a limit is raised or removed (in scripts: --yes), and before plans may be older or other currencies are allowed. Such a change is written to the journal: journal list --kind setting.`;

const word = (name: string, summary: string) =>
  ({ name, summary, required: true, parse: (text: string): string => text }) as const;

export const set = defineCommand({
  description: settingsHelp,
  arguments: [
    nameArgument(true),
    word('setting', 'what to set'),
    word('value', 'its value, or the word default'),
  ],
  flags: {},
  examples: [
    'paydesk profile set test-mx refund.max_amount.MXN 50000',
    'paydesk profile set test-mx refund.require reason,note',
    'paydesk profile set test-mx refund.require default --json',
  ],
  exits: [0, 2, 3, 4],
  run: async (ctx, { args: [name, setting, typed] }): Promise<undefined> => {
    await ctx.profiles.checkStored(name);
    const value = inUnits(ctx, { name, setting, typed });
    const both = (text: string): string => inBoth(ctx, { name, setting, text });
    const asked = { object: 'profile', name, setting, value };
    if (await profileDryRunShown(ctx, `set ${setting} of profile ${name}`, asked)) return;
    await confirmDoubts(ctx, { [setting]: value });
    const planned = await ctx.profiles.planSet(name, setting, value);
    const raise = raiseWords(planned, both);
    if (raise !== undefined) await confirmRaise(ctx, raise);
    const change = await ctx.profiles.set(name, setting, value, (now) =>
      recordRaise(ctx, now, { confirmed: raise, both }),
    );
    if (raise !== undefined)
      ctx.notes.note('this change is in the journal: paydesk journal list --kind setting');
    const record = {
      object: 'profile',
      name,
      setting: change.setting,
      value: change.after ?? null,
      value_before: change.before ?? null,
    };
    await ctx.out.own(record, () =>
      fieldsView(
        `${change.setting} of profile ${name} is ${change.after === undefined ? 'the default' : both(change.after)} now`,
        record,
      ),
    );
  },
});

const certain = 'nothing was changed';

// A limit of money; undefined for any other setting.
function currencyOfLimit(setting: string): string | undefined {
  return /^(?:refund\.max_amount|plan\.max_total)\.([A-Za-z]{3})$/.exec(setting)?.[1]?.toUpperCase();
}

// Where decimals are declared, `500.00` is 50000 of the service's units, as everywhere else.
function inUnits(
  ctx: Context,
  { name, setting, typed }: { readonly name: string; readonly setting: string; readonly typed: string },
): string {
  const currency = currencyOfLimit(setting);
  const amount = readAmount(typed);
  if (currency === undefined || amount?.places === undefined) return typed;
  const problem = amountProblem(amount, currency, ctx.profiles.amountStyle(name));
  if (problem === undefined) return String(amount.amount);
  throw new CliError('usage', `${setting} ${typed}: ${problem}`, { certain });
}

// `50000 (500.00 MXN)` where decimals are declared: a lead may have meant the other one.
function inBoth(
  ctx: Context,
  { name, setting, text }: { readonly name: string; readonly setting: string; readonly text: string },
): string {
  const currency = currencyOfLimit(setting);
  const decimals = /^\d+$/.test(text)
    ? scaled(Number(text), currency, ctx.profiles.amountStyle(name))
    : undefined;
  return decimals === undefined ? text : `${text} (${decimals} ${currency})`;
}

async function confirmRaise(ctx: Context, what: string): Promise<void> {
  if (ctx.options.yes) return;
  if (!ctx.ask.interactive)
    throw new CliError('usage', what, { certain, now: ['if that is meant, add --yes'] });
  ctx.notes.warn(what);
  if (!(await ctx.ask.confirm({ message: 'set it?', flag: '--yes' })))
    throw new CliError('cancelled', certain);
}

// Undefined for a change that raises nothing.
function raiseWords(
  { setting, raise, profile }: PlannedSetting,
  both: (text: string) => string,
): string | undefined {
  return (
    raise &&
    `${setting} of profile ${profile.name} would allow more: ${both(raise.to)} instead of ${both(raise.from)}`
  );
}

// The journal comes first. If it cannot be written, nothing is changed. A crash between the two leaves a row about a change
// that was not made, never a change without its row.
async function recordRaise(
  ctx: Context,
  now: PlannedSetting,
  { confirmed, both }: { readonly confirmed: string | undefined; readonly both: (text: string) => string },
): Promise<void> {
  const what = raiseWords(now, both);
  if (what === undefined) return;
  // Somebody else has changed the profile since the question.
  if (what !== confirmed)
    throw new CliError('refused', what, { certain, now: ['if that is meant, run the command again'] });
  const { setting: name, before, after, profile } = now;
  const { name: named, origin, account } = profile;
  try {
    const [from, to] = [before ?? null, after ?? null];
    await ctx.journal.recordSetting({ profile: named, origin, account, name, from, to });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError('refused', `${name} stays as it is, because the journal cannot be written: ${why}`, {
      certain,
      now: error instanceof CliError ? (error.parts.now ?? []) : [],
      cause: error,
    });
  }
}
