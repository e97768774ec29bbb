/** `profile show`, `list` and `use`: which profiles there are, every value of one and where it comes from, and which is used without -p. */

import { figureWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Field, field, recordFrom } from '../../api/resources.ts';
import { type Context, refuseAgentTo } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { listFileFlags } from '../../flags/flags.ts';
import { limitValue } from '../../journal/journal.ts';
import type {
  Described,
  ListedProfile,
  Profile,
  ProfileDescription,
  SettingTexts,
} from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { fieldsView, nameArgument, profileDryRunShown } from './profile-inputs.ts';
import { currencyOfLimit, limitsOf, moneyLimits, setWords } from './set-limits.ts';

export const show = defineCommand({
  description:
    'Shows every value and where it comes from: flag, environment, profile, account or default. Of the key it shows at most the last four characters and a fingerprint. Without a profile it shows only where files are.',
  arguments: [nameArgument(false)],
  examples: ['paydesk profile show', 'paydesk profile show test-mx --json'],
  exits: {
    4: 'there is no profile, or no key',
  },
  run: async (ctx, { args: [name] }): Promise<undefined> => {
    if (name !== undefined) ctx.useProfile(name);
    const described = await describe(ctx, name);
    const limits = await limitsShown(ctx, described);
    const reads = ctx.profiles.hostOf(described.profile.baseUrl)?.unicode;
    const values = reads === undefined ? described.values : withHost(described, reads);
    const shown = { ...described, values, settings: withLimits(described, underPolicy(ctx, limits)) };
    const files = { ...folderRecord(ctx), desk_key: (await ctx.deskKey()).publicKey() ?? null };
    await ctx.out.own({ ...recordOf(shown), ...files }, () => viewOf(shown, files));
  },
});

// A host with letters beyond ASCII is shown in both forms.
function withHost({ values }: ProfileDescription, value: string): readonly Described[] {
  return values.flatMap((one) =>
    one.name === 'base_url' ? [one, { name: 'host_reads', value, from: 'base_url' }] : [one],
  );
}

// Without a profile it still shows where the files are, because a person needs that most then.
async function describe(ctx: Context, name: string | undefined): Promise<ProfileDescription> {
  try {
    return await ctx.profiles.describe(name, true);
  } catch (error) {
    if (error instanceof CliError && error.kind === 'auth' && name === undefined) {
      const record = { object: 'profile', name: null, ...folderRecord(ctx) };
      await ctx.out.own(record, () => fieldsView('no profile', record));
    }
    throw error;
  }
}

function recordOf({ values, settings, key, fromDigest }: ProfileDescription): JsonObject {
  return {
    object: 'profile',
    ...Object.fromEntries([...values, ...settings].flatMap(pair)),
    key_in: key.keptIn,
    key_last4: key.lastFour ?? null,
    key_fingerprint: key.fingerprint ?? null,
    key_problem: key.problem ?? null,
    from_digest: fromDigest ?? null,
  };
}

function pair({ name, value, from }: Described): [string, unknown][] {
  return [
    [name, value ?? null],
    [`${name}_from`, from],
  ];
}

function folderRecord({
  profiles,
  journal,
  journalPlace,
  policy,
}: Context): Readonly<Record<string, string | null>> {
  return {
    file: profiles.file,
    policy_file: policy.file,
    config_folder: profiles.folders.config,
    state_folder: profiles.folders.state,
    journal_folder: journalPlace.folder,
    journal_folder_from: journalPlace.from,
    journal_file: journal.file,
    witness_file: journal.witness,
    cache_folder: profiles.folders.cache,
  };
}

// A limit is an amount: 50000 is also shown as 500.00 where the profile declares decimals.
function withDecimals(setting: Described, { settings }: Profile): Described {
  const currency = currencyOfLimit(setting.name);
  return currency === undefined || !/^\d+$/.test(setting.value ?? '')
    ? setting
    : { ...setting, value: figureWords(Number(setting.value), currency, settings) };
}

// The limits of the account instead of their defaults, and those of its team. If the journal cannot be read, nobody can say which
// apply.
async function limitsShown(
  ctx: Context,
  { profile, key }: ProfileDescription,
): Promise<readonly Described[]> {
  try {
    const limits = await limitsOf(ctx, { ...profile, keyFingerprint: key.fingerprint });
    const ofAccount = limits.map((limit) => ({
      name: limit.name,
      value: limit.value,
      from: setWords(ctx, limit),
    }));
    return [...ofAccount, ...(await teamLimits(ctx))];
  } catch (error) {
    if (!(error instanceof CliError) || error.kind === 'auth') throw error;
    ctx.notes.warn(
      `the limits of this account are in the journal, and that cannot be read: ${error.message}`,
    );
    return [];
  }
}

// The limits that the sender keeps for this member: `team.max.MXN`. A limit of the member's own replaces the one for everybody.
async function teamLimits(ctx: Context): Promise<readonly Described[]> {
  const rules = await ctx.journal.rules();
  if (rules === undefined) return [];
  const me = await rules.member();
  const limits = await rules.limits();
  const held = ['*', me].flatMap((member) => limits.filter((limit) => limit.member === member));
  const described = held.map(({ member, currency, name, value, setBy, setAt }) => ({
    name: `team.${name}.${currency}`,
    value: limitValue(name, String(value)),
    from: `team, for ${member === '*' ? 'everybody' : member}, set by ${setBy} on ${ctx.days.full(setAt)}`,
  }));
  return [...new Map(described.map((one) => [one.name, one])).values()];
}

// Nobody knows what a policy that cannot be used says. Then these values apply.
const whileNotUsed: SettingTexts = { production: 'read-only', redact: 'on', agents: 'off' };

// The limits together with those of the policy, where those are stricter, and with what else the policy says.
function underPolicy(ctx: Context, limits: readonly Described[]): readonly Described[] {
  const { file, problem } = ctx.policy;
  const says = problem === undefined ? ctx.policy.says : whileNotUsed;
  const ofPolicy = problem === undefined ? `policy ${file}` : `policy ${file}, which is not used`;
  const ofAccount = Object.fromEntries(limits.map(({ name, value = '' }) => [name, value]));
  const held = { ...says, ...ctx.profiles.strictest(ofAccount, ctx.policy.limits) };
  return Object.entries(held).map(([name, value]) => {
    const limit = limits.find((one) => one.name === name);
    if (limit?.value === value) return limit;
    const currency = currencyOfLimit(name);
    if (says[name] === value) return { name, value, from: ofPolicy };
    // Neither of the two says this value. If it is about a currency, one of them has no limit for the currency and so refuses it.
    if (currency !== undefined) {
      const who = limit === undefined ? 'account' : ofPolicy;
      return { name, value, from: `${who}: it has limits, and none for ${currency}` };
    }
    return { name, value, from: limit === undefined ? ofPolicy : `account and ${ofPolicy}` };
  });
}

function withLimits({ settings }: ProfileDescription, limits: readonly Described[]): readonly Described[] {
  const byName = new Map([...settings, ...limits].map((setting) => [setting.name, setting]));
  return [...byName.values()];
}

// What the sender of a team keeps for its member is shown together: a setting that is not set here may be demanded there.
function heldAt({
  values,
  settings,
}: ProfileDescription): Readonly<Record<'settings' | 'atSender', readonly Described[]>> {
  const isTeams = ({ name }: Described) => name === 'member_role' || name.startsWith('team.');
  return {
    settings: settings.filter((one) => !isTeams(one)),
    atSender: [...values, ...settings].filter(isTeams),
  };
}

// A limit per currency has a row for each currency that has one.
function unsetLine(settings: readonly Described[]): readonly Block[] {
  const unset = moneyLimits.filter((limit) => !settings.some(({ name }) => name.startsWith(`${limit}.`)));
  if (unset.length === 0) return [];
  const names = unset.map((limit) => `${limit}.CUR`).join(', ');
  return [{ line: { text: `not set: ${names}`, style: 'faint' }, hang: 2 }];
}

const missing: Readonly<Record<string, string>> = {
  desk_key: 'none yet: the first prove or export into a file makes it',
};

function viewOf(
  described: ProfileDescription,
  files: Readonly<Record<string, string | null>>,
): readonly Block[] {
  const { key, fromDigest } = described;
  const faint = (text: string) => ({ text, style: 'faint' as const });
  const row = ({ name, value, from }: Described) => [faint(name), value ?? '-', faint(from)];
  const lastFour = key.lastFour === undefined ? '' : `ends in ${key.lastFour}`;
  const print = key.fingerprint === undefined ? '' : `, fingerprint ${key.fingerprint}`;
  const { settings, atSender } = heldAt(described);
  const rows = [
    ...described.values.filter((one) => !atSender.includes(one)).map(row),
    [faint('key'), key.problem ?? (`${lastFour}${print}`.replace(/^, /, '') || '-'), faint(key.keptIn)],
    ...(fromDigest === undefined
      ? []
      : [[faint('made from'), fromDigest, faint("SHA-256 of the lead's settings file")]]),
  ];
  return [
    { grid: rows },
    'blank',
    { line: { text: 'settings', style: 'strong' } },
    { grid: settings.map((setting) => row(withDecimals(setting, described.profile))) },
    ...unsetLine(settings),
    ...(described.profile.sender === undefined
      ? []
      : [{ line: 'role and limits of the account are at the sender too: ask whoever runs it', hang: 2 }]),
    'blank',
    ...(atSender.length === 0
      ? []
      : ([
          { line: { text: 'at the sender, which checks these beside the settings', style: 'strong' } },
          { grid: atSender.map((setting) => row(withDecimals(setting, described.profile))) },
          'blank',
        ] as const)),
    { line: { text: 'files', style: 'strong' } },
    { grid: Object.entries(files).map(([name, text]) => [faint(name), text ?? missing[name] ?? '-']) },
  ];
}

const columns: readonly Field<ListedProfile>[] = [
  field('name', 'id', ({ name }) => name, { tableFrom: 0 }),
  field('mode', 'text', ({ mode }) => mode, { tableFrom: 0 }),
  field('base_url', 'text', ({ baseUrl }) => baseUrl, { tableFrom: 0 }),
  field('default', 'flag', ({ isDefault }) => isDefault, { tableFrom: 0 }),
  field('key_in', 'text', ({ keptIn }) => keptIn, { tableFrom: 0 }),
];

export const list = defineCommand({
  description: 'The profiles of this user, then the built-in ones. No key is read.',
  flags: listFileFlags,
  examples: ['paydesk profile list', "paydesk profile list --json | jq -r '.data[].name'"],
  run: async (ctx): Promise<undefined> => {
    const profiles = await ctx.profiles.list();
    await ctx.out.ownList(
      columns,
      profiles.map((profile) => recordFrom('profile', columns, profile)),
    );
    if (profiles.some(({ kind }) => kind === 'stored')) return;
    ctx.notes.note('you have no profile of your own yet: paydesk profile add NAME');
  },
});

export const use = defineCommand({
  description: 'With several profiles, a change in production still needs -p or PAYDESK_PROFILE.',
  arguments: [nameArgument(true)],
  examples: ['paydesk profile use test-mx', 'paydesk profile use demo --quiet'],
  run: async (ctx, { args: [name] }): Promise<undefined> => {
    const record = { object: 'profile', name, default: true };
    refuseAgentTo(ctx, 'chooses the profile that others use');
    await ctx.profiles.checkUsable(name);
    if (await profileDryRunShown(ctx, `use profile ${name}`, record)) return;
    await ctx.profiles.use(name);
    await ctx.out.own(record, () => fieldsView(`${name} is used when no -p is given`, record));
  },
});
