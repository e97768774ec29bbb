/** Waits for other runs that write to the same files, as long as they make progress. */

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../../errors.ts';
import { fileOpener, isInUse, type OpenFile, unreadable, waitMs } from './database.ts';

// Each turn waits up to 5 seconds.
const turnsMax = 24;

export class Turns {
  readonly #journal: string;
  readonly #files: readonly string[];
  /** The last write to the files when this run last waited in vain. */
  #inVain: string | undefined;
  #waits = waitMs;
  #open: readonly DatabaseSync[] = [];

  /** `files`: all files that other runs write to. `journal`: the one that errors name. */
  constructor(journal: string, files: readonly string[]) {
    this.#journal = journal;
    this.#files = files;
  }

  /** Opens files with the same waiting. */
  async opener(): Promise<OpenFile> {
    const open = await fileOpener(() => this.#waits);
    return (file, kind) => {
      const db = open(file, kind);
      this.#open = [...this.#open.filter(({ isOpen }) => isOpen), db];
      return db;
    };
  }

  /**
   * Runs `act` as a whole, or not at all, when no other run is in the way. Among many writers one may wait longer than SQLite
   * does; it goes on as long as others make progress. Throws CliError 'refused' if a run holds the files and does not finish, or
   * if they cannot be read.
   */
  take<T>(act: () => T): T {
    try {
      return this.#inTurn(act);
    } catch (error) {
      throw this.refusalFor(error);
    }
  }

  /** The refusal when the files cannot be read. A CliError stays as it is. */
  refusalFor(error: unknown): CliError {
    return error instanceof CliError ? error : unreadable(this.#journal, error);
  }

  /** Runs `act` now, or not at all if another run is in the way. */
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
      // If one question waited in vain for a stopped run, the command's other questions do not wait for it again.
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
