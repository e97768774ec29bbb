/**
 * Writes what screens say about the changes of an order that somebody settled by hand, and about alarms that somebody
 * acknowledged: who, when, what and why.
 */

import type { Service } from '../api/api.ts';
import { moneyOf } from '../api/charges.ts';
import type { JsonObject } from '../api/json-values.ts';
import { secondsOf } from '../api/spec.ts';
import type { Context } from '../context/context.ts';
import { CliError, orElse } from '../errors.ts';
import {
  type Alarm,
  type AttemptRecord,
  alarmWords,
  attemptName,
  type Change,
  type ChangeSubject,
  changeOf,
  neverArrived,
  notMadeBy,
  sameJson,
  statementOn,
  touches,
  unshownRefunds,
  usesUp,
  type VerdictRow,
} from '../journal/journal.ts';
import { acknowledgementOf, leftBesides, lostWord, untilMayAppear } from '../orders/orders.ts';
import { commandLine } from '../profiles/profiles.ts';
import { kindWords } from './change-words.ts';

/** What the journal answers; nothing if it cannot be read, since every other question to it already warns about that. */
async function asFarAsReadable<T>(ask: () => Promise<readonly T[]>): Promise<readonly T[]> {
  return await ask().catch(orElse(() => []));
}

/** The attempts about which a person recorded something by hand, even if it was corrected later. */
export function settledByHand(attempts: readonly AttemptRecord[]): readonly AttemptRecord[] {
  return attempts.filter(({ verdicts }) => verdicts.some(({ by }) => by === 'person'));
}

/** The attempts on an order. None if the journal cannot be read. */
export function attemptsOn(
  ctx: Context,
  service: Pick<Service, 'profile' | 'keyFingerprint'>,
  order: JsonObject,
): Promise<readonly AttemptRecord[]> {
  return asFarAsReadable(() => ctx.journal.attemptsOf(service, String(order.id)));
}

/** The refunds that somebody recorded as made and that the order does not show. None if the journal cannot be read. */
export async function unshownIn(...of: Parameters<typeof attemptsOn>): Promise<readonly AttemptRecord[]> {
  const [, , order] = of;
  return unshownRefunds(await attemptsOn(...of), order);
}

/**
 * What the preview of a change says about earlier changes of its order: those that somebody settled or acknowledged by hand, and those
 * that never arrived, unless it sends them again.
 */
export async function byHandLines(
  ctx: Context,
  service: Service,
  order: JsonObject & { readonly id: string },
  planned: Pick<Change, 'expected'>,
): Promise<readonly string[]> {
  const attempts = await attemptsOn(ctx, service, order);
  return [
    ...notesOnSettled(ctx, attempts, order)(planned.expected),
    ...neverArrived(attempts, order, await ctx.journal.now())
      .filter(({ sent }) => !sameJson(sent.proof.expected, planned.expected))
      .map((record) => neverArrivedWords(ctx, record)),
    ...acknowledgedAlarms(attempts).map((record) => acknowledgedWords(ctx, record)),
  ];
}

/** `refund of 900 MXN of …, sent by root, never arrived: its waiting period is over, and the order does not show it` */
export function neverArrivedWords(ctx: Context, record: AttemptRecord): string {
  return `${lostWords(ctx, record)}: its waiting period is over, and the order does not show it`;
}

/** `refund of 900 MXN of …, sent by root, never arrived; op7 sent it again on …: paydesk journal show i_…` */
export function sentAgainWords(
  ctx: Context,
  record: AttemptRecord,
  attempts: readonly AttemptRecord[],
): string {
  const later = attempts.find((one) => usesUp(one, attemptName(record)));
  const again =
    later &&
    `; ${later.sent.operator} sent it again on ${ctx.days.full(later.sent.time)}: paydesk journal show ${later.sent.change}`;
  return `${lostWords(ctx, record)}${again ?? ''}`;
}

function lostWords(ctx: Context, record: AttemptRecord): string {
  const { sent } = record;
  const change = changeOf(record, ctx.profiles.amountStyle(sent.profile));
  const became = lostWord(record);
  const doubt = became === 'was refused' ? ', which no read has confirmed' : '';
  return `${change} of ${ctx.days.full(sent.time)}, sent by ${sent.operator}, ${became}${doubt}`;
}

/** The notes about earlier changes of an order that somebody settled by hand, before a refund. `attempts`: those on the order. */
export function notesOnSettled(
  ctx: Context,
  attempts: readonly AttemptRecord[],
  order: JsonObject,
): (expected: Change['expected']) => readonly string[] {
  const settled = settledByHand(attempts);
  const unshown = new Set(unshownRefunds(attempts, order).map(attemptName));
  const late = settled.filter((record) => untilMayAppear(record, ctx.clock.now()) !== undefined);
  const charges = moneyOf(order)?.charges ?? [];
  return (expected = []) => {
    // Whether these refunds are what `orders show` offers besides those that may still go through.
    const isBesides = expected.every(({ chargeId, amount }) =>
      charges.some((one) => one.id === chargeId && leftBesides(one, late) === -amount),
    );
    return settled.map((record) => {
      const isSame = touches({ expected }, record);
      const isUnshown = unshown.has(attemptName(record)) && isSame;
      // Another amount of another charge is no repeat of it.
      const isOther =
        !isSame && !expected.some(({ amount }) => amount === record.sent.proof.expected[0]?.amount);
      return byHandNote(ctx, record, { isUnshown, isBesides: isBesides || isOther });
    });
  };
}

/**
 * `root recorded on 21 Nov 2026 05:20:00 UTC that the refund of 900 MXN of …, sent by root, was NOT made (root's note: asked the bank)`. If
 * the record was corrected, the words are about the last one. Then comes what the order showed later; `isTold`: the screen has
 * said that already.
 */
export function byHandWords(ctx: Context, { sent, verdicts }: AttemptRecord, isTold = false): string {
  const said = verdicts.findLast(({ by, acknowledged }) => by === 'person' && acknowledged === undefined);
  const note = noteWords(said);
  const corrected = said?.corrects === true ? ', correcting an earlier record' : '';
  const change = changeOf({ sent }, ctx.profiles.amountStyle(sent.profile));
  const who = said?.operator ?? 'somebody';
  const when = ctx.days.full(said?.time ?? sent.time);
  const made = said?.verdict === 'applied' ? 'made' : 'NOT made';
  const last = verdicts.at(-1);
  const isKept = statementOn({ verdicts }) !== undefined;
  const later =
    last?.by === 'person'
      ? ''
      : isKept
        ? '; it did not go through until the end of the waiting period'
        : `; later the order showed ${last?.verdict === 'applied' ? 'it' : 'something else'}`;
  const since = isTold ? '' : `${later}${appearsWords(ctx, { sent, verdicts })}`;
  return `${who} recorded on ${when} that the ${change} of ${ctx.days.full(sent.time)}, sent by ${sent.operator}, was ${made}${note}${corrected}${since}`;
}

// ` (root's note: asked the bank)`
function noteWords(said: Pick<VerdictRow, 'note' | 'operator'> | undefined): string {
  return said?.note === undefined ? '' : ` (${said.operator ?? 'somebody'}'s note: ${said.note})`;
}

// While a change that was recorded as not made can still take effect, every screen says until when.
function appearsWords(ctx: Context, record: AttemptRecord): string {
  const until = untilMayAppear(record, ctx.clock.now());
  if (until === undefined) return '';
  return `; it may still go through until ${untilWords(ctx, until)}`;
}

/** `today 23:05`, `tomorrow 05:05`, or the day in full. Rounded up to a whole minute. */
export function untilWords(ctx: Pick<Context, 'clock' | 'days' | 'timeOfDay'>, ms: number): string {
  const minute = Math.ceil(ms / 60_000) * 60_000;
  const dayOf = (time: number) => ctx.days.day(secondsOf(time));
  const now = ctx.clock.now();
  const clock = ctx.timeOfDay(minute).slice(0, 5);
  if (dayOf(minute) === dayOf(now)) return `today ${clock}`;
  return dayOf(minute) === dayOf(now + 86_400_000) ? `tomorrow ${clock}` : ctx.days.full(minute);
}

/** The attempts whose alarm somebody acknowledged. */
export function acknowledgedAlarms(attempts: readonly AttemptRecord[]): readonly AttemptRecord[] {
  return attempts.filter((record) => acknowledgementOf(record) !== undefined);
}

/**
 * `root acknowledged on 21 Nov 2026 05:20:00 UTC that the refund of 900 MXN of …, sent by root, is there twice (root's note: recalled)`. For
 * other alarms it names the alarm.
 */
export function acknowledgedWords(ctx: Context, record: AttemptRecord): string {
  const { sent } = record;
  const ended = acknowledgementOf(record);
  const change = changeOf(record, ctx.profiles.amountStyle(sent.profile));
  const alarm = ended?.acknowledged ?? 'duplicate';
  const isMany = (ended?.refunds ?? []).length > 2 * sent.proof.expected.length;
  const endedWords: Partial<Record<Alarm, string>> = {
    duplicate: `is there ${isMany ? 'more than once' : 'twice'}`,
    failed: 'failed after it was made',
    gone: 'was not shown any more',
  };
  const what = endedWords[alarm] ?? `had this alarm: ${lateWords(record, alarm) ?? alarmWords[alarm]}`;
  const note = noteWords(ended);
  return `${ended?.operator ?? 'somebody'} acknowledged on ${ctx.days.full(ended?.time ?? sent.time)} that the ${change} of ${ctx.days.full(sent.time)}, sent by ${sent.operator}, ${what}${note}`;
}

function lateWords(record: AttemptRecord, alarm: Alarm): string | undefined {
  const who = alarm === 'applied_though_rejected' ? notMadeBy(record) : undefined;
  return who && `it appeared, recorded as not made by ${who}`;
}

/**
 * The note before the next change: who settled an earlier one by hand, and what follows if that was wrong. `isUnshown`: the
 * record says that money of the same charge was paid back, and the order does not show that. `isBesides`: both refunds can be
 * made.
 */
export function byHandNote(
  ctx: Context,
  record: AttemptRecord,
  {
    isUnshown = false,
    isBesides = false,
  }: { readonly isUnshown?: boolean; readonly isBesides?: boolean } = {},
): string {
  const mayPayTwice = !isBesides && untilMayAppear(record, ctx.clock.now()) !== undefined;
  const risk = riskWords(record, isUnshown, mayPayTwice);
  return `settled by hand: ${byHandWords(ctx, record)}${risk === undefined ? '' : `. ${risk}`}`;
}

// For a capture there is no warning: the service refuses a second one.
function riskWords(
  { sent, verdicts }: AttemptRecord,
  isUnshown: boolean,
  mayPayTwice: boolean,
): string | undefined {
  const { kind } = sent.proof;
  if (isUnshown) return 'The order does not show it: if that record is right, the buyer gets this besides';
  if (verdicts.at(-1)?.verdict === 'applied' || kind === 'capture') return undefined;
  if (kind === 'refund')
    return mayPayTwice ? 'If it was made after all, this pays the buyer twice' : undefined;
  return `If it was made after all, ${kindWords[kind].twice}`;
}

/** The notes about what somebody settled by hand for the same new order or payment link. None if the journal cannot be read. */
export async function byHandNotes(
  ctx: Context,
  service: Service,
  change: Parameters<Context['journal']['settledAlike']>[1],
): Promise<readonly string[]> {
  const settled = await asFarAsReadable(() => ctx.journal.settledAlike(service, change));
  return settled.map((record) => byHandNote(ctx, record));
}

/** `op7 recorded on … that the refund of 900 MXN of …, sent by root, was made (op7's note: bank file); the order does not show it` */
export async function recordedWords(
  ctx: Context,
  service: Pick<Service, 'profile' | 'keyFingerprint'>,
  record: AttemptRecord,
  order: JsonObject | undefined,
): Promise<string> {
  const unshown = order === undefined ? [] : await unshownIn(ctx, service, order);
  const isUnshown = unshown.some((one) => attemptName(one) === attemptName(record));
  return `${byHandWords(ctx, record)}${isUnshown ? '; the order does not show it' : ''}`;
}

/**
 * The error of a repeat when a person recorded that the change was not made. The service has not refused it, so this is not
 * `rejected`: paydesk itself refuses to send it again.
 */
export function notMadeError(
  ctx: Context,
  { profile }: Pick<Service, 'profile'>,
  { kind, orderId }: ChangeSubject,
  record: AttemptRecord,
): CliError {
  const { change } = record.sent;
  return new CliError('refused', byHandWords(ctx, record), {
    ownCode: 'recorded_not_made',
    change,
    orderId,
    profile: profile.name,
    certain: 'nothing was sent now; that it was not made is only what a person says',
    now: [
      ...(orderId === undefined ? [] : [commandLine(profile, 'orders', 'show', orderId)]),
      `paydesk journal show ${change}`,
      `to send it again all the same (if that record is wrong, ${kindWords[kind].twice}):`,
      `the same command with --again ${attemptName(record)}`,
    ],
  });
}
