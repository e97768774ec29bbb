/** Lets a test put files of a journal where they were not made: without this, paydesk takes them for a restored copy. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Forgets what a copy changes of the journal and the witness of a home, if they are there and whole. */
export function forgetMarks(home: string): void {
  for (const file of ['state/paydesk/journal/journal.db', 'share/paydesk/witness/journal.witness'])
    forgetMark(join(home, '.local', file));
}

/** The same for one file. */
export function forgetMark(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  try {
    using db = new DatabaseSync(path);
    // SQLite's own journal stays where it is.
    db.exec('PRAGMA journal_mode = TRUNCATE; UPDATE head SET mark = NULL');
  } catch {
    // A damaged file keeps its mark.
  }
}
