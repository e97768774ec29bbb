/** Reads an input file of bulk refunds and checks the whole of it: every problem with its line and column, in one run. Pure. */

import { isUtf8 } from 'node:buffer';
import { withoutFormulaSafety } from '../terminal/terminal.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';
import { readRow } from './input-row.ts';
import {
  delimiterOf,
  type InputTitles,
  type InputUse,
  lineEndOf,
  readTitles,
  saidDelimiter,
} from './input-titles.ts';
import type { Delimiter, InputFile, InputProblem } from './plan-types.ts';

const rowsMost = 100_000;

/** How an input file is read. Without a delimiter, the first line tells it. */
export interface InputHow {
  readonly delimiter?: Delimiter | undefined;
  readonly for: InputUse;
}

/** Reads an input file. Whatever the bytes are, it does not throw; it says what is wrong with them. */
export function readInputFile(bytes: Uint8Array, how: InputHow): InputFile {
  const unreadable = encodingProblem(bytes);
  if (unreadable !== undefined) return emptyFile(how.delimiter ?? ',', unreadable);
  const whole = withoutBom(bytes);
  const said = saidDelimiter(whole);
  const content = said === undefined ? whole : whole.subarray(said.end);
  const delimiter = how.delimiter ?? said?.delimiter ?? delimiterOf(content);
  const form = { hasBom: whole.length < bytes.length, lineEnd: lineEndOf(whole) };
  // More than the most rows, the titles, and what a file of errors says of them.
  const [head, ...all] = csvRows(content, delimiter, rowsMost + 5);
  if (head === undefined) return emptyFile(delimiter, 'the file is empty');
  const badLine = firstBadLine(content);
  const titles = readTitles(head, how.for);
  const file = { ...form, delimiter, columns: titles.columns };
  const rows = all.map((row) => withoutAdded(row, titles.added)).filter(({ cells }) => cells.some(isFilled));
  if (rows.length > rowsMost) {
    const tooMany = wholeFile(`the file has more than ${rowsMost} rows: split it`);
    return { ...file, rows: [], problems: [...titles.problems, tooMany], lines: [], canCorrect: false };
  }
  const read = titles.columns.length === 0 ? [] : rows.map((row) => readRow(row, titles, how.for));
  const problems = [
    ...(rows.length === 0 ? [wholeFile('the file has titles, but no rows')] : []),
    ...titles.problems,
    ...notUtf8(badLine, titles, [head, ...rows]),
    ...untitled(rows, titles.columns),
    ...(areNamedTwice(rows, titles) ? [namedTwice(titles)] : read.flatMap((row) => row.problems)),
  ];
  return {
    ...file,
    // If a title is wrong, no row means what it seems to.
    rows: titles.problems.length > 0 ? [] : read.flatMap(({ row }) => row ?? []),
    problems: problems.toSorted((a, b) => a.line - b.line),
    lines: rows.map(({ line, cells }) => ({ line, cells })),
    canCorrect: rows.length > 0 && titles.columns.length > 0 && badLine === undefined,
  };
}

function emptyFile(delimiter: Delimiter, words: string): InputFile {
  const nothing = { columns: [], rows: [], lines: [], canCorrect: false };
  return { ...nothing, delimiter, problems: [wholeFile(words)], hasBom: false, lineEnd: '\n' };
}

function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}

function wholeFile(words: string): InputProblem {
  return { line: 1, column: undefined, words };
}

// Whether every row names its order twice: then somebody gave a column of another meaning one of these titles.
function areNamedTwice(rows: readonly CsvRow[], { places }: InputTitles): boolean {
  const [id, reference] = [places.get('order_id'), places.get('reference')];
  if (id === undefined || reference === undefined || rows.length < 2) return false;
  return rows.every(({ cells }) => isFilled(cells[id] ?? '') && isFilled(cells[reference] ?? ''));
}

function namedTwice({ columns, places }: InputTitles): InputProblem {
  const title = columns[places.get('reference') ?? -1];
  const words = `every row has an order_id and a reference: rename the column ${title} (to ref if it tells rows of one order apart), or delete one of the two columns`;
  return { line: 1, column: title, words };
}

// A row of a file of errors, as it was before that file was written: without the two columns in front, and without the
// apostrophes before formulas. Otherwise a `ref` such as -A1 would be another one each time.
function withoutAdded(row: CsvRow, added: number): CsvRow {
  if (added === 0 || row.broken !== undefined) return row;
  return { ...row, cells: row.cells.slice(added).map(withoutFormulaSafety) };
}

// One problem for the file: each line with an accent would be one, and saving the file once more solves all of them.
function notUtf8(
  line: number | undefined,
  { columns }: InputTitles,
  rows: readonly CsvRow[],
): readonly InputProblem[] {
  if (line === undefined) return [];
  const row = rows.findLast((candidate) => candidate.line <= line);
  const cell = row?.cells.findIndex((text) => text.includes('\ufffd')) ?? -1;
  const words = 'here the file is not UTF-8: save it as UTF-8 (in a spreadsheet: CSV UTF-8)';
  return [{ line, column: row?.broken === undefined ? columns[cell] : undefined, words }];
}

// A column whose title somebody deleted: what stands in it would not count.
function untitled(rows: readonly CsvRow[], columns: readonly string[]): readonly InputProblem[] {
  const whole = rows.filter(({ cells }) => cells.length === columns.length);
  return columns.flatMap((title, index) => {
    const row = isFilled(title) ? undefined : whole.find(({ cells }) => isFilled(cells[index] ?? ''));
    const words = `column ${index + 1} has no title, but this row has a cell in it: give it one`;
    return row === undefined ? [] : [{ line: row.line, column: undefined, words }];
  });
}

/** What is wrong with the encoding of a whole file, so that nothing in it can be read. Undefined if it can be read. */
function encodingProblem(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return 'the file is empty';
  return isUtf16(bytes) ? 'the file is UTF-16: save it as UTF-8 (in a spreadsheet: CSV UTF-8)' : undefined;
}

/** The bytes behind the byte order mark, if there is one. */
function withoutBom(bytes: Uint8Array): Uint8Array {
  const [a, b, c] = bytes;
  return a === 0xef && b === 0xbb && c === 0xbf ? bytes.subarray(3) : bytes;
}

/** The line with the first byte that is not UTF-8, from 1; undefined if all of the file is UTF-8. */
function firstBadLine(bytes: Uint8Array): number | undefined {
  if (isUtf8(bytes)) return undefined;
  // No byte of a longer character is a line feed or carriage return, so each line is UTF-8 by itself or not.
  let line = 1;
  let from = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const isEnd = bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10);
    if (!isEnd) continue;
    if (!isUtf8(bytes.subarray(from, at))) return line;
    from = at + 1;
    line += 1;
  }
  return line;
}

// With a byte order mark, or because every second byte at its start is 0.
function isUtf16(bytes: Uint8Array): boolean {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true;
  const start = bytes.subarray(0, 64);
  if (start.length < 4) return false;
  const zeros = [0, 0];
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  return zeros.some((count) => count > start.length / 4) && zeros.includes(0);
}
