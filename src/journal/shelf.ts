/** Rows of the file in memory: put together by attempt from their columns, and read only when somebody asks. */

import { unlink } from './chain.ts';
import { matches } from './fold.ts';
import type { AttemptQuery, NewestRow } from './journal.ts';
import type { AttemptRecord } from './rows.ts';
import { isUnsettled, mayChange, verdictOf } from './standing.ts';
import type { StoredRow } from './stored-row.ts';

interface Bundle {
  readonly sent: StoredRow;
  readonly verdicts: StoredRow[];
  record?: AttemptRecord | undefined;
}

/** Attempts in the order of their SENT rows; a long journal costs its reading, not its parsing. */
export class Shelf {
  readonly #bundles = new Map<string, Bundle>();
  #newestTime = 0;
  #last: StoredRow | undefined;

  /** Adds checked rows, in the order of the file. */
  add(rows: readonly StoredRow[]): void {
    for (const row of rows) {
      this.#newestTime = Math.max(this.#newestTime, row.time);
      this.#last = row;
      const key = keyOf(row);
      const bundle = this.#bundles.get(key);
      if (row.type === 'sent') this.#bundles.set(key, { sent: row, verdicts: [] });
      else if (bundle !== undefined) {
        bundle.verdicts.push(row);
        bundle.record = undefined;
      }
    }
  }

  /** The latest time of the rows, and the clocks of the last one. */
  get newest(): NewestRow {
    return { time: this.#newestTime, clocks: this.#last && unlink(this.#last).clocks };
  }

  /** Whether there is a SENT row of this attempt. */
  has(of: { readonly intent: string; readonly attempt: number }): boolean {
    return this.#bundles.has(keyOf(of));
  }

  /** Number of the newest row about an order; 0 where there is none. */
  newestOf(orderId: string): number {
    const own = [...this.#bundles.values()].filter(({ sent }) => sent.order_id === orderId);
    return Math.max(0, ...own.flatMap(({ sent, verdicts }) => [sent.seq, ...verdicts.map(({ seq }) => seq)]));
  }

  attempts(query: AttemptQuery): AttemptRecord[] {
    return this.#matching(query).map(recordOf);
  }

  /** The newest attempt that a query means and that has a row after this number. */
  newestUnder(query: AttemptQuery, seq: number): AttemptRecord | undefined {
    const newer = this.#matching(query).findLast(
      ({ sent, verdicts }) => Math.max(sent.seq, verdicts.at(-1)?.seq ?? 0) > seq,
    );
    return newer && recordOf(newer);
  }

  #matching(query: AttemptQuery): Bundle[] {
    return [...this.#bundles.values()].filter(
      (bundle) => mayMatch(bundle, query) && matches(recordOf(bundle), query),
    );
  }

  /** Settled attempts that were sent before a time. */
  settledBefore(time: number): AttemptRecord[] {
    return (
      [...this.#bundles.values()]
        .filter(({ sent }) => sent.time < time)
        .map(recordOf)
        // A refund that was made may still be watched, but that needs no body and no note.
        .filter((record) => !isUnsettled(record) || verdictOf(record)?.verdict === 'applied')
    );
  }
}

function keyOf({ intent, attempt }: { readonly intent: string; readonly attempt: number }): string {
  return `${attempt} ${intent}`;
}

// What the columns alone rule out.
function mayMatch({ sent, verdicts }: Bundle, query: AttemptQuery): boolean {
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

function recordOf(bundle: Bundle): AttemptRecord {
  if (bundle.record !== undefined) return bundle.record;
  const sent = unlink(bundle.sent);
  if (sent.type !== 'sent') throw new Error(`row ${bundle.sent.seq} of the journal is not what it says`);
  const verdicts = bundle.verdicts.map(unlink).filter((row) => row.type === 'verdict');
  bundle.record = { sent, verdicts };
  return bundle.record;
}
