/** Waits for other runs that write to the same files, for as long as they get on. */

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../../errors.ts';
import { fileOpener, type OpenFile, waitMs } from './database.ts';
import { isInUse, unreadable } from './sqlite-errors.ts';

// Each is a wait of 5 seconds.
const turnsMax = 24;

/** The turns of one run at the files of a journal. */
export class Turns {
  readonly #journal: string;
  readonly #files: readonly string[];
  /** When the files were written to the last time, if this run has since waited for them in vain. */
  #inVain: string | undefined;
  #waits = waitMs;
  #open: readonly DatabaseSync[] = [];

  /** `files`: all that other runs write to; `journal`: the one that errors name. */
  constructor(journal: string, files: readonly string[]) {
    this.#journal = journal;
    this.#files = files;
  }

  /** Opens files that wait in the same way. */
  async opener(): Promise<OpenFile> {
    const open = await fileOpener(() => this.#waits);
    return (file, kind) => {
      const db = open(file, kind);
      this.#open = [...this.#open.filter(({ isOpen }) => isOpen), db];
      return db;
    };
  }

  /**
   * Does it when no other run is in the way: as a whole or not at all. Where many runs write, one may wait in vain for longer than
   * SQLite waits; it goes on as long as others get on. Throws CliError 'refused' for a run that holds the files and does not finish,
   * and when they cannot be read.
   */
  take<T>(act: () => T): T {
    try {
      return this.#inTurn(act);
    } catch (error) {
      throw error instanceof CliError ? error : unreadable(this.#journal, error);
    }
  }

  /** Does it now, or not at all if another run is in the way. */
  unlessBusy(act: () => void): void {
    this.#wait(0);
    try {
      act();
    } catch (error) {
      if (!isInUse(error)) throw error;
    }
  }

  #inTurn<T>(act: () => T): T {
    for (let turn = 1; ; turn += 1) {
      const before = this.#lastWritten();
      // A command asks many questions. If one waited in vain for a run that is stopped, the others do not wait for it again.
      this.#wait(this.#inVain === before ? 0 : waitMs);
      try {
        const done = act();
        this.#inVain = undefined;
        return done;
      } catch (error) {
        if (!isInUse(error)) throw error;
        const now = this.#lastWritten();
        if (turn < turnsMax && now !== before) continue;
        this.#inVain = now;
        throw error;
      }
    }
  }

  #wait(ms: number): void {
    if (ms === this.#waits) return;
    this.#waits = ms;
    for (const db of this.#open) if (db.isOpen) db.exec(`PRAGMA busy_timeout = ${ms}`);
  }

  #lastWritten(): string {
    return this.#files.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs).join(' ');
  }
}
