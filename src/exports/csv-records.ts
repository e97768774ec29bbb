/** Reads the records of a CSV that paydesk exported (RFC 4180): each becomes an object again, with numbers, times and flags. */

import { pipeline, type Readable } from 'node:stream';
import { parse } from 'csv-parse';
import type { JsonObject } from '../api/spec.ts';
import { withoutFormulaSafety } from '../terminal/terminal.ts';

/** The lines of a CSV as cells. A cell may hold line breaks. Rejects with the error of the stream that is read. */
export function csvLines(bytes: Readable): AsyncIterable<readonly string[]> {
  return pipeline(bytes, parse({ record_delimiter: '\n', relax_column_count: true }), () => undefined);
}

/** The record of one line. A column such as `customer_info.email` becomes an object with that field. */
export function recordOfLine(columns: readonly string[], cells: readonly string[]): JsonObject {
  const record: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell !== '') setAt(record, column.split('.'), cellValue(column, cell));
  }
  return record;
}

function setAt(
  into: Record<string, unknown>,
  [first = '', ...path]: readonly string[],
  value: unknown,
): void {
  // A column may be named after a metadata key, which may be anything.
  const own = Object.hasOwn(into, first) ? into[first] : undefined;
  const inside: Record<string, unknown> = typeof own === 'object' && own !== null ? { ...own } : {};
  if (path.length > 0) setAt(inside, path, value);
  Object.defineProperty(into, first, {
    value: path.length === 0 ? value : inside,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

const amounts = /(^|\.)(amount|amount_refunded|fee)$/;

// The name of a column says what its cells are.
function cellValue(column: string, cell: string): unknown {
  if (amounts.test(column) && /^-?\d+$/.test(cell)) {
    const number = Number(cell);
    return Number.isSafeInteger(number) ? number : BigInt(cell);
  }
  if (column.endsWith('_at')) {
    const ms = Date.parse(cell);
    return Number.isNaN(ms) ? cell : ms / 1000;
  }
  return cell === 'true' || cell === 'false' ? cell === 'true' : withoutFormulaSafety(cell);
}
