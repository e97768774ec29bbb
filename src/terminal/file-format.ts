/** A list of records as text for a file, in pieces that several runs may write one after the other. */

import type { Column } from '../api/spec.ts';
import type { ExportFormat } from '../exports/exports.ts';
import { csvColumns, namedColumns, usualColumns } from './columns.ts';
import { csvList } from './csv.ts';
import { jsonList, ndjsonList, rowOf } from './json.ts';
import type { ListFormat, Piece } from './list-format.ts';
import { cleanCell } from './sanitise.ts';
import type { Secrets } from './secrets.ts';
import type { PrintedRecord } from './terminal.ts';

/** What a file is written as. */
export interface FileFormatOptions {
  readonly format: ExportFormat;
  readonly columns: readonly Column[];
  /** `--columns`. */
  readonly named: readonly string[] | undefined;
  /** PAYDESK_COLUMNS: those of them that it has. */
  readonly usual: readonly string[] | undefined;
  readonly header: boolean;
  /** What stands in the file already. */
  readonly begun: { readonly bytes: number; readonly rows: number };
  readonly secrets: Secrets;
}

/** Its texts, one after the other, are the file. */
export interface FileFormat {
  page(records: readonly PrintedRecord[]): Piece;
  end(): Piece;
}

/** The text of a file that is to be complete. Throws CliError 'usage' for a column that does not exist. */
export function fileFormat(options: FileFormatOptions): FileFormat {
  const { secrets } = options;
  const list = listFormat(options);
  return {
    page: (records) => {
      const filter = secrets.filter();
      const piece = filter.push(list.page(records.map((record) => rowOf(record, secrets))));
      return typeof piece === 'string' ? piece + filter.end() : piece;
    },
    end: () => list.end(false),
  };
}

function listFormat(options: FileFormatOptions): ListFormat {
  const { format, columns, named, usual, header, begun, secrets } = options;
  const shown =
    named === undefined
      ? (usualColumns(columns, usual) ?? csvColumns(columns))
      : namedColumns(columns, named);
  switch (format) {
    case 'ndjson':
      return ndjsonList();
    case 'json':
      return jsonList(begun.rows);
    case 'csv':
      return csvList(shown, header && begun.bytes === 0, (text) => cleanCell(secrets.clean(text)));
  }
}
