/**
 * Writes lists as CSV (RFC 4180, lines end in LF). Times are ISO 8601, amounts the service's integers. If a spreadsheet
 * would run a text as a formula, an apostrophe is put before the text. It can be taken away again without a loss.
 */

import type { Column, ValueKind } from '../api/resources.ts';
import type { JsonObject } from '../api/spec.ts';
import { csvValue, type Reading } from './columns.ts';
import type { ListFormat } from './list-format.ts';

// The signs that start a formula, in small and full-width forms too.
const formula = String.raw`[=+\-@|\t\r\n\u2212\ufe62\ufe63\ufe66\ufe6b\uff1d\uff0b\uff0d\uff20\uff5c]`;
// A spreadsheet may skip these before a formula: white space of every kind, characters without width, and U+FFFD.
const skipped = String.raw`['\s\u0085\u00ad\u034f\u115f\u1160\u180e\u200b-\u200f\u2060-\u2065\u2800\u3164\uffa0\ufffd]`;
// A formula may start a cell, or stand behind a character that another program takes for the end of a cell.
const start = '^(?=S*F)|(?<=[",;\\t\\r\\n|])(?=\'*F)'
  .replaceAll('F', formula)
  .replaceAll('S*', `${skipped}*`);
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
    return csvLine(columns.map(({ name }) => name));
  };
  return {
    page: (rows) =>
      heading() + rows.map(({ value }) => csvLine(cells(columns, value, reading, clean))).join(''),
    end: () => heading(),
  };
}

/** Puts an apostrophe wherever a spreadsheet would run the text as a formula. */
export function formulaSafe(text: string): string {
  return text.replace(new RegExp(start, 'g'), "'");
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

const numbers: readonly ValueKind[] = ['money', 'figure', 'integer', 'time'];

function csvLine(texts: readonly string[]): string {
  return `${texts.map(quote).join(',')}\n`;
}

function quote(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
