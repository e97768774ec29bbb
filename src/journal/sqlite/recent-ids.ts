/** Ids for completions, read from the journal's file in one query. Light to load, because a TAB waits for it. */

import { lstatSync } from 'node:fs';
import type { DatabaseSync as Database } from 'node:sqlite';
import { chargesIn, type Recent, type RecentOf, recentIn, recentMax } from '../journal-store.ts';

/** `recent` of the store. Creates no file. */
export async function recentIds(
  file: string,
  of: RecentOf,
  profile: string | undefined,
): Promise<readonly Recent[]> {
  // A link or a FIFO is not our file, so it is not opened.
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.nlink > 1) return [];
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file, { readOnly: true, timeout: 100 });
  try {
    if (typeof of === 'object') return chargesIn(chargesBefore(db, of.chargesOf, profile));
    // Of the newest changes: an order or a change may have several.
    const found = db
      .prepare(
        `SELECT ${of === 'orders' ? 'about' : 'change'} AS id, time, kind, amount, currency FROM attempts
         WHERE ${of === 'orders' ? 'has_order = 1' : '1 = 1'} AND (?1 IS NULL OR profile = ?1) ORDER BY time DESC LIMIT ${lookedAt}`,
      )
      .all(profile ?? null);
    const newest = new Map<unknown, (typeof found)[number]>();
    for (const row of found) if (!newest.has(row.id)) newest.set(row.id, row);
    const rows = [...newest.values()].slice(0, recentMax);
    return recentIn(
      of,
      rows.map(({ id, kind, amount, currency, time }) => ({ id, kind, amount, currency, time })),
    );
  } finally {
    db.close();
  }
}

const lookedAt = 10 * recentMax;

// From the newest refund of the order whose SENT row shows the charges.
function chargesBefore(db: Database, orderId: string, profile: string | undefined) {
  const rows = db
    .prepare(
      `SELECT charge.value ->> '$.id' AS id, charge.value ->> '$.amount' AS amount, COALESCE(charge.value ->> '$.currency', row ->> '$.currency') AS currency
       FROM (SELECT row FROM rows
             WHERE type = 'sent' AND about = ?1 AND order_id = ?1 AND (?2 IS NULL OR row ->> '$.profile' = ?2)
               AND json_array_length(row, '$.proof.before.charges') > 0
             ORDER BY time DESC LIMIT 1),
         json_each(row, '$.proof.before.charges') AS charge
       ORDER BY charge.key`,
    )
    .all(orderId, profile ?? null);
  return rows.map(({ id, amount, currency }) => ({ id, amount, currency }));
}
