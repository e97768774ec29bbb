/**
 * Tells what screens show about unconfirmed changes and refunds that were made twice: one line about all of an account, and the
 * refunds that unconfirmed changes probably made. Pure.
 */

import type { JsonObject } from '../../api/json-values.ts';
import { statuses } from '../../api/spec.ts';
import { counted } from '../../counted.ts';
import {
  isMadeByHand,
  isOpen,
  isSentAgain,
  isUnconfirmed,
  isWatched,
  mayBeMade,
  verdictOf,
} from '../attempt-state.ts';
import { changeKinds } from '../change.ts';
import type { AppearedRefund, PaidTwice, UnconfirmedChange } from '../journal.ts';
import { earliestOf } from '../journal-time.ts';
import { isExpected } from '../judge-read.ts';
import { type AttemptRecord, type Moment, whoSent } from '../rows/journal-rows.ts';
import { judgeOrder } from '../verdict.ts';
import { allSentAgain, appearedOn, rivalOf } from './by-hand.ts';
import { newDuplicate, otherAlarms, refundsPaidTwice, sendersOf, withSentAgain } from './paid-twice.ts';
import { recordedState } from './recorded-state.ts';
import { appearedVerdict, notMadeBy, ownRefunds } from './verdicts-say.ts';

/** An unconfirmed attempt as screens show it. */
export function unconfirmedChange({ sent }: AttemptRecord): UnconfirmedChange {
  const { change, amount, currency, time: sentAt, proof } = sent;
  return { change, kind: proof.kind, amount, currency, sentAt, operator: whoSent(sent) };
}

/** Whether an order shows a capture, whoever made it. */
export function showsCapture(record: AttemptRecord, order: JsonObject): boolean {
  return record.sent.proof.kind === 'capture' && judgeOrder(record, [record], order).shows === 'expected';
}

/** The ids of the refunds that the reply to an attempt named: they are surely its own. None if a read or a person found them. */
export function namedByReply(record: AttemptRecord): readonly string[] {
  const first = record.verdicts.find(({ verdict }) => verdict === 'applied');
  return first?.by === 'reply' ? ownRefunds(record).flatMap(({ id }) => id ?? []) : [];
}

/**
 * The refunds of the journal that an order shows more than once, while the journal does not know that yet. `known`: the attempts
 * on this order. Only for screens.
 */
export function seenTwice(known: readonly AttemptRecord[], order: JsonObject): readonly PaidTwice[] {
  return known.flatMap((record) => {
    // One of the two may be the unconfirmed one: that is cleared up first.
    const twice = rivalOf(record, known) === undefined ? duplicateNow(record, known, order) : undefined;
    if (twice === undefined) return [];
    const refunds = withSentAgain(record, twice.refunds, known).map(({ id }) => id);
    return [paidTwiceRefund(record, refunds, known)];
  });
}

/** A refund that was made twice, as screens show it. `refunds`: the ids of those that are there more than once. */
function paidTwiceRefund(
  record: AttemptRecord,
  refunds: readonly string[],
  known: readonly AttemptRecord[],
): PaidTwice {
  const ours = known.flatMap(namedByReply).filter((id) => refunds.includes(id));
  const parts = record.sent.proof.expected.length;
  return { ...unconfirmedChange(record), refunds, parts, ours, ...sendersOf(refunds, known) };
}

/** A refund that was made twice, as the journal knows it. `known`: the attempts on its order. */
export function paidTwiceOf(record: AttemptRecord, known: readonly AttemptRecord[]): PaidTwice {
  const besides = otherAlarms(record, known).map(({ sent }) => sent.change);
  return { ...paidTwiceRefund(record, refundsPaidTwice(record, known), known), besides };
}

/**
 * What an order shows about a refund if it shows it twice and the journal does not know that. The refund was made and is still
 * watched, or a person recorded it as made.
 */
export function duplicateNow(
  record: AttemptRecord,
  known: readonly AttemptRecord[],
  order: JsonObject,
): ReturnType<typeof newDuplicate> {
  const last = verdictOf(record);
  return last?.verdict === 'applied' && (isWatched(record) || isMadeByHand(record))
    ? newDuplicate(record, last, known, order)
    : undefined;
}

/**
 * The refunds that somebody recorded as not made and that an order shows, whether the journal knows it yet or not. `known`: the
 * attempts on this order. Only for screens.
 */
export function appearedRefunds(
  known: readonly AttemptRecord[],
  order: JsonObject,
): readonly AppearedRefund[] {
  return known.flatMap((record) => {
    const seen = appearedOn(record, known, order);
    const row = appearedVerdict(record);
    const found = seen?.evidence.refunds ?? row?.refunds;
    if (found === undefined || seen?.failed === true) return [];
    const same = found.filter((one) => isExpected(record.sent.proof, one));
    const refunds = same.flatMap(({ id }) => id ?? []);
    const operator = notMadeBy(record) ?? 'somebody';
    const twice = seen?.again && twiceOf(record, seen.again, refunds);
    const between = sentBetween(record, known);
    return [{ record, operator, refunds, twice, between, isRecorded: row !== undefined }];
  });
}

// Both were sent from here: the one that appeared, and the one that was sent in its place.
function twiceOf(record: AttemptRecord, again: AttemptRecord, shown: readonly string[]): PaidTwice {
  const own = ownRefunds(again).flatMap(({ id }) => id ?? []);
  const refunds = [...new Set([...own, ...shown])];
  const parts = record.sent.proof.expected.length;
  const others = Math.max(0, refunds.length - own.length - parts);
  const sentAs = [record.sent.change, again.sent.change];
  return { ...unconfirmedChange(record), refunds, parts, ours: namedByReply(again), sentAs, others };
}

function sentBetween(record: AttemptRecord, known: readonly AttemptRecord[]): readonly AttemptRecord[] {
  const again = allSentAgain(record, known);
  return known.filter((other) => {
    const isLater = other.sent.proof.kind === 'refund' && other.sent.time > record.sent.time;
    return isLater && mayBeMade(other) && !again.includes(other);
  });
}

/**
 * The refunds that an order shows and that this machine probably sent: they are what an attempt asked for, they appeared
 * after it, and no other attempt made them. By the id of the refund. `known`: the attempts on this order. Only for
 * screens; a verdict needs a read under the lock of the order.
 */
export function probableRefunds(
  known: readonly AttemptRecord[],
  order: JsonObject,
): ReadonlyMap<string, AttemptRecord> {
  const certain = new Set(known.flatMap((record) => ownRefunds(record).map(({ id }) => id)));
  const found = new Map<string, AttemptRecord>();
  for (const record of known) {
    if (!mayHaveMadeMore(record) && duplicateNow(record, known, order) === undefined) continue;
    const { sent } = record;
    const earliest = earliestOf(sent);
    const read = judgeOrder(record, known, order);
    if (read.shows === 'unreadable') continue;
    for (const refund of read.refunds) {
      const { id, createdAt = Number.POSITIVE_INFINITY } = refund;
      const isLike = isExpected(sent.proof, refund) || sent.proof.tolerated.includes(refund.chargeId);
      if (id === undefined || certain.has(id) || !isLike || createdAt * 1000 < earliest) continue;
      if (!found.has(id)) found.set(id, record);
    }
  }
  return found;
}

/**
 * The unconfirmed refund that a record may be, where the order cannot be judged as a whole: of the same amount, and not made before that
 * one was sent. Undefined if there is none.
 */
export function unconfirmedLike(
  known: readonly AttemptRecord[],
  { amount, created_at: createdAt }: JsonObject,
): AttemptRecord | undefined {
  return known.find(
    (record) =>
      isUnconfirmed(record) &&
      record.sent.proof.expected.some((one) => one.amount === amount) &&
      !(typeof createdAt === 'number' && createdAt * 1000 < earliestOf(record.sent)),
  );
}

/**
 * The attempts that an order did not show within their waiting period and does not show now, and that were not sent again. The
 * same money is sent only if `--again` names them. `known`: the attempts on this order. Only for screens.
 */
export function neverArrived(
  known: readonly AttemptRecord[],
  order: JsonObject,
  now: Moment,
): readonly AttemptRecord[] {
  const shown = new Set(probableRefunds(known, order).values());
  return known.filter((record) => {
    const isDone = record.sent.proof.kind === 'capture' && order.payment_status !== statuses.preAuthorized;
    const isLost = isUnconfirmed(record) && !isOpen(record, now);
    return isLost && !isDone && !shown.has(record) && !isSentAgain(record, known);
  });
}

// Whether not all of its refunds may be known: it is unconfirmed, a person said what became of it, or the service shows more than
// one.
function mayHaveMadeMore(record: AttemptRecord): boolean {
  if (record.sent.proof.kind !== 'refund') return false;
  return (
    verdictOf(record)?.by === 'person' || recordedState(record) === 'made twice' || isUnconfirmed(record)
  );
}

// The states that have words of their own, and what a person does about them: a refund that failed stops nothing. Any other state
// means that nobody knows what was made.
const whomToTell: Readonly<Record<string, string>> = {
  'made twice': 'show your lead',
  appeared: 'show your lead',
  failed: 'tell the buyer',
  gone: 'show your lead',
};

/**
 * One line about the attempts that somebody must look at, or undefined if there are none. For a single attempt it names the
 * order: `1 refund unconfirmed: ord_…: paydesk journal reconcile --all`; for several kinds it says how many there are of each. It
 * begins with `where`.
 */
export function needsLookLine(attempts: readonly AttemptRecord[], where: string): string | undefined {
  const open = attempts.filter((record) => !(recordedState(record) in whomToTell));
  const provable = open.filter(isProvable);
  const others = open.filter((record) => !isProvable(record));
  const kinds = [
    { words: 'unconfirmed', records: provable, how: 'paydesk journal reconcile --all' },
    // No read can tell what became of these, such as payment links: a person looks, and records it.
    {
      words: 'unconfirmed',
      records: others,
      how: `look on the service's own screen, then: ${lookCommand(others)}`,
    },
    ...Object.entries(whomToTell).map(([words, who]) => {
      const all = attempts.filter((record) => recordedState(record) === words);
      return { words, records: once(all), how: `${who}: ${lookCommand(all)}` };
    }),
  ].filter(({ records }) => records.length > 0);
  const [first, second] = kinds;
  if (first === undefined) return undefined;
  if (second === undefined) return `${where}${lineOf(first.records, first.words, first.how)}`;
  const groups = [...Map.groupBy(kinds, ({ words }) => words)].map(
    ([words, same]) => `${countsOf(same.flatMap(({ records }) => records))} ${words}`,
  );
  return `${where}${groups.join('; ')}: paydesk journal list --open`;
}

function isProvable({ sent }: AttemptRecord): boolean {
  return changeKinds[sent.proof.kind].provable;
}

// The same money may have been sent as two changes. A third refund like them is one too many for both, and counts once.
function once(records: readonly AttemptRecord[]): readonly AttemptRecord[] {
  const byMoney = ({ sent: { proof, amount, currency } }: AttemptRecord) =>
    JSON.stringify([proof.orderId, amount, currency]);
  return [...new Map(records.map((record) => [byMoney(record), record])).values()];
}

function lookCommand([only, second]: readonly AttemptRecord[]): string {
  return `paydesk journal ${second === undefined ? `show ${only?.sent.change ?? ''}` : 'list --open'}`;
}

// `2 refunds and 1 payment link`.
function countsOf(records: readonly AttemptRecord[]): string {
  return [...Map.groupBy(records, ({ sent }) => changeKinds[sent.proof.kind].noun)]
    .map(([noun, { length }]) => counted(length, noun))
    .join(' and ');
}

// The line is printed below every command, so it is short: it names a single order; for several, the command in `how` lists them.
function lineOf(records: readonly AttemptRecord[], words: string, how: string): string {
  const [only, second] = records;
  const name = second === undefined ? `: ${only?.sent.proof.orderId ?? only?.sent.change ?? ''}` : '';
  return `${countsOf(records)} ${words}${name}: ${how}`;
}
