/**
 * The tables of a journal: its rows, and the attempts that they make up. Both are written in one transaction. The attempts can
 * always be rebuilt from the rows.
 */

import type { DatabaseSync } from 'node:sqlite';
import { verdictsIn } from '../rows/archived-rows.ts';
import { chainStart, type StoredRow, storedColumns, storedRow, storedRowIn, unlink } from '../rows/chain.ts';
import { attemptKey, type JournalRow, type SentRow, type VerdictRow } from '../rows/journal-rows.ts';
import { Statements } from './database.ts';
import {
  aboutOf,
  aboutOfOther,
  attemptColumns,
  attemptsIn,
  latestIn,
  listedOf,
  madeBy,
  type NumberedAttempt,
  type OpenAttempt,
  settingRange,
} from './journal-columns.ts';

// Rows per read. With larger parts, many rows would survive garbage collection.
const partMax = 200;

/** The newest row, and the row that the file noted as the newest. */
export interface RowsEnd {
  readonly seq: number;
  readonly hash: string;
  readonly noted: { readonly seq: number; readonly hash: string };
  /** The name of the witness in the journal; undefined if there is none. */
  readonly witness: string | undefined;
  /** The latest time of the rows of attempts. */
  readonly time: number;
  /** A random name of this journal, and its file's mark; undefined before the first row. */
  readonly id: string;
  readonly mark: string | undefined;
}

/** Reads and adds rows. It returns what the file says; others check it. */
export class JournalTables {
  readonly db: DatabaseSync;
  readonly #statements: Statements;

  constructor(db: DatabaseSync) {
    this.db = db;
    this.#statements = new Statements(db);
  }

  /** A statement, compiled once. */
  sql(text: string): ReturnType<DatabaseSync['prepare']> {
    return this.#statements.of(text);
  }

  /** Changes when another connection has written to the file. */
  version(): number {
    return Number(this.sql('PRAGMA data_version').get()?.data_version);
  }

  end(): RowsEnd {
    const found = this.sql(
      `SELECT head.seq AS noted, head.hash AS noted_hash, witness, head.time, id, mark, rows.seq, rows.hash
       FROM head LEFT JOIN rows ON rows.seq = (SELECT max(seq) FROM rows)`,
    ).get();
    return {
      seq: Number(found?.seq ?? 0),
      hash: typeof found?.hash === 'string' ? found.hash : chainStart,
      noted: { seq: Number(found?.noted ?? 0), hash: String(found?.noted_hash) },
      witness: typeof found?.witness === 'string' ? found.witness : undefined,
      time: Number(found?.time ?? 0),
      id: String(found?.id),
      mark: typeof found?.mark === 'string' ? found.mark : undefined,
    };
  }

  /** The row with a number; undefined when there is none. */
  at(seq: number): StoredRow | undefined {
    const found = this.sql(`${select} WHERE seq = ?`).get(seq);
    return found && storedRow(found);
  }

  /** Rows after a number, oldest first, at most `limit`. */
  after(seq: number, limit = -1): readonly StoredRow[] {
    const found = this.#statements.ofMany(`${select} WHERE seq > ? ORDER BY seq LIMIT ?`);
    return found.all(seq, limit).map(storedRowIn);
  }

  /** The rows after a number, oldest first, in parts. */
  *parts(after = 0): Generator<readonly StoredRow[]> {
    for (let at = after; ; ) {
      const { rows, isLast } = this.part(at);
      if (rows.length > 0) yield rows;
      if (isLast) return;
      at = rows.at(-1)?.seq ?? 0;
    }
  }

  /** The next rows after a number, and whether they are the last. */
  part(after: number): { readonly rows: readonly StoredRow[]; readonly isLast: boolean } {
    const rows = this.after(after, partMax);
    // In a damaged file a number may repeat.
    return { rows, isLast: rows.length < partMax || (rows.at(-1)?.seq ?? 0) <= after };
  }

  /** The rows after a number, oldest first, one by one. */
  *each(after = 0): Generator<StoredRow> {
    for (const rows of this.parts(after)) yield* rows;
  }

  /** The rows about an order, an idempotency key or a change, oldest first. */
  about(about: string): readonly StoredRow[] {
    const found = this.#statements.ofMany(`${select} WHERE about = ? ORDER BY seq`);
    return found.all(about).map(storedRowIn);
  }

  settingAbouts(prefix: string): readonly string[] {
    const found = this.sql('SELECT DISTINCT about FROM rows WHERE about >= ? AND about < ?');
    return found.all(...settingRange(prefix)).map(({ about }) => String(about));
  }

  /** What rows about approval requests since a time are about. */
  approvalAbouts(since: number): ReadonlySet<string> {
    const found = this.sql("SELECT about FROM rows WHERE type = 'approval' AND time >= ?").all(since);
    return new Set(found.map(({ about }) => String(about)));
  }

  /** The ids of approval requests made before a time. */
  approvalsBefore(time: number): ReadonlySet<string> {
    const found = this.sql("SELECT change FROM rows WHERE type = 'approval' AND time < ?").all(time);
    return new Set(found.map(({ change }) => String(change)));
  }

  /** The number of the newest row about it; 0 if there is none. */
  newestAbout(about: string): number {
    return Number(this.sql('SELECT max(seq) AS seq FROM rows WHERE about = ?').get(about)?.seq ?? 0);
  }

  /** What each row in this range is about, by row number. */
  aboutIn(from: number, to: number): ReadonlyMap<number, string> {
    const found = this.#statements.ofMany('SELECT seq, about FROM rows WHERE seq BETWEEN ? AND ?');
    return new Map(found.all(from, to).map((row) => [Number(row[0]), String(row[1])]));
  }

  /** The attempts whose SENT rows are in this range, by number; values in the order of `attemptColumns`. */
  listedIn(from: number, to: number): ReadonlyMap<number, Readonly<Record<number, unknown>>> {
    // See `select` for why each name is given.
    const names = attemptColumns.map((name) => `${name} AS ${name}`).join(', ');
    const found = this.#statements.ofMany(`SELECT ${names} FROM attempts WHERE sent BETWEEN ? AND ?`);
    return new Map(found.all(from, to).map((line) => [Number(line[0]), line]));
  }

  /** Where the SENT row of an attempt is; undefined when there is none. */
  sentOf({ change, attempt }: Pick<SentRow, 'change' | 'attempt'>): SentAt | undefined {
    const found = this.sql(
      "SELECT seq, about, order_id FROM rows WHERE type = 'sent' AND change = ? AND attempt = ?",
    ).get(change, attempt);
    if (found === undefined) return undefined;
    const { seq, about, order_id } = found;
    return {
      seq: Number(seq),
      about: String(about),
      orderId: typeof order_id === 'string' ? order_id : undefined,
    };
  }

  /** The numbers of a change's SENT rows, and what they are about. */
  sentsOf(change: string): readonly { readonly seq: number; readonly about: string }[] {
    const found = this.sql("SELECT seq, about FROM rows WHERE type = 'sent' AND change = ?").all(change);
    return found.map(({ seq, about }) => ({ seq: Number(seq), about: String(about) }));
  }

  /** Erases the bodies of an attempt, and its links for lookup. Returns whether there was anything to erase. */
  erase(row: Pick<SentRow, 'change' | 'attempt'> & { readonly about: string }): boolean {
    const { change, attempt, about } = row;
    const text =
      'UPDATE rows SET body = NULL WHERE about = ? AND change = ? AND attempt = ? AND body IS NOT NULL';
    const { changes } = this.sql(text).run(about, change, attempt);
    const sent = this.sentOf({ change, attempt });
    if (sent !== undefined) this.sql("DELETE FROM made WHERE sent = ? AND id LIKE 'http%'").run(sent.seq);
    return Number(changes) > 0;
  }

  /** Adds rows and notes the last as the newest. Call it inside a writing transaction. */
  add(rows: Iterable<StoredRow>): void {
    const names = [...storedColumns, 'about'];
    const insert = this.sql(
      `INSERT INTO rows (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    );
    let newest: StoredRow | undefined;
    let time = 0;
    const begun: Begun = new Map();
    for (const stored of rows) {
      const { seq } = stored;
      const row = unlink(stored);
      const of = this.#attemptOf(row, seq, begun);
      insert.run(
        ...storedColumns.map((name) => stored[name]),
        of?.about ?? (row.type === 'verdict' ? '' : aboutOfOther(row)),
      );
      if (row.type === 'sent' && of?.attempt !== undefined) this.#addAttempt(of.attempt);
      if (row.type === 'verdict' && of?.attempt !== undefined) this.#addVerdict(of.attempt, seq, row);
      newest = stored;
      if (row.type === 'sent' || row.type === 'verdict') time = Math.max(time, latestIn(row));
    }
    if (newest === undefined) return;
    this.sql('UPDATE head SET seq = ?, hash = ?, time = max(time, ?)').run(newest.seq, newest.hash, time);
  }

  /** Notes the name of the witness. The journal takes the same name, so either leads to the landmark. */
  noteWitness(name: string): void {
    this.sql('UPDATE head SET witness = ?, id = ?').run(name, name);
  }

  /** Notes the file's mark. `renews`: gives the journal a new name, because the old one belongs to a landmark. */
  noteMark(mark: string | undefined, { renews }: { readonly renews: boolean }): void {
    const id = renews ? ', id = lower(hex(randomblob(8)))' : '';
    this.sql(`UPDATE head SET mark = ?${id}`).run(mark ?? null);
  }

  // The attempt of an added row. When many rows are added, most verdicts soon follow their SENT row.
  #attemptOf(row: JournalRow, seq: number, begun: Begun): ReturnType<Begun['get']> {
    if (row.type !== 'sent' && row.type !== 'verdict') return undefined;
    if (row.type === 'verdict') return begun.get(attemptKey(row)) ?? this.#attemptBefore(row);
    if (begun.size >= begunMax) begun.clear();
    const attempt = { seq, last: seq, sent: row, verdicts: [...verdictsIn(row)] };
    const of = { about: aboutOf(row), attempt };
    begun.set(attemptKey(row), of);
    return of;
  }

  #attemptBefore(row: VerdictRow): ReturnType<Begun['get']> {
    const sent = this.sentOf(row);
    if (sent === undefined) return undefined;
    const attempt = this.attemptsAbout(sent.about).find(({ seq }) => seq === sent.seq);
    return { about: sent.about, attempt: attempt && { ...attempt, verdicts: [...attempt.verdicts] } };
  }

  #addAttempt(attempt: OpenAttempt): void {
    const { seq, sent, verdicts } = attempt;
    const values = listedOf(attempt);
    const places = attemptColumns.map(() => '?').join(', ');
    this.sql(`INSERT INTO attempts (${attemptColumns.join(', ')}) VALUES (${places})`).run(
      ...attemptColumns.map((name) => values[name]),
    );
    for (const name of sent.again ?? []) this.sql('INSERT OR IGNORE INTO again VALUES (?, ?)').run(name, seq);
    for (const id of verdicts.flatMap(madeBy)) this.#addMade(id, seq);
  }

  #addVerdict(attempt: OpenAttempt, seq: number, row: VerdictRow): void {
    attempt.verdicts.push(row);
    attempt.last = seq;
    const { sent, counted, is_open, is_doubted, due, young_until, young_boot, by_hand } = listedOf(attempt);
    this.sql(
      `UPDATE attempts SET last = ?, counted = ?, is_open = ?, is_doubted = ?, due = ?, young_until = ?, young_boot = ?, by_hand = ?
       WHERE sent = ?`,
    ).run(seq, counted, is_open, is_doubted, due, young_until, young_boot, by_hand, sent);
    for (const id of madeBy(row)) this.#addMade(id, attempt.seq);
  }

  #addMade(id: string, sent: number): void {
    this.sql('INSERT OR IGNORE INTO made VALUES (?, ?)').run(id, sent);
  }

  /** The attempts about one thing, unproven. */
  attemptsAbout(about: string): readonly NumberedAttempt[] {
    return attemptsIn(this.about(about).map((stored) => ({ seq: stored.seq, row: unlink(stored) })));
  }
}

/** A SENT row: its number, what it is about, and its order. */
export interface SentAt {
  readonly seq: number;
  readonly about: string;
  readonly orderId: string | undefined;
}

// Attempts by name, each with what it is about.
type Begun = Map<string, { readonly about: string; readonly attempt: OpenAttempt | undefined }>;

/** The most attempts to remember that may still get a verdict. */
export const begunMax = 2000;

// Each name is given, since SQLite otherwise returns a column in the letter case of the file.
const select = `SELECT ${storedColumns.map((name) => `${name} AS ${name}`).join(', ')} FROM rows`;
