/** Reads the records of a finished export after comparing it with its manifest: NDJSON, one JSON list, or CSV (RFC 4180). */

import { Buffer } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import * as v from 'valibot';
import { parseExactly } from '../api/api.ts';
import { isObject, type JsonObject } from '../api/json-values.ts';
import { CliError, systemReason } from '../errors.ts';
import { createTimes, withoutFormulaSafety } from '../terminal/terminal.ts';
import type { ExportReading } from './exports.ts';
import { type ExportProblem, exportProblem, manifestOf } from './files-on-disk.ts';
import { manifestAt, noFile, verifyExport } from './manifest.ts';

/**
 * Opens an export: `file` is its full path, `name` what a person typed. Throws CliError 'usage', 'refused' or 'incomplete' unless
 * the file matches its manifest.
 */
export async function openFinished(
  { name: path, file }: { readonly name: string; readonly file: string },
  now: number,
): Promise<ExportReading> {
  const { problem, gaps } = await verifyExport(file, undefined, now);
  // A missing file is probably a typing mistake.
  if (problem?.words === noFile)
    throw new CliError('usage', `${path}: there is no such file`, { certain: 'nothing was added up' });
  if (problem !== undefined) {
    throw new CliError(problem.kind, `${path}: ${problem.words}`, {
      certain: 'nothing was added up',
      now: [
        problem.now ?? 'export it again: --resume goes on with an unfinished one, --force replaces this file',
      ],
    });
  }
  const manifest = await manifestAt(manifestOf(file));
  if (manifest === undefined) throw new CliError('usage', `${path}: its manifest is gone`);
  const { query, account, profile, started_at: startedAt, columns } = manifest;
  if (query.format === 'xlsx')
    throw new CliError('usage', `${path} is a workbook: reports read ndjson, json and csv`, {
      certain: 'nothing was added up',
    });
  return {
    query,
    account,
    profile,
    startedAt,
    columns: query.format === 'csv' ? (columns ?? []) : null,
    problems: gaps === undefined ? [] : await readProblems(gaps.file),
    records: () => recordsOf(file, query, columns ?? []),
  };
}

async function readProblems(file: string): Promise<readonly ExportProblem[]> {
  const problems: ExportProblem[] = [];
  for await (const [order = '', missing = '', why = ''] of csvLines(createReadStream(file))) {
    const cells = { order_id: withoutFormulaSafety(order), missing, why: withoutFormulaSafety(why) };
    const problem = v.safeParse(exportProblem, cells);
    // The first line is the heading.
    if (problem.success) problems.push(problem.output);
  }
  return problems;
}

async function* recordsOf(
  file: string,
  { format, gzip, delimiter, times, zone }: JsonObject,
  columns: readonly string[],
): AsyncGenerator<JsonObject, undefined> {
  const bytes = createReadStream(file);
  const chunks = gzip === true ? bytes.pipe(createGunzip()) : bytes;
  // An error of the file itself would not reach the reader of the unpacked bytes.
  bytes.on('error', (error) => chunks.destroy(error));
  try {
    if (format === 'csv') {
      const between = typeof delimiter === 'string' ? delimiter : ',';
      yield* csvRecords(chunks, columns, between, times === undefined ? undefined : String(zone));
    } else yield* jsonRecords(file, chunks, format === 'json' ? 2 : 0);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('usage', `${file} cannot be read: ${systemReason(error)}`, { cause: error });
  } finally {
    bytes.destroy();
  }
  return undefined;
}

async function* jsonRecords(file: string, chunks: AsyncIterable<Uint8Array>, depth: 0 | 2) {
  for await (const text of objectsIn(chunks, depth)) {
    const record = parseRecord(text);
    if (!isObject(record)) throw new CliError('usage', `${file}: a record is not an object`);
    yield record;
  }
}

// `zone`: local times are in this zone, written as for a spreadsheet.
async function* csvRecords(
  bytes: Readable,
  columns: readonly string[],
  delimiter: string,
  zone: string | undefined,
) {
  // The current time is not needed.
  const times = createTimes(zone, () => 0);
  const timeOf = (cell: string): number =>
    zone !== undefined && sheetTime.test(cell)
      ? times.moment(Date.parse(`${cell.replace(' ', 'T')}Z`))
      : Date.parse(cell);
  let isFirst = true;
  for await (const cells of csvLines(bytes, delimiter)) {
    // With --no-header the first line is a record.
    const isHeading = isFirst && cells.every((cell, index) => cell === columns[index]);
    isFirst = false;
    if (!isHeading) yield recordOfLine(columns, cells, timeOf);
  }
}

const sheetTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** The cells of each CSV line. A cell may hold line breaks. Rejects with the stream's error. */
export function csvLines(bytes: Readable, delimiter = ','): AsyncIterable<readonly string[]> {
  const parser = parse({ bom: true, delimiter, record_delimiter: '\n', relax_column_count: true });
  return pipeline(bytes, parser, () => undefined);
}

/**
 * The record of a line. A column such as `customer_info.email` becomes an object with that field. `timeOf`: Unix milliseconds, or
 * NaN.
 */
export function recordOfLine(
  columns: readonly string[],
  cells: readonly string[],
  timeOf: (cell: string) => number = Date.parse,
): JsonObject {
  const record: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell !== '') setAt(record, column.split('.'), cellValue(column, cell, timeOf));
  }
  return record;
}

function setAt(
  into: Record<string, unknown>,
  [first = '', ...path]: readonly string[],
  value: unknown,
): void {
  // A metadata key may give a column any name.
  const own = Object.hasOwn(into, first) ? into[first] : undefined;
  const inside: Record<string, unknown> = typeof own === 'object' && own !== null ? { ...own } : {};
  if (path.length > 0) setAt(inside, path, value);
  Object.defineProperty(into, first, {
    value: path.length === 0 ? value : inside,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

const amounts = /(^|\.)(amount|amount_refunded|fee)$/;

// The column's name decides the type of its cells.
function cellValue(column: string, cell: string, timeOf: (cell: string) => number): unknown {
  if (amounts.test(column) && /^-?\d+$/.test(cell)) {
    const number = Number(cell);
    return Number.isSafeInteger(number) ? number : BigInt(cell);
  }
  if (column.endsWith('_at')) {
    const ms = timeOf(cell);
    return Number.isNaN(ms) ? cell : ms / 1000;
  }
  return cell === 'true' || cell === 'false' ? cell === 'true' : withoutFormulaSafety(cell);
}

const [quote, backslash, openObject, closeObject, openArray, closeArray] = [
  0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d,
];

/**
 * Yields the text of each record. `depth`: how deep the records are: 0 in NDJSON, 2 in a list (inside the envelope and its
 * `data`).
 */
export async function* objectsIn(
  chunks: AsyncIterable<Uint8Array>,
  depth: 0 | 2,
): AsyncGenerator<string, undefined> {
  let rest = Buffer.alloc(0);
  let level = 0;
  let isText = false;
  let isEscaped = false;
  // Where the current record begins in `rest`; -1 between records.
  let start = -1;
  for await (const chunk of chunks) {
    const from = rest.length;
    rest = from === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    for (let at = from; at < rest.length; at += 1) {
      const byte = rest[at];
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isText = false;
      } else if (byte === quote) isText = true;
      else if (byte === openObject || byte === openArray) {
        if (level === depth && byte === openObject) start = at;
        level += 1;
      } else if (byte === closeObject || byte === closeArray) {
        level -= 1;
        if (level === depth && start !== -1) {
          yield rest.toString('utf8', start, at + 1);
          start = -1;
        }
      }
    }
    rest = start === -1 ? Buffer.alloc(0) : rest.subarray(start);
    if (start !== -1) start = 0;
  }
  return undefined;
}

/** Parses a record. An integer beyond 2^53-1 becomes a bigint, so nothing is rounded. */
export function parseRecord(text: string): unknown {
  return /\d{16}/.test(text) ? parseExactly(Buffer.from(text)) : JSON.parse(text);
}
