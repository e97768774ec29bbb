/** `sender limits`: shows the limits of the team, or sets those of a member or of everybody. */

import { type AmountStyle, figuresIn } from '../../amounts.ts';
import { type Column, column, type Field, field, recordFrom } from '../../api/resources.ts';
import { currencyPattern, secondsOf } from '../../api/spec.ts';
import { type Context, confirmRaise, dryRunShown, refuseAgentTo } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { flag, type Input, oneOf, usage } from '../../flags/flags.ts';
import { type LimitChanges, limitValue, type TeamLimit, type TeamRules } from '../../journal/journal.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { teamRaises } from '../../sender/sender.ts';
import { amountProblem, readAmount, type TypedAmount } from '../../typed-amounts.ts';
import { defineCommand } from '../command.ts';

const sum = (summary: string) =>
  flag.of<TypedLimit | TypedAmount>({
    value: 'AMOUNT',
    summary,
    allowed: 'a whole number, or with amounts.decimals 500.00; none, default',
    parse: readSum,
  });
const needed = (summary: string) => flag.choice(['yes', 'none', 'default'], 'YES', summary);

type TypedLimit = number | 'none' | null;

const limitFlags = {
  max: sum('the most that may be refunded on one order within 24 hours'),
  day: sum('the most that one member may refund within 24 hours'),
  second: sum('from this sum on somebody else must approve'),
  'max-age': flag.of<TypedLimit>({
    value: 'DAYS',
    summary: 'the oldest order that is refunded, such as 90d',
    allowed: 'days such as 90d, none, default',
    parse: readAge,
  }),
  'need-reason': needed('a refund needs a reason'),
  'need-note': needed('a refund needs a note'),
} as const;

const columnsIn = ({ settings }: Profile): readonly (Column | Field<TeamLimit>)[] => [
  field('member', 'text', ({ member }) => (member === '*' ? 'all' : member), { tableFrom: 0, stays: true }),
  field('currency', 'text', ({ currency }) => currency, { tableFrom: 0, stays: true }),
  field('limit', 'text', ({ name }) => name, { tableFrom: 0, stays: true }),
  column('value_shown', 'text', {
    title: 'VALUE',
    tableFrom: 0,
    stays: true,
    derived: true,
    value: ({ limit, value, currency }) =>
      limitValue(String(limit), String(value), figuresIn(String(currency), settings)),
  }),
  field('value', 'text', ({ value }) => value, {
    value: ({ limit, value }) => limitValue(String(limit), String(value)),
  }),
  field('set_by', 'text', ({ setBy }) => setBy, { tableFrom: 0 }),
  field('set_at', 'time', ({ setAt }) => secondsOf(setAt), { title: 'SET', tableFrom: 0 }),
];

export const limits = defineCommand({
  description:
    "Without arguments it shows the limits; set WHO CUR sets those of a member, or of everybody if WHO is all, and a member's own limit counts instead. none: this member has no such limit; default: takes the limit away. The sender checks them right before a refund is sent, and only leads set them; in production only a person at a terminal allows more than before.",
  arguments: [
    {
      name: 'set',
      summary: 'set limits',
      required: false,
      choices: ['set'],
      parse: (text: string, name: string) => oneOf(['set'], text, name),
    },
    { name: 'who', summary: 'name of a member, or all', required: false, parse: (text: string) => text },
    { name: 'currency', summary: 'such as MXN', required: false, parse: readCurrency },
  ],
  flags: {
    ...limitFlags,
    account: flag.text('PROFILE', 'at the sender: the account, if it has several'),
  },
  examples: ['paydesk sender limits', 'paydesk sender limits set all MXN --max 50000 --second 20000 --yes'],
  async run(ctx, { args: [set, who, currency], flags: { account, ...flags } }): Promise<undefined> {
    if (set !== undefined) refuseAgentTo(ctx, 'sets limits of a team');
    const rules = await limitsOfTeam(ctx, account);
    if (set === undefined) {
      if (valuesOf(flags).length > 0) throw usage('say whose limits: set WHO CUR');
      const shown = await rules.limits();
      const columns = columnsIn(await rules.profile());
      await ctx.out.ownList(
        columns,
        shown.map((limit) => recordFrom('team_limit', columns, limit)),
      );
      if (shown.length === 0) ctx.notes.note('the team has no limits');
      return undefined;
    }
    const { mode, settings } = await rules.profile();
    const changes = changesOf(who, currency, flags, settings);
    const inWords = figuresIn(currency, settings);
    const words = Object.entries(changes.values).map(
      ([name, value]) => `${name} ${value === null ? 'default' : limitValue(name, String(value), inWords)}`,
    );
    const whose = changes.member === '*' ? 'everybody' : changes.member;
    const what = `set for ${whose} in ${changes.currency}: ${words.join(', ')}`;
    const plan = {
      action: 'team_limits',
      member: changes.member,
      currency: changes.currency,
      ...changes.values,
    };
    if (await dryRunShown(ctx, plan, `would ${what}`)) return undefined;
    const raises = teamRaises(await rules.limits(), changes, inWords);
    // As with `profile set`: what allows less is set at once.
    if (raises.length > 0)
      await confirmRaise(
        ctx,
        mode,
        `limits of ${whose} in ${changes.currency} would allow more: ${raises.join(', ')}`,
      );
    const rows = await rules.setLimits(changes);
    const changed = rows.map(({ name, from, to }) => ({ limit: name, from, to }));
    await ctx.out.own(
      { object: 'team_limits', member: changes.member, currency: changes.currency, changed },
      () =>
        changed.length === 0
          ? [{ line: 'these limits are set already' }]
          : changed.map(({ limit, from, to }) => ({
              line: `${whose}, ${changes.currency}: ${limit} ${limitValue(limit, from, inWords)} → ${limitValue(limit, to, inWords)}`,
            })),
    );
  },
});

// At a desk, the sender says what the limits are; on the sender's own machine, its journal does.
async function limitsOfTeam(
  ctx: Context,
  account: string | undefined,
): Promise<Pick<TeamRules, 'limits' | 'setLimits'> & { readonly profile: () => Promise<Profile> }> {
  const atDesk = await ctx.journal.rules();
  if (atDesk !== undefined && account !== undefined) throw usage('--account is for whoever runs the sender');
  if (atDesk !== undefined) return { ...atDesk, profile: async () => (await ctx.profiles.open()).profile };
  const sender = await ctx.sender();
  if (ctx.options.profile !== undefined && !sender.isThere()) await refuseAlone(ctx);
  return { ...(await sender.limits(account)), profile: () => sender.profileOf(account) };
}

// A profile with a key of its own has the limits of its account.
async function refuseAlone({ profiles }: Context): Promise<never> {
  const { profile } = await profiles.open();
  throw new CliError('refused', `${profile.name} sends alone, without the sender of a team`, {
    now: [
      `its limits: ${commandLine(profile, 'profile', 'show')}`,
      `who set them: ${commandLine(profile, 'journal', 'list', '--kind', 'setting')}`,
    ],
  });
}

type Values = Input<readonly [], typeof limitFlags>['flags'];

function valuesOf({ max, day, second, 'max-age': age, ...needs }: Values) {
  const [reason, note] = [needOf(needs['need-reason']), needOf(needs['need-note'])];
  const values = { max, day, second, age, reason, note };
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
}

function needOf(typed: 'yes' | 'none' | 'default' | undefined): 1 | 'none' | null | undefined {
  if (typed === 'yes') return 1;
  return typed === 'default' ? null : typed;
}

function changesOf(
  who: string | undefined,
  currency: string | undefined,
  flags: Values,
  style: AmountStyle,
): LimitChanges {
  if (who === undefined || currency === undefined)
    throw usage('say whose limits, and in which currency: set WHO CUR');
  const values = valuesOf(flags);
  if (values.length === 0)
    throw usage(
      `say which limit: ${Object.keys(limitFlags)
        .map((name) => `--${name}`)
        .join(', ')}`,
    );
  const inUnits = values.map(([name, value]) => [
    name,
    typeof value === 'object' && value !== null ? unitsOf(value, name, currency, style) : value,
  ]);
  return { member: who === 'all' ? '*' : who, currency, values: Object.fromEntries(inUnits) };
}

// Where decimals are declared, `500.00` is 50000 of the service's units, as everywhere else.
function unitsOf(typed: TypedAmount, name: string, currency: string, style: AmountStyle): number {
  const problem = amountProblem(typed, currency, style);
  if (problem === undefined) return typed.amount;
  throw usage(`--${name} ${typed.text}: ${problem}`);
}

function readCurrency(text: string, name: string): string {
  if (currencyPattern.test(text)) return text.toUpperCase();
  throw usage(`${name} ${text}: not a currency such as MXN`);
}

function readAge(text: string, name: string): TypedLimit {
  const days = /^([1-9][0-9]{0,4})d$/.exec(text)?.[1];
  if (days !== undefined) return Number(days);
  if (text === 'none' || text === 'default') return readLimit(text, name);
  throw usage(`${name} ${text}: not days such as 90d, none or default`);
}

function readSum(text: string, name: string): TypedLimit | TypedAmount {
  const typed = readAmount(text);
  return typed?.places === undefined ? readLimit(text, name) : typed;
}

function readLimit(text: string, name: string): TypedLimit {
  if (text === 'none') return text;
  if (text === 'default') return null;
  if (/^(0|[1-9][0-9]{0,14})$/.test(text)) return Number(text);
  throw usage(`${name} ${text}: not a whole number, none or default`);
}
