/**
 * What one run asks of the tables of a journal, and what it may add to them. Whatever it gives back about an order was proven: its
 * rows are just those that the witness knows.
 */

import { CliError } from '../../errors.ts';
import { type AttemptFilter, type AttemptQuery, byNewest, type ListPage } from '../attempt-query.ts';
import { dueAt, isDoubted, isUnsettled, isWatched, mayBeOpen } from '../attempt-state.ts';
import { checkChain, damageOf, link, type StoredRow, unlink } from '../chain.ts';
import {
  type AttemptRecord,
  type AttemptRow,
  attemptKey,
  broughtBy,
  type JournalRow,
  type SentRow,
  type SettingRow,
} from '../journal-rows.ts';
import { type Finding, type NewestRow, newestMissing } from '../journal-store.ts';
import { isSameOrigin, type MovedTo, markName } from '../moved-away.ts';
import {
  type MarkedElsewhere,
  marksIn,
  refuseLostAccount,
  refuseMisplaced,
  refuseMoved,
  refuseUnseenOnOrder,
  refuseUnseenUnderScript,
} from '../store-rules.ts';
import type { LimitRow } from '../team-rows.ts';
import {
  aboutOf,
  aboutOfSetting,
  attemptsIn,
  type JournalTables,
  madeBy,
  numberOfGiven,
} from './journal-tables.ts';

/** Compares what the tables give with what is known apart from them. Each returns what is wrong; undefined when nothing is. */
export interface RowProof {
  /** All rows about one thing. */
  about(about: string, rows: readonly StoredRow[]): Finding | undefined;
  /** What rows about settings are about. */
  settingAbouts(): readonly string[];
  /** The numbers of the SENT rows of all attempts that may be open. */
  open(sents: readonly number[]): Finding | undefined;
  /** The numbers of the SENT rows under a script's id. */
  given(number: number, sents: readonly number[]): Finding | undefined;
}

/** An attempt, with the number of its SENT row. */
interface Numbered {
  readonly seq: number;
  readonly record: AttemptRecord;
}

/** The number of the newest row when a run asked for the attempts on an order, or under a script's id. */
export interface Asked {
  readonly orders: Map<string, number>;
  readonly scripts: Map<string, number>;
}

/** Notes that a run has seen all rows up to this number about what it asks for. */
export function noteAsked({ orders, scripts }: Asked, { orderId, given }: AttemptFilter, seq: number): void {
  if (orderId !== undefined) orders.set(orderId, seq);
  if (given !== undefined) scripts.set(given, seq);
}

/** The tables as one run sees them. */
export class KnownJournal {
  readonly #tables: JournalTables;
  readonly #asked: Asked;
  readonly #proofNow: () => RowProof | undefined;
  #marks: (MarkedElsewhere & { readonly asOf: number }) | undefined;

  /** `proof`: how the rows that a question needs are proven now; undefined where the whole chain was checked before. */
  constructor(tables: JournalTables, asked: Asked, proof: () => RowProof | undefined = () => undefined) {
    this.#tables = tables;
    this.#asked = asked;
    this.#proofNow = proof;
  }

  /** Number and hash of the newest row. */
  get end(): { readonly seq: number; readonly head: string } {
    const { seq, hash } = this.#tables.end();
    return { seq, head: hash };
  }

  get newest(): NewestRow {
    const found = this.#tables
      .sql("SELECT seq FROM rows WHERE type IN ('sent', 'verdict') ORDER BY seq DESC LIMIT 1")
      .get();
    const last = found && this.#tables.at(Number(found.seq));
    return { time: this.#tables.end().time, clocks: last && readable(last)?.clocks };
  }

  // ── Attempts ──────────────────────────────────────────────────────────────────────────────────

  /** The attempts that match. From now on this run counts as having seen those of the order, and of the script's id. */
  attempts(query: AttemptQuery): readonly AttemptRecord[] {
    noteAsked(this.#asked, query, this.end.seq);
    const proof = this.#proofNow();
    const { abouts, sents, orOthers } = this.#candidates(query, proof);
    const isWanted = sents === undefined || orOthers ? () => true : inSet(sents);
    const found = [...abouts].flatMap((about) => this.#about(about, proof));
    refuseUnfound(sents ?? [], found);
    const wanted = found.filter(({ seq, record }) => isWanted(seq) && matches(record, query));
    const inOrder = wanted.toSorted((one, other) => one.seq - other.seq).map(({ record }) => record);
    const { watched } = query;
    return watched === undefined ? inOrder : inOrder.toSorted(firstDue).slice(0, watched.limit);
  }

  // What the attempts that match are about, and, if that is known, the numbers of their SENT rows. `orOthers`: more of what these are
  // about may match.
  #candidates(
    query: AttemptQuery,
    proof: RowProof | undefined,
  ): {
    readonly abouts: ReadonlySet<string>;
    readonly sents?: readonly number[];
    readonly orOthers?: true;
  } {
    const { orderId, orderIds, intent, given, made, again, watched } = query;
    if (orderId !== undefined) return { abouts: new Set([orderId]) };
    if (intent !== undefined) {
      const found = this.#tables.sentsOf(intent);
      // What has no order and no script's id is about its intent: then the witness tells whether a row is gone.
      return {
        abouts: new Set([intent, ...found.map(({ about }) => about)]),
        sents: found.map(({ seq }) => seq),
        orOthers: true,
      };
    }
    if (given !== undefined) {
      const number = numberOfGiven(given);
      const found = this.#candidatesWhere('given = ?', number);
      refuse(proof?.given(number, found.sents));
      return found;
    }
    if (orderIds !== undefined) return { abouts: orderIds };
    if (made !== undefined)
      return this.#candidatesWhere(
        `sent IN (SELECT sent FROM made WHERE id IN (${listed}))`,
        JSON.stringify([...made]),
      );
    if (again !== undefined) return this.#candidatesWhere(`sent IN (${naming})`, JSON.stringify([...again]));
    if (query.unconfirmed !== undefined) {
      const found = this.#candidatesWhere('is_open = 1');
      refuse(proof?.open(found.sents));
      return found;
    }
    if (query.doubted !== undefined) return this.#candidatesWhere('is_doubted = 1');
    if (query.byHand !== undefined) return this.#candidatesWhere('by_hand = 1');
    const { where, values } = columnsOf(query);
    return this.#candidatesWhere(
      `${where.join(' AND ')} ORDER BY due, sent LIMIT ?`,
      ...values,
      watched?.limit ?? 0,
    );
  }

  #candidatesWhere(where: string, ...values: readonly (string | number)[]) {
    const found = this.#tables.sql(`SELECT sent, about FROM attempts WHERE ${where}`).all(...values);
    return {
      abouts: new Set(found.map(({ about }) => String(about))),
      sents: found.map(({ sent }) => Number(sent)),
    };
  }

  /** A page of the attempts that match, newest first. */
  list(filter: AttemptFilter, { limit, before }: ListPage): readonly AttemptRecord[] {
    const { where, values } = columnsOf({ ...filter, operator: undefined });
    const after = before === undefined ? [] : ['(time, intent, attempt) < (?, ?, ?)'];
    const past = before === undefined ? [] : [before.time, before.intent, before.attempt];
    // Who brought something into the journal of a team counts as its operator. Two questions, since each has an index.
    const people = filter.operator === undefined ? [undefined] : ['operator', 'brought'];
    const found = people.flatMap((column) => {
      const all = [...where, ...after, ...(column === undefined ? [] : [`${column} = ?`])];
      const text = `SELECT sent, about FROM attempts ${all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`} ORDER BY time DESC, intent DESC, attempt DESC LIMIT ?`;
      return this.#tables
        .sql(text)
        .all(...values, ...past, ...(filter.operator === undefined ? [] : [filter.operator]), limit);
    });
    const known = new Map(found.map((row) => [Number(row.sent), String(row.about)]));
    const proof = this.#proofNow();
    const records = [...known].flatMap(([seq, about]) =>
      this.#about(about, proof).filter((one) => one.seq === seq),
    );
    refuseUnfound([...known.keys()], records);
    return records
      .map(({ record }) => record)
      .toSorted((one, other) => byNewest(one.sent, other.sent))
      .slice(0, limit);
  }

  /** The names of whoever sent something. */
  operators(origin: string | undefined): readonly string[] {
    const names = new Set<string>();
    for (const column of ['operator', 'brought'] as const) {
      const seen = new Set<string>();
      for (let last: string | undefined = ''; last !== undefined && !seen.has(last); ) {
        seen.add(last);
        // From name to name: nobody has to look at each of their changes.
        const next: unknown = this.#tables
          .sql(`SELECT ${column} AS name FROM attempts WHERE ${column} > ? ORDER BY ${column} LIMIT 1`)
          .get(last)?.name;
        last = typeof next === 'string' ? next : undefined;
        if (last !== undefined && this.#hasSent(column, last, origin)) names.add(last);
      }
    }
    return [...names].toSorted();
  }

  #hasSent(column: 'operator' | 'brought', name: string, origin: string | undefined): boolean {
    if (origin === undefined) return true;
    const text = `SELECT 1 FROM attempts WHERE ${column} = ? AND origin = ? LIMIT 1`;
    return this.#tables.sql(text).get(name, origin) !== undefined;
  }

  /** All attempts of an account, for whoever moves its history. None may be forgotten, so the whole chain is checked. */
  history(origin: string): readonly AttemptRecord[] {
    const proof = this.#proofNow();
    const chain = checkChain(this.#tables.each());
    refuse([...chain.findings, ...newestMissing(chain, this.#tables.end().noted)][0]);
    const found = this.#tables
      .sql("SELECT seq, about, origin FROM rows NOT INDEXED WHERE type = 'sent' ORDER BY seq")
      .all();
    const own = found.filter((row) => isSameOrigin(String(row.origin), origin));
    const records = own.flatMap(({ seq, about }) =>
      this.#about(String(about), proof).filter((one) => one.seq === Number(seq)),
    );
    refuseUnfound(
      own.map(({ seq }) => Number(seq)),
      records,
    );
    return records.map(({ record }) => record);
  }

  /** The rows of these attempts as they are stored, oldest first. */
  rowsOf(origin: string): readonly StoredRow[] {
    const own = this.history(origin).map(({ sent }) => sent);
    const keys = new Set(own.map(attemptKey));
    const abouts = new Set(own.flatMap((sent) => this.#tables.sentOf(sent)?.about ?? []));
    const rows = [...abouts]
      .flatMap((about) => this.#tables.about(about))
      .filter((row) => keys.has(attemptKey(row)));
    return rows.toSorted((one, other) => one.seq - other.seq);
  }

  // All attempts about one thing, proven.
  #about(about: string, proof: RowProof | undefined = this.#proofNow()): readonly Numbered[] {
    const rows = provenRows(this.#tables, about, proof);
    const attempts = attemptsIn(rows.map((stored) => ({ seq: stored.seq, row: rowIn(stored) })));
    return attempts.map(({ seq, sent, verdicts }) => ({ seq, record: { sent, verdicts } }));
  }

  // ── Rows about settings ───────────────────────────────────────────────────────────────────────

  /** The rows about all settings, or about one, in their order. */
  settings(name?: string): readonly (SettingRow | LimitRow)[] {
    const proof = this.#proofNow();
    const known = () => new Set([...this.#tables.settingAbouts(), ...(proof?.settingAbouts() ?? [])]);
    const abouts = name === undefined ? [...known()] : [aboutOfSetting(name)];
    const rows = abouts.flatMap((about) => provenRows(this.#tables, about, proof));
    return rows
      .toSorted((one, other) => one.seq - other.seq)
      .map(rowIn)
      .filter((row) => row.type === 'setting' || row.type === 'limit');
  }

  /** Where the changes of an origin are recorded; undefined: in this journal. */
  movedTo(origin: string): MovedTo | undefined {
    return this.#marked().moved.of(origin);
  }

  #marked(): MarkedElsewhere {
    const asOf = this.#tables.newestAbout(aboutOfSetting(markName));
    if (this.#marks?.asOf !== asOf) this.#marks = { asOf, ...marksIn(this.settings(markName)) };
    return this.#marks;
  }

  // ── What may be added ─────────────────────────────────────────────────────────────────────────

  /** The stored form of a row that comes next. */
  link(row: JournalRow): StoredRow {
    const { seq, head } = this.end;
    return link(row, seq + 1, head);
  }

  /** The numbers of the newest row when this run asked for the attempts on the order of a row, and under its script's id. */
  seenOf({ proof: { orderId = '' }, given = '' }: SentRow): {
    readonly order: number;
    readonly given: number;
  } {
    const { seq } = this.end;
    return { order: this.#asked.orders.get(orderId) ?? seq, given: this.#asked.scripts.get(given) ?? seq };
  }

  /** How many verdicts an attempt has. */
  verdictsOn({ intent, attempt }: Pick<SentRow, 'intent' | 'attempt'>): number {
    const sent = this.#tables.sentOf({ intent, attempt });
    if (sent === undefined) return 0;
    const isIt = ({ sent: one }: AttemptRecord) => one.intent === intent && one.attempt === attempt;
    return this.#tables.attemptsAbout(sent.about).find(isIt)?.verdicts.length ?? 0;
  }

  /** Of the rows of another journal, those that this one lacks. Verdicts on one attempt come in the same order in both. */
  lackingOf(rows: readonly AttemptRow[]): readonly AttemptRow[] {
    const verdicts = new Map<string, number>();
    return rows.filter((row) => {
      if (row.type === 'sent') return this.#tables.sentOf(row) === undefined;
      const number = (verdicts.get(attemptKey(row)) ?? 0) + 1;
      verdicts.set(attemptKey(row), number);
      return number > this.verdictsOn(row);
    });
  }

  /** The attempts whose bodies and notes may be erased: settled ones that were sent before a time. The watch needs neither. */
  *erasable(before: number): Generator<Pick<SentRow, 'intent' | 'attempt'> & { readonly about: string }> {
    const found = this.#tables
      .sql('SELECT intent, attempt, about, is_open FROM attempts WHERE time < ? ORDER BY time')
      .iterate(before);
    for (const { intent, attempt, about, is_open } of found) {
      const of = { intent: String(intent), attempt: Number(attempt), about: String(about) };
      if (is_open === null || this.#isSettled(of)) yield of;
    }
  }

  // One with an alarm may be settled all the same.
  #isSettled({
    intent,
    attempt,
    about,
  }: Pick<SentRow, 'intent' | 'attempt'> & { readonly about: string }): boolean {
    const found = this.#about(about).find(
      ({ record: { sent } }) => sent.intent === intent && sent.attempt === attempt,
    );
    return found !== undefined && (!isUnsettled(found.record) || isWatched(found.record));
  }

  /** Throws CliError 'refused' for a SENT row of an order, a script's id or an intent with a row that is damaged or missing. */
  refuseDamaged(row: JournalRow): void {
    if (row.type === 'sent') provenRows(this.#tables, aboutOf(row), this.#proofNow());
  }

  /** Throws CliError 'refused' for a second SENT row of an attempt, and for a verdict without its SENT row. */
  refuseMisplaced(row: JournalRow): void {
    const has =
      row.type === 'sent' || row.type === 'verdict' ? this.#tables.sentOf(row) !== undefined : false;
    refuseMisplaced(row, has);
  }

  /**
   * Throws CliError 'refused' for a row of an account whose changes are recorded elsewhere, and for the mark that says so while
   * a change of the account may be on its way.
   */
  refuseMoved(row: JournalRow): void {
    const ofIntent = row.type === 'verdict' ? this.attempts({ intent: row.intent }) : [];
    refuseMoved(row, this.#marked().moved, ofIntent, () => this.attempts({ unconfirmed: true }));
  }

  /**
   * Throws CliError 'refused' while there is an unsettled change whose row was lost and whose account is unknown, and when a row
   * about where changes are recorded cannot be understood.
   */
  refuseWhileLost(): void {
    // The origin stands in two places, so that damage to one of them hides nothing.
    const open = this.#tables
      .sql(
        `SELECT sent, attempts.about, attempts.origin = '' OR rows.origin IS '' AS is_lost
         FROM attempts LEFT JOIN rows ON seq = sent WHERE is_open = 1`,
      )
      .all();
    refuse(this.#proofNow()?.open(open.map(({ sent }) => Number(sent))));
    const lost = open.filter(({ is_lost }) => is_lost === 1);
    const found = lost.flatMap(({ about }) => this.#about(String(about)));
    refuseUnfound(
      lost.map(({ sent }) => Number(sent)),
      found,
    );
    const unsettled = found.find(({ record }) => matches(record, { origin: '', unconfirmed: true }));
    refuseLostAccount(this.#marked(), unsettled?.record);
  }

  /**
   * Throws CliError 'refused' for a SENT row when this run has not seen what another run added after it asked. The
   * lock on the order usually prevents that, but somebody may have removed the lock. Two runs under one script's id
   * on different orders share no lock, so only this rule stops the second one.
   */
  refuseUnseen(row: JournalRow): void {
    if (row.type !== 'sent') return;
    const { given, proof } = row;
    const onOrder = this.#asked.orders.get(proof.orderId ?? '');
    if (onOrder !== undefined && proof.orderId !== undefined)
      refuseUnseenOnOrder(proof.orderId, this.#tables.newestAbout(proof.orderId), onOrder);
    const underScript = given === undefined ? undefined : this.#asked.scripts.get(given);
    if (given === undefined || underScript === undefined) return;
    const found = this.#tables
      .sql('SELECT sent, about, last FROM attempts WHERE given = ? ORDER BY sent DESC')
      .all(numberOfGiven(given));
    const rowProof = this.#proofNow();
    const sents = found.map(({ sent }) => Number(sent));
    refuse(rowProof?.given(numberOfGiven(given), sents));
    const newer = found.filter(({ last }) => Number(last) > underScript);
    const attempts = newer.flatMap(({ sent, about }) =>
      this.#about(String(about), rowProof).filter(({ seq }) => seq === Number(sent)),
    );
    refuseUnfound(
      newer.map(({ sent }) => Number(sent)),
      attempts,
    );
    const attempt = attempts.find(({ record }) => record.sent.given === given)?.record;
    if (attempt !== undefined) refuseUnseenUnderScript(row, given, attempt);
  }
}

const listed = 'SELECT value FROM json_each(?)';
const naming = `SELECT sent FROM again WHERE name IN (${listed})`;

/** The problem of a row of which other words are looked up than its own. */
export const lookedUpOtherwise = 'is looked up by other words than its own';

// The conditions of a filter on the columns of `attempts`.
function columnsOf(filter: AttemptFilter): {
  readonly where: readonly string[];
  readonly values: readonly (string | number)[];
} {
  const { orderId, orderIds, made, watched, given } = filter;
  const conditions: readonly (readonly [string, string | number | undefined])[] = [
    ['about = ? AND has_order = 1', orderId],
    [`about IN (${listed}) AND has_order = 1`, orderIds && JSON.stringify([...orderIds])],
    ['intent = ?', filter.intent],
    ['given = ?', given === undefined ? undefined : numberOfGiven(given)],
    [`sent IN (SELECT sent FROM made WHERE id IN (${listed}))`, made && JSON.stringify([...made])],
    [`sent IN (${naming})`, filter.again && JSON.stringify([...filter.again])],
    // What is watched is found by when it is due, and not by its account.
    [watched === undefined ? 'origin = ?' : '+origin = ?', filter.origin],
    ['kind = ?', filter.kind],
    ['desk = ?', filter.desk],
    ['time >= ?', filter.since],
    ['time < ?', filter.until],
    ['has_order = ?', filter.withoutOrder && 0],
    ['? IN (operator, brought)', filter.operator],
    ['is_open = ?', filter.unconfirmed && 1],
    ['is_doubted = ?', filter.doubted && 1],
    ['due <= ?', watched?.dueBy],
    ['by_hand = ?', filter.byHand && 1],
  ];
  const set = conditions.flatMap(([text, value]) => (value === undefined ? [] : [{ text, value }]));
  return { where: set.map(({ text }) => text), values: set.map(({ value }) => value) };
}

/** Whether an attempt matches all parts of a filter. Columns found it; its rows decide. */
function matches(record: AttemptRecord, filter: AttemptFilter): boolean {
  const { sent, verdicts } = record;
  const last = verdicts.at(-1);
  const { orderId, given, desk, proof } = { ...sent, orderId: sent.proof.orderId, desk: sent.stamp?.desk };
  const is = <T>(wanted: T | undefined, value: T | undefined) => wanted === undefined || wanted === value;
  return (
    is(filter.origin, sent.origin) &&
    is(filter.orderId, orderId) &&
    (filter.orderIds === undefined || filter.orderIds.has(orderId ?? '')) &&
    is(filter.intent, sent.intent) &&
    is(filter.given, given) &&
    is(filter.kind, proof.kind) &&
    is(filter.desk, desk) &&
    (is(filter.operator, sent.operator) || filter.operator === broughtBy(sent)) &&
    (filter.since === undefined || filter.since <= sent.time) &&
    (filter.until === undefined || sent.time < filter.until) &&
    (filter.withoutOrder === undefined || orderId === undefined) &&
    (filter.unconfirmed === undefined || mayBeOpen(last)) &&
    (filter.doubted === undefined || isDoubted(record)) &&
    (filter.byHand === undefined || last?.by === 'person') &&
    (filter.made === undefined || madeIn(record).some((id) => filter.made?.has(id))) &&
    (filter.again === undefined || (sent.again ?? []).some((name) => filter.again?.has(name))) &&
    (filter.watched === undefined || (dueAt(record) ?? Number.POSITIVE_INFINITY) <= filter.watched.dueBy)
  );
}

function provenRows(tables: JournalTables, about: string, proof: RowProof | undefined): readonly StoredRow[] {
  const rows = tables.about(about);
  for (const row of rows) {
    const damage = damageOf(row);
    if (damage !== undefined) refuse({ seq: row.seq, problem: damage });
  }
  refuse(proof?.about(about, rows));
  return rows;
}

function refuse(finding: Finding | undefined): void {
  if (finding === undefined) return;
  const { seq, problem } = finding;
  throw new CliError('refused', `the journal is damaged: ${seq === 0 ? '' : `row ${seq} `}${problem}`, {
    certain: 'nothing was sent',
    now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
  });
}

// Each attempt that was looked up must be among the rows where it should be.
function refuseUnfound(sents: readonly number[], found: readonly Numbered[]): void {
  const isThere = inSet(found.map(({ seq }) => seq));
  const seq = sents.find((sent) => !isThere(sent));
  if (seq !== undefined) refuse({ seq, problem: lookedUpOtherwise });
}

function madeIn({ verdicts }: AttemptRecord): readonly string[] {
  return verdicts.flatMap(madeBy);
}

function firstDue(one: AttemptRecord, other: AttemptRecord): number {
  return (dueAt(one) ?? 0) - (dueAt(other) ?? 0);
}

function inSet(numbers: readonly number[]): (seq: number) => boolean {
  const set = new Set(numbers);
  return (seq) => set.has(seq);
}

// Undefined for a row that its chain covers and that nobody can read all the same. Only who asks for that row is refused.
function readable(stored: StoredRow): JournalRow | undefined {
  try {
    const row = unlink(stored);
    return row.type === stored.type ? row : undefined;
  } catch {
    return undefined;
  }
}

function rowIn(stored: StoredRow): JournalRow {
  const row = readable(stored);
  if (row !== undefined) return row;
  throw new CliError(
    'refused',
    `row ${stored.seq} of the journal cannot be read, so nobody knows what it says`,
    {
      certain: 'nothing was sent',
      now: ['find out who wrote that row: paydesk did not'],
    },
  );
}
