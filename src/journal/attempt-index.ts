/** The attempts of a journal that was read, found by order, intent, script's id or account. It keeps where their rows are, not the rows. Pure. */

import { CliError } from '../errors.ts';
import { dueAt, isDoubted, isUnsettled, isWatched, mayBeOpen } from './attempt-state.ts';
import { damageOf, type StoredRow, unlink } from './chain.ts';
import {
  type AttemptRecord,
  broughtBy,
  type Clocks,
  type JournalRow,
  type SentRow,
  type VerdictRow,
} from './journal-rows.ts';
import { type AttemptFilter, byNewest, type ListPage, type NewestRow } from './journal-store.ts';

const certain = 'nothing was sent';

/** Reads a row of the journal again, by its number; undefined if it is gone. */
export type ReadRowAgain = (seq: number) => StoredRow | undefined;

/**
 * All attempts, in the order of their SENT rows. What most queries ask for is found without a look at the others, so a long
 * journal stays fast.
 */
export class AttemptIndex {
  readonly #again: ReadRowAgain;
  readonly #attempts: KnownAttempt[] = [];
  readonly #byOrder = new Map<string, Listed>();
  readonly #byIntent = new Map<string, Listed>();
  // Attempts whose row was lost, so that nobody knows their account. Before every change it is asked whether there are any.
  readonly #ofNoOrigin: KnownAttempt[] = [];
  // A script's own id is in no column, so the first query for one reads it out of the rows.
  readonly #byGiven = new Map<string, Listed>();
  readonly #notByGiven: KnownAttempt[] = [];
  #newestTime = 0;
  #lastClocks: Clocks | undefined;

  constructor(again: ReadRowAgain) {
    this.#again = again;
  }

  /** Adds rows of attempts in their order. Their chain was checked before. */
  add(rows: readonly StoredRow[]): void {
    for (const row of rows) {
      this.#newestTime = Math.max(this.#newestTime, row.time);
      const attempt = this.#find(row);
      if (row.type === 'sent') this.#addAttempt(row);
      else if (attempt !== undefined) {
        // An array that grows keeps room for 16 more, and nearly every attempt has one verdict.
        attempt.verdicts = [...attempt.verdicts, { seq: row.seq, hash: row.hash }];
        Object.assign(attempt, stateOf(row));
      }
    }
    const last = rows.at(-1);
    if (last !== undefined) this.#lastClocks = readable(last)?.clocks;
  }

  #addAttempt({ seq, hash, order_id: orderId, intent, attempt: number, origin, time }: StoredRow): void {
    // Each row brings texts of its own, also where they say the same as in all rows before.
    const last = this.#attempts.at(-1)?.sent;
    const sent = {
      seq,
      hash,
      orderId,
      intent,
      attempt: number,
      origin: origin === last?.origin ? last.origin : origin,
      time,
    };
    const attempt: KnownAttempt = { sent, verdicts: [], isOpen: true, byHand: false };
    this.#attempts.push(attempt);
    if (origin === '') this.#ofNoOrigin.push(attempt);
    if (orderId !== null) addTo(this.#byOrder, orderId, attempt);
    addTo(this.#byIntent, intent, attempt);
    this.#notByGiven.push(attempt);
  }

  /** The latest time of the rows of attempts, and the clocks of the last one. */
  get newest(): NewestRow {
    return { time: this.#newestTime, clocks: this.#lastClocks };
  }

  has(of: { readonly intent: string; readonly attempt: number }): boolean {
    return this.#find(of) !== undefined;
  }

  #find({ intent, attempt }: Pick<SentRow, 'intent' | 'attempt'>): KnownAttempt | undefined {
    return listedIn(this.#byIntent, intent).find(({ sent }) => sent.attempt === attempt);
  }

  verdictsOn(of: { readonly intent: string; readonly attempt: number }): number {
    return this.#find(of)?.verdicts.length ?? 0;
  }

  /** Number of the newest row about an order; 0 when there is none. */
  newestOf(orderId: string): number {
    return Math.max(0, ...listedIn(this.#byOrder, orderId).map(lastSeqOf));
  }

  /** The newest attempt under a script's id that has a row after this number. */
  newestUnder(given: string, seq: number): AttemptRecord | undefined {
    const newer = this.#under(given).findLast((attempt) => lastSeqOf(attempt) > seq);
    return newer && this.#recordOf(newer);
  }

  attempts(query: AttemptFilter): AttemptRecord[] {
    const found = this.#candidates(query)
      .filter((attempt) => columnsMatch(attempt, query))
      .map((attempt) => this.#recordOf(attempt))
      .filter((record) => matches(record, query));
    if (query.watched === undefined) return found;
    return found
      .toSorted((one, other) => Number(dueAt(one)) - Number(dueAt(other)))
      .slice(0, query.watched.limit);
  }

  list(filter: AttemptFilter, { limit, before }: ListPage): AttemptRecord[] {
    return this.attempts(filter)
      .filter(({ sent }) => before === undefined || byNewest(before, sent) < 0)
      .toSorted((one, other) => byNewest(one.sent, other.sent))
      .slice(0, limit);
  }

  operators(origin: string | undefined): string[] {
    const all = this.attempts({ origin }).flatMap(({ sent }) => [
      sent.operator,
      broughtBy(sent) ?? sent.operator,
    ]);
    return [...new Set(all)].toSorted();
  }

  /** Settled attempts that were sent before a time. */
  settledBefore(time: number): AttemptRecord[] {
    return (
      this.#attempts
        .filter(({ sent }) => sent.time < time)
        .map((attempt) => this.#recordOf(attempt))
        // A refund may still be watched, but the watch needs no body and no note.
        .filter((record) => !isUnsettled(record) || isWatched(record))
    );
  }

  // At least those that match, in the order of their SENT rows.
  #candidates({ orderId, orderIds, intent, given, origin }: AttemptFilter): readonly KnownAttempt[] {
    if (origin === '') return this.#ofNoOrigin;
    if (orderId !== undefined) return listedIn(this.#byOrder, orderId);
    if (intent !== undefined) return listedIn(this.#byIntent, intent);
    if (given !== undefined) return this.#under(given);
    if (orderIds !== undefined) return this.#onOrders(orderIds);
    return this.#attempts;
  }

  #onOrders(ids: ReadonlySet<string>): readonly KnownAttempt[] {
    const all = [...ids].flatMap((id) => listedIn(this.#byOrder, id));
    return all.toSorted((one, other) => one.sent.seq - other.sent.seq);
  }

  #under(given: string): readonly KnownAttempt[] {
    for (const attempt of this.#notByGiven.splice(0)) {
      const row = this.#rowOf(attempt.sent);
      if (row.type === 'sent' && row.given !== undefined) addTo(this.#byGiven, row.given, attempt);
    }
    return listedIn(this.#byGiven, given);
  }

  #recordOf(attempt: KnownAttempt): AttemptRecord {
    const sent = this.#rowOf(attempt.sent);
    if (sent.type !== 'sent') throw new Error(`row ${attempt.sent.seq} of the journal is not what it says`);
    const verdicts = attempt.verdicts
      .map((known) => this.#rowOf(known))
      .filter((row) => row.type === 'verdict');
    return { sent, verdicts };
  }

  // The row that was checked when it was read first, and no other.
  #rowOf({ seq, hash }: KnownRow): JournalRow {
    const stored = this.#again(seq);
    const damage = stored === undefined ? 'is missing' : damageOf(stored);
    if (stored !== undefined && damage === undefined && stored.hash === hash) {
      const row = readable(stored);
      if (row !== undefined) return row;
      throw new CliError(
        'refused',
        `row ${seq} of the journal cannot be read, so nobody knows what it says`,
        {
          certain,
          now: ['find out who wrote that row: paydesk did not'],
        },
      );
    }
    throw new CliError('refused', `the journal is damaged: row ${seq} ${damage ?? 'was changed'}`, {
      certain,
      now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
    });
  }
}

// Nearly every order, intent and script's id has one attempt, and a list for each would take as much memory as the attempts.
type Listed = KnownAttempt | readonly KnownAttempt[];

function addTo(index: Map<string, Listed>, key: string, attempt: KnownAttempt): void {
  const known = listedIn(index, key);
  index.set(key, known.length === 0 ? attempt : [...known, attempt]);
}

function listedIn(index: ReadonlyMap<string, Listed>, key: string): readonly KnownAttempt[] {
  const listed = index.get(key) ?? [];
  return 'sent' in listed ? [listed] : listed;
}

// Where a row is, and how it is recognised.
interface KnownRow {
  readonly seq: number;
  readonly hash: string;
}

interface KnownAttempt {
  readonly sent: KnownRow &
    Pick<StoredRow, 'origin' | 'intent' | 'attempt' | 'time'> & { readonly orderId: string | null };
  verdicts: readonly KnownRow[];
  /** Whether it may be open, or has an alarm, by its last verdict. */
  isOpen: boolean;
  /** Whether its last verdict is a person's. */
  byHand: boolean;
}

function lastSeqOf({ sent, verdicts }: KnownAttempt): number {
  return Math.max(sent.seq, verdicts.at(-1)?.seq ?? 0);
}

// A quick check by the columns, before the rows are read again.
function columnsMatch({ sent, isOpen, byHand }: KnownAttempt, query: AttemptFilter): boolean {
  return (
    (query.origin === undefined || query.origin === sent.origin) &&
    (query.orderId === undefined || query.orderId === sent.orderId) &&
    (query.orderIds === undefined || query.orderIds.has(sent.orderId ?? '')) &&
    (query.intent === undefined || query.intent === sent.intent) &&
    (query.since === undefined || query.since <= sent.time) &&
    (query.until === undefined || sent.time < query.until) &&
    (query.withoutOrder === undefined || sent.orderId === null) &&
    (query.unconfirmed === undefined || isOpen) &&
    (query.byHand === undefined || byHand)
  );
}

function stateOf(last: StoredRow): Pick<KnownAttempt, 'isOpen' | 'byHand'> {
  const row = readable(last);
  // What is no verdict settles nothing, whatever its column says.
  if (row?.type !== 'verdict') return { isOpen: true, byHand: false };
  return { isOpen: mayBeOpen(row), byHand: row.by === 'person' };
}

function matches(record: AttemptRecord, query: AttemptFilter): boolean {
  const { sent, verdicts } = record;
  const { made, watched } = query;
  const isDueBy = (time: number) => (dueAt(record) ?? Number.POSITIVE_INFINITY) <= time;
  return (
    (query.given === undefined || query.given === sent.given) &&
    (query.operator === undefined ||
      query.operator === sent.operator ||
      query.operator === broughtBy(sent)) &&
    (query.kind === undefined || query.kind === sent.proof.kind) &&
    (query.desk === undefined || query.desk === sent.stamp?.desk) &&
    (made === undefined || verdicts.some((row) => names(row, made))) &&
    (query.again === undefined || sent.again?.some((name) => query.again?.has(name)) === true) &&
    (query.doubted === undefined || isDoubted(record)) &&
    (watched === undefined || isDueBy(watched.dueBy))
  );
}

function names({ refunds = [], created, link }: VerdictRow, ids: ReadonlySet<string>): boolean {
  return [...refunds.map(({ id }) => id), created, link].some((id) => id !== undefined && ids.has(id));
}

// Undefined for a row that its chain covers and that nobody can read all the same. Only who asks for that row is refused.
function readable(stored: StoredRow): JournalRow | undefined {
  try {
    return unlink(stored);
  } catch {
    return undefined;
  }
}
