/** Builds the screen of a run: stdout, stderr and the questions, which follow the same options. */

import type { CliError } from '../errors.ts';
import type { ClockWithTimers, Io, ScreenStream } from '../io.ts';
import type { Ask, Locale, Secrets, StreamFacts } from '../terminal/terminal.ts';
import {
  type ColorLevel,
  colorLevel,
  createAsk,
  createNotes,
  createOutput,
  type NotesControl,
  type OutputControl,
} from '../terminal/terminal.ts';
import type { Globals } from './global-options.ts';

/** What the screen of a run is made of. */
export interface ScreenParts {
  readonly io: Io;
  readonly clock: ClockWithTimers;
  readonly secrets: Secrets;
  /** Called with every key that is typed. */
  readonly learnKey: (key: string) => void;
  readonly signal: AbortSignal;
  /** The options of the run, or what can be guessed of them before the command line was read. */
  readonly globals: ScreenGlobals;
  readonly locale: () => Locale;
  /** Whether a change was sent: then its outcome decides the exit code, even if nobody can read it. */
  readonly sentChange: () => boolean;
  /** stdout is gone or full: the run is to stop. */
  readonly abort: (reason: CliError) => void;
}

/** The options that decide how it looks. */
export type ScreenGlobals = Pick<
  Globals,
  'format' | 'columns' | 'usualColumns' | 'header' | 'input' | 'quiet' | 'color' | 'accessible'
>;

/** stdout, stderr and the questions of a run. */
export interface Screen {
  readonly out: OutputControl;
  readonly notes: NotesControl;
  readonly ask: Ask;
}

/** Opens the streams of a run. Nothing is written yet. */
export function openScreen(parts: ScreenParts): Screen {
  const { io, clock, secrets, globals, locale, signal } = parts;
  const stdout = factsOf(io.stdout);
  const stderr = factsOf(io.stderr);
  const color = (stream: StreamFacts): ColorLevel => colorLevel(stream, globals.color, io.env);
  const stderrColor = color(stderr);
  const stdoutColor = color(stdout);
  const notes = createNotes({
    ...globals,
    stderr,
    color: stderrColor,
    locale,
    clock,
    secrets,
    // Nobody listens any more; the run goes on, since its outcome is kept elsewhere.
    onLost: () => undefined,
  });
  const out = createOutput({
    ...globals,
    stdout,
    color: stdoutColor,
    locale,
    now: () => clock.now(),
    secrets,
    onLost: parts.abort,
    // When both are closed, whoever started paydesk wants no output, and there is nowhere to complain.
    isClosed: () => !parts.sentChange() && io.stdoutWasClosed(),
    note: (line) => notes.note(line),
    beforeWrite: () => notes.clearProgress(),
  });
  const ask = createAsk({
    get stdin() {
      return io.stdin;
    },
    stderr,
    noInput: !globals.input,
    accessible: globals.accessible,
    color: stderrColor,
    secrets,
    learnKey: parts.learnKey,
    clock,
    signal,
    beforeQuestion: () => notes.flush(),
    write: (text) => notes.write(text),
  });
  return { out, notes, ask };
}

function factsOf(stream: ScreenStream): StreamFacts {
  const isTTY = stream.isTTY === true;
  return {
    stream,
    isTTY,
    columns: isTTY ? stream.columns : undefined,
    rows: isTTY ? stream.rows : undefined,
  };
}
