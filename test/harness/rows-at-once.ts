/** Adds many rows to a journal at once: one by one, each would wait for the disk. */

import { link } from '../../src/journal/rows/chain.ts';
import type { JournalRow } from '../../src/journal/rows/journal-rows.ts';
import type { CopiedJournal } from '../../src/journal/sqlite/sqlite-store.ts';

/** Adds the rows, in this order. */
export async function addAtOnce(store: CopiedJournal, rows: readonly JournalRow[]): Promise<void> {
  let { seq, hash } = await store.newestRow();
  const linked = rows.map((row) => {
    const stored = link(row, seq + 1, hash);
    ({ seq, hash } = stored);
    return stored;
  });
  await store.follow(linked);
}
