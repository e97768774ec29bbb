/** Opens the screen of a run: stdout, stderr and its questions, as the options say that they look. */

import type { CliError } from '../errors.ts';
import type { ScreenStream } from '../io.ts';
import { plainCommand } from '../profiles/profiles.ts';
import {
  type AboutLine,
  type Ask,
  chartSigns,
  colorLevel,
  createAsk,
  createNotes,
  createOutput,
  type NotesControl,
  type OutputControl,
  type ResultFile,
  type StreamFacts,
} from '../terminal/terminal.ts';
import type { KnownKeys, RunState } from './run-state.ts';
import type { Globals } from './typed/global-options.ts';

/** stdout, stderr and the questions of a run. */
export interface Screen {
  readonly out: OutputControl;
  readonly notes: NotesControl;
  readonly ask: Ask;
}

/** The options that decide how the output looks. */
type ScreenOptions = Pick<
  Globals,
  | 'format'
  | 'columns'
  | 'usualColumns'
  | 'header'
  | 'input'
  | 'quiet'
  | 'color'
  | 'accessible'
  | 'askedFormat'
  | 'debug'
  | 'redact'
  | 'utc'
  | 'width'
> &
  Partial<Pick<Globals, 'csv'>>;

/** These count until the command line is read. */
export const plainOptions: ScreenOptions = {
  format: 'table',
  columns: undefined,
  usualColumns: undefined,
  header: true,
  input: false,
  quiet: false,
  color: undefined,
  accessible: false,
  askedFormat: undefined,
  debug: false,
  redact: undefined,
  utc: false,
  width: undefined,
};

/** What a screen is made of. */
interface ScreenParts extends Pick<RunState, 'argv' | 'version' | 'io' | 'redaction' | 'stop' | 'locale'> {
  readonly file: ResultFile | undefined;
  readonly keys: Pick<KnownKeys, 'secrets' | 'learn'>;
  readonly options: ScreenOptions;
}

/** Takes over the streams. Nothing is written yet. */
export function openScreen(parts: ScreenParts): Screen {
  const { io, keys, redaction, stop, options, locale, file } = parts;
  const { secrets } = keys;
  const { clock } = io;
  const shared = { ...options, locale, secrets, redaction };
  const stdout = file === undefined ? factsOf(io.stdout, options.width) : fileFacts(file, options.width);
  // Notes in a log are never wrapped.
  const stderr = factsOf(io.stderr, io.stderr.isTTY === true ? options.width : undefined);
  const stderrColor = colorLevel(stderr, options.color, io.env);
  const notes = createNotes({
    ...shared,
    stderr,
    color: stderrColor,
    clock,
    // Nobody reads notes any more. The run goes on, because its result goes to stdout or the journal.
    onLost: () => undefined,
  });
  const out = createOutput({
    ...shared,
    stdout,
    isBriefList: options.accessible && options.askedFormat === undefined,
    charts: chartSigns({ ...options, env: io.env, platform: io.platform }),
    color: colorLevel(stdout, options.color, io.env),
    now: () => clock.now(),
    onLost: stop.abort,
    // A result that nobody can read is an error. But once a single change was sent, its outcome decides the exit code. The
    // report of a batch says more than an exit code.
    file,
    about: async (failed) => aboutList(parts, await notes.lines(), failed),
    isClosed: () => file === undefined && stop.onlyChange() === undefined && io.stdoutWasClosed(),
    note: (line) => notes.note(line),
    beforeWrite: () => notes.clearProgress(),
  });
  const ask = createAsk({
    get stdin() {
      return io.stdin;
    },
    stderr,
    noInput: !options.input,
    accessible: options.accessible,
    color: stderrColor,
    secrets: redaction.over(secrets),
    learnKey: keys.learn,
    clock,
    signal: stop.signal,
    beforeQuestion: () => notes.flush(),
    write: (text) => notes.write(text),
  });
  return { out, notes, ask };
}

function fileFacts({ stream }: ResultFile, width: number | undefined): StreamFacts {
  return { stream, isTTY: false, columns: undefined, rows: undefined, width };
}

// What the second sheet of a workbook says of a list: what was asked for, when, and all that the screen said.
function aboutList(
  { argv, version, io }: ScreenParts,
  notes: readonly string[],
  failed: CliError | undefined,
): readonly AboutLine[] {
  return [
    ['command', plainCommand(...argv)],
    ['written', { at: Math.floor(io.clock.now() / 1000) }],
    ['program', `paydesk ${version}`],
    ...(failed === undefined ? [] : [['complete', `no: ${failed.message}`] as const]),
    ...notes.map((line) => ['note', line] as const),
  ];
}

// A terminal may get another size while the run lasts.
function factsOf(stream: ScreenStream, width: number | undefined): StreamFacts {
  const isTTY = stream.isTTY === true;
  return {
    stream,
    isTTY,
    width,
    get columns() {
      return isTTY ? stream.columns : undefined;
    },
    get rows() {
      return isTTY ? stream.rows : undefined;
    },
  };
}
