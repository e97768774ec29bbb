/**
 * CSV (RFC 4180, lines end in LF): times ISO 8601 in UTC (local ones with their offset), amounts the service's integers, true and false. A text that a
 * spreadsheet would run as a formula gets an apostrophe in front; `fromFormulaSafe` takes it away again.
 */

import type { Column } from '../api/resources.ts';
import type { JsonObject } from '../api/spec.ts';
import { csvValue, type Reading } from './columns.ts';
import type { ListFormat } from './list-format.ts';

// Small and full-width forms count too.
const formula = String.raw`[=+\-@|\t\r\n\u2212\ufe62\ufe63\ufe66\ufe6b\uff1d\uff0b\uff0d\uff20\uff5c]`;
// What a spreadsheet may skip before a formula: white space of every kind, characters without width, and U+FFFD.
const skipped = String.raw`['\s\u0085\u00ad\u034f\u115f\u1160\u180e\u200b-\u200f\u2060-\u2065\u2800\u3164\uffa0\ufffd]`;
// At the start of a cell, or behind what another program may take for the start of one.
const start = '^(?=S*F)|(?<=[",;\\t\\r\\n|])(?=\'*F)'
  .replaceAll('F', formula)
  .replaceAll('S*', `${skipped}*`);
const added = "^'(?=S*F)|(?<=[\",;\\t\\r\\n|])'(?='*F)"
  .replaceAll('F', formula)
  .replaceAll('S*', `${skipped}*`);
const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A list as CSV. `reading` makes values of records, `clean` makes a text safe for where it goes: a terminal, or a file. */
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

/** The text, with a leading quote where a spreadsheet would run it as a formula. */
export function formulaSafe(text: string): string {
  return text.replace(new RegExp(start, 'g'), "'");
}

/** The text that `formulaSafe` was given. */
export function fromFormulaSafe(text: string): string {
  return text.replace(new RegExp(added, 'g'), '');
}

function cells(
  columns: readonly Column[],
  record: JsonObject,
  reading: Reading,
  clean: (text: string) => string,
): readonly string[] {
  return columns.map((column) => {
    const text = csvValue(column.value(record, reading.referenceKeys), column.kind, reading);
    const isNumber = column.kind === 'money' || column.kind === 'integer' || column.kind === 'time';
    // A number stays one, also a negative refund; only what the service sent as text can be a formula.
    return isNumber && number.test(text) ? text : formulaSafe(clean(text));
  });
}

function csvLine(texts: readonly string[]): string {
  return `${texts.map(quote).join(',')}\n`;
}

function quote(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
