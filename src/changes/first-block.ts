/** Writes the first block of an order's screen, which is about its open cases. */

import { amountWords, figureWords } from '../amounts.ts';
import { textIn } from '../api/json-values.ts';
import { modeOfOrder, noModeWords } from '../api/spec.ts';
import type { Context } from '../context/context.ts';
import {
  type AppearedRefund,
  type AttemptRecord,
  blockedUntil,
  changeKinds,
  horizonOf,
  madeTwiceWords,
  type PaidTwice,
  recordedBy,
  type UnconfirmedChange,
  whoMadeLines,
} from '../journal/journal.ts';
import {
  type AfterFailure,
  afterFailure,
  type KnownOrder,
  lastRefused,
  type OrderCase,
  stateMeans,
  styleOfState,
} from '../orders/orders.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { Block } from '../terminal/terminal.ts';
import { neverArrivedWords, sentAgainWords, untilWords } from './by-hand-words.ts';
import { appearedCommand, checkTwiceCommand, findOutCommand, isToRefund, stopWords } from './case-steps.ts';
import { kindWords, replyWords, settleCommand } from './change-words.ts';

/** `root says 16000 MXN were paid back; the service does not show it` */
export function unshownWords(record: AttemptRecord, { settings }: Pick<Profile, 'settings'>): string {
  const { amount, currency } = record.sent;
  const what =
    amount === undefined ? 'a refund was made' : `${amountWords(amount, currency, settings)} were paid back`;
  return `${recordedBy(record)} says ${what}; the service does not show it`;
}

/** `refund of 900 MXN, sent at 05:05:12 by op7: root says it was not made, and it may still go through until today 05:20` */
export function mayAppearWords(
  ctx: Parameters<typeof untilWords>[0] & Pick<Context, 'shortTime'>,
  profile: Pick<Profile, 'settings'>,
  { record, until }: Extract<OrderCase, { readonly is: 'recorded not made' }>,
): string {
  return `${sentWords(ctx, profile, record)}: ${recordedBy(record)} says it was not made; it may still go through until ${untilWords(ctx, until)}`;
}

/** `APPEARED: refund of 900 MXN, sent at 05:05:12 by op7: root recorded that it was not made; the order shows re_1` */
export function appearedWords(
  ctx: Pick<Context, 'shortTime'>,
  profile: Pick<Profile, 'settings'>,
  { record, operator: who, refunds }: AppearedRefund,
): string {
  const shown = refunds.length === 0 ? 'a part of it' : refunds.join(' and ');
  return `APPEARED: ${sentWords(ctx, profile, record)}: ${who} recorded that it was not made; the order shows ${shown}`;
}

/** What a person must know first about an order, as lines of the first block of its screen. */
export function firstBlocks(ctx: Context, profile: Profile, known: KnownOrder): readonly Block[] {
  const { cases, doubt, neverArrived, replaced, attempts } = known;
  const failed = cases.filter(({ is }) => is === 'failed');
  const blocks = (lines: readonly string[], style: 'bad' | 'warn' | 'faint' = 'bad') =>
    lines
      .map((line, index) => (index === 0 ? line : `${indent}${line}`))
      .map((text): Block => ({ line: { text, style }, hang: indent.length }));
  const ofCase = (one: OrderCase) => blocks(caseLines(ctx, profile, one, known), styleOfState(one.is));
  return [
    ...blocks(noModeLines(known)),
    ...cases.filter((one) => !failed.includes(one)).flatMap(ofCase),
    ...(doubt === undefined
      ? []
      : blocks([`UNCONFIRMED  ${doubt}`, `nobody knows what went back: ${beingChecked}`])),
    ...failed.flatMap(ofCase),
    ...blocks(strangersLines(known, profile), 'warn'),
    ...blocks(pendingLines(known, profile), styleOfState('pending')),
    ...neverArrived.flatMap((record) => blocks([`NOT MADE  ${neverArrivedWords(ctx, record)}`], 'faint')),
    ...replaced.flatMap((record) =>
      blocks([`SENT AGAIN  ${sentAgainWords(ctx, record, attempts)}`], 'faint'),
    ),
    ...blocks(refusedLines(ctx, profile, known), 'faint'),
  ];
}

// Aligns lines with the first word after `buyer`.
const indent = ' '.repeat(8);
const beingChecked = 'tell the buyer "it is being checked"';

function noModeLines({ order }: KnownOrder): readonly string[] {
  if (modeOfOrder(order) !== undefined) return [];
  return [
    `NO MODE  ${noModeWords(order)}: nobody can tell whether it is real money`,
    'paydesk refunds and captures nothing of it: ask whoever runs the service',
  ];
}

function pendingLines({ refunds, order }: KnownOrder, { settings }: Profile): readonly string[] {
  const pending = refunds.filter(({ state }) => state === 'pending');
  if (pending.length === 0) return [];
  const sum = pending.reduce((all, { amount = 0 }) => all + amount, 0);
  const currency = typeof order.currency === 'string' ? order.currency : undefined;
  const ids = pending.flatMap(({ record }) => record?.id ?? []).join(' and ');
  return [`PENDING  ${amountWords(sum, currency, settings)}, ${ids}: ${stateMeans.pending}`];
}

function refusedLines(ctx: Context, profile: Profile, known: KnownOrder): readonly string[] {
  const refused = lastRefused(known);
  return refused === undefined
    ? []
    : [`REFUSED  ${sentWords(ctx, profile, refused.record)}: ${replyWords(refused.refusal)}`];
}

function caseLines(ctx: Context, profile: Profile, one: OrderCase, known: KnownOrder): readonly string[] {
  switch (one.is) {
    case 'unconfirmed':
      return unconfirmedLines(ctx, profile, one, known);
    case 'made twice':
      return [
        // Writes the words before the figures in capitals: `MADE TWICE: 900 MXN`.
        madeTwiceWords(one.twice, profile.settings).replace(/^[^:?]*/, (head) => head.toUpperCase()),
        ...whoMadeLines(one.twice, (ms) => ctx.shortTime(ms)),
        ...(one.late === undefined ? [] : lateLines(ctx, profile, one.late)),
        ...(one.isKnown
          ? [...besidesLines(one.twice), 'paydesk cannot take a refund back', stopWords]
          : [`do not refund this order before this is checked: ${checkTwiceCommand(one.twice)}`]),
      ];
    case 'appeared': {
      const { isRecorded } = one.refund;
      return [
        appearedWords(ctx, profile, one.refund),
        ...betweenLines(ctx, profile, one.refund),
        stopWords,
        ...(isRecorded ? [] : [`record it: ${appearedCommand(one.refund)}`]),
      ];
    }
    case 'recorded made':
      return [
        `RECORDED MADE  ${unshownWords(one.record, profile)}`,
        `treat it as paid back; ask ${recordedBy(one.record)} before you refund that again`,
      ];
    case 'gone':
      return [
        `GONE  ${goneWords(one)}`,
        `it was the ${sentWords(ctx, profile, one.record)}`,
        `${beingChecked}; ${stopWords}`,
      ];
    case 'failed': {
      const after = afterFailure(known, one);
      return [failedWords(one, one.record.sent.currency, profile), afterFailureWords(after, known)];
    }
    // The line about what was settled by hand says it.
    case 'recorded not made':
      return [];
  }
}

// The lines about refunds that failed and were not sent from here.
function strangersLines(known: KnownOrder, profile: Profile): readonly string[] {
  const failed = known.refunds.filter(({ state, attempt }) => state === 'failed' && attempt === undefined);
  const refunds = failed.flatMap(({ record }) => record?.id ?? []);
  const after = afterFailure(known, { refunds });
  if (refunds.length === 0 || after.refunds.length > 0) return [];
  const amount = failed.reduce((all, one) => all + (one.amount ?? 0), 0);
  const words = failedWords({ refunds, amount }, textIn(known.order.currency), profile);
  return [`${words}; not sent from here`, afterFailureWords(after, known)];
}

/** `refund re_1 was made, and the order does not show it any more` */
export function goneWords({ refunds }: Extract<OrderCase, { readonly is: 'gone' }>): string {
  const are = refunds.length === 1 ? 'refund' : 'refunds';
  return `${are} ${refunds.join(' and ')} ${refunds.length === 1 ? 'was' : 'were'} made, and the order does not show ${refunds.length === 1 ? 'it' : 'them'} any more`;
}

/** `FAILED  refund re_1 of 300 MXN failed after it was made` */
export function failedWords(
  { refunds, amount }: Pick<Extract<OrderCase, { readonly is: 'failed' }>, 'refunds' | 'amount'>,
  currency: string | undefined,
  { settings }: Pick<Profile, 'settings'>,
): string {
  if (refunds.length === 0) return 'FAILED  a refund failed after it was made';
  const sum = amountWords(amount, currency, settings);
  return refunds.length === 1
    ? `FAILED  refund ${refunds.join('')} of ${sum} failed after it was made`
    : `FAILED  refunds ${refunds.join(' and ')} of ${sum} failed after they were made`;
}

function afterFailureWords(after: AfterFailure, known: Pick<KnownOrder, 'whyNot'>): string {
  switch (after.is) {
    case 'in doubt':
      return `the sums of the order do not say whether that money went back: ${beingChecked}`;
    case 'left in part':
    case 'on its way':
    case 'went back since':
      return `${after.is === 'left in part' ? 'a part of it' : 'the same amount'} ${after.is === 'on its way' ? 'is on its way' : 'went back since then'}, as ${after.refunds.join(' and ')}: check that it replaces this refund, and tell the buyer`;
    case 'left':
      return `${stateMeans.failed}: tell the buyer${isToRefund(after, known) ? ', and refund it again' : ''}`;
  }
}

// Two attempts may have an alarm about the same money: ending one leaves the other.
function besidesLines({ besides = [] }: PaidTwice): readonly string[] {
  if (besides.length === 0) return [];
  const commands = besides.map((change) => `paydesk journal show ${change}`);
  return [`this order has another alarm, which must be ended separately: ${commands.join(' and ')}`];
}

// `i_7f3k was recorded as not made by root, and has appeared`
function lateLines(ctx: Context, profile: Profile, late: AppearedRefund): readonly string[] {
  const { change } = late.record.sent;
  return [
    `${change} was recorded as not made by ${late.operator}, and has appeared`,
    ...betweenLines(ctx, profile, late),
  ];
}

// What was sent in between: whoever sent it relied on the record that was wrong.
function betweenLines(ctx: Context, profile: Profile, { between }: AppearedRefund): readonly string[] {
  return between.map(
    (record) => `sent in between: ${sentWords(ctx, profile, record)} (${record.sent.change})`,
  );
}

// Like `unconfirmedWords`, for what was sent in an attempt.
function sentWords(
  ctx: Pick<Context, 'shortTime'>,
  profile: Pick<Profile, 'settings'>,
  { sent: { proof, amount, currency, time: sentAt, operator } }: AttemptRecord,
): string {
  return unconfirmedWords(ctx, profile, { kind: proof.kind, amount, currency, sentAt, operator });
}

/** `refund of 900 MXN, sent at 05:05:12 by root` */
function unconfirmedWords(
  ctx: Pick<Context, 'shortTime'>,
  { settings }: Pick<Profile, 'settings'>,
  { kind, amount, currency, sentAt, operator }: Omit<UnconfirmedChange, 'change'>,
): string {
  const sum = amount === undefined ? '' : ` of ${amountWords(amount, currency, settings)}`;
  return `${changeKinds[kind].noun}${sum}, sent at ${ctx.shortTime(sentAt)} by ${operator}`;
}

function unconfirmedLines(
  ctx: Context,
  profile: Profile,
  { change, isShown }: Extract<OrderCase, { readonly is: 'unconfirmed' }>,
  { refunds, attempts, reading }: KnownOrder,
): readonly string[] {
  // The order shows a refund that is probably this one.
  const shown = refunds.filter(({ state, record }) => state === 'unconfirmed' && record?.meaning === 'made');
  const own = shown.filter(({ attempt }) => attempt?.sent.change === change.change);
  const sum = own.reduce((all, { amount = 0 }) => all + amount, 0);
  if (own[0]?.attempt !== undefined && sum < (change.amount ?? 0))
    return partLines(ctx, profile, own[0].attempt, sum);
  const sent = attempts.findLast((record) => record.sent.change === change.change);
  const until = sent && blockedUntil(sent);
  const blocked = until === undefined ? '' : `; blocked until ${untilWords(ctx, until)} at the latest`;
  return [
    `UNCONFIRMED  ${unconfirmedWords(ctx, profile, change)}${sent === undefined ? '' : fromWords(sent, reading)}`,
    ...(isShown
      ? [
          `the order now shows such a ${changeKinds[change.kind].noun}, see below; do not ${changeKinds[change.kind].noun} it again`,
        ]
      : [`it may have been made${blocked}`, kindWords[change.kind].meanwhile.replace(/;$/, '')]),
    checkLine(change, isShown),
  ];
}

// `, from charge 2`, for an order with several charges.
function fromWords({ sent }: AttemptRecord, reading: KnownOrder['reading']): string {
  const charges = 'money' in reading ? reading.money.charges : [];
  const [only, second] = sent.proof.expected;
  const charge = second === undefined ? charges.find(({ id }) => id === only?.chargeId) : undefined;
  return charge === undefined || charges.length === 1 ? '' : `, from charge ${charge.number}`;
}

// Nobody can know before the waiting period is over whether the rest of it will come. After that, only a person can tell who made
// the part that shows.
function partLines(ctx: Context, profile: Profile, record: AttemptRecord, part: number): readonly string[] {
  const { change, proof, amount = 0, currency } = record.sent;
  const sums = `${figureWords(part, currency, profile.settings)} of ${amountWords(amount, currency, profile.settings)}`;
  const until = horizonOf(record);
  const isOver = until <= ctx.clock.now();
  const when = isOver || !Number.isFinite(until) ? '' : `, until ${untilWords(ctx, until)}`;
  return [
    `UNCONFIRMED  ${sentWords(ctx, profile, record)}`,
    `a part of it shows: ${sums}; do not refund it again`,
    isOver
      ? `the rest did not come in its time. If somebody else made that part: ${settleCommand({ ...proof, change, asks: ctx.ask.interactive }, '--not-applied')}`
      : `the rest may still come${when}: paydesk journal reconcile ${change}`,
  ];
}

// Always a command that finds out, never one that refunds or captures.
function checkLine(change: UnconfirmedChange, isShown: boolean): string {
  const words = changeKinds[change.kind].provable
    ? isShown
      ? 'confirm it:'
      : 'see whether it was made:'
    : 'paydesk cannot look it up; see what is known:';
  return `${words} ${findOutCommand(change)}`;
}
