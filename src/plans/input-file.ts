/** Reads an input file of bulk refunds and checks the whole of it: every problem with its line and column, in one run. Pure. */

import { isUtf8 } from 'node:buffer';
import { counted } from '../counted.ts';
import { withoutFormulaSafety } from '../terminal/terminal.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';
import {
  type Checked,
  type ReadAmount,
  readAmount,
  readCharge,
  readNote,
  readOrderId,
  readReason,
  readRef,
  readReference,
  readRefunded,
  saysNothing,
} from './input-cells.ts';
import { delimiterOf, type InputTitles, lineEndOf, readTitles, saidDelimiter } from './input-titles.ts';
import {
  anyWord,
  type Delimiter,
  fullWord,
  type InputColumn,
  type InputFile,
  type InputHow,
  type InputProblem,
  type InputRow,
  type InputUse,
} from './plan-types.ts';

const rowsMost = 100_000;

/** Reads an input file. Whatever the bytes are, it does not throw; it says what is wrong with them. */
export function readInputFile(bytes: Uint8Array, how: InputHow): InputFile {
  const unreadable = encodingProblem(bytes);
  if (unreadable !== undefined) return unreadableFile(unreadable, how.delimiter);
  const whole = withoutBom(bytes);
  const said = saidDelimiter(whole);
  const content = said === undefined ? whole : whole.subarray(said.end);
  const delimiter = how.delimiter ?? said?.delimiter ?? delimiterOf(content);
  const form = { hasBom: whole.length < bytes.length, lineEnd: lineEndOf(whole) };
  // More than the most rows, the titles, and what a file of errors says of them.
  const [head, ...all] = csvRows(content, delimiter, rowsMost + 5);
  if (head === undefined) return unreadableFile('the file is empty', delimiter);
  return checkTable({ ...form, delimiter, head, all, badLine: firstBadLine(content) }, how.for);
}

/** What is wrong with a cell of a sheet, by its row and its column from 0. */
export interface CellProblem {
  readonly line: number;
  readonly index: number;
  readonly words: string;
}

/** The rows of a file that was read, of a CSV or of a sheet. */
interface Table extends Pick<InputFile, 'delimiter' | 'hasBom' | 'lineEnd'> {
  readonly head: CsvRow;
  readonly all: readonly CsvRow[];
  /** The first line that is not UTF-8. */
  readonly badLine: number | undefined;
  /** Of a sheet: the cells that are wrong, and those that hold a date. */
  readonly wrong?: readonly CellProblem[];
  readonly dates?: readonly CellProblem[];
}

/** Checks the rows of a file, whatever it was. */
export function checkTable(
  { head, all, badLine, wrong, dates = [], ...form }: Table,
  use: InputUse,
): InputFile {
  const titles = readTitles(head, use);
  const addressOf = ({ line, column }: InputProblem): string =>
    column === undefined
      ? `row ${line}`
      : `${columnLetters(titles.columns.indexOf(column) + titles.added)}${line}`;
  const file = {
    ...form,
    columns: titles.columns,
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
  const rows = all.map((row) => withoutAdded(row, titles.added)).filter(({ cells }) => cells.some(isFilled));
  if (rows.length > rowsMost) {
    const tooMany = wholeFile(`the file has more than ${rowsMost} rows: split it`);
    return { ...file, rows: [], problems: [...titles.problems, tooMany], lines: [], canCorrect: false };
  }
  const read = titles.columns.length === 0 ? [] : rows.map((row) => readRow(row, titles, use));
  const problems = [
    ...(rows.length === 0 ? [wholeFile('the file has titles, but no rows')] : []),
    ...titles.problems,
    ...inCells,
    ...notUtf8(badLine, titles, [head, ...rows]),
    ...untitled(rows, titles.columns),
    ...(areNamedTwice(rows, titles, use) ? [namedTwice(titles)] : read.flatMap((row) => row.problems)),
  ];
  return {
    ...file,
    // If a title is wrong, no row means what it seems to.
    rows: titles.problems.length + inCells.length > 0 ? [] : read.flatMap(({ row }) => row ?? []),
    problems: problems.toSorted((a, b) => a.line - b.line),
    lines: rows.map(({ line, cells }) => ({ line, cells })),
    canCorrect: rows.length > 0 && titles.columns.length > 0 && badLine === undefined,
  };
}

// A, Z, AA: as a sheet names its columns.
function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

/** A file of which nothing can be read. */
export function unreadableFile(words: string, delimiter: Delimiter = ','): InputFile {
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

/** A row that was read. `row` is undefined if anything is wrong with it. */
interface ReadRow {
  readonly row: InputRow | undefined;
  readonly problems: readonly InputProblem[];
}

/** Reads a row. For `compare` an amount and a charge may be blank, and only what names the order, charge and amount is checked. */
function readRow(csv: CsvRow, titles: InputTitles, use: InputUse): ReadRow {
  const { line, cells, broken } = csv;
  const { columns } = titles;
  const formWords = formProblem(csv, columns);
  if (formWords !== undefined)
    return { row: undefined, problems: [{ line, column: columns[broken?.cell ?? -1], words: formWords }] };
  const row = new RowReader(csv, titles);
  row.refuseNul();
  const named = readNames(row, titles, use);
  const money = readMoney(row, use);
  const read: InputRow = {
    line,
    orderId: named.includes('order_id') ? row.read('order_id', readOrderId, undefined) : undefined,
    reference: named.includes('reference') ? row.read('reference', readReference, undefined) : undefined,
    ...money,
    reason: use === 'plan' ? row.read('reason', readReason, undefined) : undefined,
    refundId: row.text('refund_id')?.trim() || undefined,
    authCode: row.text('auth_code')?.trim() || undefined,
    ref: use === 'plan' ? row.read('ref', readRef, '') : (row.text('ref') ?? '').trim(),
    note: use === 'plan' ? row.read('note', readNote, undefined) : undefined,
    cells,
  };
  const { problems } = row;
  return { row: problems.length === 0 ? read : undefined, problems: inOrder(problems, columns) };
}

// The cells of a row by their columns, and what is wrong with them.
class RowReader {
  readonly problems: InputProblem[] = [];
  readonly #row: CsvRow;
  readonly #titles: InputTitles;

  constructor(row: CsvRow, titles: InputTitles) {
    this.#row = row;
    this.#titles = titles;
  }

  text(column: InputColumn): string | undefined {
    return this.#row.cells[this.#titles.places.get(column) ?? -1];
  }

  // `absent` if the file does not have the column, or if the cell is wrong.
  read<T>(column: InputColumn, check: (text: string) => Checked<T>, absent: T): T {
    const typed = this.text(column);
    if (typed === undefined || typed.includes('\0')) return absent;
    const cell = check(typed);
    if ('value' in cell) return cell.value;
    this.wrong(column, cell.wrong);
    return absent;
  }

  wrong(column: InputColumn, words: string): void {
    const { columns, places } = this.#titles;
    this.#add(columns[places.get(column) ?? -1], words);
  }

  refuseNul(): void {
    for (const [index, cell] of this.#row.cells.entries())
      if (cell.includes('\0'))
        this.#add(this.#titles.columns[index], 'this cell holds a NUL character: delete it');
  }

  #add(column: string | undefined, words: string): void {
    this.problems.push({ line: this.#row.line, column, words });
  }
}

const namesOfOrder = ['order_id', 'reference'] as const;

// The columns in which the row names its order.
function readNames(row: RowReader, { places }: InputTitles, use: InputUse): readonly InputColumn[] {
  const isFilledIn = (column: InputColumn): boolean => (row.text(column) ?? '').trim() !== '';
  const named = namesOfOrder.filter(isFilledIn);
  // A payment may be named by its charge alone.
  if (use === 'charges' && (isFilledIn('charge_id') || isFilledIn('auth_code'))) return named;
  const [nameColumn] = namesOfOrder.filter((column) => places.has(column));
  if (named.length === 0 && nameColumn !== undefined)
    row.wrong(nameColumn, `${nameColumn} is blank: each row names its order`);
  // The files that paydesk itself writes have both.
  if (named.length === 2 && use === 'compare') return ['order_id'];
  if (named.length === 2 && use === 'plan')
    row.wrong('reference', 'the row has an order_id and a reference: leave one of them blank');
  return named;
}

function readMoney(row: RowReader, use: InputUse): Pick<InputRow, 'charge' | 'amount' | 'exact'> {
  const isBlank = (column: InputColumn): boolean => use !== 'plan' && saysNothing(row.text(column) ?? '');
  const charge = isBlank('charge_id') ? anyWord : row.read('charge_id', readCharge, anyWord);
  const read = use === 'plan' ? readAmount : readRefunded;
  const value = isBlank('amount') ? undefined : row.read<ReadAmount | undefined>('amount', read, undefined);
  const exact = typeof value === 'bigint' ? value : undefined;
  const amount = typeof value === 'bigint' ? undefined : value;
  if (use === 'plan' && charge === fullWord && typeof amount === 'number')
    row.wrong(
      'amount',
      `charge_id is ${fullWord}, which is the whole order, so amount must be ${fullWord} too; for ${amount} of it type a charge, or ${anyWord}`,
    );
  return { charge, amount, exact };
}

// What is wrong with the row as a whole: then no cell of it can be trusted.
function formProblem({ cells, broken }: CsvRow, columns: readonly string[]): string | undefined {
  if (broken !== undefined) return broken.words;
  if (cells.length === columns.length) return undefined;
  const more = cells.length > columns.length;
  return `the row has ${counted(cells.length, 'cell')}, and the first line has ${counted(columns.length, 'title')}: ${
    more
      ? 'put quotes around a cell that contains the delimiter'
      : 'write a blank cell where there is nothing to say'
  }`;
}

function inOrder(problems: readonly InputProblem[], columns: readonly string[]): readonly InputProblem[] {
  const place = ({ column }: InputProblem): number => (column === undefined ? -1 : columns.indexOf(column));
  return problems.toSorted((a, b) => place(a) - place(b));
}
