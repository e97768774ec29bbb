/** Works out what became of the rows of a plan: one flat record for each row, from the plan and the journal. Pure. */

import { isKeyRefusal } from '../../api/spec.ts';
import {
  type AttemptRecord,
  alarmWords,
  attemptName,
  blockedUntil,
  isPast,
  madeRefunds,
  recordedState,
  statementOn,
  type VerdictRow,
} from '../../journal/journal.ts';
import {
  acknowledgementOf,
  gaveNothing,
  type RefundState,
  refundStates,
  stateWord,
  stopsRefund,
} from '../../orders/orders.ts';
import type { Plan, PlanRow } from '../../plans/plans.ts';
import { replyWords } from '../change-words.ts';

/** Every verdict of a row, in the order in which they are counted. */
export const rowVerdicts = [
  'made',
  'recorded_made',
  'pending',
  'failed',
  'made_twice',
  'appeared',
  'gone',
  'unconfirmed',
  'refused',
  'recorded_not_made',
  'not_sent',
  'would_be_sent',
  'look',
  'impossible',
] as const;
/**
 * - `made`, `recorded_made`, `pending`, `failed`, `made_twice`, `appeared`, `gone`, `unconfirmed`, `recorded_not_made`: the state
 *   of its refund, sent by this plan or before it
 * - `refused`: the service refused it
 * - `not_sent`: certainly nothing was sent; without a `why`, nothing was tried yet
 * - `would_be_sent`: a dry run looked at its order, and it can be sent
 * - `look`, `impossible`: the plan does not send it
 */
export type RowVerdict = (typeof rowVerdicts)[number];

/** A row of a plan and what became of it. */
export interface RowReport {
  readonly row: PlanRow;
  readonly verdict: RowVerdict;
  /** The state of its refund; undefined if none was sent, or if certainly none was made. */
  readonly state: RefundState | undefined;
  readonly why: string | undefined;
  /** The last attempt at it, if one was sent. */
  readonly attempt: RowAttempt | undefined;
  /** It is unconfirmed, and this run could not look it up. */
  readonly isUnread?: boolean;
}

/** Why a dry run does not send a row that can be sent. */
export const dryRunWords = 'dry run: it would be sent';

/** What this run knows about rows that it did not send: the journal holds nothing about them. */
export type NotSent = ReadonlyMap<number, string>;

/** Reports the rows of a plan, or some of them. `attempts`: all attempts at their orders. */
export function reportRows(
  plan: Pick<Plan, 'rows' | 'id'>,
  attempts: readonly AttemptRecord[],
  notSent: NotSent = new Map(),
): readonly RowReport[] {
  const last = new Map(attempts.map((record) => [record.sent.idempotencyKey, record]));
  return plan.rows.map((row) => {
    const attempt = last.get(row.key);
    const news = attempt && countsForPlan(plan, row, attempt) ? attempt : undefined;
    return reportRow(plan, row, news, notSent.get(row.number));
  });
}

// An attempt that failed before the plan was made says nothing about the row: the plan tries it anew, or says why it does not.
function countsForPlan(plan: Pick<Plan, 'id'>, row: PlanRow, attempt: AttemptRecord): boolean {
  const verdict = verdictOfAttempt(attempt);
  return !(isRefused(verdict) || verdict === 'not_sent') || isOfThisPlan(plan, row, attempt);
}

// A refreshed plan keeps its id, but it knows what the plan before it tried. Times would not tell: the clock may be wrong.
function isOfThisPlan({ id }: Pick<Plan, 'id'>, { tried }: PlanRow, attempt: AttemptRecord): boolean {
  return attempt.sent.plan === id && attemptName(attempt) !== tried;
}

function reportRow(
  plan: Pick<Plan, 'id'>,
  row: PlanRow,
  attempt: AttemptRecord | undefined,
  notSent: string | undefined,
): RowReport {
  if (attempt !== undefined) {
    const verdict = verdictOfAttempt(attempt);
    // A row that was not sent before may have been stopped for another reason now.
    const isOld = verdict === 'not_sent' || isRefused(verdict);
    const state = refundStates.find((one) => one === recordedState(attempt));
    return {
      row,
      state,
      attempt: rowAttempt(plan, row, attempt, verdict),
      verdict: isOld && notSent === dryRunWords ? 'would_be_sent' : verdict,
      why: (isOld ? notSent : undefined) ?? rowWhy(verdict, attempt),
    };
  }
  const nothing = { row, attempt, state: undefined };
  if (row.state === 'look' || row.state === 'impossible')
    return { ...nothing, verdict: row.state, why: row.why };
  return { ...nothing, verdict: notSent === dryRunWords ? 'would_be_sent' : 'not_sent', why: notSent };
}

/** What a report says about an attempt. The attempt itself is much larger, and a plan may have thousands of them. */
type RowAttempt = ReturnType<typeof rowAttempt>;

function rowAttempt(plan: Pick<Plan, 'id'>, row: PlanRow, attempt: AttemptRecord, verdict: RowVerdict) {
  const { change, operator, time, proof } = attempt.sent;
  const last = attempt.verdicts.at(-1);
  const refunds = madeRefunds(attempt);
  const ids = refunds.map(({ id }) => id ?? '').join(' ');
  const sum = refunds.reduce((total, { amount }) => total - amount, 0);
  return {
    name: attemptName(attempt),
    /** While it is unconfirmed: the latest time at which that ends, Unix milliseconds. Undefined if only a read or a person ends it. */
    blockedUntil: verdict === 'unconfirmed' ? blockedUntil(attempt) : undefined,
    /** A read after its time did not show it: no other read will. */
    neverArrived: isPast(attempt),
    change,
    operator,
    /** Unix milliseconds. */
    time,
    /** How much of the order was refunded before it. */
    before: proof.before.amountRefunded,
    /** When its order was read last, or the service replied; Unix milliseconds. Undefined if neither. */
    readAt: last?.by === 'reply' || last?.by === 'read' ? last.time : undefined,
    /** The ids of its refunds, and their sum, positive; undefined while it is not made. */
    made:
      last?.verdict === 'applied' && verdict !== 'failed' && verdict !== 'gone' ? { ids, sum } : undefined,
    logId: last?.error?.logId,
    alarm: last?.alarm,
    /** It was refused or recorded as not made, and it is sent once more. */
    isSentAnew: isRefused(verdict) && isSentAnew(plan, row, attempt),
  };
}

/**
 * Whether a row that was tried is sent once more. It certainly was not made: nothing was sent, a person recorded that, the service
 * refused only the key, or the plan was made after it was refused.
 */
export function isSentAnew(plan: Pick<Plan, 'id'>, row: PlanRow, attempt: AttemptRecord): boolean {
  const verdict = verdictOfAttempt(attempt);
  if (!isRefused(verdict)) return verdict === 'not_sent';
  const last = attempt.verdicts.at(-1);
  const isOfKey = last?.error?.httpStatus !== undefined && isKeyRefusal(last.error.httpStatus);
  return statementOn(attempt) !== undefined || isOfKey || !isOfThisPlan(plan, row, attempt);
}

// The service's own words say more than ours.
function whyOf(last: VerdictRow | undefined): string | undefined {
  if (last?.error === undefined) return last?.why;
  const words = replyWords(last.error);
  return last.why.startsWith(words) ? last.why : `${last.why}: ${words}`;
}

function rowWhy(verdict: RowVerdict, attempt: AttemptRecord): string | undefined {
  const last = attempt.verdicts.at(-1);
  if (verdict === 'made' || verdict === 'recorded_made') return byHandWhy(last);
  if (verdict !== 'made_twice') return whyOf(last);
  const by = acknowledgementOf(attempt)?.operator;
  return by === undefined ? alarmWords.duplicate : `the second payment was acknowledged by ${by}`;
}

// Nobody but that person says so: the order does not show it.
function byHandWhy(last: VerdictRow | undefined): string | undefined {
  if (last?.by !== 'person') return undefined;
  const note = last.note === undefined ? '' : ` (${last.note})`;
  return `recorded as made by ${last.operator ?? 'somebody'}${note}`;
}

function verdictOfAttempt(attempt: AttemptRecord): RowVerdict {
  const state = stateWord(recordedState(attempt));
  return rowVerdicts.find((verdict) => verdict === state) ?? 'unconfirmed';
}

/** Whether a person must look at a row before anything else: nobody knows its outcome, or money went where nobody wanted it. */
export function isAlarming({ state = 'made', attempt }: RowReport): boolean {
  return stopsRefund(state) && (state === 'unconfirmed' || attempt?.alarm !== undefined);
}

/** Whether nothing is left to do about a row: it was made, or somebody has dealt with what came of it. */
export function isDone(report: RowReport): boolean {
  const { verdict } = report;
  const isMade = verdict === 'made' || verdict === 'recorded_made';
  return isMade || ((verdict === 'made_twice' || verdict === 'gone') && !isAlarming(report));
}

/** Whether nothing came of a row that was sent. */
function isRefused(verdict: RowVerdict): boolean {
  return verdict === 'refused' || verdict === 'recorded_not_made';
}

/** Whether the next run of the same plan sends a row, if its order still allows that. */
export function isLeftToSend({ verdict, attempt }: RowReport): boolean {
  return verdict === 'not_sent' || attempt?.isSentAnew === true;
}

/** Whether a row certainly moved no money, so that it may go into the next file. */
export function movedNothing({ state }: RowReport): boolean {
  return state === undefined || gaveNothing(state);
}

/** A reason for a row that already shows the id of its order: `the order is refunded already`. */
export function whyBesideOrder(
  why: string | undefined,
  { orderId }: Pick<PlanRow, 'orderId'>,
): string | undefined {
  return why?.startsWith(`${orderId} `) === true ? `the order${why.slice(orderId.length)}` : why;
}

/** A verdict, and the rows that have it. */
interface VerdictCount {
  readonly verdict: RowVerdict;
  readonly reports: readonly RowReport[];
}

export function countVerdicts(reports: readonly RowReport[]): readonly VerdictCount[] {
  return rowVerdicts
    .map((verdict) => ({ verdict, reports: reports.filter((one) => one.verdict === verdict) }))
    .filter((one) => one.reports.length > 0);
}
