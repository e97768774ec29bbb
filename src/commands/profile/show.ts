/** `profile show`: shows every value of a profile, where the value comes from, and where the files are. */

import { figureWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import type { Described, Profile, ProfileDescription } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { fieldsView, nameArgument } from './profile-inputs.ts';

export const show = defineCommand({
  description:
    'Shows every value and where it comes from: flag, environment, profile or default. Of the key it shows at most the last four characters and a fingerprint. Without a profile it shows only where files are.',
  arguments: [nameArgument(false)],
  flags: {},
  examples: ['paydesk profile show', 'paydesk profile show test-mx --json'],
  exits: {
    4: 'there is no profile, or no key',
  },
  run: async (ctx, { args: [name] }): Promise<undefined> => {
    const described = await describe(ctx, name);
    const reads = ctx.profiles.hostOf(described.profile.baseUrl)?.unicode;
    const shown = reads === undefined ? described : { ...described, values: withHost(described, reads) };
    const record = { ...recordOf(shown), ...folderRecord(ctx) };
    await ctx.out.own(record, () => viewOf(ctx, shown));
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
    return await ctx.profiles.describe(name);
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

function folderRecord({ profiles, journal, journalPlace }: Context): JsonObject {
  return {
    file: profiles.file,
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
  const [, kind, currency = ''] = /^(refund\.max_amount|plan\.max_total)\.(.+)$/.exec(setting.name) ?? [];
  const limits = settings[kind === 'plan.max_total' ? kind : 'refund.max_amount'];
  const limit = limits[currency];
  return limit === undefined ? setting : { ...setting, value: figureWords(limit, currency, settings) };
}

function viewOf(ctx: Context, described: ProfileDescription): readonly Block[] {
  const { key, fromDigest } = described;
  const faint = (text: string) => ({ text, style: 'faint' as const });
  const row = ({ name, value, from }: Described) => [faint(name), value ?? '-', faint(from)];
  const lastFour = key.lastFour === undefined ? '' : `ends in ${key.lastFour}`;
  const print = key.fingerprint === undefined ? '' : `, fingerprint ${key.fingerprint}`;
  const rows = [
    ...described.values.map(row),
    [faint('key'), key.problem ?? (`${lastFour}${print}`.replace(/^, /, '') || '-'), faint(key.keptIn)],
    ...(fromDigest === undefined
      ? []
      : [[faint('made from'), fromDigest, faint("SHA-256 of the lead's settings file")]]),
  ];
  return [
    { grid: rows },
    'blank',
    { line: { text: 'settings', style: 'strong' } },
    { grid: described.settings.map((setting) => row(withDecimals(setting, described.profile))) },
    'blank',
    { line: { text: 'files', style: 'strong' } },
    { grid: Object.entries(folderRecord(ctx)).map(([name, path]) => [faint(name), String(path)]) },
  ];
}
