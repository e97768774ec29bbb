/** Reads ids for completions from the journal, in one query. It is quick to load, because a TAB waits for it. */

import { lstatSync } from 'node:fs';
import type { DatabaseSync as Database } from 'node:sqlite';
import { orderIdPattern } from '../../api/spec.ts';

const recentMax = 50;

/** What completions ask for. */
export type RecentOf = 'orders' | 'changes' | { readonly chargesOf: string };

/** An id that completions can offer, and words about it. */
export interface Recent {
  readonly id: string;
  /** For an order or change `refund of 300 MXN, 2026-11-20`, for a charge `charge 1: 300 MXN`. */
  readonly text: string;
}

/**
 * The orders or changes that were sent last, newest first, at most 50; or the charges of an order as they were before its newest
 * refund. `profile` narrows them to one profile. It waits for no other run, checks no chain and creates no file, so nothing but
 * completions may use it. Throws what SQLite throws if the rows cannot be read at once.
 */
export async function recentIds(
  file: string,
  of: RecentOf,
  profile: string | undefined,
): Promise<readonly Recent[]> {
  // A link or a FIFO is not our file, so it stays closed.
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.nlink > 1) return [];
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file, { readOnly: true, timeout: 100 });
  try {
    if (typeof of === 'object') return chargesIn(chargesBefore(db, of.chargesOf, profile));
    // Reads the newest attempts: an order or a change may have several.
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

// From the order's newest refund whose SENT row shows the charges.
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

// Turns rows into ids and words that are safe on a terminal. Skips ids of any other form.
function recentIn(
  of: 'orders' | 'changes',
  rows: readonly Readonly<Record<'id' | 'kind' | 'amount' | 'currency' | 'time', unknown>>[],
): readonly Recent[] {
  const pattern = of === 'orders' ? orderIdPattern : /^i_[A-Za-z0-9]{1,64}$/;
  return rows.map((row) => ({ id: only(pattern, row.id), text: words(row) })).filter(({ id }) => id !== '');
}

// The charges in the order's sequence. Skips ids that would need quotes in a shell.
function chargesIn(
  charges: readonly Readonly<Record<'id' | 'amount' | 'currency', unknown>>[],
): readonly Recent[] {
  return charges
    .map(({ id, amount, currency }, index) => {
      const sum = plainAmount(amount, currency);
      return {
        id: only(/^[A-Za-z0-9_-]{1,64}$/, id),
        text: `charge ${index + 1}${sum === '' ? '' : `: ${sum}`}`,
      };
    })
    .filter(({ id }) => id !== '');
}

function words({ kind, amount, currency, time }: Readonly<Record<string, unknown>>): string {
  const sum = plainAmount(amount, currency);
  const what = only(/^[a-z_]+$/, kind);
  const day = new Date(Number(time)).toISOString().slice(0, 10);
  return `${what}${sum === '' ? '' : ` of ${sum}`}, ${day}`;
}

// The service writes the currency, so only a plain code reaches the terminal.
function plainAmount(amount: unknown, currency: unknown): string {
  const parts = [only(/^[0-9]+$/, amount), only(/^[A-Za-z]{1,8}$/, currency)];
  return parts.filter((part) => part !== '').join(' ');
}

function only(pattern: RegExp, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return pattern.test(text) ? text : '';
}
