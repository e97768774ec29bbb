/** The history of a change: what each row of the journal says about it, for people and for scripts. */

import type { JsonObject } from '../../api/json-values.ts';
import { secondsOf } from '../../api/spec.ts';
import { type AttemptRecord, recordedState, type VerdictRow } from '../../journal/journal.ts';
import type { Cell } from '../../terminal/terminal.ts';
import { replyOf } from './attempt-record.ts';

/** What a new read of the order showed, for `journal reconcile CHANGE`. */
export interface Look {
  readonly line: string;
  /** When the order was read, Unix milliseconds; undefined when it was not. */
  readonly at: number | undefined;
  /** The outcome before, in words. */
  readonly was: string;
  readonly changed: boolean;
}

/** A row of the history for scripts. Times are Unix seconds, as in the record around it. */
export function historyOf(row: VerdictRow): JsonObject {
  const { time, verdict, by, why, alarm, corrects, acknowledged, operator, note, error, received } = row;
  const at = secondsOf(time);
  const refunds = row.refunds?.map(({ id = null, chargeId, amount, createdAt = null }) => {
    return { id, charge_id: chargeId, amount, created_at: createdAt };
  });
  // The bytes themselves are not kept: they hold the data of the buyer.
  const { httpStatus, bytes, sha256 } = received ?? {};
  const reply = { ...(error === undefined ? { http_status: httpStatus } : replyOf(error)), bytes, sha256 };
  return {
    verdict_at: at,
    verdict,
    by,
    why,
    alarm,
    corrects,
    acknowledged,
    operator,
    note,
    refunds,
    ...reply,
  };
}

/**
 * The history for people: when, what became of it, and why or by whom. `look`: what a new read showed. `askedAt`: when its approval was
 * asked for, Unix milliseconds; undefined if that is not known.
 */
export function historyGrid(
  record: AttemptRecord,
  look: Look | undefined,
  askedAt: number | undefined,
): readonly (readonly Cell[])[] {
  const seenIn = record.sent.proof.orderId === undefined ? 'the newest orders' : 'the order';
  const told = record.verdicts.filter((row, index) => !repeats(row, record.verdicts[index - 1]));
  const { operator, askedBy = operator, approvedBy, approvedAt, approval = '' } = record.sent;
  return [
    ...(askedAt === undefined ? [] : [[fullTime(askedAt), 'asked', `by ${askedBy}: ${approval}`]]),
    ...(approvedAt === undefined
      ? []
      : [[fullTime(approvedAt), 'approved', `by ${approvedBy}: ${approval}`]]),
    ...told.map((row, index) => [fullTime(row.time), ...historyCells(row, told[index - 1], seenIn, record)]),
    ...newReadCells(record, look),
  ];
}

// `recorded not made   by root: no trace at the bank`
function historyCells(
  row: VerdictRow,
  before: VerdictRow | undefined,
  seenIn: string,
  record: AttemptRecord,
): readonly string[] {
  const { verdict, by, corrects, acknowledged, operator, note } = row;
  const why = whyNow(row, before, seenIn);
  const noted = note === undefined ? '' : `: ${note}`;
  if (acknowledged !== undefined && operator !== undefined)
    return ['alarm acknowledged', `by ${operator}${noted}`];
  // In a team, somebody other than the sender of the change may have read the order.
  const reader = by === 'read' ? row.stamp?.operator : undefined;
  const read = reader === undefined || reader === record.sent.operator ? '' : `, read by ${reader}`;
  if (by !== 'person' || acknowledged !== undefined) return [stateAt(row, record), `${why}${noted}${read}`];
  const word = corrects === true ? 'corrected to' : 'recorded';
  return [`${word} ${verdict === 'applied' ? 'made' : 'not made'}`, `by ${operator ?? 'somebody'}${noted}`];
}

// What was known once a row was written. A refusal that no read had confirmed by then was a refusal all the same, and a read that
// does not show what a person recorded as not made says no more than that.
function stateAt(row: VerdictRow, record: AttemptRecord): string {
  const state = recordedState({
    ...record,
    verdicts: record.verdicts.slice(0, record.verdicts.indexOf(row) + 1),
  });
  if (state === 'recorded not made') return 'not made';
  return state === 'unconfirmed' && row.verdict === 'rejected' ? 'refused' : state;
}

// The row of a read keeps the reason why the sending is in doubt. Here that reason is shown with the sending, and the row of the
// read says what the read showed.
function whyNow({ verdict, by, why }: VerdictRow, before: VerdictRow | undefined, seenIn: string): string {
  if (before === undefined || by !== 'read') return why;
  if (verdict === 'not_seen' && why === before.why) return `${seenIn} did not show it yet`;
  return why.startsWith(`${before.why}; `) ? why.slice(before.why.length + 2) : why;
}

// A read that changes nothing leaves no row in the journal, so it is only told here.
function newReadCells({ verdicts }: AttemptRecord, look: Look | undefined): readonly (readonly Cell[])[] {
  const last = verdicts.at(-1);
  if (look?.at === undefined || (last !== undefined && last.time >= look.at - 1000)) return [];
  return [[fullTime(look.at), 'read again', 'nothing new']];
}

// The run that lost a reply records that twice, before its reads and after them. If the reads showed nothing, people need to see it
// only once.
function repeats(row: VerdictRow, before: VerdictRow | undefined): boolean {
  return (
    row.by === 'sender' &&
    before?.by === 'sender' &&
    row.verdict === before.verdict &&
    row.why === before.why &&
    row.alarm === before.alarm
  );
}

/** A time to the second, with its zone. */
export function fullTime(ms: number) {
  return { time: secondsOf(ms), precision: 'full' as const };
}
