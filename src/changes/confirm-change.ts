/** Gets the yes before a change, from flags or by questions to a person, who may mistype an amount twice. */

import { amountWords, scaled } from '../amounts.ts';
import type { Context } from '../context/context.ts';
import { CliError } from '../errors.ts';
import { short, usage } from '../flags/flags.ts';
import { aboutMoney, type Profile } from '../profiles/profiles.ts';
import { amountProblem, bothWays, readAmount, type TypedAmount } from '../typed-amounts.ts';

/** What confirms a change: the id or the amount of its order, or the profile's name when there is no order. */
export interface Confirmation {
  readonly profile: Profile;
  /** The command line that asks for the same change with no question before the last one. Printed after a No. */
  readonly command?: string | undefined;
  /** The value of `--confirm`, when given. */
  readonly confirm: string | undefined;
  readonly order?: ConfirmedOrder | undefined;
  /** What the yes does; if absent, it sends the change. `ask`: it asks somebody else; `approve`: it lets somebody else send. */
  readonly purpose?: keyof typeof purposes | undefined;
  /** What the change does with its amount, as a question begins: `Send back`. */
  readonly does?: string | undefined;
  /** Whose money it is, before the question: `Ana Torres, *4242`. */
  readonly about?: string | undefined;
  /** There was a question before, to which Esc and `<` go back. */
  readonly canGoBack?: boolean;
}

// The question, what typing is for, and what is certain after a No.
const purposes = {
  send: { question: 'Send it?', does: undefined, to: 'to send it', certain: 'nothing was sent' },
  ask: {
    question: 'Ask for approval?',
    does: 'Ask for approval of',
    to: 'to ask for approval',
    certain: 'nothing was sent',
  },
  approve: { question: 'Approve it?', does: 'Approve', to: 'to approve it', certain: 'nothing was approved' },
} as const;

/** What a change is about, as a person confirms it. */
export interface ConfirmedOrder {
  readonly id: string;
  /** The amount of the change, which a person types in production. */
  readonly amount: number | undefined;
  readonly currency: string | undefined;
  /** The amount as somebody typed it, if somebody did. */
  readonly typed?: TypedAmount | undefined;
  /** What `id` is, if it is not the id of an order: `the digest`. */
  readonly idIs?: string | undefined;
  /** Whether a text means it, if the id is not the only text that does: for a digest, also a longer part of it. */
  readonly isId?: ((text: string) => boolean) | undefined;
}

/** The command that needs a confirmation, and the flags that it still lacks. */
interface CommandLine {
  /** Such as `orders refund`. */
  readonly command: string;
  /** Required arguments and flags that were not given, such as `ID` or `--note`. */
  readonly missing: readonly string[];
  /** The whole command, with words to replace for what is missing. */
  readonly example?: string | undefined;
  /** The file of `--body`. A command that reads standard input to its end cannot ask anything. */
  readonly body?: string | undefined;
}

/** Throws CliError 'usage' when nobody can be asked and no flag says yes. */
export function checkOrderConfirmable(
  ctx: Context,
  { profile, confirm, id = 'ID' }: Confirmation & { readonly id: string | undefined },
  line: CommandLine,
): void {
  if (confirm === undefined) checkAnswerable(ctx, profile, ['--confirm ID', `--confirm ${id}`], line);
}

/** Like `checkOrderConfirmable`, but for the approval of a request, where everything else was given. */
export function checkApprovable(
  ctx: Context,
  { profile, confirm, id }: Pick<Confirmation, 'profile' | 'confirm'> & { readonly id: string },
): void {
  const line = { command: 'approvals approve', missing: [] };
  if (confirm === undefined) checkAnswerable(ctx, profile, ['--confirm', `--confirm ${id}`], line);
}

/**
 * Like `checkOrderConfirmable`, but for a change without an order. Also throws CliError 'refused' when `--confirm` names
 * another profile.
 */
export function checkProfileConfirmable(ctx: Context, confirmation: Confirmation, line: CommandLine): void {
  const { profile, confirm } = confirmation;
  if (confirm === undefined)
    checkAnswerable(ctx, profile, ['--confirm PROFILE', `--confirm ${profile.name}`], line);
  else checkConfirmed(confirm, profile.name, `the profile ${profile.name}`);
}

// Names everything that is missing in one error. `flag` is the flag that says yes in production, as help shows it; `typed` is
// the same flag with its value.
function checkAnswerable(
  { ask, options }: Context,
  { mode }: Profile,
  [flag, typed]: readonly [string, string],
  { command, missing, example, body }: CommandLine,
): void {
  if ((ask.interactive && body !== '-') || options.dryRun) return;
  const others = ask.interactive ? [] : missing;
  const names = (own: string) => `missing ${[...others, own].join(', ')}`;
  // When more flags are missing, paydesk cannot print the complete command, so it points to the help.
  const now = (own: string) => [
    ...(others.length === 0 ? [`add it to the command: ${own}`] : []),
    ...(others.length > 0 && example !== undefined ? [example] : []),
    ...(others.length > 0 ? [`paydesk ${command} --help`] : []),
  ];
  if (mode === 'production')
    throw usage(`${names(flag)}: in production --yes alone is not enough`, now(typed));
  const why = ask.interactive ? '--body - takes all of standard input, so ' : '';
  if (!options.yes) throw usage(`${names('--yes')}: ${why}no terminal to ask on`, now('--yes'));
}

function checkConfirmed(confirm: string, name: string, what = name): void {
  if (confirm === name) return;
  throw new CliError('refused', `--confirm ${confirm} does not name ${what}`, {
    ownCode: 'wrong_confirm',
    now: [`if you mean ${name}: --confirm ${name}`],
  });
}

/** Asks for a yes, unless a flag already says it. Throws CliError 'cancelled' on No, 'refused' when `--confirm` names another order. */
export async function confirmChange(ctx: Context, confirmation: Confirmation): Promise<void> {
  const { profile, confirm, order } = confirmation;
  if (ctx.options.dryRun) return;
  if (confirm !== undefined) {
    if (order !== undefined && order.isId?.(confirm) !== true) checkConfirmed(confirm, order.id);
    return;
  }
  // What was sent before a copy of the journal was put back may not be known. Nobody should send it again out of habit.
  if (order !== undefined && (await watchedAfterCopy(ctx, profile)) !== undefined)
    return askForWord(ctx, { ...confirmation, order: { ...order, amount: undefined, typed: undefined } });
  if (profile.mode === 'production') return askForWord(ctx, confirmation);
  if (ctx.options.yes) return;
  const question = { ...yesQuestion(confirmation, '?'), canGoBack: confirmation.canGoBack };
  if (!(await ctx.ask.confirm({ ...question, flag: '--yes' }))) throw cancelled(confirmation);
}

// On a low screen, nothing but the question is left: so it names the amount and the order. `end`: `?`, or ` anyway?`.
function yesQuestion({ profile, about, order, purpose = 'send', does }: Confirmation, end: string) {
  const verb = purposes[purpose].does ?? does;
  if (verb === undefined || order?.amount === undefined)
    return { message: aboutMoney(profile, purposes[purpose].question.replace('?', end)) };
  const whose = about === undefined ? order.id : `${order.id}, ${about}`;
  const sum = amountWords(order.amount, order.currency, profile.settings);
  return { about: aboutMoney(profile, whose), message: `${verb} ${sum}${end}` };
}

// Puts what is typed for before it. The amount and the id are typed as the preview shows them, so they are not in the question.
function typedQuestion({ profile, about, order, canGoBack }: Confirmation, message: string) {
  if (about === undefined) return { message: aboutMoney(profile, message), canGoBack };
  const currency = order?.currency === undefined ? '' : `, ${order.currency}`;
  return { about: aboutMoney(profile, `${about}${currency}`), message, canGoBack };
}

/** Until when refunds are confirmed one by one, because somebody accepted a copy of the journal (Unix milliseconds). */
export async function watchedAfterCopy(
  { journal, clock }: Context,
  { settings }: Profile,
): Promise<number | undefined> {
  const at = await journal.copyAcceptedAt();
  const until = at === undefined ? 0 : at + settings['refund.horizon_part'];
  return clock.now() < until ? until : undefined;
}

/** Asks again after the order changed. With `--yes` or `--confirm` it goes on without asking. */
export async function confirmAgain(ctx: Context, confirmation: Confirmation): Promise<void> {
  if (ctx.options.dryRun || ctx.options.yes || confirmation.confirm !== undefined) return;
  const question = yesQuestion(confirmation, ' anyway?');
  if (!(await ctx.ask.confirm({ ...question, flag: '--yes' }))) throw cancelled(confirmation);
}

// How often somebody may mistype before the answers to all questions are lost.
const tries = 3;

// In production a person types the amount of the change, which the preview shows, or the order's id. Without an order they
// type the profile's name. Enter alone cancels.
async function askForWord(ctx: Context, confirmation: Confirmation): Promise<void> {
  const { profile, order, purpose = 'send' } = confirmation;
  let mistyped: string | undefined;
  for (let left = tries; left > 0; left -= 1) {
    const before =
      mistyped === undefined
        ? ''
        : `${mistyped} ${notMeantWords(mistyped, profile, order)}${triesWords(left)}. `;
    const { message, ...question } = wordQuestion(profile, order, before, purposes[purpose].to);
    const typed = await ctx.ask.text({ ...question, ...typedQuestion(confirmation, message) });
    if (typed === '') throw cancelled(confirmation);
    if (isMeant(typed, profile, order)) return;
    mistyped = short(typed);
  }
  throw cancelled(
    confirmation,
    `${mistyped} is ${otherThanMeant(profile, order)}; typed wrong ${tries} times`,
  );
}

function triesWords(left: number): string {
  return left === 1 ? ' (last try)' : ` (${left} tries left)`;
}

// `before`: what was wrong with the last answer.
function wordQuestion(profile: Profile, order: Confirmation['order'], before: string, to: string) {
  const type = (what: string, about = '') =>
    `${before}${about}Type ${what}${before === '' ? ` ${to}` : ' again'}, or press Enter to cancel:`;
  if (order === undefined)
    return {
      message: type(`the profile's name, ${profile.name},`),
      flag: '--confirm PROFILE',
      optional: true,
    } as const;
  const ways = waysToRead(profile, order);
  const message =
    ways === undefined
      ? type(order.amount === undefined ? (order.idIs ?? 'the order id') : 'the amount')
      : type('the amount with its decimals', `This is ${ways.is} ${order.currency}, not ${ways.meant}. `);
  return { message, flag: '--confirm ID', optional: true } as const;
}

// A person who typed 100 for 100.00 would type 100 again. So a number that reads both ways can be confirmed only with its decimals.
function waysToRead({ settings }: Profile, { typed, currency }: ConfirmedOrder) {
  return typed === undefined ? undefined : bothWays(typed, currency, settings);
}

// Any spelling of the amount counts: 23000, 23 000, 23000 MXN, or 230.00 where the profile declares the decimals.
function isMeant(text: string, profile: Profile, order: Confirmation['order']): boolean {
  const { name, settings } = profile;
  if (order === undefined) return text === name;
  const typed = readAmount(text);
  const isAmount =
    typed !== undefined &&
    typed.amount === order.amount &&
    amountProblem(typed, order.currency, settings) === undefined;
  if (waysToRead(profile, order) !== undefined) return isAmount && typed.places !== undefined;
  return text === order.id || order.isId?.(text) === true || isAmount;
}

// Says what is wrong with the typed text, but not what to type: that is in the preview, which should be read once more.
function notMeantWords(text: string, profile: Profile, order: Confirmation['order']): string {
  const { name, settings } = profile;
  if (order === undefined) return `is not ${name}`;
  if (order.amount === undefined) return `is not ${order.idIs ?? 'the id of this order'}`;
  const typed = readAmount(text);
  const problem = typed === undefined ? undefined : amountProblem(typed, order.currency, settings);
  if (problem !== undefined) return `is not the amount: ${problem}`;
  if (typed === undefined && /^\d+(?:,\d+)+(?:\.\d+)?(?: ?[A-Za-z]{3})?$/.test(text))
    return 'is not the amount: type it without commas';
  if (typed?.amount === order.amount && waysToRead(profile, order) !== undefined)
    return 'can be read in two ways';
  const figure = typed === undefined ? undefined : scaled(typed.amount, order.currency, settings);
  return figure === undefined || typed?.places !== undefined
    ? 'is not the amount'
    : `is not the amount: in decimals it is ${figure}`;
}

function otherThanMeant(profile: Profile, order: Confirmation['order']): string {
  const { name, settings } = profile;
  if (order === undefined) return `not ${name}`;
  const { id, amount, currency } = order;
  const ways = waysToRead(profile, order);
  if (ways !== undefined) return `not ${ways.is}`;
  return amount === undefined ? `not ${id}` : `neither ${amountWords(amount, currency, settings)} nor ${id}`;
}

function cancelled({ command, purpose = 'send' }: Confirmation, why = 'not confirmed'): CliError {
  return new CliError('cancelled', why, {
    certain: purposes[purpose].certain,
    ...(command === undefined ? {} : { now: ['the same as one command, for later:', command] }),
  });
}
