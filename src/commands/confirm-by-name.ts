/** The question before a change that belongs to no order: in production the profile's name is typed. */

import { CliError } from '../errors.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { Context } from './command.ts';
import { cancelled, checkAnswerable, type Lacking } from './confirm.ts';

/** What such a change is confirmed by: the profile, and the value of `--confirm` when given. */
export interface NamedChange {
  readonly profile: Profile;
  readonly confirm: string | undefined;
  /** The file of `--body`, when given. */
  readonly body?: string | undefined;
}

/**
 * Fails at once, before any request: when nobody can be asked and the flag that says yes is missing, or when
 * `--confirm` names another profile.
 */
export function checkNamed(ctx: Context, { profile, confirm, body }: NamedChange, lacking: Lacking): void {
  if (confirm !== undefined && confirm !== profile.name) {
    throw new CliError('refused', `--confirm ${confirm} does not name the profile ${profile.name}`, {
      certain: 'nothing was sent',
      now: [`if ${profile.name} is the one that is meant: --confirm ${profile.name}`],
    });
  }
  const flag = ['--confirm PROFILE', `--confirm ${profile.name}`] as const;
  if (confirm === undefined) checkAnswerable(ctx, profile, flag, { ...lacking, body });
}

/** Asks, unless a flag answered. Throws CliError 'cancelled' on No. */
export async function confirmNamed(ctx: Context, { profile, confirm }: NamedChange): Promise<void> {
  if (ctx.options.dryRun || confirm !== undefined) return;
  if (profile.mode === 'production') return typedName(ctx, profile);
  if (ctx.options.yes) return;
  if (!(await ctx.ask.confirm({ message: 'Send it?', flag: '--yes' }))) throw cancelled();
}

async function typedName(ctx: Context, { name }: Profile): Promise<void> {
  const typed = await ctx.ask.text({
    message: `Type the profile's name, ${name}, to send it, or press Enter to cancel:`,
    flag: '--confirm PROFILE',
    optional: true,
  });
  if (typed === name) return;
  throw cancelled(typed === '' ? undefined : `${typed} is not ${name}`);
}
