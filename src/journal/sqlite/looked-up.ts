/** Compares the lookup tables with the rows of the journal, while the rows are read in order. */

import { orUndefined } from '../../errors.ts';
import { verdictsIn } from '../rows/archived-rows.ts';
import { type StoredRow, written } from '../rows/chain.ts';
import { type AttemptRecord, attemptKey, type VerdictRow } from '../rows/journal-rows.ts';
import type { Finding } from '../rows/journal-store.ts';
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
} from './journal-columns.ts';
import type { JournalTables } from './journal-tables.ts';
import { lookedUpOtherwise } from './known-journal.ts';

// The line of an attempt, in the order of `attemptColumns`.
type Listed = Readonly<Record<number, unknown>> | undefined;

interface Begun {
  readonly listed: Listed;
  readonly record: OpenAttempt;
}

export class LookedUp {
  readonly #tables: JournalTables;
  readonly #whole: ((record: NumberedAttempt) => void) | undefined;
  // Attempts that still expect a row, by name: usually those of some hours.
  readonly #begun = new Map<string, Begun>();
  // How many lines the three tables should have.
  #lines = 0;
  #time = 0;

  /** `whole` is given each attempt when its last row was read. */
  constructor(tables: JournalTables, whole?: (record: NumberedAttempt) => void) {
    this.#tables = tables;
    this.#whole = whole;
  }

  /** What is wrong with the next rows. */
  read(rows: readonly StoredRow[]): readonly Finding[] {
    const [first, last] = [rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? 0];
    const abouts = this.#tables.aboutIn(first, last);
    const lines = this.#tables.listedIn(first, last);
    const wrong = rows.filter((stored) => abouts.get(stored.seq) !== this.#aboutOf(stored, lines));
    return wrong.map(({ seq }) => ({ seq, problem: lookedUpOtherwise }));
  }

  // What a row should be filed under; undefined if something else in the lookup tables is wrong.
  #aboutOf(stored: StoredRow, lines: ReadonlyMap<number, Listed>): string | undefined {
    const { seq } = stored;
    const row = orUndefined(() => written(stored));
    if (row === undefined) return stored.type === 'sent' ? undefined : '';
    if (row.type !== 'sent' && row.type !== 'verdict') return aboutOfOther(row);
    this.#time = Math.max(this.#time, latestIn(row));
    const key = attemptKey(row);
    if (row.type === 'sent') {
      const record = { seq, last: seq, sent: row, verdicts: [...verdictsIn(row)] };
      this.#begun.set(key, { listed: lines.get(seq), record });
    }
    const begun = this.#begun.get(key) ?? (row.type === 'verdict' ? this.#begunAgain(row, seq) : undefined);
    // A verdict without its attempt, which a team's journal may have.
    if (begun === undefined) return this.#tables.sentOf(row) === undefined ? '' : undefined;
    const { listed, record } = begun;
    record.last = seq;
    if (row.type === 'verdict') record.verdicts.push(row);
    const about = aboutOf(record.sent);
    if (listed?.[lastColumn] !== seq) return about;
    this.#begun.delete(key);
    this.#whole?.(record);
    return this.#isListed(record, listed) ? about : undefined;
  }

  // Another run added a verdict to an attempt that was already compared.
  #begunAgain(verdict: VerdictRow, at: number): Begun | undefined {
    const sent = this.#tables.sentOf(verdict);
    if (sent === undefined || sent.seq > at) return undefined;
    const before = this.#tables.about(sent.about).filter(({ seq }) => seq < at);
    const rows = before.flatMap((stored) => {
      const row = orUndefined(() => written(stored));
      return row === undefined ? [] : [{ seq: stored.seq, row }];
    });
    const attempt = attemptsIn(rows).find(({ seq }) => seq === sent.seq);
    if (attempt === undefined) return undefined;
    this.#lines -= linesOf(attempt);
    const listed = this.#tables.listedIn(sent.seq, sent.seq).get(sent.seq);
    const begun = { listed, record: { ...attempt, verdicts: [...attempt.verdicts] } };
    this.#begun.set(attemptKey(verdict), begun);
    return begun;
  }

  // Erased links are in neither table.
  #isListed(record: OpenAttempt, listed: Listed): boolean {
    const wanted = listedOf(record);
    const { made, again } = namesOf(record);
    this.#lines += 1 + made.size + again.size;
    const isMade = (id: string) =>
      this.#tables.sql('SELECT 1 FROM made WHERE id = ? AND sent = ?').get(id, record.seq) !== undefined;
    const isAgain = (name: string) =>
      this.#tables.sql('SELECT 1 FROM again WHERE name = ? AND sent = ?').get(name, record.seq) !== undefined;
    return (
      attemptColumns.every((name, column) => listed?.[column] === wanted[name]) &&
      [...made].every(isMade) &&
      [...again].every(isAgain)
    );
  }

  /** What is wrong once all rows were read. */
  end(): readonly Finding[] {
    const count = (table: string) =>
      Number(this.#tables.sql(`SELECT count(*) AS lines FROM ${table}`).get()?.lines);
    const more = count('attempts') + count('made') + count('again') - this.#lines;
    const isLater = this.#tables.end().time !== this.#time;
    return [
      ...[...this.#begun.values()].map(({ record }) => ({ seq: record.seq, problem: lookedUpOtherwise })),
      ...(more > 0 ? [{ seq: 0, problem: `${more} changes are listed that have no row` }] : []),
      ...(isLater ? [{ seq: 0, problem: 'the latest time noted differs from that of the rows' }] : []),
    ];
  }
}

const lastColumn = attemptColumns.indexOf('last');

function namesOf({ sent, verdicts }: AttemptRecord) {
  return { made: new Set(verdicts.flatMap(madeBy)), again: new Set(sent.again) };
}

// How many lines an attempt has in the three tables.
function linesOf(record: AttemptRecord): number {
  const { made, again } = namesOf(record);
  return 1 + made.size + again.size;
}
