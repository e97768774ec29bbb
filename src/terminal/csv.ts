/**
 * Writes lists as CSV (RFC 4180, lines end in LF): quotes where they are needed, and an apostrophe before a text that a
 * spreadsheet would run as a formula.
 */

import { type AmountStyle, unitsNote } from '../amounts.ts';
import type { JsonObject } from '../api/json-values.ts';
import type { Column, ValueKind } from '../api/resources.ts';
import { isTime } from '../api/spec.ts';
import type { ListFormat } from './list-format.ts';
import { decimalsToName } from './table/columns.ts';
import { csvValue, decimalOf, isMoment, type Reading } from './table/shown-values.ts';
import type { Delimiter, Format } from './terminal.ts';

// The characters that start a formula, in small and full-width forms too.
const formula = String.raw`[=+\-@|\t\r\n\u2212\ufe62\ufe63\ufe66\ufe6b\uff1d\uff0b\uff0d\uff20\uff5c]`;
// A spreadsheet may skip these before a formula: white space of every kind, characters without width, and U+FFFD.
const skipped = String.raw`['\s\u0085\u00ad\u034f\u115f\u1160\u180e\u200b-\u200f\u2060-\u2065\u2800\u3164\uffa0\ufffd]`;
// A formula may be at the start of a cell, or after a character that another program takes for the end of a cell.
const start = '^(?=S*F)|(?<=[",;\\t\\r\\n|])(?=\'*F)'
  .replaceAll('F', formula)
  .replaceAll('S*', `${skipped}*`);
const added = "^'(?=S*F)|(?<=[\",;\\t\\r\\n|])'(?='*F)"
  .replaceAll('F', formula)
  .replaceAll('S*', `${skipped}*`);

// No formula can start in most texts: they are empty, or begin with a letter or digit, and nothing in them may end a cell.
const harmless = /^(?:[0-9A-Za-z][^",;\t\r\n|]*)?$/;

/** Puts an apostrophe wherever a spreadsheet would run the text as a formula. */
export function formulaSafe(text: string): string {
  return harmless.test(text) ? text : text.replace(new RegExp(start, 'g'), "'");
}

/** Removes the apostrophes that `formulaSafe` put into a text, and returns the original text. */
export function withoutFormulaSafety(safe: string): string {
  return safe.replace(new RegExp(added, 'g'), '');
}

/** How a CSV is written. */
export interface CsvStyle {
  /** Whether it begins with a byte order mark. */
  readonly bom: boolean;
  readonly delimiter: Delimiter;
  readonly decimal: '.' | ',';
  /** Times are written in the zone of the run, in the form that a spreadsheet reads as a date; otherwise in UTC as ISO 8601. */
  readonly hasDates: boolean;
  /** The flag that somebody typed, if it only has an effect on CSV. */
  readonly typed?: '--for' | '--decimal' | undefined;
  /** A note about what --for has set, or what --decimal has set besides the decimal sign. */
  readonly note?: string | undefined;
}

const usualCsv: CsvStyle = { bom: false, delimiter: ',', decimal: '.', hasDates: false };

/** A list that was written, as far as a spreadsheet is concerned. */
interface SheetFacts {
  readonly columns: readonly Column[];
  readonly format: Format;
  readonly csv?: CsvStyle | undefined;
  readonly amounts: AmountStyle;
  /** Called only when the zone is needed: asking for the zone of this machine takes 10 ms. */
  readonly zone: () => string;
}

/**
 * What there is to say about a list for a spreadsheet: what --for has set, the unit of its amounts, and the zone of its times.
 * About any other list: that a flag for CSV changed nothing.
 */
export function sheetNotes({
  columns,
  format,
  csv = usualCsv,
  amounts,
  zone,
}: SheetFacts): readonly string[] {
  const isCsv = format === 'csv';
  if (!isCsv && format !== 'xlsx') return notCsvNotes(csv);
  const unit = unitsNote(amounts);
  const named = decimalsToName(columns);
  const first = columns.find(({ inDecimals }) => inDecimals === true);
  const beside = first === undefined ? named && `${named} in --columns` : `${first.name} has the decimals`;
  const isForSheet = !isCsv || csv.bom || csv.decimal === ',';
  const hasDecimals = first !== undefined || columns.some(({ kind }) => kind === 'percent');
  const why =
    named === undefined || unit !== undefined ? '' : ': the profile declares none (amounts.decimals)';
  return [
    isCsv ? csv.note : undefined,
    isCsv && csv.typed === '--decimal' && csv.decimal === ',' && !hasDecimals
      ? `--decimal comma: no column here has decimals, so there is no comma${why}`
      : undefined,
    isForSheet && unit !== undefined && beside !== undefined ? `${unit} (${beside})` : undefined,
    isCsv && csv.hasDates && columns.some(({ kind }) => isMoment(kind))
      ? `all times are in ${zone()}, as a spreadsheet reads them: 2026-11-20 18:42:51`
      : undefined,
  ].filter((line) => line !== undefined);
}

/** Says that an option for CSV does nothing for other formats. */
export function notCsvNotes({ typed }: CsvStyle = usualCsv): readonly string[] {
  return typed === undefined ? [] : [`${typed} is for CSV: add --csv, or write into a .csv`];
}

/** One line of a CSV, with its line feed. */
export function csvLine(texts: readonly string[], delimiter = ','): string {
  return `${texts.map((text) => quote(text, delimiter)).join(delimiter)}\n`;
}

function quote(text: string, delimiter: string): string {
  return text.includes(delimiter) || /["\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A list as CSV. `reading` takes values out of records, `clean` makes a text safe for a terminal or a file. */
export function csvList(
  columns: readonly Column[],
  header: boolean,
  reading: Reading,
  clean: (text: string) => string,
  { isBegun = false, ...style }: CsvStyle & { readonly isBegun?: boolean } = usualCsv,
): ListFormat {
  const { bom, delimiter } = style;
  let headed = isBegun;
  const heading = (): string => {
    if (headed) return '';
    headed = true;
    // A title may come from the file of a person, so it may look like a formula too.
    const titles = header
      ? csvLine(
          columns.map(({ name }) => formulaSafe(clean(name))),
          delimiter,
        )
      : '';
    return (bom ? '\ufeff' : '') + titles;
  };
  return {
    page: (rows) =>
      heading() +
      rows.map(({ value }) => csvLine(cells(columns, value, reading, clean, style), delimiter)).join(''),
    end: () => heading(),
  };
}

function cells(
  columns: readonly Column[],
  record: JsonObject,
  reading: Reading,
  clean: (text: string) => string,
  { decimal, hasDates }: CsvStyle,
): readonly string[] {
  return columns.map((column) => {
    const value = column.value(record, reading.referenceKeys);
    if (hasDates && isMoment(column.kind) && isTime(value)) return reading.times.forSheet(value);
    const text =
      column.inDecimals === true
        ? (decimalOf(value, column, record, reading) ?? '')
        : csvValue(value, column.kind, reading);
    const isNumber =
      typeof value === 'number' || (numbers.includes(column.kind) && typeof value !== 'string');
    // A number stays a number, even a negative refund. Only a text from the service can be a formula.
    return isNumber && number.test(text) ? text.replace('.', decimal) : formulaSafe(clean(text));
  });
}

const numbers: readonly ValueKind[] = ['money', 'figure', 'sum', 'integer', 'percent', 'time'];
