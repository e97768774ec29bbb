/** Rows put together by attempt, and which attempts a query means. Pure. */

import { isUnsettled, mayChange, verdictOf } from './attempt-state.ts';
import { type StoredRow, unlink } from './chain.ts';
import type { AttemptRecord } from './journal-rows.ts';
import type { AttemptQuery, NewestRow } from './journal-store.ts';

/** Attempts in the order of their SENT rows. Rows are looked up by their columns and parsed on demand, so a long journal stays fast. */
export class AttemptIndex {
  readonly #attempts = new Map<string, StoredAttempt>();
  #newestTime = 0;
  #last: StoredRow | undefined;

  /** Adds rows whose chain was checked, in their order. */
  add(rows: readonly StoredRow[]): void {
    for (const row of rows) {
      this.#newestTime = Math.max(this.#newestTime, row.time);
      this.#last = row;
      const key = keyOf(row);
      const attempt = this.#attempts.get(key);
      if (row.type === 'sent') this.#attempts.set(key, { sent: row, verdicts: [] });
      else if (attempt !== undefined) {
        attempt.verdicts.push(row);
        attempt.record = undefined;
      }
    }
  }

  /** The latest time of the rows, and the clocks of the last one. */
  get newest(): NewestRow {
    return { time: this.#newestTime, clocks: this.#last && unlink(this.#last).clocks };
  }

  /** Whether there is a SENT row of this attempt. */
  has(of: { readonly intent: string; readonly attempt: number }): boolean {
    return this.#attempts.has(keyOf(of));
  }

  /** Number of the newest row about an order; 0 when there is none. */
  newestOf(orderId: string): number {
    const own = [...this.#attempts.values()].filter(({ sent }) => sent.order_id === orderId);
    return Math.max(0, ...own.map(lastSeqOf));
  }

  /** The newest attempt that a query means and that has a row after this number. */
  newestUnder(query: AttemptQuery, seq: number): AttemptRecord | undefined {
    const newer = this.#matching(query).findLast((attempt) => lastSeqOf(attempt) > seq);
    return newer && recordOf(newer);
  }

  attempts(query: AttemptQuery): AttemptRecord[] {
    return this.#matching(query).map(recordOf);
  }

  /** Settled attempts that were sent before a time. */
  settledBefore(time: number): AttemptRecord[] {
    return (
      [...this.#attempts.values()]
        .filter(({ sent }) => sent.time < time)
        .map(recordOf)
        // A refund that was made may still be watched, but that needs no body and no note.
        .filter((record) => !isUnsettled(record) || verdictOf(record)?.verdict === 'applied')
    );
  }

  #matching(query: AttemptQuery): StoredAttempt[] {
    return [...this.#attempts.values()].filter(
      (attempt) => columnsMatch(attempt, query) && matches(recordOf(attempt), query),
    );
  }
}

interface StoredAttempt {
  readonly sent: StoredRow;
  readonly verdicts: StoredRow[];
  record?: AttemptRecord | undefined;
}

function keyOf({ intent, attempt }: { readonly intent: string; readonly attempt: number }): string {
  return `${attempt} ${intent}`;
}

function lastSeqOf({ sent, verdicts }: StoredAttempt): number {
  return Math.max(sent.seq, verdicts.at(-1)?.seq ?? 0);
}

// What the columns alone rule out.
function columnsMatch({ sent, verdicts }: StoredAttempt, query: AttemptQuery): boolean {
  const last = verdicts.at(-1);
  return (
    (query.origin === undefined || query.origin === sent.origin) &&
    (query.orderId === undefined || query.orderId === sent.order_id) &&
    (query.orderIds === undefined || query.orderIds.has(sent.order_id ?? '')) &&
    (query.intent === undefined || query.intent === sent.intent) &&
    (query.plan === undefined || query.plan === sent.plan) &&
    (query.since === undefined || query.since <= sent.time) &&
    (query.unsettled === undefined || last === undefined || isWatched(last))
  );
}

function isWatched(last: StoredRow): boolean {
  const row = unlink(last);
  return row.type === 'verdict' && mayChange(row);
}

function matches(record: AttemptRecord, query: AttemptQuery): boolean {
  const { sent } = record;
  return (
    (query.given === undefined || query.given === sent.given) &&
    (query.operator === undefined || query.operator === sent.operator) &&
    (query.unsettled === undefined || isUnsettled(record))
  );
}

function recordOf(attempt: StoredAttempt): AttemptRecord {
  if (attempt.record !== undefined) return attempt.record;
  const sent = unlink(attempt.sent);
  if (sent.type !== 'sent') throw new Error(`row ${attempt.sent.seq} of the journal is not what it says`);
  const verdicts = attempt.verdicts.map(unlink).filter((row) => row.type === 'verdict');
  attempt.record = { sent, verdicts };
  return attempt.record;
}
