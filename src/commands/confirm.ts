/** The question before a change: No by default, the amount typed in production, `--yes` and `--confirm` for scripts. */

import { CliError } from '../errors.ts';
import type { Profile } from '../profiles/profiles.ts';
import { aboutMoney } from './account.ts';
import type { Context } from './command.ts';
import { usage } from './command.ts';

/** What a change is confirmed by. */
export interface Confirmable {
  readonly profile: Profile;
  /** What `--confirm` must repeat: the order's id. */
  readonly id: string;
  /** The value of `--confirm`, when given. */
  readonly confirm: string | undefined;
}

/** A command line that is to be confirmed, and what it lacks besides. */
export interface Lacking {
  /** `orders refund`. */
  readonly command: string;
  /** Arguments and flags that nobody can be asked for, as they are typed. */
  readonly missing: readonly string[];
}

/** Fails at once, before any request, when nobody can be asked and the flag that says yes is missing. */
export function checkConfirmable(
  ctx: Context,
  { profile, id, confirm }: Omit<Confirmable, 'id'> & { readonly id: string | undefined },
  lacking: Lacking,
): void {
  if (confirm === undefined)
    checkAnswerable(ctx, profile, ['--confirm ID', `--confirm ${id ?? 'ID'}`], lacking);
}

/**
 * Throws CliError 'usage' naming all that is missing when nobody can be asked and the flag that says yes is; `flag` says
 * it in production, as it is called and as it is typed. `body` is the file of `--body`: what reads standard input to its
 * end leaves none for an answer.
 */
export function checkAnswerable(
  { ask, options }: Context,
  { mode }: Profile,
  [flag, typed]: readonly [string, string],
  { command, missing, body }: Lacking & { readonly body?: string | undefined },
): void {
  if ((ask.interactive && body !== '-') || options.dryRun) return;
  const others = ask.interactive ? [] : missing;
  const names = (own: string) => `missing ${[...others, own].join(', ')}`;
  // A line that is put together from parts might ask for more than was meant.
  const now = (own: string) => [
    others.length === 0 ? `add it to the command: ${own}` : `paydesk ${command} --help`,
  ];
  if (mode === 'production')
    throw usage(`${names(flag)}: in production --yes alone is not enough`, now(typed));
  const why = ask.interactive ? '--body - reads standard input to its end, so ' : '';
  if (!options.yes) throw usage(`${names('--yes')}: ${why}nobody can be asked here`, now('--yes'));
}

/** Asks, unless a flag answered. Throws CliError 'cancelled' on No, 'refused' when `--confirm` names something else. */
export async function confirmChange(
  ctx: Context,
  change: Confirmable,
  amount: number | undefined,
): Promise<void> {
  if (ctx.options.dryRun) return;
  if (change.confirm !== undefined) return checkConfirmValue(change);
  if (change.profile.mode === 'production') return typedAmount(ctx, change, amount);
  if (ctx.options.yes) return;
  if (!(await ctx.ask.confirm({ message: aboutMoney(change.profile, 'Send it?'), flag: '--yes' })))
    throw cancelled();
}

/** Asks once more after something changed; `--yes` and `--confirm` go on. */
export async function confirmAgain(ctx: Context, change: Confirmable): Promise<void> {
  if (ctx.options.dryRun || ctx.options.yes || change.confirm !== undefined) return;
  if (
    !(await ctx.ask.confirm({ message: aboutMoney(change.profile, 'Send it all the same?'), flag: '--yes' }))
  )
    throw cancelled();
}

function checkConfirmValue({ confirm, id }: Confirmable): void {
  if (confirm === id) return;
  throw new CliError('refused', `--confirm ${confirm} does not name ${id}`, {
    certain: 'nothing was sent',
    now: [`if ${id} is the one that is meant: --confirm ${id}`],
  });
}

// Production: the amount is typed, right under the raw figure; the id is accepted too.
async function typedAmount(
  ctx: Context,
  { profile, id }: Confirmable,
  amount: number | undefined,
): Promise<void> {
  const word = amount === undefined ? 'the order id' : 'the amount';
  const typed = await ctx.ask.text({
    message: aboutMoney(profile, `Type ${word} to send it, or press Enter to cancel:`),
    flag: '--confirm ID',
    optional: true,
  });
  if (typed === id || (amount !== undefined && typed === String(amount))) return;
  throw cancelled(
    typed === '' ? undefined : `${typed} is neither ${amount === undefined ? '' : `${amount} nor `}${id}`,
  );
}

/** The error of a No. */
export function cancelled(why = 'not confirmed'): CliError {
  return new CliError('cancelled', why, { certain: 'nothing was sent' });
}
