/**
 * The mirror of a team's journal on this machine: a journal file with all rows that were fetched and checked, and what this
 * machine remembers of the server. It answers reads without the server, and shows when the server has forgotten something.
 */

import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../../errors.ts';
import { checkChain, type StoredRow } from '../chain.ts';
import {
  addRows,
  asOfOneMoment,
  damaged,
  headFindings,
  openDatabase,
  type RowReader,
  readRows,
  rowReader,
  unreadable,
  writeAtOnce,
} from '../sqlite/database.ts';
import { findFile, type JournalFile } from '../sqlite/journal-file.ts';
import { StoreRules } from '../store-rules.ts';
import type { ServerMemory } from './server-check.ts';

/** A mirror for one run. Other runs of this machine write to the same file. */
export class Mirror {
  readonly #file: JournalFile;
  #db: DatabaseSync | undefined;
  #reader: RowReader | undefined;
  /** What this run has read of the mirror so far. */
  rules = this.#knowNothing();

  constructor(file: JournalFile) {
    this.#file = file;
  }

  get path(): string {
    return this.#file.path;
  }

  /** Reads what other runs have added. Rejects with CliError 'refused' when a row is damaged or missing. */
  async refresh(): Promise<void> {
    const db = await this.#open();
    this.#read(db);
  }

  /** Adds rows of the server, and what it says of itself, in one commit that is on the disk. They must follow the newest row. */
  async add(rows: readonly StoredRow[], memory: ServerMemory): Promise<void> {
    const db = await this.#open();
    this.#orUnreadable(() =>
      writeAtOnce(db, () => {
        this.#read(db);
        const { seq, head } = this.rules.end;
        // Another run may have added some of them meanwhile.
        const added = rows.filter((row) => row.seq > seq);
        const [wrong] = checkChain(added, seq, head).findings;
        if (wrong !== undefined) throw this.#strange(`row ${wrong.seq} ${wrong.problem}`);
        addRows(db, added);
        remember(db, memory);
      }),
    );
    this.#read(db);
  }

  /** What this machine remembers of the server; undefined when it never saw one. */
  async memory(): Promise<ServerMemory | undefined> {
    return recalled(await this.#open());
  }

  /** Takes the server as it is now for the one to remember. Only a person may decide that. */
  async accept(memory: ServerMemory): Promise<void> {
    const db = await this.#open();
    writeAtOnce(db, () => {
      db.exec('DELETE FROM server');
      remember(db, memory);
    });
  }

  /** All rows, without a check. */
  async rows(): Promise<readonly StoredRow[]> {
    return readRows(await this.#open(), 0);
  }

  /** Erases the bodies of attempts. */
  async erase(attempts: readonly { readonly intent: string; readonly attempt: number }[]): Promise<void> {
    const db = await this.#open();
    const erase = db.prepare('UPDATE rows SET body = NULL WHERE intent = ? AND attempt = ?');
    writeAtOnce(db, () => {
      for (const { intent, attempt } of attempts) erase.run(intent, attempt);
    });
    this.close();
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#reader = undefined;
    this.rules = this.#knowNothing();
  }

  #knowNothing(): StoreRules {
    return new StoreRules((seq) => this.#reader?.at(seq));
  }

  async #open(): Promise<DatabaseSync> {
    if (this.#db !== undefined) return this.#db;
    const { path } = this.#file;
    try {
      await findFile(this.#file, true);
      const db = await openDatabase(path);
      db.exec(serverTable);
      this.#db = db;
      return db;
    } catch (error) {
      throw error instanceof CliError ? error : unreadable(path, error);
    }
  }

  #read(db: DatabaseSync): void {
    this.#reader ??= rowReader(db);
    const { after, endsAt } = this.#reader;
    const { seq, head } = this.rules.end;
    const read = () => {
      if (endsAt({ seq, head })) return;
      const stored = after(seq);
      const chain = checkChain(stored, seq, head);
      const [wrong] = [...chain.findings, ...headFindings(db, chain)];
      if (wrong !== undefined) throw damaged(this.path, `row ${wrong.seq} ${wrong.problem}`);
      this.rules.read(stored);
    };
    this.#orUnreadable(() => asOfOneMoment(db, read));
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
