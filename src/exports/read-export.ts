/** Reads a finished export again, record by record, after comparing the file with its manifest. */

import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isObject, type JsonObject } from '../api/spec.ts';
import { CliError, systemReason } from '../errors.ts';
import { csvLines, recordOfLine } from './csv-records.ts';
import type { ExportReading } from './exports.ts';
import { manifestOf } from './files-on-disk.ts';
import { objectsIn, parseRecord } from './json-objects.ts';
import { manifestAt, noFile, verifyExport } from './manifest.ts';

/**
 * Opens an export: `file` is its full path, `name` what a person typed. Throws CliError 'usage', 'refused' or 'incomplete' unless
 * the file is just what its manifest says.
 */
export async function openFinished(
  { name: path, file }: { readonly name: string; readonly file: string },
  now: number,
): Promise<ExportReading> {
  const { problem } = await verifyExport(file, undefined, now);
  // Whoever names a file that is not there mistyped its name.
  if (problem?.words === noFile)
    throw new CliError('usage', `${path}: there is no such file`, { certain: 'nothing was added up' });
  if (problem !== undefined) {
    throw new CliError(problem.kind, `${path}: ${problem.words}`, {
      certain: 'nothing was added up',
      now: ['export it again: --resume goes on with an unfinished one, --force replaces this file'],
    });
  }
  const manifest = await manifestAt(manifestOf(file));
  const { query, account, profile, started_at: startedAt = 0, columns } = manifest ?? {};
  if (query === undefined || account === undefined || profile === undefined)
    throw new CliError('usage', `${path}: its manifest does not say what was exported`);
  return {
    query,
    account,
    profile,
    startedAt,
    columns: query.format === 'csv' ? (columns ?? []) : null,
    records: () => recordsOf(file, query, columns ?? []),
  };
}

async function* recordsOf(
  file: string,
  { format, gzip }: JsonObject,
  columns: readonly string[],
): AsyncGenerator<JsonObject, undefined> {
  const bytes = createReadStream(file);
  const chunks = gzip === true ? bytes.pipe(createGunzip()) : bytes;
  // An error of the file itself would not reach the reader of the unpacked bytes.
  bytes.on('error', (error) => chunks.destroy(error));
  try {
    if (format === 'csv') yield* csvRecords(chunks, columns);
    else yield* jsonRecords(file, chunks, format === 'json' ? 2 : 0);
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

async function* csvRecords(bytes: Readable, columns: readonly string[]) {
  let isFirst = true;
  for await (const cells of csvLines(bytes)) {
    // With --no-header the first line is a record.
    const isHeading = isFirst && cells.every((cell, index) => cell === columns[index]);
    isFirst = false;
    if (!isHeading) yield recordOfLine(columns, cells);
  }
}
