/** stdout: the one writer of results, in whatever format was asked for. */

import type { Column } from '../api/spec.ts';
import type { CliError } from '../errors.ts';
import { type ColorLevel, loadLightOnDark, loadPaint } from './color.ts';
import { namedColumns, ownColumns, resultColumns } from './columns.ts';
import { type Locale, type StreamFacts, screenClean, widthOfTerminal } from './facts.ts';
import { rowOf, screenRowOf } from './json.ts';
import type { Row } from './list-format.ts';
import type { Secrets } from './secrets.ts';
import { readingOf, type Sink, startSink } from './sink.ts';
import { createStreamWriter } from './stream-writer.ts';
import type { Block, Format, Output, PrintedRecord } from './terminal.ts';

/** What stdout is written with. */
export interface OutputOptions {
  readonly stdout: StreamFacts;
  readonly format: Format;
  /** `--columns`. */
  readonly columns?: readonly string[] | undefined;
  /** PAYDESK_COLUMNS: of every list those that it has. */
  readonly usualColumns?: readonly string[] | undefined;
  readonly header: boolean;
  readonly color: ColorLevel;
  readonly accessible: boolean;
  readonly locale: () => Locale;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly secrets: Secrets;
  /** Called once when stdout is gone or full: the run is to be aborted. */
  readonly onLost: (error: CliError) => void;
  /** Whether stdout was closed from the start, so that the result is lost. */
  readonly isClosed?: (() => boolean) | undefined;
  /** Tells a person something about what was written. */
  readonly note?: ((line: string) => void) | undefined;
  /** Called before each write: takes a progress line off the screen. */
  readonly beforeWrite?: (() => void) | undefined;
}

/** The output of one run, and what cli/ does with it at the end. */
export interface OutputControl extends Output {
  /** Closes what is open: a JSON list that was begun ends with `has_more` true. Resolves when all is written. */
  finish(): Promise<void>;
  /** Why stdout is lost, when it is. */
  readonly lost: CliError | undefined;
}

/** The output of one run. Nothing heavy is loaded before something for people is printed. */
export function createOutput(options: OutputOptions): OutputControl {
  const { format, secrets } = options;
  const writer = createStreamWriter({
    stream: options.stdout.stream,
    name: 'stdout',
    secrets,
    onLost: options.onLost,
    isClosed: options.isClosed,
    beforeWrite: options.beforeWrite,
  });
  let open: Sink | undefined;
  const start = (columns: readonly Column[], asked = format): Sink =>
    startSink(columns, { ...options, format: asked }, writer);

  const rowFor = options.stdout.isTTY ? screenRowOf : rowOf;
  const row = (record: PrintedRecord): Row => rowFor(record, secrets);

  const one = async (
    record: PrintedRecord,
    columns: readonly Column[],
    view: () => readonly Block[],
    names: readonly string[] | undefined,
  ): Promise<void> => {
    if (format === 'json') return writer.write(`${row(record).json()}\n`);
    if (format === 'table' && names === undefined) return writer.write(await screen(view(), options));
    // One record is the result of what the command did, which may be a change: a wrong name must not hide it.
    const shown = names === undefined ? columns : resultColumns(columns, names);
    const sink = startSink(shown, { ...options, columns: names }, writer);
    await sink.rows([row(record)]);
    await sink.end(false);
  };

  return {
    format,
    checkColumns(columns) {
      if (format !== 'json' && options.columns !== undefined) namedColumns(columns, options.columns);
    },
    list(columns, asked) {
      const sink = start(columns, asked);
      open = sink;
      return {
        page: (records) => sink.rows(records.map(row)),
        end: (hasMore) => sink.end(hasMore),
      };
    },
    async ownList(columns, records) {
      const sink = start(columns);
      await sink.rows(records.map((value) => row({ value })));
      await sink.end(false);
    },
    record: (record, columns, view) => one(record, columns, view, options.columns),
    own: (record, view) => one({ value: record }, ownColumns(record), view, options.columns),
    dryRun(plan, view) {
      const record = { object: 'dry_run', ...plan };
      return one({ value: record }, ownColumns(record), view, undefined);
    },
    async qr(link, always) {
      const { drawQr } = await import('./qr.ts');
      const code = await drawQr(link, always, options);
      if ('missing' in code) return code.missing;
      const paint = await loadLightOnDark(options.color);
      await writer.write(code.lines.map((line) => `${paint(line)}\n`).join(''));
      return undefined;
    },
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
