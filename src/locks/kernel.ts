/** The lock itself: an exclusive SQLite transaction, which the kernel ends with its process. */

import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../errors.ts';

// SQLITE_BUSY (the primary code; extended ones keep it in the low byte).
const busy = 5;

/** A slot file that is locked. */
export interface KernelLock {
  release(): void;
}

/** One try to lock a slot file; undefined when somebody else holds it. Throws CliError 'refused' on anything else. */
export async function tryLock(path: string): Promise<KernelLock | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // On the disk SQLite would begin a journal, which a full disk refuses and a killed owner leaves behind.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: releaseOf(database) };
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    throw new CliError('refused', `the lock file ${path} cannot be used`, {
      certain: 'nothing was sent and nothing was changed',
      now: ['look at it and at its disk; while no paydesk is running it may be removed'],
      cause: error,
    });
  }
}

// Closing rolls back; saying so first keeps the order of things visible.
function releaseOf(database: DatabaseSync): () => void {
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error && 'errcode' in error)) return false;
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === busy;
}
