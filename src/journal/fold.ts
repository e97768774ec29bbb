/** Rows of the journal → attempts, and which attempts a query means. Pure. */

import type { AttemptQuery } from './journal.ts';
import type { AttemptRecord, JournalRow, SentRow, VerdictRow } from './rows.ts';
import { isUnsettled } from './standing.ts';

/** The attempts that rows make up, in the order of their SENT rows. */
export function fold(rows: readonly JournalRow[]): AttemptRecord[] {
  const attempts = new Map<string, { sent: SentRow; verdicts: VerdictRow[] }>();
  for (const row of rows) {
    const key = JSON.stringify([row.intent, row.attempt]);
    if (row.type === 'sent') attempts.set(key, { sent: row, verdicts: [] });
    else attempts.get(key)?.verdicts.push(row);
  }
  return [...attempts.values()];
}

/** Whether a query means this attempt. */
export function matches(record: AttemptRecord, query: AttemptQuery): boolean {
  const { sent } = record;
  return (
    (query.origin === undefined || query.origin === sent.origin) &&
    (query.orderId === undefined || query.orderId === sent.proof.orderId) &&
    (query.orderIds === undefined || query.orderIds.has(sent.proof.orderId ?? '')) &&
    (query.intent === undefined || query.intent === sent.intent) &&
    (query.given === undefined || query.given === sent.given) &&
    (query.plan === undefined || query.plan === sent.plan) &&
    (query.operator === undefined || query.operator === sent.operator) &&
    (query.since === undefined || query.since <= sent.time) &&
    (query.unsettled === undefined || isUnsettled(record))
  );
}
