/** Turns pages of records into text: chooses the format for stdout or a file, and holds the format `list`. */

import type { JsonObject } from '../api/json-values.ts';
import type { Column } from '../api/resources.ts';
import type { ExportFormat } from '../exports/exports.ts';
import { loadPaint } from './color.ts';
import { type CsvStyle, csvList, sheetNotes } from './csv.ts';
import { jsonList, ndjsonList, rowOf } from './json.ts';
import type { AboutLine, BegunWorkbook } from './list-workbook.ts';
import type { OutputOptions } from './output.ts';
import { cleanCell } from './sanitise.ts';
import { screenClean, widthToDraw } from './streams.ts';
import { csvColumns, namedColumns, tableColumns, titlesBeyond, usualColumns } from './table/columns.ts';
import { absent, asReceived, mark, type Reading, readingOf, showValue } from './table/shown-values.ts';
import type { TableStyle } from './table/table.ts';
import type { ListHow, PrintedRecord } from './terminal.ts';

/** A record to print. */
export interface Row {
  /** What the values of its columns are read from. */
  readonly value: JsonObject;
  /** The JSON text of the record. */
  readonly json: () => string;
  /** The bytes of that text, if they are known and need no change. */
  readonly bytes?: Uint8Array | undefined;
}

/** A piece of output: text, or bytes of whole records. */
export type Piece = string | Uint8Array;

/** A list in one format. Its pieces, one after the other, are the whole output. */
export interface ListFormat {
  page(rows: readonly Row[]): Piece;
  end(hasMore: boolean, sums?: readonly Row[]): string;
  /** Its pieces are not text, so no filter for texts may touch them. */
  readonly isBinary?: true;
  /** Ends a sheet of a workbook and begins its next one. */
  next?(columns: readonly Column[]): Piece;
  /** Ends a workbook, once the run knows everything that there is to say about it. */
  close?(hasMore: boolean, about: readonly AboutLine[]): Uint8Array;
}

/** How a list is printed, with what the output knows about it. */
export interface DrawnHow extends ListHow {
  /** It is a page of a list of the service, and other runs draw the other pages. */
  readonly isPaged?: boolean;
}

/** What a table tells its reader besides its lines. */
type TableEvents = Pick<TableStyle, 'onLeftOut' | 'onUnits'>;

export async function stdoutFormat(
  columns: readonly Column[],
  named: readonly Column[] | undefined,
  options: OutputOptions & DrawnHow,
  events: TableEvents,
): Promise<ListFormat> {
  const { format, header, stdout, secrets } = options;
  const clean = screenClean(secrets);
  switch (format) {
    case 'json':
      return jsonList();
    case 'ndjson':
      return ndjsonList();
    case 'csv':
      // A file keeps line breaks inside its cells; a terminal gets one line per record.
      return csvList(
        named ?? columnsOfFile(columns, options),
        header,
        readingOf(options),
        stdout.isTTY ? clean : (text) => cleanCell(secrets.clean(text)),
        options.csv,
      );
    case 'xlsx':
      return await workbook(named ?? columnsOfFile(columns, options), options, undefined, options.sheets);
    case 'list':
      return fieldList(named, columns, readingOf(options), clean);
    case 'table': {
      const { drawTable } = await import('./table/table.ts');
      const width = widthToDraw(stdout);
      return drawTable(named ?? tableColumns(columns, width), {
        header,
        width,
        manyPages: options.pages === 'many',
        isPaged: options.isPaged ?? false,
        unseen: titlesBeyond(named === undefined ? columns : [], width),
        paint: await loadPaint(options.color),
        reading: readingOf(options),
        clean,
        ...events,
      });
    }
  }
}

/**
 * The columns of a CSV or of a workbook that nobody chose. A CSV for a spreadsheet has amounts with decimals next to the
 * service's integers, if the profile declares decimals.
 */
export function columnsOfFile(
  columns: readonly Column[],
  {
    format,
    csv,
    localTimes,
    locale,
  }: Pick<OutputOptions, 'format' | 'csv' | 'locale'> & Pick<DrawnHow, 'localTimes'>,
): readonly Column[] {
  const isForSheet = format === 'xlsx' || csv?.hasDates === true;
  return csvColumns(columns, {
    forSheet: isForSheet,
    localTimes: localTimes === true && !isForSheet,
    inDecimals: isForSheet && Object.keys(locale().amounts['amounts.decimals']).length > 0,
  });
}

/** The name of the zone in which times are written. */
export function zoneOf({ locale }: Pick<OutputOptions, 'locale'>): string {
  return locale().zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

async function workbook(
  columns: readonly Column[],
  options: Pick<OutputOptions, 'header' | 'locale' | 'now' | 'secrets'>,
  begun: BegunWorkbook | undefined,
  sheets?: readonly string[],
) {
  const { Workbook } = await import('./list-workbook.ts');
  const { header, secrets } = options;
  return new Workbook(columns, {
    header,
    reading: readingOf(options),
    zone: zoneOf(options),
    clean: (text) => cleanCell(secrets.clean(text)),
    begun,
    sheets,
  });
}

interface FileFormatOptions
  extends Pick<OutputOptions, 'header' | 'locale' | 'now' | 'secrets' | 'redaction'> {
  readonly format: ExportFormat;
  readonly columns: readonly Column[];
  /** `--columns`. */
  readonly named: readonly string[] | undefined;
  /** PAYDESK_COLUMNS. The file gets those of them that the list has. */
  readonly usual: readonly string[] | undefined;
  readonly csv: CsvStyle;
  /** What the file already holds. */
  readonly begun: BegunWorkbook;
  /** What the second sheet of a workbook says about it. */
  readonly about: () => readonly AboutLine[];
  /** CSV has local times in addition to the times in UTC, in the zone of `locale`. */
  readonly localTimes: boolean;
}

/** Makes the pieces of a file, in order. */
export interface FileFormat {
  /** The columns of CSV and of a workbook; undefined in the other formats, which have none. */
  readonly columns: readonly string[] | undefined;
  /** What there is to say about it for a spreadsheet. */
  readonly notes: readonly string[];
  page(records: readonly PrintedRecord[]): Piece;
  /** `notes`: what the second sheet of a workbook says below the rest. */
  end(notes: readonly string[]): Piece;
  /** What a later run must know to go on after the last page, if the bytes so far do not say enough. */
  readonly state?: () => JsonObject;
}

/** The format of an exported file. Several runs may write one file, one after the other. Throws CliError 'usage' for an unknown column. */
export async function fileFormat(options: FileFormatOptions): Promise<FileFormat> {
  const { format, columns, named, usual, secrets, redaction } = options;
  const shown =
    named === undefined
      ? (usualColumns(columns, usual) ?? columnsOfFile(columns, options))
      : namedColumns(columns, named);
  const { amounts } = options.locale();
  const notes = sheetNotes({ ...options, columns: shown, amounts, zone: () => zoneOf(options) });
  const rowsOf = (records: readonly PrintedRecord[]) =>
    records.map((record) => rowOf(redaction.record(record, 'token'), secrets));
  if (format === 'xlsx') {
    const book = await workbook(shown, options, options.begun);
    return {
      columns: shown.map(({ name }) => name),
      notes,
      page: (records) => book.page(rowsOf(records)),
      end: (notes) => {
        const lines = notes.map((line): AboutLine => ['note', line]);
        return book.close(false, redaction.about([...options.about(), ...lines]));
      },
      state: () => book.state(),
    };
  }
  const list = formatOfFile(format, shown, options);
  return {
    columns: format === 'csv' ? shown.map(({ name }) => name) : undefined,
    notes,
    page: (records) => {
      const filter = secrets.filter();
      const piece = filter.push(list.page(rowsOf(records)));
      return typeof piece === 'string' ? piece + filter.end() : piece;
    },
    end: () => list.end(false),
  };
}

function formatOfFile(
  format: Exclude<ExportFormat, 'xlsx'>,
  shown: readonly Column[],
  options: FileFormatOptions,
): ListFormat {
  const { header, begun, secrets, csv } = options;
  switch (format) {
    case 'ndjson':
      return ndjsonList();
    case 'json':
      return jsonList(begun.rows);
    case 'csv':
      return csvList(shown, header, readingOf(options), (text) => cleanCell(secrets.clean(text)), {
        ...csv,
        isBegun: begun.bytes > 0,
      });
  }
}

// The format `list`: one block of `field: value` lines per record, with an empty line between two blocks. It shows every field
// that the service sent, nested ones as `customer_info.email`; or only the named columns, if columns were named.
function fieldList(
  named: readonly Column[] | undefined,
  known: readonly Column[],
  reading: Reading,
  clean: (text: string) => string,
): ListFormat {
  let first = true;
  return {
    page: (rows) =>
      rows
        .map(({ value }) => {
          const fields =
            named === undefined ? allFields(value, known, reading) : namedFields(value, named, reading);
          const gap = first ? '' : '\n';
          first = false;
          return gap + fields.map(([name, text]) => `${clean(name)}: ${clean(text)}\n`).join('');
        })
        .join(''),
    end: () => '',
  };
}

type NamedText = readonly [name: string, text: string];

function namedFields(record: JsonObject, columns: readonly Column[], reading: Reading): readonly NamedText[] {
  return columns.map((column) => [column.name, knownText(record, column, reading)]);
}

// Known fields come first, in their order, so that all blocks of a list look alike.
function allFields(record: JsonObject, known: readonly Column[], reading: Reading): readonly NamedText[] {
  // The parts of an object are shown below, each with its own line.
  const shown = known.filter(
    (column) =>
      column.derived === undefined && members(column.value(record, reading.referenceKeys)) === undefined,
  );
  const names = new Set(shown.map((column) => column.name));
  const rest = fieldsOf(record, '').filter(([name]) => !names.has(name));
  return [
    ...namedFields(record, shown, reading),
    ...rest.map(([name, value]): NamedText => [name, text(name, value, reading)]),
  ];
}

function knownText(record: JsonObject, column: Column, reading: Reading): string {
  const value = column.value(record, reading.referenceKeys);
  return column.kind === 'time' && reading.times.valid(value)
    ? reading.times.show(value, 'full')
    : showValue(value, column, record, reading).text;
}

function fieldsOf(value: unknown, name: string): readonly (readonly [string, unknown])[] {
  const inside = members(value);
  if (inside === undefined || inside.length === 0) return [[name, inside === undefined ? value : undefined]];
  return inside.flatMap(([key, member]) => fieldsOf(member, name === '' ? key : `${name}.${key}`));
}

// The items of a nested list are counted from 1, like the charge in `--charge 2` (service: List envelope).
function members(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [String(index + 1), item]);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).flatMap(([key, member]): (readonly [string, unknown])[] =>
    key === 'data' && Array.isArray(member) ? [...(members(member) ?? [])] : [[key, member]],
  );
}

// A field that is not a known column. Its name tells whether it is a time; every other value is shown as received.
function text(name: string, value: unknown, reading: Reading): string {
  if (value === undefined || value === null || value === '') return absent;
  if (!name.endsWith('_at') || typeof value !== 'number') return asReceived(value);
  return reading.times.valid(value) ? reading.times.show(value, 'full') : asReceived(value) + mark;
}
