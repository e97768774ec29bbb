/** A journal in memory: the same interface without durability. */

import { CliError } from '../../src/errors.ts';
import { fold, matches } from '../../src/journal/fold.ts';
import type { AttemptQuery, JournalStore } from '../../src/journal/journal.ts';
import type { JournalRow } from '../../src/journal/rows.ts';

/** Keeps rows for as long as the program runs. */
export function createMemoryStore(rows: JournalRow[] = []): JournalStore {
  return {
    append(row: JournalRow): Promise<void> {
      const known = rows.some(
        (old) => old.type === 'sent' && old.intent === row.intent && old.attempt === row.attempt,
      );
      if (known === (row.type === 'sent')) {
        const message = `the journal cannot hold this row of ${row.intent}`;
        return Promise.reject(new CliError('refused', message, { certain: 'nothing was sent' }));
      }
      rows.push(row);
      return Promise.resolve();
    },
    attempts: (query: AttemptQuery) => Promise.resolve(fold(rows).filter((record) => matches(record, query))),
    newest: () =>
      Promise.resolve({
        time: rows.reduce((newest, { time }) => Math.max(newest, time), 0),
        clocks: rows.at(-1)?.clocks,
      }),
    ready: () => Promise.resolve(),
  };
}
