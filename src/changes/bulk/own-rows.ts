/** Tells which attempts are those of the rows of a plan, and which refunds they made. Pure. */

import { type AttemptRecord, isMadeRefund, madeRefunds } from '../../journal/journal.ts';

/** The rows of a plan. */
export interface OwnRows {
  /** The id of the plan. A refreshed plan keeps it. */
  readonly planId: string;
  /** The keys of its rows, or of all rows of one order. Each of them has a `ref` of its own, so all are meant. */
  readonly keys: ReadonlySet<string>;
}

/** Whether an attempt was sent for one of these rows, or for a part of one. */
export function isOfRows({ sent }: AttemptRecord, { keys, planId }: OwnRows): boolean {
  const { idempotencyKey = '', asked } = sent;
  const whole = asked?.part_of;
  return sent.plan === planId || keys.has(idempotencyKey) || (typeof whole === 'string' && keys.has(whole));
}

/** Those of these attempts that made a refund of the rows. */
export function madeByRows(attempts: readonly AttemptRecord[], rows: OwnRows): readonly AttemptRecord[] {
  return attempts.filter((record) => isMadeRefund(record) && isOfRows(record, rows));
}

/** The ids of the refunds that these attempts made. */
export function idsMadeBy(attempts: readonly AttemptRecord[]): readonly string[] {
  return attempts.flatMap(madeRefunds).flatMap(({ id }) => id ?? []);
}
