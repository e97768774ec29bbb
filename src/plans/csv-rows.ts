/** Splits the bytes of a CSV into rows, with the line of the file on which each begins, and writes rows again with what is wrong beside them. */

import { CsvError, parse } from 'csv-parse/sync';
import { cleanCell, csvLine, formulaSafe } from '../terminal/terminal.ts';
import { askAgain } from './input-cells.ts';
import { addedColumns, isTitleOf } from './input-titles.ts';
import type { Delimiter, InputFile, InputProblem } from './plan-types.ts';

/** A row of a CSV. */
export interface CsvRow {
  readonly line: number;
  /** If the row is broken, the whole text of its first line is its only cell. */
  readonly cells: readonly string[];
  /** What is wrong with the quotes of the row, and the index of the cell. */
  readonly broken?: { readonly cell: number; readonly words: string };
}

/** The rows of a CSV that hold any text, at most so many. Bytes that are not UTF-8 become U+FFFD. */
export function csvRows(bytes: Uint8Array, delimiter: Delimiter, most: number): readonly CsvRow[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lineAt = createLineCount(buffer);
  const rows: CsvRow[] = [];
  // Where the next row begins.
  let at = skipBreaks(buffer, 0);
  while (at < buffer.length && rows.length < most) {
    const from = at;
    const broken = readRows(buffer.subarray(from), delimiter, (cells, end) => {
      // csv-parse leaves room for 15 more cells in the array of each row.
      if (cells.some((cell) => cell.trim() !== '')) rows.push({ line: lineAt(at), cells: cells.slice() });
      at = skipBreaks(buffer, from + end);
      return rows.length < most;
    });
    if (broken === undefined) break;
    // paydesk reads on at the next line of the file: a quote that is never closed would take in every row behind it.
    const end = endOfLine(buffer, at);
    rows.push({ line: lineAt(at), cells: [buffer.toString('utf8', at, end)], broken });
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

const brokenWords: ReadonlyMap<string, string> = new Map([
  ['CSV_QUOTE_NOT_CLOSED', 'the quote that opens this cell is never closed'],
  [
    'CSV_INVALID_CLOSING_QUOTE',
    'the quote that opens this cell is not closed, or a quote inside it is not doubled ("")',
  ],
  [
    'INVALID_OPENING_QUOTE',
    'a quote stands inside this cell: put quotes around the whole cell, and double each quote inside it ("")',
  ],
]);

const lineFeed = 10;
const carriageReturn = 13;

function isBreak(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn;
}

function skipBreaks(buffer: Buffer, from: number): number {
  let at = from;
  while (isBreak(buffer[at])) at += 1;
  return at;
}

function endOfLine(buffer: Buffer, from: number): number {
  let at = from;
  while (at < buffer.length && !isBreak(buffer[at])) at += 1;
  return at;
}

// The line of a place in the file, from 1. Each place must be at or behind the one before, so that every byte is looked at
// once. csv-parse counts a CRLF inside quotes as two lines.
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
 * The text of the file. Every row is in it; the error of a row that is right is blank. What is wrong with the titles or with the
 * whole file stands in rows of their own, which have no other cells and are skipped when the file is read again.
 */
export function errorsCsv(
  file: Pick<InputFile, 'columns' | 'lines' | 'delimiter' | 'hasBom' | 'lineEnd'>,
  problems: readonly InputProblem[],
): string {
  const { columns, lines, delimiter, hasBom, lineEnd } = file;
  const errors = Map.groupBy(problems, ({ line }) => line);
  // The cells stay as they are, or they would be other rows. The words may be of the service, and are for people.
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

// The cell `again` of a row that repeats a refund names that refund, behind a question mark for a person to take away.
function withAgain(columns: readonly string[], repeats: ReadonlyMap<number, string>) {
  const found = columns.findIndex((title) => isTitleOf(title, 'again'));
  const isNew = found === -1 && repeats.size > 0;
  const place = isNew ? columns.length : found;
  const cellsOf = (line: number, cells: readonly string[]): readonly string[] => {
    // A row of another form stays wrong.
    const whole = isNew && cells.length === columns.length ? [...cells, ''] : cells;
    const name = repeats.get(line);
    return name === undefined ? whole : whole.with(place, askAgain(whole[place] ?? '', name));
  };
  return { titles: isNew ? [...columns, 'again'] : columns, cellsOf };
}
