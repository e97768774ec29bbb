/** CSV files: how one is written, its bytes as rows with the line where each begins, and the rows again with their errors beside them. */

import { CsvError, parse } from 'csv-parse/sync';
import { cleanCell, csvLine, type Delimiter, delimiters, formulaSafe } from '../terminal/terminal.ts';
import { askAgain } from './input-cells.ts';
import { addedColumns } from './input-titles.ts';
import { isInputTitle, isTitleOf } from './meant-titles.ts';
import type { InputFile, InputProblem } from './plan-types.ts';

export interface CsvRow {
  readonly line: number;
  /** If the row is broken: the cells of its first line, as far as they can be told apart. */
  readonly cells: readonly string[];
  /** The cells of a sheet that hold a number and have no number format. */
  readonly plainNumbers?: readonly number[] | undefined;
  /** What is wrong with the row's quotes, and the index of the cell. */
  readonly broken?: { readonly cell: number; readonly words: string };
}

/** The rows with any text, up to `most`. Bytes that are not UTF-8 become U+FFFD. */
export function csvRows(bytes: Uint8Array, delimiter: Delimiter, most: number): readonly CsvRow[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lineAt = createLineCount(buffer);
  const rows: CsvRow[] = [];
  // Where the next row begins.
  let at = skipBreaks(buffer, 0);
  while (at < buffer.length && rows.length < most) {
    const from = at;
    const broken = readRows(buffer.subarray(from), delimiter, (cells, end) => {
      // csv-parse leaves room for 15 more cells in each row's array; `slice` frees it.
      if (cells.some((cell) => cell.trim() !== '')) rows.push({ line: lineAt(at), cells: cells.slice() });
      at = skipBreaks(buffer, from + end);
      return rows.length < most;
    });
    if (broken === undefined) break;
    // Continues at the next line: an unclosed quote would swallow every row after it.
    const end = endOfLine(buffer, at);
    rows.push({ line: lineAt(at), cells: brokenCells(buffer.toString('utf8', at, end), delimiter), broken });
    at = skipBreaks(buffer, end);
  }
  return rows;
}

// Reads rows until the end, until `onRow` returns false, or until a broken one. Returns what is wrong with that one.
function readRows(
  buffer: Buffer,
  delimiter: Delimiter,
  onRow: (cells: readonly string[], end: number) => boolean,
): CsvRow['broken'] {
  const enough = new Error('enough rows');
  try {
    parse(buffer, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      trim: true,
      skip_empty_lines: true,
      on_record: (cells: readonly string[], { bytes }) => {
        if (!onRow(cells, bytes)) throw enough;
        return null;
      },
    });
    return undefined;
  } catch (error) {
    if (error === enough) return undefined;
    if (!(error instanceof CsvError)) throw error;
    const words = brokenWords.get(error.code) ?? 'its quotes cannot be understood';
    return { cell: Number(error.index), words };
  }
}

// The cells of a broken line. Wrong quotes stay in their cells as text.
function brokenCells(line: string, delimiter: Delimiter): readonly string[] {
  try {
    const how = { delimiter, relax_column_count: true, relax_quotes: true, ltrim: true };
    const [cells = []] = parse(line, how);
    return cells;
  } catch {
    return line.split(delimiter);
  }
}

const wrongClosing = 'the quote that opens this cell is not closed, or a quote inside it is not doubled ("")';

const brokenWords: ReadonlyMap<string, string> = new Map([
  ['CSV_QUOTE_NOT_CLOSED', 'the quote that opens this cell is never closed'],
  ['CSV_INVALID_CLOSING_QUOTE', wrongClosing],
  ['CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE', wrongClosing],
  [
    'INVALID_OPENING_QUOTE',
    'there is a quote inside this cell: put quotes around the whole cell, and double each quote inside it ("")',
  ],
]);

const lineFeed = 10;
const carriageReturn = 13;

function isBreak(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn;
}

// Skips lines that have nothing but blanks, and returns the start of the next line.
function skipBreaks(buffer: Buffer, from: number): number {
  let start = from;
  for (let at = from; isBreak(buffer[at]) || buffer[at] === 32 || buffer[at] === 9; at += 1)
    if (isBreak(buffer[at])) start = at + 1;
  return start;
}

function endOfLine(buffer: Uint8Array, from: number): number {
  let at = from;
  while (at < buffer.length && !isBreak(buffer[at])) at += 1;
  return at;
}

// Returns a function that gives the line number of a place in the file, from 1. No place may be before the last one, so that
// every byte is read only once. csv-parse counts a CRLF inside quotes as two lines.
function createLineCount(buffer: Buffer): (place: number) => number {
  let [at, line] = [0, 1];
  return (place) => {
    for (; at < place; at += 1) {
      const isEnd = buffer[at] === lineFeed || (buffer[at] === carriageReturn && buffer[at + 1] !== lineFeed);
      if (isEnd) line += 1;
    }
    return line;
  };
}

/**
 * The text of an errors file. It has every row; valid rows have a blank error. A problem with the titles or the whole file gets a
 * row of its own, with no other cells, which is skipped when the file is read again.
 */
export function errorsCsv(
  file: Pick<InputFile, 'columns' | 'lines' | 'delimiter' | 'hasBom' | 'lineEnd'>,
  problems: readonly InputProblem[],
): string {
  const { columns, lines, delimiter, hasBom, lineEnd } = file;
  const errors = Map.groupBy(problems, ({ line }) => line);
  // The cells stay unchanged, or they would be other rows. The messages may quote the service and are only for people, so they
  // are cleaned.
  const wordsOf = (line: number): string =>
    cleanCell((errors.get(line) ?? []).map(({ words }) => words).join('; '));
  const repeats = new Map(
    problems.flatMap(({ line, repeats: name }) => (name === undefined ? [] : [[line, name]])),
  );
  const { titles, cellsOf } = withAgain(columns, repeats);
  const rows = new Map(lines.map(({ line, cells }) => [line, cellsOf(line, cells)]));
  const blank = titles.map(() => '');
  const allLines = [...new Set([...errors.keys(), ...rows.keys()])].toSorted((a, b) => a - b);
  const text = [
    [...addedColumns, ...titles],
    ...allLines.map((line) => [String(line), wordsOf(line), ...(rows.get(line) ?? blank)]),
  ]
    .map((cells) => csvLine(cells.map(formulaSafe), delimiter).slice(0, -1))
    .map((line) => `${line}${lineEnd}`)
    .join('');
  return `${hasBom ? '\ufeff' : ''}${text}`;
}

// In a row that repeats a refund, the cell `again` names that refund after a question mark, which a person removes to confirm.
function withAgain(columns: readonly string[], repeats: ReadonlyMap<number, string>) {
  const found = columns.findIndex((title) => isTitleOf(title, 'again'));
  const isNew = found === -1 && repeats.size > 0;
  const place = isNew ? columns.length : found;
  const cellsOf = (line: number, cells: readonly string[]): readonly string[] => {
    // A row of the wrong length stays as it is.
    const whole = isNew && cells.length === columns.length ? [...cells, ''] : cells;
    const name = repeats.get(line);
    return name === undefined ? whole : whole.with(place, askAgain(whole[place] ?? '', name));
  };
  return { titles: isNew ? [...columns, 'again'] : columns, cellsOf };
}

/** The delimiter that gives the first line the most known titles, or else the most titles. */
export function delimiterOf(bytes: Uint8Array): Delimiter {
  const line = firstLine(bytes);
  const scores = delimiters.map((delimiter) => {
    const titles = line.split(delimiter);
    const known = titles.filter((title) => isInputTitle(title.trim().replace(/^"(.*)"$/s, '$1')));
    return { delimiter, known: known.length, all: titles.length };
  });
  const [best] = scores.toSorted((a, b) => b.known - a.known || b.all - a.all);
  return best?.delimiter ?? ',';
}

/**
 * The delimiter that a spreadsheet names in a first line (`sep=;`), and where that line ends. The line break stays, so every row
 * keeps its line number. Undefined if there is no such line.
 */
export function saidDelimiter(
  bytes: Uint8Array,
): { readonly delimiter: Delimiter; readonly end: number } | undefined {
  const start = new TextDecoder().decode(bytes.subarray(0, 16));
  const [line = '', said] = /^"?sep=(.)"?(?=[\r\n])/i.exec(start) ?? [];
  const delimiter = delimiters.find((one) => one === said);
  return delimiter === undefined ? undefined : { delimiter, end: line.length };
}

/** The line ending at the file's first line feed. */
export function lineEndOf(bytes: Uint8Array): '\n' | '\r\n' {
  return bytes[bytes.indexOf(lineFeed) - 1] === carriageReturn ? '\r\n' : '\n';
}

function firstLine(bytes: Uint8Array): string {
  const start = Math.max(
    0,
    bytes.findIndex((byte) => !isBreak(byte)),
  );
  return new TextDecoder().decode(bytes.subarray(start, endOfLine(bytes, start)));
}
