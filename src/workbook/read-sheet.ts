/** Reads a sheet of a workbook (.xlsx): its rows as texts, and what is wrong with its cells. Loaded only for such a file. */

import { Buffer } from 'node:buffer';
import { type RawCell, readCell } from './read-cells.ts';
import { openWorkbook, parsePart, readParts, type WorkbookParts, type WorkbookSheet } from './read-parts.ts';
import { placeOf, Unreadable } from './workbook-facts.ts';

/** A row with any text, and the cells of it that hold a number and have no number format. */
interface SheetRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly plainNumbers: readonly number[];
}

/** What is wrong with a cell. Rows (`line`) count from 1, columns (`index`) from 0. */
export interface CellProblem {
  readonly line: number;
  readonly index: number;
  readonly words: string;
}

/** Reads the sheet with this name, or the first one. Throws Unreadable, whatever the bytes. `dates`: the cells that hold one. */
export async function readSheet(bytes: Uint8Array, sheet: string | undefined) {
  const zip = openWorkbook(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const parts = await readParts(zip);
  const { name, part } = chosen(parts.sheets, sheet);
  const reader = new SheetReader(parts);
  await parsePart(zip, part, reader);
  return { name, ...reader.read() };
}

function chosen(sheets: readonly WorkbookSheet[], name: string | undefined): WorkbookSheet {
  const named = sheets.map((sheet) => sheet.name).join(', ');
  const sheet = name === undefined ? sheets[0] : sheets.find((one) => one.name === name);
  if (sheet === undefined)
    throw new Unreadable(
      name === undefined ? 'the workbook has no sheet' : `it has no sheet ${name}; its sheets are ${named}`,
    );
  if (sheet.isHidden && name === undefined)
    throw new Unreadable(`its first sheet, ${sheet.name}, is hidden: name one with --sheet: ${named}`);
  return sheet;
}

// 100,000 rows of 40 columns.
const mostCells = 4_000_000;
const tooLarge = 'the sheet has more cells than a list of refunds';

// Reads the XML of a sheet piece by piece.
class SheetReader {
  readonly #parts: WorkbookParts;
  readonly #rows: SheetRow[] = [];
  readonly #wrong: CellProblem[] = [];
  readonly #dates: CellProblem[] = [];
  readonly #hiddenColumns: (readonly [from: number, to: number])[] = [];
  readonly #merged: string[] = [];
  #line = 0;
  #isHidden = false;
  #cells: string[] = [];
  #plainNumbers: number[] = [];
  #next = 0;
  #count = 0;
  #width: number | undefined;
  #cell: { type: string; style: number; value: string; hasFormula: boolean } | undefined;
  #takes = false;
  #phonetic = 0;

  constructor(parts: WorkbookParts) {
    this.#parts = parts;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'col' && isOn(attributes.hidden))
      this.#hiddenColumns.push([Number(attributes.min) - 1, Number(attributes.max) - 1]);
    else if (name === 'row') this.#startRow(attributes);
    else if (name === 'c') this.#startCell(attributes);
    else if (name === 'mergeCell') this.#merged.push(attributes.ref ?? '');
    else if (name === 'f' && this.#cell !== undefined) this.#cell.hasFormula = true;
    else if (name === 'rPh') this.#phonetic += 1;
    else if (name === 'v' || name === 't') this.#takes = this.#cell !== undefined && this.#phonetic === 0;
  }

  text(text: string): void {
    if (this.#takes && this.#cell !== undefined) this.#cell.value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#takes = false;
    else if (name === 'rPh') this.#phonetic -= 1;
    else if (name === 'c') this.#endCell();
    else if (name === 'row') this.#endRow();
  }

  read() {
    const last = this.#rows.at(-1)?.line ?? 0;
    const first = this.#rows[0]?.line ?? 0;
    const merged = this.#merged.flatMap((area): readonly CellProblem[] => {
      const { line, index } = placeOf(area.split(':')[0] ?? '');
      const words = `the cells ${area} are merged into one: split them, so that each row has its own`;
      return line > last || line < first ? [] : [{ line, index, words }];
    });
    return { rows: this.#rows, wrong: [...this.#wrong, ...merged], dates: this.#dates };
  }

  #startRow({ r, hidden }: Readonly<Record<string, string>>): void {
    const line = r === undefined ? this.#line + 1 : Number(r);
    if (!(line > this.#line)) throw new Unreadable('the file is damaged: its rows are not in order');
    [this.#line, this.#cells, this.#next, this.#isHidden] = [line, [], 0, isOn(hidden)];
    this.#plainNumbers = [];
  }

  #startCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    const place = r === undefined ? { line: this.#line, index: this.#next } : placeOf(r);
    if (place.line !== this.#line || place.index < this.#next)
      throw new Unreadable('the file is damaged: its cells are not in order');
    this.#next = place.index;
    this.#cell = { type: t, style: Number(s), value: '', hasFormula: false };
  }

  #endCell(): void {
    const cell = this.#cell;
    const index = this.#next;
    [this.#cell, this.#next] = [undefined, index + 1];
    if (cell === undefined) return;
    const raw: RawCell = { ...cell, format: this.#parts.formats[cell.style] ?? 'General' };
    const read = readCell(raw, this.#parts.shared, this.#parts.is1904);
    const at = { line: this.#line, index };
    if ('wrong' in read) this.#wrong.push({ ...at, words: read.wrong });
    else if (read.isDate === true)
      this.#dates.push({
        ...at,
        words: `holds the date ${read.text}: give the cell the format Text, and type what is meant`,
      });
    const text = 'wrong' in read ? '' : read.text;
    if (text === '' && !('wrong' in read)) return;
    if (this.#width !== undefined && index >= this.#width) {
      this.#wrong.push({ ...at, words: 'there is no title above this cell' });
      return;
    }
    this.#count += index - this.#cells.length + 1 + text.length / 16;
    if (this.#count > mostCells || this.#wrong.length > mostProblems) throw new Unreadable(tooLarge);
    while (this.#cells.length < index) this.#cells.push('');
    this.#cells.push(text);
    if ('text' in read && read.isPlain === true) this.#plainNumbers.push(index);
    if (this.#hiddenColumns.some(([from, to]) => index >= from && index <= to))
      this.#wrong.push({ ...at, words: 'its column is hidden: show the column, or delete it' });
  }

  #endRow(): void {
    const line = this.#line;
    if (this.#cells.every((cell) => cell.trim() === '')) return;
    if (this.#isHidden)
      this.#wrong.push({ line, index: 0, words: 'its row is hidden: show the row, or delete it' });
    this.#width ??= this.#cells.length;
    this.#count += this.#width - this.#cells.length;
    if (this.#count > mostCells) throw new Unreadable(tooLarge);
    while (this.#cells.length < this.#width) this.#cells.push('');
    this.#rows.push({ line, cells: this.#cells, plainNumbers: this.#plainNumbers });
  }
}

const mostProblems = 100_000;

function isOn(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}
