/** JSON: the service's own objects, byte for byte; a list is one envelope, streamed, with `has_more` last. */

import { Buffer } from 'node:buffer';
import type { ListFormat, Row } from './list-format.ts';
import { escapeJson, escapeJsonForScreen, oneLineJson, toJson } from './sanitise.ts';
import type { Secrets } from './secrets.ts';
import type { PrintedRecord } from './terminal.ts';

/** A record as a row, for a file or a pipe. */
export function rowOf({ value, bytes, plain, columnsFrom = value }: PrintedRecord, secrets: Secrets): Row {
  const json = (): string =>
    bytes === undefined ? secrets.cleanJson(ownJson(value)) : wireJson(new TextDecoder().decode(bytes));
  return {
    value: columnsFrom,
    json,
    bytes: plain === true ? bytes : undefined,
  };
}

/** A record as a row for a terminal: no invisible characters in its JSON, and never the raw bytes. */
export function screenRowOf(record: PrintedRecord, secrets: Secrets): Row {
  const { value, json } = rowOf(record, secrets);
  return { value, json: () => escapeJsonForScreen(json()), bytes: undefined };
}

/** A record of our own. */
export function ownJson(value: unknown): string {
  return escapeJson(toJson(value));
}

// As the service wrote it, except that characters which could move a cursor or hide text become \uXXXX. Between tokens a
// carriage return could overwrite a line of the screen.
function wireJson(text: string): string {
  return escapeJson(/[\r\t]/.test(text) ? oneLineJson(text) : text);
}

/** The envelope (service: List envelope), one record per line. `before`: how many records it holds already. */
export function jsonList(before = 0): ListFormat {
  let records = before;
  const open = (): string => (records === 0 ? '{"object":"list","data":[' : '');
  return {
    page(rows) {
      const text =
        open() + rows.map((row, index) => (records + index === 0 ? '\n' : ',\n') + row.json()).join('');
      records += rows.length;
      return rows.length === 0 ? '' : text;
    },
    end: (hasMore) => `${open()}${records === 0 ? '' : '\n'}],"has_more":${hasMore}}\n`,
  };
}

/** One record per line. */
export function ndjsonList(): ListFormat {
  return {
    page: (rows) => ndjsonBytes(rows) ?? rows.map((row) => ndjsonLine(row)).join(''),
    end: () => '',
  };
}

// If nothing has to be changed, the bytes are written as they are.
function ndjsonBytes(rows: readonly Row[]): Uint8Array | undefined {
  const lineEnd = Buffer.from('\n');
  const parts: Uint8Array[] = [];
  for (const { bytes } of rows) {
    if (bytes === undefined) return undefined;
    parts.push(bytes, lineEnd);
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts);
}

function ndjsonLine(row: Row): string {
  return `${oneLineJson(row.json())}\n`;
}
