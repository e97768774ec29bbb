/**
 * Reads the tables of a journal for a run, and checks what the run may add. The rows about an order are proven to be those of the
 * witness.
 */

import { orUndefined, refused } from '../../errors.ts';
import { isUnsettled, isWatched } from '../attempt-state.ts';
import { type AttemptFilter, type AttemptQuery, byNewest, type ListPage } from '../rows/attempt-query.ts';
import { damageOf, link, type StoredRow, unlink } from '../rows/chain.ts';
import type { AttemptRecord, JournalRow, SentRow, SettingRow } from '../rows/journal-rows.ts';
import type { ApprovalQuery, Finding, NewestRow, RefundedBy, StoredRows } from '../rows/journal-store.ts';
import {
  refuseLostAccount,
  refuseRowWithoutPlace,
  refuseUnseenOnOrder,
  refuseUnseenUnderScript,
} from '../rows/store-rules.ts';
import type { ApprovalRow, LimitRow } from '../team-rules.ts';
import { verifyAndRepair } from './database.ts';
import {
  type Candidates,
  candidatesFor,
  candidatesOfPage,
  firstDue,
  matches,
  namesIn,
  refundedIn,
} from './find-attempts.ts';
import {
  aboutOf,
  aboutOfApproval,
  aboutOfSetting,
  attemptsIn,
  type NumberedAttempt,
} from './journal-columns.ts';
import type { JournalTables, RowsEnd } from './journal-tables.ts';
import type { Mismatch } from './witness/witness-check.ts';

/** Compares the tables with what is known from elsewhere. Each method returns what is wrong; undefined if nothing is. */
export interface RowProof {
  /** All rows about one thing. */
  about(about: string, rows: readonly StoredRow[]): Finding | undefined;
  settingAbouts(prefix: string): readonly string[];
  /** How journal and witness differ; absent if they match. */
  readonly mismatch?: Mismatch | undefined;
  /** Whether one of the newest rows is missing or changed. */
  end(): Finding | undefined;
  /** The numbers of the SENT rows of all attempts that may be open. */
  open(sents: readonly number[]): Finding | undefined;
  /** The numbers of the SENT rows under an idempotency key. */
  idempotencyKey(number: number, sents: readonly number[]): Finding | undefined;
}

/** The number of the newest row when a run asked about an order or an idempotency key. */
export interface SeenUpTo {
  readonly orders: Map<string, number>;
  readonly scripts: Map<string, number>;
}

/** Notes that a run has seen all rows up to this number about what it asked for. */
export function noteAsked(
  { orders, scripts }: SeenUpTo,
  { orderId, idempotencyKey, beforeSending }: AttemptFilter,
  seq: number,
): void {
  if (beforeSending !== true) return;
  if (orderId !== undefined) orders.set(orderId, seq);
  if (idempotencyKey !== undefined) scripts.set(idempotencyKey, seq);
}

// A request waits for a week, and its approval is valid for a day.
const requestMs = 8 * 24 * 60 * 60_000;

// More entries than a change asks for, and fewer than a list over years does.
const rememberedMax = 1000;

/**
 * The tables as a run knows them until somebody writes to them: nothing is read twice, not even the end of the rows. After a
 * write, make a new one.
 */
export class KnownJournal {
  readonly #tables: JournalTables;
  readonly #asked: SeenUpTo;
  readonly #prove: () => RowProof | undefined;
  readonly #rows = new Map<string, readonly NumberedRow[]>();
  #proof: RowProof | undefined;
  #end: RowsEnd | undefined;
  #newest: NewestRow | undefined;

  /** `prove` returns what proves the rows of a question; undefined if the whole chain was checked before. */
  constructor(tables: JournalTables, asked: SeenUpTo, prove: () => RowProof | undefined = () => undefined) {
    this.#tables = tables;
    this.#asked = asked;
    this.#prove = prove;
  }

  get end(): RowsEnd {
    this.#end ??= this.#tables.end();
    return this.#end;
  }

  get newest(): NewestRow {
    if (this.#newest !== undefined) return this.#newest;
    const text = "SELECT seq FROM rows WHERE type IN ('sent', 'verdict') ORDER BY seq DESC LIMIT 1";
    const found = this.#tables.sql(text).get();
    const last = found && this.#tables.at(Number(found.seq));
    this.#newest = { time: this.end.time, clocks: last && readable(last)?.clocks };
    return this.#newest;
  }

  get proof(): RowProof | undefined {
    this.#proof ??= this.#prove();
    return this.#proof;
  }

  // ── Attempts ──────────────────────────────────────────────────────────────────────────────────

  /** The matching attempts. From now on this run has seen those of the order and of the idempotency key. */
  attempts(query: AttemptQuery): readonly AttemptRecord[] {
    noteAsked(this.#asked, query, this.end.seq);
    const found = this.#matching(query).map(recordOf);
    const { watched } = query;
    return watched === undefined ? found : found.toSorted(firstDue).slice(0, watched.limit);
  }

  // In the order of their SENT rows.
  #matching(query: AttemptQuery): readonly NumberedAttempt[] {
    return this.#found(candidatesFor(this.#tables, query, this.proof))
      .filter((record) => matches(record, query))
      .toSorted((one, other) => one.seq - other.seq);
  }

  /** A page of the attempts that match, newest first. */
  list(filter: AttemptFilter, page: ListPage): readonly AttemptRecord[] {
    return this.#found(candidatesOfPage(this.#tables, filter, page))
      .map(recordOf)
      .toSorted((one, other) => byNewest(one.sent, other.sent))
      .slice(0, page.limit);
  }

  operators(origin: string | undefined): readonly string[] {
    return namesIn(this.#tables, origin);
  }

  // The attempts at these places, proven. Each must be where the lookup says.
  #found({ abouts, sents, there = [], finding }: Candidates): readonly NumberedAttempt[] {
    refuse(finding);
    const found = [...abouts].flatMap((about) => this.#about(about));
    const seqs = new Set(found.map(({ seq }) => seq));
    const missing = there.find((seq) => !seqs.has(seq));
    if (missing !== undefined) refuse({ seq: missing, problem: lookedUpOtherwise });
    const wanted = sents && new Set(sents);
    return wanted === undefined ? found : found.filter(({ seq }) => wanted.has(seq));
  }

  // All attempts about one thing, proven.
  #about(about: string): readonly NumberedAttempt[] {
    return attemptsIn(this.#rowsAbout(about));
  }

  #rowsAbout(about: string): readonly NumberedRow[] {
    const known = this.#rows.get(about);
    if (known !== undefined) return known;
    const read = this.#storedAbout(about).map((stored) => ({ seq: stored.seq, row: rowIn(stored) }));
    if (this.#rows.size >= rememberedMax) this.#rows.clear();
    this.#rows.set(about, read);
    return read;
  }

  #storedAbout(about: string): readonly StoredRow[] {
    const rows = this.#tables.about(about);
    for (const stored of rows) {
      const problem = damageOf(stored);
      if (problem !== undefined) refuse({ seq: stored.seq, problem });
    }
    refuse(this.proof?.about(about, rows));
    return rows;
  }

  /** The stored rows of the orders of these attempts, and of the requests that approved them. */
  storedRows(sents: readonly SentRow[]): StoredRows {
    refuse(this.proof?.end());
    const abouts = new Set(sents.map(aboutOf));
    for (const { approval } of sents) if (approval !== undefined) abouts.add(aboutOfApproval(approval));
    const rows = [...abouts].flatMap((about) => this.#storedAbout(about));
    const { seq, hash } = this.end;
    return { rows: rows.toSorted((one, other) => one.seq - other.seq), head: seq === 0 ? undefined : hash };
  }

  // ── Rows about settings ───────────────────────────────────────────────────────────────────────

  /** The rows about all settings, about one, or about those with this prefix (`member/`), in their order. */
  settings(name = ''): readonly (SettingRow | LimitRow)[] {
    const known = () =>
      new Set([...this.#tables.settingAbouts(name), ...(this.proof?.settingAbouts(name) ?? [])]);
    const abouts = name === '' || name.endsWith('/') ? [...known()] : [aboutOfSetting(name)];
    const rows = abouts.flatMap((about) => this.#rowsAbout(about));
    return rows
      .toSorted((one, other) => one.seq - other.seq)
      .map(({ row }) => row)
      .filter((row) => row.type === 'setting' || row.type === 'limit');
  }

  // ── What the rules of a team ask ──────────────────────────────────────────────────────────────

  /** What somebody's refunds paid back, or may have, since a time. */
  refunded(of: RefundedBy): number {
    return refundedIn(this.#tables, of);
  }

  /** The rows of approval requests, in their order. */
  approvals(query: ApprovalQuery): readonly ApprovalRow[] {
    const abouts = 'id' in query ? [aboutOfApproval(query.id)] : this.#tables.approvalAbouts(query.since);
    return [...abouts]
      .flatMap((about) => this.#rowsAbout(about))
      .toSorted((one, other) => one.seq - other.seq)
      .map(({ row }) => row)
      .filter((row) => row.type === 'approval');
  }

  // ── What may be added ─────────────────────────────────────────────────────────────────────────

  /** The stored form of the next rows. */
  link(...rows: readonly JournalRow[]): readonly StoredRow[] {
    let { seq, hash } = this.end;
    return rows.map((row) => {
      const stored = link(row, seq + 1, hash);
      ({ seq, hash } = stored);
      return stored;
    });
  }

  /** The number of the newest row when this run asked about the row's order, and about its idempotency key. */
  seenOf({ proof: { orderId = '' }, idempotencyKey = '' }: SentRow): {
    readonly order: number;
    readonly idempotencyKey: number;
  } {
    const { seq } = this.end;
    return {
      order: this.#asked.orders.get(orderId) ?? seq,
      idempotencyKey: this.#asked.scripts.get(idempotencyKey) ?? seq,
    };
  }

  verdictsOn({ change, attempt }: Pick<SentRow, 'change' | 'attempt'>): number {
    const sent = this.#tables.sentOf({ change, attempt });
    if (sent === undefined) return 0;
    const isIt = ({ sent: one }: AttemptRecord) => one.change === change && one.attempt === attempt;
    return this.#tables.attemptsAbout(sent.about).find(isIt)?.verdicts.length ?? 0;
  }

  /**
   * Attempts and requests whose bodies and notes may be erased: settled attempts sent before a time (the watch needs neither),
   * and approval requests that nobody can answer or use any more.
   */
  *erasable(before: number): Generator<Pick<SentRow, 'change' | 'attempt'> & { readonly about: string }> {
    const text = 'SELECT change, attempt, about, is_open FROM attempts WHERE time < ? ORDER BY time';
    for (const { change, attempt, about, is_open } of this.#tables.sql(text).iterate(before)) {
      const of = { change: String(change), attempt: Number(attempt), about: String(about) };
      if (is_open === null || this.#isSettled(of)) yield of;
    }
    for (const id of this.#tables.approvalsBefore(before - requestMs))
      yield { change: id, attempt: 0, about: aboutOfApproval(id) };
  }

  // An attempt with an alarm may still be settled.
  #isSettled({ change, attempt, about }: Pick<SentRow, 'change' | 'attempt'> & { readonly about: string }) {
    const found = this.#about(about).find(({ sent }) => sent.change === change && sent.attempt === attempt);
    return found !== undefined && (!isUnsettled(found) || isWatched(found));
  }

  /** Throws CliError 'refused' for a SENT row if its order, idempotency key or change has a damaged or missing row. */
  refuseDamaged(row: JournalRow): void {
    if (row.type === 'sent') this.#rowsAbout(aboutOf(row));
  }

  /** Throws CliError 'refused' for a second SENT row of an attempt, and for a verdict without its SENT row. */
  refuseMisplaced(row: JournalRow): void {
    const has =
      row.type === 'sent' || row.type === 'verdict' ? this.#tables.sentOf(row) !== undefined : false;
    refuseRowWithoutPlace(row, has);
  }

  /** Throws CliError 'refused' while an unsettled change has lost its row, so its account is unknown. */
  refuseWhileLost(): void {
    // The origin is stored twice, so damage to one copy hides nothing.
    const text = `SELECT sent, attempts.about, attempts.origin = '' OR rows.origin IS '' AS is_lost
      FROM attempts LEFT JOIN rows ON seq = sent WHERE is_open IS NOT NULL`;
    const open = this.#tables.sql(text).all();
    const lost = open.filter(({ is_lost }) => is_lost === 1);
    const found = this.#found({
      finding: this.proof?.open(open.map(({ sent }) => Number(sent))),
      abouts: new Set(lost.map(({ about }) => String(about))),
      there: lost.map(({ sent }) => Number(sent)),
    });
    const unsettled = found.find((record) => matches(record, { origin: '', unconfirmed: true }));
    refuseLostAccount(unsettled);
  }

  /**
   * Throws CliError 'refused' for a SENT row if another run added something after this run asked about the order or the
   * idempotency key. The lock on the order usually prevents that, but somebody may have removed it. Two runs with one idempotency
   * key on different orders share no lock: only this rule stops the second.
   */
  refuseUnseen(row: JournalRow): void {
    if (row.type !== 'sent') return;
    const { idempotencyKey, proof } = row;
    const onOrder = this.#asked.orders.get(proof.orderId ?? '');
    if (onOrder !== undefined && proof.orderId !== undefined)
      refuseUnseenOnOrder(proof.orderId, this.#tables.newestAbout(proof.orderId), onOrder);
    const underScript = idempotencyKey === undefined ? undefined : this.#asked.scripts.get(idempotencyKey);
    if (idempotencyKey === undefined || underScript === undefined) return;
    const attempt = this.#matching({ idempotencyKey }).findLast(({ last }) => last > underScript);
    if (attempt !== undefined) refuseUnseenUnderScript(row, idempotencyKey, attempt);
  }
}

interface NumberedRow {
  readonly seq: number;
  readonly row: JournalRow;
}

/** The problem of a row that is filed under the wrong values. */
export const lookedUpOtherwise = 'is filed under the wrong values';

function recordOf({ sent, verdicts }: NumberedAttempt): AttemptRecord {
  return { sent, verdicts };
}

function refuse(finding: Finding | undefined): void {
  if (finding === undefined) return;
  const { seq, problem } = finding;
  throw refused(`the journal is damaged: ${seq === 0 ? '' : `row ${seq} `}${problem}`, verifyAndRepair);
}

// Undefined for a row that its chain covers but nobody can read. Only a question about that row is refused.
function readable(stored: StoredRow): JournalRow | undefined {
  const row = orUndefined(() => unlink(stored));
  return row?.type === stored.type ? row : undefined;
}

function rowIn(stored: StoredRow): JournalRow {
  const row = readable(stored);
  if (row !== undefined) return row;
  const problem = `row ${stored.seq} of the journal cannot be read, so nobody knows what it says`;
  const now = ['find out who wrote that row: paydesk did not'];
  throw refused(problem, now);
}
