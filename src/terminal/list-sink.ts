/** Writes a list to stdout or into a file, in any format: begins it with the first rows, and ends or abandons it. */

import type { Column } from '../api/resources.ts';
import { CliError } from '../errors.ts';
import { sheetNotes } from './csv.ts';
import {
  columnsOfFile,
  type DrawnHow,
  type ListFormat,
  type Piece,
  type Row,
  stdoutFormat,
  zoneOf,
} from './list-format.ts';
import type { OutputOptions } from './output.ts';
import type { StreamWriter } from './streams.ts';
import { namedColumns, tableColumns, usualColumns } from './table/columns.ts';
import { unitsMark } from './table/shown-values.ts';

/** A list on its way to stdout, in any format. */
export type Sink = ReturnType<typeof startSink>;

// The width of a terminal that has room for all usual columns.
const wideTable = 120;

/** Throws CliError 'usage' for a workbook on a terminal, which cannot show one. It is called before anything is read or sent. */
export function refuseScreen({ format, stdout }: OutputOptions): void {
  if (format === 'xlsx' && stdout.isTTY)
    throw new CliError('usage', '-o xlsx: a workbook is for a file, and this is a terminal', {
      certain: 'nothing was sent',
      now: ['--to FILE.xlsx writes a list into a file, as > FILE.xlsx does'],
    });
}

// Beside a column of the currency, an amount of a table does not repeat it.
function drawnIn(format: OutputOptions['format'], named: readonly Column[]): readonly Column[] {
  if (format !== 'table' || named.every(({ name }) => name !== 'currency')) return named;
  return named.map((one) => (one.kind === 'money' ? { ...one, kind: 'figure' } : one));
}

/** Begins such a list. Throws CliError 'usage' for an unknown column, before any request is made. */
export function startSink(
  columns: readonly Column[],
  options: OutputOptions & DrawnHow & { readonly isList?: boolean },
  writer: StreamWriter,
) {
  refuseScreen(options);
  const brief = options.isBriefList === true && options.format === 'list' && options.isList === true;
  const named =
    options.sheets !== undefined
      ? undefined
      : options.columns === undefined
        ? (usualColumns(columns, options.usualColumns) ??
          (brief ? tableColumns(columns, wideTable) : undefined))
        : drawnIn(options.format, namedColumns(columns, options.columns));
  // The table code is loaded while the first page is on its way. If that fails, the error comes when the table is drawn.
  if (options.format === 'table') import('./table/table.ts').catch(() => undefined);
  let format: ListFormat | undefined;
  let state: 'new' | 'begun' | 'ended' | 'abandoned' = 'new';
  let more = false;
  let written = 0;
  let leftOut: readonly string[] = [];
  let units: 'marked' | 'all' | undefined;
  const load = (): Promise<ListFormat> =>
    stdoutFormat(columns, named, options, {
      onLeftOut: (titles) => {
        leftOut = titles;
      },
      onUnits: (which) => {
        units = which;
      },
    });

  const write = (piece: Piece, { isBinary }: ListFormat): Promise<void> =>
    isBinary === true && typeof piece !== 'string' ? writer.writeBytes(piece) : writer.write(piece);

  const end = async (hasMore: boolean, sums?: readonly Row[]): Promise<void> => {
    format ??= await load();
    [state, more] = ['ended', hasMore];
    await writer.write(format.end(hasMore, sums));
    const [shown, { amounts }] = [named ?? columnsOfFile(columns, options), options.locale()];
    for (const line of sheetNotes({ ...options, columns: shown, amounts, zone: () => zoneOf(options) }))
      options.note?.(line);
    if (units !== undefined)
      options.note?.(
        units === 'all'
          ? "all amounts are in the service's units: there is no room for the decimals of some"
          : `${unitsMark} in the service's units: no decimals are declared for this currency`,
      );
    if (leftOut.length > 0)
      options.note?.(
        `${options.stdout.width === undefined ? 'this terminal' : `--width ${options.stdout.width}`} has no room for ${leftOut.join(', ')}: -o list shows every field`,
      );
  };
  return {
    async rows(rows: readonly Row[]) {
      format ??= await load();
      state = 'begun';
      try {
        await write(format.page(rows), format);
      } catch (error) {
        throw withCount(error, written);
      }
      written += rows.length;
    },
    /** Ends a sheet of a workbook and begins its next one. */
    async next(columns: readonly Column[]) {
      if (format?.next !== undefined) await write(format.next(columnsOfFile(columns, options)), format);
    },
    end,
    /** Closes a list that was begun and not ended because the run failed. The list then says that there is more. */
    async abandon() {
      if (state !== 'begun' || writer.lost !== undefined) return;
      await end(true);
      state = 'abandoned';
    },
    /** Writes what comes after the list. */
    async close(failed: CliError | undefined) {
      if (format?.close === undefined || writer.lost !== undefined) return;
      const about = options.redaction.about((await options.about?.(failed)) ?? []);
      await writer.writeBytes(format.close(more, about));
    },
    /** How many rows were written. */
    count: () => written,
    /** Whether the list was ended, and not abandoned. */
    isWhole: () => state === 'ended',
  };
}

function withCount(error: unknown, written: number): unknown {
  if (!(error instanceof CliError) || error.parts.certain !== undefined || written === 0) return error;
  const certain = `${written === 1 ? '1 record was' : `${written} records were`} written before that`;
  return new CliError(error.kind, error.message, { ...error.parts, certain, cause: error });
}
