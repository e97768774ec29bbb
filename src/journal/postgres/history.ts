/** The history of one machine on its way into a team's journal: its rows in the form that the server imports. Pure. */

import { inFull } from '../archived-rows.ts';
import { type StoredRow, unlink, unstamped } from '../chain.ts';
import { attemptKey } from '../journal-rows.ts';

/** A row in the form of `import_rows`. */
interface ImportedRow {
  readonly type: string;
  readonly intent: string;
  readonly attempt: number;
  /** Of a verdict: its number among those of its attempt. */
  readonly number: number;
  readonly time: number;
  readonly order: string | null;
  readonly operator?: string | undefined;
  readonly sendBy?: number | undefined;
  readonly rest: string;
  readonly body: string | null;
  readonly seq: number;
  readonly hash: string;
}

/** The rows of attempts, oldest first. Their chain was checked before. */
export function importedRows(stored: readonly StoredRow[]): readonly ImportedRow[] {
  const verdicts = new Map<string, number>();
  const rows = stored.flatMap((kept) => {
    const row = unlink(kept);
    return row.type === 'sent' || row.type === 'verdict'
      ? inFull(row).map((one) => [kept, one] as const)
      : [];
  });
  return rows.map(([kept, row]) => {
    const number = row.type === 'sent' ? 0 : (verdicts.get(attemptKey(row)) ?? 0) + 1;
    verdicts.set(attemptKey(row), number);
    const { intent, attempt, time, operator } = row;
    const sendBy = row.type === 'sent' ? row.sendBy : undefined;
    const { seq, hash, order_id, body } = kept;
    const order = row.type === 'sent' ? order_id : null;
    const { rest } = unstamped(row);
    return { type: row.type, intent, attempt, number, time, order, operator, sendBy, rest, body, seq, hash };
  });
}

/** In parts that a server takes in within its time for a statement. */
export function inParts<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}
