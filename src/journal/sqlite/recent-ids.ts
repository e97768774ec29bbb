/** Ids for completions out of the journal's file: read only, in one query. Light to load, since a TAB waits for it. */

import { lstatSync } from 'node:fs';
import { type Recent, recentIn, recentMax } from '../journal-store.ts';

/** As the store's `recent`. Creates no file. */
export async function recentIds(
  file: string,
  of: 'orders' | 'intents',
  profile: string | undefined,
): Promise<readonly Recent[]> {
  // A link or a FIFO is none of ours, and is not opened.
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.nlink > 1) return [];
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file, { readOnly: true, timeout: 100 });
  try {
    const column = of === 'orders' ? 'order_id' : 'intent';
    const rows = db
      .prepare(
        `SELECT ${column} AS id, MAX(time) AS time, row ->> '$.proof.kind' AS kind, row ->> '$.amount' AS amount,
           row ->> '$.currency' AS currency
         FROM rows WHERE type = 'sent' AND ${column} IS NOT NULL AND (?1 IS NULL OR row ->> '$.profile' = ?1)
         GROUP BY ${column} ORDER BY 2 DESC LIMIT ${recentMax}`,
      )
      .all(profile ?? null);
    return recentIn(
      of,
      rows.map(({ id, kind, amount, currency, time }) => ({ id, kind, amount, currency, time })),
    );
  } finally {
    db.close();
  }
}
