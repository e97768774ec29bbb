/**
 * Writes lists as CSV (RFC 4180, lines end in LF). Times are ISO 8601, amounts are the service's integers. A text that a spreadsheet
 * would run as a formula gets an apostrophe in front; without the apostrophe it is the text again.
 */

import type { Column, ValueKind } from '../api/resources.ts';
import type { JsonObject } from '../api/spec.ts';
import { csvValue, type Reading } from './columns.ts';
import { csvLine, formulaSafe } from './csv-cells.ts';
import type { ListFormat } from './list-format.ts';

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A list as CSV. `reading` takes values out of records, `clean` makes a text safe for a terminal or a file. */
export function csvList(
  columns: readonly Column[],
  header: boolean,
  reading: Reading,
  clean: (text: string) => string,
): ListFormat {
  let headed = !header;
  const heading = (): string => {
    if (headed) return '';
    headed = true;
    // A title may come from the file of a person, so it may look like a formula too.
    return csvLine(columns.map(({ name }) => formulaSafe(clean(name))));
  };
  return {
    page: (rows) =>
      heading() + rows.map(({ value }) => csvLine(cells(columns, value, reading, clean))).join(''),
    end: () => heading(),
  };
}

function cells(
  columns: readonly Column[],
  record: JsonObject,
  reading: Reading,
  clean: (text: string) => string,
): readonly string[] {
  return columns.map((column) => {
    const text = csvValue(column.value(record, reading.referenceKeys), column.kind, reading);
    const isNumber = numbers.includes(column.kind);
    // A number stays a number, even a negative refund. Only a text of the service can be a formula.
    return isNumber && number.test(text) ? text : formulaSafe(clean(text));
  });
}

const numbers: readonly ValueKind[] = ['money', 'figure', 'sum', 'integer', 'time'];
