/** Makes what every run has, even one that only prints help: streams, prompts, known keys, and the signal that stops it. */

import { plainAmounts } from '../amounts.ts';
import type { CliError } from '../errors.ts';
import type { ClockWithTimers, Io, ScreenStream } from '../io.ts';
import { type Folders, findFolders } from '../profiles/folders.ts';
import type { Profile } from '../profiles/profiles.ts';
import {
  type Ask,
  chartSigns,
  colorLevel,
  createAsk,
  createNotes,
  createOutput,
  type Format,
  type Locale,
  type NotesControl,
  type OutputControl,
  type Secrets,
  type StreamFacts,
} from '../terminal/terminal.ts';
import type { Globals } from './global-options.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';
import { createStop, type Stop } from './stop.ts';
import { createWhatWasSent, type WhatWasSent } from './what-was-sent.ts';

/** stdout, stderr and the questions of a run. */
export interface Screen {
  readonly out: OutputControl;
  readonly notes: NotesControl;
  readonly ask: Ask;
}

/** What run.ts makes before it knows which command runs. */
export interface RunState {
  /** The words behind `paydesk`. */
  readonly argv: readonly string[];
  readonly io: Io;
  readonly version: string;
  readonly clock: ClockWithTimers;
  readonly folders: Folders;
  readonly keys: KnownKeys;
  /** Masks the known keys. */
  readonly secrets: Secrets;
  readonly stop: Stop;
  readonly whatWasSent: WhatWasSent;
  /** The signal of `stop`: it ends reads and questions. */
  readonly signal: AbortSignal;
  /** Stops the run; the first reason counts. */
  readonly abort: (reason: CliError) => void;
  /** Opens the streams and prompts at its first call. */
  readonly screen: () => Screen;
  /** Sets the format for errors in the command line. */
  readonly guessFormat: (format: Format) => void;
  /** Sets the options of the run. Has to be called before the screen is opened. */
  readonly setGlobals: (globals: Globals) => void;
  readonly debug: () => boolean;
  /** The time zone in which times are shown; undefined: the zone of the process. */
  readonly zone: () => string | undefined;
  /** The name of the profile of the run, once it is open. */
  readonly profileName: () => string | undefined;
  /** How figures and times are shown. */
  readonly locale: () => Locale;
  /** Sets the profile of the run, once it is open: its settings say how times and amounts are shown. */
  readonly setProfile: (profile: Profile) => void;
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
  | 'utc'
  | 'width'
>;

// These count until the command line is read.
const plainOptions: ScreenOptions = {
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
  utc: false,
  width: undefined,
};

/** The state of a new run. Nothing is opened, read or written yet. */
export function createRunState(argv: readonly string[], io: Io, version: string): RunState {
  const { env, clock, platform } = io;
  const folders = findFolders({ env, platform, home: io.home() });
  const keys = createKnownKeys({ argv, env, folders, cwd: io.cwd });
  const stop = createStop();
  let options = plainOptions;
  let screen: Screen | undefined;
  let profile: Profile | undefined;
  const zone = () => (options.utc ? 'UTC' : (profile?.settings['time.zone'] ?? io.zone));
  const locale = () => ({
    zone: zone(),
    amounts: profile?.settings ?? plainAmounts,
    referenceKeys: profile?.settings['reference.keys'] ?? [],
  });
  return {
    argv,
    io,
    version,
    clock,
    folders,
    keys,
    secrets: keys.secrets,
    stop,
    whatWasSent: createWhatWasSent(),
    signal: stop.signal,
    abort: stop.abort,
    zone,
    locale,
    screen: () => {
      screen ??= openScreen({ io, keys, stop, options, locale });
      return screen;
    },
    guessFormat: (format) => {
      options = { ...plainOptions, format };
    },
    setGlobals: (globals) => {
      options = globals;
    },
    debug: () => options.debug,
    profileName: () => profile?.name,
    setProfile: (opened) => {
      profile = opened;
    },
  };
}

interface ScreenParts {
  readonly io: Io;
  readonly keys: KnownKeys;
  readonly stop: Stop;
  readonly options: ScreenOptions;
  readonly locale: () => Locale;
}

// Takes over the streams. Nothing is written yet.
function openScreen({ io, keys, stop, options, locale }: ScreenParts): Screen {
  const { secrets } = keys;
  const { clock } = io;
  const shared = { ...options, locale, secrets };
  const stdout = { ...factsOf(io.stdout), width: options.width };
  // Notes in a log are never wrapped.
  const stderr = { ...factsOf(io.stderr), width: io.stderr.isTTY === true ? options.width : undefined };
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
    isClosed: () => stop.onlyChange() === undefined && io.stdoutWasClosed(),
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
    secrets,
    learnKey: keys.learn,
    clock,
    signal: stop.signal,
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
