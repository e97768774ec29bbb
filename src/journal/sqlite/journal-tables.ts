/**
 * The tables of a journal: its rows, and what is looked up of the attempts that they make up. Both are written in one
 * transaction; the second can always be made again from the first.
 */

import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { verdictsIn } from '../archived-rows.ts';
import {
  countedAmount,
  dueAt,
  isDoubted,
  isPast,
  mayBeOpen,
  type YoungUntil,
  youngUntil,
} from '../attempt-state.ts';
import { chainStart, type StoredRow, storedColumns, storedRow, storedRowIn, unlink } from '../chain.ts';
import {
  type AttemptRecord,
  attemptKey,
  type JournalRow,
  type SentRow,
  type VerdictRow,
} from '../journal-rows.ts';
import { type FileKind, Statements } from './database.ts';

/**
 * `rows`: only ever added. `about`: what the row is about: the order, or else the idempotency key, or else the change's id (as the name of
 * its lock), or the setting, or the request for an approval.
 * `attempts`: one line per SENT row, with its number and that of the newest row of the attempt. `is_doubted`, `by_hand` (of one
 * without an order): 1 or null. `is_open`: 1 or null, and 0 for one that is unconfirmed for good (`isPast`). `due`: when a watched
 * one is read again; `young_until`, `young_boot`: `youngUntil`; null for all others.
 * `counted`: what limits count of it; `live`: 1 for real money, 2 where the row that said so is lost.
 * `made`: ids of refunds, and ids and links of what was created. `again`: what `--again` named.
 * `head`: one line. `id`: the name of its landmark, which is that of its witness until somebody accepts a copy; `mark`: what a copy changes of its file (copy-marks.ts).
 */
export const journalKind: FileKind = {
  name: 'journal',
  tables: `
CREATE TABLE rows (
  seq INTEGER PRIMARY KEY, row TEXT NOT NULL, body TEXT, body_hash TEXT, prev TEXT NOT NULL, hash TEXT NOT NULL,
  type TEXT NOT NULL, time INTEGER NOT NULL, change TEXT NOT NULL, attempt INTEGER NOT NULL,
  origin TEXT, order_id TEXT, plan TEXT, ref TEXT, about TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_sent ON rows (change, attempt) WHERE type = 'sent';
CREATE INDEX row_about ON rows (about);
CREATE INDEX row_approval ON rows (time) WHERE type = 'approval';
CREATE TABLE attempts (
  sent INTEGER PRIMARY KEY, last INTEGER NOT NULL, about TEXT NOT NULL, has_order INTEGER NOT NULL,
  change TEXT NOT NULL, attempt INTEGER NOT NULL, origin TEXT NOT NULL, profile TEXT NOT NULL,
  idempotency_key INTEGER, kind TEXT NOT NULL, operator TEXT NOT NULL, desk TEXT, time INTEGER NOT NULL,
  amount INTEGER, currency TEXT, counted INTEGER NOT NULL, live INTEGER NOT NULL, is_open INTEGER, is_doubted INTEGER, due INTEGER,
  young_until INTEGER, young_boot TEXT, by_hand INTEGER
) STRICT;
CREATE INDEX attempt_about ON attempts (about);
CREATE INDEX attempt_time ON attempts (time, change, attempt);
CREATE INDEX attempt_origin ON attempts (origin, time, change, attempt);
CREATE INDEX attempt_operator ON attempts (operator, time, change, attempt);
CREATE INDEX attempt_kind ON attempts (kind, time, change, attempt) WHERE kind <> 'refund';
CREATE INDEX attempt_desk ON attempts (desk, time, change, attempt) WHERE desk IS NOT NULL;
CREATE INDEX attempt_key ON attempts (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX attempt_open ON attempts (is_open) WHERE is_open IS NOT NULL;
CREATE INDEX attempt_doubted ON attempts (is_doubted) WHERE is_doubted IS NOT NULL;
CREATE INDEX attempt_due ON attempts (due) WHERE due IS NOT NULL;
CREATE INDEX attempt_young ON attempts (young_until) WHERE young_until IS NOT NULL;
CREATE INDEX attempt_young_boot ON attempts (young_boot) WHERE young_boot IS NOT NULL;
CREATE INDEX attempt_by_hand ON attempts (by_hand) WHERE by_hand IS NOT NULL;
CREATE TABLE made (id TEXT NOT NULL, sent INTEGER NOT NULL, PRIMARY KEY (id, sent)) STRICT, WITHOUT ROWID;
CREATE TABLE again (name TEXT NOT NULL, sent INTEGER NOT NULL, PRIMARY KEY (name, sent)) STRICT, WITHOUT ROWID;
CREATE TABLE head (
  seq INTEGER NOT NULL, hash TEXT NOT NULL, witness TEXT, time INTEGER NOT NULL, id TEXT NOT NULL, mark TEXT
) STRICT;
INSERT INTO head VALUES (0, '${chainStart}', NULL, 0, lower(hex(randomblob(8))), NULL);`,
  steps: [],
};

// So many rows are read at a time: of more, many would still be in use when memory is cleaned up.
const partMax = 200;

/** The number under which an idempotency key is looked up. Two ids may have the same one, so the rows decide. */
export function numberOfKey(idempotencyKey: string): number {
  return Number.parseInt(hash('sha256', idempotencyKey).slice(0, 12), 16);
}

/** The end of the rows: the newest one, and the one that the file noted as the newest. */
export interface RowsEnd {
  readonly seq: number;
  readonly hash: string;
  readonly noted: { readonly seq: number; readonly hash: string };
  /** The name of the witness that the journal noted; undefined when there is none. */
  readonly witness: string | undefined;
  /** The latest time of the rows of attempts. */
  readonly time: number;
  /** A random name of this journal, and what a copy changes of its file; undefined before its first row. */
  readonly id: string;
  readonly mark: string | undefined;
}

/** Reads and adds rows. What it reads is as the file says: others check it. */
export class JournalTables {
  readonly db: DatabaseSync;
  readonly #statements: Statements;

  constructor(db: DatabaseSync) {
    this.db = db;
    this.#statements = new Statements(db);
  }

  /** A statement that is compiled once. */
  sql(text: string): ReturnType<DatabaseSync['prepare']> {
    return this.#statements.of(text);
  }

  /** Changes whenever another connection has written to the file. */
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

  /** The rows after a number, oldest first, read a part at a time. */
  *parts(after = 0): Generator<readonly StoredRow[]> {
    for (let at = after; ; ) {
      const rows = this.after(at, partMax);
      if (rows.length > 0) yield rows;
      const last = rows.at(-1)?.seq ?? 0;
      // In a damaged file a number may come again.
      if (rows.length < partMax || last <= at) return;
      at = last;
    }
  }

  /** The same, row by row. */
  *each(after = 0): Generator<StoredRow> {
    for (const rows of this.parts(after)) yield* rows;
  }

  /** The rows about an order, an idempotency key or a change, oldest first. */
  about(about: string): readonly StoredRow[] {
    return this.sql(`${select} WHERE about = ? ORDER BY seq`).all(about).map(storedRow);
  }

  /** What rows about settings are about. */
  settingAbouts(prefix: string): readonly string[] {
    const found = this.sql('SELECT DISTINCT about FROM rows WHERE about >= ? AND about < ?');
    return found.all(...settingRange(prefix)).map(({ about }) => String(about));
  }

  /** What rows about requests for an approval are about that were added from a time on. */
  approvalAbouts(since: number): ReadonlySet<string> {
    const found = this.sql("SELECT about FROM rows WHERE type = 'approval' AND time >= ?").all(since);
    return new Set(found.map(({ about }) => String(about)));
  }

  /** The ids of the requests for an approval that were made before a time. */
  approvalsBefore(time: number): ReadonlySet<string> {
    const found = this.sql("SELECT change FROM rows WHERE type = 'approval' AND time < ?").all(time);
    return new Set(found.map(({ change }) => String(change)));
  }

  /** The number of the newest of these; 0 when there is none. */
  newestAbout(about: string): number {
    return Number(this.sql('SELECT max(seq) AS seq FROM rows WHERE about = ?').get(about)?.seq ?? 0);
  }

  /** What each row from one number to another is about, by the number of the row. */
  aboutIn(from: number, to: number): ReadonlyMap<number, string> {
    const found = this.#statements.ofMany('SELECT seq, about FROM rows WHERE seq BETWEEN ? AND ?');
    return new Map(found.all(from, to).map((row) => [Number(row[0]), String(row[1])]));
  }

  /** The lines of the attempts whose SENT rows are in such a part, by its number; values in the order of `attemptColumns`. */
  listedIn(from: number, to: number): ReadonlyMap<number, Readonly<Record<number, unknown>>> {
    // With its own name each, as in `select`.
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

  /** The numbers of the SENT rows of a change, and what they are about. */
  sentsOf(change: string): readonly { readonly seq: number; readonly about: string }[] {
    const found = this.sql("SELECT seq, about FROM rows WHERE type = 'sent' AND change = ?").all(change);
    return found.map(({ seq, about }) => ({ seq: Number(seq), about: String(about) }));
  }

  /** Erases the bodies of an attempt, and the links by which it was found. Whether there was something to erase. */
  erase({
    change,
    attempt,
    about,
  }: Pick<SentRow, 'change' | 'attempt'> & { readonly about: string }): boolean {
    const text =
      'UPDATE rows SET body = NULL WHERE about = ? AND change = ? AND attempt = ? AND body IS NOT NULL';
    const { changes } = this.sql(text).run(about, change, attempt);
    const sent = this.sentOf({ change, attempt });
    if (sent !== undefined) this.sql("DELETE FROM made WHERE sent = ? AND id LIKE 'http%'").run(sent.seq);
    return Number(changes) > 0;
  }

  /** Adds rows and notes the last one as the newest. Call it inside a transaction that writes. */
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

  /** Notes the name of the witness that belongs to the rows. The journal has the same, so that either tells of its landmark. */
  noteWitness(name: string): void {
    this.sql('UPDATE head SET witness = ?, id = ?').run(name, name);
  }

  /** Notes what a copy changes of the file. `renews`: the journal gets another name, since the old one belongs to a landmark. */
  noteMark(mark: string | undefined, { renews }: { readonly renews: boolean }): void {
    const id = renews ? ', id = lower(hex(randomblob(8)))' : '';
    this.sql(`UPDATE head SET mark = ?${id}`).run(mark ?? null);
  }

  // The attempt of a row that is added. Where many rows are added, most verdicts follow their SENT row soon.
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

  /** The attempts about one thing. Nothing proves them. */
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

/** The attempts that rows make up, in the order of their SENT rows. A verdict without its SENT row is passed over. */
export function attemptsIn(
  rows: readonly { readonly seq: number; readonly row: JournalRow }[],
): readonly NumberedAttempt[] {
  const found = new Map<string, { seq: number; sent: SentRow; verdicts: VerdictRow[]; last: number }>();
  for (const { seq, row } of rows) {
    if (row.type === 'sent')
      found.set(attemptKey(row), { seq, sent: row, verdicts: [...verdictsIn(row)], last: seq });
    const known = row.type === 'verdict' ? found.get(attemptKey(row)) : undefined;
    if (known === undefined || row.type !== 'verdict') continue;
    known.verdicts.push(row);
    known.last = seq;
  }
  return [...found.values()];
}

/** An attempt, with the numbers of its SENT row and of its newest one. */
export interface NumberedAttempt extends AttemptRecord {
  readonly seq: number;
  readonly last: number;
}

/** The same, while rows are added to it. */
export interface OpenAttempt extends NumberedAttempt {
  readonly verdicts: VerdictRow[];
  last: number;
}

// Attempts by their names, each with what it is about.
type Begun = Map<string, { readonly about: string; readonly attempt: OpenAttempt | undefined }>;

/** Whoever goes through many rows remembers at most so many attempts whose verdicts may still come. */
export const begunMax = 2000;

/** The columns of the table `attempts`. */
export const attemptColumns = [
  'sent',
  'last',
  'about',
  'has_order',
  'change',
  'attempt',
  'origin',
  'profile',
  'idempotency_key',
  'kind',
  'operator',
  'desk',
  'time',
  'amount',
  'currency',
  'counted',
  'live',
  'is_open',
  'is_doubted',
  'due',
  'young_until',
  'young_boot',
  'by_hand',
] as const;

/** The line of an attempt in the table `attempts`. */
export function listedOf(
  record: NumberedAttempt,
): Readonly<Record<(typeof attemptColumns)[number], string | number | null>> {
  const { seq, last, sent: row, verdicts } = record;
  const { change, attempt, origin, profile, proof, operator, time, stamp, idempotencyKey } = row;
  const { amount, currency, lost } = row;
  const young = youngUntil(record);
  const mark = (is: boolean) => (is ? 1 : null);
  return {
    sent: seq,
    last,
    about: aboutOf(row),
    has_order: proof.orderId === undefined ? 0 : 1,
    change,
    attempt,
    origin,
    profile,
    idempotency_key: idempotencyKey === undefined ? null : numberOfKey(idempotencyKey),
    kind: proof.kind,
    operator,
    desk: stamp?.desk ?? null,
    time,
    amount: amount ?? null,
    currency: currency ?? null,
    counted: countedAmount(record),
    live: lost === undefined ? Number(proof.livemode) : 2,
    is_open: mayBeOpen(verdicts.at(-1)) ? (isPast(record) ? 0 : 1) : null,
    is_doubted: mark(isDoubted(record)),
    due: dueAt(record) ?? null,
    young_until: young === undefined ? null : Math.min(young.time, Number.MAX_SAFE_INTEGER),
    young_boot: young?.boot === undefined ? null : bootText(young.boot),
    by_hand: mark(isCreationByHand(record)),
  };
}

/** The time since a start of the machine as text, so that later times of one start come later in the alphabet. */
export function bootText({ id, ms }: NonNullable<YoungUntil['boot']>): string {
  return `${id} ${String(Math.ceil(ms)).padStart(17, '0')}`;
}

/** Whether it is about no order, and its last verdict is a person's. */
export function isCreationByHand({ sent, verdicts }: AttemptRecord): boolean {
  return sent.proof.orderId === undefined && verdicts.at(-1)?.by === 'person';
}

/** The ids of the refunds, and the id and the link of what was created, that a verdict names. */
export function madeBy({ refunds = [], created, link }: VerdictRow): readonly string[] {
  return [...refunds.map(({ id }) => id), created, link].filter((id) => id !== undefined);
}

/** The latest time that a row tells. */
export function latestIn(row: SentRow | VerdictRow): number {
  const verdicts = row.type === 'sent' ? verdictsIn(row) : [];
  return Math.max(row.time, ...verdicts.map(({ time }) => time));
}

// With its own name each, since SQLite names a column as the file spells it, in whatever case.
const select = `SELECT ${storedColumns.map((name) => `${name} AS ${name}`).join(', ')} FROM rows`;

/** What a row is about that is no verdict. Rows of one setting belong together, so that nobody reads those of all others. */
export function aboutOfOther(row: Exclude<JournalRow, VerdictRow>): string {
  if (row.type === 'sent') return aboutOf(row);
  return row.type === 'approval' ? aboutOfApproval(row.requestId) : aboutOfSetting(row.name);
}

/** What the rows of a request for an approval are about. */
export function aboutOfApproval(id: string): string {
  return `approval ${id}`;
}

/** What the rows of a setting are about. */
export function aboutOfSetting(name: string): string {
  return `setting ${name}`;
}

/** From where on rows about settings are whose names begin so (`` or `member/`), and where the next others begin. */
export function settingRange(prefix: string): readonly [string, string] {
  return [aboutOfSetting(prefix), prefix === '' ? 'setting!' : aboutOfSetting(`${prefix.slice(0, -1)}0`)];
}

/** What a change is about: its order, or else the idempotency key, or else its id. */
export function aboutOf({ proof, idempotencyKey, change }: SentRow): string {
  return proof.orderId ?? idempotencyKey ?? change;
}
