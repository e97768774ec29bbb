/** Reads from an open witness, and writes to it. */

import type { DatabaseSync } from 'node:sqlite';
import {
  hasItsSeal,
  headIn,
  type LineAt,
  lineAt,
  lineIn,
  sealed,
  sealOf,
  type WitnessLine,
} from '../../rows/witness-lines.ts';
import { Statements } from '../database.ts';
import { settingRange } from '../journal-columns.ts';

export class Witness {
  readonly db: DatabaseSync;
  readonly key: string;
  readonly #statements: Statements;

  constructor(db: DatabaseSync, key: string) {
    this.db = db;
    this.key = key;
    this.#statements = new Statements(db);
  }

  /** Changes when another connection has written to the file. */
  version(): number {
    return Number(this.#statements.of('PRAGMA data_version').get()?.data_version);
  }

  /** The newest line; undefined if there is none, `damaged` if it is not whole. */
  end(): LineAt | 'damaged' | undefined {
    const found = this.#statements.of('SELECT * FROM lines ORDER BY seq DESC LIMIT 1').get();
    return found && (this.#lineIn(found) ?? 'damaged');
  }

  /** The rows about an order, an idempotency key or a change, oldest first. */
  about(about: string): readonly LineAt[] {
    return this.#statements
      .of('SELECT seq, line FROM lines WHERE about = ? ORDER BY seq')
      .all(about)
      .map(lineAt);
  }

  settingAbouts(prefix: string): readonly string[] {
    const found = this.#statements.of('SELECT DISTINCT about FROM lines WHERE about >= ? AND about < ?');
    return found.all(...settingRange(prefix)).map(({ about }) => String(about));
  }

  /** The numbers of the SENT rows of attempts that may be open, in order. */
  openSents(): readonly number[] {
    return this.#statements
      .of('SELECT sent FROM open ORDER BY sent')
      .all()
      .map(({ sent }) => Number(sent));
  }

  /** The numbers of the SENT rows under an idempotency key, in order. */
  sentsUnderKey(idempotencyKey: number): readonly number[] {
    return this.#statements
      .of('SELECT seq FROM lines WHERE idempotency_key = ? ORDER BY seq')
      .all(idempotencyKey)
      .map(({ seq }) => Number(seq));
  }

  /** Call it inside a writing transaction. */
  add(lines: Iterable<NewLine>): void {
    const add = this.#statements.of('INSERT INTO lines VALUES (?, ?, ?, ?, ?)');
    for (const { line, about, idempotencyKey = null, attempt } of lines) {
      const text = JSON.stringify(line);
      add.run(
        line.seq,
        about,
        idempotencyKey,
        text,
        sealOf(this.key, sealed({ seq: line.seq, about, idempotency_key: idempotencyKey, line: text })),
      );
      if (attempt === undefined) continue;
      const note = attempt.isOpen
        ? 'INSERT OR IGNORE INTO open VALUES (?)'
        : 'DELETE FROM open WHERE sent = ?';
      this.#statements.of(note).run(attempt.sent);
    }
  }

  /** Which rows the lines after a number are about, at most `limit`; `head` is undefined in a damaged line. */
  headsAfter(
    seq: number,
    limit: number,
  ): readonly { readonly seq: number; readonly head: string | undefined }[] {
    return this.#rowsAfter(seq, limit).map((row) => ({
      seq: Number(row.seq),
      head: hasItsSeal(row, this.key) ? headIn(String(row.line)) : undefined,
    }));
  }

  /** Lines after a number, in order, at most `limit`; `line` is undefined for a damaged one. */
  after(
    seq: number,
    limit: number,
  ): readonly { readonly seq: number; readonly line: WitnessLine | undefined }[] {
    return this.#rowsAfter(seq, limit).map((row) => ({ seq: Number(row.seq), line: this.#lineIn(row) }));
  }

  #rowsAfter(seq: number, limit: number) {
    const text =
      'SELECT seq, about, idempotency_key, line, seal FROM lines WHERE seq > ? ORDER BY seq LIMIT ?';
    const found = this.#statements.ofMany(text).all(seq, limit);
    return found.map((row) => ({
      seq: row[0],
      about: row[1],
      idempotency_key: row[2],
      line: row[3],
      seal: row[4],
    }));
  }

  count(): number {
    return Number(this.#statements.of('SELECT count(*) AS lines FROM lines').get()?.lines ?? 0);
  }

  checked(): Checked {
    const found = this.#statements.of('SELECT checked, whole FROM head').get();
    const whole = found?.whole;
    return { upTo: Number(found?.checked ?? 0), wholeAt: typeof whole === 'number' ? whole : undefined };
  }

  noteChecked({ upTo, wholeAt }: Checked): void {
    this.#statements.of('UPDATE head SET checked = ?, whole = ?').run(upTo, wholeAt ?? null);
  }

  /** The file's mark when paydesk made it. */
  mark(): string | undefined {
    const mark = this.#statements.of('SELECT mark FROM head').get()?.mark;
    return typeof mark === 'string' ? mark : undefined;
  }

  noteMark(mark: string | undefined): void {
    this.#statements.of('UPDATE head SET mark = ?').run(mark ?? null);
  }

  close(): void {
    this.db.close();
  }

  #lineIn(row: Readonly<Record<string, unknown>>): WitnessLine | undefined {
    return lineIn(row, this.key);
  }
}

export interface NewLine {
  readonly line: WitnessLine;
  readonly about: string;
  /** The number of the idempotency key, for a SENT row. */
  readonly idempotencyKey: number | undefined;
  /** The SENT row of the attempt, and whether it may be open from now on; absent in a line about no attempt. */
  readonly attempt?: { readonly sent: number; readonly isOpen: boolean } | undefined;
}

/** How far the whole journal was checked. */
export interface Checked {
  readonly upTo: number;
  /** When a check last reached the end (Unix milliseconds); undefined if none did. */
  readonly wholeAt: number | undefined;
}
