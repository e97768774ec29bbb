/** Reads and checks a whole input file of bulk refunds: every problem with its line and column, in one run. Pure. */

import { isUtf8 } from 'node:buffer';
import { type Delimiter, withoutFormulaSafety } from '../terminal/terminal.ts';
import { type CellProblem, columnLetters } from '../workbook/workbook.ts';
import { type CsvRow, csvRows, delimiterOf, lineEndOf, saidDelimiter } from './csv-rows.ts';
import { readRow } from './input-rows.ts';
import { type InputTitles, readTitles } from './input-titles.ts';
import type { InputFile, InputHow, InputProblem, InputUse } from './plan-types.ts';

const rowsMost = 100_000;

export function readInputFile(bytes: Uint8Array, how: InputHow): InputFile {
  const decoded = decodeFile(bytes);
  if ('unreadable' in decoded) return unreadableFile(decoded.unreadable, how.delimiter);
  const { bytes: whole, hasBom, badLine } = decoded;
  const said = saidDelimiter(whole);
  const content = said === undefined ? whole : whole.subarray(said.end);
  const delimiter = how.delimiter ?? said?.delimiter ?? delimiterOf(content);
  const form = { hasBom, lineEnd: lineEndOf(whole) };
  // A few more than the maximum: the titles, and the extra rows of an errors file.
  const [head, ...all] = csvRows(content, delimiter, rowsMost + 5);
  if (head === undefined) return unreadableFile('the file is empty', delimiter);
  return checkTable({ ...form, delimiter, head, all, badLine }, how);
}

/** The rows of a CSV or a sheet. */
interface Table extends Pick<InputFile, 'delimiter' | 'hasBom' | 'lineEnd'> {
  readonly head: CsvRow;
  readonly all: readonly CsvRow[];
  /** The first line that is not UTF-8. */
  readonly badLine?: number | undefined;
  /** For a sheet: the wrong cells, and those with a date. */
  readonly wrong?: readonly CellProblem[];
  readonly dates?: readonly CellProblem[];
}

/** Checks the rows of either kind of file. */
export function checkTable(
  { head, all, badLine, wrong, dates = [], ...form }: Table,
  how: Pick<InputHow, 'for' | 'amounts' | 'referenceKeys'>,
): InputFile {
  const use = how.for;
  const titles = readTitles(head, all, how);
  const addressOf = ({ line, column }: InputProblem): string =>
    column === undefined ? `row ${line}` : `${columnLetters(placeOf(titles, column) + titles.added)}${line}`;
  const filled = all
    .map((row) => withoutAdded(row, titles.added))
    .filter(({ cells }) => cells.some(isFilled));
  // Of a list of orders, the rows with an amount are those that somebody has marked.
  const amountAt = titles.isList ? titles.places.get('amount') : undefined;
  const rows =
    amountAt === undefined
      ? filled
      : filled.filter(({ cells, broken }) => broken !== undefined || isFilled(cells[amountAt] ?? ''));
  const file = {
    ...form,
    columns: titles.columns,
    unread: titles.unread,
    readAs: titles.readAs,
    hasAmount: titles.places.has('amount'),
    unmarked: filled.length - rows.length,
    ...(wrong === undefined ? {} : { addressOf }),
  };
  const known = new Set([...titles.places.values()].map((place) => place + titles.added));
  const inCells = [...(wrong ?? []), ...dates.filter(({ index }) => known.has(index))].map(
    ({ line, index, words }): InputProblem => {
      const column = titles.columns[index - titles.added];
      return column === undefined
        ? { line, column, words: `${columnLetters(index)}${line} ${words}` }
        : { line, column, words };
    },
  );
  if (rows.length > rowsMost) {
    const tooMany = wholeFile(`the file has more than ${rowsMost} rows: split it`);
    return { ...file, rows: [], problems: [...titles.problems, tooMany], lines: [], canCorrect: false };
  }
  const read = titles.columns.length === 0 ? [] : rows.map((row) => readRow(row, titles, how));
  const wrongLines = new Set(inCells.map(({ line }) => line));
  const problems = [
    ...(filled.length === 0 ? [wholeFile('the file has titles, but no rows')] : []),
    ...(rows.length < filled.length && rows.length === 0
      ? [wholeFile(`no row has anything in ${titles.columns[amountAt ?? -1]}, so there is nothing to plan`)]
      : []),
    ...titles.problems,
    ...inCells,
    ...encodingProblem(badLine, titles, [head, ...rows]),
    ...untitled(rows, titles.columns),
    ...(areNamedTwice(rows, titles, use) ? [namedTwice(titles)] : read.flatMap((row) => row.problems)),
  ];
  return {
    ...file,
    // Unless it is clear what each column is, no row means what it seems to.
    rows: titles.isClear
      ? read.flatMap(({ row }) => (row === undefined || wrongLines.has(row.line) ? [] : [row]))
      : [],
    problems: problems.toSorted((a, b) => a.line - b.line),
    lines: rows.map(({ line, cells }) => ({ line, cells })),
    canCorrect: rows.length > 0 && titles.columns.length > 0 && badLine === undefined,
  };
}

// The position of a column, given by its title in the file or by paydesk's own name for it.
function placeOf({ columns, places }: InputTitles, column: string): number {
  const [known] = [...places].filter(([name]) => name === column);
  return columns.includes(column) ? columns.indexOf(column) : (known?.[1] ?? 0);
}

/** The result for a file from which nothing can be read. */
export function unreadableFile(words: string, delimiter: Delimiter = ','): InputFile {
  return {
    delimiter,
    problems: [wholeFile(words)],
    columns: [],
    unread: [],
    readAs: [],
    hasAmount: false,
    unmarked: 0,
    rows: [],
    lines: [],
    canCorrect: false,
    hasBom: false,
    lineEnd: '\n',
  };
}

function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}

function wholeFile(words: string): InputProblem {
  return { line: 1, column: undefined, words };
}

// Whether every row names its order twice: then one of the two titles is used for something else.
function areNamedTwice(rows: readonly CsvRow[], { places }: InputTitles, use: InputUse): boolean {
  if (use !== 'plan') return false;
  const [id, reference] = [places.get('order_id'), places.get('reference')];
  if (id === undefined || reference === undefined || rows.length < 2) return false;
  return rows.every(({ cells }) => isFilled(cells[id] ?? '') && isFilled(cells[reference] ?? ''));
}

function namedTwice({ columns, places }: InputTitles): InputProblem {
  const title = columns[places.get('reference') ?? -1];
  const words = `every row has an order_id and a reference: rename the column ${title} (to ref if it tells rows of one order apart), or delete one of the two columns`;
  return { line: 1, column: title, words };
}

// The row as it was before paydesk made an errors file from it: without the two columns in front, and without apostrophes before
// formulas. Otherwise a `ref` such as -A1 would change each time.
function withoutAdded(row: CsvRow, added: number): CsvRow {
  if (added === 0 || row.broken !== undefined) return row;
  const cells = row.cells.slice(added).map(withoutFormulaSafety);
  return { ...row, cells, plainNumbers: row.plainNumbers?.map((index) => index - added) };
}

// One problem for the whole file: saving it again fixes every line with an accent.
function encodingProblem(
  badLine: Table['badLine'],
  { columns }: InputTitles,
  rows: readonly CsvRow[],
): readonly InputProblem[] {
  if (badLine === undefined) return [];
  const row = rows.findLast((candidate) => candidate.line <= badLine);
  const cell = row?.cells.findIndex((text) => text.includes('\ufffd')) ?? -1;
  const column = row?.broken === undefined ? columns[cell] : undefined;
  return [{ line: badLine, column, words: `here the file is not UTF-8: ${saveAgain}` }];
}

// A problem for each column that has cells but no title: its contents would be ignored.
function untitled(rows: readonly CsvRow[], columns: readonly string[]): readonly InputProblem[] {
  const whole = rows.filter(({ cells }) => cells.length === columns.length);
  return columns.flatMap((title, index) => {
    const row = isFilled(title) ? undefined : whole.find(({ cells }) => isFilled(cells[index] ?? ''));
    const words = `column ${index + 1} has no title, but this row has a cell in it: give it one`;
    return row === undefined ? [] : [{ line: row.line, column: undefined, words }];
  });
}

// ── Encoding ───────────────────────────────────────────────────────────────────────────────────────

/** A file's bytes without a byte order mark, or why they cannot be read. */
type Decoded =
  | {
      readonly bytes: Uint8Array;
      readonly hasBom: boolean;
      /** The first line with bytes that are not UTF-8. */
      readonly badLine: number | undefined;
    }
  | { readonly unreadable: string };

/** What to do with a file that is not UTF-8. Guessing another encoding could get a name wrong. */
const saveAgain = 'save it as UTF-8 (in a spreadsheet: CSV UTF-8)';

/** Never throws. */
export function decodeFile(bytes: Uint8Array): Decoded {
  if (bytes.length === 0) return { unreadable: 'the file is empty' };
  if (/^(\ufeff)?\s*[[{]\s*["{[]/.test(new TextDecoder().decode(bytes.subarray(0, 64))))
    return {
      unreadable:
        'the file is JSON, and paydesk reads only CSV and workbooks: write it again with --to FILE.csv',
    };
  const wide = wideName(bytes);
  if (wide !== undefined) return { unreadable: `the file is ${wide}: ${saveAgain}` };
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const whole = hasBom ? bytes.subarray(3) : bytes;
  return { bytes: whole, hasBom, badLine: isUtf8(whole) ? undefined : firstBadLine(whole) };
}

// Multi-byte encodings, recognised by a byte order mark or the zeros at the start.
function wideName(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 64));
  const mark = start.toString('hex', 0, 4);
  if (mark === 'fffe0000' || mark === '0000feff') return 'UTF-32';
  if (/^(fffe|feff)/.test(mark)) return 'UTF-16';
  if (start.length < 4) return undefined;
  const zeros = [0, 0, 0, 0];
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 4] = (zeros[index % 4] ?? 0) + 1;
  });
  const many = zeros.map((count) => count > start.length / 8);
  const none = zeros.filter((count) => count === 0).length;
  const [first, second, third, fourth] = many;
  if (none > 0 && second && third && (first || fourth)) return 'UTF-32';
  return none > 1 && ((first && third) || (second && fourth)) ? 'UTF-16' : undefined;
}

/** The number of the first line that is not UTF-8, from 1. */
function firstBadLine(bytes: Uint8Array): number {
  // No byte of a longer character is a line break, so each line can be checked by itself.
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
