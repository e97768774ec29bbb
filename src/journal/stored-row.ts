/** A row as it lies in the file: its columns, and how they are read. */

/** A row as it lies in the file. */
export interface StoredRow {
  readonly seq: number;
  /** The row as JSON, without what may be erased. */
  readonly row: string;
  /** What may be erased as JSON: the request body and notes; null once it is, or where there is none. */
  readonly body: string | null;
  readonly body_hash: string | null;
  readonly prev: string;
  readonly hash: string;
  /** Columns repeat what the row says, to be looked up by; they are checked against it. */
  readonly type: string;
  readonly time: number;
  readonly intent: string;
  readonly attempt: number;
  readonly origin: string | null;
  readonly order_id: string | null;
  readonly plan: string | null;
  readonly ref: string | null;
}

/** The columns that repeat what the row says. */
export const repeating = [
  'type',
  'time',
  'intent',
  'attempt',
  'origin',
  'order_id',
  'plan',
  'ref',
] as const satisfies readonly (keyof StoredRow)[];

/** All columns of the table. */
export const storedColumns = [
  'seq',
  'row',
  'body',
  'body_hash',
  'prev',
  'hash',
  ...repeating,
] as const satisfies readonly (keyof StoredRow)[];

/**
 * What the table gives → a stored row. What is of another type than the table's (only damage makes it that) is read as
 * empty, so that the checks find it, and not as null, which a body is that was erased.
 */
export function storedRow(from: Readonly<Record<string, unknown>>): StoredRow {
  return {
    seq: integer(from.seq),
    row: text(from.row),
    body: textOrNull(from.body),
    body_hash: textOrNull(from.body_hash),
    prev: text(from.prev),
    hash: text(from.hash),
    type: text(from.type),
    time: integer(from.time),
    intent: text(from.intent),
    attempt: integer(from.attempt),
    origin: textOrNull(from.origin),
    order_id: textOrNull(from.order_id),
    plan: textOrNull(from.plan),
    ref: textOrNull(from.ref),
  };
}

function integer(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : text(value);
}
