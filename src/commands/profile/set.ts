/** `profile set`: changes one setting of a profile, or a limit of its account. */

import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import type { Completer } from '../../flags/flags.ts';
import type { AccountLimit } from '../../journal/journal.ts';
import { plainCommand, type SettingChange } from '../../profiles/profiles.ts';
import { amountProblem, readAmount } from '../../typed-amounts.ts';
import { defineCommand } from '../command.ts';
import {
  confirmDoubts,
  fieldsView,
  nameArgument,
  profileDryRunShown,
  refuseAgentIn,
  refuseWiderView,
} from './profile-inputs.ts';
import { currencyOfLimit, limitInBoth, limitsOf, setLimits, tellRaises } from './set-limits.ts';

const word = (name: string, summary: string, offers: Completer) =>
  ({ name, summary, required: true, offers, parse: (text: string): string => text }) as const;

export const set = defineCommand({
  description:
    'The word default as a value restores the default. A limit belongs to the account and is kept in the journal: it applies to every profile of that account. paydesk asks before it allows more than before; in production only a person at a terminal can say yes to that.',
  arguments: [
    nameArgument(true),
    word('setting', 'what to set', (_typed, known) => known.settings()),
    word('value', 'its value, or the word default', ({ args: [, setting = ''] }, known) =>
      known.settings(setting),
    ),
  ],
  examples: [
    'paydesk profile set test-mx refund.max_amount.MXN 50000',
    'paydesk profile set test-mx refund.require default --json',
  ],
  run: async (ctx, { args: [name, setting, typed] }): Promise<undefined> => {
    ctx.useProfile(name);
    await ctx.profiles.checkStored(name);
    await refuseAgentIn(ctx, name);
    refuseWiderView(ctx, { [setting]: typed });
    const value = inUnits(ctx, { name, setting, typed: await templateIn(ctx, setting, typed) });
    const both = (text: string): string => limitInBoth(ctx, { name }, setting, text);
    const asked = { object: 'profile', name, setting, value };
    const to = both(value) === value ? '' : ` to ${both(value)}`;
    const limit = ctx.profiles.limitNamed(setting, value);
    await confirmDoubts(ctx, { [setting]: value });
    if (ctx.options.dryRun) await checkChange(ctx, { name, setting, limit, value });
    if (await profileDryRunShown(ctx, `set ${setting} of profile ${name}${to}`, asked)) return;
    const change =
      limit === undefined
        ? await ctx.profiles.set(name, setting, value)
        : await setLimit(ctx, name, limit, value);
    const record = {
      object: 'profile',
      name,
      setting: change.setting,
      value: change.after ?? null,
      value_before: change.before ?? null,
      ...(limit === undefined || change.after === undefined
        ? {}
        : { does: ctx.profiles.effect(limit, change.after) }),
    };
    if (limit !== undefined) tellPolicy(ctx, name, limit, change.after);
    if (change.setting === 'redact' && change.after !== 'on' && ctx.policy.says.redact === 'on')
      ctx.notes.warn(`the policy of this machine keeps redact on: ${ctx.policy.file}`);
    await ctx.out.own(record, () =>
      fieldsView(
        `${change.setting} of ${limit === undefined ? 'profile' : 'the account of'} ${name} is ${change.after === undefined ? 'the default' : both(change.after)} now`,
        record,
      ),
    );
  },
});

// Checks the change. A dry run says what the real run would ask about.
async function checkChange(
  ctx: Context,
  {
    name,
    setting,
    limit,
    value,
  }: Readonly<Record<'name' | 'setting' | 'value', string>> & { limit: string | undefined },
): Promise<void> {
  if (limit === undefined) return await ctx.profiles.checkSetting(name, setting, value);
  const account = await ctx.profiles.accountOf(name);
  await tellRaises(ctx, { name, ...account }, { [limit]: textOf(value) ?? null });
  tellOthers(ctx, { name, limit, value }, await limitsOf(ctx, account));
  tellPolicy(ctx, name, limit, textOf(value));
}

// If the policy of the machine is stricter, what was set has no effect on this machine.
function tellPolicy(ctx: Context, name: string, limit: string, value: string | undefined): void {
  const { file, limits } = ctx.policy;
  const held = ctx.profiles.strictest(value === undefined ? {} : { [limit]: value }, limits)[limit];
  if (held !== undefined && held !== value)
    ctx.notes.warn(`the policy of this machine keeps ${limitInBoth(ctx, { name }, limit, held)}: ${file}`);
}

// With the first limit of money, everything in another currency is refused.
function tellOthers(
  ctx: Context,
  { name, limit, value }: Readonly<Record<'name' | 'limit' | 'value', string>>,
  before: readonly AccountLimit[],
): void {
  const currency = currencyOfLimit(limit);
  const kind = limit.slice(0, -4);
  const others = 'refund.other_currencies';
  const isFirst = !before.some((one) => one.name.startsWith(`${kind}.`));
  const isAllowed = before.some((one) => one.name === others && one.value === 'allow');
  if (currency === undefined || textOf(value) === undefined || !isFirst || isAllowed) return;
  ctx.notes.note(
    `${kind === 'plan.max_total' ? 'plans' : 'refunds'} in another currency than ${currency} are refused then; to allow them: ${plainCommand('profile', 'set', name, others, 'allow')}`,
  );
}

// `default` removes a setting.
function textOf(value: string): string | undefined {
  return value === 'default' ? undefined : value;
}

async function setLimit(ctx: Context, name: string, limit: string, value: string): Promise<SettingChange> {
  const { limitsInFile, ...account } = await ctx.profiles.accountOf(name);
  const after = textOf(value);
  const before = await setLimits(ctx, { name, ...account }, { [limit]: after ?? null });
  if (limitsInFile.includes(limit)) await ctx.profiles.set(name, limit, 'default');
  ctx.notes.note('this is recorded in the journal: paydesk journal list --kind setting');
  tellOthers(ctx, { name, limit, value }, before);
  return { setting: limit, before: before.find((one) => one.name === limit)?.value, after };
}

// The template of a receipt is a file, because it has several lines. The profile keeps its text.
async function templateIn(ctx: Context, setting: string, typed: string): Promise<string> {
  if (setting !== 'receipt.template' || typed === 'default') return typed;
  return (await ctx.file(typed, 10_000)).trimEnd();
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
  throw new CliError('usage', `${setting} ${typed}: ${problem}`, { certain: 'nothing was changed' });
}
