/** Turns the outcome of a change into a result or an error. The error says what is certain and what to do now. */

import { figuresIn } from '../amounts.ts';
import type { Service } from '../api/api.ts';
import { isKeyRefusal } from '../api/spec.ts';
import type { Context } from '../context/context.ts';
import { CliError, type CliErrorParts, keyRefused, messageOf, withParts } from '../errors.ts';
import {
  type Change,
  type ChangeSubject,
  changeKinds,
  changeWords,
  type Ended,
  mendLine,
  type Outcome,
} from '../journal/journal.ts';
import { commandLine, type Profile } from '../profiles/profiles.ts';
import { unshownIn } from './by-hand-words.ts';
import {
  blockedWords,
  kindWords,
  replyWords,
  requestLine,
  settleCommand,
  settleCommands,
} from './change-words.ts';
import {
  alarmError,
  type Explanation,
  explainRejection,
  failedAtOnce,
  failedLater,
  keepByHand,
  otherSpelling,
  unrecordedLines,
} from './explain-outcome.ts';
import { countingAt } from './refund/refund-limit.ts';

/** The outcome of a change that was made, with the record as it is now. */
export type Applied = Extract<Outcome, { verdict: 'applied' }>;
type DryRun = Extract<Outcome, { verdict: 'dry_run' }>;
type Uncertain = Extract<Outcome, { verdict: 'unknown' | 'not_seen' }>;

export function isDryRun(outcome: Outcome): outcome is DryRun {
  return outcome.verdict === 'dry_run';
}

export async function showDryRun(ctx: Context, { request, checks }: DryRun): Promise<undefined> {
  const plan = {
    method: request.method,
    path: `/${request.path}`,
    body: request.body ?? null,
    checks: [...checks],
  };
  await ctx.out.dryRun(plan, () => [
    { line: `would send: ${request.method} /${request.path}` },
    requestLine(request.body, 'body: '),
    { line: 'nothing was sent (--dry-run)' },
  ]);
}

/** What is needed of the service to say how a change ended. */
export type EndedAt = Pick<Service, 'profile' | 'keyFingerprint' | 'seenDate'>;

/** Returns the outcome of a change that was made, and throws every other outcome as a CliError. */
export async function appliedOrThrow(
  ctx: Context,
  service: EndedAt,
  change: ChangeSubject,
  outcome: Ended,
): Promise<Applied> {
  const { profile } = service;
  const subject = { change: outcome.change, orderId: change.orderId, profile: profile.name };
  if (outcome.alarm !== undefined)
    throw withParts(alarmError(profile, change, outcome, outcome.alarm), subject);
  if (outcome.verdict === 'applied') {
    const { said, state } = outcome;
    if (change.kind === 'refund' && state === 'failed')
      throw withParts(failedLater(profile, change, outcome), subject);
    if (said !== undefined) ctx.notes.note(`the reply did not confirm it: ${replyWords(said)}`);
    return outcome;
  }
  throw withParts(await endError(ctx, service, change, outcome), subject);
}

async function endError(
  ctx: Context,
  service: EndedAt,
  change: ChangeSubject,
  outcome: Exclude<Ended, { verdict: 'applied' }>,
): Promise<CliError> {
  const { profile } = service;
  switch (outcome.verdict) {
    case 'rejected':
      return await rejectedError(ctx, service, change, outcome);
    case 'not_sent':
      return new CliError(
        'network',
        `the ${changeWords(change, profile.settings)} was not sent: ${outcome.reason}`,
        {
          certain: 'it never left this machine; nothing was changed',
          now: afterNotSent(ctx, change, outcome),
        },
      );
    default:
      return uncertainError(ctx, profile, change, outcome);
  }
}

// When the outcome could not be written, the journal still shows the change as sent. That blocks the same command.
function afterNotSent(
  { ask }: Context,
  { orderId }: ChangeSubject,
  { change, unrecorded }: Extract<Outcome, { verdict: 'not_sent' }>,
): readonly string[] {
  if (unrecorded === undefined || change === undefined) return ['run the command again'];
  return [
    mendLine('it was NOT sent, but the journal still says "sent"', 'and in two minutes:'),
    settleCommand({ change, orderId, asks: ask.interactive }, '--not-applied'),
    'then run the command again',
  ];
}

async function rejectedError(
  ctx: Context,
  service: EndedAt,
  change: ChangeSubject,
  outcome: Extract<Outcome, { verdict: 'rejected' }>,
): Promise<CliError> {
  const { profile } = service;
  const { parts, order, confirmed, state, shown = [] } = outcome;
  if (change.kind === 'refund' && parts.type === undefined && state === 'failed')
    return failedAtOnce(profile, change, outcome);
  const unread = changeKinds[change.kind].provable
    ? '; paydesk could not read the order to confirm this'
    : '; paydesk cannot confirm this by a read';
  const unconfirmed = confirmed ? '' : unread;
  if (isKeyRefusal(parts.httpStatus))
    return keyRefused(profile, parts, `nothing was changed${unconfirmed}`, unrecordedLines(outcome));
  const byHand = order === undefined ? [] : await unshownIn(ctx, service, order.value);
  const { nowMs = ctx.clock.now(), unshown } = countingAt(service, byHand);
  const explained: Explanation =
    change.kind !== 'refund'
      ? {}
      : explainRejection({
          profile,
          parts,
          order: order?.value,
          orderId: change.orderId,
          others: shown,
          asked: change.request.body ?? {},
          time: (seconds) => ctx.days.full(seconds * 1000),
          counting: { nowMs, unshown },
        });
  return new CliError(
    outcome.unrecorded === undefined ? 'rejected' : 'incomplete',
    explained.message ?? `the service refused the ${changeWords(change, profile.settings)}`,
    {
      ...parts,
      opening: 'refused by the service:',
      certain: `${kindWords[change.kind].refused}${explained.certain === undefined ? '' : `; ${explained.certain}`}${unconfirmed}`,
      now: [...(explained.now ?? afterRefusal(profile, change, parts)), ...unrecordedLines(outcome)],
    },
  );
}

function afterRefusal(profile: Profile, change: ChangeSubject, parts: CliErrorParts): readonly string[] {
  if (change.orderId !== undefined) return [readEach(profile, change)];
  const spelling = change.kind === 'checkout' ? otherSpelling(profile, change, parts) : undefined;
  return spelling ?? ['correct what the service names, then run the command again'];
}

function readEach(profile: Profile, { orderId }: ChangeSubject): string {
  return orderId === undefined
    ? commandLine(profile, 'orders', 'list', '--limit', '5')
    : commandLine(profile, 'orders', 'show', orderId);
}

function howToSettle(
  { ask }: Context,
  profile: Profile,
  change: ChangeSubject,
  journal: string | undefined,
): readonly string[] {
  if (journal === undefined) return [`check with ${readEach(profile, change)}`];
  if (changeKinds[change.kind].provable) return [`in a few minutes: paydesk journal reconcile ${journal}`];
  return [
    "look for it on the service's own screen, paydesk cannot look it up; when you know, one of:",
    ...settleCommands({ change: journal, orderId: change.orderId, asks: ask.interactive }),
  ];
}

// The change may still show up later, so the text does not claim that it was not made.
function readsWords(reads: number, last: string, verdict: Uncertain['verdict']): string {
  const looked = reads === 1 ? `looked once, at ${last}` : `looked ${reads} times until ${last}`;
  return `${looked}, and it is ${verdict === 'not_seen' ? 'not there yet' : 'still not clear'}`;
}

function unreadWords({ kind }: ChangeSubject, { unread }: Uncertain): string {
  if (!changeKinds[kind].provable) return 'paydesk cannot look it up';
  return unread === undefined
    ? 'paydesk could not look it up'
    : `paydesk could not look it up now: ${unread}`;
}

function blockWords(
  ctx: Context,
  { kind }: ChangeSubject,
  { change, blockedUntil, unrecorded }: Uncertain,
): readonly string[] {
  if (change === undefined || !changeKinds[kind].provable) return [];
  // The blocked time begins with the first verdict that the journal has, and it does not have this one.
  if (unrecorded !== undefined) return [blockedWords(undefined)];
  return [
    blockedWords(
      blockedUntil === undefined ? undefined : ctx.days.full(Math.ceil(blockedUntil / 1000) * 1000),
    ),
  ];
}

function uncertainError(ctx: Context, profile: Profile, change: ChangeSubject, outcome: Uncertain): CliError {
  const { reason, said, sentAt, lastReadAt, reads } = outcome;
  const seen =
    lastReadAt === undefined
      ? unreadWords(change, outcome)
      : readsWords(reads, ctx.timeOfDay(lastReadAt), outcome.verdict);
  // HTTP 429 tells us to wait. It does not tell whether the service made the change first.
  const throttled = outcome.head?.status === 429;
  // The lines about what could not be recorded name that command too.
  const isReconciledLater = outcome.unrecorded !== undefined && changeKinds[change.kind].provable;
  return new CliError('unconfirmed', noAnswerWords(change, changeWords(change, profile.settings), reason), {
    ...said,
    ...(throttled && { opening: 'throttled:' }),
    certain: `sent once at ${ctx.timeOfDay(sentAt)}; ${seen}`,
    now: [
      kindWords[change.kind].meanwhile,
      ...(isReconciledLater ? [] : howToSettle(ctx, profile, change, outcome.change)),
      ...blockWords(ctx, change, outcome),
      ...unrecordedLines(outcome),
    ],
  });
}

function noAnswerWords({ kind }: ChangeSubject, change: string, reason: string): string {
  return kind === 'checkout'
    ? `no usable answer (${reason}): the ${change} may exist`
    : `no usable answer to the ${change} (${reason}). It may have been made`;
}

/** Is called after the result is printed. Throws CliError 'incomplete' when the journal could not record the outcome. */
export function checkRecorded(change: Change, outcome: Ended, { settings }: Profile): void {
  const { unrecorded, refunds = [] } = outcome;
  if (unrecorded === undefined) return;
  const figure = figuresIn(change.currency, settings);
  const ids = refunds.map(({ id, amount }) => `refund ${id ?? 'without an id'} ${figure(amount)}`);
  const isByReply = outcome.verdict === 'applied' && outcome.by === 'reply';
  throw new CliError('incomplete', [changeWords(change, settings), ...ids].join(', '), {
    change: outcome.change,
    orderId: change.orderId,
    opening: change.kind === 'refund' ? 'THE REFUND WAS MADE:' : 'THE CHANGE WAS MADE:',
    certain: `${isByReply ? 'the service confirmed it' : 'a read of the order shows it'}; this machine could not write it down safely (${messageOf(unrecorded.cause)})`,
    now: [mendLine('copy these lines into the ticket; do not repeat it'), ...keepByHand(outcome)],
    cause: unrecorded.cause,
  });
}
