/** What the profile commands share: flags and questions for a key, the NAME argument, and how records are shown. */

import { isObject, type JsonObject } from '../../api/json-values.ts';
import { type Context, refuseAgentTo } from '../../context/context.ts';
import { CliError, refused } from '../../errors.ts';
import type { Completer, Input } from '../../flags/flags.ts';
import { flag } from '../../flags/flags.ts';
import type { KeyPlace, SettingTexts, TypedKey } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';

export const keyFlags = {
  'key-stdin': flag.switch('read the key from standard input', { conflicts: ['key-file'] }),
  'key-file': flag.text('FILE', 'read the key from a file', { conflicts: ['key-stdin'] }),
  'key-store': flag.choice(
    ['keyring', 'file'],
    'WHERE',
    'keep the key in the system keyring, or in a file that only you can read',
  ),
} as const;

// The value that masks more, for each setting that decides what an agent sees.
const narrowing: SettingTexts = { 'reference.keys': '', redact: 'on', 'agents.personal_data': 'masked' };

/** Throws CliError 'refused' for settings with which a software agent would see more. */
export function refuseWiderView(ctx: Context, settings: SettingTexts): void {
  for (const [name, value] of Object.entries(settings))
    if (Object.hasOwn(narrowing, name) && narrowing[name] !== value)
      refuseAgentTo(ctx, `sets ${name}, which decides what agents see`);
}

type KeyFlagValues = Input<readonly [], typeof keyFlags>['flags'];

/** Throws CliError 'refused' if an agent changes a profile of production: a person may send with it later. */
export async function refuseAgentIn(ctx: Context, name: string): Promise<void> {
  if ((await ctx.profiles.accountOf(name)).mode === 'production')
    refuseAgentTo(ctx, 'changes a profile of production');
}

/** Reads a key from standard input, a file or a prompt, never from an argument. `where` says in words where it came from. */
export async function takeKey(ctx: Context, flags: KeyFlagValues, profile: string): Promise<TypedKey> {
  // A line break at the end is not part of the key.
  const limit = ctx.profiles.keyLimit + 2;
  const file = flags['key-file'];
  if (flags['key-stdin'] === true) return { text: await ctx.stdin(limit), where: '--key-stdin' };
  if (file !== undefined) return { text: await ctx.file(file, limit), where: `--key-file ${file}` };
  const text = await ctx.ask.secret({
    message: `private key of ${profile}`,
    flag: '--key-stdin or --key-file',
    check: ctx.profiles.problem.key,
  });
  return { text, where: 'as typed' };
}

/**
 * Whether the key comes from a flag, or nobody is at the terminal. Then paydesk does not ask where to keep the key either.
 */
export function isScripted(ctx: Context, flags: KeyFlagValues): boolean {
  return !ctx.ask.interactive || flags['key-stdin'] === true || flags['key-file'] !== undefined;
}

/**
 * Reads the key of a new profile, and where to keep it. A person is asked for the place first. `again`: the command that adds
 * the profile.
 */
export async function readNewKey(
  ctx: Context,
  flags: KeyFlagValues,
  profile: string,
  again: string,
): Promise<TypedKey & { readonly place: KeyPlace }> {
  if (isScripted(ctx, flags)) {
    const key = await takeKey(ctx, flags, profile);
    return { ...key, place: flags['key-store'] ?? (await keyringOrRefuse(ctx)) };
  }
  const place = flags['key-store'] ?? (await askPlace(ctx, again));
  return { ...(await takeKey(ctx, flags, profile)), place };
}

/** Where to keep a key that nobody types. Without a keyring a script has to ask for the file. */
export async function takePlace(
  ctx: Context,
  flags: { readonly 'key-store'?: KeyPlace | undefined },
  again: string,
): Promise<KeyPlace> {
  return (
    flags['key-store'] ?? (ctx.ask.interactive ? await askPlace(ctx, again) : await keyringOrRefuse(ctx))
  );
}

// Without a keyring paydesk does not put the key into a file by itself. Somebody must ask for that.
async function keyringOrRefuse(ctx: Context): Promise<KeyPlace> {
  const problem = await ctx.profiles.keyringProblem();
  if (problem === undefined) return 'keyring';
  throw refused(
    `the system keyring cannot keep the key: ${problem}`,
    ['to keep it in a file that only you can read, add --key-store file'],
    { certain: 'nothing was kept and nothing was sent' },
  );
}

async function askPlace(ctx: Context, again: string): Promise<KeyPlace> {
  const problem = await ctx.profiles.keyringProblem();
  if (problem !== undefined) return askForFile(ctx, problem, again);
  return ctx.ask.choose<KeyPlace>({
    message: 'keep the key in',
    flag: '--key-store',
    choices: [
      { value: 'keyring', label: 'the system keyring' },
      { value: 'file', label: 'a file that only you can read', detail: ctx.profiles.folders.config },
    ],
  });
}

async function askForFile(ctx: Context, problem: string, again: string): Promise<KeyPlace> {
  ctx.notes.warn(`no system keyring available (${problem})`);
  const consent = await ctx.ask.confirm({
    message: 'keep the key in a file that only you can read?',
    flag: '--key-store file',
  });
  if (consent) return 'file';
  throw new CliError('cancelled', 'nothing was kept and nothing was sent', {
    now: ['start a system keyring, or keep the key in a file:', `${again} --key-store file`],
  });
}

const offerProfiles: Completer = (_typed, known) => known.profiles();

/** The argument NAME. When NAME is optional it means the same as -p NAME, and wins over it. */
export function nameArgument<const R extends boolean>(required: R) {
  return {
    name: 'name',
    summary: required ? 'name of the profile' : 'name of the profile, the same as -p NAME',
    required,
    offers: offerProfiles,
    parse: (text: string): string => text,
  } as const;
}

/** Draws a title and the fields of a record, without `object` and without null values. */
export function fieldsView(title: string, record: JsonObject): readonly Block[] {
  const rows = Object.entries(record)
    // Settings are fields of their own.
    .flatMap(([name, value]) => (isObject(value) ? Object.entries(value) : [[name, value] as const]))
    .filter(([name, value]) => name !== 'object' && value !== null)
    .map(([name, value]) => [{ text: name, style: 'faint' as const }, String(value)]);
  return [{ line: { text: title, style: 'strong' } }, { grid: rows, indent: 2 }];
}

/** With --dry-run: prints what would be done and returns true. */
export async function profileDryRunShown(ctx: Context, action: string, record: JsonObject): Promise<boolean> {
  if (!ctx.options.dryRun) return false;
  const { object: _, ...fields } = record;
  await ctx.out.dryRun({ ...fields, action }, () => fieldsView(`would ${action}`, record));
  return true;
}

/**
 * Asks about settings that are probably mistyped; a dry run only warns. Throws CliError 'refused' if nobody can be asked and --yes is
 * missing, 'cancelled' on No.
 */
export async function confirmDoubts(ctx: Context, settings: SettingTexts): Promise<void> {
  const { yes, dryRun } = ctx.options;
  for (const [name, value] of Object.entries(settings)) {
    const doubt = ctx.profiles.doubt(name, value);
    if (doubt === undefined || yes) continue;
    const words = `${name} ${value}: ${doubt}`;
    if (!dryRun && !ctx.ask.interactive)
      throw refused(words, ['if it is right all the same, add --yes'], { certain: 'nothing was changed' });
    ctx.notes.warn(words);
    if (dryRun) continue;
    const message = `set ${name} to ${value} all the same?`;
    if (!(await ctx.ask.confirm({ message, flag: '--yes' })))
      throw new CliError('cancelled', 'nothing was changed');
  }
}
