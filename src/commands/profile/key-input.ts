/** How a key comes in: by prompt, standard input or a file, never as an argument; and where it is kept. */

import { CliError } from '../../errors.ts';
import type { KeyPlace, TypedKey } from '../../profiles/profiles.ts';
import type { Context } from '../command.ts';
import { flag } from '../command.ts';

/** The flags of commands that take a key. */
export const keyFlags = {
  'key-stdin': flag.switch({ summary: 'read the key from standard input', conflicts: ['key-file'] }),
  'key-file': flag.text({
    value: 'FILE',
    summary: 'read the key from a file',
    conflicts: ['key-stdin'],
  }),
  'key-store': flag.choice(['keyring', 'file'], {
    value: 'WHERE',
    summary: 'keep the key in the system keyring, or in a file that only you can read',
  }),
} as const;

/** The flags of a key, as given. */
export interface KeyFlagValues {
  readonly 'key-stdin'?: boolean;
  readonly 'key-file'?: string;
  readonly 'key-store'?: KeyPlace;
}

/** The key as it came, with where it came from in words. */
export async function readKey(ctx: Context, flags: KeyFlagValues, profile: string): Promise<TypedKey> {
  // A line break at its end is no part of it.
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

/** True when the key comes by a flag: then nobody is asked where to keep it. */
export function isScripted(ctx: Context, flags: KeyFlagValues): boolean {
  return !ctx.ask.interactive || flags['key-stdin'] === true || flags['key-file'] !== undefined;
}

/** Reads the key of a new profile, and where to keep it. A person is asked for the place first. */
export async function readNewKey(
  ctx: Context,
  flags: KeyFlagValues,
  profile: string,
): Promise<TypedKey & { readonly place: KeyPlace }> {
  if (isScripted(ctx, flags)) {
    const key = await readKey(ctx, flags, profile);
    return { ...key, place: flags['key-store'] ?? (await keyringOrRefuse(ctx)) };
  }
  const place = flags['key-store'] ?? (await askPlace(ctx));
  return { ...(await readKey(ctx, flags, profile)), place };
}

// Never a file just because there is no keyring: somebody must ask for it.
async function keyringOrRefuse(ctx: Context): Promise<KeyPlace> {
  const problem = await ctx.profiles.keyringProblem();
  if (problem === undefined) return 'keyring';
  throw new CliError('refused', `the system keyring cannot keep the key: ${problem}`, {
    certain: 'nothing was kept and nothing was sent',
    now: ['to keep it in a file that only you can read, add --key-store file'],
  });
}

async function askPlace(ctx: Context): Promise<KeyPlace> {
  const problem = await ctx.profiles.keyringProblem();
  if (problem !== undefined) return askForFile(ctx, problem);
  return ctx.ask.choose<KeyPlace>({
    message: 'keep the key in',
    flag: '--key-store',
    choices: [
      { value: 'keyring', label: 'the system keyring' },
      { value: 'file', label: 'a file that only you can read', detail: ctx.profiles.folders.config },
    ],
  });
}

async function askForFile(ctx: Context, problem: string): Promise<KeyPlace> {
  ctx.notes.warn(`the system keyring is of no use: ${problem}`);
  const consent = await ctx.ask.confirm({
    message: 'keep the key in a file that only you can read?',
    flag: '--key-store file',
  });
  if (consent) return 'file';
  throw new CliError('cancelled', 'nothing was kept and nothing was sent');
}
