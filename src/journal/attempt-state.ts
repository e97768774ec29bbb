/**
 * Tells the state of an attempt: whether it blocks its order, is read again, or may still change. Pure. The tables of a journal
 * keep some of these answers (sqlite/journal-columns.ts): a change here changes what older journals must hold.
 */

import { changeKinds, type FoundRefund } from './change.ts';
import { momentOfRow, passedSince } from './journal-time.ts';
import { failedRefunds, hasFailed, isStillPending } from './questions/verdicts-say.ts';
import type { MomentAsked } from './rows/attempt-query.ts';
import {
  type Alarm,
  type AttemptRecord,
  attemptName,
  type Clocks,
  type Moment,
  type VerdictRow,
} from './rows/journal-rows.ts';

/** The verdict that counts; undefined while there is only the SENT row. */
export function verdictOf(record: AttemptRecord): VerdictRow | undefined {
  return record.verdicts.at(-1);
}

/**
 * When the horizon of an attempt ends, in the journal's time. It is counted from the first verdict, not from the SENT
 * row. A process may be stopped between the check of `sendBy` and the sending; it keeps the lock until it has sent or
 * died, and a verdict is only written under the lock.
 */
export function horizonOf(record: AttemptRecord): number {
  // A verdict that was written while the clocks disagreed starts no horizon: its time may be wrong.
  const start = record.verdicts.find(({ skewed }) => skewed === undefined);
  return start === undefined ? Number.POSITIVE_INFINITY : start.time + record.sent.horizonMs;
}

/** Whether the request may still take effect: its horizon has not ended, as far as the clocks tell. */
export function isYoung(record: AttemptRecord, now: Moment): boolean {
  return !isOver(record, now);
}

/** Whether the horizon had ended when this verdict was written. */
export function wasOver(record: AttemptRecord, row: VerdictRow): boolean {
  return isOver(record, momentOfRow(row));
}

/** Whether the waiting period (the horizon) of an attempt has ended. If the clocks do not tell its age, it has not. */
export function isOver(record: AttemptRecord, then: ReturnType<typeof momentOfRow>): boolean {
  // With a horizon of 0 an unknown age must not count as 0.
  return (ageAt(record, then) ?? Number.NEGATIVE_INFINITY) >= record.sent.horizonMs;
}

/** Milliseconds since the first verdict whose time can be trusted; undefined when there is none. */
export function ageAt({ verdicts }: AttemptRecord, then: ReturnType<typeof momentOfRow>): number | undefined {
  return verdicts.map((row) => passedSince(row, then)).find((ms) => ms !== undefined);
}

/** Whether an attempt blocks every change of its order, because it may still move money or may have done so. */
export function isOpen(record: AttemptRecord, then: ReturnType<typeof momentOfRow>): boolean {
  const last = verdictOf(record);
  if (last === undefined || last.verdict === 'unknown') return true;
  if (!isUnproven(last) || isOver(record, then)) return false;
  // If no read can show a change, its refusal is all that will ever be known. A change whose row was lost is of such a kind too.
  return last.verdict === 'not_seen' || changeKinds[record.sent.proof.kind].provable;
}

/** Whether nothing has proven what became of an attempt, and no read came after its horizon: the next read may still prove it. */
export function awaitsRead(record: AttemptRecord): boolean {
  const last = verdictOf(record);
  return last === undefined || isOpen(record, momentOfRow(last));
}

/** Whether a person must look: the attempt is unconfirmed, or its last verdict has an alarm. */
export function needsPerson(record: AttemptRecord, now: Moment): boolean {
  return isOpen(record, now) || verdictOf(record)?.alarm !== undefined;
}

/** The latest time at which an open attempt ends; undefined when only a read or a person can end it. */
export function blockedUntil(record: AttemptRecord): number | undefined {
  const verdict = verdictOf(record)?.verdict;
  const horizon = horizonOf(record);
  if (verdict === 'unknown' || !Number.isFinite(horizon)) return undefined;
  return horizon;
}

/** Whether the last verdict on an attempt may still change. */
export function isUnsettled(record: AttemptRecord): boolean {
  const last = verdictOf(record);
  if (last === undefined) return true;
  const isEnded = last.verdict === 'applied' || last.by === 'person';
  return isDoubted(record) || (mayChange(last) && (!isEnded || isWatched(record)));
}

/** Whether an attempt with this last verdict may be open, whatever the time, or has an alarm that nobody acknowledged. */
export function mayBeOpen(last: VerdictRow | undefined): boolean {
  return last?.alarm !== undefined || isUnproven(last);
}

/**
 * Whether an attempt may block its order now or have an alarm, or may be read again. If a read after its horizon did not show it,
 * it stays unconfirmed for good, and none of this is true of it, unless the clocks disagree: then its horizon counts as not over.
 */
export function mayNeedLook(record: AttemptRecord, { skewed }: Pick<Moment, 'skewed'>): boolean {
  const last = verdictOf(record);
  return mayBeOpen(last) && (skewed || !isPast(record));
}

/** Whether a read that came after the horizon of an attempt did not show it. */
export function isPast(record: AttemptRecord): boolean {
  const last = verdictOf(record);
  return last?.alarm === undefined && isUnproven(last) && !awaitsRead(record);
}

/** Whether nobody knows what became of a change, however old it is. What a person recorded is known. */
export function isUnconfirmed(record: AttemptRecord): boolean {
  const last = verdictOf(record);
  return last?.by !== 'person' && isUnproven(last);
}

/** Whether a verdict leaves open what became of a change, however old it is. */
export function isUnproven(last: VerdictRow | undefined): boolean {
  if (last?.verdict === 'rejected') return last.confirmed === false;
  return last?.verdict !== 'applied' && last?.verdict !== 'not_sent';
}

/** Whether reads did not show what was sent. The same is sent again only if `--again` names it. */
export function isNotSeen(record: AttemptRecord): boolean {
  return verdictOf(record)?.verdict === 'not_seen';
}

/** Whether an attempt has used up this name for `--again`. */
export function usesUp(record: AttemptRecord, name: string): boolean {
  return record.sent.again?.includes(name) === true && verdictOf(record)?.verdict !== 'not_sent';
}

/** Whether a later attempt was sent instead of this one. */
export function isSentAgain(record: AttemptRecord, known: readonly AttemptRecord[]): boolean {
  return known.some((other) => usesUp(other, attemptName(record)));
}

/** Whether an attempt was made, or may have been. */
export function mayBeMade(record: AttemptRecord): boolean {
  const verdict = verdictOf(record)?.verdict;
  return verdict !== 'rejected' && verdict !== 'not_sent';
}

/**
 * What a refund paid back, or may have, in the service's units, as limits count it: 0 if it certainly was not made. What a reply
 * or a read has shown counts, whatever a person recorded later; money that the service shows as failed does not.
 */
export function countedAmount(record: AttemptRecord): number {
  const { kind, expected } = record.sent.proof;
  if (kind !== 'refund') return 0;
  const last = verdictOf(record);
  const isUnmade = last?.verdict === 'not_sent' || (last?.verdict === 'rejected' && !isUnproven(last));
  const wasShown = record.verdicts.some(({ verdict, by }) => verdict === 'applied' && by !== 'person');
  if (isUnmade && !(last.by === 'person' && wasShown)) return 0;
  const sum = (amounts: readonly { readonly amount: number }[]) =>
    amounts.reduce((all, { amount }) => all - amount, 0);
  return Math.max(0, sum(expected) - sum(failedRefunds(record)));
}

/** Whether a person has dealt with an alarm, and these refunds are all among those that the person saw. */
export function isAcknowledged(
  { acknowledged, refunds: seen }: VerdictRow,
  alarm: Alarm,
  refunds: readonly FoundRefund[],
): boolean {
  const isSeen = ({ id }: FoundRefund) => id !== undefined && seen?.some((one) => one.id === id);
  return acknowledged === alarm && refunds.every(isSeen);
}

/**
 * Whether a refund that is not unconfirmed is still watched. Its order is read again until one read came after its horizon,
 * because the service may make the refund twice, another machine may have sent the same one, and a person who recorded that it
 * was not made may be wrong.
 */
export function isWatched(record: AttemptRecord): boolean {
  if (isDoubted(record)) return true;
  const last = verdictOf(record);
  return isMadeRefund(record) && last !== undefined && last.by !== 'person' && !wasOver(record, last);
}

/**
 * Whether a refund counts as not made, and may appear all the same: a person recorded that, or the service showed it as failed, and
 * no read has come after its horizon since. A read after it gives the attempt a verdict of its own.
 */
export function isDoubted(record: AttemptRecord): boolean {
  const { proof, lost } = record.sent;
  const last = verdictOf(record);
  // If the SENT row was lost, no read can tell.
  if (lost !== undefined || proof.kind !== 'refund' || last?.verdict !== 'rejected') return false;
  return last.by === 'person' || (hasFailed(record) && !wasOver(record, last));
}

/**
 * Whether a person recorded that this refund was made, and nothing else says so. Until its horizon is over it is read again whenever
 * somebody looks: the order may show it by then.
 */
export function isMadeByHand(record: AttemptRecord): boolean {
  return isMadeRefund(record) && verdictOf(record)?.by === 'person';
}

/** Until when a refund that a person recorded as made is young, as its rows tell it. */
export interface YoungUntil {
  /** In the journal's time, Unix milliseconds. `MAX_SAFE_INTEGER` if no row has a time that can be trusted. */
  readonly time: number;
  /** The same as milliseconds since the start of the machine, by the newest start that its verdicts name. */
  readonly boot: Clocks['boot'];
}

/** Until when an attempt is young; undefined unless it is a refund that a person recorded as made. */
export function youngUntil(record: AttemptRecord): YoungUntil | undefined {
  if (!isMadeByHand(record)) return undefined;
  const { sent, verdicts } = record;
  const over = (times: readonly number[]) => Math.max(...times) + sent.horizonMs;
  const times = verdicts.flatMap(({ time, skewed }) => (skewed === undefined ? [time] : []));
  const boots = verdicts.flatMap(({ clocks }) => clocks?.boot ?? []);
  const id = boots.at(-1)?.id;
  const ups = boots.flatMap((boot) => (boot.id === id ? [boot.ms] : []));
  return {
    time: times.length === 0 ? Number.MAX_SAFE_INTEGER : over(times),
    boot: id === undefined ? undefined : { id, ms: over(ups) },
  };
}

/**
 * Whether such a refund may be young at a moment, by one clock or the other. If the wall clock was set forward, and is believed
 * since then, that does not end a horizon that has not ended by the time since this machine was started (`passedSince`). If it
 * was set back, or the clocks disagree, more refunds count as young. `isDue` decides.
 */
export function mayBeYoung({ time, boot }: YoungUntil, now: MomentAsked): boolean {
  const isByBoot = boot !== undefined && boot.id === now.boot?.id && boot.ms > now.boot.ms;
  return now.skewed || time > now.time || isByBoot;
}

/** Whether a refund failed after it was made, and nobody has acknowledged that. */
export function isFailedLate(record: AttemptRecord): boolean {
  return verdictOf(record)?.alarm === 'failed';
}

/** Whether a refund counts as not made, or not wholly made, and a read may show it all the same. */
export function mayAppear(record: AttemptRecord): boolean {
  return isDoubted(record) || (isWatched(record) && hasFailed(record));
}

/** Whether a verdict may still change, however old its attempt is. */
export function mayChange(last: VerdictRow): boolean {
  return isUnproven(last) || last.verdict === (last.by === 'person' ? 'rejected' : 'applied');
}

/**
 * Whether a read that somebody asks for may show something new. It may for a refund that was made, however long ago: the refund
 * may have failed since, for example.
 */
export function isReadable(record: AttemptRecord, now: Moment): boolean {
  return isMadeRefund(record) || isDue(record, now);
}

/** Whether a refund was made, or a person recorded that. */
export function isMadeRefund(record: AttemptRecord): boolean {
  return record.sent.proof.kind === 'refund' && verdictOf(record)?.verdict === 'applied';
}

/** Whether the journal now reads the order of an attempt again by itself. */
export function isDue(record: AttemptRecord, now: Moment): boolean {
  if (isMadeByHand(record)) return isYoung(record, now);
  if (!isUnsettled(record) || !changeKinds[record.sent.proof.kind].provable) return false;
  const last = verdictOf(record);
  if (mayStillLeave(record, now)) return false;
  if (last?.verdict === 'applied') return isDueAgain(record, last, now);
  if (isDoubted(record)) return true;
  return last === undefined || last.verdict === 'unknown' || now.skewed || !wasOver(record, last);
}

/**
 * When a refund that was made is read again next, by the times of its rows (Unix milliseconds); 0 if they tell no time, or if it is
 * pending, and undefined if it is not watched. `isDue` also looks at the clocks: it decides.
 */
export function dueAt(record: AttemptRecord): number | undefined {
  const last = verdictOf(record);
  if (last === undefined || !isWatched(record) || isDoubted(record)) return undefined;
  const first = record.verdicts.find(({ verdict, skewed }) => verdict === 'applied' && skewed === undefined);
  // A refund is read again when it is four times as old as it was at the last read.
  return first === undefined || isStillPending(record)
    ? 0
    : Math.min(first.time + 4 * (last.time - first.time), horizonOf(record));
}

/**
 * Whether another desk of the team may be about to send this attempt: that desk holds no lock that others see. Until the last
 * moment at which it may send (by the server's clock, and a little more), what the order shows proves nothing.
 */
export function mayStillLeave({ sent, verdicts }: AttemptRecord, now: Pick<Moment, 'time'>): boolean {
  return verdicts.length === 0 && sent.stamp !== undefined && now.time < leavesUntil({ sent });
}

/** Until when another desk may send the attempt, Unix milliseconds by the server's clock. */
export function leavesUntil({ sent }: Pick<AttemptRecord, 'sent'>): number {
  return sent.sendBy + 5000;
}

// A watched refund is read at once, each time its age is four times that of the last read, and after its horizon; a pending one
// whenever somebody looks. Rows written by a wrong clock tell no age. Then the refund is read again as soon as the clock is
// right, and until then only if all its verdicts of `applied` have the same time.
function isDueAgain(record: AttemptRecord, last: VerdictRow, now: Moment): boolean {
  if (!isYoung(record, now) || isStillPending(record)) return true;
  const applied = record.verdicts.filter(({ verdict }) => verdict === 'applied');
  for (const first of applied) {
    const age = passedSince(first, now);
    if (age !== undefined) return age >= 4 * (last.time - first.time);
  }
  return !now.skewed || applied.every(({ time }) => time === last.time);
}
