/** `profile set`: changes one setting of a profile. */

import { amountProblem, readAmount, scaled } from '../../amounts.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import type { PlannedSetting } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { confirmDoubts, fieldsView, nameArgument, profileDryRunShown } from './profile-inputs.ts';

const word = (name: string, summary: string) =>
  ({ name, summary, required: true, parse: (text: string): string => text }) as const;

export const set = defineCommand({
  description:
    'The word default as a value restores the default. paydesk asks before a limit is raised or removed, and before plans may be older. Such a change is written to the journal.',
  arguments: [
    nameArgument(true),
    word('setting', 'what to set'),
    word('value', 'its value, or the word default'),
  ],
  flags: {},
  examples: [
    'paydesk profile set test-mx refund.max_amount.MXN 50000',
    'paydesk profile set test-mx refund.require default --json',
  ],
  run: async (ctx, { args: [name, setting, typed] }): Promise<undefined> => {
    await ctx.profiles.checkStored(name);
    const value = inUnits(ctx, { name, setting, typed: await templateIn(ctx, setting, typed) });
    const both = (text: string): string => inBoth(ctx, { name, setting, text });
    const asked = { object: 'profile', name, setting, value };
    const to = both(value) === value ? '' : ` to ${both(value)}`;
    if (await profileDryRunShown(ctx, `set ${setting} of profile ${name}${to}`, asked)) return;
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

// The template of a receipt is a file, because it has several lines. The profile keeps its text.
async function templateIn(ctx: Context, setting: string, typed: string): Promise<string> {
  if (setting !== 'receipt.template' || typed === 'default') return typed;
  return (await ctx.file(typed, 10_000)).trimEnd();
}

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
