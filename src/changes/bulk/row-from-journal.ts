/** What the journal knows of a row that is planned: whether it was sent before, and what became of it. Pure. */

import { type AttemptRecord, attemptName, mayBeMade } from '../../journal/journal.ts';
import type { PlanRow } from '../../plans/plans.ts';

/** The last attempt under the key of a row, if that was made or may have been; undefined if nothing was sent, or surely not made. */
export function sentUnder(key: string, attempts: readonly AttemptRecord[]): AttemptRecord | undefined {
  const last = lastUnder(key, attempts);
  return last !== undefined && mayBeMade(last) ? last : undefined;
}

/** The name of the last attempt at a row that was certainly not made. Undefined if there is none. */
export function triedBefore(
  { key }: Pick<PlanRow, 'key'>,
  attempts: readonly AttemptRecord[],
): string | undefined {
  const last = lastUnder(key, attempts);
  return last === undefined || mayBeMade(last) ? undefined : attemptName(last);
}

/** The parts of an amount that was spread over charges before: the last attempt at each, if that may have been made. */
export function partsUnder(key: string, attempts: readonly AttemptRecord[]): readonly AttemptRecord[] {
  const parts = attempts.filter(({ sent }) => sent.asked?.part_of === key);
  return [...new Map(parts.map((record) => [record.sent.idempotencyKey, record])).values()].filter(mayBeMade);
}

/** A row as it was sent: `done` or `unconfirmed`. */
export function rowFromJournal<Row extends Omit<PlanRow, 'number'>>(
  base: Row,
  { sent, verdicts }: AttemptRecord,
): Row {
  const { request, proof, amount = 0, currency, time, operator } = sent;
  const isMade = verdicts.at(-1)?.verdict === 'applied';
  const when = new Date(time).toISOString().slice(0, 10);
  return {
    ...base,
    state: isMade ? 'done' : 'unconfirmed',
    why: isMade
      ? `applied on ${when} by ${operator}: paydesk journal show ${sent.change}`
      : `sent on ${when} by ${operator} and unconfirmed: paydesk journal reconcile ${sent.change}`,
    sum: amount,
    currency,
    body: request.body,
    expected: proof.expected,
    tolerated: proof.tolerated,
  };
}

function lastUnder(key: string, attempts: readonly AttemptRecord[]): AttemptRecord | undefined {
  return attempts.findLast(({ sent }) => sent.idempotencyKey === key);
}
