/** A journal in memory: the tables of a journal file, without the file. For the schedules, the model and the bench. */

import { DatabaseSync } from 'node:sqlite';
import { CliError } from '../../src/errors.ts';
import { readArchive } from '../../src/journal/rows/archive-file.ts';
import {
  chainOf,
  chainStart,
  checkChain,
  damageOf,
  type StoredRow,
  unlink,
} from '../../src/journal/rows/chain.ts';
import type { AttemptRecord, JournalRow, SentRow, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { type Finding, type JournalStore, newestMissing } from '../../src/journal/rows/journal-store.ts';
import { rebuildRows } from '../../src/journal/rows/rebuild-rows.ts';
import { journalKind } from '../../src/journal/sqlite/journal-columns.ts';
import { JournalTables } from '../../src/journal/sqlite/journal-tables.ts';
import { KnownJournal } from '../../src/journal/sqlite/known-journal.ts';

/** What the stores of several runs share. */
export class Memory {
  tables = this.#empty();

  #empty(): JournalTables {
    const db = new DatabaseSync(':memory:');
    db.exec(journalKind.tables);
    return new JournalTables(db);
  }

  get stored(): readonly StoredRow[] {
    return this.tables.after(0);
  }

  get rows(): readonly JournalRow[] {
    return this.stored.map(unlink);
  }

  // Checked once for as long as nothing is written, since a schedule asks thousands of times.
  #checked: { readonly asOf: number; readonly findings: readonly Finding[] } | undefined;

  get findings(): readonly Finding[] {
    const asOf = Number(this.tables.sql('SELECT total_changes() AS changes').get()?.changes);
    if (this.#checked?.asOf !== asOf) {
      const chain = checkChain(this.tables.each());
      const findings = [...chain.findings, ...newestMissing(chain, this.tables.end().noted)];
      this.#checked = { asOf, findings };
    }
    return this.#checked.findings;
  }

  replace(stored: Iterable<StoredRow>): void {
    this.tables.db.close();
    this.tables = this.#empty();
    this.#checked = undefined;
    this.tables.add(stored);
  }
}

/** The store of one run. */
export function createMemoryStore(memory: Memory = new Memory()): JournalStore {
  const asked = { orders: new Map<string, number>(), scripts: new Map<string, number>() };
  // There is no witness, so all rows are checked before each question.
  const known = () => {
    const [damage] = memory.findings;
    if (damage !== undefined) throw refused(`the journal is damaged: row ${damage.seq} ${damage.problem}`);
    return new KnownJournal(memory.tables, asked);
  };
  const append = async (row: JournalRow) => {
    const now = known();
    now.refuseMisplaced(row);
    if (row.type !== 'verdict') now.refuseWhileLost();
    now.refuseUnseen(row);
    memory.tables.add(now.link(row));
  };
  return {
    place: 'memory',
    witness: undefined,
    append,
    takeBack: (_sent, verdict) => append(verdict),
    attempts: async (query) => known().attempts(query),
    list: async (filter, page) => known().list(filter, page),
    operators: async (origin) => known().operators(origin),
    settings: async (name) => known().settings(name),
    refunded: async (of) => known().refunded(of),
    approvals: async (query) => known().approvals(query),
    storedRows: async (sents) => known().storedRows(sents),
    newest: async () => known().newest,
    ready: async () => known().refuseWhileLost(),
    problem: () => Promise.resolve(memory.findings[0]?.problem),
    checkSome: () => Promise.resolve(undefined),
    wholeCheckAt: () => Promise.resolve(undefined),
    async verify(head) {
      const hashes = [chainStart, ...memory.stored.map(({ hash }) => hash)];
      return {
        rows: memory.stored.length,
        settings: memory.stored.filter(({ type }) => type === 'setting').length,
        head: checkChain(memory.stored).head,
        findings: memory.findings,
        knowsHead: head === undefined ? undefined : hashes.includes(head),
        witness: { file: '', lines: 0, state: 'none yet' },
      };
    },
    acceptCopy: () => Promise.reject(refused('the journal is no copy')),
    async repair(now) {
      if (memory.findings.length === 0) throw refused('the journal is whole');
      const whole = memory.stored.filter((row) => damageOf(row) === undefined);
      const last = Math.max(0, ...memory.stored.map(({ seq }) => seq)) + (isCut(memory) ? 1 : 0);
      const found = {
        rows: whole.map((row) => ({ seq: row.seq, hash: row.hash, row: unlink(row) })),
        changed: [],
        last,
        unreadable: 0,
      };
      const { rows, ...counts } = rebuildRows(found, undefined, now);
      memory.replace(chainOf(rows));
      return {
        copy: undefined,
        witnessCopy: undefined,
        ...counts,
        unreadable: 0,
        mayBeCopy: false,
      };
    },
    async eraseBodies(before) {
      return [...known().erasable(before)].filter((of) => memory.tables.erase(of)).length;
    },
    async whole(take) {
      known();
      return take({ count: memory.stored.length, rows: memory.stored, key: '0'.repeat(64) });
    },
    countOver: () => Promise.resolve(0),
    archiveOld: () => Promise.reject(refused('there are no files of this journal')),
    async restore(path) {
      const { rows, count } = readArchive(path);
      if (memory.stored.length > 0) throw refused('the journal has rows');
      memory.replace(rows());
      return count;
    },
    close: () => undefined,
  };
}

/** The attempts that rows make up, in the order of their SENT rows. */
export function attemptsIn(rows: readonly JournalRow[]): AttemptRecord[] {
  const attempts = new Map<string, { sent: SentRow; verdicts: VerdictRow[] }>();
  for (const row of rows) {
    if (row.type !== 'sent' && row.type !== 'verdict') continue;
    const key = JSON.stringify([row.change, row.attempt]);
    if (row.type === 'sent') attempts.set(key, { sent: row, verdicts: [] });
    else attempts.get(key)?.verdicts.push(row);
  }
  return [...attempts.values()];
}

// The newest row is gone.
function isCut({ stored, tables }: Memory): boolean {
  return checkChain(stored).head !== tables.end().noted.hash;
}

function refused(message: string): CliError {
  return new CliError('refused', message, { certain: 'nothing was sent' });
}
