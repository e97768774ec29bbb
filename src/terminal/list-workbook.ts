/** Writes a list as a workbook (.xlsx): a sheet with its rows, and one that says what they are. Loaded when one is written. */

import { Buffer } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { type AmountStyle, placesWords, sumWords } from '../amounts.ts';
import { isObject, isWholeNumber, type JsonObject } from '../api/json-values.ts';
import type { Column, ValueKind } from '../api/resources.ts';
import { isTime } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import {
  dayOf,
  fixedParts,
  longestText,
  rowXml,
  type SheetCell,
  sheetEnd,
  sheetFile,
  sheetStart,
  ZipWriter,
} from '../workbook/workbook.ts';
import type { ListFormat, Row } from './list-format.ts';
import type { Times } from './local-time.ts';
import { isBesideItsAmount } from './table/columns.ts';
import { csvValue, currencyOf, decimalOf, isMoment, type Reading } from './table/shown-values.ts';

/** A line of the second sheet: a title, and what there is to say. A time is Unix seconds. */
export type AboutLine = readonly [title: string, said: string | { readonly at: number }];

/** How much of a workbook an earlier run wrote, and what it left for this one. */
export interface BegunWorkbook {
  readonly bytes: number;
  readonly rows: number;
  readonly state?: JsonObject | undefined;
  /** The SHA-256 of these bytes. */
  readonly hash?: Hash | undefined;
}

interface WorkbookParts {
  readonly header: boolean;
  readonly reading: Reading;
  /** The zone of its times. */
  readonly zone: string;
  readonly clean: (text: string) => string;
  readonly begun?: BegunWorkbook | undefined;
  /** The names of its sheets, without the one about it; absent: it has one for its rows. */
  readonly sheets?: readonly string[] | undefined;
}

const mostRows = 1_048_576;

/** A list as a workbook. Its pieces are bytes that no filter for texts may touch. */
export class Workbook implements ListFormat {
  readonly isBinary = true;
  readonly #sheets: readonly string[];
  // How many rows each sheet has that is already whole.
  readonly #ended: number[] = [];
  #columns: readonly Column[] = [];
  // Columns whose amounts another column already adds up.
  #unsummed: ReadonlySet<Column> = new Set();
  // The columns of any sheet that have amounts with decimals.
  readonly #decimals = new Set<string>();
  readonly #parts: WorkbookParts;
  readonly #zip = new ZipWriter();
  readonly #hash: Hash;
  #sums: Sums;
  // What must be written before the next rows.
  #start: Buffer;
  #bytes: number;
  #row: number;
  #cut: number;

  constructor(columns: readonly Column[], parts: WorkbookParts) {
    const { header, begun = { bytes: 0, rows: 0 }, sheets = ['rows'] } = parts;
    this.#sheets = sheets;
    const { crc, size, cut = 0, sums } = isObject(begun.state) ? begun.state : {};
    this.#take(columns);
    this.#parts = parts;
    this.#hash = begun.hash?.copy() ?? createHash('sha256');
    this.#sums = createSums(isObject(sums) ? sums : {});
    this.#bytes = begun.bytes;
    this.#row = begun.rows + (header ? 1 : 0);
    this.#cut = Number(cut);
    const entries = fixedParts([...sheets, 'about'], header).map(([name, text]) =>
      this.#zip.entry(name, text),
    );
    const before = { crc: Number(crc), size: Number(size), bytes: begun.bytes };
    const head = this.#zip.begin(sheetFile(1), begun.bytes === 0 ? undefined : before);
    this.#start =
      begun.bytes === 0 ? Buffer.concat([...entries, head, this.#zip.add(this.#heading())]) : Buffer.alloc(0);
  }

  next(columns: readonly Column[]): Buffer {
    const ended = [this.#zip.add(this.#endOfSheet()), this.#zip.finish()];
    this.#take(columns);
    this.#row = this.#parts.header ? 1 : 0;
    const head = this.#zip.begin(sheetFile(this.#ended.length + 1));
    return this.#written(...ended, head, this.#zip.add(this.#heading()));
  }

  page(rows: readonly Row[]): Buffer {
    return this.#written(this.#zip.add(rows.map(({ value }) => this.#rowOf(value)).join('')));
  }

  end(_hasMore: boolean, sums?: readonly Row[]): string {
    if (sums !== undefined) this.#sums = givenSums(sums);
    return '';
  }

  /** Ends the file. `about`: what the second sheet says besides rows, sums, zone and digest. */
  close(hasMore: boolean, about: readonly AboutLine[]): Buffer {
    const { reading, zone } = this.#parts;
    const rows = this.#written(this.#zip.add(this.#endOfSheet()), this.#zip.finish());
    const lines: readonly (readonly SheetCell[])[] = [
      ...about.map(([title, said]) => [
        title,
        typeof said === 'string' ? said : dayIn(said.at, reading.times),
      ]),
      ['zone of all times', zone],
      ...this.#ended.map((count, index): readonly SheetCell[] => [
        this.#sheets.length === 1 ? 'rows' : `rows of ${this.#sheets[index]}`,
        count,
      ]),
      ...(hasMore ? [['complete', 'no, there are more rows']] : []),
      ...(this.#cut === 0 ? [] : [['longer than a cell holds, so cut', this.#cut]]),
      [
        'unit of all amounts',
        ["the service's, and nothing is converted", placesWords(reading.amounts)].filter(Boolean).join('; '),
      ],
      ...[...this.#decimals].map((name): readonly SheetCell[] => [
        `unit of ${name}`,
        'with its decimals; blank where none are declared',
      ]),
      ...this.#sums.lines(reading),
      [`SHA-256 of the first ${this.#bytes} bytes of this file`, this.#hash.digest('hex')],
    ];
    const cells = lines.map((line) =>
      line.map((cell) => (typeof cell === 'string' ? this.#text(cell) : cell)),
    );
    const sheet = cells.map((line, index) => rowXml(line, index + 1)).join('');
    return Buffer.concat([
      rows,
      this.#zip.entry(
        sheetFile(this.#sheets.length + 1),
        sheetStart([44, 70, 30, 10], false) + sheet + sheetEnd(),
      ),
      this.#zip.end(),
    ]);
  }

  /** What a later run must know to go on after the last page. */
  state(): JsonObject {
    return { ...this.#zip.state, cut: this.#cut, sums: this.#sums.state() };
  }

  #take(columns: readonly Column[]): void {
    this.#columns = columns;
    this.#unsummed = new Set(columns.filter((column) => isBesideItsAmount(column, columns)));
    for (const { name, inDecimals } of columns) if (inDecimals === true) this.#decimals.add(name);
  }

  #endOfSheet(): string {
    const { header } = this.#parts;
    this.#ended.push(this.#row - (header ? 1 : 0));
    return sheetEnd(header ? { columns: this.#columns.length, rows: this.#row } : undefined);
  }

  #heading(): string {
    const { clean, zone, header } = this.#parts;
    const titles = this.#columns.map(({ name, kind }) => clean(isMoment(kind) ? `${name} (${zone})` : name));
    const widths = this.#columns.map(({ kind }, index) => widthOf(kind, titles[index] ?? ''));
    return sheetStart(widths, header) + (header ? rowXml(titles, 1, true) : '');
  }

  #written(...pieces: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat([this.#start, ...pieces]);
    this.#start = Buffer.alloc(0);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    return bytes;
  }

  #rowOf(record: JsonObject): string {
    this.#row += 1;
    if (this.#row > mostRows)
      throw new CliError('incomplete', `a sheet holds ${mostRows} rows, and there are more`, {
        now: ['choose a shorter time, or a .csv'],
      });
    const { reading } = this.#parts;
    const cells = this.#columns.map((column) => {
      const value = column.value(record, reading.referenceKeys);
      if (!this.#unsummed.has(column)) this.#sums.add(column, record, value);
      if (column.inDecimals !== true) return this.#cellOf(value, column.kind);
      const decimal = decimalOf(value, column, record, reading);
      return decimal === undefined ? undefined : { decimal };
    });
    return rowXml(cells, this.#row);
  }

  // A value that does not have the kind of its column is shown as received, as in CSV.
  #cellOf(value: unknown, kind: ValueKind): SheetCell {
    const { reading } = this.#parts;
    if (isMoment(kind) && isTime(value)) return dayIn(value, reading.times) ?? reading.times.iso(value);
    if (typeof value === 'boolean') return value;
    const isSmall = typeof value === 'bigint' && Number.isSafeInteger(Number(value));
    const cell = isSmall ? Number(value) : value;
    if (typeof cell === 'number' && !names.includes(kind)) return cell;
    return this.#text(csvValue(value, kind, reading));
  }

  #text(text: string): string {
    const whole = this.#parts.clean(text);
    if (whole.length <= longestText) return whole;
    this.#cut += 1;
    return `${whole.slice(0, longestText - 6)} (cut)`;
  }
}

// Kinds whose digits are a name and not a number.
const names: readonly ValueKind[] = ['id', 'card', 'link', 'status'];

// The day as the clock of its zone shows it.
function dayIn(seconds: number, times: Times): { readonly day: number } | undefined {
  const day = dayOf(Date.parse(`${times.iso(seconds).slice(0, 19)}Z`));
  return day === undefined ? undefined : { day };
}

function widthOf(kind: ValueKind, title: string): number {
  const usual = isMoment(kind) ? 20 : kind === 'id' ? 26 : kind === 'text' ? 22 : 14;
  return Math.min(60, Math.max(usual, title.length + 2));
}

type Sums = ReturnType<typeof createSums>;

// The sums of the amounts, for each column and currency.
function createSums(before: JsonObject) {
  // The keys join column and currency with a line break, which neither of them contains.
  const sums = new Map(Object.entries(before).map(([key, sum]) => [key, BigInt(String(sum))]));
  return {
    add({ name: own, kind, summed }: Column, record: JsonObject, shown: unknown) {
      if (kind !== 'money' && kind !== 'sum' && summed === undefined) return;
      const [name, value] = summed?.(record) ?? [own, shown];
      if (!isWholeNumber(value)) return;
      const key = `${name}\n${currencyOf(record) ?? ''}`;
      sums.set(key, (sums.get(key) ?? 0n) + BigInt(value));
    },
    lines: ({ amounts }: Reading) =>
      [...sums].toSorted(byKey).map(([key, sum]) => {
        const [name = '', currency] = key.split('\n');
        return sumLine(name, sum, currency, amounts);
      }),
    state: (): JsonObject => Object.fromEntries([...sums].map(([key, sum]) => [key, String(sum)])),
  };
}

function byKey([one]: readonly [string, bigint], [other]: readonly [string, bigint]): number {
  return one < other ? -1 : 1;
}

const apart: readonly string[] = ['pending', 'failed', 'unconfirmed'];

// A list that has added up its own rows knows better which of them belong in a sum.
function givenSums(rows: readonly Row[]): Sums {
  return {
    add: () => undefined,
    lines: ({ amounts }) =>
      rows.flatMap(({ value }) => {
        const { rows: _, ...sums } = value;
        return Object.entries(sums).flatMap(([name, sum]) =>
          // A 0 is shown for a known currency, but not for refunds that did not go back, where it says nothing.
          isWholeNumber(sum) &&
          (BigInt(sum) !== 0n || (currencyOf(value) !== undefined && !apart.includes(name)))
            ? [sumLine(name, BigInt(sum), currencyOf(value), amounts)]
            : [],
        );
      }),
    state: () => ({}),
  };
}

function sumLine(
  name: string,
  sum: bigint,
  currency: string | undefined,
  amounts: AmountStyle,
): readonly SheetCell[] {
  const isSafe = Number.isSafeInteger(Number(sum));
  const words = sumWords(sum, currency || undefined, amounts);
  return [`sum of ${name}`, isSafe ? Number(sum) : sum, words, currency ?? ''];
}
