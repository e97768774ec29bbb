/** stdout: the one writer of results, in whatever format was asked for. */

import type { Column, JsonObject } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import type { Block, Format, Output, WireRecord } from '../ports.ts';
import { type ColorLevel, loadPaint } from './color.ts';
import { csvColumns, namedColumns, ownColumns, tableColumns } from './columns.ts';
import { csvList } from './csv.ts';
import { type Locale, type StreamFacts, screenClean, widthOfTerminal } from './facts.ts';
import { jsonList, ndjsonList, ownJson, wireJson } from './json.ts';
import { fieldList } from './list.ts';
import type { ListFormat, Row } from './list-format.ts';
import { cleanCell } from './sanitise.ts';
import type { Secrets } from './secrets.ts';
import { createStreamWriter, type StreamWriter } from './stream-writer.ts';
import { createTimes } from './time.ts';
import type { Reading } from './values.ts';

export interface OutputOptions {
  readonly stdout: StreamFacts;
  readonly format: Format;
  /** `--columns`. */
  readonly columns?: readonly string[] | undefined;
  readonly header: boolean;
  readonly color: ColorLevel;
  readonly locale: () => Locale;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly secrets: Secrets;
  /** Called once when stdout is gone or full: the run is to be aborted. */
  readonly onLost: (error: CliError) => void;
  /** Called before each write: takes a progress line off the screen. */
  readonly beforeWrite?: (() => void) | undefined;
}

/** The output of one run, and what main.ts does with it at the end. */
export interface OutputControl extends Output {
  /** Closes what is open: a JSON list that was begun ends with `has_more` true. Resolves when all is written. */
  finish(): Promise<void>;
  /** Why stdout is lost, when it is. */
  readonly lost: CliError | undefined;
}

// Columns of a table that goes to no terminal.
const widthWithoutTerminal = 80;

/** The output of one run. Nothing heavy is loaded before something for people is printed. */
export function createOutput(options: OutputOptions): OutputControl {
  const { format, secrets } = options;
  const writer = createStreamWriter({
    stream: options.stdout.stream,
    name: 'stdout',
    secrets,
    onLost: options.onLost,
    beforeWrite: options.beforeWrite,
  });
  let open: Sink | undefined;
  const start = (columns: readonly Column[]): Sink => startSink(columns, options, writer);
  const wire = (record: WireRecord): Row => ({
    value: record.value,
    json: () => wireJson(record, (text) => secrets.clean(text) !== text),
  });

  const one = async (row: Row, columns: readonly Column[], view: () => readonly Block[]): Promise<void> => {
    if (format === 'json') return writer.write(`${row.json()}\n`);
    if (format === 'table' && options.columns === undefined)
      return writer.write(await screen(view(), options));
    const sink = start(columns);
    await sink.rows([row]);
    await sink.end(false);
  };

  return {
    format,
    list(columns) {
      const sink = start(columns);
      open = sink;
      return {
        page: (records) => sink.rows(records.map(wire)),
        end: (hasMore) => sink.end(hasMore),
      };
    },
    async ownList(columns, records) {
      const sink = start(columns);
      await sink.rows(records.map(own));
      await sink.end(false);
    },
    record: (record, columns, view) => one(wire(record), columns, view),
    own: (record, view) => one(own(record), ownColumns(record), view),
    text: (text) => writer.write(text.endsWith('\n') ? text : `${text}\n`),
    async finish() {
      try {
        await open?.abandon();
        await writer.end();
      } catch (error) {
        // Whoever waits for the output asks `lost`; anything else is a mistake of ours.
        if (error !== writer.lost) throw error;
      }
    },
    get lost() {
      return writer.lost;
    },
  };
}

function own(value: JsonObject): Row {
  return { value, json: () => ownJson(value) };
}

/** A list being written, in any format. */
interface Sink {
  rows(rows: readonly Row[]): Promise<void>;
  end(hasMore: boolean): Promise<void>;
  /** The run failed: what was begun and not ended is closed, and says that more exists. */
  abandon(): Promise<void>;
}

function startSink(columns: readonly Column[], options: OutputOptions, writer: StreamWriter): Sink {
  // Before anything is read or written: a wrong name costs no request.
  const named = options.columns === undefined ? undefined : namedColumns(columns, options.columns);
  let format: ListFormat | undefined;
  let state: 'new' | 'begun' | 'ended' = 'new';
  let written = 0;

  const end = async (hasMore: boolean): Promise<void> => {
    format ??= await listFormat(columns, named, options);
    state = 'ended';
    await writer.write(format.end(hasMore));
  };
  return {
    async rows(rows) {
      format ??= await listFormat(columns, named, options);
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
  if (!(error instanceof CliError) || error.parts.certain !== undefined) return error;
  const certain = `${written === 1 ? '1 record was' : `${written} records were`} written before that`;
  return new CliError(error.kind, error.message, { ...error.parts, certain, cause: error });
}

async function listFormat(
  columns: readonly Column[],
  named: readonly Column[] | undefined,
  options: OutputOptions,
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
      });
    }
  }
}

async function screen(blocks: readonly Block[], options: OutputOptions): Promise<string> {
  const { blockLines } = await import('./blocks.ts');
  const lines = blockLines(blocks, {
    width: widthOfTerminal(options.stdout),
    paint: await loadPaint(options.color),
    times: readingOf(options).times,
    clean: screenClean(options.secrets),
  });
  return lines.map((line) => `${line}\n`).join('');
}

function readingOf({ locale, now }: OutputOptions): Reading {
  const { zone, decimals } = locale();
  return { times: createTimes(zone, now), decimals };
}
