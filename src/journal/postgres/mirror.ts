/**
 * The mirror of a team's journal on this machine: a journal file with all rows that were fetched and checked, and what this
 * machine remembers of the server. It answers reads without the server, and shows when the server has forgotten something.
 */

import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../../errors.ts';
import { chainStart, checkChain, type StoredRow } from '../chain.ts';
import { newestMissing } from '../journal-store.ts';
import { asOfOneMoment, fileOpener, writeAtOnce } from '../sqlite/database.ts';
import { findFile, type JournalFile } from '../sqlite/journal-file.ts';
import { JournalTables, journalKind } from '../sqlite/journal-tables.ts';
import { type Asked, KnownJournal } from '../sqlite/known-journal.ts';
import { damaged, unreadable } from '../sqlite/sqlite-errors.ts';
import type { ServerMemory } from './server-check.ts';

/** A mirror for one run. Other runs of this machine write to the same file. It has no witness, so all of it is checked once. */
export class Mirror {
  readonly #file: JournalFile;
  readonly #asked: Asked = { orders: new Map(), scripts: new Map() };
  #opened: JournalTables | undefined;
  // The newest row that this run has checked.
  #checked = { seq: 0, head: chainStart };

  constructor(file: JournalFile) {
    this.#file = file;
  }

  get path(): string {
    return this.#file.path;
  }

  /** The newest row that this run has read and checked. */
  get end(): { readonly seq: number; readonly head: string } {
    return this.#checked;
  }

  /** Asks the rows that this run has checked, and those that others have added since. */
  async ask<T>(read: (known: KnownJournal) => T): Promise<T> {
    const tables = await this.#open();
    return this.#orUnreadable(() =>
      asOfOneMoment(tables.db, () => {
        this.#check(tables);
        return read(new KnownJournal(tables, this.#asked));
      }),
    );
  }

  /** Reads what other runs have added. Rejects with CliError 'refused' when a row is damaged or missing. */
  async refresh(): Promise<void> {
    await this.ask(() => undefined);
  }

  /** Adds rows of the server, and what it says of itself, in one commit that is on the disk. They must follow the newest row. */
  async add(rows: readonly StoredRow[], memory: ServerMemory): Promise<void> {
    const tables = await this.#open();
    this.#orUnreadable(() =>
      writeAtOnce(tables.db, () => {
        this.#check(tables);
        const { seq, head } = this.#checked;
        // Another run may have added some of them meanwhile.
        const added = rows.filter((row) => row.seq > seq);
        const chain = checkChain(added, seq, head);
        const [wrong] = chain.findings;
        if (wrong !== undefined) throw this.#strange(`row ${wrong.seq} ${wrong.problem}`);
        tables.add(added);
        remember(tables.db, memory);
      }),
    );
    await this.refresh();
  }

  /** What this machine remembers of the server; undefined when it never saw one. */
  async memory(): Promise<ServerMemory | undefined> {
    return recalled((await this.#open()).db);
  }

  /** Takes the server as it is now for the one to remember. Only a person may decide that. */
  async accept(memory: ServerMemory): Promise<void> {
    const { db } = await this.#open();
    writeAtOnce(db, () => {
      db.exec('DELETE FROM server');
      remember(db, memory);
    });
  }

  /** All rows, without a check. */
  async rows(): Promise<readonly StoredRow[]> {
    return (await this.#open()).after(0);
  }

  /** Erases the bodies of attempts. */
  async erase(attempts: readonly { readonly intent: string; readonly attempt: number }[]): Promise<void> {
    const tables = await this.#open();
    writeAtOnce(tables.db, () => {
      // A request for an approval is about no attempt.
      for (const of of attempts) tables.erase({ ...of, about: tables.sentOf(of)?.about ?? '' });
    });
  }

  close(): void {
    this.#opened?.db.close();
    this.#opened = undefined;
    this.#checked = { seq: 0, head: chainStart };
  }

  async #open(): Promise<JournalTables> {
    if (this.#opened !== undefined) return this.#opened;
    const { path } = this.#file;
    try {
      await findFile(this.#file, true);
      const db = (await fileOpener())(path, journalKind);
      db.exec(serverTable);
      this.#opened = new JournalTables(db);
      return this.#opened;
    } catch (error) {
      throw error instanceof CliError ? error : unreadable(path, error);
    }
  }

  #check(tables: JournalTables): void {
    const end = tables.end();
    const { seq, head } = this.#checked;
    if (end.seq === seq && end.hash === head && end.noted.seq === seq && end.noted.hash === head) return;
    const chain = checkChain(tables.each(seq), seq, head);
    const [wrong] = [...chain.findings, ...newestMissing(chain, end.noted)];
    if (wrong !== undefined) throw damaged(this.path, `row ${wrong.seq} ${wrong.problem}`);
    this.#checked = { seq: chain.seq, head: chain.head };
  }

  // The server's rows do not follow those that this machine has.
  #strange(problem: string): CliError {
    return new CliError(
      'refused',
      `the rows of the team's journal do not fit those of this machine: ${problem}`,
      {
        certain: 'nothing was sent',
        now: [
          'which refunds differ: paydesk team verify',
          'ask who runs the database what happened to it: somebody has changed its rows',
        ],
      },
    );
  }

  #orUnreadable<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw error instanceof CliError ? error : unreadable(this.path, error);
    }
  }
}

const serverTable = `CREATE TABLE IF NOT EXISTS server (
  one INTEGER PRIMARY KEY CHECK (one = 1), journal TEXT NOT NULL, "database" TEXT NOT NULL, system TEXT NOT NULL,
  timeline INTEGER NOT NULL, lsn INTEGER NOT NULL) STRICT`;

// The newest of what several runs of this machine have seen.
function remember(db: DatabaseSync, { journal, database, system, timeline, lsn }: ServerMemory): void {
  db.prepare(
    `INSERT INTO server VALUES (1, ?, ?, ?, ?, ?)
     ON CONFLICT (one) DO UPDATE SET lsn = max(lsn, excluded.lsn)`,
  ).run(journal, database, system, timeline, lsn);
}

function recalled(db: DatabaseSync): ServerMemory | undefined {
  const known = db.prepare('SELECT * FROM server').get();
  if (known === undefined) return undefined;
  return {
    journal: String(known.journal),
    database: String(known.database),
    system: String(known.system),
    timeline: Number(known.timeline),
    lsn: Number(known.lsn),
  };
}
