/** Writes records as JSON: the service's own objects, byte for byte. A list is one envelope with `has_more` at the end. */

import { Buffer } from 'node:buffer';
import type { ListFormat, Row } from './list-format.ts';
import { escapeJson, escapeJsonForScreen, oneLineJson, toJson } from './sanitise.ts';
import type { Secrets } from './secrets.ts';
import type { PrintedRecord } from './terminal.ts';

/** A row for a file or a pipe. */
export function rowOf({ value, bytes, plain, columnsFrom = value }: PrintedRecord, secrets: Secrets): Row {
  const json = (): string =>
    bytes === undefined ? secrets.cleanJson(ownJson(value)) : wireJson(new TextDecoder().decode(bytes));
  return {
    value: columnsFrom,
    json,
    bytes: plain === true ? bytes : undefined,
  };
}

/** A row for a terminal. It has no bytes, and its JSON has no invisible characters. */
export function screenRowOf(record: PrintedRecord, secrets: Secrets): Row {
  const { value, json } = rowOf(record, secrets);
  return { value, json: () => escapeJsonForScreen(json()), bytes: undefined };
}

/** The JSON of a record that paydesk made itself. */
export function ownJson(value: unknown): string {
  return escapeJson(toJson(value));
}

// The service's own text. But a character that could move a cursor or hide text becomes \uXXXX, and a text with tabs or
// carriage returns between its tokens becomes one line.
function wireJson(text: string): string {
  return escapeJson(/[\r\t]/.test(text) ? oneLineJson(text) : text);
}

/** A list as one envelope (service: List envelope), one record per line. The file already holds `before` records. */
export function jsonList(before = 0): ListFormat {
  let records = before;
  const open = (): string => (records === 0 ? '{"object":"list","data":[' : '');
  return {
    page(rows) {
      if (rows.length === 0) return '';
      const first = records === 0 ? `${open()}\n` : ',\n';
      records += rows.length;
      return (
        joinBytes(rows, (row) => row.json(), { first, between: ',\n', last: '' }) ??
        first + rows.map((row) => row.json()).join(',\n')
      );
    },
    end(hasMore, sums) {
      const beside = sums === undefined ? '' : `"sums":[${sums.map((row) => row.json()).join(',')}],`;
      return `${open()}${records === 0 ? '' : '\n'}],${beside}"has_more":${hasMore}}\n`;
    },
  };
}

/** A list as NDJSON, one record per line. */
export function ndjsonList(): ListFormat {
  const text = (row: Row): string => oneLineJson(row.json());
  return {
    page: (rows) =>
      joinBytes(rows, text, { first: '', between: '\n', last: '\n' }) ??
      rows.map((row) => `${text(row)}\n`).join(''),
    end: () => '',
  };
}

// The bytes of all rows, if any of them has bytes. `text` makes the bytes of the others.
function joinBytes(
  rows: readonly Row[],
  text: (row: Row) => string,
  { first, between, last }: { readonly first: string; readonly between: string; readonly last: string },
): Uint8Array | undefined {
  if (rows.every(({ bytes }) => bytes === undefined)) return undefined;
  const separator = Buffer.from(between);
  const parts = rows.flatMap((row) => [separator, row.bytes ?? Buffer.from(text(row))]);
  return Buffer.concat([Buffer.from(first), ...parts.slice(1), Buffer.from(last)]);
}
