/** Ids out of the journal file for completions: read only, in one query, and nothing where that cannot be. */

import { lstatSync } from 'node:fs';
import { orderIdPattern } from '../api/spec.ts';

/** Something lately sent, by the id that the reader asked for. */
export interface Recent {
  readonly id: string;
  /** `refund of 300 MXN, 2026-11-20` */
  readonly text: string;
}

const limit = 50;

/**
 * Orders, or intents, of what was sent last, newest first; `profile` narrows it to one. Makes no file, checks no
 * chain, and waits for nobody.
 */
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
         GROUP BY ${column} ORDER BY 2 DESC LIMIT ${limit}`,
      )
      .all(profile ?? null);
    const pattern = of === 'orders' ? orderIdPattern : /^i_[A-Za-z0-9]{1,64}$/;
    return rows.map((row) => ({ id: only(pattern, row.id), text: words(row) })).filter(({ id }) => id !== '');
  } finally {
    db.close();
  }
}

// A currency is the service's text: anything else than a code stays away from the terminal.
function words({ kind, amount, currency, time }: Record<string, unknown>): string {
  const sum = [only(/^[0-9]+$/, amount), only(/^[A-Za-z]{1,8}$/, currency)].filter((part) => part !== '');
  const what = only(/^[a-z_]+$/, kind);
  const day = new Date(Number(time)).toISOString().slice(0, 10);
  return `${what}${sum.length === 0 ? '' : ` of ${sum.join(' ')}`}, ${day}`;
}

function only(pattern: RegExp, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return pattern.test(text) ? text : '';
}
