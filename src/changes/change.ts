/** The one way to change something: show what was recorded before, or else plan, preview, confirm, act and show. */

import type { Service } from '../api/api.ts';
import type { Context } from '../commands/command.ts';
import { usage } from '../commands/flags.ts';
import { about, CliError } from '../errors.ts';
import type { Intent } from '../journal/journal.ts';
import type { Profile } from '../profiles/profiles.ts';
import { aboutMoney, checkMode } from '../profiles/profiles.ts';
import type { Block } from '../terminal/terminal.ts';
import { changeWords } from './change-words.ts';
import { type Applied, checkRecorded } from './outcome.ts';
import { appliedNow, type ColumnsOf, type Repeat, showRecorded } from './repeat.ts';

/** A change that is planned: what is sent, and what a person sees of it. */
interface PlannedChange {
  /** What is sent. */
  readonly intent: Omit<Intent, keyof Repeat>;
  readonly preview: readonly Block[];
  readonly confirmation: Confirmation;
  /** Prints the result. */
  readonly show: (applied: Applied) => Promise<void>;
}

/**
 * Makes a change at most once. `plan` asks, reads and decides; then a person confirms the preview, the change
 * is sent and its result shown. If the same `--intent` was used before, the recorded outcome is shown instead
 * and `plan` is not called. Returns what was made, now or then; undefined if nothing was sent. Throws
 * CliError for every outcome that is not a plain success.
 */
export async function makeChange(
  ctx: Context,
  service: Service,
  repeat: Repeat,
  columnsOf: ColumnsOf,
  plan: () => Promise<PlannedChange>,
): Promise<Applied | undefined> {
  return about({ scriptId: repeat.intentId }, () => changeOnce(ctx, service, repeat, columnsOf, plan));
}

async function changeOnce(
  ctx: Context,
  service: Service,
  repeat: Repeat,
  columnsOf: ColumnsOf,
  plan: () => Promise<PlannedChange>,
): Promise<Applied | undefined> {
  const recorded = await showRecorded(ctx, service, repeat, columnsOf);
  if (recorded !== undefined) return recorded;
  const planned = await plan();
  const intent: Intent = { ...repeat, ...planned.intent };
  return about({ orderId: intent.orderId }, () => sendPlanned(ctx, service, intent, planned, columnsOf));
}

async function sendPlanned(
  ctx: Context,
  service: Service,
  intent: Intent,
  { preview, confirmation, show }: PlannedChange,
  columnsOf: ColumnsOf,
): Promise<Applied | undefined> {
  if (intent.orderId === undefined) await checkAccountMode(service);
  if (!ctx.options.dryRun) ctx.notes.show(preview);
  await confirmChange(ctx, confirmation);
  const outcome = await ctx.change(intent);
  const applied = await appliedNow(ctx, service.profile, { intent, outcome }, columnsOf);
  if (applied === undefined) return undefined;
  await show(applied);
  checkRecorded(intent, applied, changeWords(intent));
  return applied;
}

/** How a change is confirmed: with the id or the amount of its order, or, if it belongs to no order, with the profile's name. */
export interface Confirmation {
  readonly profile: Profile;
  /** The value of `--confirm`, when given. */
  readonly confirm: string | undefined;
  readonly order?: { readonly id: string; readonly amount: number | undefined } | undefined;
}

/** A command line that must be confirmed, and what it lacks besides. */
interface CommandLine {
  /** `orders refund`. */
  readonly command: string;
  /** Required arguments and flags that were not given, as they are typed. */
  readonly missing: readonly string[];
  /** The file of `--body`. A command that reads standard input to its end cannot ask anything. */
  readonly body?: string | undefined;
}

/** Throws CliError 'usage', before any request, when nobody can be asked and no flag says yes. */
export function checkOrderConfirmable(
  ctx: Context,
  { profile, confirm, id = 'ID' }: Confirmation & { readonly id: string | undefined },
  line: CommandLine,
): void {
  if (confirm === undefined) checkAnswerable(ctx, profile, ['--confirm ID', `--confirm ${id}`], line);
}

/**
 * As `checkOrderConfirmable`, for a change that belongs to no order. Also throws CliError 'refused' if
 * `--confirm` names another profile.
 */
export function checkProfileConfirmable(ctx: Context, confirmation: Confirmation, line: CommandLine): void {
  const { profile, confirm } = confirmation;
  if (confirm === undefined)
    checkAnswerable(ctx, profile, ['--confirm PROFILE', `--confirm ${profile.name}`], line);
  else checkConfirmed(confirm, profile.name, `the profile ${profile.name}`);
}

// Names everything that is missing. `flag` says yes in production: as help shows it, and as it is typed.
function checkAnswerable(
  { ask, options }: Context,
  { mode }: Profile,
  [flag, typed]: readonly [string, string],
  { command, missing, body }: CommandLine,
): void {
  if ((ask.interactive && body !== '-') || options.dryRun) return;
  const others = ask.interactive ? [] : missing;
  const names = (own: string) => `missing ${[...others, own].join(', ')}`;
  // With more missing, a complete command line cannot be given.
  const now = (own: string) => [
    others.length === 0 ? `add it to the command: ${own}` : `paydesk ${command} --help`,
  ];
  if (mode === 'production')
    throw usage(`${names(flag)}: in production --yes alone is not enough`, now(typed));
  const why = ask.interactive ? '--body - reads standard input to its end, so ' : '';
  if (!options.yes) throw usage(`${names('--yes')}: ${why}nobody can be asked here`, now('--yes'));
}

function checkConfirmed(confirm: string, name: string, what = name): void {
  if (confirm === name) return;
  throw new CliError('refused', `--confirm ${confirm} does not name ${what}`, {
    certain: 'nothing was sent',
    now: [`if ${name} is the one that is meant: --confirm ${name}`],
  });
}

/** Asks, unless a flag answered. Throws CliError 'cancelled' on No, 'refused' if `--confirm` names another order. */
export async function confirmChange(ctx: Context, confirmation: Confirmation): Promise<void> {
  const { profile, confirm, order } = confirmation;
  if (ctx.options.dryRun) return;
  if (confirm !== undefined) {
    if (order !== undefined) checkConfirmed(confirm, order.id);
    return;
  }
  if (profile.mode === 'production') return askForWord(ctx, confirmation);
  if (ctx.options.yes) return;
  const message = order === undefined ? 'Send it?' : aboutMoney(profile, 'Send it?');
  if (!(await ctx.ask.confirm({ message, flag: '--yes' }))) throw cancelled();
}

/** Asks again after the order changed. With `--yes` or `--confirm` it goes on without asking. */
export async function confirmAgain(ctx: Context, { profile, confirm }: Confirmation): Promise<void> {
  if (ctx.options.dryRun || ctx.options.yes || confirm !== undefined) return;
  const message = aboutMoney(profile, 'Send it all the same?');
  if (!(await ctx.ask.confirm({ message, flag: '--yes' }))) throw cancelled();
}

// In production a person types the amount, which the line above shows, or the order's id; else the profile's name.
async function askForWord(ctx: Context, { profile, order }: Confirmation): Promise<void> {
  const typed = await ctx.ask.text(wordQuestion(profile, order));
  if (isMeant(typed, profile, order)) return;
  if (typed === '') throw cancelled();
  if (order === undefined) throw cancelled(`${typed} is not ${profile.name}`);
  const { id, amount } = order;
  throw cancelled(`${typed} is neither ${amount === undefined ? '' : `${amount} nor `}${id}`);
}

function wordQuestion(profile: Profile, order: Confirmation['order']) {
  const type = (what: string) => `Type ${what} to send it, or press Enter to cancel:`;
  if (order === undefined)
    return {
      message: type(`the profile's name, ${profile.name},`),
      flag: '--confirm PROFILE',
      optional: true,
    } as const;
  const message = aboutMoney(profile, type(order.amount === undefined ? 'the order id' : 'the amount'));
  return { message, flag: '--confirm ID', optional: true } as const;
}

function isMeant(typed: string, profile: Profile, order: Confirmation['order']): boolean {
  if (order === undefined) return typed === profile.name;
  return typed === order.id || (order.amount !== undefined && typed === String(order.amount));
}

function cancelled(why = 'not confirmed'): CliError {
  return new CliError('cancelled', why, { certain: 'nothing was sent' });
}

// The newest order shows whether the key belongs to the mode (service: Authentication 5). It also shows that the service
// can be reached: if the sending then fails to connect, it provably did not arrive.
async function checkAccountMode(service: Service): Promise<void> {
  for await (const { records } of service.pages('orders', { limit: 1 })) {
    const [newest] = records;
    if (newest !== undefined) checkMode(newest.value, service.profile);
    return;
  }
}
