/** Writes results to stdout: lists, single records and QR codes, in the format that was asked for. */

import type { JsonObject } from '../api/json-values.ts';
import type { Column } from '../api/resources.ts';
import type { CliError } from '../errors.ts';
import { type ColorLevel, loadLightOnDark, loadPaint } from './color.ts';
import { type CsvStyle, notCsvNotes } from './csv.ts';
import { rowOf, screenRowOf } from './json.ts';
import type { DrawnHow, Row } from './list-format.ts';
import { refuseScreen, type Sink, startSink } from './list-sink.ts';
import type { AboutLine } from './list-workbook.ts';
import type { Redaction, Written } from './redaction.ts';
import {
  createStreamWriter,
  type Locale,
  type StreamFacts,
  type StreamWriterOptions,
  screenClean,
  widthToDraw,
} from './streams.ts';
import { namedColumns, ownColumns, resultColumns } from './table/columns.ts';
import { readingOf } from './table/shown-values.ts';
import type { Block, Format, Output, PrintedRecord, ResultFile } from './terminal.ts';

export interface OutputOptions
  extends Pick<StreamWriterOptions, 'secrets' | 'onLost' | 'isClosed' | 'beforeWrite'> {
  readonly stdout: StreamFacts;
  readonly format: Format;
  /** `--columns`. */
  readonly columns?: readonly string[] | undefined;
  /** PAYDESK_COLUMNS. A list shows those of them that it has. */
  readonly usualColumns?: readonly string[] | undefined;
  readonly header: boolean;
  /** Absent: the usual CSV. */
  readonly csv?: CsvStyle | undefined;
  readonly color: ColorLevel;
  /** PAYDESK_ACCESSIBLE=1 or TERM=dumb: nothing is redrawn, and a prompt is numbered lines. */
  readonly accessible: boolean;
  /** A list in the format `list` has the columns of a wide table, not every field: nobody asked for that format. */
  readonly isBriefList?: boolean | undefined;
  readonly charts: Output['charts'];
  readonly locale: () => Locale;
  /** The time of the wall clock, in Unix milliseconds. */
  readonly now: () => number;
  readonly redaction: Redaction;
  /** Tells the person that something is missing in the output. */
  readonly note?: ((line: string) => void) | undefined;
  /** What the second sheet of a workbook says about it, once the run has ended. `failed`: why it is not whole. */
  readonly about?: ((failed: CliError | undefined) => Promise<readonly AboutLine[]>) | undefined;
  /** The file that is written instead of stdout. */
  readonly file?: ResultFile | undefined;
}

/** Output, with what only cli/ calls at the end of a run. */
export interface OutputControl extends Output {
  /**
   * Closes an open list with `has_more` true. Resolves when everything is written and a file has its name. `failed`: why the run
   * ends.
   */
  finish(failed?: CliError): Promise<void>;
  /** How many rows the list has. */
  readonly rows: number;
  /** Why stdout is lost; undefined if it is not. */
  readonly lost: CliError | undefined;
}

/** The output of one run. The code that draws tables is loaded when something is printed for a person. */
export function createOutput(given: OutputOptions): OutputControl {
  const { format, redaction } = given;
  const isScreen = format === 'table' || format === 'list';
  // In the other formats, everything that is written is rows, which were masked before.
  const secrets = redaction.over(given.secrets, { stream: isScreen });
  const options = { ...given, secrets };
  const writer = createStreamWriter({
    stream: options.stdout.stream,
    name: 'stdout',
    secrets,
    onLost: options.onLost,
    isClosed: options.isClosed,
    beforeWrite: options.beforeWrite,
  });
  let open: Sink | undefined;
  const start = (columns: readonly Column[], { zone, ...how }: DrawnHow): Sink =>
    startSink(
      columns,
      {
        ...options,
        isList: true,
        ...(zone === undefined ? {} : { locale: () => ({ ...options.locale(), zone }) }),
        ...how,
      },
      writer,
    );

  const rowFor = options.stdout.isTTY ? screenRowOf : rowOf;
  // The only place where records become rows and JSON.
  const written: Written = isScreen ? 'initials' : 'token';
  const row = (record: PrintedRecord, as = written): Row =>
    rowFor(redaction.record(record, as), given.secrets);

  const one = async (
    record: PrintedRecord,
    columns: readonly Column[],
    view: (shown: PrintedRecord) => readonly Block[],
    names: readonly string[] | undefined,
  ): Promise<void> => {
    if (format === 'json') return writer.write(`${row(record).json()}\n`);
    if (format === 'table' && names === undefined) {
      for (const line of notCsvNotes(options.csv)) options.note?.(line);
      return writer.write(await screen(view(redaction.record(record, written)), options));
    }
    // One record may be the result of a change. A wrong name in --columns must not hide that result.
    const shown = names === undefined ? columns : resultColumns(columns, names);
    const sink = startSink(shown, { ...options, columns: names }, writer);
    open = sink;
    await sink.rows([row(record)]);
    await sink.end(false);
  };

  return {
    format,
    charts: options.charts,
    checkColumns(columns) {
      refuseScreen(options);
      if (format !== 'json' && options.columns !== undefined) namedColumns(columns, options.columns);
    },
    async roomForRows(under) {
      const { isTTY, rows = 0 } = options.stdout;
      if (format !== 'table' || !isTTY || rows === 0) return undefined;
      const lines = await linesOf(
        under.map((line) => ({ line })),
        options,
      );
      // A narrow terminal needs two lines to name the columns that it has no room for. One line is left for the shell.
      const missing = (widthToDraw(options.stdout) ?? usualWidth) < usualWidth ? 2 : 0;
      return rows - missing - lines.length - (options.header ? 2 : 1);
    },
    list(columns, how) {
      const sink = start(columns, { ...how, isPaged: true });
      open = sink;
      return {
        // With `how.format` (an export) the record is masked with tokens, not as on a screen.
        page: (records) =>
          sink.rows(records.map((record) => row(record, how?.format === undefined ? written : 'token'))),
        end: (hasMore) => sink.end(hasMore),
      };
    },
    async ownList(columns, records, { zone, localTimes = false, hasMore = false, sums } = {}) {
      const parts = partsOf(records);
      const { value: first = [] } = await parts.next();
      const sink = start(columns, {
        zone,
        localTimes,
        ...(first.length === ownPart ? { pages: 'many' as const } : {}),
      });
      open = sink;
      await sink.rows(first.map((value) => row({ value })));
      for await (const part of parts) await sink.rows(part.map((value) => row({ value })));
      await sink.end(
        hasMore,
        sums?.map((value) => row({ value })),
      );
    },
    async ownSheets(sheets, { zone, sums }) {
      const names = sheets.map(({ name }) => name);
      for (const { name, columns, rows } of sheets) {
        if (name === names[0]) open = start(columns, { zone, sheets: names });
        else await open?.next(columns);
        await open?.rows(rows.map((value) => row({ value })));
      }
      await open?.end(
        false,
        sums?.map((value) => row({ value })),
      );
    },
    record: (record, columns, view) => one(record, columns, view, options.columns),
    own: (record, view, known) => one({ value: record }, ownColumns(record, known), view, options.columns),
    dryRun(plan, view) {
      const record = { object: 'dry_run', ...plan };
      return one({ value: record }, ownColumns(record), view, undefined);
    },
    async qr(link, always) {
      const code = await drawQr(link, always, options);
      if ('missing' in code) return code.missing;
      const paint = await loadLightOnDark(options.color);
      await writer.write(code.lines.map((line) => `${paint(line)}\n`).join(''));
      return undefined;
    },
    text: (text) => writer.write(text.endsWith('\n') ? text : `${text}\n`),
    copy: options.stdout.isTTY
      ? (text) => writer.write(clipboardCode(text, screenClean(secrets)))
      : undefined,
    async finish(failed) {
      try {
        await open?.abandon();
        await open?.close(failed);
        await writer.end();
        await options.file?.settle(writer.lost === undefined && open?.isWhole() === true);
      } catch (error) {
        // run.ts asks `lost` about a lost stream. Any other error is a mistake of ours.
        if (error !== writer.lost) throw error;
      }
    },
    get rows() {
      return open?.count() ?? 0;
    },
    get lost() {
      return writer.lost;
    },
  };
}

// The control code that puts a text on the clipboard (OSC 52). The text is cleaned here, because no filter finds a key in base64.
function clipboardCode(text: string, clean: (line: string) => string): string {
  const lines = text.split('\n').map(clean);
  return `\u001b]52;c;${Buffer.from(lines.join('\n')).toString('base64')}\u0007`;
}

// A table with fewer rows is drawn as a whole, so that its columns fit all rows.
const ownPart = 1000;

async function* partsOf(
  records: Iterable<JsonObject> | AsyncIterable<JsonObject>,
): AsyncGenerator<readonly JsonObject[], undefined> {
  let part: JsonObject[] = [];
  for await (const record of records) {
    part.push(record);
    if (part.length < ownPart) continue;
    yield part;
    part = [];
  }
  yield part;
  return undefined;
}

async function linesOf(blocks: readonly Block[], options: OutputOptions): Promise<readonly string[]> {
  const { blockLines } = await import('./blocks.ts');
  return blockLines(blocks, {
    width: widthToDraw(options.stdout),
    paint: await loadPaint(options.color),
    times: readingOf(options).times,
    clean: screenClean(options.secrets),
  });
}

async function screen(blocks: readonly Block[], options: OutputOptions): Promise<string> {
  const { rows = 0 } = options.stdout;
  // One line is left for the shell.
  const isHigher = ({ length }: readonly string[]) => rows > 0 && length >= rows;
  const whole = await linesOf(blocks, options);
  const lines = isHigher(whole) ? await linesOf(blocks.flatMap(shortened), options) : whole;
  const staying = blocks.filter((block) => block !== 'blank' && 'line' in block && block.staysInView);
  const all =
    isHigher(lines) && staying.length > 0 ? [...lines, '', ...(await linesOf(staying, options))] : lines;
  return all.map((line) => `${line}\n`).join('');
}

function shortened(block: Block): readonly Block[] {
  return block !== 'blank' && 'grid' in block && block.short !== undefined ? block.short : [block];
}

const usualWidth = 80;

// The lines of a QR code, or why there is none.
type QrCode = { readonly lines: readonly string[] } | { readonly missing: string };

// A phone opens whatever link a code holds. So only a link that a person can see in full becomes a code.
const linkPattern = /^https?:\/\/[\x21-\x7e]+$/;
// The largest QR code holds this many bytes.
const longestLink = 2953;
// Light modules around the code, by which cameras find it.
const border = 2;

// Draws a link in half blocks: a cell of a terminal is twice as high as wide, so one line holds two rows. Without `always`
// (`--qr`) it is drawn only in a table on a terminal that shows all of it.
async function drawQr(link: string, always: boolean, options: OutputOptions): Promise<QrCode> {
  const { isTTY, columns = 0, rows = 0 } = options.stdout;
  if (options.format !== 'table' && !(options.format === 'list' && always))
    return { missing: `-o ${options.format} cannot show one` };
  if (!always && (!isTTY || options.accessible)) return { missing: 'the output does not go to a terminal' };
  // A link with a key is not drawn, because no filter would find the key in a picture.
  if (!linkPattern.test(link) || options.secrets.clean(link) !== link || link.length > longestLink)
    return { missing: 'this is not a plain web link' };
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(link, { border, boostEcc: true }).split('\n');
  const width = lines[0]?.length ?? 0;
  const known = isTTY && columns > 0;
  if (known && width > columns)
    return { missing: `it is ${width} columns wide, the terminal only ${columns}` };
  // One line is left for the shell.
  if (!always && !(known && lines.length < rows))
    return { missing: `it is ${lines.length} lines high, the terminal only ${rows}` };
  return { lines };
}
