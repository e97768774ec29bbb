/** One list on its way to stdout: picks the format, counts what was written, and can be closed when a run fails. */

import type { Column } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import { loadPaint } from './color.ts';
import { csvColumns, namedColumns, tableColumns, usualColumns } from './columns.ts';
import { csvList } from './csv.ts';
import { screenClean, widthOfTerminal } from './facts.ts';
import { jsonList, ndjsonList } from './json.ts';
import { fieldList } from './list.ts';
import type { ListFormat, Row } from './list-format.ts';
import type { OutputOptions } from './output.ts';
import { cleanCell } from './sanitise.ts';
import type { StreamWriter } from './stream-writer.ts';
import { createTimes } from './time.ts';
import type { Reading } from './values.ts';

// Columns of a table that goes to no terminal.
const widthWithoutTerminal = 80;

/** A list being written, in any format. */
export interface Sink {
  rows(rows: readonly Row[]): Promise<void>;
  end(hasMore: boolean): Promise<void>;
  /** The run failed: what was begun and not ended is closed, and says that more exists. */
  abandon(): Promise<void>;
}

/** Starts a list. Throws CliError 'usage' at once for a column that does not exist: a wrong name costs no request. */
export function startSink(columns: readonly Column[], options: OutputOptions, writer: StreamWriter): Sink {
  const named =
    options.columns === undefined
      ? usualColumns(columns, options.usualColumns)
      : namedColumns(columns, options.columns);
  // Loaded while the service is asked for the first page; a failure is told to whoever draws.
  if (options.format === 'table') import('./table.ts').catch(() => undefined);
  let format: ListFormat | undefined;
  let state: 'new' | 'begun' | 'ended' = 'new';
  let written = 0;
  let leftOut: readonly string[] = [];
  const load = (): Promise<ListFormat> =>
    listFormat(columns, named, options, (titles) => {
      leftOut = titles;
    });

  const end = async (hasMore: boolean): Promise<void> => {
    format ??= await load();
    state = 'ended';
    await writer.write(format.end(hasMore));
    if (leftOut.length > 0)
      options.note?.(`this terminal has no room for ${leftOut.join(', ')}: -o list shows every field`);
  };
  return {
    async rows(rows) {
      format ??= await load();
      state = 'begun';
      try {
        await writer.write(format.page(rows));
      } catch (error) {
        throw withCount(error, written);
      }
      written += rows.length;
    },
    end,
    abandon: async () => (state === 'begun' && writer.lost === undefined ? end(true) : undefined),
  };
}

function withCount(error: unknown, written: number): unknown {
  if (!(error instanceof CliError) || error.parts.certain !== undefined || written === 0) return error;
  const certain = `${written === 1 ? '1 record was' : `${written} records were`} written before that`;
  return new CliError(error.kind, error.message, { ...error.parts, certain, cause: error });
}

async function listFormat(
  columns: readonly Column[],
  named: readonly Column[] | undefined,
  options: OutputOptions,
  onLeftOut: (titles: readonly string[]) => void,
): Promise<ListFormat> {
  const { format, header, stdout, secrets } = options;
  const clean = screenClean(secrets);
  switch (format) {
    case 'json':
      return jsonList();
    case 'ndjson':
      return ndjsonList();
    case 'csv':
      // A file keeps line breaks inside its cells; a terminal gets one line a record.
      return csvList(
        named ?? csvColumns(columns),
        header,
        stdout.isTTY ? clean : (text) => cleanCell(secrets.clean(text)),
      );
    case 'list':
      return fieldList(named, columns, readingOf(options), clean);
    case 'table': {
      const { drawTable } = await import('./table.ts');
      const width = widthOfTerminal(stdout);
      return drawTable(named ?? tableColumns(columns, width ?? widthWithoutTerminal), {
        header,
        width,
        paint: await loadPaint(options.color),
        reading: readingOf(options),
        clean,
        onLeftOut,
      });
    }
  }
}

/** How this run shows figures and times. */
export function readingOf({ locale, now }: OutputOptions): Reading {
  const { zone, decimals } = locale();
  return { times: createTimes(zone, now), decimals };
}
