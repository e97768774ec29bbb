/** The rules that every store of the journal checks before it adds a row. Pure. */

import { CliError } from '../errors.ts';
import { isUnfinished, isUnsettled, mayChange, verdictOf } from './attempt-state.ts';
import { chainStart, link, type StoredRow, unlink } from './chain.ts';
import {
  type AttemptRecord,
  type AttemptRow,
  attemptKey,
  type JournalRow,
  type SentRow,
  type SettingRow,
} from './journal-rows.ts';
import type { AttemptQuery, NewestRow } from './journal-store.ts';
import { refusalError } from './refusal-error.ts';
import { marksOf, mayBeSameAccount } from './same-account.ts';
import { isOtherRequest } from './same-request.ts';

const certain = 'nothing was sent';

/** What one run has read of the journal so far, and what it may add to that. */
export class StoreRules {
  readonly #index = new AttemptIndex();
  readonly #settings: StoredRow[] = [];
  #seq = 0;
  #head = chainStart;
  // The number of the newest row when this run asked for the attempts on an order, or under a script's id.
  readonly #askedForOrder = new Map<string, number>();
  readonly #askedForScript = new Map<string, number>();

  /** Number and hash of the newest row that was read. */
  get end(): { readonly seq: number; readonly head: string } {
    return { seq: this.#seq, head: this.#head };
  }

  get newest(): NewestRow {
    return this.#index.newest;
  }

  /** Takes in the next rows. Their chain was checked before. */
  read(rows: readonly StoredRow[]): void {
    this.#index.add(rows.filter(isOfAttempt));
    this.#settings.push(...rows.filter(({ type }) => type === 'setting'));
    const last = rows.at(-1);
    if (last !== undefined) [this.#seq, this.#head] = [last.seq, last.hash];
  }

  /** The attempts that match a query. From now on this run counts as having seen them. */
  attempts(query: AttemptQuery): readonly AttemptRecord[] {
    const { orderId, given } = query;
    if (orderId !== undefined) this.#askedForOrder.set(orderId, this.#seq);
    if (given !== undefined) this.#askedForScript.set(given, this.#seq);
    return this.#index.attempts(query);
  }

  settings(): readonly SettingRow[] {
    return this.#settings.map(unlink).filter((row) => row.type === 'setting');
  }

  /** The attempts whose bodies and notes may be erased. */
  erasable(before: number): readonly AttemptRecord[] {
    return this.#index.settledBefore(before);
  }

  /** The stored form of a row that comes next. */
  link(row: JournalRow): StoredRow {
    return link(row, this.#seq + 1, this.#head);
  }

  /** Throws CliError 'refused' for a second SENT row of an attempt, and for a verdict without its SENT row. */
  refuseMisplaced(row: JournalRow): void {
    if (row.type === 'setting' || !isMisplaced(row, this.#index.has(row))) return;
    throw new CliError('refused', `the journal cannot hold this row of ${row.intent}`, { certain });
  }

  /** Throws CliError 'refused' while there is an unsettled change whose row was lost and whose account is unknown. */
  refuseWhileLost(): void {
    const [lost] = this.#index.attempts({ origin: '', unsettled: true });
    if (lost === undefined) return;
    const { intent } = lost.sent;
    throw new CliError('refused', `rows of the journal are lost: ${intent} may be a change that was sent`, {
      certain,
      now: [
        "look at the orders that were changed lately on the service's own screen; then record that you did:",
        `paydesk journal settle ${intent} --not-applied --note TEXT`,
      ],
    });
  }

  /**
   * Throws CliError 'refused' for a SENT row when this run has not seen what another run added after it asked. The
   * lock on the order usually prevents that, but somebody may have removed the lock. Two runs under one script's id
   * on different orders share no lock, so only this rule stops the second one.
   */
  refuseUnseen(row: JournalRow): void {
    if (row.type !== 'sent') return;
    this.#refuseUnseenOnOrder(row);
    this.#refuseUnseenUnderScript(row);
  }

  #refuseUnseenOnOrder({ proof: { orderId } }: SentRow): void {
    const seen = orderId === undefined ? undefined : this.#askedForOrder.get(orderId);
    if (orderId === undefined || seen === undefined || this.#index.newestOf(orderId) <= seen) return;
    throw new CliError('refused', `another run changed ${orderId} in the meantime, although it was locked`, {
      certain,
      now: [`paydesk journal list --order ${orderId}`, 'then decide again'],
    });
  }

  #refuseUnseenUnderScript(row: SentRow): void {
    const { given, proof, asked } = row;
    const seen = given === undefined ? undefined : this.#askedForScript.get(given);
    if (given === undefined || seen === undefined) return;
    const attempt = this.#index.newestUnder({ given }, seen);
    if (attempt === undefined || !mayBeSameAccount(marksOf(attempt.sent), marksOf(row))) return;
    const now = { kind: proof.kind, asked };
    if (isOtherRequest(now, attempt)) throw refusalError({ why: 'other_parameters', attempt, now }, given);
    throw new CliError('refused', `another run under the script id ${given} (--intent) came first`, {
      certain,
      now: [`paydesk journal show ${attempt.sent.intent}`],
    });
  }
}

/** Whether a row has no place in the journal: each attempt has one SENT row, and no verdict comes without it. */
export function isMisplaced(row: AttemptRow, hasSent: boolean): boolean {
  return hasSent === (row.type === 'sent');
}

// Other rows decide nothing about attempts, not even what time it is.
function isOfAttempt({ type }: StoredRow): boolean {
  return type === 'sent' || type === 'verdict';
}

// All attempts, in the order of their SENT rows. A row is parsed only when needed, and what most queries ask for is found without
// a look at the others, so a long journal stays fast.
class AttemptIndex {
  readonly #attempts = new Map<string, StoredAttempt>();
  readonly #byOrder = new Map<string, StoredAttempt[]>();
  readonly #byIntent = new Map<string, StoredAttempt[]>();
  // Attempts whose row was lost, so that nobody knows their account. Before every change it is asked whether there are any.
  readonly #ofNoOrigin: StoredAttempt[] = [];
  // A script's own id is in no column, so the first query for one reads it out of the rows.
  readonly #byGiven = new Map<string, StoredAttempt[]>();
  readonly #notByGiven: StoredAttempt[] = [];
  #newestTime = 0;
  #last: StoredRow | undefined;

  /** Adds rows of attempts in their order. Their chain was checked before. */
  add(rows: readonly StoredRow[]): void {
    for (const row of rows) {
      this.#newestTime = Math.max(this.#newestTime, row.time);
      this.#last = row;
      const key = attemptKey(row);
      const attempt = this.#attempts.get(key);
      if (row.type === 'sent') this.#addAttempt(key, { sent: row, verdicts: [] });
      else if (attempt !== undefined) {
        attempt.verdicts.push(row);
        attempt.record = undefined;
      }
    }
  }

  #addAttempt(key: string, attempt: StoredAttempt): void {
    this.#attempts.set(key, attempt);
    const { order_id: orderId, intent, origin } = attempt.sent;
    if (origin === '') this.#ofNoOrigin.push(attempt);
    if (orderId !== null) addTo(this.#byOrder, orderId, attempt);
    addTo(this.#byIntent, intent, attempt);
    this.#notByGiven.push(attempt);
  }

  /** The latest time of the rows of attempts, and the clocks of the last one. */
  get newest(): NewestRow {
    return { time: this.#newestTime, clocks: this.#last && unlink(this.#last).clocks };
  }

  has(of: { readonly intent: string; readonly attempt: number }): boolean {
    return this.#attempts.has(attemptKey(of));
  }

  /** Number of the newest row about an order; 0 when there is none. */
  newestOf(orderId: string): number {
    return Math.max(0, ...(this.#byOrder.get(orderId) ?? []).map(lastSeqOf));
  }

  /** The newest attempt that matches a query and has a row after this number. */
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
        // A refund that was made may still be watched, but the watch needs no body and no note.
        .filter((record) => !isUnsettled(record) || verdictOf(record)?.verdict === 'applied')
    );
  }

  #matching(query: AttemptQuery): StoredAttempt[] {
    return this.#candidates(query).filter(
      (attempt) => columnsMatch(attempt, query) && matches(recordOf(attempt), query),
    );
  }

  // At least those that match, in the order of their SENT rows.
  #candidates({ orderId, intent, given, origin }: AttemptQuery): readonly StoredAttempt[] {
    if (origin === '') return this.#ofNoOrigin;
    if (orderId !== undefined) return this.#byOrder.get(orderId) ?? [];
    if (intent !== undefined) return this.#byIntent.get(intent) ?? [];
    if (given !== undefined) return this.#under(given);
    return [...this.#attempts.values()];
  }

  #under(given: string): readonly StoredAttempt[] {
    for (const attempt of this.#notByGiven.splice(0)) {
      const row = unlink(attempt.sent);
      if (row.type === 'sent' && row.given !== undefined) addTo(this.#byGiven, row.given, attempt);
    }
    return this.#byGiven.get(given) ?? [];
  }
}

function addTo(index: Map<string, StoredAttempt[]>, key: string, attempt: StoredAttempt): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, [attempt]);
  else known.push(attempt);
}

interface StoredAttempt {
  readonly sent: StoredRow;
  readonly verdicts: StoredRow[];
  record?: AttemptRecord | undefined;
}

function lastSeqOf({ sent, verdicts }: StoredAttempt): number {
  return Math.max(sent.seq, verdicts.at(-1)?.seq ?? 0);
}

// A quick check by the columns, before the row is parsed.
function columnsMatch({ sent, verdicts }: StoredAttempt, query: AttemptQuery): boolean {
  const last = verdicts.at(-1);
  return (
    (query.origin === undefined || query.origin === sent.origin) &&
    (query.orderId === undefined || query.orderId === sent.order_id) &&
    (query.orderIds === undefined || query.orderIds.has(sent.order_id ?? '')) &&
    (query.intent === undefined || query.intent === sent.intent) &&
    (query.plan === undefined || query.plan === sent.plan) &&
    (query.since === undefined || query.since <= sent.time) &&
    (query.unsettled === undefined || last === undefined || isWatched(last)) &&
    // The text decides nothing; it only spares the parsing of most rows.
    (query.byHand === undefined || last?.row.includes('"person"') === true)
  );
}

function isWatched(last: StoredRow): boolean {
  const row = unlink(last);
  return row.type === 'verdict' && (mayChange(row) || row.alarm !== undefined);
}

function matches(record: AttemptRecord, query: AttemptQuery): boolean {
  const { sent } = record;
  return (
    (query.given === undefined || query.given === sent.given) &&
    (query.operator === undefined || query.operator === sent.operator) &&
    (query.unsettled === undefined || isUnfinished(record)) &&
    (query.byHand === undefined || verdictOf(record)?.by === 'person')
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
